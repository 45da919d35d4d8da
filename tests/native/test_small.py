"""Functions of small arrays alone: in machine code, their elements are numbers with names."""
import math

import numpy as np
import pytest

import transgrad as tg

from .test_each import branches, matrices, rotated, shaped, unpacked, written_on_one_side

RNG = np.random.default_rng(1)
N = RNG.normal
TAKEN = [
    (rotated, (N(size=3), N(size=3))), (rotated, (np.zeros(3), N(size=3))), (matrices, (N(size=2), N(size=2))),
    (written_on_one_side, (N(size=3), np.float64(0.7))), (written_on_one_side, (N(size=3), np.float64(-0.7))), (branches, (N(size=3),)),
    (shaped, (N(size=6), N(size=2))), (unpacked, (N(size=2), 0.3)),
]
IDS = [f.__name__ for f, _ in TAKEN]


def on_elements(derivative):
    """Whether the text that ran last is for arguments of one shape."""
    return any(fact[0] == "shape" for fact in derivative.variants[-1].guards.facts)


@pytest.mark.parametrize("f, args", TAKEN, ids=IDS)
def test_values_and_jacobians(f, args):
    compiled = tg.compile(f, backend="numba", fallback="error")
    np.testing.assert_allclose(compiled(*args), f(*args), rtol=1e-13, atol=1e-14)
    assert on_elements(compiled)
    wrt = tuple(range(len(args)))
    for jacobian in (tg.jacrev, tg.jacfwd):
        native = jacobian(f, wrt, backend="numba", fallback="error")
        for got, want in zip(native(*args), jacobian(f, wrt)(*args)):
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)
            assert np.shape(got) == np.shape(want) and np.result_type(got) == np.result_type(want)
        assert on_elements(native)


