"""Functions that the compiler never reads, with derivatives of the user: `tg.primitive` in programs as people write them."""
from __future__ import annotations

import array
import gc
import math
import pickle
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([1.0, 2.0, 0.5])


def opaque(function: Any) -> Any:
    """A function that cannot be traced: it refuses everything but numbers and plain arrays."""
    def checked(*args: Any, **kwargs: Any) -> Any:
        for a in (*args, *kwargs.values()):
            assert isinstance(a, (bool, int, float, complex, str, np.generic, tuple, list, dict, Pair, Model, type(None))) or type(a) is np.ndarray
        return function(*args, **kwargs)
    return checked


@dataclass
class Pair:
    w: Any
    k: Any


class Model:
    """A primitive as a method."""

    factor = 3.0

    @tg.primitive(vjp=lambda g, y, self, x: 2.0 * self.factor * x * g, result=lambda self, x: x, nondiff_argnums=(0,))
    def scaled(self, x: Any) -> Any:
        return self.factor * x * x


def _scale(x: Any, k: Any = 2.0, *, flip: bool = False) -> Any:
    return (x[::-1] if flip else x) * k


def _scale_vjp(g: Any, y: Any, x: Any, k: Any, flip: bool) -> Any:
    return (g[::-1] if flip else g) * k, np.sum(g * (x[::-1] if flip else x))


cbrt = tg.primitive(opaque(np.cbrt), vjp=lambda g, y, x: g / (3.0 * y * y), result=lambda x: x)
cumsum = tg.primitive(opaque(np.cumsum), vjp=lambda g, y, x: np.cumsum(g[::-1])[::-1], result=lambda x: x)
scale = tg.primitive(_scale, vjp=_scale_vjp, result=lambda x, k, flip: x)
exp = tg.primitive(opaque(np.exp), vjp=lambda g, y, x: g * y, result=lambda x: tg.ShapeDtypeStruct(x.shape, x.dtype))
same = tg.primitive(opaque(lambda x: x), vjp=lambda g, y, x: g, result=lambda x: x)
by_jvp = tg.primitive(opaque(np.tanh), jvp=lambda t, y, x: (1.0 - y * y) * t[0], result=lambda x: x)
by_both = tg.primitive(opaque(np.sinh), vjp=lambda g, y, x: g * np.cosh(x), jvp=lambda t, y, x: t[0] * np.cosh(x), result=lambda x: x)
two = tg.primitive(lambda a, b: (a * b, np.sum(a)), vjp=lambda g, y, a, b: (g[0] * b + g[1], g[0] * a), result=lambda a, b: (a, np.float64))
record = tg.primitive(lambda p: {"w": p.w * p.k, "n": (len(p.w), p.k ** 2)}, result=lambda p: {"w": p.w, "n": (int, float)},
                      vjp=lambda g, y, p: Pair(g["w"] * p.k, np.sum(g["w"] * p.w) + 2.0 * p.k * g["n"][1]))
entries = tg.primitive(lambda xs: [xs[0] * xs[1], xs[1]], vjp=lambda g, y, xs: ([g[0] * xs[1], g[0] * xs[0] + g[1]],), result=lambda xs: list(xs))
total = tg.primitive(lambda xs: float(sum(xs)), vjp=lambda g, y, xs: ([g] * len(xs),), result=float)
greedy = tg.primitive(lambda x: 2.0 * x, vjp=lambda g, y, x: np.multiply(g, 2.0, out=g), result=lambda x: x)


def in_a_loop(x: Any) -> Any:
    s = 0.0
    for v in x:
        s = s + cbrt(v) * v
    return s


def in_a_comprehension(x: Any) -> Any:
    return sum([cbrt(float(v)) ** 2 for v in x])


def result_written_to(x: Any) -> Any:
    y = cumsum(x)
    y[1] = 0.0
    y += x
    return np.sum(y ** 2)


def argument_overwritten_later(x: Any) -> Any:
    y = x.copy()
    z = cumsum(y)
    y[0] = 5.0
    return np.sum(exp(z * 0.1) * y)


def in_a_branch(x: Any) -> Any:
    y = cumsum(x) if x[0] > 0.5 else scale(x)
    return np.sum(y ** 3)


def helper(v: Any) -> Any:
    return scale(v, k=v[0], flip=True)


def in_a_helper_by_keyword(x: Any) -> Any:
    return np.sum(helper(x) ** 2)


def with_defaults(x: Any) -> Any:
    return np.sum(scale(x) ** 2)


