"""`transgrad.interop.torch` against PyTorch: first and second derivatives, transformations, and odd uses."""
from __future__ import annotations

import collections
import dataclasses
import functools
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests.interop.functions import CASES

torch = pytest.importorskip("torch")
wrap = tg.interop.torch.wrap
D = torch.float64


def _leaves(value: Any) -> list[Any]:
    return [x for x in tg.tree.flatten(value)[0] if isinstance(x, torch.Tensor)]


def _tensors(args: Any, **options: Any) -> Any:
    return tg.tree.map_leaves(lambda x: torch.tensor(x, dtype=D, **options), args)


def _flat(name: str, f: Any) -> Any:
    """A function of a list of tensors that returns a tuple of tensors."""
    leaves, form = tg.tree.flatten(CASES[name].args)
    return lambda *xs: tuple(_leaves(f(*tg.tree.unflatten(form, xs)))), [torch.tensor(x, dtype=D, requires_grad=True) for x in leaves]


@pytest.mark.parametrize("name", CASES)
def test_first_and_second_derivatives(name: str) -> None:
    f, xs = _flat(name, wrap(CASES[name].f))
    assert torch.autograd.gradcheck(f, xs, check_forward_ad=True, check_batched_grad=False)
    assert torch.autograd.gradgradcheck(f, xs, check_fwd_over_rev=True, check_batched_grad=False)


def test_there_are_thirty_functions() -> None:
    assert len(CASES) >= 30


@pytest.mark.parametrize("name", ["products", "solve", "dict_argument", "two_results", "in_place_recurrence", "scalar"])
def test_transformations_of_torch_func(name: str) -> None:
    f, xs = _flat(name, wrap(CASES[name].f))
    xs = [x.detach() for x in xs]
    total = lambda *xs: sum(torch.sum(y ** 2) for y in f(*xs))
    numbers = tuple(range(len(xs)))
    gradient = torch.func.grad(total, numbers)(*xs)
    expected = torch.autograd.grad(total(*[x.requires_grad_() for x in xs]), xs)
    for a, b in zip(gradient, expected):
        torch.testing.assert_close(a, b)
    xs = [x.detach() for x in xs]
    value, dot = torch.func.jvp(total, tuple(xs), tuple(torch.ones_like(x) for x in xs))
    torch.testing.assert_close(dot, sum(torch.sum(g) for g in gradient))
    batch = [torch.stack([x, x + 0.1, x - 0.1]) for x in xs]
    rows = torch.func.vmap(torch.func.grad(total, numbers))(*batch)
    for k in range(3):
        for row, one in zip(rows, torch.func.grad(total, numbers)(*[b[k] for b in batch])):
            torch.testing.assert_close(row[k], one)
    torch.testing.assert_close(torch.func.jacrev(torch.func.jacrev(total))(*xs), torch.func.hessian(total)(*xs))


def test_gradient_of_a_batch_and_nested_batches() -> None:
    f = wrap(lambda x, y: np.outer(np.sin(x), y))
    x, y = torch.rand(5, 2, 3, dtype=D), torch.rand(3, 5, dtype=D)
    found = torch.func.vmap(torch.func.vmap(f, in_dims=(0, None)), in_dims=(0, 1), out_dims=1)(x, y)
    torch.testing.assert_close(found, torch.einsum("bni,jb->nbij", torch.sin(x), y))
    g = torch.func.grad(lambda x: torch.sum(torch.func.vmap(wrap(lambda x: np.sum(x ** 3)))(x)))(x[0])
    torch.testing.assert_close(g, 3 * x[0] ** 2)


# -- memory

def test_memory_is_shared_in_both_directions() -> None:
    address = wrap(lambda x: x.__array_interface__["data"][0])
    x = torch.ones(3)
    assert address(x).item() == x.data_ptr()
    made = []

    def f(x):
        made.append(np.cos(x))
        return made[-1]
    assert wrap(f)(x).data_ptr() == made[0].__array_interface__["data"][0]


@pytest.mark.parametrize("f", [lambda a, b: a, lambda a, b: (a, a), lambda a, b: a[1:], lambda a, b: np.broadcast_to(a, (2, 3)),
                               lambda a, b: a[::-1]])
