"""The oracles agree with derivatives known in closed form, and with each other."""
import dataclasses
from collections import namedtuple

import numpy as np
import pytest

from tests import oracles

Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float
    tag: str = "k"


def nested():
    return {"p": [1.0, (2.0, np.array([[3.0, 4.0]]))], "q": Pair(np.float64(5.0), 7), "r": Params(np.ones(2), 0.5), "c": 1.0 - 2.0j}


def test_layout_and_back():
    x = nested()
    flat = oracles.flatten(x)
    assert flat.tolist() == [1, 2, 3, 4, 5, 1, 1, 0.5, 1, -2]
    again = oracles.rebuild_like(x, flat)
    oracles.assert_same(again, x)
    assert isinstance(again["q"], Pair) and isinstance(again["r"], Params) and again["r"].tag == "k" and again["q"].b == 7
    assert [p for p, _ in oracles.leaves(x)][:3] == [("p", 0), ("p", 1, 0), ("p", 1, 1)]


def test_gradient_and_hessian_are_accurate():
    def f(w, b):
        return np.sum(np.sin(w) * np.exp(b * w))

    w, b = np.array([0.3, -0.7, 1.1]), 0.4
    problem = oracles.Problem(f, (w, b), (0, 1))
    g, err = oracles.gradient(problem, problem.x)
    want = np.append((np.cos(w) + b * np.sin(w)) * np.exp(b * w), np.sum(w * np.sin(w) * np.exp(b * w)))
    assert np.max(np.abs(g - want)) < 1e-11 and err < 1e-9
    v = np.array([0.0, 1.0, 0.0, 0.5])
    hv, _ = oracles.hessian_vector(problem, problem.x, v)
    step = 1e-30
    for k, e in enumerate(np.eye(4)):
        grad_k = lambda x, k=k: (  # the analytic gradient's component, for a complex step along v
            (np.cos(x[k]) + x[3] * np.sin(x[k])) * np.exp(x[3] * x[k]) if k < 3 else np.sum(x[:3] * np.sin(x[:3]) * np.exp(x[3] * x[:3])))
        assert abs(np.imag(grad_k(problem.x + 1j * step * v)) / step - hv[k]) < 1e-8
    assert np.max(np.abs(oracles.complex_step(lambda x: f(x[:3], x[3]), problem.x) - want)) < 1e-14


def test_functions_that_write_into_their_arguments():
    def f(x, y):
        x *= 2.0
        y.append(x[0])
        return float(x @ x) * len(y)

    problem = oracles.Problem(f, (np.array([1.0, 2.0]), []), (0,))
    assert np.allclose(oracles.gradient(problem, problem.x)[0], [8.0, 16.0])
    assert problem.x.tolist() == [1.0, 2.0] and problem.args[1] == []


def test_complex_argument():
    problem = oracles.Problem(lambda z: abs(z) ** 2, (1.0 - 2.0j,), (0,))
    g, _ = oracles.gradient(problem, problem.x)
    oracles.assert_close((2.0 - 4.0j,), g, problem.point)


def test_jax_agrees():
    pytest.importorskip("jax")

    def f(x, y):
        return np.sum(np.tanh(x) * y)

    args = (np.linspace(-1, 1, 4), np.arange(4.0))
    problem = oracles.Problem(f, args, (0, 1))
    got = oracles.jax_gradient(f, args, (0, 1))
    assert np.allclose(np.concatenate([np.asarray(g) for g in got]), oracles.gradient(problem, problem.x)[0])


def test_comparison_compares_nan_shapes_dtypes_and_structure():
    like = [np.zeros(2), 1.0]
    oracles.assert_close([np.array([np.nan, 1.0]), 2.0], np.array([np.nan, 1.0, 2.0]), like)
    for wrong in ([np.array([np.nan, np.nan]), 2.0], [np.array([0.0, 1.0]), 2.0], [np.array([[np.nan, 1.0]]), 2.0],
                  [np.array([np.nan, 1.0], np.float32), 2.0], (np.array([np.nan, 1.0]),), [np.array([np.nan, 1.0]), None]):
        with pytest.raises(AssertionError):
            oracles.assert_close(wrong, np.array([np.nan, 1.0, 2.0]), like)
    with pytest.raises(AssertionError):
        oracles.assert_same({"a": 1.0}, {"b": 1.0})
    with pytest.raises(AssertionError):
        oracles.assert_same(Params(np.ones(2), 1.0), Params(np.ones(2), 2.0))
