"""Programs of a few lines at the boundary between the caller and the derivative, and what they have to give."""
from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
import scipy.stats

import transgrad as tg

from .containers import difference, leaves

A = np.arange(1.0, 7.0).reshape(2, 3)
X = np.array([3.0, 4.0])


def same(found: Any, wanted: Any) -> None:
    """Compares structure, shapes, dtypes and values."""
    assert difference(found, wanted) is None
    for a, b in zip(leaves(found), leaves(wanted)):
        np.testing.assert_allclose(a, b, rtol=1e-6)


# leaves that are only summed, behind a helper


def mean_and_sum(p: Any) -> Any:
    return np.sum(p["w"] ** 2) + np.mean(p["b"])


def loss(p: Any) -> Any:
    return mean_and_sum(p)


def test_leaves_that_a_helper_sums() -> None:
    same(tg.grad(loss)({"w": np.ones(2), "b": np.ones(4)}), {"w": np.full(2, 2.0), "b": np.full(4, 0.25)})


def test_linearize_leaves_tangents_alone() -> None:
    p, t = {"w": np.ones(2), "b": np.ones(4)}, {"w": np.ones(2), "b": np.ones(4)}
    _, linear = tg.linearize(loss, p)
    assert [linear(t), linear(t)] == [5.0, 5.0]
    same(t, {"w": np.ones(2), "b": np.ones(4)})


def test_batches_of_records() -> None:
    def f(x: Any) -> Any:
        return np.sum(tg.vmap(lambda q: np.sum(q["a"]) + np.sum(q["b"]))(x))
    same(tg.grad(f)({"a": A, "b": A}), {"a": np.ones((2, 3)), "b": np.ones((2, 3))})
    same(tg.grad(lambda x: np.sum(tg.vmap(lambda q: np.sum(q[0] * q[1]))(x)))((A, A + 1)), (A + 1, A))


# nested loops


def cubes_one_by_one(x: Any) -> Any:
    total = 0.0
    for a in x:
        for v in a:
            total = total + v * v * v
    return total


def test_nested_loops_over_lists_of_arrays() -> None:
    x = [np.ones(3), np.full(3, 2.0)]
    assert tg.linearize(cubes_one_by_one, x)[1](x) == 81.0
    wanted = [np.full(3, 6.0), np.full(3, 24.0)]
    same(tg.vjp(tg.grad(cubes_one_by_one), x)[1](x)[0], wanted)
    same(tg.linearize(tg.grad(cubes_one_by_one), x)[1](x), wanted)


# structures


@pytest.mark.parametrize(("f", "x", "wanted"), [
    (lambda p: sum(p * 2), (1.0, 2.0), (2.0, 2.0)),
    (lambda p: np.sum(np.array(p * 2) ** 2), (1.0, 2.0), (4.0, 8.0)),
    (lambda p: sum(np.sum(q) for q in p * 2), (np.ones(2), np.ones(3)), (np.full(2, 2.0), np.full(3, 2.0))),
    (lambda p: p[0] ** 2, (3.0, ()), (6.0, ())),
    (lambda p: p["a"] ** 2, {"a": 3.0, "b": (), "c": [], "d": {}}, {"a": 6.0, "b": (), "c": [], "d": {}}),
    (lambda z: np.abs(z[0]) ** 2 * np.real(z[1]), [1 + 2j, 3 + 4j], [6 + 12j, 5 + 0j]),
    (lambda z: np.abs(z[0]) ** 2 * np.real(z[1]), {0: 1 + 2j, 1: 3 + 4j}, {0: 6 + 12j, 1: 5 + 0j}),
    (lambda z: np.abs(z[0]) ** 2 * z[1], [1 + 2j, 3.0], [6 + 12j, 5.0]),
    (lambda p: np.sum(p[0]) * p[1], (np.ones(3, np.float32), 2.0), (np.full(3, 2.0, np.float32), 3.0)),
    (lambda p: sum(np.sum(q**2) for q in p), [A, X, 2.0], [2 * A, 2 * X, 4.0]),
    (lambda p: p["b"] ** 2 * p["a"], collections.OrderedDict(b=1.0, a=2.0), collections.OrderedDict(b=4.0, a=1.0)),
    (lambda p: p["b"] ** 2 * p["a"], collections.defaultdict(float, b=1.0, a=2.0), collections.defaultdict(float, b=4.0, a=1.0)),
    (lambda p: p[0] ** 2 * p[1], collections.deque([1.0, 2.0]), collections.deque([4.0, 1.0])),
    (lambda p: p[0]["a"] ** 2, (collections.OrderedDict(a=3.0), 1.0), (collections.OrderedDict(a=6.0), 0.0)),
])
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_gradients_have_the_structure_of_the_argument(f: Callable[[Any], Any], x: Any, wanted: Any) -> None:
    same(tg.grad(f)(x), wanted)
    same(tg.vjp(f, x)[1](1.0)[0], wanted)


