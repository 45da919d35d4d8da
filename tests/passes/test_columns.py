"""Batches of small arrays on NumPy: a column for each element, where that is quicker."""
import math
import warnings

import numpy as np
import pytest

import transgrad as tg
from tests.native.test_each import rotated
from transgrad.passes.scalarize.functions.cost import Cost, least

RNG = np.random.default_rng(0)
N = RNG.normal


def matrices(a, b):
    c = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            c[i, j] = np.exp(a[i] * b[j])
    d = c @ c.T
    return np.sum(d * np.outer(a, b)) + np.trace(d) * np.linalg.norm(a)


def both_sides(x, y):
    if np.sum(x) > y:
        z = x * y
    else:
        z = x - y
    return np.sum(z * z) * z


def shaped(x, w):
    m = x.reshape(2, 3)
    n = np.zeros((4, 3))
    n[:2], n[2:] = m, m[::-1] * 2.0
    n[1, :2] += w
    return np.concatenate([n.ravel()[:4] ** 2, m.T[2], np.outer(w, w).ravel()])


def one_way_and_the_other(x):
    a, b, c = x
    if a > b:
        a = math.sqrt(a - b) * b
    else:
        b = np.exp(b) / (1.0 + a * a)
    if c > 0:
        c = np.log(c) * a
    return np.array([a * b, b * c, a + np.sum(x * x)])


def scaled(x, k):
    """With a number that is the same for all examples."""
    y = x / np.sqrt(np.sum(x * x))
    return (y @ x) * np.sin(k * y) if k > 1.0 else y * np.sum(y * x)


COUNT = 200
STILL = N(size=(COUNT, 3))
STILL[7] = 0.0
TAKEN = [
    (rotated, (N(size=(COUNT, 3)), N(size=(COUNT, 3)))), (rotated, (STILL, N(size=(COUNT, 3)))),
    (rotated, (np.zeros((COUNT, 3)), N(size=(COUNT, 3)))), (matrices, (N(size=(COUNT, 2)), N(size=(COUNT, 2)))),
    (both_sides, (N(size=(COUNT, 3)), N(size=COUNT))), (shaped, (N(size=(COUNT, 6)), N(size=(COUNT, 2)))),
    (one_way_and_the_other, (N(size=(COUNT, 3)),)),
]
IDS = [f"{f.__name__}_{k}" for k, (f, _) in enumerate(TAKEN)]


def by_columns(derivative):
    return any(fact[0] == "shape" for fact in derivative.variants[-1].guards.facts)


def compare(got, want, rtol=1e-11):
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert g.dtype == w.dtype and g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=rtol, atol=1e-12)


def one_by_one(f, args):
    found = [f(*row) for row in zip(*args)]
    return [np.array(part) for part in zip(*found)] if isinstance(found[0], tuple) else [np.array(found)]


@pytest.mark.parametrize("f, args", TAKEN, ids=IDS)
@pytest.mark.parametrize("jacobian", [tg.jacrev, tg.jacfwd])
def test_jacobians(f, args, jacobian):
    derivative = tg.vmap(jacobian(f, tuple(range(len(args)))), fallback="error")
    with warnings.catch_warnings():
        warnings.simplefilter("error")      # nothing is computed for examples that go the other way
        found = derivative(*args)
    assert by_columns(derivative)
    compare(found, one_by_one(jacobian(f, tuple(range(len(args)))), args))
    rows = tg.vmap(jacobian(f, tuple(range(len(args)))), fallback="error", optimize={"columns": False})
    compare(rows(*args), found)
    assert not by_columns(rows)


@pytest.mark.parametrize("f, args", TAKEN[:3], ids=IDS[:3])
def test_values(f, args):
    derivative = tg.vmap(f, fallback="error")
    compare([derivative(*args)], one_by_one(f, args))


def test_second_derivatives():
    def kepler(x):
        r = np.sqrt(np.sum(x[:3] * x[:3]))
        return 0.5 * (x[3:] @ x[3:]) - 1.0 / r + 0.1 * np.sum(np.cross(x[:3], x[3:]) ** 2)
    x = N(size=(300, 6))
    derivative = tg.vmap(tg.hessian(kepler), fallback="error")
    compare([derivative(x)], one_by_one(tg.hessian(kepler), (x,)))
    assert by_columns(derivative)


def test_the_same_number_for_all():
    x = N(size=(COUNT, 3))
    for k in (0.5, 2.0):
        derivative = tg.vmap(tg.jacrev(scaled), in_axes=(0, None), fallback="error")
        compare([derivative(x, k)], one_by_one(lambda row, k=k: tg.jacrev(scaled)(row, k), (x,)))
        assert by_columns(derivative)


def seen(K, p):
    q = K @ p
    return q[:2] / q[2]