def many_times(x: Any) -> Any:
    for _ in range(4):
        x = cumsum(x) * 0.5
    return np.sum(exp(x * 0.1))


def while_it_is_small(x: Any) -> Any:
    n = 0
    while np.sum(x) < 50.0 and n < 10:
        x = cumsum(x)
        n += 1
    return np.sum(x)


def nested(x: Any) -> Any:
    return np.sum(exp(exp(x) * 0.1))


def the_argument_itself(x: Any) -> Any:
    y, z = same(x), same(x)
    y[0] = 3.0 * y[1]
    return np.sum(y * z) + np.sum(x)


def several_results(x: Any) -> Any:
    u, v = two(x, x[::-1])
    return np.sum(u) * v


def one_of_several_results(x: Any) -> Any:
    u, _ = two(x, 2.0 * x)
    return np.sum(u * u)


def structures(x: Any) -> Any:
    out = record(Pair(x, x[0] * 2.0))
    return np.sum(out["w"] ** 2) * out["n"][0] + out["n"][1]


def lists(x: Any) -> Any:
    a, b = entries([x[0], x[1] * x[2]])
    return a * b


def lists_of_any_length(x: Any) -> Any:
    return total([v * v for v in x]) ** 2


def in_containers(x: Any) -> Any:
    d = {"a": cumsum(x), "l": [scale(x), x]}
    return np.sum(d["a"] * d["l"][0])


def in_a_try(x: Any) -> Any:
    try:
        y = cumsum(x)
    except ValueError:
        y = x
    return np.sum(y ** 2)


def as_a_method(x: Any, model: Any = Model()) -> Any:
    return np.sum(model.scaled(x) * x)


def forward_only(x: Any) -> Any:
    return np.sum(by_jvp(x) * x)


def both_modes(x: Any) -> Any:
    return np.sum(by_both(x) ** 2)


def uses_its_cotangent_up(x: Any) -> Any:
    y = greedy(x)
    return np.sum(y * x) + np.sum(y)


PROGRAMS = [in_a_loop, in_a_comprehension, result_written_to, argument_overwritten_later, in_a_branch, in_a_helper_by_keyword, with_defaults,
            many_times, while_it_is_small, nested, the_argument_itself, several_results, one_of_several_results, structures, lists,
            lists_of_any_length, in_containers, in_a_try, as_a_method, forward_only, both_modes]


def differences(f: Any, x: Any) -> Any:
    """The derivative of a scalar or array function by central differences."""
    columns = []
    for i in range(x.size):
        d = np.zeros_like(x)
        d[i] = 1e-6
        columns.append((np.asarray(f(x + d)) - np.asarray(f(x - d))) / 2e-6)
    return np.stack(columns, axis=-1)


def strict(make: Any, f: Any, *args: Any, **kwargs: Any) -> Any:
    return make(f, fallback="error", **kwargs)(*args)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_first_and_second_derivatives_against_differences(f: Any) -> None:
    want, x, v = differences(f, X), X.copy(), np.array([0.3, -0.2, 1.0])
    np.testing.assert_allclose(strict(tg.grad, f, x), want, rtol=1e-6)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(tg.jvp(f, (x,), (v,), fallback="error")[1], want @ v, rtol=1e-6)
    np.testing.assert_allclose(tg.linearize(f, x, fallback="error")[1](v), want @ v, rtol=1e-6)
    np.testing.assert_allclose(strict(tg.hessian, f, x), differences(tg.grad(f), X), rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
@pytest.mark.parametrize("f", [*PROGRAMS, uses_its_cotangent_up], ids=lambda f: f.__name__)
def test_batches_checkpoints_and_the_tape(f: Any) -> None:
    xs = np.stack([X, 1.1 * X])
    want = np.stack([strict(tg.grad, f, x) for x in xs])
    np.testing.assert_allclose(strict(tg.vmap, tg.grad(f), xs), want)
    np.testing.assert_allclose(strict(tg.grad, lambda xs: np.sum(tg.vmap(f)(xs)), xs), want)
    np.testing.assert_allclose(strict(tg.grad, tg.checkpoint(f), X), want[0])
    if f is not forward_only:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tg.TapeFallbackWarning)
            np.testing.assert_allclose(tg.grad(lambda x: (eval("1"), f(x))[1])(X), want[0])


def test_the_source_calls_both_functions() -> None:
    def solve_vjp(g: Any, y: Any, b: Any) -> Any:
        return 2.0 * g
    solve = tg.primitive(lambda b: 2.0 * b, vjp=solve_vjp, result=lambda b: b)
    gradient = tg.grad(lambda b: np.sum(solve(b)), fallback="error")
    np.testing.assert_array_equal(gradient(X), [2.0, 2.0, 2.0])
    assert "solve(b)" in gradient.source and "solve_vjp(" in gradient.source


