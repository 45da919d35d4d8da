"""Batches of small arrays: one loop over the examples, in which arrays are numbers; where that cannot be, as on NumPy."""
import math

import numpy as np
import pytest

import transgrad as tg

from .versions import takes_index_arrays

RNG = np.random.default_rng(0)
N = RNG.normal


def rotated(r, x):
    square = np.sum(r * r)
    if square > 0.0:
        angle = np.sqrt(square)
        axis = r / angle
        return np.cos(angle) * x + np.sin(angle) * np.cross(axis, x) + (1.0 - np.cos(angle)) * (axis @ x) * axis
    return x + np.cross(r, x)


def matrices(a, b):
    c = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            c[i, j] = np.exp(a[i] * b[j])
    d = c @ c.T
    return np.sum(d * np.array([[1.0, 2.0], [3.0, 4.0]])) + np.trace(d) * np.linalg.norm(a)


def written_on_one_side(x, y):
    u = x.copy()
    if y > 0.0:
        u[0] = x[1] * y
        u[1:] *= 2.0
    else:
        u[2] = np.sin(y)
    if y > 0.5:
        u += x[::-1]
    return np.sum(u * u * x)


def branches(x):
    a, b, c = x
    if a > b:
        if b > c:
            a = a * b
        else:
            a = a - c
    elif a * b < 0:
        b = b * b
    if a > b and c > 0:
        c = a / b
    return np.maximum(a, c) * b + np.where(c > 0, a, np.abs(b))


def shaped(x, w):
    m = x.reshape(2, 3)
    n = np.zeros((4, 3))
    n[:2], n[2:] = m, m[::-1] * 2.0
    n[1, :2] += w
    n[::2] -= 1.0
    return np.concatenate([n.ravel()[:4] ** 2, m.T[2], np.outer(w, w).ravel()])


def unpacked(state, k):
    (x, v), total = state, 0.0
    for _ in range(4):
        x, v = x + 0.1 * v, v - 0.1 * k * x
        total += x * x
    return np.array([x, v, total])


def two(x):
    return {"sum": np.sum(x), "parts": (x * 2.0, 1.0)}


BATCH = 7
STILL = N(size=(BATCH, 3))
STILL[2] = 0.0
TAKEN = [
    (rotated, (STILL, N(size=(BATCH, 3)))),
    (matrices, (N(size=(BATCH, 2)), N(size=(BATCH, 2)))),
    (written_on_one_side, (N(size=(BATCH, 3)), N(size=BATCH))),
    (branches, (N(size=(BATCH, 3)),)),
    (shaped, (N(size=(BATCH, 6)), N(size=(BATCH, 2)))),
    (unpacked, (N(size=(BATCH, 2)), N(size=BATCH))),
]
IDS = [f.__name__ for f, _ in TAKEN]


def is_one_loop(derivative):
    return "_examples(" in derivative.source


def compare(got, want):
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        got, want = list(got.values()), list(want.values())
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            compare(g, w)
        return
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


def one_by_one(f, args):
    return np.array([f(*row) for row in zip(*args)])


@pytest.mark.parametrize("f, args", TAKEN, ids=IDS)
def test_values(f, args):
    native = tg.vmap(f, backend="numba", fallback="error")
    compare(native(*args), one_by_one(f, args))
    assert is_one_loop(native)


@pytest.mark.parametrize("f, args", TAKEN, ids=IDS)
def test_jacobians(f, args):
    wrt = tuple(range(len(args)))
    for jacobian in (tg.jacrev, tg.jacfwd):
        native = tg.vmap(jacobian(f, wrt, backend="numba"), backend="numba", fallback="error")
        plain = jacobian(f, wrt)
        found = native(*args)
        assert is_one_loop(native)
        for k, row in enumerate(zip(*args)):
            for got, want in zip(found, plain(*row)):
                np.testing.assert_allclose(got[k], want, rtol=1e-11, atol=1e-12)


def test_structures_of_results():
    x = N(size=(4, 3))
    native = tg.vmap(two, backend="numba", fallback="error")
    compare(native(x), {"sum": x.sum(axis=1), "parts": (x * 2.0, np.ones(4))})
    assert is_one_loop(native)


def test_other_shapes_get_a_text_of_their_own():
    native = tg.vmap(tg.grad(lambda x: np.sum(np.sin(x) * x[0]), backend="numba"), backend="numba")
    plain = tg.grad(lambda x: np.sum(np.sin(x) * x[0]))
    for n in (2, 3, 2, 5, 6, 7, 8, 9):
        x = N(size=(3, n))
        np.testing.assert_allclose(native(x), [plain(row) for row in x], rtol=1e-12)


def test_no_examples_one_example_and_parts_of_arrays():
    native = tg.vmap(tg.grad(rotated_first, backend="numba"), backend="numba")
    assert native(np.zeros((0, 3))).shape == (0, 3)
    x = N(size=(8, 6))
    for part in (x[:1, :3], x[::2, ::2], x[:, 3:], np.asfortranarray(x[:, :3])):
        np.testing.assert_allclose(native(part), [tg.grad(rotated_first)(row) for row in part], rtol=1e-12)


def rotated_first(r):
    return rotated(r, np.array([1.0, 2.0, 3.0]))[0]


