"""Norms of vectors and matrices: the derivative is 0 where the norm is 0, and tied largest elements, sums or singular values share."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .at_zero import over
from .registry import rule
from .static import axes_of, is_complex, ndim, options, restore, same


def known(order: Any) -> Any:
    """An order that is known at compile time, such as ``np.inf``."""
    return getattr(order, "value", order)


def vector_slope(x: Any, y: Any, order: Any, axis: Any, keepdims: Any) -> Any:
    """The derivative of a vector norm by the elements."""
    spread = restore(y, axis, keepdims)
    order = known(order)
    if order is None or order == 2:
        return over(np.conj(x) if is_complex(x) else x, spread)
    unit = np.conj(np.sign(x)) if is_complex(x) else np.sign(x)
    if order == 0:
        return np.zeros_like(x)
    if order == 1:
        return unit
    if order in (math.inf, -math.inf):
        hit = same(np.abs(x), spread)
        return unit * hit / np.sum(hit, **options(axis=axis, keepdims=axis is not None))
    size = np.abs(x)
    return unit * over(size, spread) ** (order - 1) if order > 1 else unit * (size + same(size, 0)) ** (order - 1) * spread ** (1 - order)


def sums_slope(x: Any, order: Any, rows: int, columns: int) -> Any:
    """The derivative of the largest (smallest) sum of absolute values in a column or row."""
    along, across = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = np.sum(np.abs(x), axis=along, keepdims=True)
    best = np.max(sums, axis=across, keepdims=True) if order > 0 else np.min(sums, axis=across, keepdims=True)
    hit = same(sums, best)
    unit = np.conj(np.sign(x)) if is_complex(x) else np.sign(x)
    return unit * hit / np.sum(hit, axis=across, keepdims=True)


def spectral_slope(x: Any, order: Any) -> Any:
    """The derivative of a norm made of the singular values."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    if order == "nuc":
        return np.conj(u @ vh) if is_complex(x) else u @ vh
    hit = same(s, np.expand_dims(np.max(s, axis=-1) if order > 0 else np.min(s, axis=-1), -1))
    w = hit / np.sum(hit, axis=-1, keepdims=True)
    product = (u * np.expand_dims(w, -2)) @ vh
    return np.conj(product) if is_complex(x) else product


def norm_slope(x: Any, y: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    """The derivative of `np.linalg.norm` by the elements."""
    axes, ord = axes_of(axis, ndim(x)), known(ord)
    if ord is None or ord == "fro" or len(axes) == 1 or ndim(x) == 0:
        return vector_slope(x, y, None if ord == "fro" else ord, axis, keepdims)
    if isinstance(ord, str) or abs(ord) == 2:
        last = (ndim(x) - 2, ndim(x) - 1)
        return spectral_slope(x, ord) if axes == last else np.moveaxis(spectral_slope(np.moveaxis(x, axes, last), ord), last, axes)
    return sums_slope(x, ord, *axes)


def norm_jvp(t, y, x, ord=None, axis=None, keepdims=False):
    return np.sum(norm_slope(x, y, ord, axis, keepdims) * t, **options(axis=axis, keepdims=keepdims))


@rule(np.linalg.norm, kind="general", jvp=norm_jvp)
def _(g, y, x, ord=None, axis=None, keepdims=False):
    """The derivative is 0 where the norm is 0; tied largest elements, sums or singular values share equally."""
    if ord is None and axis is None:
        return over(g, y) * (np.conj(x) if is_complex(x) else x)
    return restore(g, axis, keepdims) * norm_slope(x, y, ord, axis, keepdims)


@rule(np.linalg.vector_norm, kind="general", jvp=lambda t, y, x, *, axis=None, keepdims=False, ord=2:
      np.sum(vector_slope(x, y, ord, axis, keepdims) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, x, *, axis=None, keepdims=False, ord=2):
    """The derivative is 0 where the norm is 0; tied largest elements share equally."""
    return restore(g, axis, keepdims) * vector_slope(x, y, ord, axis, keepdims)


@rule(np.linalg.matrix_norm, kind="general", jvp=lambda t, y, x, *, keepdims=False, ord="fro":
      norm_jvp(t, y, x, ord, (-2, -1), keepdims))
def _(g, y, x, *, keepdims=False, ord="fro"):
    """The derivative is 0 where the norm is 0; tied largest sums or singular values share equally."""
    return restore(g, (-2, -1), keepdims) * norm_slope(x, y, ord, (-2, -1), keepdims)
