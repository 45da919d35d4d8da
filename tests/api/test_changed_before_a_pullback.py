"""Inside of a function, ``tg.vjp`` and ``tg.linearize`` are of the arguments as they were when they were called, whatever is written to
before the pullback, or the linear function, is."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import UnsupportedSyntax

X = np.array([[0.21, 0.43, 0.58], [0.77, 1.04, 1.23], [1.37, 1.62, 1.83]])
WEIGHTS = np.ones((3, 3))


def cubes(a):
    return np.sum(a ** 3)


def argument(x):
    z = x.copy()
    _, pullback = tg.vjp(cubes, z)
    z[0] = 5.0
    return np.sum(pullback(1.0)[0])


def linear_in_an_argument(x):
    z = x.copy()
    _, linear = tg.linearize(cubes, z)
    z[0] = 5.0
    return linear(x)


def linear_in_a_tuple(x):
    z = x.copy()
    _, linear = tg.linearize(lambda p: np.sum(p[0] * p[1] ** 2), (z, x))
    z[0] = 5.0
    return linear((x, x))


def each_turn(x):
    z, s = x.copy(), 0.0
    for k in range(3):
        value, pullback = tg.vjp(cubes, z)
        z[k] = x[0] ** 2
        s += np.sum(pullback(value)[0]) * np.sum(z)
    return s


def before_a_loop(x):
    z, s = x.copy(), 0.0
    _, pullback = tg.vjp(cubes, z)
    for k in range(3):
        s += np.sum(pullback(1.0 * k)[0] * x)
        z[k] = 2.0
    return s


def item_of_a_list(x):
    z = x.copy()
    _, pullback = tg.vjp(lambda items: np.sum(items[0] ** 3), [z])
    z[0] = 5.0
    return np.sum(pullback(1.0)[0][0])


def result(x):
    z = x.copy()
    value, pullback = tg.vjp(lambda a: np.exp(a), z)
    value[0] = 5.0
    return np.sum(pullback(x)[0])


def parts(x):
    z = x.copy()
    value, pullback = tg.vjp(lambda a: a[1:] * 2 * a[:-1], z)
    z[0] = 5.0
    value[0] = 1.0
    return np.sum(pullback(value)[0])


def gradient_inside(x):
    def inner(q):
        z = q.copy()
        _, pullback = tg.vjp(cubes, z)
        z[0] = 5.0
        return np.sum(pullback(1.0)[0] ** 2)
    return np.sum(tg.grad(inner)(x) ** 2)


@pytest.mark.parametrize("f", [argument, linear_in_an_argument, linear_in_a_tuple, each_turn, before_a_loop, item_of_a_list, result, parts,
                               gradient_inside], ids=lambda f: f.__name__)
def test_as_outside(f):
    """What the function returns where nothing of it is compiled, and its derivative by differences."""
    np.testing.assert_allclose(tg.compile(f)(X.copy()), f(X.copy()), rtol=1e-12)
    step, along = 1e-5, np.cos(X)
    want = (f(X + step * along) - f(X - step * along)) / (2 * step)
    for optimize in (True, False):
        np.testing.assert_allclose(np.sum(tg.grad(f, fallback="error", optimize=optimize)(X) * along), want, rtol=1e-6)
    np.testing.assert_allclose(np.sum(tg.jacfwd(f, fallback="error")(X) * along), want, rtol=1e-6)


def around(x):
    z = x.copy()
    _, pullback = tg.vjp(lambda a: np.sum(z * a ** 2), x)
    z[0] = 5.0
    return np.sum(pullback(1.0)[0])


def linear_around(x):
    z = x.copy()
    _, linear = tg.linearize(lambda a: np.sum(z * a ** 2), x)
    z[0] = 5.0
    return linear(np.ones_like(x))


def outside(x):
    WEIGHTS[:] = x
    _, pullback = tg.vjp(lambda a: np.sum(WEIGHTS * a ** 2), x)
    WEIGHTS[0] = 5.0
    return np.sum(pullback(1.0)[0])


@pytest.mark.parametrize("f", [around, linear_around], ids=lambda f: f.__name__)
def test_what_the_function_takes_from_around_it(f):
    np.testing.assert_allclose(tg.compile(f)(X), 2 * np.sum(X ** 2), rtol=1e-12)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(X), 4 * X, rtol=1e-12)


def test_arrays_from_outside():
    np.testing.assert_allclose(tg.compile(outside)(X), 2 * np.sum(X ** 2), rtol=1e-12)

    def linear(x):
        WEIGHTS[:] = 1.0
        _, linear = tg.linearize(lambda a: np.sum(WEIGHTS * a ** 2), x)
        WEIGHTS[0] = 5.0
        return linear(x)

    with pytest.raises(UnsupportedSyntax, match="tg.linearize reads"):
        tg.grad(linear, fallback="error")(X)


def test_nothing_is_copied_where_nothing_changes():
    def f(x):
        _, pullback = tg.vjp(cubes, x)
        z = x * 2.0
        z[0] = 1.0
        return np.sum(pullback(1.0)[0] * z)

    assert "copy" not in tg.compile(f).source_for(X)


@pytest.mark.parametrize("change", [lambda p: p["a"].append(2.0), lambda p: p["b"].clear(), lambda p: p["a"].pop(), lambda p: p.pop("b")])
def test_the_structure_of_a_gradient(change):
    """It is that of the argument when the function was called."""
    p = {"a": [1.0, np.ones(2)], "b": [3.0], "c": ("a", [2.0])}
    _, pullback = tg.vjp(lambda x, p: np.sum(x ** 3) * p["a"][0] * np.sum(p["a"][1]), np.ones(3), p)
    change(p)
    g = pullback(1.0)[1]
    assert g["a"][0] == pytest.approx(6.0) and g["b"] == [0.0] and g["c"] == (None, [0.0])
    np.testing.assert_allclose(g["a"][1], [3.0, 3.0])