def test_not_a_number():
    x = np.array([[1.0, np.nan], [np.inf, 2.0], [0.0, 0.0], [-np.inf, np.inf]])

    def f(x):
        return np.log(x[0] / x[1]) + np.sqrt(x[1]) * np.tanh(x[0]) + np.sum(x * x[::-1])
    with np.errstate(all="ignore"):
        want = np.array([f(row) for row in x]), np.array([tg.grad(f)(row) for row in x])
    np.testing.assert_allclose(tg.vmap(f, backend="numba")(x), want[0], rtol=1e-12)
    np.testing.assert_allclose(tg.vmap(tg.grad(f, backend="numba"), backend="numba")(x), want[1], rtol=1e-12)


@pytest.mark.parametrize("jacobian", [tg.jacrev, tg.jacfwd])
def test_what_nothing_contributes_to_is_zero(jacobian):
    def f(x):
        return np.array([x[0] * x[0], 1.0 / x[1], x[0] + np.exp(x[2])])
    native = tg.vmap(jacobian(f, backend="numba"), backend="numba")
    x = np.array([[3.0, 0.0, 0.0], [2.0, 4.0, 800.0]])
    with np.errstate(all="ignore"):
        found = native(x)
    np.testing.assert_array_equal(found[0], [[6.0, 0.0, 0.0], [0.0, -np.inf, 0.0], [1.0, 0.0, 1.0]])
    np.testing.assert_array_equal(found[1], [[4.0, 0.0, 0.0], [0.0, -0.0625, 0.0], [1.0, 0.0, np.inf]])
    assert is_one_loop(native) and "0.0 *" not in native.source


def nothing_in_the_function(x):
    return x * np.array([1.0, 0.0]) + np.zeros(2) * x[0]


def test_a_zero_of_the_function_is_a_factor():
    native = tg.vmap(nothing_in_the_function, backend="numba")
    np.testing.assert_array_equal(native(np.array([[np.inf, np.nan], [1.0, np.inf]])), [[np.nan, np.nan], [1.0, np.nan]])


def parted(x):
    a, b = x
    if a > b:
        a = np.sin(a) * b
    else:
        b = np.log(b) + a
    if a > 0.3:
        a = a * b
    return np.array([a, a * b])


def parted_often(x):
    a, b = x
    for k in range(4):
        if a > b:
            a = np.sin(a) * b
        else:
            b = np.cos(b) + a * k
    return np.array([a, a * b])


@pytest.mark.parametrize("f, picks", [(parted, False), (parted_often, True)])
def test_each_example_goes_its_way_where_there_are_few(f, picks):
    x = np.abs(N(size=(20, 2))) + 0.1
    native = tg.vmap(tg.jacrev(f, backend="numba"), backend="numba")
    np.testing.assert_allclose(native(x), [tg.jacrev(f)(row) for row in x], rtol=1e-11, atol=1e-12)
    assert is_one_loop(native) and ("select(" in native.source) == picks


# where it must not be

def newton(x):
    y = x[0]
    while abs(y * y - x[1]) > 1e-12:
        y = 0.5 * (y + x[1] / y)
    return y


def indexed(x):
    return x[np.argmax(x)] * x[0]


def guarded(x):
    if x[0] < 0.0:
        raise ValueError("negative")
    return math.sqrt(x[0]) * x[1]


def whole_numbers(x):
    return np.sum(x > 0.0)


def sorted_first(x):
    return np.sort(x)[0] * x[1]


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
@pytest.mark.parametrize("f", [newton, indexed, whole_numbers, sorted_first])
def test_what_lengths_do_not_decide_is_left_alone(f):
    if f is indexed and not takes_index_arrays():
        pytest.skip("this version of Numba takes no more than one array of indices")
    x = np.abs(N(size=(5, 2))) + 0.5
    native = tg.vmap(f, backend="numba")
    got = native(x)
    assert not is_one_loop(native)
    want = one_by_one(f, (x,))
    np.testing.assert_allclose(got, want, rtol=1e-12)
    assert got.dtype == want.dtype


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_errors_are_raised():
    with pytest.raises(ValueError, match="negative"):
        tg.vmap(guarded, backend="numba")(np.array([[1.0, 2.0], [-1.0, 2.0]]))
    with pytest.raises(IndexError):
        tg.vmap(lambda x: x[3] * x[0], backend="numba")(N(size=(4, 3)))
    with pytest.raises(ValueError, match="broadcast"):
        tg.vmap(lambda x, y: np.sum(x * y), backend="numba")(N(size=(4, 3)), N(size=(4, 2)))


@pytest.mark.parametrize("x", [N(size=(4, 3)).astype(np.float32), N(size=(4, 100)), RNG.integers(0, 5, (4, 3))],
                         ids=["single", "large", "integers"])
def test_other_arrays_are_left_alone(x):
    def f(x):
        return x * 2 + x[0]
    native = tg.vmap(f, backend="numba")
    compare(native(x), one_by_one(f, (x,)))
    assert not is_one_loop(native)


def test_other_axes_are_left_alone():
    x, y = N(size=(3, 4)), N(size=3)
    native = tg.vmap(lambda x, y: x * y, in_axes=(1, None), backend="numba")
    compare(native(x, y), (x * y[:, None]).T.copy())
    assert not is_one_loop(native)


def test_it_can_be_switched_off():
    native = tg.vmap(rotated, backend="numba", optimize={"scalars": False})
    compare(native(*TAKEN[0][1]), one_by_one(rotated, TAKEN[0][1]))
    assert not is_one_loop(native)


def test_examples_are_as_many_in_all_arguments():
    native = tg.vmap(lambda x, y: x * y, backend="numba")
    native(N(size=(3, 2)), N(size=(3, 2)))
    with pytest.raises(ValueError, match="different numbers of examples"):
        native(N(size=(3, 2)), N(size=(4, 2)))
