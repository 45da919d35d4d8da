"""Factorizations: Cholesky, LU, QR, polar.  Of the factors of real matrices; the exchanges of rows are constant."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...decompositions import adjoint, completed, hermitian, lower_half, used_part
from ...linalg import turned
from ...registry import constant, definition, rule
from ...static import NoDerivative, eye, is_complex, lifted, part
from .solving import pivot_order

triangular = lifted(scipy.linalg.solve_triangular)
constant(pivot_order)
order_of = lifted(pivot_order)


def cholesky_jvp(t, y, a, lower=False, **how):
    low = y if lower else adjoint(y)
    s = np.linalg.solve(low, adjoint(np.linalg.solve(low, completed(t, "L" if lower else "U"))))
    out = low @ lower_half(s)
    return out if lower else adjoint(out)


@rule(scipy.linalg.cholesky, kind="general", jvp=cholesky_jvp)
def cholesky_pullback(g, y, a, lower=False, **how):
    if is_complex(a):
        raise NoDerivative("no derivative of scipy.linalg.cholesky of a complex matrix; numpy.linalg.cholesky has one")
    up, bar = (turned(y), g) if lower else (y, turned(g))
    s = np.linalg.solve(up, turned(np.linalg.solve(up, turned(lower_half(up @ bar)))))
    return used_part(hermitian(s), "L" if lower else "U")


def filled(c, lower):
    """The triangle of a factor; the other one holds what was there before."""
    return np.tril(c) if lower else np.triu(c)


def untouched(c, lower):
    """The other triangle, which stays that of the matrix."""
    return np.triu(c, 1) if lower else np.tril(c, -1)


@rule(scipy.linalg.cho_factor, kind="general", jvp=lambda t, y, a, lower=False, **how: (
    cholesky_jvp(t, filled(y[0], lower), a, lower) + untouched(t, lower), None))
def _(g, y, a, lower=False, **how):
    return cholesky_pullback(filled(g[0], lower), filled(y[0], lower), a, lower) + untouched(g[0], lower)


def real_square(a: Any) -> None:
    """Only these are differentiated."""
    if is_complex(a):
        raise NoDerivative("no derivative of this factorization of a complex matrix")


def factor_change(low, up, change):
    """How the factors of ``low @ up`` change with the product."""
    inner = turned(triangular(up, turned(triangular(low, change, 0, True, True)), 1))
    return low @ np.tril(inner, -1), np.triu(inner) @ up


def factor_pullback(low, up, g_low, g_up):
    """The cotangent of ``low @ up``, from those of the factors."""
    inner = np.tril(turned(low) @ g_low, -1) + np.triu(g_up @ turned(up))
    return triangular(low, turned(triangular(up, turned(inner))), 1, True, True)


def lu_jvp(t, y, a, permute_l=False, **how):
    p, low, up = y
    return None, *factor_change(low, up, turned(p) @ t)


def plain_lu(permute_l: Any, p_indices: Any) -> None:
    """Only the three factors are differentiated."""
    if permute_l or p_indices:
        raise NoDerivative("lu has a derivative with permute_l=False, p_indices=False")


@rule(scipy.linalg.lu, kind="general", jvp=lu_jvp)
def _(g, y, a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """Square matrices; the permutation is constant."""
    real_square(a)
    plain_lu(permute_l, p_indices)
    p, low, up = y
    return p @ factor_pullback(low, up, part(g, y, 1), part(g, y, 2))


def unpacked(lu):
    """The two factors that are kept in one matrix."""
    return np.tril(lu, -1) + eye(lu.shape[0]), np.triu(lu)


def lu_factor_jvp(t, y, a, **how):
    low, up = unpacked(y[0])
    by_low, by_up = factor_change(low, up, t[order_of(y[1])])
    return by_low + by_up, None


@rule(scipy.linalg.lu_factor, kind="general", jvp=lu_factor_jvp)
def _(g, y, a, overwrite_a=False, check_finite=True):
    """Square matrices; the exchanges are constant."""
    real_square(a)
    low, up = unpacked(y[0])
    return factor_pullback(low, up, np.tril(g[0], -1), np.triu(g[0]))[np.argsort(order_of(y[1]))]


@definition(scipy.linalg.qr)
def qr(a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full", pivoting: Any = False, check_finite: Any = True) -> Any:
    """Without exchanges of columns; with ``mode='full'`` of matrices that are not taller than wide."""
    if pivoting:
        raise NotImplementedError("qr with pivoting=True has no derivative; exchange the columns first")
    if mode == "full" and a.shape[0] > a.shape[1]:
        raise NotImplementedError("the columns that qr adds with mode='full' have no derivative; pass mode='economic'")
    if mode == "r":
        return (np.linalg.qr(a, "r"),)
    return np.linalg.qr(a)


@definition(scipy.linalg.polar)
def polar(a: Any, side: Any = "right") -> Any:
    """The orthogonal and the positive factor of a matrix of full rank."""
    w, s, vh = np.linalg.svd(a, full_matrices=False)
    return w @ vh, (np.conj(vh).T * s) @ vh if side == "right" else (w * s) @ np.conj(w).T
