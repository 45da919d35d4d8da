"""Derivatives that depend on the data in ways one expression does not say: products with zeros, running extrema."""
from __future__ import annotations

from typing import Any

import numpy as np

from .numbers import of_numpy

__all__ = ["cumprod_pullback", "cumprod_pushforward", "others_product", "others_product_pullback",
           "running_source"]


def others_product(x: Any, axis: Any = None) -> Any:
    """At each element, the product of the others along ``axis`` (None, one axis or several)."""
    x = of_numpy(x)
    if x.ndim == 0:     # NumPy lets an axis 0 of numbers pass
        return np.ones_like(x)
    if axis is None and x.ndim == 1:
        axis = 0
    if axis is None or isinstance(axis, tuple):
        axes = tuple(range(x.ndim)) if axis is None else tuple(k % x.ndim for k in axis)
        order = tuple(k for k in range(x.ndim) if k not in axes) + axes
        moved = np.transpose(x, order)
        flat = np.reshape(moved, (*moved.shape[:x.ndim - len(axes)], -1))
        back = tuple(sorted(range(x.ndim), key=lambda k: order[k]))
        return np.transpose(np.reshape(others_product(flat, -1), moved.shape), back)
    moved = np.swapaxes(x, axis, 0)
    one = np.ones_like(moved[:1])
    before = np.cumprod(np.concatenate((one, moved[:-1])), axis=0)
    after = np.cumprod(np.concatenate((one, moved[:0:-1])), axis=0)[::-1]
    return np.swapaxes(before * after, 0, axis)


def cumprod_pullback(g: Any, x: Any, axis: Any = None) -> Any:
    """The cotangent of ``x`` for ``np.cumprod(x, axis)``; right where elements are zero."""
    x, g = of_numpy(x), of_numpy(g)
    if axis is not None and x.ndim == 0:        # NumPy lets an axis of numbers pass, and returns a vector
        return np.reshape(g, ())
    if axis is None:
        return np.reshape(cumprod_pullback(g, np.reshape(x, -1), 0), x.shape)
    x, g = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    if x.shape[0] == 0:
        return np.moveaxis(x, 0, axis)
    before = np.concatenate((np.ones_like(x[:1]), np.cumprod(x[:-1], axis=0)))
    total = g[-1]
    totals = [total]
    for k in range(x.shape[0] - 1, 0, -1):      # what all later results weigh, per unit of the product up to here
        total = g[k - 1] + x[k] * total
        totals.append(total)
    return np.moveaxis(before * np.stack(totals[::-1]), 0, axis)


def cumprod_pushforward(t: Any, x: Any, axis: Any = None) -> Any:
    """The tangent of ``np.cumprod(x, axis)``; right where elements are zero."""
    x, t = of_numpy(x), of_numpy(t)
    if axis is not None and x.ndim == 0:
        return np.reshape(t, -1)
    if axis is None:
        return cumprod_pushforward(np.reshape(t, -1), np.reshape(x, -1), 0)
    x, t = np.moveaxis(x, axis, 0), np.moveaxis(t, axis, 0)
    if x.shape[0] == 0:
        return np.moveaxis(t, 0, axis)
    product, slope = x[0], t[0]
    slopes = [slope]
    for k in range(1, x.shape[0]):
        slope = slope * x[k] + product * t[k]
        product = product * x[k]
        slopes.append(slope)
    return np.moveaxis(np.stack(slopes), 0, axis)


def running_source(x: Any, y: Any, axis: int = 0) -> Any:
    """Where along ``axis`` each element of a running extremum ``y`` of ``x`` was found (the latest of several)."""
    place = np.reshape(np.arange(x.shape[axis]), tuple(-1 if k == axis % x.ndim else 1 for k in range(x.ndim)))
    return np.maximum.accumulate(np.where(x == y, place, 0), axis=axis)


def others_product_pullback(g: Any, x: Any, axis: Any = None) -> Any:
    """The cotangent of ``x`` for ``others_product(x, axis)``: each product of all but two, with the cotangent of the one."""
    x = of_numpy(x)
    if x.ndim == 0:
        return np.zeros_like(x)
    if axis is None or isinstance(axis, tuple):
        axes = tuple(range(x.ndim)) if axis is None else tuple(k % x.ndim for k in axis)
        order = tuple(k for k in range(x.ndim) if k not in axes) + axes
        moved = np.transpose(x, order)
        flat = (*moved.shape[:x.ndim - len(axes)], -1)
        back = tuple(sorted(range(x.ndim), key=lambda k: order[k]))
        got = others_product_pullback(np.reshape(np.transpose(g, order), flat), np.reshape(moved, flat), -1)
        return np.transpose(np.reshape(got, moved.shape), back)
    g, x = np.moveaxis(g, axis, 0), np.moveaxis(x, axis, 0)
    return np.moveaxis(_pairs_before(g, x) + _pairs_before(g[::-1], x[::-1])[::-1], 0, axis)


def _pairs_before(g: Any, x: Any) -> Any:
    """At each place, the sum over the places before it of their cotangent times the product of all others but these two."""
    if not x.shape[0]:
        return np.zeros_like(x)
    one = np.ones_like(x[:1])
    after = np.cumprod(np.concatenate((one, x[:0:-1])), axis=0)[::-1]
    product, slope, out = np.ones_like(x[0]), np.zeros_like(x[0]), []
    for k in range(x.shape[0]):
        out.append(slope * after[k])
        slope = slope * x[k] + g[k] * product
        product = product * x[k]
    return np.stack(out)