def test_second_derivatives():
    def rosenbrock(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
    x = N(size=6)
    native = tg.hessian(rosenbrock, backend="numba", fallback="error")
    np.testing.assert_allclose(native(x), tg.hessian(rosenbrock)(x), rtol=1e-11)
    assert on_elements(native)


def test_each_shape_has_its_text_and_many_have_one():
    def f(x):
        return np.sum(np.sin(x) * x[0])
    native = tg.grad(f, backend="numba")
    for n in (2, 3, 2, 1, 5, 6, 7, 8, 9, 40, 2):
        x = N(size=n)
        np.testing.assert_allclose(native(x), tg.grad(f)(x), rtol=1e-12)
    assert 4 <= sum(any(fact[0] == "shape" for fact in v.guards.facts) for v in native.variants) <= 5


def test_parts_of_arrays():
    m = N(size=(6, 6))
    native = tg.grad(matrices, backend="numba")
    for a in (m[0, :2], m[:2, 3], m[::3, 0], m[5, ::-3]):
        np.testing.assert_allclose(native(a, m[1, :2]), tg.grad(matrices)(a, m[1, :2]), rtol=1e-12)


# where it must not be

def written(x):
    x[0] = x[1] * 2.0
    return np.sum(x * x)


def itself(x):
    return x


def a_part(x):
    return x[1:], x * 2.0


def twice(x):
    y = x * 2.0
    return y, y[:1]


def test_arguments_are_written_to():
    x, y = N(size=3), None
    y = x.copy()
    assert tg.compile(written, backend="numba")(x) == pytest.approx(written(y))
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("f", [itself, a_part, twice])
def test_results_that_share_memory_go_on_sharing_it(f):
    x = N(size=3)
    compiled = tg.compile(f, backend="numba")
    got, want = compiled(x), f(x)
    got, want = (got, want) if isinstance(want, tuple) else ((got,), (want,))
    for g, w in zip(got, want):
        np.testing.assert_array_equal(g, w)
        assert np.shares_memory(g, x) == np.shares_memory(w, x)
    assert np.shares_memory(got[0], got[-1]) == np.shares_memory(want[0], want[-1])
    assert not on_elements(compiled)


def divided(x, n):
    if x[0] > 0.0:
        return x[1] / n
    return x[0]


def test_errors_of_numbers_are_raised():
    compiled = tg.compile(lambda x, n: np.sum(x) + 1.0 / n, backend="numba")
    with pytest.raises(ZeroDivisionError):
        compiled(N(size=2), 0.0)
    with pytest.raises(ZeroDivisionError):
        tg.compile(lambda x, n: 1.0 / n if x[0] > 0 else x[1], backend="numba")(np.ones(2), 0.0)
    assert tg.compile(lambda x, n: 1.0 / n if x[0] > 0 else x[1], backend="numba")(-np.ones(2), 0.0) == -1.0
    with pytest.raises(ValueError):
        tg.compile(lambda x, a: math.sqrt(a) * x[0] if x[0] > 0 else x[1], backend="numba")(np.ones(2), -1.0)
    with np.errstate(all="ignore"):
        assert tg.compile(divided, backend="numba")(np.ones(2), np.float64(0.0)) == math.inf


@pytest.mark.parametrize("x", [N(size=3).astype(np.float32), np.arange(1, 4), N(size=40), N(size=(2, 3)) + 1j], ids=str)
def test_other_arrays_are_left_alone(x):
    def f(x):
        return x * 2 + x[0]
    compiled = tg.compile(f, backend="numba")
    got = compiled(x)
    assert got.dtype == f(x).dtype
    np.testing.assert_allclose(got, f(x), rtol=1e-6)
    assert not on_elements(compiled)


def test_integers_and_truth_values_are_what_they_were():
    def f(x):
        return np.argmax(x), x > 0.0, len(x), np.sum(x > 0.0)
    x = N(size=3)
    for got, want in zip(tg.compile(f, backend="numba")(x), f(x)):
        assert np.result_type(got) == np.result_type(want)
        np.testing.assert_array_equal(got, want)


def test_it_can_be_switched_off():
    native = tg.jacrev(rotated, backend="numba", optimize={"scalars": False})
    x, y = N(size=3), N(size=3)
    np.testing.assert_allclose(native(x, y), tg.jacrev(rotated)(x, y), rtol=1e-12)
    assert not on_elements(native)


def either_is_written(x):
    a = x.copy()
    b = x ** 2
    c = a if x[0] > 0.5 else b
    c[1] = x[2] * 3.0
    return np.sum(a) * np.sum(b)


def one_of_both_is_written(x):
    a, b = x * 2.0, x ** 2
    c = a if x[0] > 0.5 else b
    a[1:] += 1.0
    return np.sum(c * x)


def a_row_is_written(x):
    m = np.outer(x, x)
    row = m[1]
    c = row if x[0] > 0.5 else x
    m[1, 0] = x[2]
    return np.sum(c)


def what_is_looped_over_is_written(x):
    a = x.copy()
    for k, t in enumerate(a):
        a[(k + 1) % 3] += t * 0.5
    for t in reversed(a):
        a[0] *= t
    return np.sum(a ** 2)


def a_list_that_grows_is_looped_over(x):
    items = [x[0]]
    for k, t in enumerate(items):
        if k < 4:
            items.append(t * x[1])
    return items[-1] * len(items)


def the_same_array(x):
    a = x * 2.0
    b = np.asarray(a)
    b[0] = x[1]
    return np.sum(a)


def into_an_array_on_one_side(x):
    a = x * 2.0
    if x[0] > 0.5:
        np.cumsum(x, out=a)
    return np.sum(a ** 2)


@pytest.mark.parametrize("f", [either_is_written, one_of_both_is_written, a_row_is_written, what_is_looped_over_is_written,
                               the_same_array])
@pytest.mark.parametrize("first", [0.6, 0.2])
def test_writes_are_seen_by_all_that_share(f, first):
    x = np.array([first, 1.3, 0.8])
    np.testing.assert_allclose(tg.compile(f, backend="numba")(x), f(x), rtol=1e-13)
    np.testing.assert_allclose(tg.grad(f, backend="numba")(x), tg.grad(f)(x), rtol=1e-12)


def test_what_writes_in_other_ways_is_left_to_numba():
    x = np.array([0.6, 1.3, 0.8])
    with pytest.raises(tg.UnsupportedByNumba):
        tg.compile(into_an_array_on_one_side, backend="numba", fallback="error")(x)
    assert tg.compile(a_list_that_grows_is_looped_over, backend="numba")(x) == pytest.approx(a_list_that_grows_is_looped_over(x))
