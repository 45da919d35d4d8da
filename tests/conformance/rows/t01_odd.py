"""T1: odd uses, each of which was different once."""
from __future__ import annotations

from ..collect import each
from ..observe import raises


@each(
    "f - b", "b - f", "f - True", "1 - b", "i - b", "b - b", "f.sub(b, alpha=2)", "torch.rsub(f, b)", "f.clone().sub_(b)", "f.clone().sub_(True)",
    "f - 1", "i - 1", "f - i",
)
def booleans_are_not_subtracted(torch, text):
    scope = {"torch": torch, "f": torch.tensor([1.0, 2.0]), "i": torch.tensor([1, 2]), "b": torch.tensor([True, False])}
    return raises(lambda: eval(text, scope))


@each(
    "z > z", "z.max()", "z.min()", "z.amax()", "z.max(0)", "z.sort()", "z.argsort()", "z.topk(1)", "z.argmax()", "z.median()", "z.kthvalue(1)",
    "z.cummax(0)", "z.aminmax()", "z.floor()", "z.clamp(0, 1)", "z.relu()", "z % 2", "z.fmod(2)", "torch.atan2(z, z)", "z.lgamma()", "z // z",
    "torch.hypot(z, z)", "z.amin()", "torch.maximum(z, z)", "torch.fmin(z, z)", "z.clamp_min(0.0)", "z.erf()", "z.digamma()", "z.logit(0.1)", "z.frac()",
    "z.xlogy(z)", "z.deg2rad()", "z.isposinf()", "z.signbit()", "z.heaviside(z)", "z.unique()", "z.histc()", "z.clone().abs_()", "z.bincount()",
    "z.amax(0)", "torch.lerp(z.real, z.real.double(), 0.5)", "torch.linalg.cross(torch.ones(3), torch.ones(3).double())", "z.sign()", "float(z)", "int(z)", "float(z.real)", "complex(z)", "float(torch.tensor([2 + 0j]))",
)
def complex_numbers_have_no_order(torch, text):
    return raises(lambda: eval(text, {"torch": torch, "z": torch.tensor([1 + 2j])}))


@each("f[...] = 'a'", "f[0] = None", "f[:] = {}", "f[0] = b'1'", "f[f > 0] = 'a'")
def what_is_no_number_is_not_assigned(torch, text):
    f = torch.tensor([1.0, 2.0])
    return raises(lambda: exec(text, {"f": f}), "can't assign a", "to a torch.FloatTensor"), f


@each(
    "y[:] = 0", "y[...] = 0", "y[:, :] = 0", "y[0:2] = 0", "y[:5] = 1", "y[::1] = 2", "y[:] = u", "y[...] = u", "y[:] = u[0]", "y[()] = 1",
    "y[None] = 3", "y[0] = 0", "y[..., :] = 1", "y[1:] = 1", "y.fill_diagonal_(2.0)", "y.t().fill_diagonal_(2.0)",
)
def nodes_of_assignments(torch, text):
    """A slice of all of a tensor is no view: the write is one to the tensor itself."""
    y, u = torch.ones(2, 3, requires_grad=True) * 1, torch.ones(3, requires_grad=True) * 1
    exec(text, {"y": y, "u": u})
    return y


@each("(7, 3)", "(3, 7)", "(4, 4)", "(9, 2)", "(3, 3, 3)")
def diagonals_filled(torch, text):
    shape = eval(text)
    return [torch.zeros(shape).fill_diagonal_(1, wrap=wrap) for wrap in (False, True)], raises(lambda: torch.zeros(3).fill_diagonal_(1))


