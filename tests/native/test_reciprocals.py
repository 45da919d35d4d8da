"""Divisions by one number in a derivative: one division, and products with the reciprocal."""
import math
import re

import numpy as np
import pytest

import transgrad as tg

N = np.random.default_rng(2).normal


def distances(x, weights, softening):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            dx, dy = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1]
            total += weights[i] * weights[j] / math.sqrt(dx * dx + dy * dy + softening)
    return total


def quotients(x, r):
    """Three quotients of one number, one of them on one side of a branch."""
    total = 0.0
    for k in range(len(x) - 2):
        d = r + x[k] * x[k]
        a, b = x[k] / d, x[k + 1] / d
        if a > b:
            a = a * x[k + 2] / d
        total += math.sin(a) * b
    return total


def of_numpy(x):
    """Numbers of NumPy, which may be divided by zero."""
    return np.sum(x[:2] / x[2]) + x[0] * x[1] / x[2]


def attraction(x, mass, softening):
    """Divisions element by element."""
    r = x[:, None] - x[None, :]
    return np.sum(mass[:, None] * mass / np.sqrt(r * r + softening))


CASES = [(distances, (N(size=(9, 2)), N(size=9), 0.1), (0, 1)), (quotients, (N(size=20), 0.5), (0, 1)), (of_numpy, (N(size=3),), 0),
         (attraction, (N(size=70), N(size=70), 0.1), (0, 1))]


def divisions(text):
    return re.findall(r"divide\(|(?<=[\w)]) / (?=[\w(])", "\n".join(line for line in text.splitlines() if "#" not in line))


@pytest.mark.parametrize("f, args, argnums", CASES, ids=[f.__name__ for f, _, _ in CASES])
@pytest.mark.parametrize("scale", [1.0, 1e-120, 1e120])
def test_the_gradient_is_that_of_numpy(f, args, argnums, scale):
    args = tuple(a * scale if isinstance(a, np.ndarray) and f is of_numpy else a for a in args)
    got = tg.grad(f, argnums, fallback="error", backend="numba")(*args)
    want = tg.grad(f, argnums, fallback="error", optimize=False)(*args)
    for p, q in zip(got, want) if isinstance(argnums, tuple) else [(got, want)]:
        np.testing.assert_allclose(p, q, rtol=1e-12)


def test_a_divisor_is_divided_by_once():
    g = tg.grad(distances, fallback="error", backend="numba")
    g(*CASES[0][1])
    assert len(divisions(g.source)) == 1


def test_an_element_is_divided_by_once():
    g = tg.grad(attraction, (0, 1), fallback="error", backend="numba")
    g(*CASES[3][1])
    code = "\n".join(line for line in g.source.splitlines() if "#" not in line)
    assert re.findall(r"[^ ]+ / \w+", code) == ["1.0 / math"]


def test_ties_are_those_of_the_quotient_as_it_is_written():
    def f(x, y):
        return np.sum(np.maximum(x / y, 1.0) + 2.0 * x / y)

    x = np.arange(1.0, 200.0)
    np.testing.assert_array_equal(tg.grad(f, fallback="error", backend="numba")(x, x.copy()), tg.grad(f, fallback="error")(x, x.copy()))


def test_the_value_is_what_it_is_on_numpy():
    args = CASES[1][1]
    value, _ = tg.value_and_grad(quotients, fallback="error", backend="numba")(*args)
    assert value == tg.value_and_grad(quotients, fallback="error")(*args)[0]


def test_a_division_by_zero_is_what_it_is_on_numpy():
    g = tg.grad(distances, fallback="error", backend="numba")
    with pytest.raises(ZeroDivisionError):
        g(np.zeros((3, 2)), np.ones(3), 0.0)
    x = np.array([1.0, -2.0, 0.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(tg.grad(of_numpy, fallback="error", backend="numba")(x), tg.grad(of_numpy, fallback="error")(x))
