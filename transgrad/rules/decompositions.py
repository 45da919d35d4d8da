"""Factorizations and spectra.

Eigenvectors and singular vectors are differentiated under the assumption that the values are distinct, and under the phase
that the library happened to choose: results that depend on that phase have no derivative.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..runtime import of_square, of_tall
from .linalg import eye_of, turned
from .registry import rule
from .static import NoDerivative, is_complex, lifted, part, same

full_svd = lifted(np.linalg.svd)
square, tall_factor = lifted(of_square), lifted(of_tall)
larger = lifted(operator.gt)
#: Entries smaller than this fraction of the largest entry count as 0.
_ROUNDING = 1e-12
#: A dependence on an arbitrary phase above this part of all contributions is none of rounding.
_ARBITRARY = 1e-8


def adjoint(a: Any) -> Any:
    """The conjugate transpose."""
    return np.conj(turned(a)) if is_complex(a) else turned(a)


def conj(a: Any) -> Any:
    """The conjugate, which for a real matrix is itself."""
    return np.conj(a) if is_complex(a) else a


def lower_half(a: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    return np.tril(a) - 0.5 * (a * eye_of(a, -1))


def by_gaps(w: Any, x: Any) -> Any:
    """x[i, j] / (w[j] - w[i]), and 0 on the diagonal.

    The vectors of equal values may turn among themselves: 0 where nothing depends on it, and not a number where x is not 0.
    """
    d = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    none = same(d, 0)
    size = np.abs(x)
    lost = none * (1.0 - eye_of(d, -1)) * larger(size, _ROUNDING * np.max(size, axis=(-2, -1), keepdims=True, initial=0.0))
    return np.where(lost, np.nan, (1.0 / (d + none) - none) * x)


def hermitian(a: Any) -> Any:
    """The Hermitian part: only that of a matrix reaches its Hermitian eigenvalues."""
    return 0.5 * (a + adjoint(a))


def used_part(s: Any, uplo: str) -> Any:
    """The derivative by the triangle that is read, of one by the whole Hermitian matrix."""
    diagonal = s * eye_of(s, -1)
    return 2.0 * (np.tril(s) if uplo.upper() == "L" else np.triu(s)) - diagonal


def completed(t: Any, uplo: str) -> Any:
    """The Hermitian matrix of which the triangle is read."""
    half = np.tril(t, -1) if uplo.upper() == "L" else np.triu(t, 1)
    d = t * eye_of(t, -1)
    return half + adjoint(half) + (np.real(d) if is_complex(d) else d)


def cholesky_jvp(t, y, a, *, upper=False):
    low = adjoint(y) if upper else y
    s = np.linalg.solve(low, adjoint(np.linalg.solve(low, completed(t, "U" if upper else "L"))))
    out = low @ lower_half(s)
    return adjoint(out) if upper else out


@rule(np.linalg.cholesky, kind="general", jvp=cholesky_jvp)
def _(g, y, a, *, upper=False):
    """Only the triangle that is read has a derivative."""
    up, bar = (y, turned(g)) if upper else (adjoint(y), conj(g))
    inner = lower_half(up @ bar)
    s = np.linalg.solve(up, adjoint(np.linalg.solve(up, adjoint(inner))))
    return conj(used_part(hermitian(s), "U" if upper else "L"))


def eigh_jvp(t, y, a, UPLO="L"):
    w, v = y
    s = adjoint(v) @ completed(t, UPLO) @ v
    d = np.diagonal(s, 0, -2, -1)
    return np.real(d) if is_complex(d) else d, v @ by_gaps(w, s)


@rule(np.linalg.eigh, kind="general", jvp=eigh_jvp)
def _(g, y, a, UPLO="L"):
    """Only the triangle that is read has a derivative. Eigenvectors of equal eigenvalues have none if they are used individually: NaN."""
    w, v = y
    inner = np.expand_dims(part(g, y, 0), -1) * eye_of(a, -1)
    if g[1] is not None:
        inner = inner + by_gaps(w, adjoint(v) @ conj(g[1]))
    s = v @ inner @ adjoint(v)
    return conj(used_part(hermitian(s), UPLO))


def eigvalsh_jvp(t, y, a, UPLO="L"):
    v = np.linalg.eigh(a, UPLO)[1]
    d = np.diagonal(adjoint(v) @ completed(t, UPLO) @ v, 0, -2, -1)
    return np.real(d) if is_complex(d) else d


@rule(np.linalg.eigvalsh, kind="general", jvp=eigvalsh_jvp)
def _(g, y, a, UPLO="L"):
    """Only the triangle that is read has a derivative; of equal values each has that of its own vector."""
    v = np.linalg.eigh(a, UPLO)[1]
    return conj(used_part((v * np.expand_dims(g, -2)) @ adjoint(v), UPLO))


def real_component(v: Any) -> Any:
    """The reciprocal of the component of each vector that LAPACK makes real, the largest one, in its place; 0 elsewhere.

    Real vectors have no phase: 0 everywhere.
    """
    if np.isrealobj(v):
        return np.zeros_like(v)
    size = np.where(v.imag == 0.0, np.abs(v), -1.0)
    chosen = np.arange(v.shape[-2])[:, None] == np.expand_dims(np.argmax(size, axis=-2), -2)
    return np.where(chosen, 1.0 / np.where(chosen, v.real, 1.0), 0.0)


real_component_of: Any = lifted(real_component)


@rule(real_component, kind="general", jvp=lambda t, y, v: -np.real(t) * y * y)
def _(g, y, v):
    return -g * y * y


def as_real_as(x: Any, like: Any) -> Any:
    """The real part where another array is real: the types of eigenvectors are only known at run time."""
    return np.real(x) if np.isrealobj(like) else x


with_field_of: Any = lifted(as_real_as)


@rule(as_real_as, kind="general", jvp=(lambda t, y, x, like: with_field_of(t, like), None))
def _(g, y, x, like):
    return with_field_of(g, like), None


def normalized_change(turn: Any, v: Any) -> Any:
    """The tangents of vectors of length 1 whose largest component is real, from tangents without regard to length and phase."""
    length = np.real(np.sum(np.conj(v) * turn, axis=-2, keepdims=True))
    phase = np.imag(np.sum(real_component_of(v) * turn, axis=-2, keepdims=True))
    return with_field_of(turn - v * (length + 1j * phase), v)


def normalized_cotangent(g: Any, v: Any) -> Any:
    """The cotangents of vectors without regard to length and phase, from those of normalized vectors."""
    along = np.sum(v * g, axis=-2, keepdims=True)
    return g - np.conj(v) * np.real(along) - 1j * real_component_of(v) * np.imag(along)


def unit_change(turn: Any, v: Any) -> Any:
    """The tangents of vectors of length 1 whose phase is arbitrary: that of the phase is 0."""
    return with_field_of(turn - v * np.real(np.sum(np.conj(v) * turn, axis=-2, keepdims=True)), v)


def unit_cotangent(g: Any, v: Any) -> Any:
    """The cotangents of vectors without regard to length, from those of vectors of length 1: NaN where something depends on their phase,
    which is arbitrary."""
    along = np.sum(v * g, axis=-2, keepdims=True)
    size = np.sum(np.abs(v * g), axis=-2, keepdims=True)
    return np.where(larger(np.abs(np.imag(along)), _ARBITRARY * size), np.nan, g - np.conj(v) * np.real(along))


def eig_jvp(t, y, a):
    w, v = y
    s = np.linalg.solve(v, np.matmul(t, v))
    return np.diagonal(s, 0, -2, -1), normalized_change(v @ by_gaps(w, s), v)


@rule(np.linalg.eig, kind="general", jvp=eig_jvp)
def _(g, y, a):
    """Eigenvectors of equal eigenvalues have no derivative if they are used individually: NaN. LAPACK chooses their norm and phase."""
    w, v = y
    inner = np.expand_dims(part(g, y, 0), -1) * eye_of(a, -1)
    if g[1] is not None:
        inner = inner + by_gaps(w, turned(v, a) @ normalized_cotangent(g[1], v))
    return np.linalg.solve(turned(v, a), inner @ turned(v, a))


@rule(np.linalg.eigvals, kind="general", jvp=lambda t, y, a: eigvals_jvp(t, a))
def _(g, y, a):
    """Where the vectors do not span the space (a defective matrix) there is no derivative, and solving fails."""
    v = np.linalg.eig(a)[1]
    return np.linalg.solve(turned(v, a), np.expand_dims(g, -1) * turned(v, a))


def eigvals_jvp(t: Any, a: Any) -> Any:
    v = np.linalg.eig(a)[1]
    return np.diagonal(np.linalg.solve(v, np.matmul(t, v)), 0, -2, -1)


def svd_jvp(t, y, a, full_matrices=True, compute_uv=True, hermitian=False):
    refuse_hermitian(hermitian)
    if compute_uv is False:
        u, _s, vh = full_svd(a, full_matrices=False)
        d = np.diagonal(adjoint(u) @ t @ adjoint(vh), 0, -2, -1)
        return np.real(d) if is_complex(d) else d
    u, s, vh = y
    u = square(u, vh) if full_matrices else u
    v = adjoint(vh)
    inner = adjoint(u) @ t @ v
    row = np.expand_dims(s, -2)
    turn, d = by_gaps(s * s, inner * row + np.expand_dims(s, -1) * adjoint(inner)), np.diagonal(inner, 0, -2, -1)
    du = u @ (turn + phase_turn(d, s) if is_complex(a) else turn)
    dv = v @ by_gaps(s * s, np.expand_dims(s, -1) * inner + adjoint(inner) * row)
    return (du + (t @ v - u @ (adjoint(u) @ (t @ v))) / row, np.real(d) if is_complex(a) else d,
            adjoint(dv + (adjoint(t) @ u - v @ (vh @ (adjoint(t) @ u))) / row))


def phase_turn(d: Any, s: Any) -> Any:
    """How the phases of left singular vectors turn: that of a pair is only determined together."""
    return np.expand_dims(1j * np.imag(d) / s, -1) * eye_of(s, -1)


def refuse_hermitian(hermitian: Any) -> None:
    """With ``hermitian=True`` one triangle is read, as in eigh."""
    if hermitian:
        raise NoDerivative("np.linalg.svd and np.linalg.pinv have no derivative with hermitian=True", None, "call np.linalg.eigh")


@rule(np.linalg.svd, kind="general", jvp=svd_jvp)
def _(g, y, a, full_matrices=True, compute_uv=True, hermitian=False):
    """Vectors of equal singular values have no derivative if they are used individually: NaN; singular values of 0 give infinities.
    With ``full_matrices``, vectors beyond the number of singular values must not be used."""
    refuse_hermitian(hermitian)
    if compute_uv is False:
        u, _s, vh = full_svd(a, full_matrices=False)
        return conj((u * np.expand_dims(g, -2)) @ vh)
    u, s, vh = y
    if g[0] is None and g[2] is None:
        k = s.shape[-1]
        return conj((u[..., :, :k] * np.expand_dims(g[1], -2)) @ vh[..., :k, :])
    if full_matrices:       # of those that nothing reads there may be more
        u, vh = u[..., :, :s.shape[-1]] if g[0] is None else u, vh[..., :s.shape[-1], :] if g[2] is None else vh
        u = square(u, vh)
    v, row = adjoint(vh), np.expand_dims(s, -2)
    inner = np.expand_dims(part(g, y, 1), -1) * eye_of(s, -1)
    gu = np.zeros_like(u) if g[0] is None else conj(g[0])
    gv = turned(np.zeros_like(vh) if g[2] is None else g[2])
    turn = adjoint(u) @ gu
    if is_complex(a):
        inner = inner + phase_turn(np.diagonal(turn, 0, -2, -1), s)
    k, h = by_gaps(s * s, turn), by_gaps(s * s, vh @ gv)
    out = u @ (inner + (k + adjoint(k)) * row + np.expand_dims(s, -1) * (h + adjoint(h))) @ vh
    return conj(out + ((gu - u @ turn) / row) @ vh + u @ adjoint((gv - v @ (vh @ gv)) / row))


@rule(np.linalg.svdvals, kind="general", jvp=lambda t, y, x: svd_jvp(t, y, x, compute_uv=False))
def _(g, y, x):
    """Of equal values each has the derivative of its own pair of vectors."""
    u, _s, vh = full_svd(x, full_matrices=False)
    return conj((u * np.expand_dims(g, -2)) @ vh)


def tall(mode: str) -> None:
    """Only the reduced factors, of a matrix with at least as many rows as columns, are differentiated."""
    if mode not in ("reduced", "r"):
        raise NoDerivative(f"no derivative of qr in mode {mode!r}")


def reduced_factors(y: Any, a: Any, mode: str) -> Any:
    """The factors of a matrix, of which ``mode`` says whether both were computed."""
    if mode == "reduced":
        return y[0], tall_factor(y[1])
    r = tall_factor(y)
    return turned(np.linalg.solve(turned(r), turned(a))), r


def qr_jvp(t, y, a, mode="reduced"):
    tall(mode)
    q, r = reduced_factors(y, a, mode)
    s = turned(np.linalg.solve(turned(r), turned(t)))
    inner = adjoint(q) @ s
    half = np.tril(inner, -1)
    turn = half - adjoint(half)
    if is_complex(a):       # the diagonal of R stays real
        turn = turn + 1j * np.imag(inner) * eye_of(inner, -1)
    dr = (inner - turn) @ r
    return dr if mode == "r" else (q @ turn + s - q @ inner, dr)


@rule(np.linalg.qr, kind="general", jvp=qr_jvp)
def _(g, y, a, mode="reduced"):
    """The columns are assumed to be independent."""
    tall(mode)
    q, r = reduced_factors(y, a, mode)
    gr = conj(g if mode == "r" else part(g, y, 1))
    m = r @ adjoint(gr)
    if mode == "r" or g[0] is None:
        return conj(adjoint(np.linalg.solve(r, adjoint(q @ hermitian_lower(m)))))
    gq = conj(g[0])
    m = m - adjoint(gq) @ q
    return conj(adjoint(np.linalg.solve(r, adjoint(gq + q @ hermitian_lower(m)))))


def hermitian_lower(m: Any) -> Any:
    """The Hermitian matrix with the lower triangle of ``m``."""
    half = np.tril(m, -1)
    return half + adjoint(half) + (np.real(m) if is_complex(m) else m) * eye_of(m, -1)