class Weights(list):
    """A list of the user's."""


class Table(dict):
    """A dict of the user's."""


class Point(tuple):
    """A tuple of the user's."""


@pytest.mark.parametrize("x", [Weights([1.0, 2.0]), Table({0: 1.0, 1: 2.0}), Point((1.0, 2.0)), (Weights([1.0]), 2.0)])
def test_other_subclasses_are_refused_by_name(x: Any) -> None:
    named = type(x[0] if isinstance(x[0], Weights) else x).__name__
    with pytest.raises(TypeError, match=named):
        tg.grad(lambda p: np.sum(p[0]) * p[1])(x)


# library functions themselves


@pytest.mark.parametrize(("f", "x", "wanted"), [
    (np.linalg.norm, X, X / 5.0),
    (np.max, X, [0.0, 1.0]),
    (np.sum, X, [1.0, 1.0]),
    (np.std, X, [-0.5, 0.5]),
    (np.prod, X, [4.0, 3.0]),
    (scipy.special.logsumexp, X, scipy.special.softmax(X)),
    (scipy.stats.norm(0.3, 1.2).logpdf, 0.5, -0.2 / 1.44),
    (scipy.stats.norm.logpdf, 0.5, -0.5),
    (scipy.stats.multivariate_normal(np.zeros(2), np.eye(2)).logpdf, X, -X),
])
def test_functions_of_a_library_use_their_rules(f: Callable[[Any], Any], x: Any, wanted: Any) -> None:
    same(tg.grad(f, fallback="error")(x), np.asarray(wanted) if np.ndim(x) else wanted)
    assert np.allclose(tg.jvp(f, (x,), (x,), fallback="error")[1], np.sum(np.asarray(wanted) * x))
    same(tg.vjp(f, x, fallback="error")[1](np.float64(1.0))[0], np.asarray(wanted) if np.ndim(x) else wanted)


def test_functions_of_several_arguments() -> None:
    same(tg.grad(np.dot, argnums=(0, 1), fallback="error")(X, 2 * X), (2 * X, X))
    np.testing.assert_allclose(tg.jacfwd(np.cumsum, fallback="error")(X), np.tril(np.ones((2, 2))))


# dtypes and memory


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128, np.clongdouble])
def test_gradients_have_the_dtype_of_the_argument(dtype: Any) -> None:
    z = np.array([1.0, 2.0], dtype)

    def energy(q: Any) -> Any:
        return np.sum(np.abs(q) ** 2)

    def real(q: Any) -> Any:
        return np.sum(np.real(q))
    for f in (energy, real):
        assert tg.grad(f)(z).dtype == dtype
        assert tg.grad(lambda p: f(p[0]))((z,))[0].dtype == dtype
        assert tg.grad(lambda p: f(p[0]))([z])[0].dtype == dtype
    assert tg.vjp(lambda q: q * 2, z)[1](z)[0].dtype == tg.jvp(lambda q: q * 2, (z,), (z,))[1].dtype == dtype
    assert np.asarray(tg.grad(lambda p: real(p[0]))((z[0],))[0]).dtype == dtype


def test_gradients_share_no_memory() -> None:
    assert not np.shares_memory(tg.grad(lambda x: 0.5 * np.sum(x ** 2))(X), X)
    a, b = tg.grad(lambda a, b: np.sum(a + b), argnums=(0, 1))(X, X)
    assert not np.shares_memory(a, b)
    a, b = tg.grad(lambda p: 0.5 * np.sum(p[0] ** 2) + 0.5 * np.sum(p[1] ** 2))((X, X))
    assert not np.shares_memory(a, b) and not np.shares_memory(a, X)
    a, b = tg.grad(lambda p: np.sum(p) ** 2)((X, X))
    a += 1.0        # it can be written to
    assert not np.shares_memory(a, b)


