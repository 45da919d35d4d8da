"""``linearize`` evaluates the function once: what it returns is the derivative of that evaluation, whatever the function remembers."""
import collections
import warnings

import numpy as np
import pytest

import transgrad as tg

CACHE = {}


def from_a_cache(x):
    if "square" not in CACHE:
        CACHE["square"] = x ** 2
    return CACHE["square"] * x


@pytest.fixture(autouse=True)
def _quiet():
    CACHE.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        yield


def test_a_cache_of_differentiated_values():
    y, push = tg.linearize(from_a_cache, 1.5)
    assert y == 1.5 ** 3
    assert push(1.0) == pytest.approx(3 * 1.5 ** 2)
    assert push(2.0) == pytest.approx(6 * 1.5 ** 2)


def test_random_numbers():
    def f(x):
        return eval("np.random.normal()") * x * 3.0

    y, push = tg.linearize(f, 2.0)
    assert push(1.0) == push(1.0) == pytest.approx(y / 2.0)


def test_calls_are_counted():
    calls = []

    def f(x):
        calls.append(None)
        return eval("2.0") * np.sum(x * x) * len(calls)

    x = np.array([1.0, 2.0])
    y, push = tg.linearize(f, x)
    assert len(calls) == 1
    assert push(x) == pytest.approx(2 * y)
    assert push(x) == pytest.approx(2 * y)
    assert len(calls) == 1


def test_arguments_written_to():
    def f(x):
        x[0] = eval("3.0") * x[1] ** 2
        return {"sum": x.sum(), "squares": [x * x], "n": 2, "label": "a"}

    x, t = np.array([1.0, 2.0]), np.array([1.0, 1.0])
    y, push = tg.linearize(f, x)
    assert y["n"] == 2 and y["label"] == "a"
    np.testing.assert_array_equal(x, [12.0, 2.0])
    for _ in range(2):
        dot = push(t)
        assert dot["sum"] == pytest.approx(13.0)
        np.testing.assert_allclose(dot["squares"][0], [288.0, 4.0])
    np.testing.assert_array_equal(x, [12.0, 2.0])
    np.testing.assert_array_equal(t, [1.0, 1.0])


def test_complex_numbers():
    def f(z):
        return z ** 2 * eval("1j")

    y, push = tg.linearize(f, 1.0 + 2.0j)
    assert y == pytest.approx((1 + 2j) ** 2 * 1j)
    for t in (1.0, 1j, 0.5 - 2j):
        assert push(t) == pytest.approx(2 * (1 + 2j) * 1j * t)


def test_views_written_to_on_the_tape():
    def f(p):
        b = p[0].copy()
        c = b[1:]
        c *= 2.0 * b[0]
        b[::2] += 1.0
        return b

    p = collections.deque([np.arange(1.0, 5.0)])
    np.testing.assert_allclose(tg.linearize(f, p)[1](p), tg.jvp(f, (p,), (p,))[1])
