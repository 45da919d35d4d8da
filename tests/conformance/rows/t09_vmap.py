"""T9: vmap."""
from __future__ import annotations

from ..collect import each
from ..observe import raises


def _scope(torch):
    return {
        "torch": torch,
        "vmap": torch.vmap,
        "x": torch.arange(6.0).reshape(2, 3),
        "y": torch.arange(6.0, 12.0).reshape(2, 3),
        "b": torch.arange(24.0).reshape(2, 3, 4),
        "v": torch.tensor([1.0, 2.0, 3.0]),
        "i": torch.tensor([[0, 2], [1, 1]]),
        "k": torch.tensor([[True, False, True], [False, True, True]]),
    }


@each(
    "vmap(torch.sin)(x)", "vmap(torch.dot)(x, y)", "vmap(torch.add, in_dims=(0, None))(x, v)", "vmap(lambda r: r.sum())(x)",
    "vmap(lambda c: c.sum(), in_dims=1)(x)", "vmap(lambda r: r * 2, out_dims=1)(x)", "vmap(lambda r: (r * 2, r.sum()))(x)",
    "vmap(lambda r: (r * 2, r.sum()), out_dims=(1, 0))(x)", "vmap(vmap(lambda s: s * 2))(x)",
    "vmap(vmap(torch.dot, in_dims=(None, 0)), in_dims=(0, None))(x, y)", "vmap(lambda d: d['a'] + d['b'])({'a': x, 'b': y})",
    "vmap(lambda d: d['a'] + d['b'], in_dims=({'a': 0, 'b': None},))({'a': x, 'b': v})",
    "vmap(lambda a, s: a * s, in_dims=(0, None))(x, 3.0)", "vmap(lambda r: r.view(3, 1))(x)", "vmap(lambda r: r[0])(x)",
    "vmap(lambda r: r[None])(x)", "vmap(lambda r: r[1:])(x)", "vmap(lambda m: m.t())(b)", "vmap(lambda m: m @ m.t())(b)",
    "vmap(torch.mm)(b, b.transpose(1, 2))", "vmap(torch.mv, in_dims=(0, None))(b, torch.ones(4))", "vmap(torch.outer)(x, y)",
    "vmap(lambda r: r.max())(x)", "vmap(lambda r: r.max(0))(x)", "vmap(lambda r: r.sort())(x)", "vmap(lambda r: r.cumsum(0))(x)",
    "vmap(lambda r: r.softmax(0))(x)", "vmap(lambda r: r.mean())(x)", "vmap(lambda r: r.var())(x)", "vmap(lambda r: r.norm())(x)",
    "vmap(lambda r: r.logsumexp(0))(x)", "vmap(lambda r: torch.cat([r, r]))(x)", "vmap(lambda r: torch.stack([r, v]))(x)",
    "vmap(lambda r, j: r.gather(0, j))(x, i)", "vmap(lambda r, j: r[j])(x, i)", "vmap(lambda r, m: torch.where(m, r, -r))(x, k)",
    "vmap(lambda r, m: r.masked_fill(m, 0))(x, k)", "vmap(lambda r: r.expand(2, 3))(x)", "vmap(lambda r: r.flip(0))(x)",
    "vmap(lambda r: r.roll(1))(x)", "vmap(lambda m: m.diagonal())(b)", "vmap(lambda m: m.sum(0))(b)", "vmap(lambda m: m.permute(1, 0))(b)",
    "vmap(lambda m: m.unsqueeze(-1))(b)", "vmap(lambda m: m.flatten())(b)", "vmap(lambda m: torch.einsum('ij,kj->ik', m, m))(b)",
    "vmap(lambda r: r.clone().add_(1))(x)", "vmap(lambda r: torch.ones(2))(x)", "vmap(lambda r: r.new_zeros(2))(x)",
    "vmap(lambda r: torch.zeros_like(r))(x)", "vmap(lambda r: r.shape[0] * r)(x)", "vmap(lambda r: r > 1)(x)",
    "vmap(lambda r: r.to(torch.float64))(x)", "vmap(lambda r: r, in_dims=-1)(x)", "vmap(lambda r: r.sum(), in_dims=2)(b)",
    "vmap(lambda r: r * 2, out_dims=-1)(x)", "vmap(lambda r: r.sum(), chunk_size=1)(x)", "vmap(lambda r: r ** 2, chunk_size=3)(x)",
    "vmap(lambda r: r.clamp(1, 3))(x)", "vmap(lambda r: r.prod())(x)", "vmap(lambda r: r.unbind())(x)", "vmap(lambda r: r.repeat(2))(x)",
    "vmap(lambda r: r.triu())(b)", "vmap(lambda r: torch.linalg.inv(r @ r.t() + torch.eye(3)))(b)", "vmap(lambda r: r.argmax())(x)",
    "vmap(lambda r: r.index_select(0, torch.tensor([0, 2])))(x)", "torch.func.vmap(torch.sin)(x)",
)
def over(torch, text):
    return eval(text, _scope(torch))


def through_grad(torch):
    """Gradients of each row by ``autograd.grad`` outside the map."""
    s = _scope(torch)
    x = s["x"].requires_grad_()
    y = torch.vmap(lambda r: (r**3).sum())(x)
    y.sum().backward()
    return y, x


