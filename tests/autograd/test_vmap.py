"""`vmap` over Tensor functions: that it is the loop over examples, its options, nesting, gradients, and errors."""
import functools

import numpy as np
import pytest

EXPRESSIONS = """
x + y; x - 2 * y; x * x; x / (y * y + 1); -x; abs(x); x ** 2; 2 ** x; x % 2; x // 2; x > y; x == x; (x > 0) & (y > 0); ~(x > 0); 1 - x; 1 / (x + 5)
x.exp(); x.sin() + x.cos(); x.tanh(); x.sigmoid(); x.relu(); x.clamp(-0.5, 0.5); x.clamp(min=0); torch.maximum(x, y); torch.where(x > 0, x, y)
x.masked_fill(x > 0, 7.0); torch.atan2(x, y); x.sign(); x.round(); x.floor(); torch.lerp(x, y, 0.3); x.reciprocal(); x.abs().sqrt(); x.addcmul(x, y)
x.sum(); x.sum(0); x.sum(1); x.sum(-1, keepdim=True); x.sum((0, 1)); x.mean(); x.mean(1); x.prod(); x.prod(1); x.var(); x.var(0); x.std(1); x.amax(); x.amax(1)
x.max(); x.min(); x.max(1).values; x.max(1).indices; x.min(0)[0]; x.argmax(); x.argmax(1); x.argmin(0); (x > 0).any(); (x > 0).all(1); x.logsumexp(1)
x.norm(); x.cumsum(0); x.cumsum(1); x.cumprod(1); x.sort(1).values; x.sort(0).indices; x.argsort(1); x.topk(2, 1).values; x.median(1).values; x.kthvalue(2, 1)[0]
x.softmax(1); x.softmax(-1); x.log_softmax(0); x.cummax(1).values; x.logcumsumexp(1); x.flip(0); x.flip((0, 1)); x.roll(1, 1); x.roll(2); x.rot90()
x.reshape(-1); x.reshape(4, 3); x.view(2, 6); x.flatten(); x.t(); x.T; x.transpose(0, 1); x.permute(1, 0); x.unsqueeze(0); x.unsqueeze(-1); x.unsqueeze(1)
x.unsqueeze(0).squeeze(0); x.unsqueeze(0).squeeze(); x.movedim(0, 1); x.expand(2, 3, 4); x.repeat(2, 1); x.repeat(2, 2, 1); x.tile((2,)); x.diagonal(); x.trace()
x.tril(); x.triu(1); x[0]; x[1:]; x[:, 1]; x[..., -1]; x[None]; x[:, ::2]; x[-1, 2]; x[[0, 2]]; x[:, [1, 0]]; x[i]; x[i, i]; x[:, i]; x[[0, 1], [2, 3]]
x.index_select(0, i); x.index_select(1, i); x.gather(1, j); x.gather(0, j); x.take(i); x.narrow(1, 1, 2); x.select(1, 2); x.unfold(1, 2, 1); x.diag_embed()
torch.cat([x, y]); torch.cat([x, x], 1); torch.stack([x, y]); torch.stack([x, y, x], -1); x.split(2, 1)[1]; x.chunk(2, 1)[0]; x.unbind(1)[2]; torch.vstack([x, y])
x @ y.t(); y.t() @ x; x.mm(x.t()); x @ v; v2 @ x; x.mv(v); x[0] @ x[1]; x[0].dot(v); torch.einsum('ij,kj->ik', x, y); torch.einsum('ij->ji', x); torch.outer(x[0], v)
x[:, :3].det(); (x[:, :3] + 3 * torch.eye(3, dtype=x.dtype)).inverse(); torch.linalg.solve(x[:, :3] + 3 * torch.eye(3, dtype=x.dtype), v2)
torch.addmm(y[:, :3], x, y.t()); torch.kron(x, y); torch.cross(x[:, :3], y[:, :3], dim=1); torch.tensordot(x, y, dims=2); x.cov(); torch.cdist(x, y)
x.double().float(); x.to(torch.float32); x.clone(); x.detach(); torch.zeros_like(x); torch.ones_like(x); torch.full_like(x, 3.0); x.new_zeros(2); torch.zeros(2) + 1
x.scatter(1, j, 5.0); x.scatter_add(1, j, x); x.index_add(1, i, x[:, :3]); x.index_fill(1, i, 2.0); torch.polar(x.abs(), x); torch.fft.fft(x).abs(); x.renorm(2, 0, 1.0)
torch.tensor(2.0) * x; x.sum() * x; x * x.sum(1, keepdim=True); x - x.mean(); (x * 1j).real; torch.complex(x, y).imag; x.isnan(); x.numel() * x; x.size(0) * x; len(x) * x
""".replace("\n", ";").split(";")
EXPRESSIONS = [e.strip() for e in EXPRESSIONS if e.strip()]