@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
def test_an_array_that_is_the_same_for_all(argnums):
    K, points = np.eye(3) + 0.1 * N(size=(3, 3)), N(size=(1000, 3)) + [0.0, 0.0, 5.0]
    derivative = tg.vmap(tg.jacrev(seen, argnums), in_axes=(None, 0), fallback="error")
    rows = tg.vmap(tg.jacrev(seen, argnums), in_axes=(None, 0), fallback="error", optimize={"columns": False})
    found, want = derivative(K, points), rows(K, points)
    compare(found if argnums == (0, 1) else [found], want if argnums == (0, 1) else [want])
    assert by_columns(derivative) and not by_columns(rows)
    with pytest.raises(ValueError):
        derivative(N(size=(3, 4)), points)
    big = np.concatenate([K, K])
    np.testing.assert_allclose(np.asarray(derivative(big, points)[-1]), np.asarray(rows(big, points)[-1]), rtol=1e-11)


def test_a_result_that_is_the_same_for_all():
    def f(w, x):
        return np.array([w[0] * w[1], 0.0, 2.0]), np.cross(w, x) * np.sum(w * x) / np.linalg.norm(np.cross(x, w))
    w, x = N(size=3), N(size=(3000, 3))
    derivative = tg.vmap(f, in_axes=(None, 0), fallback="error")
    compare(derivative(w, x), one_by_one(lambda row: f(w, row), (x,)))
    assert by_columns(derivative)


def test_results_are_arrays_of_their_own():
    def f(x, y):
        z = np.cross(np.cross(x, y), x) / np.sqrt(np.sum(x * x)) * np.sum(x * y)
        return z, np.sum(z), x[1], y * 1.0, 1.0, np.array([0.0, z[0]])
    x, y = N(size=(1000, 3)), N(size=(1000, 3))
    derivative = tg.vmap(f, fallback="error")
    found = derivative(x, y)
    assert by_columns(derivative)
    compare(found, one_by_one(f, (x, y)))
    for k, part in enumerate(found):
        assert part.flags.writeable and not any(np.shares_memory(part, other) for other in (x, y, *found[:k]))


def test_few_and_none_and_parts_of_arrays():
    derivative = tg.vmap(tg.jacrev(rotated, (0, 1)), fallback="error")
    r, x = N(size=(2 * COUNT, 6)), N(size=(COUNT, 3))
    for a in (r[:COUNT, :3], r[::2, ::2], np.asfortranarray(r[COUNT:, 3:])):
        compare(derivative(a, x), one_by_one(tg.jacrev(rotated, (0, 1)), (a, x)))
    assert by_columns(derivative)
    compare(derivative(r[:1, :3], x[:1]), one_by_one(tg.jacrev(rotated, (0, 1)), (r[:1, :3], x[:1])))
    assert [part.shape for part in derivative(r[:0, :3], x[:0])] == [(0, 3, 3), (0, 3, 3)]


def test_other_shapes_get_a_text_of_their_own():
    def f(x):
        return np.sum(np.sin(x) * x[0]) * x / np.sqrt(np.sum(x * x))
    derivative = tg.vmap(tg.jacrev(f))
    for n in (2, 3, 2, 5, 4, 3, 1, 7):
        x = N(size=(COUNT, n))
        compare([derivative(x)], one_by_one(tg.jacrev(f), (x,)))


def test_what_nothing_contributes_to_is_zero():
    def f(x):
        return np.array([x[0] * x[0], 1.0 / x[1], x[0] * np.sum(x * x)]) / np.linalg.norm(x)
    x = np.abs(N(size=(COUNT, 2)))
    x[0, 1] = 0.0
    derivative = tg.vmap(tg.jacrev(lambda x: np.array([x[0] * np.sin(x[0]), 1.0 / x[1]])))
    columns = tg.vmap(tg.jacrev(f))
    with np.errstate(all="ignore"):
        assert derivative(x)[0, 0, 1] == 0.0
        columns(x)
    assert by_columns(columns)


def test_not_a_number_where_the_function_has_it():
    def f(x):
        return np.log(x[0] / x[1]) * x + np.sqrt(x[1]) * np.tanh(x[0]) * np.sum(x * x[::-1]) * np.array([0.0, 1.0])
    x = np.array([[1.0, np.nan], [np.inf, 2.0], [0.0, 0.0], [-np.inf, np.inf], [1.0, 2.0]] * 100)
    with np.errstate(all="ignore"):
        compare([tg.vmap(f)(x)], [np.array([f(row) for row in x])])


