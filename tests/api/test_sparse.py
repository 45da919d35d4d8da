"""Sparse Jacobians and Hessians: patterns that miss nothing, colours, and the entries against dense derivatives."""
from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg
from tests import oracles
from tests.corpus.registry import Case, load
from transgrad import tree
from transgrad.transforms.sparse.coloring import columns, star

sparse = pytest.importorskip("scipy.sparse")
X = np.array([0.6, 1.3, -0.8, 1.7, 0.2, -0.4])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_in_a_loop(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


@pytest.mark.parametrize("f", [rosenbrock, rosenbrock_in_a_loop])
def test_the_hessian_of_a_chain_has_three_diagonals(f) -> None:
    hessian = tg.sparse_hessian(f, fallback="error")
    found = hessian(X)
    assert isinstance(found, sparse.csr_array) and found.nnz == 3 * len(X) - 2
    assert np.allclose(found.toarray(), tg.hessian(rosenbrock)(X))
    assert hessian.pattern(X).dtype == bool and hessian.pattern(X).nnz == found.nnz


def test_ten_thousand_variables() -> None:
    x = np.linspace(-1.0, 1.0, 10_000)
    found = tg.sparse_hessian(rosenbrock)(x)
    assert found.nnz == 29_998
    assert np.allclose(found.diagonal(1), -400.0 * x[:-1])
    v = np.cos(np.arange(10_000.0))
    assert np.allclose(found @ v, tg.hvp(rosenbrock, (x,), (v,))[0])


def _joined(result):
    """The entries of a structure as a vector."""
    return np.concatenate([np.ravel(leaf) for leaf in tree.flatten(result)[0]])


def _stencil(u):
    out = u.copy()
    out[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return out


def _mixed(x):
    tri = np.tri(len(x)) - np.tri(len(x), k=-2)
    return {"a": tri @ np.sin(x), "b": np.concatenate([x[:2] * x[2:4], [x.sum()]]), "c": np.where(x > 0.0, x[::-1], 1.0), "d": x[1] ** 2}


def _matrix(x):
    m = x.reshape(2, 3).T
    return np.stack([m.sum(axis=1), np.maximum(m[:, 0], m[:, 1])]), np.diff(np.tile(x[:2], 2)), np.cumsum(x[3:])


def _added_at(x):
    out = np.zeros(4)
    np.add.at(out, [0, 0, 3], x[:3] ** 2)
    return out


def _lists(x):
    rows = [x[0]]
    for k in range(1, len(x)):
        rows.append(x[k] * x[k - 1] if k % 2 else np.exp(x[k]))
    return np.array(rows[::-1])


def _views(x):
    a = np.zeros(6)
    same, tail = np.real(a), a.reshape(3, 2).T[1]
    tail[...] = x[:3]
    a[0] = x[5] * x[4]
    return same * 2.0


@pytest.mark.parametrize(("f", "more"), [(_stencil, 0), (_mixed, 2), (_matrix, 3), (_added_at, 0), (_lists, 0), (_views, 0)])
def test_jacobians_are_the_dense_ones(f, more: int) -> None:
    """The pattern holds the non-zeros, and what ``where`` and ``maximum`` do not take."""
    jacobian = tg.sparse_jacobian(f, fallback="error")
    dense = np.stack([_joined(tg.jvp(f, (X,), (v,))[1]) for v in np.eye(len(X))], axis=1)
    assert np.allclose(jacobian(X).toarray(), dense)
    pattern = jacobian.pattern(X).toarray()
    assert pattern[dense != 0.0].all() and pattern.sum() == np.count_nonzero(dense) + more


def test_each_argument_has_a_matrix() -> None:
    def f(x, scale, params):
        return scale * x[1:] * params["w"] + np.sum(params["b"])

    params = {"w": 3.0, "b": np.array([1.0, 2.0])}
    by_x, by_params = tg.sparse_jacobian(f, argnums=(0, 2))(X, 2.0, params)
    assert np.allclose(by_x.toarray(), 6.0 * np.eye(6)[1:]) and by_x.nnz == 5
    assert by_params.shape == (5, 3) and np.allclose(by_params.toarray()[:, :2], 1.0)
    blocks = tg.sparse_hessian(lambda x, y: np.sum(x ** 2 * y), argnums=(0, 1))(X, 2.0 * X)
    assert np.allclose(blocks[0][1].toarray(), np.diag(2.0 * X)) and blocks[1][1].nnz == 0


def test_few_rows_go_in_reverse() -> None:
    calls = []

    def f(x):
        return np.array([np.sum(x ** 2), np.prod(x)])

    jacobian = tg.sparse_jacobian(f)
    dense = tg.jacrev(f)(X)
    split = jacobian._split.split_with
    jacobian._split.split_with = lambda values: calls.append(1) or split(values)
    assert np.allclose(jacobian(X).toarray(), dense) and calls


def test_a_branch_is_followed_anew_at_each_call() -> None:
    def f(x):
        return x[:-1] * x[1:] if x[0] > 0.0 else x[:-1] ** 2

    jacobian = tg.sparse_jacobian(f)
    assert jacobian(X).nnz == 10
    assert jacobian(-X).nnz == 5
    assert np.allclose(jacobian(-X).toarray(), tg.jacfwd(f)(-X))


def test_an_index_that_depends_on_numbers_is_followed_anew() -> None:
    def f(x, k):
        return x[np.argsort(x)] * x[k]

    jacobian = tg.sparse_jacobian(f)
    for x, k in ((X, 1), (-X, 1), (X[::-1].copy(), 2)):
        assert np.allclose(jacobian(x, k).toarray(), tg.jacfwd(f)(x, k))


def test_arguments_that_are_written_to_are_left_alone() -> None:
    def f(x):
        x *= 2.0
        x[0] = x[1] * x[2]
        return np.sum(x ** 2)

    x = X.copy()
    found = tg.sparse_hessian(f)(x)
    assert np.array_equal(x, X)
    assert found[1, 2] == pytest.approx(64.0 * x[1] * x[2])


def test_single_precision_stays() -> None:
    assert tg.sparse_hessian(rosenbrock)(X.astype(np.float32)).dtype == np.float32


def test_a_pattern_may_be_given_and_is_checked() -> None:
    band = np.tri(6, k=1) - np.tri(6, k=-2)
    assert np.allclose(tg.sparse_hessian(rosenbrock, sparsity=band)(X).toarray(), tg.hessian(rosenbrock)(X))
    with pytest.raises(ValueError, match="does not hold every non-zero"):
        tg.sparse_hessian(rosenbrock, sparsity=np.eye(6))(X)
    with pytest.raises(ValueError, match="columns"):
        tg.sparse_hessian(rosenbrock, sparsity=np.eye(5))(X)


_TABLE = np.zeros(3)


def _writes_outside(x):
    _TABLE[0] = x[0]
    return _TABLE[:1] * x


def _draws(x):
    return x * np.random.normal()


@pytest.mark.parametrize("f", [_writes_outside, _draws])
def test_what_cannot_be_looked_through_is_refused(f) -> None:
    with pytest.raises(tg.TransgradError):
        tg.sparse_jacobian(f, fallback="error")(X)


def test_complex_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="complex"):
        tg.sparse_jacobian(lambda z: z ** 2)(X + 1j)


@given(st.integers(1, 12), st.integers(0, 2 ** 32 - 1), st.floats(0.0, 0.6))
@settings(max_examples=60, deadline=None)
def test_colours_separate_what_they_have_to(n: int, seed: int, density: float) -> None:
    found = np.random.default_rng(seed).random((n, n)) < density
    colors = columns(sparse.csc_array(found))
    assert all(len(set(colors[row])) == row.sum() for row in found)
    both = found | found.T
    colors = star(sparse.csr_array(both))
    for i, j in zip(*np.nonzero(both & ~np.eye(n, dtype=bool))):
        assert colors[i] != colors[j]
        alone = [np.sum(both[a] & (colors == colors[b])) == 1 for a, b in ((i, j), (j, i))]
        assert any(alone)


def test_an_arrowhead_needs_two_colours() -> None:
    arrow = np.eye(50, dtype=bool)
    arrow[0] = arrow[:, 0] = True
    assert star(sparse.csr_array(arrow)).max() == 1


CASES = [c for c in load() if c.order >= 2 and isinstance(c.args[c.wrt[0]], np.ndarray) and c.args[c.wrt[0]].dtype == float and c.twin is None
         and c.grad is None]


@pytest.mark.parametrize("case", CASES[::6], ids=lambda c: f"{c.row}-{c.name}")
def test_hessians_over_the_corpus(case: Case) -> None:
    try:
        found = tg.sparse_hessian(case.f, case.wrt[0], fallback="error")(*copy.deepcopy(case.args), **copy.deepcopy(case.kwargs))
    except (tg.UnsupportedCall, tg.UnsupportedSyntax):
        return
    problem = oracles.Problem(case.f, case.args, case.wrt[:1], case.kwargs)
    v = np.cos(1.0 + np.arange(found.shape[1]))
    expected, error = oracles.hessian_vector(problem, problem.x, v, 2 * case.step)
    assert np.allclose(found @ v, expected, rtol=1e-5, atol=1e-5 + 10.0 * error)