@each(
    "torch.where(m, x, 0.0)", "x.masked_fill(m, 0.0)", "x.masked_select(m)", "x.gather(0, i)", "x.index_select(0, i)", "x[i]", "x[m]",
    "x.take(i)", "x.scatter(0, i, 1.0)", "x.index_add(0, i, x[:2])", "x.index_fill(0, i, 0.0)",
)
def an_index_or_mask_is_written_to_before_backward(torch, text):
    """What was saved of an index is the tensor itself: a write to it is noticed."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    scope = {"torch": torch, "x": x * 1, "m": x.detach() > 1.5, "i": torch.tensor([0, 2])}
    y = eval(text, scope)
    scope["m"].logical_not_()
    scope["i"].zero_()
    return raises(lambda: y.sum().backward())


def saved_places(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    i, m = torch.tensor([0, 2]), x.detach() > 1.5
    return [
        x[i].grad_fn._saved_indices,
        x[m].grad_fn._saved_indices,
        x[[0, 1]].grad_fn._saved_indices,
        x.masked_fill(m, 0).grad_fn._saved_mask is m,
        x.index_select(0, i).grad_fn._saved_index is i,
        torch.where(m, x, x).grad_fn._saved_condition is m,
        x.max(0)[0].grad_fn._saved_indices,
        x.sort()[0].grad_fn._saved_indices,
    ]


@each("x.add(x, alpha=3)", "x + 1", "x - x", "1 - x", "x.addcmul(x, x)", "x.addcmul(x, x, value=2)", "x.sub(x, alpha=2)")
def saved_factors(torch, text):
    node = eval(text, {"x": torch.ones(2, requires_grad=True)}).grad_fn
    return node.name(), getattr(node, "_saved_alpha", "none"), getattr(node, "_saved_value", "none")


@each("x.view(6)", "x[0]", "x[1:]", "x.expand(2, 2, 3)", "x.sum()", "x.sum(0)", "x.mean()", "x.split(1)[0]", "x.max(0)[0]", "x.unfold(0, 2, 1)")
def saved_sizes(torch, text):
    node = eval(text, {"x": torch.ones(2, 3, requires_grad=True)}).grad_fn
    return node.name(), node._saved_self_sym_sizes


def a_norm_that_counts(torch):
    """Of the norm of order 0 no gradient arrives at all."""
    x = torch.tensor([1.0, 0.0], requires_grad=True)
    y = x.norm(p=0)
    y.backward()
    return y, x.grad


@each("(4, 3), 3", "(3, 3), 2", "(2, 4, 3), 3", "(5, 3), 1")
def products_of_reflections(torch, text):
    shape, count = eval(text)
    a = torch.arange(1.0, 1.0 + torch.Size(shape).numel(), dtype=torch.float64).reshape(shape).sin().requires_grad_()
    tau = torch.arange(1.0, 1.0 + torch.Size((*shape[:-2], count)).numel(), dtype=torch.float64).reshape(*shape[:-2], count).cos().requires_grad_()
    y = torch.linalg.householder_product(a, tau)
    (y * torch.arange(y.numel(), dtype=torch.float64).reshape(y.shape)).sum().backward()
    return y, a.grad, tau.grad


@each(
    "y.as_strided((3,), (4,)).fill_(1.0)", "y.as_strided((2,), (3,), 1).mul_(2.0)", "y.view(-1)[::4].mul_(2)", "y.unfold(0, 2, 2)[0].zero_()",
    "y.view(-1).as_strided((2,), (2,)).mul_(y[0, 0] * 1)", "y.fill_diagonal_(0.5)", "y.view(-1)[1:3].mul_(2)",
)
def tangents_of_what_is_written_to_through_a_view(torch, text):
    fw, seen = torch.autograd.forward_ad, []
    x = torch.arange(9.0).reshape(3, 3)
    for tangent in (torch.arange(9.0).reshape(3, 3) * 2, torch.arange(9.0).reshape(3, 3).t()):
        with fw.dual_level():
            y = fw.make_dual(x, tangent) * 1
            exec(text, {"y": y})
            seen.append(fw.unpack_dual(y).tangent)
    return seen


def a_walk(node, depth=0):
    return [] if node is None or depth > 5 else [f"{' ' * depth}{node.name()}", *(line for n, _ in node.next_functions for line in a_walk(n, depth + 1))]


@each("y[:] = u", "y[:] = u[None]", "y[:] = u[None, None]", "y[1] = u", "y[1] = u[None]", "y[:, 1] = u[:2]", "y[0:1] = u", "y.copy_(u)", "y[...] = u[:1]")
def graphs_of_assignments(torch, text):
    """What is assigned loses leading sizes of 1 and is expanded."""
    y, u = torch.ones(2, 3, requires_grad=True) * 1, torch.ones(3, requires_grad=True) * 1
    exec(text, {"y": y, "u": u})
    return a_walk(y.grad_fn)


@each("torch.where(a > 0, a, b)", "torch.cat([a, b])", "torch.stack([a, b, a])", "torch.cat([z, a])", "torch.where(a > 0, a, 1.5)", "torch.hstack([a, b])")
def mixed_dtypes_without_conversions(torch, text):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.float64, requires_grad=True)
    z = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    y = eval(text, {"torch": torch, "a": a, "b": b, "z": z})
    y.abs().sum().backward()
    return y, a_walk(y.grad_fn), a.grad, b.grad


@each("x.conj_physical()", "x.conj()", "x.resolve_conj()", "x.real", "x.positive()")
def a_real_tensor_is_its_own_conjugate(torch, text):
    x = torch.ones(2, requires_grad=True)
    return eval(text, {"x": x}) is x


@each("x.prod()", "x.prod(0)", "x.cumprod(0)", "x.sgn()", "x.exp()", "x.sqrt()", "x.softmax(0)", "x.amax()", "x.sin()", "x.cumsum(0)", "x.norm()")
def a_result_is_written_to(torch, text):
    """Where the result was saved, a write to it is an error."""
    y = eval(text, {"x": torch.tensor([1.0, 2.0], requires_grad=True)})
    y.detach().mul_(2)
    return raises(lambda: y.sum().backward())


def a_mask_on_an_expanded_tensor(torch):
    x = torch.tensor([1.0, -2.0]).expand(3, 2)
    x.masked_fill_(x > 0, 5.0)
    return x, raises(lambda: x.add_(1), "single memory location")
