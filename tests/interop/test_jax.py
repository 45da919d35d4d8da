"""`transgrad.interop.jax` against JAX: transformations in any nesting, shapes, dtypes and odd uses."""
from __future__ import annotations

import dataclasses
import functools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests.interop.functions import CASES

jax = pytest.importorskip("jax")
jnp = jax.numpy
wrap = tg.interop.jax.wrap


@pytest.fixture(autouse=True)
def _doubles() -> Any:
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield


def _total(f: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of squares of all results."""
    return lambda *args: sum(jnp.sum(y ** 2) for y in jax.tree.leaves(f(*args)))


def _pair(name: str) -> tuple[Callable[..., Any], Callable[..., Any], Any]:
    """The wrapped function, the same in JAX, and arguments."""
    case = CASES[name]
    return wrap(case.f), case.on(jnp), jax.tree.map(jnp.asarray, case.args)


def _equal(a: Any, b: Any) -> None:
    assert jax.tree.structure(a) == jax.tree.structure(b)
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b)):
        assert x.shape == y.shape and x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", CASES)
def test_jit_grad_vmap_and_jvp(name: str) -> None:
    f, g, args = _pair(name)
    numbers = tuple(range(len(args)))
    ones = jax.tree.map(jnp.ones_like, args)
    batch = jax.tree.map(lambda x: jnp.stack([x, 1.1 * x]), args)

    @jax.jit
    def expected():
        return g(*args), jax.grad(_total(g), numbers)(*args), jax.jvp(g, args, ones), jax.vmap(jax.grad(_total(g), numbers))(*batch)
    value, gradient, along, rows = expected()
    _equal(f(*args), value)
    _equal(jax.jit(jax.grad(_total(f), numbers))(*args), gradient)
    _equal(jax.jvp(f, args, ones), along)
    _equal(jax.jit(jax.vmap(jax.grad(_total(f), numbers)))(*batch), rows)


NESTED: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "hessian": lambda f: jax.hessian(_total(f)),
    "jit of hessian": lambda f: jax.jit(jax.hessian(_total(f))),
    "reverse over reverse": lambda f: jax.jacrev(jax.jacrev(_total(f))),
    "forward over forward": lambda f: jax.jacfwd(jax.jacfwd(_total(f))),
    "reverse over forward": lambda f: jax.jacrev(jax.jacfwd(_total(f))),
    "third order": lambda f: jax.jacfwd(jax.hessian(_total(f))),
    "grad of vmap": lambda f: lambda *args: jax.grad(lambda *a: jnp.sum(jax.vmap(_total(f))(*jax.tree.map(lambda x: jnp.stack([x, 2 * x]), a))))(*args),
    "grad of jit": lambda f: jax.grad(jax.jit(_total(f))),
    "linearize": lambda f: lambda *args: jax.linearize(f, *args)[1](*args),
    "batched linear": lambda f: lambda *args: jax.vmap(jax.linearize(f, *args)[1])(*jax.tree.map(lambda x: jnp.stack([x, 2 * x]), args)),
    "transpose": lambda f: lambda *args: jax.linear_transpose(jax.linearize(_total(f), *args)[1], *args)(jnp.ones(())),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(_total(f))),
    "scan": lambda f: jax.jit(jax.grad(lambda *args: jax.lax.scan(
        lambda c, _: (c + 0.1 * _total(f)(*jax.tree.map(lambda x: x * (1 + 0.01 * c), args)), None), 0.0, None, length=3)[0])),
    "map": lambda f: lambda *args: jax.lax.map(lambda a: _total(f)(*a), jax.tree.map(lambda x: jnp.stack([x, 2 * x]), args)),
}


@pytest.mark.parametrize("nesting", NESTED)
@pytest.mark.parametrize("name", ["products", "solve"])
def test_nestings(name: str, nesting: str) -> None:
    f, g, args = _pair(name)
    _equal(NESTED[nesting](f)(*args), jax.jit(NESTED[nesting](g))(*args))


def test_transposing_a_batched_linear_function_and_transposing_twice() -> None:
    f, g, args = _pair("products")

    def both(h):
        linear = jax.linearize(h, *args)[1]
        batch = [jnp.stack([a, 2 * a]) for a in args]
        once = jax.linear_transpose(jax.vmap(linear), *batch)(jnp.ones((2, 4)))
        return once, jax.linear_transpose(lambda ct: jax.linear_transpose(linear, *args)(ct), jnp.ones(4))(args)
    _equal(both(f), both(g))


def test_complex_numbers() -> None:
    z = jnp.array([1 + 2j, 0.5 - 1j])
    w = jnp.array([0.3 + 0.1j, -1.0 + 2j])
    for f in (lambda n: lambda z, w: n.sum(n.abs(z * w) ** 2), lambda n: lambda z, w: n.real(n.sum(n.exp(z) * n.conj(w)))):
        a, b = wrap(f(np)), f(jnp)
        _equal(jax.grad(a, (0, 1))(z, w), jax.grad(b, (0, 1))(z, w))
        _equal(jax.jvp(a, (z, w), (w, z)), jax.jvp(b, (z, w), (w, z)))
    holomorphic = wrap(lambda z: z ** 3)
    _equal(jax.jit(jax.vmap(jax.grad(holomorphic, holomorphic=True)))(z), 3 * z ** 2)
    _equal(jax.vjp(holomorphic, z)[1](w)[0], 3 * z ** 2 * w)


# -- dtypes, shapes, structures

def test_without_double_precision() -> None:
    with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.disable_x64():
        x = jnp.arange(3.0)
        f = wrap(lambda x: {"a": x * np.linspace(0.0, 1.0, 3), "b": float(x[1]) ** 2, "n": np.argmax(x), "c": np.sum(x)})
        for run in (f, jax.jit(f)):
            y = run(x)
            assert y["a"].dtype == y["b"].dtype == y["c"].dtype == jnp.float32 and y["n"].dtype == jnp.int32
        g = jax.jit(jax.grad(lambda x: jnp.sum(f(x)["a"]) + f(x)["b"]))(x)
        assert g.dtype == jnp.float32 and g.tolist() == [0.0, 2.5, 1.0]


def test_shapes_come_from_the_compiler() -> None:
    calls = []

    def f(x, w, n):
        calls.append(1)
        return {"outer": np.outer(x, w[1:]), "sum": np.sum(x), "stack": np.stack([x, x]), "n": n}
    types = jax.eval_shape(lambda x, w: wrap(f)(x, w, 3), jnp.ones(2), jnp.ones(4))
    assert not calls
    assert types["outer"].shape == (2, 3) and types["sum"].shape == () and types["stack"].shape == (2, 2) and types["n"].shape == ()


def test_shapes_that_depend_on_values() -> None:
    def f(x, n):
        return np.concatenate([x, np.zeros(n)])
    run = jax.jit(lambda x: wrap(f)(x, 2))
    assert run(jnp.ones(3)).tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]

    def positive(x):
        return x[x > 0.5]
    with pytest.raises(Exception, match="inferred"):
        jax.block_until_ready(jax.jit(wrap(positive))(jnp.array([1.0, 2.0, 0.1])))
    declared = wrap(positive, result=lambda x: jax.ShapeDtypeStruct((2,), x.dtype))
    assert jax.jit(declared)(jnp.array([1.0, 2.0, 0.1])).tolist() == [1.0, 2.0]


@functools.partial(jax.tree_util.register_dataclass, data_fields=["a", "b"], meta_fields=[])       # JAX before 0.4.36 asks for them
@dataclasses.dataclass
class Params:
    a: Any
    b: Any


def test_structures_and_constants() -> None:
    f = wrap(lambda p, q, *rest, c, kind: Params(p.a * q["u"] + sum(rest), [p.b, c if kind == "c" else 0.0, kind, None]))
    x = jnp.arange(1.0, 3.0)
    out = f(Params(x, 2), {"u": x}, x, np.ones(2), c=x, kind="c")
    assert out.a.tolist() == [3.0, 7.0] and out.b[2:] == ["c", None] and out.b[1].tolist() == [1.0, 2.0]
    g = jax.grad(lambda p: jnp.sum(f(p, {"u": x}, c=x, kind="c").a))(Params(x, x))
    assert g.a.tolist() == [1.0, 2.0] and g.b.tolist() == [0.0, 0.0]


def test_structures_and_constants_that_compare_equal_are_different() -> None:
    f = wrap(lambda p: np.concatenate(list(p.values())))
    one, zero = jnp.ones(1), jnp.zeros(1)
    assert f({"a": one, "b": zero}).tolist() == [1.0, 0.0] and f({"b": zero, "a": one}).tolist() == [0.0, 1.0]
    g = wrap(lambda x, c: np.copysign(x, c) if isinstance(c, float) else x * 3.0)
    assert [g(one, c).item() for c in (0.0, -0.0, 0, False)] == [1.0, -1.0, 3.0, 3.0]


def test_integers_are_constants() -> None:
    f = wrap(lambda x, i: x[i])
    x, i = jnp.arange(3.0), jnp.array([0, 0, 2])
    assert jax.jit(jax.grad(lambda x: jnp.sum(f(x, i))))(x).tolist() == [2.0, 0.0, 1.0]
    assert jax.vmap(f, in_axes=(None, 0))(x, i).tolist() == [0.0, 0.0, 2.0]
    assert jax.grad(f, argnums=0)(x, 1).tolist() == [0.0, 1.0, 0.0]


def test_equal_constants_are_compiled_once() -> None:
    traced = []
    f = wrap(lambda x, n: x * n)

    @jax.jit
    def run(x):
        traced.append(1)
        return f(x, 2)
    run(jnp.ones(2))
    run(jnp.ones(2) * 3)
    assert len(traced) == 1
    before = len(f.operations)
    for _ in range(3):
        f(jnp.ones(2), 2)
    assert len(f.operations) == before


# -- odd uses

def test_results_and_arguments_share_no_memory() -> None:
    table = np.ones(64)
    y = wrap(lambda x: table)(jnp.ones(2))
    table[:] = 5.0
    assert float(y[0]) == 1.0
    x = jnp.ones(64)
    y = wrap(lambda x: x)(x)
    assert y.unsafe_buffer_pointer() != x.unsafe_buffer_pointer()


def test_constant_arrays_may_change_before_the_pullback_runs() -> None:
    k = np.full(3, 2.0)
    _, pull = jax.vjp(lambda x: wrap(lambda x, k: x * k)(x, k), jnp.ones(3))
    k[:] = 5.0
    assert pull(jnp.ones(3))[0].tolist() == [2.0] * 3


def test_arguments_are_not_written() -> None:
    def f(x):
        x[0] = 3.0
        return np.sum(x)
    for run in (wrap(f), jax.jit(wrap(f))):
        with pytest.raises(Exception, match="read-only"):
            jax.block_until_ready(run(jnp.ones(3)))


def test_errors_name_the_line_of_the_user() -> None:
    def f(x):
        if x[0] > 0:
            raise KeyError("boo")
        return np.sum(x)
    with pytest.raises(KeyError, match="boo"):
        wrap(f)(jnp.ones(3))
    with pytest.raises(Exception, match="boo"):
        jax.block_until_ready(jax.jit(wrap(f))(jnp.ones(3)))
    for x in (jnp.ones(3, jnp.bfloat16), jax.random.key(0)):
        with pytest.raises(TypeError, match="NumPy does not have.*Hint"):
            wrap(np.sum)(x)


def test_callables_and_pickling() -> None:
    x = jnp.arange(3.0)
    inner = wrap(lambda x: np.sin(x))
    outer = wrap(lambda x: np.sum(inner(x) ** 2))
    _equal(jax.grad(outer)(x), 2 * jnp.sin(x) * jnp.cos(x))
    _equal(wrap(tg.grad(lambda x: np.sum(x ** 2)))(x), 2 * x)
    assert pickle.loads(pickle.dumps(wrap(_double)))(x).tolist() == [0.0, 2.0, 4.0]
    assert jax.jit(wrap(_double))(np.arange(2.0)).tolist() == [0.0, 2.0]
    assert wrap(_double)(3.0).item() == 6.0


def _double(x):
    return x * 2.0


def test_numbers_control_flow_and_custom_rules() -> None:
    f = wrap(lambda x, n=2: np.sum(x ** n))
    x = jnp.arange(1.0, 4.0)
    assert jax.grad(f)(2.0).item() == 4.0 and jax.jit(f)(2.0).item() == 4.0
    assert jax.jit(f, static_argnums=1)(x, 3).item() == jax.jit(f)(x, 3).item() == 36.0
    _equal(jax.jit(jax.grad(lambda x: jax.lax.cond(x[0] > 0, f, lambda x: 0.0, x)))(x), 2 * x)
    _equal(jax.jit(lambda x: jax.lax.while_loop(lambda c: f(c) < 100, lambda c: c * 2.0, x))(x), 4 * x)
    loop = lambda x: jax.lax.fori_loop(0, 3, lambda i, c: c + 0.01 * f(c) * c, x).sum()
    twin = lambda x: jax.lax.fori_loop(0, 3, lambda i, c: c + 0.01 * jnp.sum(c ** 2) * c, x).sum()
    _equal(jax.grad(loop)(x), jax.grad(twin)(x))
    _equal(jax.value_and_grad(wrap(lambda x: (np.sum(x ** 2), {"k": 2 * x})), has_aux=True)(x), ((jnp.sum(x ** 2), {"k": 2 * x}), 2 * x))
    assert jax.vmap(wrap(lambda a, b: np.outer(a, b)), in_axes=(None, 1), out_axes=2)(x, jnp.ones((3, 5))).shape == (3, 3, 5)
    assert jnp.vectorize(wrap(lambda a, b: a @ b), signature="(n),(n)->()")(jnp.ones((4, 3)), x).tolist() == [6.0] * 4

    @jax.custom_vjp
    def custom(x):
        return f(x)
    custom.defvjp(lambda x: (f(x), x), lambda x, g: (g * jax.grad(f)(x),))
    _equal(jax.grad(custom)(x), 2 * x)
    with jax.disable_jit():
        _equal(jax.jit(jax.grad(f))(x), 2 * x)
    _equal(jax.scipy.sparse.linalg.cg(wrap(lambda v: 2.0 * v), x)[0], x / 2)


def test_empty_batches_and_arrays() -> None:
    f = wrap(lambda x: np.sum(x ** 2))
    assert jax.vmap(jax.grad(f))(jnp.zeros((0, 3))).shape == (0, 3)
    assert jax.grad(f)(jnp.zeros(0)).shape == (0,)


def test_an_optimizer_under_jit() -> None:
    @wrap
    def simulate(x, k):
        for _ in range(5):
            x = x - 0.1 * k * np.sin(x)
        return x
    start = jnp.linspace(0.1, 1.0, 4)
    target = simulate(start, jnp.array(2.0))

    @jax.jit
    def step(k):
        loss = lambda k: jnp.sum((simulate(start, k) - target) ** 2)
        return k - jax.grad(loss)(k) / jax.hessian(loss)(k)
    k = jnp.array(1.5)
    for _ in range(6):
        k = step(k)
    np.testing.assert_allclose(k, 2.0, rtol=1e-6)


def test_advect_computes_the_same_gradients() -> None:
    advect = pytest.importorskip("advect.interop.jax")
    import advect.numpy as anp
    x = jnp.array([0.3, 1.2])
    _equal(jax.grad(wrap(lambda x: np.sum(np.sin(x) ** 2)))(x), jax.grad(advect.wrap(lambda x: anp.sum(anp.sin(x) ** 2)))(x))
