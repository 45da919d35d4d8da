"""Solutions of linear systems, from matrices and from their factors; inverses, determinants, norms, least squares."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...decompositions import adjoint, conj
from ...linalg import solve_by_matrix, solved, turned
from ...registry import alias, constant, definition, rule
from ...static import NoDerivative, lifted, ndim

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


def cut(a: Any, atol: Any, rtol: Any, hermitian: bool = False) -> tuple[Any, Any]:
    """The share of the largest singular value below which one counts as zero, and how many do not."""
    s = np.abs(np.linalg.eigvalsh(a)) if hermitian else scipy.linalg.svdvals(a)
    largest = np.max(s, initial=0.0)
    relative = max(a.shape) * np.finfo(a.dtype).eps if rtol is None and atol is None else 0.0 if rtol is None else rtol
    bound = (0.0 if atol is None else atol) + largest * relative
    return bound / largest if largest > 0.0 else 1.0, int(np.sum(s > bound))


constant(cut)


@definition(scipy.linalg.pinv)
def pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: Any = False, check_finite: Any = True) -> Any:
    """The rank is assumed constant."""
    share, rank = cut(a, atol, rtol)
    found = np.linalg.pinv(a, share)
    return (found, rank) if return_rank else found


@definition(scipy.linalg.pinvh)
def pinvh(a: Any, atol: Any = None, rtol: Any = None, lower: Any = True, return_rank: Any = False, check_finite: Any = True) -> Any:
    """Only the triangle that is read has a derivative. The rank is assumed constant."""
    held = whole(a, "her" if np.iscomplexobj(a) else "sym", lower)
    share, rank = cut(held, atol, rtol, True)
    found = np.linalg.pinv(held, share)
    return (found, rank) if return_rank else found


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


@rule(scipy.linalg.solve, kind="general", broadcasts=True, jvp=(solve_by_matrix, lambda t, y, a, b: np.linalg.solve(a, t)))
def _(g, y, a, b):
    s = solved(turned(a), g, ndim(b) == 1)
    return -s @ turned(y) if ndim(b) > 1 else -np.outer(s, y) if ndim(a) == 2 else -np.expand_dims(s, -1) * np.expand_dims(y, -2), s


@definition(scipy.linalg.solve)
def solve(a: Any, b: Any, lower: Any = False, overwrite_a: Any = False, overwrite_b: Any = False, check_finite: Any = True,
          assume_a: Any = None, transposed: Any = False) -> Any:
    """The solution of a linear system; ``assume_a`` only says which triangle is read."""
    held = whole(a, assume_a, lower)
    return np.linalg.solve(held.T if transposed else held, b)


def triangular_by_a(t, y, a, b, trans=0, lower=False, unit_diagonal=False, **how):
    half = np.tril(t, -1 if unit_diagonal else 0) if lower else np.triu(t, 1 if unit_diagonal else 0)
    changed = half if trans in (0, "N") else turned(half) if trans in (1, "T") else adjoint(half)
    return -triangular(a, changed @ y, trans, lower, unit_diagonal)


@rule(scipy.linalg.solve_triangular, kind="general", jvp=(
    triangular_by_a,
    lambda t, y, a, b, trans=0, lower=False, unit_diagonal=False, **how: triangular(a, t, trans, lower, unit_diagonal)))
def _(g, y, a, b, trans=0, lower=False, unit_diagonal=False, **how):
    """Only the triangle that is read has the derivative."""
    s = triangular(conj(a) if trans in (2, "C") else a, g, 1 if trans in (0, "N") else 0, lower, unit_diagonal)
    outer = s @ turned(y) if ndim(b) > 1 else np.outer(s, y)
    full = -outer if trans in (0, "N") else -turned(conj(outer) if trans in (2, "C") else outer)
    return np.tril(full, -1 if unit_diagonal else 0) if lower else np.triu(full, 1 if unit_diagonal else 0), s


@definition(scipy.linalg.cho_solve)
def cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    """The solution of a system whose matrix has been factored by `cho_factor`."""
    c, lower = c_and_lower
    if lower:       # of a constant matrix this is known at run time only
        return scipy.linalg.solve_triangular(c, scipy.linalg.solve_triangular(c, b, trans=0, lower=True), trans=2, lower=True)
    return scipy.linalg.solve_triangular(c, scipy.linalg.solve_triangular(c, b, trans=2, lower=False), trans=0, lower=False)


@definition(scipy.linalg.lu_solve)
def lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    """The solution of a system whose matrix has been factored by `lu_factor`."""
    lu, piv = lu_and_piv
    order = pivot_order(piv, lu.shape[0])
    if trans == 0:
        first = scipy.linalg.solve_triangular(lu, b[order], lower=True, unit_diagonal=True)
        return scipy.linalg.solve_triangular(lu, first)
    first = scipy.linalg.solve_triangular(lu, b, trans=trans)
    return scipy.linalg.solve_triangular(lu, first, trans=trans, lower=True, unit_diagonal=True)[np.argsort(order)]


def pivot_order(piv: Any, count: int) -> Any:
    """The permutation of ``count`` rows that a sequence of exchanges makes."""
    order = np.arange(count)
    for k, other in enumerate(piv):
        order[[k, other]] = order[[other, k]]
    return order


@definition(scipy.linalg.lstsq)
def lstsq(a: Any, b: Any, cond: Any = None, overwrite_a: Any = False, overwrite_b: Any = False, check_finite: Any = True,
          lapack_driver: Any = None) -> Any:
    """The smallest-squares solution for a matrix of full rank with at least as many rows as columns."""
    x, _, rank, s = np.linalg.lstsq(a, b, cond)
    r = b - a @ x
    return x, np.sum(np.abs(r) ** 2, axis=0), rank, s


@definition(scipy.linalg.orthogonal_procrustes)
def orthogonal_procrustes(A: Any, B: Any, check_finite: Any = True) -> Any:
    """The orthogonal matrix that maps A closest to B, and the scale."""
    u, w, vt = np.linalg.svd((B.T @ np.conj(A)).T, full_matrices=False)
    return u @ vt, np.sum(w)
