"""Factorizations: Cholesky, LU, QR, polar.  Of the factors of real matrices; the exchanges of rows are constant."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import Arr
from ...decompositions import cholesky_jvp
from ...installed import at_least
from ...linalg import turned
from ...registry import constant, definition, rule
from ...static import concatenate, eye, lifted, part
from .solving import pivot_order
from .spectra import text_of

triangular = lifted(scipy.linalg.solve_triangular)
constant(pivot_order)
order_of = lifted(pivot_order)
cholesky_text = text_of(np.linalg.cholesky)


@rule(scipy.linalg.cholesky, kind="general", jvp=lambda t, y, a, lower=False, **how: cholesky_jvp(t, y, a, upper=not lower))
def cholesky_pullback(g, y, a, lower=False, **how):
    """Only the triangle that is read has a derivative."""
    return cholesky_text(g, y, a, upper=not lower)


def filled(c, lower):
    """The triangle of a factor; the other triangle holds arbitrary values."""
    return np.tril(c) if lower else np.triu(c)


#: whether `cho_factor` clears the triangle that it does not read; before, that stays as it was in the matrix
CLEARS = at_least("scipy", 1, 18)


def untouched(c, lower):
    """The other triangle, where it stays that of the matrix."""
    return 0.0 if CLEARS else np.triu(c, 1) if lower else np.tril(c, -1)


def cholesky_factor(a: Any, lower: Any = False) -> Any:
    """The factor that `cho_factor` finds, in the matrix."""
    return scipy.linalg.cho_factor(a, lower)[0]


@rule(cholesky_factor, kind="general", jvp=lambda t, y, a, lower=False: (
    cholesky_jvp(t, filled(y, lower), a, upper=not lower) + untouched(t, lower)))
def _(g, y, a, lower=False):
    return cholesky_pullback(filled(g, lower), filled(y, lower), a, lower) + untouched(g, lower)


SHAPES[cholesky_factor] = lambda a, *lower: a.type if isinstance(a.type, Arr) else None


@definition(scipy.linalg.cho_factor)
def cho_factor(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """Only the triangle that is read has a derivative; the other one of the factor is that of the matrix, or zero from SciPy 1.18 on."""
    return cholesky_factor(a, lower), lower


def over_pivots(x, up, trans=0):
    """``x`` divided by an upper triangle (``trans``: by its transpose), but for the last column, which is 0: the last pivot may be 0."""
    found = turned(triangular(up[:-1, :-1], turned(x[:, :-1]), trans))
    return np.pad(found, ((0, 0), (0, 1)))


def factor_change(low, up, change):
    """How the factors of ``low @ up`` change with the product; either may be square, and the other longer."""
    k = low.shape[1]
    top, left = low[:k], up[:, :k]
    half = triangular(top, change[:k, :k], 0, True, True)
    below = np.tril(over_pivots(half, left, 1), -1)
    in_low, in_up = top @ below, np.triu(half - below @ left)
    more_low = turned(triangular(left, turned(change[k:, :k] - low[k:] @ in_up), 1))
    more_up = triangular(top, change[:k, k:] - in_low @ up[:, k:], 0, True, True)
    return concatenate((in_low, more_low), 0), concatenate((in_up, more_up), 1)


def factor_pullback(low, up, g_low, g_up):
    """The cotangent of ``low @ up``, from those of the factors."""
    k = low.shape[1]
    top, left = low[:k], up[:, :k]
    below = turned(triangular(left, turned(g_low[k:])))
    beside = triangular(top, g_up[:, k:], 1, True, True)
    in_low, in_up = g_low[:k] - beside @ turned(up[:, k:]), g_up[:, :k] - turned(low[k:]) @ below
    strict = np.tril(turned(top) @ in_low - in_up @ turned(left), -1)
    first = triangular(top, in_up + over_pivots(strict, left), 1, True, True)
    corner = np.zeros_like(below @ beside)
    return concatenate((concatenate((first, beside), 1), concatenate((below, corner), 1)), 0)


def plain_lu(a: Any, permute_l: Any = False, overwrite_a: Any = False, check_finite: Any = True, p_indices: Any = False) -> bool:
    """Whether the permutation comes as a matrix of its own."""
    return not permute_l and not p_indices


@rule(scipy.linalg.lu, kind="general", when=plain_lu, jvp=lambda t, y, a, **how: (None, *factor_change(y[1], y[2], turned(y[0]) @ t)))
def _(g, y, a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """The permutation is constant, and the rank full."""
    p, low, up = y
    return p @ factor_pullback(low, up, part(g, y, 1), part(g, y, 2))


@definition(scipy.linalg.lu)
def lu(a: Any, permute_l: Any = False, overwrite_a: Any = False, check_finite: Any = True, p_indices: Any = False) -> Any:
    """The permutation is constant, and the rank full."""
    p, low, up = scipy.linalg.lu(a)
    if permute_l:
        return p @ low, up
    return np.argmax(p, axis=1), low, up


def unpacked(packed):
    """The two factors that are kept in one matrix."""
    k = np.minimum(packed.shape[0], packed.shape[1])
    return np.tril(packed[:, :k], -1) + eye(packed.shape[0], k), np.triu(packed[:k])


def packed_up(low, up):
    """The two factors, of which the lower one has zeros on the diagonal, in one matrix."""
    rows, columns = low.shape[0], up.shape[1]
    k = low.shape[1]
    return np.pad(low, ((0, 0), (0, columns - k))) + np.pad(up, ((0, rows - k), (0, 0)))


def lu_factor_jvp(t, y, a, **how):
    low, up = unpacked(y[0])
    return packed_up(*factor_change(low, up, t[order_of(y[1], t.shape[0])])), None


@rule(scipy.linalg.lu_factor, kind="general", jvp=lu_factor_jvp)
def _(g, y, a, overwrite_a=False, check_finite=True):
    """The exchanges are constant, and the rank full."""
    low, up = unpacked(y[0])
    k = low.shape[1]
    return factor_pullback(low, up, np.tril(g[0][:, :k], -1), np.triu(g[0][:k]))[np.argsort(order_of(y[1], a.shape[0]))]


@definition(scipy.linalg.polar)
def polar(a: Any, side: Any = "right") -> Any:
    """The orthogonal and the positive factor of a matrix of full rank."""
    w, s, vh = np.linalg.svd(a, full_matrices=False)
    return w @ vh, (np.conj(vh).T * s) @ vh if side == "right" else (w * s) @ np.conj(w).T
