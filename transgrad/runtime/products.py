"""Derivatives of products beyond the second, along as many directions as there are: right where factors are zero.

Each factor is taken with one nilpotent part for each direction; the part of a product that has all of them is the derivative.  The
parts are numbered by the sets of directions they are made of, the bits of a number.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from .numbers import of_numpy

__all__ = ["cumprod_slope", "cumprod_slope_back", "product_slope"]


def _times(parts: list[Any], x: Any, ts: tuple[Any, ...]) -> list[Any]:
    """A product times one more factor."""
    return [parts[s] * x + sum(parts[s & ~(1 << m)] * t for m, t in enumerate(ts) if s >> m & 1) for s in range(len(parts))]


def _first(x: Any, count: int) -> list[Any]:
    """The empty product, of the shape of a factor."""
    return [np.ones_like(x), *(np.zeros_like(x) for _ in range((1 << count) - 1))]


def _all_of(left: list[Any], right: list[Any]) -> Any:
    """The part with every direction of the product of two."""
    return sum(part * right[len(right) - 1 - s] for s, part in enumerate(left))


def _before(x: Any, ts: tuple[Any, ...]) -> list[list[Any]]:
    """The exclusive cumulative product, followed by the total product."""
    out = [_first(x[0], len(ts))]
    for k in range(x.shape[0]):
        out.append(_times(out[-1], x[k], tuple(t[k] for t in ts)))
    return out


def product_slope(x: Any, axis: Any, *ts: Any) -> Any:
    """The derivative of `others_product` along directions of the factors."""
    x = of_numpy(x)
    if x.ndim == 0:
        return np.zeros_like(x)
    if axis is None or isinstance(axis, tuple):
        axes = tuple(range(x.ndim)) if axis is None else tuple(k % x.ndim for k in axis)
        order = tuple(k for k in range(x.ndim) if k not in axes) + axes
        moved = np.transpose(x, order)
        flat = (*moved.shape[:x.ndim - len(axes)], -1)
        found = product_slope(np.reshape(moved, flat), -1, *(np.reshape(np.transpose(t, order), flat) for t in ts))
        return np.transpose(np.reshape(found, moved.shape), tuple(sorted(range(x.ndim), key=lambda k: order[k])))
    x, ts = np.moveaxis(x, axis, 0), tuple(np.moveaxis(t, axis, 0) for t in ts)
    if not x.size:
        return np.zeros_like(np.moveaxis(x, 0, axis))
    after = _before(x[::-1], tuple(t[::-1] for t in ts))[-2::-1]
    return np.moveaxis(np.stack([_all_of(p, q) for p, q in zip(_before(x, ts), after)]), 0, axis)


def cumprod_slope(x: Any, axis: Any, *ts: Any) -> Any:
    """The derivative of ``np.cumprod(x, axis)`` along directions."""
    if axis is None or not np.ndim(x):
        return cumprod_slope(np.reshape(x, -1), 0, *(np.reshape(t, -1) for t in ts))
    x, ts = np.moveaxis(x, axis, 0), tuple(np.moveaxis(t, axis, 0) for t in ts)
    if not x.size:
        return np.zeros_like(np.moveaxis(x, 0, axis))
    return np.moveaxis(np.stack([parts[-1] for parts in _before(x, ts)[1:]]), 0, axis)


def cumprod_slope_back(g: Any, x: Any, axis: Any, *ts: Any) -> Any:
    """The gradient by ``x`` of the sum of ``g * cumprod_slope(x, axis, *ts)``."""
    if axis is None or not np.ndim(x):
        return np.reshape(cumprod_slope_back(np.reshape(g, -1), np.reshape(x, -1), 0, *(np.reshape(t, -1) for t in ts)), np.shape(x))
    g, x, ts = np.moveaxis(g, axis, 0), np.moveaxis(x, axis, 0), tuple(np.moveaxis(t, axis, 0) for t in ts)
    if not x.size:
        return np.zeros_like(np.moveaxis(x, 0, axis))
    count = x.shape[0]
    weights = [part * g[count - 1] for part in _first(x[0], len(ts))]     # what later results weigh, per unit of the product up to here
    after = [weights]
    for k in range(count - 1, 0, -1):
        weights = _times(weights, x[k], tuple(t[k] for t in ts))
        weights[0] = weights[0] + g[k - 1]
        after.append(weights)
    return np.moveaxis(np.stack([_all_of(p, q) for p, q in zip(_before(x, ts), after[::-1])]), 0, axis)
