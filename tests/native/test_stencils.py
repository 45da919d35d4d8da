"""Additions to shifted parts of one array, in loops that write each element once."""
import numpy as np
import pytest

import transgrad as tg
from tests.oracles import complex_step

N = np.random.default_rng(5).normal


def heat(u, c):
    u = u.copy()
    for _ in range(3):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 3)


def wide(u, c):
    """Five points, each with a coefficient of its own, nothing in place."""
    s = c[0] * u[4:] - c[1] * u[3:-1] + c[2] * u[2:-2] - c[3] * u[1:-3] + c[4] * u[:-4]
    return np.sum(np.exp(0.3 * s))


def far(u, c):
    """Parts that are so far from each other that they may have nothing in common."""
    return np.sum((u[6:] * c - u[:-6]) ** 3 + u[3:-3] ** 2)


def scattered(u, c):
    """The function itself adds to shifted parts."""
    z, w = np.zeros_like(u), u[1:-1] * c
    z[1:-1] += w
    z[2:] -= 0.5 * w
    z[:-2] += w * w
    return np.sum(z ** 3)


def shifted_in_place(u, c):
    """What is added is in the array that is added to."""
    u = u.copy()
    u[1:] += c * u[:-1]
    u[:-1] -= u[1:] * u[1:]
    u[2:] += 0.1 * u[1:-1] + u[:-2]
    return np.sum(u ** 2)


def read_between(u, c):
    """Every other part is read before the next one is added to."""
    z = u * 1.0
    z[1:] += c * u[1:]
    t = z[2:] * 2.0
    z[:-1] += u[:-1]
    z[2:] += t * t
    z[:-2] -= t
    return np.sum(z ** 2)


def nine_points(u, c):
    s = u[1:-1, 1:-1] * (u[2:, 2:] - u[:-2, :-2] + c * (u[2:, :-2] - u[:-2, 2:]) + u[1:-1, 2:] * u[1:-1, :-2] - u[2:, 1:-1] + u[:-2, 1:-1])
    return np.sum(s * s)


def upwind(u, c):
    """Each part with an array of coefficients."""
    a = np.sin(c * u)
    u = u.copy()
    for _ in range(2):
        flow = a[1:, 1:] * u[1:, 1:] - a[:-1, 1:] * u[:-1, 1:] + a[1:, :-1] * u[1:, :-1]
        u[1:, 1:] = flow
    return np.sum(u ** 2)


def two_fields(u, c):
    """Two arrays, each with its neighbours, and a border that is written."""
    v = u * u
    for _ in range(2):
        new = 0.1 * (v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]) + c * u[1:-1, 1:-1]
        u = u.copy()
        u[1:-1, 1:-1] += new * (u[2:, 1:-1] - u[:-2, 1:-1])
        v = v.copy()
        v[1:-1, 1:-1] -= new * v[1:-1, 1:-1]
        v[0] = v[-1]
    return np.sum(u * v)


def stack(u, c):
    lap = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] - u[1:-1, :-2, 1:-1] + u[1:-1, 1:-1, 2:] + c * u[1:-1, 1:-1, :-2]
    return np.sum(lap * lap * u[1:-1, 1:-1, 1:-1])


def rows_only(u, c):
    """Whole rows, of any length."""
    return np.sum((u[3:] - 3.0 * u[2:-1] + 3.0 * u[1:-2] * c - u[:-3]) ** 2)


CASES = {
    heat: ([(k,) for k in (2, 3, 4, 5, 6, 40)], 0.2), wide: ([(k,) for k in (4, 5, 6, 7, 8, 9, 33)], N(size=5)),
    far: ([(k,) for k in (6, 7, 8, 11, 12, 13, 30)], 0.7), scattered: ([(k,) for k in (2, 3, 4, 5, 6, 19)], 1.3),
    shifted_in_place: ([(k,) for k in (2, 3, 4, 5, 17)], 0.4), read_between: ([(k,) for k in (2, 3, 4, 5, 17)], 0.4),
    nine_points: ([(2, 2), (2, 5), (3, 2), (3, 3), (3, 6), (4, 4), (6, 3), (5, 5), (9, 7)], 0.6),
    upwind: ([(2, 2), (2, 5), (3, 3), (5, 2), (6, 7)], 0.3), two_fields: ([(2, 3), (3, 3), (3, 5), (4, 4), (7, 6)], 0.3),
    stack: ([(2, 3, 4), (3, 3, 3), (3, 4, 5), (5, 4, 3), (6, 5, 7)], 0.5), rows_only: ([(3, 2), (4, 2), (5, 1), (6, 3), (9, 4)], 0.8),
}
BY_SIZE = [(f, shape, c) for f, (shapes, c) in CASES.items() for shape in shapes]


