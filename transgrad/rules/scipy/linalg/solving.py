"""Solutions of linear systems, from matrices and from their factors; inverses, determinants, norms, least squares."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...linalg import turned
from ...registry import alias, definition, rule
from ...static import NoDerivative, is_complex, lifted, ndim

for _name in ("inv", "det", "pinv", "norm"):
    alias(getattr(np.linalg, _name), getattr(scipy.linalg, _name))

triangular = lifted(scipy.linalg.solve_triangular)


@definition(scipy.linalg.inv)
def inv(a: Any, overwrite_a: Any = False, check_finite: Any = True, assume_a: Any = None, lower: Any = False) -> Any:
    """The inverse; ``assume_a`` only says which triangle is read."""
    return np.linalg.inv(whole(a, assume_a, lower))


@definition(scipy.linalg.det)
def det(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """The determinant."""
    return np.linalg.det(a)


@definition(scipy.linalg.norm)
def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True) -> Any:
    """A norm of a vector or matrix."""
    return np.linalg.norm(a, ord, axis, keepdims)


def full_rank(atol: Any, rtol: Any, return_rank: Any) -> None:
    if atol is not None or rtol is not None or return_rank:
        raise NoDerivative("a pseudo-inverse has a derivative for matrices of full rank, without atol, rtol and return_rank")


@definition(scipy.linalg.pinv)
def pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: Any = False, check_finite: Any = True) -> Any:
    """The pseudo-inverse of a matrix of full rank."""
    full_rank(atol, rtol, return_rank)
    return np.linalg.pinv(a)


@definition(scipy.linalg.pinvh)
def pinvh(a: Any, atol: Any = None, rtol: Any = None, lower: Any = True, return_rank: Any = False, check_finite: Any = True) -> Any:
    """The pseudo-inverse of a Hermitian matrix of full rank, of which a triangle is read."""
    full_rank(atol, rtol, return_rank)
    return np.linalg.inv(whole(a, "sym", lower))


def whole(a: Any, assume_a: Any, lower: Any) -> Any:
    """The matrix that a triangle stands for, where only that is read."""
    if assume_a in ("sym", "symmetric", "pos", "positive definite"):
        return np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T
    if assume_a in ("her", "hermitian"):
        return np.tril(a) + np.conj(np.tril(a, -1)).T if lower else np.triu(a) + np.conj(np.triu(a, 1)).T
    if assume_a in ("diagonal", "tridiagonal", "banded", "positive definite banded"):
        raise NoDerivative(f"no derivative of a system with assume_a={assume_a!r}; leave it out, or use solve_banded")
    if assume_a in ("lower triangular",):
        return np.tril(a)
    return np.triu(a) if assume_a in ("upper triangular",) else a


@rule(scipy.linalg.solve, kind="general", jvp=(
    lambda t, y, a, b: -np.linalg.solve(a, t @ y), lambda t, y, a, b: np.linalg.solve(a, t)))
def _(g, y, a, b):
    s = np.linalg.solve(turned(a), g)
    return -s @ turned(y) if ndim(b) > 1 else -np.outer(s, y), s


@definition(scipy.linalg.solve)
def solve(a: Any, b: Any, lower: Any = False, overwrite_a: Any = False, overwrite_b: Any = False, check_finite: Any = True,
          assume_a: Any = None, transposed: Any = False) -> Any:
    """The solution of a linear system; ``assume_a`` only says which triangle is read."""
    held = whole(a, assume_a, lower)
    return np.linalg.solve(held.T if transposed else held, b)


def triangular_by_a(t, y, a, b, trans=0, lower=False, unit_diagonal=False, **how):
    half = np.tril(t, -1 if unit_diagonal else 0) if lower else np.triu(t, 1 if unit_diagonal else 0)
    return -triangular(a, (half if trans in (0, "N") else turned(half)) @ y, trans, lower, unit_diagonal)


@rule(scipy.linalg.solve_triangular, kind="general", jvp=(
    triangular_by_a,
    lambda t, y, a, b, trans=0, lower=False, unit_diagonal=False, **how: triangular(a, t, trans, lower, unit_diagonal)))
def _(g, y, a, b, trans=0, lower=False, unit_diagonal=False, **how):
    if is_complex(a) or trans in (2, "C"):
        raise NoDerivative("no derivative of solve_triangular of a complex matrix")
    plain = trans in (0, "N")
    s = triangular(a, g, 1 if plain else 0, lower, unit_diagonal)
    outer = s @ turned(y) if ndim(b) > 1 else np.outer(s, y)
    full = -outer if plain else -turned(outer)
    return np.tril(full, -1 if unit_diagonal else 0) if lower else np.triu(full, 1 if unit_diagonal else 0), s


@definition(scipy.linalg.cho_solve)
def cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    """The solution of a system whose matrix has been factored by `cho_factor`."""
    c, lower = c_and_lower
    first = scipy.linalg.solve_triangular(c, b, trans=0 if lower else 1, lower=lower)
    return scipy.linalg.solve_triangular(c, first, trans=1 if lower else 0, lower=lower)


@definition(scipy.linalg.lu_solve)
def lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    """The solution of a system whose matrix has been factored by `lu_factor`."""
    lu, piv = lu_and_piv
    order = pivot_order(piv)
    if trans == 0:
        first = scipy.linalg.solve_triangular(lu, b[order], lower=True, unit_diagonal=True)
        return scipy.linalg.solve_triangular(lu, first)
    first = scipy.linalg.solve_triangular(lu, b, trans=1)
    return scipy.linalg.solve_triangular(lu, first, trans=1, lower=True, unit_diagonal=True)[np.argsort(order)]


def pivot_order(piv: Any) -> Any:
    """The permutation of the rows that a sequence of exchanges makes."""
    order = np.arange(len(piv))
    for k, other in enumerate(piv):
        order[[k, other]] = order[[other, k]]
    return order


@definition(scipy.linalg.lstsq)
def lstsq(a: Any, b: Any, cond: Any = None, overwrite_a: Any = False, overwrite_b: Any = False, check_finite: Any = True,
          lapack_driver: Any = None) -> Any:
    """The least-squares solution for a matrix of full rank with at least as many rows as columns."""
    x, _, rank, s = np.linalg.lstsq(a, b, cond)
    r = b - a @ x
    return x, np.sum(np.abs(r) ** 2, axis=0), rank, s


@definition(scipy.linalg.orthogonal_procrustes)
def orthogonal_procrustes(A: Any, B: Any, check_finite: Any = True) -> Any:
    """The orthogonal matrix that maps A closest to B, and the scale."""
    u, w, vt = np.linalg.svd((B.T @ np.conj(A)).T, full_matrices=False)
    return u @ vt, np.sum(w)
