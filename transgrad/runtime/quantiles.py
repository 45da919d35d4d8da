"""The shares of elements in quantiles."""
from __future__ import annotations

from typing import Any

import numpy as np

from .numbers import of_numpy

__all__ = ["median_weights", "quantile_weights"]

#: method of a quantile to the two numbers that say where between the elements it lies; others pick an element
_CONTINUOUS = {"linear": (1.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "median_unbiased": (1 / 3, 1 / 3),
               "normal_unbiased": (0.375, 0.375), "interpolated_inverted_cdf": (0.0, 1.0)}


def median_weights(x: Any, axis: Any = None) -> Any:
    """The share of each element in the median along ``axis`` (of those that are not NaN)."""
    return quantile_weights(x, 0.5, axis)


def quantile_weights(x: Any, q: Any, axis: Any = None, method: str = "linear", slope: bool = False) -> Any:
    """The share of each element in the ``q`` quantile along ``axis`` (of those that are not NaN), or its derivative by ``q``.

    Where ``q`` is an array, its dimensions come first.
    """
    x = of_numpy(x)
    if np.ndim(q):
        parts = [quantile_weights(x, p, axis, method, slope) for p in np.ravel(q)]
        return np.reshape(np.array(parts, dtype=x.dtype), (*np.shape(q), *x.shape))
    if isinstance(axis, tuple):
        axes = tuple(k % x.ndim for k in axis)
        order = tuple(k for k in range(x.ndim) if k not in axes) + axes
        moved = np.transpose(x, order)
        flat = np.reshape(moved, (*moved.shape[:x.ndim - len(axes)], -1))
        back = tuple(sorted(range(x.ndim), key=lambda k: order[k]))
        return np.transpose(np.reshape(quantile_weights(flat, q, -1, method, slope), moved.shape), back)
    rows = np.reshape(x, -1) if axis is None else np.moveaxis(x, axis, -1)
    ranked: Any = np.argsort(rows, axis=-1, kind="stable")
    number = np.sum(~np.isnan(rows), axis=-1, keepdims=True)
    share = _shares(np.arange(rows.shape[-1]), number, q, method, slope)
    weights = np.zeros(rows.shape, dtype=x.dtype)
    np.put_along_axis(weights, ranked, share, axis=-1)
    return np.reshape(weights, x.shape) if axis is None else np.moveaxis(weights, -1, axis)


def _shares(rank: Any, number: Any, q: Any, method: str, slope: bool) -> Any:
    """The share of the element of each rank among ``number`` elements, or its derivative by ``q``."""
    place = np.zeros(number.shape)
    for n in np.unique(number):
        quantile: Any = np.quantile
        place[number == n] = quantile(np.arange(float(n)), q, method=method) if n else 0.0
    low = np.floor(place) if not slope else np.clip(np.floor(place), 0, np.maximum(number - 2, 0))
    if not slope:
        return np.where(rank == low, 1.0 - (place - low), 0.0) + np.where(rank == low + 1, place - low, 0.0)
    alpha, beta = _CONTINUOUS.get(method, (0.0, 0.0))
    inside = (method in _CONTINUOUS) & ((method == "linear") | (place > 0) & (place < number - 1)) & (number > 1)
    pace = np.where(inside, number + 1.0 - alpha - beta, 0.0)
    return pace * ((rank == low + 1) * 1.0 - (rank == low))
