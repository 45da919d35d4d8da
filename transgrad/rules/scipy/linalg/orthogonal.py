"""Orthogonal factors: QR with its options, RQ, products with Q, factors of a matrix that has been changed."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...decompositions import qr_jvp
from ...linalg import turned
from ...registry import constant, definition, rule
from ...static import NoDerivative, part
from .spectra import text_of


def pivots(a: Any) -> Any:
    """The order into which QR with pivoting brings the columns."""
    return scipy.linalg.qr(a, mode="r", pivoting=True)[1]


def row_signs(r: Any, of: Any) -> Any:
    """1 or -1 (for complex matrices a phase) for each row: the signs of LAPACK's triangular factor ``of`` relative to ``r``."""
    d, e = np.diagonal(r), np.diagonal(of)
    return np.where(d == 0.0, 1.0, e / np.where(d == 0.0, 1.0, d) / np.where(d == 0.0, 1.0, np.abs(e / np.where(d == 0.0, 1.0, d))))


constant(pivots, row_signs)
SHAPES[pivots] = lambda a: Arr("int32", (ANY,))
SHAPES[row_signs] = lambda r, of: Arr(r.type.dtype, (ANY,)) if isinstance(r.type, Arr) else None


def reduced(a: Any) -> Any:
    """The factors of a matrix of full rank, tall or wide."""
    m = a.shape[0]
    if m >= a.shape[1]:
        q, r = np.linalg.qr(a)
        return q, r
    q, r = np.linalg.qr(a[:, :m])
    return q, np.concatenate((r, np.conj(q).T @ a[:, m:]), axis=1)


