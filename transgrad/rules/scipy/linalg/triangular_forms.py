"""Schur's, Hessenberg's and the generalized Schur form: orthogonal frames that turn so that the form keeps its zeros.

With A = Z T Z', a change dA makes the frame turn by a skew X (dZ = Z X), and dT = Z' dA Z - (X T - T X).  The elements of X below the
diagonal are the solution of the linear system which says that dT has no elements below the diagonal.  That system has n (n - 1) / 2
unknowns: it is solved as it is, which costs n ** 6 operations for an n by n matrix.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, TupleT
from ...decompositions import adjoint, conj
from ...linalg import turned
from ...registry import constant, rule
from ...static import NoDerivative, concatenate, differs, is_complex, lifted, part, same


def below(n: int, by: int) -> tuple[Any, Any]:
    """The rows and columns of the elements ``by`` or more below the diagonal."""
    rows, columns = np.tril_indices(n, -by)
    return rows, columns


def places(n: int, by: int) -> Any:
    """At [i, j] which of these elements that is; for others their number."""
    rows, columns = np.tril_indices(n, -by)
    out = np.full((n, n), len(rows))
    out[rows, columns] = np.arange(len(rows))
    return out


constant(below, places)
below_of, places_of = lifted(below), lifted(places)
_INDICES = Arr("int64", (ANY,))
SHAPES.update({below: lambda n, by: TupleT((_INDICES, _INDICES)), places: lambda n, by: Arr("int64", (ANY, ANY))})
hessenberg = lifted(scipy.linalg.hessenberg)


def column(index: Any) -> Any:
    return np.expand_dims(index, -1)


def turned_rows(t: Any, i: Any, j: Any, a: Any, b: Any) -> Any:
    """The contribution of the rotations of the pairs (a, b) to the elements [i, j] of ``X t``."""
    return same(column(i), a) * t[b, column(j)] - same(column(i), b) * t[a, column(j)]


def turned_columns(t: Any, i: Any, j: Any, a: Any, b: Any) -> Any:
    """Their contribution to the elements of ``t X``."""
    return same(column(j), b) * t[column(i), a] - same(column(j), a) * t[column(i), b]


def spread(w: Any, n: Any, by: int) -> Any:
    """The matrix with the elements ``w`` below the diagonal."""
    return concatenate((w, np.zeros_like(w[:1])))[places_of(n, by)]


def skew(w: Any, n: Any) -> Any:
    """The skew matrix with these elements below the diagonal."""
    low = spread(w, n, 1)
    return low - adjoint(low)


def skew_entries(g: Any, i: Any, j: Any) -> Any:
    """Its transpose."""
    return (g - conj(turned(g)))[i, j]


# A real matrix may have 2 by 2 blocks on the diagonal, marked by a nonzero element below it. LAPACK makes the two diagonal elements of a
# block equal, which determines the rotation within the block.
def schur_system(t: Any) -> tuple[Any, Any, Any, Any]:
    """The system of the rotations, its rows and columns, and the positions of the blocks."""
    i, j = below_of(t.shape[0], 1)

    def turns(p: Any, q: Any) -> Any:
        return turned_rows(t, p, q, i, j) - turned_columns(t, p, q, i, j)
    if is_complex(t):
        return turns(i, j), i, j, None
    block = differs(t[i, j], 0)
    return np.where(column(block), turns(i, i) - turns(j, j), turns(i, j)), i, j, block


def conditions(m: Any, i: Any, j: Any, block: Any) -> Any:
    """The elements of the change of the form that must be zero."""
    return m[i, j] if block is None else np.where(block, m[i, i] - m[j, j], m[i, j])


def conditions_transposed(w: Any, n: Any, block: Any) -> Any:
    if block is None:
        return spread(w, n, 1)
    within = spread(np.where(block, w, 0.0), n, 1)
    return spread(np.where(block, 0.0, w), n, 1) + np.diag(np.sum(within, axis=1) - np.sum(within, axis=0))


def commutator(x: Any, t: Any) -> Any:
    return x @ t - t @ x


def turn_pullback(gx: Any, g: Any, t: Any) -> Any:
    """The cotangent of X, of which ``gx`` comes from the frame, in a change ``m - (X t - t X)`` of the form."""
    return gx - g @ turned(t) + turned(t) @ g


def schur_jvp(dot, y, a, output="real", lwork=None, overwrite_a=False, sort=None, check_finite=True):
    t, z = y[0], y[1]
    system, i, j, block = schur_system(t)
    m = adjoint(z) @ dot @ z
    x = skew(np.linalg.solve(system, conditions(m, i, j, block)), t.shape[0])
    found = m - commutator(x, t), z @ x
    return found if sort is None else (*found, None)


@rule(scipy.linalg.schur, kind="general", jvp=schur_jvp)
def _(g, y, a, output="real", lwork=None, overwrite_a=False, sort=None, check_finite=True):
    """The eigenvalues are assumed to be distinct. The phases of complex vectors are constant, so results that
    depend on them have no derivative.
    """
    t, z = y[0], y[1]
    system, i, j, block = schur_system(t)
    gt = part(g, y, 0)
    gx = turn_pullback(turned(z) @ part(g, y, 1), gt, t)
    w = np.linalg.solve(turned(system), skew_entries(gx, i, j))
    return conj(z) @ (gt + conditions_transposed(w, t.shape[0], block)) @ turned(z)


def shifted(w: Any, n: Any) -> Any:
    """The skew matrix whose first row and column are zero: the first vector of a Hessenberg frame does not turn."""
    low = np.roll(spread(w, n, 2), 1, 1)
    return low - turned(low)


def hessenberg_system(h: Any) -> tuple[Any, Any, Any]:
    i, j = below_of(h.shape[0], 2)
    return turned_rows(h, i, j, i, j + 1) - turned_columns(h, i, j, i, j + 1), i, j


def real_form(*matrices: Any) -> None:
    if any(map(is_complex, matrices)):
        raise NoDerivative("no derivative of this form of complex matrices; scipy.linalg.schur has one")


def hessenberg_jvp(dot, y, a, calc_q=False, **how):
    real_form(a)
    h, q = y if calc_q else hessenberg(a, True)
    system, i, j = hessenberg_system(h)
    m = turned(q) @ dot @ q
    x = shifted(np.linalg.solve(system, m[i, j]), h.shape[0])
    change = m - commutator(x, h)
    return (change, q @ x) if calc_q else change


@rule(scipy.linalg.hessenberg, kind="general", jvp=hessenberg_jvp)
def _(g, y, a, calc_q=False, overwrite_a=False, check_finite=True):
    """The subdiagonal elements are assumed to be nonzero."""
    real_form(a)
    h, q = y if calc_q else hessenberg(a, True)
    system, i, j = hessenberg_system(h)
    gh = part(g, y, 0) if calc_q else g
    gx = turn_pullback(turned(q) @ part(g, y, 1) if calc_q else np.zeros_like(h), gh, h)
    w = np.linalg.solve(turned(system), skew_entries(gx, i, j + 1))
    return q @ (gh + spread(w, h.shape[0], 2)) @ turned(q)


# Two matrices: A = Q S Z', B = Q T Z'.  In a 2 by 2 block of S, that of T is diagonal.
def pair_system(s: Any, t: Any) -> tuple[Any, Any, Any, Any]:
    """The system of the rotations of Q (first) and of Z."""
    i, j = below_of(s.shape[0], 1)
    block = differs(s[i, j], 0)

    def rows(m: Any, p: Any, q: Any) -> Any:
        return concatenate((turned_rows(m, p, q, i, j), -turned_columns(m, p, q, i, j)), 1)
    return concatenate((np.where(column(block), rows(t, j, i), rows(s, i, j)), rows(t, i, j)), 0), i, j, block


def pair_turns(s: Any, t: Any, ms: Any, mt: Any) -> tuple[Any, Any]:
    """The skew matrices by which the frames turn."""
    system, i, j, block = pair_system(s, t)
    w = np.linalg.solve(system, concatenate((np.where(block, mt[j, i], ms[i, j]), mt[i, j]), 0))
    count = i.shape[0]
    return skew(w[:count], s.shape[0]), skew(w[count:], s.shape[0])


def pair_jvp(dot_s, dot_t, s, t, q, z):
    """The tangents of the four factors, for those of the two matrices."""
    real_form(s)
    ms, mt = turned(q) @ dot_s @ z, turned(q) @ dot_t @ z
    x, y = pair_turns(s, t, ms, mt)
    return ms - x @ s + s @ y, mt - x @ t + t @ y, q @ x, z @ y


def pair_pullback(gs, gt, gq, gz, s, t, q, z):
    """The cotangents of the two matrices."""
    real_form(s)
    system, i, j, block = pair_system(s, t)
    gx = turned(q) @ gq - gs @ turned(s) - gt @ turned(t)
    gy = turned(z) @ gz + turned(s) @ gs + turned(t) @ gt
    w = np.linalg.solve(turned(system), concatenate((skew_entries(gx, i, j), skew_entries(gy, i, j)), 0))
    first, second = w[:i.shape[0]], w[i.shape[0]:]
    n = s.shape[0]
    by_s = gs + spread(np.where(block, 0.0, first), n, 1)
    by_t = gt + spread(second, n, 1) + turned(spread(np.where(block, first, 0.0), n, 1))
    return q @ by_s @ turned(z), q @ by_t @ turned(z)


def zero_if_none(t: Any, like: Any) -> Any:
    return np.zeros_like(like) if t is None else t


@rule(scipy.linalg.qz, kind="general", jvp=(
    lambda dot, y, A, B, **how: pair_jvp(dot, np.zeros_like(B), *y), lambda dot, y, A, B, **how: pair_jvp(np.zeros_like(A), dot, *y)))
def _(g, y, A, B, output="real", lwork=None, sort=None, overwrite_a=False, overwrite_b=False, check_finite=True):
    """Real forms, of matrices with distinct generalized eigenvalues."""
    by_a, by_b = pair_pullback(part(g, y, 0), part(g, y, 1), part(g, y, 2), part(g, y, 3), *y)
    return by_a, by_b


def ordered_jvp(dot_a, dot_b, y):
    s, t, q, z = pair_jvp(dot_a, dot_b, y[0], y[1], y[4], y[5])
    return s, t, None, None, q, z


@rule(scipy.linalg.ordqz, kind="general", jvp=(
    lambda dot, y, A, B, sort="lhp", **how: ordered_jvp(dot, np.zeros_like(B), y),
    lambda dot, y, A, B, sort="lhp", **how: ordered_jvp(np.zeros_like(A), dot, y)))
def _(g, y, A, B, sort="lhp", output="real", overwrite_a=False, overwrite_b=False, check_finite=True):
    """As qz; for the eigenvalues take the diagonals of the two forms."""
    if g[2] is not None or g[3] is not None:
        raise NoDerivative("alpha and beta of ordqz have no derivative; take the diagonals of its first two results")
    by_a, by_b = pair_pullback(part(g, y, 0), part(g, y, 1), part(g, y, 4), part(g, y, 5), y[0], y[1], y[4], y[5])
    return by_a, by_b


def _same_shape(count: int) -> Any:
    def found(a: Any, *args: Any, **kwargs: Any) -> Any:
        t = a.type
        if not isinstance(t, Arr) or t.dtype not in ("float64", "complex128") or "sort" in kwargs:
            return None
        output = getattr(kwargs.get("output", args[0] if args and count == 2 else args[1] if len(args) > 1 else None), "value", "real")
        made = Arr("complex128", t.dims) if str(output).startswith("c") else t
        return TupleT((made,) * count)
    return found


def _hessenberg(a: Any, calc_q: Any = None, **kwargs: Any) -> Any:
    return None if not isinstance(a.type, Arr) else TupleT((a.type, a.type)) if getattr(calc_q, "value", calc_q) else a.type


SHAPES.update({scipy.linalg.schur: _same_shape(2), scipy.linalg.qz: _same_shape(4), scipy.linalg.hessenberg: _hessenberg})