def inputs(torch, batch=3):
    r = np.random.default_rng(0)
    x, y = torch.tensor(r.standard_normal((batch, 3, 4))), torch.tensor(r.standard_normal((batch, 3, 4)))
    fixed = {"torch": torch, "v": torch.tensor(r.standard_normal(4)), "v2": torch.tensor(r.standard_normal(3)), "i": torch.tensor([2, 0, 1]),
             "j": torch.tensor([[0, 2, 1], [1, 1, 0], [2, 2, 0]])}
    return x, y, fixed


def compare(torch, actual, expected):
    assert actual.shape == expected.shape and actual.dtype == expected.dtype
    assert np.allclose(actual.numpy(), expected.numpy(), rtol=1e-5 if expected.dtype in (torch.float32, torch.complex64) else 1e-9, equal_nan=True)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_it_is_the_loop(torch, text):
    x, y, fixed = inputs(torch)

    def f(x, y):
        return eval(text, {**fixed, "x": x, "y": y})
    if "indices" in text or "arg" in text:      # torch's indices at ties
        x = x + torch.linspace(0, 1e-3, 12, dtype=torch.float64).reshape(3, 4)
    compare(torch, torch.vmap(f)(x, y), torch.stack([f(a, b) for a, b in zip(x, y)]))
    compare(torch, torch.vmap(f, in_dims=(0, None))(x, y[0]), torch.stack([f(a, y[0]) for a in x]))
    if "y" in text.replace("any", ""):
        compare(torch, torch.vmap(f, in_dims=(None, 0))(x[0], y), torch.stack([f(x[0], b) for b in y]))
    compare(torch, torch.vmap(f, in_dims=(-1, 1))(x.movedim(0, -1), y.movedim(0, 1)), torch.stack([f(a, b) for a, b in zip(x, y)]))


DIFFERENT_INDICES = ["x[i]", "x[:, i]", "x[i, i]", "x.index_select(0, i)", "x.take(i)", "x.gather(1, j)", "x.scatter(1, j, x)", "x.scatter_add(1, j, x)", "x[1:, i]"]


@pytest.mark.parametrize("text", DIFFERENT_INDICES)
def test_indices_of_each_example(torch, text):
    x, _, _ = inputs(torch)
    i = torch.tensor([[2, 0], [1, 1], [0, 2]])
    j = torch.tensor(np.random.default_rng(1).integers(0, 3, (3, 3, 2)))

    def f(x, i, j):
        return eval(text, {"x": x, "i": i, "j": j})
    compare(torch, torch.vmap(f)(x, i, j), torch.stack([f(*e) for e in zip(x, i, j)]))
    compare(torch, torch.vmap(f, in_dims=(None, 0, 0))(x[0], i, j), torch.stack([f(x[0], *e) for e in zip(i, j)]))