def test_results_alias_nothing(f: Any) -> None:
    a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    found = _leaves(wrap(f)(a, b))
    for k, y in enumerate(found):
        with torch.no_grad():
            y.add_(10.0 * (k + 1))
    assert a.tolist() == [1.0] * 3 and all(torch.all(y == 1.0 + 10.0 * (k + 1)) for k, y in enumerate(found))


def test_gradients_alias_nothing() -> None:
    a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    g = torch.ones(3)
    wrap(lambda a, b: a + b)(a, b).backward(g)
    a.grad.add_(5.0)
    assert b.grad.tolist() == [1.0] * 3 and g.tolist() == [1.0] * 3


def test_arguments_are_not_written() -> None:
    def f(x):
        x[0] = 3.0
        return np.sum(x)
    for x in (torch.ones(3), torch.ones(3, requires_grad=True)):
        with pytest.raises(ValueError, match="read-only") as caught:
            wrap(f)(x)
        assert any("Hint" in note for note in caught.value.__notes__)
        assert x.tolist() == [1.0] * 3


def test_layouts() -> None:
    f = wrap(lambda x: np.sum(x ** 2))
    x = torch.arange(12.0, dtype=D).reshape(3, 4).requires_grad_()
    (g,) = torch.autograd.grad(f(x.T[::2]), x)
    (e,) = torch.autograd.grad(torch.sum(x.T[::2] ** 2), x)
    torch.testing.assert_close(g, e)
    x = torch.ones(3, dtype=D, requires_grad=True)
    assert torch.autograd.grad(f(x.expand(4, 3)), x)[0].tolist() == [8.0] * 3
    assert torch.autograd.grad(f(x[:0]), x)[0].tolist() == [0.0] * 3
    z = torch.tensor([1 + 2j, 3 - 1j])
    assert torch.equal(wrap(lambda z: 2 * z)(z.conj()), 2 * z.conj())


# -- dtypes and structures

@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_dtypes_are_kept(dtype: Any) -> None:
    x = torch.ones(3, dtype=dtype, requires_grad=True)
    y = wrap(lambda x: {"a": x * 2.0, "b": float(x[0]) ** 2, "n": np.arange(2), "k": 3, "s": "text", "none": None})(x)
    assert y["a"].dtype == y["b"].dtype == dtype
    assert y["n"].dtype == torch.int64 and not y["n"].requires_grad and y["k"].item() == 3 and y["s"] == "text" and y["none"] is None
    (y["a"].sum() + y["b"]).backward()
    assert x.grad.dtype == dtype and x.grad.tolist() == [4.0, 2.0, 2.0]


def test_complex_numbers() -> None:
    z = torch.randn(3, dtype=torch.complex128, requires_grad=True)
    x = torch.randn(3, dtype=D, requires_grad=True)
    for f in (lambda z, x: np.abs(z * x) ** 2, lambda z, x: z * x * np.conj(z), lambda z, x: np.exp(z) * x):
        g = wrap(f)
        assert torch.autograd.gradcheck(g, (z, x), check_forward_ad=True, check_batched_grad=False)
        assert torch.autograd.gradgradcheck(g, (z, x), check_batched_grad=False)


@dataclasses.dataclass
class Params:
    a: Any
    b: Any = 2.0


Pair = collections.namedtuple("Pair", "u v")


