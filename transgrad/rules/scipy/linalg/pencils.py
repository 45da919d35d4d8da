"""Eigenvalues of general matrices and of pairs of them: A v = w B v, with left vectors, and the Hermitian pairs of eigh."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import Arr, TupleT
from ...decompositions import (
    adjoint,
    by_gaps,
    completed,
    conj,
    hermitian,
    normalized_change,
    normalized_cotangent,
    unit_change,
    unit_cotangent,
    used_part,
)
from ...linalg import eye_of
from ...registry import definition, rule
from ...static import NoDerivative, eye, is_complex, lifted, part
from .spectra import side


def adjoint_of(m: Any) -> Any:
    """The conjugate transpose of a matrix that may not be there."""
    return None if m is None else adjoint(m)


def affine(homogeneous: Any) -> None:
    if homogeneous:
        raise NoDerivative("homogeneous_eigvals=True has no derivative: only the quotients of the eigenvalues have one")


def real_for(a: Any, entry: Any) -> Any:
    """The cotangent of a real matrix is real, even if its eigenvalues are complex."""
    return entry if is_complex(a) else np.real(entry)


def results(y: Any, left: Any, right: Any) -> tuple[Any, Any, Any]:
    """The values, the left vectors and the right vectors in the result of eig; None for those not requested."""
    if left and right:
        return y[0], y[1], y[2]
    return (y[0], y[1], None) if left else (y[0], None, y[1]) if right else (y, None, None)


def complex_vectors(a: Any, b: Any = None) -> Any:
    """The right eigenvectors, always complex."""
    return scipy.linalg.eig(a, b)[1].astype(complex)


vectors_of = lifted(complex_vectors)
SHAPES[complex_vectors] = lambda a, b=None: Arr("complex128", a.type.dims) if isinstance(a.type, Arr) else None


@rule(complex_vectors, kind="general", jvp=(lambda t, y, a, b=None: vectors_change(t, None, y, a, b),
                                            lambda t, y, a, b=None: vectors_change(None, t, y, a, b)))
def _(g, y, a, b=None):
    by_a, by_b = pair_cotangent(np.zeros_like(y[0]), g, values_of(y, a, b), y, b)
    return real_for(a, by_a), None if b is None else real_for(b, by_b)


def values_of(v: Any, a: Any, b: Any) -> Any:
    """The values that belong to right vectors."""
    return np.diagonal(np.linalg.solve(v if b is None else b @ v, a @ v))


def vectors_change(dot_a: Any, dot_b: Any, v: Any, a: Any, b: Any) -> Any:
    return pair_tangent(dot_a, dot_b, values_of(v, a, b), v, a, b)[1]


def pair_tangent(dot_a, dot_b, w, v, a, b):
    """The tangents of the values and right vectors, which may be real although the values are of complex type."""
    wide = v + np.zeros_like(np.expand_dims(w, -2))
    scaled = wide if b is None else (b + 0j) @ wide
    change = (0.0 if dot_a is None else (dot_a + 0j) @ wide) - (0.0 if dot_b is None else ((dot_b + 0j) @ wide) * np.expand_dims(w, -2))
    s = np.linalg.solve(scaled, change + 0.0 * scaled)
    return np.diagonal(s), (normalized_change if b is None else unit_change)(wide @ by_gaps(w, s), v)


def pair_cotangent(gw, gv, w, v, b):
    """The cotangents of the two matrices, for those of the values and right vectors."""
    wide = v + np.zeros_like(np.expand_dims(w, -2))
    inner = np.expand_dims(gw, -1) * eye(w.shape[0])
    if gv is not None:
        inner = inner + by_gaps(w, wide.T @ (normalized_cotangent if b is None else unit_cotangent)(gv, v))
    s = np.linalg.solve((wide if b is None else (b + 0j) @ wide).T, inner)
    return s @ wide.T, -(s * np.expand_dims(w, -2)) @ wide.T


def eig_change(dot_a, dot_b, y, a, b, left=False, right=True, homogeneous_eigvals=False, **how):
    affine(homogeneous_eigvals)
    w, vl, vr = results(y, left, right)
    if vr is None:
        vr = vectors_of(a, b)
    dw, dr = pair_tangent(dot_a, dot_b, w, vr, a, b)
    if not left:
        return (dw, dr) if right else dw
    dl = pair_tangent(adjoint_of(dot_a), adjoint_of(dot_b), np.conj(w), vl, adjoint(a), adjoint_of(b))[1]
    return (dw, dl, dr) if right else (dw, dl)


@rule(scipy.linalg.eig, kind="general", jvp=(lambda t, y, a, b=None, *rest, **how: eig_change(t, None, y, a, b, *rest, **how),
                                             lambda t, y, a, b=None, *rest, **how: eig_change(None, t, y, a, b, *rest, **how)))
def _(g, y, a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True, homogeneous_eigvals=False):
    """The eigenvalues are assumed to be distinct. The vectors have length 1 and, without ``b``, a real largest component, as LAPACK makes
    them. The phase of complex vectors of a pair is arbitrary: results that depend on it have the cotangent NaN."""
    affine(homogeneous_eigvals)
    w, vl, vr = results(y, left, right)
    gw, gl, gr = results(g, left, right)
    v = vectors_of(a, b) if vr is None else vr
    by_a, by_b = pair_cotangent(np.zeros_like(w) if gw is None else gw, gr, w, v, b)
    if gl is not None:
        la, lb = pair_cotangent(np.zeros_like(w), gl, np.conj(w), vl, adjoint_of(b))
        by_a, by_b = by_a + np.conj(la.T), by_b + np.conj(lb.T)
    return real_for(a, by_a), None if b is None else real_for(b, by_b)


def eigvals_change(dot_a, dot_b, y, a, b, homogeneous_eigvals=False, **how):
    affine(homogeneous_eigvals)
    return pair_tangent(dot_a, dot_b, y, vectors_of(a, b), a, b)[0]


@rule(scipy.linalg.eigvals, kind="general", jvp=(lambda t, y, a, b=None, **how: eigvals_change(t, None, y, a, b, **how),
                                                 lambda t, y, a, b=None, **how: eigvals_change(None, t, y, a, b, **how)))
def _(g, y, a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False):
    """Where the vectors do not span the space there is no derivative, and solving fails."""
    affine(homogeneous_eigvals)
    by_a, by_b = pair_cotangent(g, None, y, vectors_of(a, b), b)
    return real_for(a, by_a), None if b is None else real_for(b, by_b)


# Hermitian pairs.  The problems A B v = w v and B A v = w v are those of (B A B, B) and of (A, inv(B)).
def equivalent(a, b, type):
    """The pair of matrices of the problem A v = w B v with the same values and vectors."""
    return (a, b) if type == 1 else (b @ a @ b, b) if type == 2 else (a, np.linalg.inv(b))


def equivalent_jvp(da, db, a, b, type):
    if type == 1:
        return da, db
    if type == 2:
        return db @ a @ b + b @ da @ b + b @ a @ db, db
    inverse = np.linalg.inv(b)
    return da, -inverse @ db @ inverse


def equivalent_pullback(ga, gb, a, b, type):
    if type == 1:
        return ga, gb
    if type == 2:
        return b @ ga @ b, gb + a @ b @ ga + ga @ b @ a
    inverse = np.linalg.inv(b)
    return ga, -inverse @ gb @ inverse


def hermitian_pair(a: Any, b: Any, lower: Any, type: Any) -> Any:
    """All values and vectors of a Hermitian pair."""
    return scipy.linalg.eigh(a, b, lower=lower, type=type)


def definite_jvp(da, db, y, a, b, lower, type):
    uplo = side(lower)
    whole = completed(a, uplo), completed(b, uplo)
    w, v = y
    da, db = equivalent_jvp(completed(da, uplo), completed(db, uplo), *whole, type)
    r = adjoint(v) @ db @ v
    s = adjoint(v) @ da @ v - r * np.expand_dims(w, -2)
    d = np.diagonal(s)
    return np.real(d) if is_complex(d) else d, v @ (by_gaps(w, s) - 0.5 * r * eye_of(r, -1))


@rule(hermitian_pair, kind="general", jvp=(lambda t, y, a, b, lower, type: definite_jvp(t, np.zeros_like(b), y, a, b, lower, type),
                                           lambda t, y, a, b, lower, type: definite_jvp(np.zeros_like(a), t, y, a, b, lower, type)))
def _(g, y, a, b, lower, type):
    """The triangles that are read have the derivative. The values are assumed to be distinct if the vectors are used."""
    uplo = side(lower)
    w, v = y
    by_s = np.expand_dims(part(g, y, 0), -1) * eye_of(v, -1)
    turn = adjoint(v) @ conj(part(g, y, 1))
    by_s = by_s + by_gaps(w, turn)
    by_r = -by_s * np.expand_dims(w, -2) - 0.5 * turn * eye_of(v, -1)
    found = equivalent_pullback(hermitian(v @ by_s @ adjoint(v)), hermitian(v @ by_r @ adjoint(v)), completed(a, uplo), completed(b, uplo),
                                type)
    return conj(used_part(hermitian(found[0]), uplo)), conj(used_part(hermitian(found[1]), uplo))


def _values_and_vectors(a: Any, b: Any, lower: Any, type: Any) -> Any:
    t = a.type
    return TupleT((Arr({"c": "float64", "f": t.dtype}[t.dtype[0]], t.dims[:1]), t)) if isinstance(t, Arr) and t.dtype[0] in "cf" else None


SHAPES[hermitian_pair] = _values_and_vectors


@definition(scipy.linalg.eigh)
def eigh(a: Any, b: Any = None, *, lower: Any = True, eigvals_only: Any = False, overwrite_a: Any = False, overwrite_b: Any = False,
         type: Any = 1, check_finite: Any = True, subset_by_index: Any = None, subset_by_value: Any = None, driver: Any = None) -> Any:
    """For a pair of matrices. Vectors have a derivative if all of them are requested."""
    w, v = hermitian_pair(a, b, lower, type)
    if eigvals_only:
        return some_of(w, subset_by_index, subset_by_value)
    if subset_by_index is not None or subset_by_value is not None:
        raise NoDerivative("some of the vectors of a generalized Hermitian problem have no derivative here: take the subset of all of them")
    return w, v


def some_of(w: Any, subset_by_index: Any, subset_by_value: Any) -> Any:
    """The values in a subset."""
    if subset_by_index is not None:
        return w[subset_by_index[0]:subset_by_index[1] + 1]
    if subset_by_value is not None:
        return w[(w > subset_by_value[0]) & (w <= subset_by_value[1])]
    return w


@definition(scipy.linalg.eigvalsh)
def eigvalsh(a: Any, b: Any = None, *, lower: Any = True, overwrite_a: Any = False, overwrite_b: Any = False, type: Any = 1,
             check_finite: Any = True, subset_by_index: Any = None, subset_by_value: Any = None, driver: Any = None) -> Any:
    """Of a pair."""
    return some_of(hermitian_pair(a, b, lower, type)[0], subset_by_index, subset_by_value)
