"""Sums, means and products along axes.

A cotangent is left broadcast: the entry of a full sum is the scalar cotangent itself.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import others_product
from .at_zero import divisor
from .registry import definition, rule
from .static import axes_of, broadcast_to, count, lifted, ndim, options, restore

products = lifted(others_product)


def others(a: Any, axis: Any = None) -> Any:
    """At each element, the product of the others."""
    return products(a) if axis is None else products(a, axis)


def masked(g: Any, where: Any) -> Any:
    """``g`` where the reduction's mask is set."""
    return g if where is True else np.where(where, g, 0.0)


@rule(np.sum, np.ndarray.sum, kind="linear", lazy=True, drops=("initial",))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=0.0, where=True):
    return masked(restore(g, axis, keepdims), where)


@rule(np.add.reduce, kind="linear", lazy=True, drops=("initial",))
def _(g, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=0.0, where=True):
    return masked(restore(g, axis, keepdims), where)


def counted(a: Any, axis: Any, where: Any) -> Any:
    """The number of elements of a mean."""
    return count(a, axis) if where is True else np.sum(broadcast_to(where, a.shape), axis=axis)


@rule(np.mean, np.ndarray.mean, kind="linear", lazy=True)
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    if keepdims and where is not True:
        return masked(g / np.sum(broadcast_to(where, a.shape), axis=axis, keepdims=True), where)
    return masked(restore(g / counted(a, axis, where), axis, keepdims), where)


def products_of_others(a: Any, axis: Any, where: Any = True) -> Any:
    """At each element that the product is made of, the product of the others."""
    return others(a, axis) if where is True else np.where(where, others(np.where(where, a, 1.0), axis), 0.0)


def scaled(factor: Any, x: Any) -> Any:
    """``factor * x``, but for a factor of one."""
    return x if factor is None else factor * x


@rule(np.prod, np.ndarray.prod, kind="general",
      jvp=lambda t, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True:
      np.sum(scaled(initial, products_of_others(a, axis, where)) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Exact if factors are 0: the derivative is the product of the other factors."""
    return restore(scaled(initial, g), axis, keepdims) * products_of_others(a, axis, where)


@rule(np.multiply.reduce, kind="general", jvp=lambda t, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True:
      np.sum(scaled(initial, products_of_others(a, axis, where)) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return restore(scaled(initial, g), axis, keepdims) * products_of_others(a, axis, where)


def part_of_sum(y: Any, a: Any, axis: Any, keepdims: Any, where: Any, exp: Any) -> Any:
    """The share of each element in a sum of exponentials, of which ``y`` is the logarithm."""
    return masked(exp(a - restore(y, axis, keepdims)), where)


@rule(np.logaddexp.reduce, kind="general", jvp=lambda t, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True:
      np.sum(part_of_sum(y, a, axis, keepdims, where, np.exp) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return restore(g, axis, keepdims) * part_of_sum(y, a, axis, keepdims, where, np.exp)


@rule(np.logaddexp2.reduce, kind="general", jvp=lambda t, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True:
      np.sum(part_of_sum(y, a, axis, keepdims, where, np.exp2) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return restore(g, axis, keepdims) * part_of_sum(y, a, axis, keepdims, where, np.exp2)


@rule(np.hypot.reduce, kind="general", jvp=lambda t, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=0, where=True:
      np.sum(masked(a * t, where), **options(axis=axis, keepdims=keepdims)) / divisor(y))
def _(g, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=0, where=True):
    """The derivative at the origin is 0, as of every norm."""
    return masked(restore(g / divisor(y), axis, keepdims) * a, where)


def shaped(weights: Any, a: Any, axis: Any) -> Any:
    """The weights of an average along the axes they belong to, in the order in which these are named."""
    if ndim(weights) == ndim(a):
        return weights
    axes = axes_of(axis, ndim(a))
    if axes != tuple(sorted(axes)):
        weights = np.transpose(weights, tuple(sorted(range(len(axes)), key=lambda k: axes[k])))
    return np.expand_dims(weights, tuple(k for k in range(ndim(a)) if k not in axes))


def average_slope(g, a, axis, weights, keepdims):
    w = shaped(weights, a, axis)
    total = np.sum(weights) if ndim(weights) != ndim(a) else np.sum(w, **options(axis=axis, keepdims=keepdims))
    return restore(g / total, axis, keepdims)


@rule(np.average, kind="general", lazy=True, jvp=(
    lambda t, y, a, axis=None, weights=None, *, keepdims=False: np.average(t, axis, weights, **options(keepdims=keepdims)),
    None,
    lambda t, y, a, axis=None, weights=None, *, keepdims=False:
        np.sum(average_slope(np.ones_like(y), a, axis, weights, keepdims) * (a - restore(y, axis, keepdims)) * shaped(t, a, axis),
               **options(axis=axis, keepdims=keepdims))))
def _(g, y, a, axis=None, weights=None, *, keepdims=False):
    if weights is None:
        return restore(g / count(a, axis), axis, keepdims)
    q = average_slope(g, a, axis, weights, keepdims)
    dw = q * (a - restore(y, axis, keepdims))
    if ndim(weights) != ndim(a):
        axes = axes_of(axis, ndim(a))
        dw = np.sum(dw, axis=tuple(k for k in range(ndim(a)) if k not in axes))
        if axes != tuple(sorted(axes)):
            dw = np.transpose(dw, tuple(sorted(axes).index(k) for k in axes))
    return q * shaped(weights, a, axis), None, dw


@definition(np.average)
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """The average and the sum of the weights."""
    y: Any = np.average(a, axis, weights, keepdims=keepdims)  # type: ignore[call-overload]
    if weights is None:
        return y, np.full_like(y, a.size / y.size)
    if np.ndim(weights) == np.ndim(a):
        return y, np.sum(weights, axis=axis, keepdims=keepdims)
    return y, np.full_like(y, np.sum(weights))