def test_pullbacks_and_tangents_share_no_memory() -> None:
    ct = np.ones(2)
    a, b = tg.vjp(lambda a, b: a + b, X, X)[1](ct)
    assert not np.shares_memory(a, b) and not np.shares_memory(a, ct) and not np.shares_memory(b, ct)
    for f in (lambda a: a, lambda a: a[::-1], lambda a: (a, a + 1.0)):
        for found in (tg.jvp(f, (X,), (ct,))[1], tg.linearize(f, X)[1](ct)):
            assert not any(np.shares_memory(leaf, ct) for leaf in leaves(found))


# shapes known only at run time


def det(a: Any) -> Any:
    if len(a) == 1:
        return a[0, 0]
    total = 0.0
    for j in range(len(a)):
        total = total + (-1) ** j * a[0, j] * det(np.delete(a[1:], j, axis=1))
    return total


def squares(a: Any) -> Any:
    return a[0] ** 2 if len(a) == 1 else a[0] ** 2 + squares(a[1:])


def waves(a: Any, w: Any) -> Any:
    if a.size == 0:
        return 0.0
    return np.sin(a[0]) * w[0] + waves(a[1:], w) * a[0]


def halves(a: Any) -> Any:
    if len(a) == 1:
        return a[0]
    return halves(a[:len(a) // 2]) * halves(a[len(a) // 2:])


def even(a: Any) -> Any:
    return a[0] if len(a) == 1 else a[0] + 2.0 * odd(a[1:])


def odd(a: Any) -> Any:
    return a[0] ** 2 if len(a) == 1 else a[0] ** 2 + even(a[1:])


def by_differences(f: Callable[..., Any], x: Any) -> Any:
    steps = 1e-6 * np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([(f(x + e) - f(x - e)) / 2e-6 for e in steps]).reshape(x.shape)


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("f", [squares, lambda a: waves(a, np.array([2.0, 1.0])), halves, even], ids=["squares", "waves", "halves", "even"])
def test_recursion_on_parts_of_vectors(f: Callable[[Any], Any], n: int) -> None:
    x = np.linspace(0.5, 1.5, n)
    wanted = by_differences(f, x)
    np.testing.assert_allclose(tg.grad(f)(x), wanted, rtol=1e-5)
    np.testing.assert_allclose(tg.jvp(f, (x,), (x,))[1], wanted @ x, rtol=1e-5)
    np.testing.assert_allclose(tg.linearize(f, x)[1](x), wanted @ x, rtol=1e-5)


@pytest.mark.parametrize("n", range(2, 6))
def test_determinant_by_recursion(n: int) -> None:
    a = np.random.default_rng(n).standard_normal((n, n))
    wanted = np.linalg.det(a) * np.linalg.inv(a).T
    np.testing.assert_allclose(tg.grad(det)(a), wanted, rtol=1e-9)
    np.testing.assert_allclose(tg.jvp(det, (a,), (a,))[1], np.sum(wanted * a), rtol=1e-9)


def several_at_once(x: Any) -> Any:
    out = np.zeros((2, 2))
    flat = out.reshape(-1)
    flat[[0, 3]] = x[0], x[1] ** 2
    return np.sum(out ** 2)


def through_flat(x: Any) -> Any:
    out = np.zeros((2, 2))
    out.flat[[0, 3]] = x[0], x[1] ** 2
    return np.sum(out ** 2)


def chosen_by_name(x: Any, name: str = "b") -> Any:
    out = {"a": np.zeros(2), "b": np.zeros(3)}[name]
    out[0] = x[0] ** 2
    out[:2] = out[:2] + x
    return np.sum(out ** 2)


@pytest.mark.parametrize("f", [several_at_once, through_flat, chosen_by_name])
def test_assignments_into_arrays(f: Callable[[Any], Any]) -> None:
    wanted = by_differences(f, X)
    np.testing.assert_allclose(tg.grad(f)(X), wanted, rtol=1e-5)
    np.testing.assert_allclose(tg.jvp(f, (X,), (X,))[1], wanted @ X, rtol=1e-5)


def scaled_by_length(x: Any) -> Any:
    n, m = np.shape(x)
    return n * np.sum(x[0]) + m * np.sum(x[1])


def test_lengths_of_containers_in_batches() -> None:
    a = np.ones((4, 3))
    np.testing.assert_allclose(tg.vmap(scaled_by_length)((a, 2 * a)), [scaled_by_length((a[0], 2 * a[0]))] * 4)