class TestDimensions:
    def test_where_they_go(self, torch):
        x = torch.arange(24.0).reshape(2, 3, 4)
        for d in (0, 1, 2, -1):
            assert torch.equal(torch.vmap(lambda a: a * 2, in_dims=d, out_dims=d)(x), x * 2)
        assert torch.vmap(lambda a: a, out_dims=-1)(x).shape == (3, 4, 2)
        assert torch.vmap(lambda a, b: a + b, in_dims=(0, 1))(x, x.movedim(0, 1)).shape == (2, 3, 4)

    def test_trees(self, torch):
        x, y = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)
        f = lambda d, p: d["a"] * d["b"] + p[0] * p[1]
        expected = x * y + x * 2
        assert torch.equal(torch.vmap(f, in_dims=({"a": 0, "b": None}, (0, None)))({"a": x, "b": y}, (x, 2)), expected)
        out = torch.vmap(lambda a: {"s": a.sum(), "p": (a, [a * 2])})(x)
        assert torch.equal(out["s"], x.sum(1)) and torch.equal(out["p"][1][0], x * 2)
        out = torch.vmap(lambda a: (a, a), out_dims=(0, 1))(x)
        assert out[0].shape == (2, 3) and out[1].shape == (3, 2)
        out = torch.vmap(lambda a: {"s": a, "p": (a, a)}, out_dims={"s": 1, "p": 0})(x)
        assert out["s"].shape == (3, 2) and out["p"][1].shape == (2, 3)

    def test_what_is_the_same_for_all(self, torch):
        x, y = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)
        assert torch.equal(torch.vmap(lambda a, b: a * b, in_dims=(0, None))(x, 2.0), x * 2)
        assert torch.equal(torch.vmap(lambda a, k: a + k)(x, k=y), x + y)
        assert torch.equal(torch.vmap(lambda a: y)(x), torch.stack([y, y]))
        assert torch.equal(torch.vmap(lambda a: y, out_dims=None)(x), y)
        assert torch.vmap(lambda a: 1.5, out_dims=None)(x) == 1.5

    def test_what_the_function_sees(self, torch):
        x, seen = torch.ones(2, 3, 4), []
        torch.vmap(lambda a: seen.append((tuple(a.shape), a.ndim, a.dim(), len(a), a.numel(), a.dtype, a.size(1), a.requires_grad, a.is_leaf)) or a)(x)
        assert seen == [((3, 4), 2, 2, 3, 12, torch.float32, 4, False, True)]

    def test_chunks(self, torch):
        x, calls = torch.arange(12.0).reshape(4, 3), []
        for size, count in ((1, 4), (3, 2), (4, 1), (9, 1)):
            del calls[:]
            out = torch.vmap(lambda a: (calls.append(1) or a.sum(), a * 2), out_dims=(0, 1), chunk_size=size)(x)
            assert len(calls) == count and torch.equal(out[0], x.sum(1)) and torch.equal(out[1], 2 * x.t())

    def test_empty_batch(self, torch):
        assert torch.vmap(lambda a: a * 2)(torch.zeros(0, 3)).shape == (0, 3)

    def test_partial_and_repr(self, torch):
        x = torch.arange(4.0).reshape(2, 2)
        assert torch.equal(torch.vmap(functools.partial(lambda k, a: a * k, 3))(x), 3 * x)
        seen = []
        torch.vmap(lambda a: seen.append(repr(a)) or a)(x)
        assert seen[0].startswith("BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[0., 1.],")


class TestNested:
    def test_two_levels(self, torch):
        x, y = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)
        outer = torch.vmap(torch.vmap(lambda a, b: a * b + a, in_dims=(0, None)), in_dims=(None, 0))
        assert torch.equal(outer(y, x[:, 0]), x[:, :1] * y + y)
        assert torch.equal(torch.vmap(lambda row: torch.vmap(lambda e: e * row.sum())(row))(x), x * x.sum(1, keepdim=True))
        table = torch.vmap(torch.vmap(torch.dot, in_dims=(None, 0)), in_dims=(0, None))(x, x)
        assert torch.equal(table, x @ x.t())
        assert torch.vmap(torch.vmap(lambda a: a.sum(0), in_dims=1), in_dims=2)(torch.ones(2, 3, 4)).shape == (4, 3)