@pytest.mark.parametrize("f, shape, c", BY_SIZE, ids=[f"{f.__name__}-{'x'.join(map(str, shape))}" for f, shape, _ in BY_SIZE])
def test_the_gradient_is_that_of_complex_steps(f, shape, c):
    u = N(size=shape)
    got = gradient(f)(u, c)
    np.testing.assert_allclose(got, complex_step(lambda z: f(z.reshape(shape), c), u.ravel()).reshape(shape), rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(got, tg.grad(f, fallback="error", optimize=False)(u, c), rtol=1e-12, atol=1e-13)


_MADE = {}


def gradient(f):
    """Compiled once for all sizes."""
    if f not in _MADE:
        _MADE[f] = tg.grad(f, fallback="error", backend="numba")
    return _MADE[f]


def gathers(text):
    """How many arrays are added to so, with neighbours along the last dimension."""
    return text.count("overlap = ")


@pytest.mark.parametrize("f", [heat, wide, far, scattered, nine_points, two_fields, stack, rows_only], ids=lambda f: f.__name__)
def test_each_element_is_written_once(f):
    """The elements inside have one statement that adds all that they are given; what is added to two fields comes from one of them."""
    shape, c = CASES[f][0][-1], CASES[f][1]
    g = gradient(f)
    g(N(size=shape), c)
    assert gathers(g.source) == (f is not rows_only)
    assert f is not rows_only or "for i in range(n - 3)" in g.source


def test_what_is_read_between_stays_in_order():
    """Where a part is read before the next one is added to, nothing is moved over that."""
    g = gradient(shifted_in_place)
    g(N(size=17), 0.4)
    assert gathers(g.source) == 1


@pytest.mark.parametrize("dtype, rtol", [("float32", 2e-5), ("complex128", 1e-12), ("complex64", 2e-5)])
def test_other_dtypes(dtype, rtol):
    def f(u, c):
        s = u[2:, 1:-1] + c * u[:-2, 1:-1] - u[1:-1, 2:] * u[1:-1, :-2]
        return np.sum(np.abs(s * s) ** 2)
    u = (N(size=(7, 8)) + (1j * N(size=(7, 8)) if dtype[0] == "c" else 0.0)).astype(dtype)
    got = tg.grad(f, fallback="error", backend="numba")(u, 0.5)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, tg.grad(f, fallback="error")(u, 0.5), rtol=rtol, atol=rtol)


def test_additions_are_done_in_their_order():
    """As if one part were added to after the other: to the last bit."""
    def f(u):
        z = np.zeros_like(u)
        z[1:-1, 1:-1] += u[1:-1, 1:-1]
        z[2:, 1:-1] += u[:-2, 2:]
        z[:-2, 2:] -= u[1:-1, 1:-1]
        z[1:-1, :-2] += u[2:, 2:]
        return z
    u = N(size=(20, 17)) * 10.0 ** N(size=(20, 17), scale=4.0)
    primal = tg.value_and_grad(lambda u: np.sum(f(u)), fallback="error", backend="numba")
    assert np.isfinite(primal(u)[0])
    np.testing.assert_array_equal(tg.vjp(f, u, backend="numba")[0], f(u))


def test_lengths_that_differ_are_refused():
    def f(u, w):
        z = u * 1.0
        z[1:] += w
        z[:-1] += w
        return np.sum(z * z)
    g = tg.grad(f, (0, 1), fallback="error", backend="numba")
    g(np.ones(5), np.ones(4))
    for n in (2, 3, 5):
        with pytest.raises(ValueError, match="broadcast"):
            g(np.ones(5), np.ones(n))


def test_arrays_that_are_not_contiguous():
    u, c = N(size=(12, 14)), 0.6
    for part in (u.T, u[::2, ::-1], np.asfortranarray(u)):
        np.testing.assert_allclose(gradient(nine_points)(part, c), tg.grad(nine_points)(part.copy(), c), rtol=1e-12)
