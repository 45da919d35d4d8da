"""Arrays of random numbers that a function on the tape draws, and gives values that are differentiated."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft

import transgrad as tg

from ..oracles import directional, gradient

X = np.array([0.3, -1.2, 2.5])
GENERATOR = np.random.default_rng(3)
pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")


def by_a_state(x: Any) -> Any:
    state = np.random.RandomState(1)
    w = state.normal(loc=0.0, scale=0.1, size=3)
    w += eval("x * 2.0")
    return np.sum(w ** 2)


def by_a_generator(x: Any) -> Any:
    w = np.random.default_rng(2).uniform(size=3)
    for k in range(3):
        w[k] = eval("x[k]") * w[k]
    return np.sum(w ** 2)


def by_the_module(x: Any) -> Any:
    np.random.seed(4)
    w = np.random.rand(3)
    w -= eval("x")
    return np.sum(w ** 3)


@pytest.mark.parametrize("f", [by_a_state, by_a_generator, by_the_module])
def test_written_to(f: Any) -> None:
    want, _ = gradient(f, X)
    for _ in range(2):
        np.testing.assert_allclose(tg.grad(f)(X), want, rtol=1e-7)
    v = np.array([0.2, 0.5, -0.3])
    np.testing.assert_allclose(tg.jvp(f, (X,), (v,))[1], directional(lambda t: f(X + t * v), 0.0, 1.0)[0], rtol=1e-7)


def added(x: Any, where: Any) -> Any:
    w = where[0]
    w += eval("x * 2.0")
    return np.sum(w ** 2)


def test_an_array_of_a_list_from_elsewhere_is_recorded() -> None:
    want = added(X, [np.zeros(3)])
    for run in (lambda made: tg.jvp(lambda x: added(x, made), (X,), (X,)), lambda made: tg.value_and_grad(lambda x: added(x, made))(X)):
        array = np.frombuffer(bytearray(24))
        made = [array]
        value, derivative = run(made)
        np.testing.assert_allclose(value, want, rtol=1e-12)
        np.testing.assert_allclose(derivative, 8.0 * np.sum(X ** 2) if np.ndim(derivative) == 0 else 8.0 * X, rtol=1e-12)
        assert made[0] is array
        np.testing.assert_array_equal(array, 2.0 * X)


def test_no_tangent_is_lost_in_an_array_from_elsewhere() -> None:
    """Such as one in an array of objects, which is not looked into."""
    made = np.empty(1, object)
    made[0] = np.frombuffer(bytearray(24))
    f = added
    for run in (lambda: tg.jvp(lambda x: f(x, made), (X,), (X,)), lambda: tg.grad(lambda x: f(x, made))(X)):
        with pytest.raises(tg.TransgradError, match="would leave the tape as a plain array"):
            run()


def test_transforms_that_closures_hold() -> None:
    """SciPy's functions of other libraries' arrays are no plain functions."""
    transform = scipy.fft.dct

    def f(x: Any) -> Any:
        return eval("1.0") * np.sum(transform(x, 2) ** 2)
    np.testing.assert_allclose(tg.grad(f)(X), gradient(f, X)[0], rtol=1e-7)


def test_what_has_no_tangent_is_refused_with_its_place() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.hypot.accumulate(x))
    for run in (lambda: tg.jvp(f, (X,), (X,)), lambda: tg.grad(f)(X)):
        with pytest.raises(tg.TransgradError, match="hypot.accumulate has no derivative rule; and the tape cannot take it") as refused:
            run()
        assert refused.value.filename == __file__