def test_structures_of_arguments_and_results() -> None:
    f = wrap(lambda p, q, *rest, c, kind: Params(p.a * q.u + sum(rest), [q.v + p.b, c if kind == "c" else 0.0]))
    a, u, r, c = (torch.ones(2, dtype=D, requires_grad=True) for _ in range(4))
    out = f(Params(a), Pair(u, torch.tensor(1)), r, r, c=c, kind="c")
    assert isinstance(out, Params) and out.b[0].item() == 3.0
    (out.a.sum() + out.b[1].sum()).backward()
    assert [t.grad.tolist() for t in (a, u, r, c)] == [[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [1.0, 1.0]]
    named = wrap(lambda p: p["layer.w"] * p["b"])(collections.OrderedDict([("layer.w", a), ("b", u)]))
    assert named.tolist() == [1.0, 1.0]


def test_the_order_of_a_dict_is_that_of_the_call() -> None:
    f = wrap(lambda p, **k: np.concatenate([*p.values(), *k.values()]))
    one, zero = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    assert f({"a": one, "b": zero}, c=one, d=zero).tolist() == [1.0, 0.0, 1.0, 0.0]
    assert f({"b": zero, "a": one}, d=zero, c=one).tolist() == [0.0, 1.0, 0.0, 1.0]


def test_integers_and_booleans_are_constants() -> None:
    x = torch.arange(3.0, requires_grad=True)
    index, mask = torch.tensor([0, 0, 2]), torch.tensor([True, False, True])
    y = wrap(lambda d, x: x[d["i"]] * d["m"])({"i": index, "m": mask}, x)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 1.0]
    assert wrap(lambda i: i + 1)(index).tolist() == [1, 1, 3]
    rows = torch.func.vmap(wrap(lambda i, x: x[i]), in_dims=(0, None))(index, x.detach())
    assert rows.tolist() == [0.0, 0.0, 2.0]


def test_only_the_required_gradients_are_computed() -> None:
    seen = []

    @tg.custom_vjp
    def costly(x):
        return x * 2.0

    def backward(x, g):
        seen.append(1)
        return (g * 2.0,)
    costly.defvjp(lambda x: (x * 2.0, x), backward)
    f = wrap(lambda a, b: np.sum(a) + np.sum(costly(b)))
    a, b = torch.ones(2, dtype=D, requires_grad=True), torch.ones(2, dtype=D)
    f(a, b).backward()
    assert a.grad.tolist() == [1.0, 1.0] and b.grad is None and not seen
    unused = torch.ones(2, requires_grad=True)
    wrap(lambda a, b: np.sum(a))(a, unused).backward()
    assert unused.grad.tolist() == [0.0, 0.0]


# -- the machinery of autograd

square = wrap(lambda x: np.sum(x ** 2))