class TestGradients:
    def test_through_captured_tensors(self, torch):
        x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
        w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
        out = torch.vmap(lambda a: (w * a).sin().sum())(x)
        g, = torch.autograd.grad(out.sum(), w, create_graph=True)
        assert torch.allclose(g, (x * (x * w).cos()).sum(0))
        gg, = torch.autograd.grad(g.sum(), w)
        assert torch.allclose(gg, -(x * x * (x * w).sin()).sum(0))

    def test_through_inputs(self, torch):
        x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3).requires_grad_()
        torch.vmap(lambda a: a.pow(3).sum(), in_dims=1)(x).sum().backward()
        assert torch.allclose(x.grad, 3 * x ** 2)

    def test_batched_gradients(self, torch):
        x = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64, requires_grad=True)
        y = x.sin() * x.sum()
        eye = torch.eye(3, dtype=torch.float64)
        rows = [torch.autograd.grad(y, x, e, retain_graph=True)[0] for e in eye]
        table, = torch.autograd.grad(y, x, eye, retain_graph=True, is_grads_batched=True)
        assert torch.allclose(table, torch.stack(rows)) and not table.requires_grad
        assert torch.allclose(torch.vmap(lambda e: torch.autograd.grad(y, x, e, retain_graph=True)[0])(eye), table)
        twice, = torch.autograd.grad(y, x, torch.stack([eye, 2 * eye])[:, 0], is_grads_batched=True, create_graph=True)
        assert twice.requires_grad and torch.allclose(twice[1], 2 * rows[0])

    def test_batched_gradients_unused(self, torch):
        x, z = (torch.ones(2, requires_grad=True) for _ in range(2))
        y = x * 2
        assert torch.autograd.grad(y, (x, z), torch.eye(2), is_grads_batched=True, allow_unused=True)[1] is None


class TestWrites:
    def test_into_examples(self, torch):
        x, y = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)

        def f(a):
            b = a.clone()
            b.add_(y)
            b[0] = a[1]
            b[1:].mul_(2)
            b += 1
            return b
        assert torch.equal(torch.vmap(f)(x), torch.stack([f(a) for a in x]))
        z = x.clone()
        torch.vmap(lambda a: a.add_(1))(z)
        assert torch.equal(z, x + 1)

    def test_into_what_is_the_same_for_all(self, torch):
        x, y = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)
        for write in (lambda a: y.clone().add_(a), lambda a: y.clone().__setitem__(0, a[1])):
            with pytest.raises(RuntimeError):
                torch.vmap(write)(x)


class TestRandomness:
    def test_error(self, torch):
        x = torch.zeros(2, 3)
        for draw in (lambda a: a + torch.rand(3), lambda a: torch.randn_like(a), lambda a: torch.bernoulli(a), lambda a: a + torch.randn(3)):
            with pytest.raises(RuntimeError, match="vmap: called random operation while in randomness error mode"):
                torch.vmap(draw)(x)
        with pytest.raises(RuntimeError, match="Only allowed values for randomness are 'error', 'different', or 'same'. Got no"):
            torch.vmap(lambda a: a, randomness="no")

    def test_same_and_different(self, torch):
        x = torch.zeros(2, 50)
        for draw in (lambda a: a + torch.rand(50), lambda a: a + torch.randn(50), lambda a: torch.rand_like(a)):
            different = torch.vmap(draw, randomness="different")(x)
            assert different.shape == (2, 50) and not torch.equal(different[0], different[1])
        same = torch.vmap(lambda a: a + torch.rand(50), randomness="same")(x)
        assert torch.equal(same[0], same[1])