def test_classes_dtypes_and_complex_numbers() -> None:
    square = tg.primitive(opaque(lambda x: x * x), vjp=lambda g, y, x: 2.0 * x * g, result=lambda x: x)
    single = strict(tg.grad, lambda x: np.sum(square(x)), X.astype(np.float32))
    assert single.dtype == np.float32
    number = strict(tg.grad, lambda x: square(x) * x, 2.0)
    assert type(number) is float and number == 12.0
    z = X * (1.0 + 2.0j)
    np.testing.assert_allclose(strict(tg.grad, lambda z: np.sum(np.abs(square(z)) ** 2), z), strict(tg.grad, lambda z: np.sum(np.abs(z * z) ** 2), z))
    np.testing.assert_allclose(tg.jacobian(lambda x: square(x), fallback="error")(X), np.diag(2.0 * X))


def test_integers_are_passed_through() -> None:
    def check(g: Any, y: Any, x: Any, n: Any) -> Any:
        assert type(n) is int and g[1] is None
        return g[0] * n, None
    times = tg.primitive(lambda x, n: (x * n, n), vjp=check, result=lambda x, n: (x, int))
    np.testing.assert_array_equal(strict(tg.grad, lambda x, n: np.sum(times(x, n)[0]) * times(x, n)[1], X, 3), [9.0, 9.0, 9.0])


@pytest.mark.parametrize("make, wrong, said", [
    (lambda x: x.astype(np.float32), None, "float32 array of shape"),
    (lambda x: x[:2], None, "3 was declared in place of 2"),
    (lambda x: np.stack([x, x]), None, "shape (2, 3), but a float64 array with 1 dimension"),
    (lambda x: (x, x), None, "but a float64 array"),
    (lambda x: x, lambda g, y, x: g[:2], "has the shape (2,), not (3,)"),
    (lambda x: x, lambda g, y, x: 1j * g, "complex, and the argument is real"),
    (lambda x: x, lambda g, y, x: (g, g), "a tuple of 1"),
    (lambda x: x, lambda g, y, x: "g", "expected a float64 array"),
])
def test_what_is_returned_is_checked(make: Any, wrong: Any, said: str) -> None:
    bad = tg.primitive(make, vjp=wrong or (lambda g, y, x: g), result=lambda x: x)
    with pytest.raises((TypeError, ValueError)) as caught:
        strict(tg.grad, lambda x: np.sum(bad(x)), X)
    assert said in str(caught.value)


def test_a_function_that_writes_to_its_argument_is_an_error() -> None:
    def clear(x: Any) -> Any:
        x[0] = 0.0
        return x.copy()
    bad = tg.primitive(clear, vjp=lambda g, y, x: g, result=lambda x: x)
    with pytest.raises(ValueError, match="writes to an argument"):
        strict(tg.grad, lambda x: np.sum(bad(x * 2.0)), X)


def test_buffers_that_the_function_keeps_are_copied() -> None:
    buffer = np.zeros(3)

    def into_buffer(x: Any) -> Any:
        np.multiply(x, 2.0, out=buffer)
        return buffer
    double = tg.primitive(into_buffer, vjp=lambda g, y, x: 2.0 * g, result=lambda x: x)

    def f(x: Any) -> Any:
        a = double(x)
        b = double(a)
        return np.sum(a * b)
    assert f(X) == strict(tg.value_and_grad, f, X)[0] == np.sum(8.0 * X * X)
    np.testing.assert_allclose(strict(tg.grad, f, X), 16.0 * X)


def test_exported_modules_import_primitives(tmp_path: Any, monkeypatch: Any) -> None:
    derivative = tg.grad(nested)
    want = derivative(X)
    with pytest.raises(tg.TransgradError, match=r"exp is a tg.primitive, which .* has to import it and transgrad\nHint: export with "):
        derivative.export(tmp_path / "module.py")
    exported: dict[str, Any] = {}
    exec(derivative.export(tmp_path / "module.py", standalone=False).read_text(), exported)
    np.testing.assert_array_equal(exported["grad_nested"](X), want)
    monkeypatch.setattr(exp, "linear", True)
    with pytest.raises(Exception, match="declared differently"):
        exec((tmp_path / "module.py").read_text(), {})
    local = tg.primitive(opaque(np.exp), vjp=lambda g, y, x: g * y, result=lambda x: x)
    derivative = tg.grad(lambda x: np.sum(local(x)))
    derivative(X)
    with pytest.raises(tg.TransgradError, match="is a tg.primitive that an exported module cannot import"):
        derivative.export(tmp_path / "module.py", standalone=False)