def test_modes() -> None:
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        assert not square(x).requires_grad
    with torch.inference_mode():
        assert square(torch.ones(3)).item() == 3.0
    y = square(x)
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4.0] * 3
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_a_modified_argument_is_an_error() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    out = square(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_arrays_may_change_before_the_backward_pass() -> None:
    f = wrap(lambda x, k: np.sum(x * k))
    x, k = torch.ones(3, requires_grad=True), np.full(3, 2.0, np.float32)
    for options in ({}, {"create_graph": True}):
        k[:] = 2.0
        y = f(x, k)
        k[:] = 5.0
        assert torch.autograd.grad(y, x, **options)[0].tolist() == [2.0] * 3
    k[:] = 2.0
    _, pull = torch.func.vjp(lambda x: f(x, k), x.detach())
    k[:] = 5.0
    assert pull(torch.tensor(1.0))[0].tolist() == [2.0] * 3


def test_arguments_may_share_their_memory() -> None:
    x = torch.arange(4.0, dtype=D, requires_grad=True)
    f = wrap(lambda a, b: np.sum(a * b))
    assert torch.autograd.grad(f(x, x), x)[0].tolist() == [0.0, 2.0, 4.0, 6.0]
    assert torch.autograd.grad(f(x[1:], x[:-1]), x)[0].tolist() == [1.0, 2.0, 4.0, 2.0]
    assert torch.autograd.grad(f(x.detach(), x), x)[0].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_checkpointing_recomputes() -> None:
    from torch.utils.checkpoint import checkpoint
    calls = []

    def f(x):
        calls.append(1)
        return np.sum(np.asarray(x) ** 3)
    for reentrant in (True, False):
        x = torch.ones(3, requires_grad=True)
        checkpoint(lambda x: wrap(f)(x * 2), x, use_reentrant=reentrant).backward()
        assert x.grad.tolist() == [24.0] * 3
    with torch.autograd.graph.save_on_cpu():
        x = torch.ones(3, requires_grad=True)
        square(x).backward()
    assert x.grad.tolist() == [2.0] * 3


def test_the_function_runs_once_for_value_and_gradient() -> None:
    log = []

    def f(x):
        log.append(1)
        return np.sum(x ** 2)
    x = torch.ones(3, requires_grad=True)
    wrap(f)(x).backward()
    assert len(log) == 1


def test_forward_mode_and_mixed_modes() -> None:
    import torch.autograd.forward_ad as forward
    cube = wrap(lambda x: np.sum(x ** 3))
    x = torch.arange(3.0, dtype=D)
    with forward.dual_level():
        dual = forward.make_dual(x, torch.ones(3, dtype=D))
        assert forward.unpack_dual(cube(dual)).tangent.item() == 15.0
    _, hvp = torch.func.jvp(torch.func.grad(cube), (x,), (torch.ones(3, dtype=D),))
    assert hvp.tolist() == [0.0, 6.0, 12.0]
    assert torch.diagonal(torch.func.jacfwd(torch.func.jacfwd(cube))(x)).tolist() == [0.0, 6.0, 12.0]
    assert torch.diagonal(torch.autograd.functional.hessian(cube, x)).tolist() == [0.0, 6.0, 12.0]
    third = torch.func.jacrev(torch.func.hessian(cube))(x)
    assert [third[k, k, k].item() for k in range(3)] == [6.0] * 3


def test_compile_is_a_graph_break() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        g = torch.compile(lambda x: square(x * 2) + 1, backend="eager")
        x = torch.ones(3, requires_grad=True)
        g(x).backward()
    assert x.grad.tolist() == [8.0] * 3


# -- callables

def test_wrapped_functions_call_each_other() -> None:
    inner = wrap(lambda x: np.sin(x))
    outer = wrap(lambda x: np.sum(inner(x) ** 2))
    x = torch.arange(3.0, dtype=D, requires_grad=True)
    assert torch.autograd.gradcheck(outer, (x,), check_batched_grad=False)
    assert isinstance(inner(np.ones(2)), np.ndarray)
    assert torch.autograd.gradcheck(wrap(tg.grad(lambda x: np.sum(np.sin(x)))), (x,), check_batched_grad=False)
    assert torch.autograd.gradcheck(wrap(wrap(lambda x: x ** 2)), (x,), check_batched_grad=False)


class Scale:
    def __init__(self) -> None:
        self.k = np.arange(3.0)

    def __call__(self, x):
        return x * self.k

    @wrap
    def method(self, x):
        return x * self.k


def test_callables_of_all_kinds() -> None:
    def scaled(x, k):
        return x * k
    x = torch.ones(3, dtype=D, requires_grad=True)
    for f, expected in ((wrap(functools.partial(scaled, k=3.0)), [3.0] * 3), (wrap(Scale()), [0.0, 1.0, 2.0]),
                        (Scale().method, [0.0, 1.0, 2.0]), (lambda x: wrap(fallback="error")(scaled)(x, k=2.0), [2.0] * 3)):
        assert torch.autograd.grad(f(x).sum(), x)[0].tolist() == expected


@wrap
def module_level(x):
    return np.sum(x ** 2)


def _plain(x):
    return x * 2.0


def test_pickling() -> None:
    assert pickle.loads(pickle.dumps(module_level)) is module_level
    assert pickle.loads(pickle.dumps(wrap(_plain)))(torch.ones(2)).tolist() == [2.0, 2.0]


class Doubled(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, k):
        return wrap(_plain)(torch.full((2,), float(k)))


def test_workers_of_a_data_loader() -> None:
    rows = torch.cat(list(torch.utils.data.DataLoader(Doubled(), batch_size=2, num_workers=1)))
    assert rows[:, 0].tolist() == [0.0, 2.0, 4.0, 6.0]


def test_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def run(k: int) -> float:
        x = torch.full((3,), float(k), requires_grad=True)
        square(x).backward()
        return float(x.grad.sum())
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(8))) == [6.0 * k for k in range(8)]


# -- errors