def inside_a_map(torch):
    x = torch.arange(3.0)
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = torch.vmap(lambda s: (w * s).sum())(x)
    (g,) = torch.autograd.grad(y, w, torch.tensor([1.0, 10.0, 100.0]))
    return y, g


def over_vector_jacobian_products(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    return torch.vmap(lambda v: torch.autograd.grad(y, x, v, retain_graph=True)[0])(torch.eye(3))


def per_sample_gradients(torch):
    s = _scope(torch)
    return (
        torch.vmap(torch.func.grad(lambda r: (r**3).sum()))(s["x"]),
        torch.func.grad(lambda r: (r**3).sum())(s["v"]),
        torch.vmap(torch.func.grad(lambda w, r: (w * r).sum() ** 2), in_dims=(None, 0))(s["v"], s["x"]),
    )


def randomness(torch):
    x = torch.zeros(4, 3)
    same = torch.vmap(lambda r: r + torch.rand(3), randomness="same")(x)
    different = torch.vmap(lambda r: r + torch.rand(3), randomness="different")(x)
    return (
        bool((same[0] == same[1]).all()),
        bool((different[0] == different[1]).all()),
        raises(lambda: torch.vmap(lambda r: r + torch.rand(3))(x), "vmap: called random operation while in randomness error mode"),
        raises(
            lambda: torch.vmap(torch.sin, randomness="some")(x), "Only allowed values for randomness are 'error', 'different', or 'same'"
        ),
    )


def errors(torch):
    s = _scope(torch)
    x = s["x"]
    return [
        raises(lambda: torch.vmap(torch.sin)(3.0), "Got in_dim=0 for an input but the input is of type"),
        raises(lambda: torch.vmap(torch.add)(x, torch.ones(5, 3)), "Expected all tensors to have the same size in the mapped dimension"),
        raises(lambda: torch.vmap(torch.add, in_dims=(None, None))(x, x)),
        raises(lambda: torch.vmap(torch.sin, in_dims=5)(x), "in_dim=5", "dimensionality"),
        raises(lambda: torch.vmap(lambda r: 3)(x), "must only return Tensors"),
        raises(lambda: torch.vmap(lambda r: r.sum().item())(x), "vmap: It looks like you're calling .item() on a Tensor"),
        raises(lambda: torch.vmap(lambda r: r if r.sum() > 0 else -r)(x), "data-dependent control flow"),
        raises(lambda: torch.vmap(torch.add, in_dims=(0,))(x, x), "in_dims"),
        raises(lambda: torch.vmap(lambda r: r, out_dims=(0, 0))(x), "out_dims"),
        raises(lambda: torch.vmap(torch.sin)(), "no inputs"),
        raises(lambda: torch.vmap(lambda r: r, chunk_size=0)(x), "chunk_size"),
    ]


def inplace_on_what_is_not_mapped(torch):
    x, total = _scope(torch)["x"], torch.zeros(3)
    return raises(lambda: torch.vmap(lambda r: total.add_(r))(x))


def inplace_on_what_is_mapped(torch):
    x = _scope(torch)["x"]
    y = x.clone()
    torch.vmap(lambda r: r.mul_(2))(y)
    return y


def one_place_of_each_example(torch):
    x, i = torch.arange(6.0).view(2, 3), torch.tensor([0, 2])
    places = torch.vmap(lambda a, k: a[k])(x, i), torch.vmap(lambda k: x[1, k])(i), torch.vmap(lambda a, k: a[k, None])(x, i)
    across = torch.vmap(lambda a, k: a[:, k])(x.view(2, 1, 3).expand(2, 2, 3), i)
    return places, across, torch.func.grad(lambda w: torch.vmap(lambda a, k: a[k] ** 2)(w, i).sum())(x)


@each(
    "vmap(lambda r: torch.zeros_like(r).copy_(r))(x)", "vmap(lambda r: torch.zeros_like(input=r).add_(r))(x)", "vmap(lambda r: torch.full_like(r, 2.0).mul_(r))(x)", "vmap(lambda r: torch.ones_like(r))(x)",
    "vmap(lambda r: torch.empty_like(r).copy_(r))(x)", "vmap(lambda r: torch.zeros_like(r, dtype=torch.float64).add_(r))(x)", "vmap(lambda r: r.new_zeros(2, 3).add_(r))(x)", "vmap(lambda r: r.new_zeros(size=(3,)).add_(r))(x)",
    "vmap(lambda r: r.new_full((3,), 2.0).mul_(r))(x)", "vmap(lambda r: r.new_zeros(()).add_(r.sum()))(x)", "vmap(vmap(lambda r: torch.zeros_like(r).add_(r)))(b)", "vmap(vmap(lambda r: r.new_ones(4).mul_(r)), in_dims=1)(b)",
    "vmap(torch.func.grad(lambda r: (torch.zeros_like(r).copy_(r) ** 2).sum()))(x)", "vmap(lambda r: torch.zeros_like(r).index_add_(0, torch.tensor([0]), r[:1]))(x)", "vmap(lambda r: str(r) and r)(x)",
)
def made_for_each_example(torch, text):
    """A Tensor made like one that is mapped over is another one for each example, and may be written to"""
    return eval(text, _scope(torch))