def test_numba_refuses_by_name() -> None:
    pytest.importorskip("numba")
    with pytest.raises(tg.UnsupportedByNumba, match="exp is a primitive"):
        strict(tg.grad, nested, X, backend="numba")


def test_pullbacks_that_call_primitives_can_be_pickled() -> None:
    for f in (nested, several_results, as_a_method, structures):
        y, pullback = tg.vjp(f, X)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(pullback))(1.0)[0], pullback(1.0)[0])
    assert pickle.loads(pickle.dumps(exp)) is exp


def test_refusals_say_what_to_do() -> None:
    plain = tg.primitive(lambda x: 2.0 * x, result=lambda x: x)
    with pytest.raises(tg.UnsupportedCall, match="neither vjp nor jvp is defined"):
        strict(tg.grad, lambda x: np.sum(plain(x)), X)
    fixed = tg.primitive(lambda a, x: a * x, vjp=lambda g, y, a, x: g * a, result=lambda a, x: x, nondiff_argnums=(0,))
    np.testing.assert_array_equal(strict(tg.grad, lambda x: np.sum(fixed(2.0, x)), X), [2.0, 2.0, 2.0])
    with pytest.raises(tg.UnsupportedCall, match="declared as not differentiated depends on a differentiated value"):
        strict(tg.grad, lambda x: np.sum(fixed(x[0], x)), X)
    number = tg.primitive(math.exp, vjp=lambda g, y, x: eval("g * y"), result=float)
    assert strict(tg.grad, lambda x: number(x), 0.0) == 1.0
    with pytest.raises(tg.UnsupportedCall, match="the vjp of number has to be differentiated, and cannot be compiled"):
        strict(tg.hessian, lambda x: number(x), 0.0)
    for wrong in ({"vjp": 3}, {"result": float, "example": (1.0,)}, {"example": 1.0}):
        with pytest.raises(TypeError):
            tg.primitive(math.exp, **wrong)
    with pytest.raises(ValueError, match="which has 1 arguments"):
        tg.primitive(lambda x: x, nondiff_argnums=(1,))


def test_without_a_declaration_the_function_runs_on_the_tape() -> None:
    unknown = tg.primitive(lambda x: 2.0 * x, vjp=lambda g, y, x: 2.0 * g)
    with pytest.warns(tg.TapeFallbackWarning, match="the result type of unknown is not known"):
        np.testing.assert_array_equal(tg.grad(lambda x: np.sum(unknown(x) * x))(X), 4.0 * X)
    shown = tg.primitive(lambda x: 2.0 * x, vjp=lambda g, y, x: 2.0 * g, example=(np.ones(5),))
    np.testing.assert_array_equal(strict(tg.grad, lambda x: np.sum(shown(x) * x), X), 4.0 * X)


def test_tensors_record_one_node() -> None:
    x = tg.tensor(X, requires_grad=True)
    y = record(Pair(x, 2.0))
    assert y["n"][0] == 3
    g, = tg.autograd.grad(y["w"].sum(), x)
    np.testing.assert_array_equal(g.numpy(), [2.0, 2.0, 2.0])
    g, = tg.autograd.grad(exp(x).sum(), x, create_graph=True)
    np.testing.assert_allclose(tg.autograd.grad(g.sum(), x)[0].numpy(), np.exp(X))
    blind = tg.primitive(lambda x: x ** 3, vjp=lambda g, y, x: g * 3.0 * np.array(array.array("d", x)) ** 2)
    g, = tg.autograd.grad(blind(x).sum(), x, create_graph=True)
    np.testing.assert_allclose(g.detach().numpy(), 3.0 * X ** 2)
    with pytest.raises(NotImplementedError, match="cannot be differentiated on the tape"):
        tg.autograd.grad(g.sum(), x)


def test_exceptions_and_nan_reach_the_user() -> None:
    broken = tg.primitive(lambda x: 1 / 0, vjp=lambda g, y, x: g, result=lambda x: x)
    with pytest.raises(ZeroDivisionError):
        strict(tg.grad, lambda x: np.sum(broken(x)), X)
    nan = tg.primitive(lambda x: x * np.nan, vjp=lambda g, y, x: g * np.nan, result=lambda x: x)
    assert np.isnan(strict(tg.grad, lambda x: np.sum(nan(x)), X)).all()