def test_unsuitable_tensors_are_refused() -> None:
    for x, hint in ((torch.ones(2, dtype=torch.bfloat16), "float"), (torch.ones(2, device="meta"), "cpu"), (torch.ones(2).to_sparse(), "dense")):
        with pytest.raises(TypeError, match=hint):
            square(x)


def test_errors_name_the_line_of_the_user() -> None:
    def f(x):
        if x[0] > 0:
            raise KeyError("boo")
        return np.sum(x)
    import traceback
    for x in (torch.ones(3), torch.ones(3, requires_grad=True)):
        with pytest.raises(KeyError, match="boo") as caught:
            wrap(f)(x)
        shown = "".join(traceback.format_exception(caught.value))
        assert "test_torch.py" in shown and 'raise KeyError("boo")' in shown


def test_a_function_without_source_runs_on_the_tape() -> None:
    space: dict[str, Any] = {"np": np}
    exec("def f(x):\n    return np.sum(x ** 3)", space)
    x = torch.arange(3.0, dtype=D, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        wrap(space["f"])(x).backward()
    assert x.grad.tolist() == [0.0, 3.0, 12.0]


# -- a model

class Oscillator(torch.nn.Module):
    """A network that corrects the parameters of a physical model in NumPy."""

    def __init__(self) -> None:
        super().__init__()
        self.log_k = torch.nn.Parameter(torch.zeros((), dtype=D))
        self.shift = torch.nn.Linear(1, 1, dtype=D)

    def forward(self, start):
        return simulate(start, torch.exp(self.log_k)) + self.shift(start[:, None])[:, 0]


@wrap
def simulate(start, k):
    x, v = start, np.zeros_like(start)
    for _ in range(10):
        v = v - 0.1 * k * np.sin(x)
        x = x + 0.1 * v
    return x


def test_a_module_with_a_physical_model_is_trained() -> None:
    torch.manual_seed(0)
    start = torch.linspace(0.1, 1.5, 8, dtype=D)
    with torch.no_grad():
        target = simulate(start, torch.tensor(2.0, dtype=D))
    model = Oscillator()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(150):
        optimizer.zero_grad()
        loss = torch.mean((model(start) - target) ** 2)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 1e-3 * losses[0]


def test_tracing_without_values_is_refused() -> None:
    x = torch.randn(3, dtype=torch.float64)
    wrapped = wrap(lambda x: np.sum(np.sin(x) ** 3))
    with pytest.raises(RuntimeError, match="make_fx.*Hint: use torch.func.jvp"):
        torch.func.linearize(wrapped, x)
    torch.testing.assert_close(torch.func.jvp(wrapped, (x,), (x,))[1], torch.func.jvp(lambda x: (torch.sin(x) ** 3).sum(), (x,), (x,))[1])


def test_advect_computes_the_same_gradients() -> None:
    advect = pytest.importorskip("advect.interop.torch")
    import advect.numpy as anp
    x = torch.tensor([0.3, 1.2], dtype=D, requires_grad=True)
    theirs = torch.autograd.grad(advect.wrap(lambda x: anp.sum(anp.sin(x) ** 2))(x), x)[0]
    ours = torch.autograd.grad(wrap(lambda x: np.sum(np.sin(x) ** 2))(x), x)[0]
    torch.testing.assert_close(ours, theirs)


def test_transformations_around_a_backward_pass() -> None:
    """`torch.autograd.grad` without a graph, on batches of cotangents and inside forward mode."""
    import torch.autograd.forward_ad as forward
    cube = wrap(lambda x: x ** 3)
    x = torch.arange(1.0, 4.0, dtype=D, requires_grad=True)
    y = cube(x)
    rows = torch.func.vmap(lambda g: torch.autograd.grad(y, x, g, retain_graph=True)[0])(torch.eye(3, dtype=D))
    torch.testing.assert_close(rows, torch.diag(3 * x.detach() ** 2))
    with forward.dual_level():
        dual = forward.make_dual(x, torch.ones(3, dtype=D))
        (g,) = torch.autograd.grad(torch.sum(cube(dual)), dual)
        torch.testing.assert_close(forward.unpack_dual(g).tangent, 6 * x.detach())