def test_errors_and_warnings_are_those_of_the_examples_concerned():
    def root(x):
        if x[0] > 0.0:
            y = np.sqrt(x[0]) * x / np.sum(x * x)
        else:
            y = x * np.sum(x * x)
        return y * (x @ y)
    derivative = tg.vmap(tg.jacrev(root))
    x = N(size=(COUNT, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derivative(x)
        assert by_columns(derivative)
        x[3] = 0.0
        derivative(x)
        with pytest.raises(RuntimeWarning):
            x[3] = [np.inf, 1.0, 1.0]
            derivative(x)
    with pytest.raises(IndexError):
        tg.vmap(tg.jacrev(lambda x: x[3] * x / np.sum(x)))(x)
    with pytest.raises(ValueError, match="broadcast|mismatch"):
        tg.vmap(lambda x, y: np.sum(x * y) * np.cross(x, x))(x, N(size=(COUNT, 2)))


# where it must not be

def guarded(x):
    if x[0] < -100.0:
        raise ValueError("negative")
    return np.sqrt(np.sum(x * x)) * np.cross(x, x + 1.0)


def often(x):
    a, b = x
    for k in range(4):
        if a > b:
            a = math.sqrt(a * a + 1.0) * b
        else:
            b = math.sqrt(b * b + 1.0) + a * k
    return np.array([a, a * b])


def indexed(x):
    return x[np.argmax(x)] * x / np.sum(x * x)


def counted(x):
    return np.sum(x > 0.0)


@pytest.mark.parametrize("f", [guarded, often, indexed])
def test_what_lengths_do_not_decide_is_left_alone(f):
    x = N(size=(COUNT, 2 if f is often else 3))
    derivative = tg.vmap(tg.jacrev(f))
    compare([derivative(x)], one_by_one(tg.jacrev(f), (x,)))
    assert not by_columns(derivative)


@pytest.mark.parametrize("x", [N(size=(COUNT, 3)).astype(np.float32), N(size=(COUNT, 100)), N(size=(COUNT, 3)) + 1j,
                               RNG.integers(0, 5, (COUNT, 3))], ids=["single", "large", "complex", "integers"])
def test_other_arrays_are_left_alone(x):
    def f(x):
        return np.sum(x * x) * x
    derivative = tg.vmap(f)
    compare([derivative(x)], one_by_one(f, (x,)), 1e-5)
    assert not by_columns(derivative)


def test_other_axes_are_left_alone():
    def f(x, w):
        return np.sum(x * w) * np.cross(x, w)
    x, w = N(size=(3, COUNT)), N(size=3)
    derivative = tg.vmap(f, in_axes=(1, None))
    compare([derivative(x, w)], one_by_one(lambda row: f(row, w), (x.T,)))
    assert not by_columns(derivative)


def test_rows_stay_where_they_are_as_quick():
    x = N(size=(COUNT, 20))
    derivative = tg.vmap(lambda x: np.tanh(x) * x)
    compare([derivative(x)], [np.tanh(x) * x])
    assert not by_columns(derivative)


def test_products_with_a_matrix_that_all_examples_share_stay():
    """All their rows are one product of matrices, which nothing on columns is as quick as."""
    def f(w, v, x):
        return np.sum(np.tanh(x @ w) @ v)
    w, v, x = N(size=(4, 8)), N(size=(8, 3)), N(size=(1_000, 4))
    derivative = tg.vmap(tg.grad(f, (0, 1)), in_axes=(None, None, 0))
    compare(derivative(w, v, x), one_by_one(lambda row: tg.grad(f, (0, 1))(w, v, row), (x,)))
    assert not by_columns(derivative) and "x @ w" in derivative.source


def test_parts_of_short_rows_are_columns():
    """A part of each row is a loop of its own for each example."""
    def f(x):
        return np.sum((x[1:] - x[:-1] ** 2) ** 2)
    x = N(size=(1_000, 4))
    derivative = tg.vmap(tg.grad(f))
    compare([derivative(x)], one_by_one(tg.grad(f), (x,)))
    assert by_columns(derivative)


def test_few_examples_and_many_have_texts_of_their_own():
    def f(x):
        return np.sum(x * x) * np.sin(x)
    derivative = tg.vmap(tg.jacrev(f))
    found = []
    for n in (2, 5_000, 3, 4_000):
        x = N(size=(n, 4))
        compare([derivative(x)], one_by_one(tg.jacrev(f), (x,)))
        found.append(any(fact[0] == "many" for fact in derivative.variants[-1].guards.facts))
    assert len(derivative.variants) <= 2


@pytest.mark.parametrize("count", [4_096, 4_097, 6_144, 10_000])
def test_many_examples_are_computed_by_parts(count):
    derivative = tg.vmap(tg.jacrev(rotated, (0, 1)), fallback="error")
    r, x = N(size=(count, 3)), N(size=(count, 3))
    r[::1000] = 0.0
    rows = tg.vmap(tg.jacrev(rotated, (0, 1)), fallback="error", optimize={"columns": False})
    compare(derivative(r, x), rows(r, x))
    assert by_columns(derivative) and ("_part(" in derivative.source) == (count > 4_096)
    for few in (0, 1, 2_048, 2_049):        # the text for many is one for few too, the other one is not
        compare(derivative(r[:few], x[:few]), rows(r[:few], x[:few]))
    compare(derivative(r[:1], np.full((1, 3), 2.0)), rows(r[:1], np.full((1, 3), 2.0)))


def test_from_how_many_examples_on():
    assert least(Cost(1.0, 1.0), Cost(2.0, 2.0), 1.0) == 0.0
    assert least(Cost(3.0, 1.0), Cost(1.0, 2.0), 1.0) == 2.0
    assert least(Cost(3.0, 2.0), Cost(1.0, 2.0), 1.0) == math.inf
    assert least(Cost(1.0, 3.0), Cost(2.0, 2.0), 1.0) == math.inf