class TestErrors:
    @pytest.mark.parametrize("options, arguments, words", [
        (dict(in_dims=None), "x", "expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs"),
        (dict(in_dims="s"), "x", "expected `in_dims` to be int or a (potentially nested) tuple"),
        (dict(in_dims=[0]), "x", "expected `in_dims` to be int or a (potentially nested) tuple"),
        (dict(in_dims=(None,)), "x", "vmap: Expected at least one Tensor to vmap over"),
        (dict(in_dims=(0, 0)), "x", "in_dims is not compatible with the structure of `inputs`"),
        (dict(in_dims=2), "x", "Got in_dim=2 for some input, but that input is a Tensor of dimensionality 2 so expected in_dim to satisfy -2 <= in_dim < 2"),
        (dict(in_dims=("a",)), "x", "in_dim must be either an integer dimension or None"),
        (dict(in_dims=0), "3.0", "We cannot vmap over non-Tensor arguments"),
        (dict(), "x[0, 0]", "that input is a Tensor of dimensionality 0"),
        (dict(in_dims=0), "", "got no inputs"),
        (dict(), "x, x.t()", "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes [2, 3]"),
        (dict(out_dims="a"), "x", "`out_dims` must be an int, None or a python collection of ints"),
        (dict(out_dims=(0, 1)), "x", "out_dims is not compatible with the structure of `outputs`"),
        (dict(out_dims=None), "x", "can not return a BatchedTensor when out_dim is None"),
        (dict(chunk_size=0), "x", "vmap: chunk_size should be None or greater than 0. (got 0)"),
    ])
    def test_values(self, torch, options, arguments, words):
        x = torch.ones(2, 3)
        with pytest.raises(ValueError) as caught:
            torch.vmap(lambda *a: a[0] * 2, **options)(*eval(f"({arguments},)" if arguments else "()", {"x": x}))
        assert words in str(caught.value)

    def test_outputs(self, torch):
        x = torch.ones(2, 3)
        for result, kind in ((1.0, "float"), (None, "NoneType"), ("s", "str")):
            with pytest.raises(ValueError, match=f"must only return Tensors, got type <class '{kind}'>"):
                torch.vmap(lambda a: result)(x)
        with pytest.raises(IndexError):
            torch.vmap(lambda a: a, out_dims=3)(x)

    @pytest.mark.parametrize("text, words", [
        ("a.sum().item() * a", "calling \\.item\\(\\) on a Tensor"), ("float(a[0]) * a", "calling \\.item\\(\\) on a Tensor"),
        ("a if a.sum() > 0 else -a", "data-dependent control flow"), ("torch.tensor(a.numpy())", "doesn't have storage"),
        ("torch.tensor(a.tolist())", "doesn't have storage"), ("a.nonzero()", "dynamic shape"), ("a[a > 1]", "dynamic shape"), ("a.unique()", "dynamic shape"),
        ("a.masked_select(a > 0)", "vmap: "), ("a.data", "accessing `data` under vmap"), ("a.requires_grad_()", "You are attempting to call Tensor.requires_grad_()"),
        ("a.sum().backward()", r"backward\(\) called inside a"),
    ])
    def test_what_has_no_meaning_for_a_batch(self, torch, text, words):
        with pytest.raises(RuntimeError, match=words):
            torch.vmap(lambda a: eval(text, {"a": a, "torch": torch}))(torch.arange(6.0).reshape(2, 3))

    def test_escape(self, torch):
        kept = []
        torch.vmap(lambda a: kept.append(a) or a)(torch.ones(2, 3))
        with pytest.raises(RuntimeError, match="escaped"):
            kept[0] + 1

    def test_modes_are_restored(self, torch):
        x = torch.ones(2, 3)
        with pytest.raises(ZeroDivisionError):
            torch.vmap(lambda a: 1 / 0)(x)
        assert torch.equal(x + 1, torch.full((2, 3), 2.0))


@pytest.mark.parametrize("text", ["x.split(3)[0]", "x.unbind(0)[0]", "x.chunk(1)[0]", "torch.broadcast_tensors(x)[0]", "torch.meshgrid(x[0], indexing='ij')[0]"])
def test_gradient_of_a_tuple_of_one(torch, text):
    """Operations that may return several tensors, and return one."""
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    y = eval(text, {"x": x, "torch": torch})
    g, = torch.autograd.grad((y * torch.tensor([1.0, 10.0, 100.0])).sum(), x)
    assert g.tolist() == [[1, 10, 100]]