@definition(scipy.linalg.qr)
def qr(a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full", pivoting: Any = False, check_finite: Any = True) -> Any:
    """For matrices of full rank. Column exchanges are constant. With mode='full' a matrix must not have more rows than columns,
    because the additional columns of Q are not unique."""
    if mode == "raw":
        raise NoDerivative("qr(mode='raw') returns Householder's vectors in LAPACK's packing; pass mode='economic'")
    if mode == "full" and a.shape[0] > a.shape[1]:
        raise ValueError("the columns that qr adds with mode='full' have no derivative; pass mode='economic'")
    if pivoting:
        order = pivots(a)
        q, r = reduced(a[:, order])
        if mode == "r":
            return filled_up(r, a), order
        return q, r, order
    q, r = reduced(a)
    if mode == "r":
        return (filled_up(r, a),)
    return q, r


def filled_up(r: Any, a: Any) -> Any:
    """The triangular factor with the zeros below it."""
    return np.pad(r, ((0, a.shape[0] - r.shape[0]), (0, 0)))


def mirrored_factors(r, q):
    """R and Q of an RQ factorization as the factors Q and R of a QR factorization of the matrix turned round."""
    return np.flip(turned(q), 1), np.flip(np.flip(turned(r), 0), 1)


def full_rq(mode: Any, a: Any) -> None:
    if mode == "r":
        raise NoDerivative("rq has a derivative with both factors: leave mode='r' out")


def rq_jvp(t, y, a, overwrite_a=False, lwork=None, mode="full", check_finite=True):
    full_rq(mode, a)
    q, r = qr_jvp(np.flip(turned(t), 1), mirrored_factors(*y), turned(a))
    return np.flip(np.flip(turned(r), 0), 1), turned(np.flip(q, 1))


qr_text = text_of(np.linalg.qr)


@rule(scipy.linalg.rq, kind="general", jvp=rq_jvp)
def _(g, y, a, overwrite_a=False, lwork=None, mode="full", check_finite=True):
    """Of matrices that are not taller than wide and, for mode='full', square."""
    full_rq(mode, a)
    g_q, g_r = mirrored_factors(part(g, y, 0), part(g, y, 1))
    return turned(np.flip(qr_text((g_q, g_r), mirrored_factors(*y), turned(a)), 1))


@definition(scipy.linalg.qr_multiply)
def qr_multiply(a: Any, c: Any, mode: Any = "right", pivoting: Any = False, conjugate: Any = False, overwrite_a: Any = False,
                overwrite_c: Any = False) -> Any:
    """Of matrices of full rank; the exchanges of columns are constant."""
    if pivoting:
        order = pivots(a)
        q, r = reduced(a[:, order])
        return times(q, c, mode, conjugate), r, order
    q, r = reduced(a)
    return times(q, c, mode, conjugate), r


def times(q: Any, c: Any, mode: Any, conjugate: Any) -> Any:
    """The product with Q from either side."""
    q = np.conj(q) if conjugate else q
    return c @ q if mode == "right" else q @ c


def of_update(q: Any, r: Any, u: Any, v: Any) -> Any:
    """LAPACK's triangular factor after an update, which determines its signs."""
    return scipy.linalg.qr_update(q, r, u, v)[1]


def of_delete(q: Any, r: Any, k: Any, p: Any, which: Any) -> Any:
    """That after a deletion."""
    return scipy.linalg.qr_delete(q, r, k, p, which)[1]


def of_insert(q: Any, r: Any, u: Any, k: Any, which: Any) -> Any:
    """That after an insertion."""
    return scipy.linalg.qr_insert(q, r, u, k, which)[1]


constant(of_update, of_delete, of_insert)
SHAPES.update(dict.fromkeys((of_update, of_delete, of_insert),
                            lambda q, r, *rest: Arr(r.type.dtype, (ANY, ANY)) if isinstance(r.type, Arr) else None))


def again(a: Any, of: Any) -> Any:
    """The economic factors of a matrix, with the signs of the triangular factor ``of``."""
    q, r = reduced(a)
    signs = row_signs(r, of)
    return q / signs, r * signs[:, None]




@definition(scipy.linalg.qr_update)
def qr_update(Q: Any, R: Any, u: Any, v: Any, overwrite_qruv: Any = False, check_finite: Any = True) -> Any:
    """The matrix Q is assumed to stay orthogonal; economic factors, or those of a square matrix."""
    square_or_economic(Q, R)
    return again(Q @ np.triu(R) + (np.outer(u, np.conj(v)) if np.ndim(u) == 1 else u @ np.conj(v).T), of_update(Q, R, u, v))


@definition(scipy.linalg.qr_delete)
def qr_delete(Q: Any, R: Any, k: Any, p: Any = 1, which: Any = "row", overwrite_qr: Any = False, check_finite: Any = True) -> Any:
    """The matrix Q is assumed to stay orthogonal; economic factors, or those of a square matrix that loses rows."""
    square_or_economic(Q, R)
    of = of_delete(Q, R, k, p, which)
    axis = 0 if which == "row" else 1
    a = Q @ np.triu(R)
    first = k if k >= 0 else k + a.shape[axis]
    if axis == 0:
        return again(np.concatenate((a[:first], a[first + p:]), axis=0), of)
    return again(np.concatenate((a[:, :first], a[:, first + p:]), axis=1), of)


@definition(scipy.linalg.qr_insert)
def qr_insert(Q: Any, R: Any, u: Any, k: Any, which: Any = "row", rcond: Any = None, overwrite_qru: Any = False,
              check_finite: Any = True) -> Any:
    """The matrix Q is assumed to stay orthogonal; economic factors, or those of a square matrix that gains columns."""
    square_or_economic(Q, R)
    of = of_insert(Q, R, u, k, which)
    a = Q @ np.triu(R)
    if which == "row":
        new = u[None, :] if np.ndim(u) == 1 else u
        first = k if k >= 0 else k + a.shape[0]
        return again(np.concatenate((a[:first], new, a[first:]), axis=0), of)
    new = u[:, None] if np.ndim(u) == 1 else u
    first = k if k >= 0 else k + a.shape[1]
    return again(np.concatenate((a[:, :first], new, a[:, first:]), axis=1), of)


def square_or_economic(q: Any, r: Any) -> None:
    """The columns of a full Q beyond those of the matrix are not unique."""
    if q.shape[1] > r.shape[1]:
        raise ValueError("the columns of Q beyond those of the matrix have no derivative; factor it with mode='economic'")
