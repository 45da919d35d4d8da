"""What the compiler refuses runs on the tape: said once, right in every transformation."""
from __future__ import annotations

import json
import math
import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.3, 0.5, 0.2])


def helper(v, k):
    return math.exp(v) * k


def refused(x, n=3):
    buf = np.zeros(n)
    total = 0.0
    for i in range(n):
        buf[i] = x[i] ** 2
        total += helper(buf[i], eval("2.0"))
    buf *= 2.0
    first = x[1:]
    return total + np.sum(buf) + float(first[0]) * x.std()


def left_early(x):
    if eval("x[0]") > 0.0:
        return x[0] * x[1]
    return x[2]


def written(x, n=3):
    """The same, as the compiler takes it."""
    total = 0.0
    for i in range(n):
        total += math.exp(x[i] ** 2) * 2.0
    return total + np.sum(2.0 * x ** 2) + x[1] * np.std(x)


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        yield


def test_every_transformation() -> None:
    assert np.allclose(tg.grad(refused)(X), tg.grad(written)(X))
    value, gradient = tg.value_and_grad(refused)(X)
    assert np.isclose(value, written(X)) and np.allclose(gradient, tg.grad(written)(X))
    assert np.allclose(tg.hessian(refused)(X), tg.hessian(written)(X))
    v = np.array([1.0, -2.0, 0.5])
    assert np.allclose(tg.hvp(refused, (X,), (v,))[0], tg.hvp(written, (X,), (v,))[0])
    assert np.allclose(tg.jvp(refused, (X,), (v,)), tg.jvp(written, (X,), (v,)))
    out, pullback = tg.vjp(refused, X)
    assert np.isclose(out, written(X)) and np.allclose(pullback(2.0)[0], 2.0 * tg.grad(written)(X))
    assert np.allclose(tg.jacfwd(lambda x: refused(x) * x)(X), tg.jacfwd(lambda x: written(x) * x)(X))
    assert np.allclose(tg.jacrev(lambda x: refused(x) * x)(X), tg.jacrev(lambda x: written(x) * x)(X))
    assert np.allclose(tg.grad(tg.grad(lambda t: refused(t * X)))(1.1), tg.grad(tg.grad(lambda t: written(t * X)))(1.1))


def test_it_is_said_once() -> None:
    def f(x):
        return eval("x * x") + helper(x, 2.0)

    with pytest.warns(tg.TapeFallbackWarning, match=rf"a statement of f runs on the tape at {__file__}:\d+: eval"):
        assert tg.grad(f)(1.5) == pytest.approx(3.0 + 2.0 * math.exp(1.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tg.grad(f)(2.5)
        tg.value_and_grad(f)(2.5)


def test_it_is_explained() -> None:
    derivative = tg.grad(refused)
    derivative(X)
    line = refused.__code__.co_firstlineno + 5
    assert f"taped      line_{line} (" in derivative.explain() and "eval" in derivative.explain()
    whole = tg.grad(left_early)
    whole(X)
    assert "taped      left_early" in whole.explain() and "eval" in whole.explain()
    assert whole.source.startswith("# grad_left_early runs left_early on the tape: eval")


def test_structures_and_aux() -> None:
    def f(p, x):
        y = eval("1.0") * p["w"] * x + p["b"][0]
        return np.sum(y ** 2), {"y": y}

    p = {"w": np.array([1.0, 2.0]), "b": (0.5, "name")}
    (value, aux), gradient = tg.value_and_grad(f, has_aux=True)(p, X[:2])
    assert np.isclose(value, np.sum((p["w"] * X[:2] + 0.5) ** 2)) and type(aux["y"]) is np.ndarray
    y = p["w"] * X[:2] + 0.5
    assert np.allclose(gradient["w"], 2 * y * X[:2]) and gradient["b"] == (pytest.approx(2 * y.sum()), None)


def test_arguments_are_written_to_as_the_function_does() -> None:
    def f(x, out):
        out[:] = eval("2.0") * x
        x[0] = 1.0
        return np.sum(out * x)

    x, out = X.copy(), np.zeros(3)
    gradient = tg.grad(f)(x, out)
    assert np.allclose(out, 2.0 * X) and x[0] == 1.0
    assert np.allclose(gradient, [2.0, 4.0 * X[1], 4.0 * X[2]])


def test_numbers_divide_as_python_does() -> None:
    def f(x):
        try:
            return eval("1.0") / x
        except ZeroDivisionError:
            return 3.0 * x

    assert tg.grad(f)(0.0) == 3.0 and tg.grad(f)(2.0) == pytest.approx(-0.25)


def test_dtypes() -> None:
    def f(x):
        return np.sum(eval("x") ** 2)

    assert tg.grad(f)(X.astype(np.float32)).dtype == np.float32
    assert isinstance(tg.grad(f)(1.5), float)
    z = np.array([1.0 + 2.0j, 0.5j])
    assert np.allclose(tg.grad(lambda z: np.sum(np.abs(eval("z")) ** 2))(z), tg.grad(lambda z: np.sum(np.abs(z) ** 2))(z))


def test_nothing_leaves_the_tape_in_silence() -> None:
    def f(x):
        return float(json.loads(json.dumps(float(eval("x")))))

    with pytest.raises(tg.UnsupportedCall, match="eval|json"):
        tg.grad(f)(1.5)


def test_wrong_use_is_refused_as_for_what_is_compiled() -> None:
    with pytest.raises(TypeError, match="returns an array of shape"):
        tg.grad(lambda x: eval("x") * 2.0)(X)
    with pytest.raises(TypeError, match="is to be differentiated, but is int"):
        tg.grad(lambda x: eval("x") * 2.0)(3)


def test_functions_without_source() -> None:
    space: dict[str, Any] = {"np": np}
    exec("def f(x):\n    return np.sum(x * x * x)\n", space)
    assert np.allclose(tg.grad(space["f"])(X), 3.0 * X ** 2)


class Model:
    def __init__(self, w):
        self.w = w
        self.history = np.zeros(2)

    def run(self, x):
        self.history[0] = math.tanh(self.w * x)
        return self.history[0] * eval("2.0")


def test_classes_made_inside() -> None:
    def f(w):
        return Model(w).run(0.5)

    assert tg.grad(f)(0.7) == pytest.approx((1.0 - math.tanh(0.35) ** 2) * 0.5 * 2.0)