def test_state_outside_is_read_at_each_call() -> None:
    state = {"factor": 2.0}
    scaled = tg.primitive(lambda x: state["factor"] * x, vjp=lambda g, y, x: state["factor"] * g, result=lambda x: x)
    gradient = tg.grad(lambda x: np.sum(scaled(x)), fallback="error")
    assert gradient(X)[0] == 2.0
    state["factor"] = 5.0
    assert gradient(X)[0] == 5.0


def test_handles_in_closures_are_let_go() -> None:
    class Handle:
        factor = 2.0
    handle = Handle()

    def of(x: Any) -> Any:
        own = tg.primitive(lambda v: handle.factor * v, vjp=lambda g, y, v: handle.factor * g, result=lambda v: v)
        return tg.grad(lambda v: np.sum(own(v) ** 2))(x)
    np.testing.assert_allclose(of(X), 8.0 * X)
    gc.collect()


def test_linear_functions_have_derivatives_of_all_orders_and_modes() -> None:
    a = np.array([[4.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 5.0]])
    solve = tg.primitive(opaque(lambda b: np.linalg.solve(a, b)), vjp=opaque(lambda g, y, b: np.linalg.solve(a.T, g)), result=lambda b: b,
                         linear=True)

    def f(b: Any) -> Any:
        return np.sum(solve(b * b) ** 3)

    def g(b: Any) -> Any:
        return np.sum(np.linalg.solve(a, b * b) ** 3)
    for make in (tg.grad, tg.hessian, lambda f, **o: tg.jacobian(tg.hessian(f, **o), **o), lambda f, **o: tg.jacrev(tg.jacrev(f, **o), **o),
                 lambda f, **o: tg.jacfwd(tg.jacfwd(f, **o), **o), lambda f, **o: tg.jacrev(tg.jacfwd(f, **o), **o)):
        np.testing.assert_allclose(strict(make, f, X), strict(make, g, X), rtol=1e-9, atol=1e-12)
    assert strict(tg.grad, f, X).shape == (3,)
    no_vjp = tg.primitive(lambda b: 2.0 * b, result=lambda b: b, linear=True)
    with pytest.raises(tg.UnsupportedCall, match="vjp is not defined"):
        strict(tg.grad, lambda b: np.sum(no_vjp(b)), X)


def test_derivatives_that_are_primitives_of_each_other() -> None:
    sin = tg.primitive(opaque(np.sin), vjp=lambda g, y, x: g * cos(x), result=lambda x: x)
    cos = tg.primitive(opaque(np.cos), vjp=lambda g, y, x: -g * sin(x), result=lambda x: x)
    want = X.copy()
    derivative: Any = lambda x: np.sum(sin(x))
    for order, value in enumerate((np.cos(want), -np.sin(want), -np.cos(want)), 1):
        found = derivative
        for _ in range(order - 1):
            found = (lambda f: lambda x: np.sum(tg.grad(f)(x)))(found)
        np.testing.assert_allclose(strict(tg.grad, found, X), value, rtol=1e-12)


def test_the_form_of_jax() -> None:
    calls = []

    def fwd(n: Any, x: Any) -> Any:
        calls.append("fwd")
        return n * x * x, ("any object", x)

    def bwd(n: Any, kept: Any, g: Any) -> Any:
        return (2.0 * n * kept[1] * g,)
    square = tg.custom_vjp(opaque(lambda n, x: n * x * x), nondiff_argnums=(0,), opaque=True, result=lambda n, x: x)
    square.defvjp(opaque(fwd), bwd)

    def f(x: Any) -> Any:
        s = 0.0
        for k in range(1, 3):
            if k < 5:
                s = s + np.sum(square(k, x) * x)
        return s
    np.testing.assert_allclose(strict(tg.grad, f, X), 9.0 * X ** 2)
    assert calls == ["fwd", "fwd"]
    with pytest.raises(tg.UnsupportedCall, match="residuals are not differentiated"):
        strict(tg.hessian, f, X)
    with pytest.warns(tg.BatchLoopWarning):
        np.testing.assert_allclose(tg.vmap(tg.grad(f))(np.stack([X, X])), [9.0 * X ** 2] * 2)
    tanh = tg.custom_jvp(opaque(np.tanh), opaque=True, result=lambda x: x)

    @tanh.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        y = tanh(primals[0])
        return y, (1.0 - y * y) * tangents[0]
    for make in (tg.grad, tg.hessian):
        np.testing.assert_allclose(strict(make, lambda x: np.sum(tanh(x) * x), X), strict(make, lambda x: np.sum(np.tanh(x) * x), X), rtol=1e-10)
