"""Banded systems: the adjoint is a banded system too, and its cotangent is restricted to the band."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition, rule
from ...static import lifted

banded = lifted(scipy.linalg.solve_banded)


def _shifted(x: Any, by: int) -> Any:
    """``x[..., j + by]`` at j, 0 outside of the array."""
    out = np.zeros_like(x)
    n = x.shape[-1]
    out[..., max(0, -by):n - max(0, by)] = x[..., max(0, by):n - max(0, -by)]
    return out


def turned_band(low: int, high: int, ab: Any) -> Any:
    """The band of the transposed matrix."""
    return np.stack([_shifted(ab[high + low - k], k - low) for k in range(low + high + 1)])


def outer_band(low: int, high: int, s: Any, x: Any) -> Any:
    """The band of the outer product of s and x, summed over the columns if there are several."""
    rows = [_shifted(np.transpose(s), k - high) * np.transpose(x) for k in range(low + high + 1)]
    return np.stack([r if r.ndim == 1 else np.sum(r, axis=0) for r in rows])


def band_product(low: int, high: int, ab: Any, x: Any) -> Any:
    """The product of a banded matrix and a vector, or several."""
    out = np.zeros_like(np.transpose(x))
    for k in range(low + high + 1):
        out = out + _shifted(ab[k] * np.transpose(x), high - k)
    return np.transpose(out)


def mirrored(half: Any, lower: Any) -> Any:
    """The whole band of a Hermitian matrix of which half is kept."""
    width = half.shape[0] - 1
    if lower:
        return np.stack([*(_shifted(np.conj(half[k]), -k) for k in range(width, 0, -1)), *half])
    return np.stack([*half, *(_shifted(np.conj(half[width - k]), k) for k in range(1, width + 1))])


def folded(full: Any, lower: Any) -> Any:
    """The adjoint of `mirrored`."""
    width = full.shape[0] // 2
    if lower:
        return np.stack([full[width], *(full[width + k] + _shifted(np.conj(full[width - k]), k) for k in range(1, width + 1))])
    return np.stack([*(full[width - k] + _shifted(np.conj(full[width + k]), -k) for k in range(width, 0, -1)), full[width]])


turn = lifted(turned_band)
outer = lifted(outer_band)
product = lifted(band_product)
mirror = lifted(mirrored)
fold = lifted(folded)


@rule(turned_band, kind="linear", linear_in=(2,))
def _(g, y, low, high, ab):
    return None, None, turn(high, low, g)


@rule(outer_band, kind="multilinear", linear_in=(2, 3))
def _(g, y, low, high, s, x):
    return None, None, product(low, high, g, x), product(high, low, turn(low, high, g), s)


@rule(band_product, kind="multilinear", linear_in=(2, 3))
def _(g, y, low, high, ab, x):
    return None, None, outer(low, high, g, x), product(high, low, turn(low, high, ab), g)


@rule(mirrored, kind="linear")
def _(g, y, half, lower):
    return fold(g, lower)


@rule(folded, kind="linear")
def _(g, y, full, lower):
    return mirror(g, lower)


@rule(scipy.linalg.solve_banded, kind="general", jvp=(
    None, lambda t, y, l_and_u, ab, b, **how: -banded(l_and_u, ab, product(l_and_u[0], l_and_u[1], t, y)),
    lambda t, y, l_and_u, ab, b, **how: banded(l_and_u, ab, t)))
def _(g, y, l_and_u, ab, b, **how):
    low, high = l_and_u
    s = banded((high, low), turn(low, high, ab), g)
    return None, -outer(low, high, s, y), s


@definition(scipy.linalg.solveh_banded)
def solveh_banded(ab: Any, b: Any, overwrite_ab: Any = False, overwrite_b: Any = False, lower: Any = False,
                  check_finite: Any = True) -> Any:
    """The solution of a symmetric banded system of which one half is given."""
    width = ab.shape[0] - 1
    if np.iscomplexobj(ab):
        at = 0 if lower else width
        ab = np.concatenate((ab[:at], np.real(ab[at:at + 1]), ab[at + 1:]), axis=0)
    return scipy.linalg.solve_banded((width, width), mirrored(ab, lower), b)


def dense(half: Any, lower: Any) -> Any:
    """The Hermitian matrix of which half of the band is kept."""
    width, n = half.shape[0] - 1, half.shape[1]
    i, j = np.arange(n)[:, None], np.arange(n)
    row, column = np.maximum(i, j), np.minimum(i, j)
    off = row - column
    held = half[np.minimum(off, width), column] if lower else half[np.maximum(width - off, 0), row]
    held = np.where((i >= j) == lower, held, np.conj(held))
    if np.iscomplexobj(half):
        held = np.where(i == j, np.real(held), held)
    return np.where(off <= width, held, 0.0)


def half_band(a: Any, outside: Any, lower: Any) -> Any:
    """The diagonals on one side of a matrix, as a band; ``outside`` has the entries outside of the matrix."""
    n, width = a.shape[0], outside.shape[0] - 1
    k, j = np.arange(width + 1)[:, None], np.arange(n)
    i = j + k if lower else j - (width - k)
    return np.where((i >= 0) & (i < n), a[np.clip(i, 0, n - 1), j], outside)


@definition(scipy.linalg.cholesky_banded)
def cholesky_banded(ab: Any, overwrite_ab: Any = False, lower: Any = False, check_finite: Any = True) -> Any:
    """By the factor of the full matrix."""
    factor = scipy.linalg.cholesky(dense(ab, lower), lower=lower)
    return half_band(factor, ab, lower)


@definition(scipy.linalg.cho_solve_banded)
def cho_solve_banded(cb_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    """The solution of a system whose matrix has been factored by cholesky_banded."""
    cb, lower = cb_and_lower
    width = cb.shape[0] - 1
    if lower:
        first = scipy.linalg.solve_banded((width, 0), cb, b)
        return scipy.linalg.solve_banded((0, width), np.conj(turned_band(width, 0, cb)), first)
    first = scipy.linalg.solve_banded((width, 0), np.conj(turned_band(0, width, cb)), b)
    return scipy.linalg.solve_banded((0, width), cb, first)


@definition(scipy.linalg.eigvals_banded)
def eigvals_banded(a_band: Any, lower: Any = False, overwrite_a_band: Any = False, select: Any = "a", select_range: Any = None,
                   check_finite: Any = True) -> Any:
    """By those of the full matrix."""
    w = scipy.linalg.eigvalsh(dense(a_band, lower))
    if select in ("i", 2):
        return w[select_range[0]:select_range[1] + 1]
    if select in ("v", 1):
        return w[(w > select_range[0]) & (w <= select_range[1])]
    return w


def signs(v: Any, of: Any) -> Any:
    """The numbers of modulus 1 that turn the columns of ``v`` into those of ``of``."""
    inner = np.sum(np.conj(v) * of, axis=0)
    return inner / np.abs(inner)


def banded_vectors(a_band: Any, lower: Any, select: Any, select_range: Any) -> Any:
    """LAPACK's vectors of a banded matrix."""
    return scipy.linalg.eig_banded(a_band, lower, False, False, select, select_range)[1]


constant(signs, banded_vectors)
SHAPES[signs] = lambda v, of: Arr(v.type.dtype, (ANY,)) if isinstance(v.type, Arr) else None
SHAPES[banded_vectors] = lambda a, *rest: Arr(a.type.dtype, (ANY, ANY)) if isinstance(a.type, Arr) else None


@definition(scipy.linalg.eig_banded)
def eig_banded(a_band: Any, lower: Any = False, eigvals_only: Any = False, overwrite_a_band: Any = False, select: Any = "a",
               select_range: Any = None, max_ev: Any = 0, check_finite: Any = True) -> Any:
    """By those of the full matrix."""
    if eigvals_only:
        return scipy.linalg.eigvals_banded(a_band, lower, select=select, select_range=select_range)
    w, v = scipy.linalg.eigh(dense(a_band, lower))
    if select in ("i", 2):
        first, count = select_range[0], select_range[1] + 1 - select_range[0]
    elif select in ("v", 1):
        first, count = np.sum(w <= select_range[0]), np.sum((w > select_range[0]) & (w <= select_range[1]))
    else:
        first, count = 0, w.shape[0]
    held = v[:, first:first + count]
    return w[first:first + count], held * signs(held, banded_vectors(a_band, lower, select, select_range))
