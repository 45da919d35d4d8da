"""Medians and quantiles: a linear function of the sorted elements, whose shares are constant between changes of their order.

Where elements are equal, the one that sorting puts there has all of the share.  With weights a quantile is one of the elements: the
first of those that are equal to it has the derivative, and by weights and probabilities it is 0.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.infer_shapes import SHAPES
from ..ir.types import ANY, Arr, Type
from ..runtime import median_weights, quantile_weights
from .lists import holds_values
from .registry import constant, definition, rule
from .static import NoDerivative, differs, lifted, ndim, options, restore

weights_of_median = lifted(median_weights)
weights_of_quantile = lifted(quantile_weights)


@rule(np.median, np.nanmedian, kind="general", jvp=lambda t, y, a, axis=None, out=None, overwrite_input=False, keepdims=False:
      np.sum(weights_of_median(a, axis) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Of equal elements the one that sorting puts in the middle has the derivative."""
    return restore(g, axis, keepdims) * weights_of_median(a, axis)


def leading(x: Any, axis: Any, count: int) -> tuple[int, ...]:
    """The axes that a reduction takes, in an array with ``count`` dimensions more in front."""
    axes = range(ndim(x)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(k % ndim(x) + count for k in axes)


def by_elements(t: Any, a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    """The tangent of quantiles from that of the elements."""
    return np.sum(weights_of_quantile(a, q, axis, method) * t, axis=leading(a, axis, ndim(q)), **options(keepdims=keepdims))


def weighed(a: Any, q: Any, axis: Any, method: str) -> Any:
    """The contribution of each element to the derivative by the probability: zero for elements without weight, even if infinite or NaN."""
    weights = weights_of_quantile(a, q, axis, method, True)
    return np.where(differs(weights, 0.0), weights * a, 0.0)


def by_probability(t: Any, a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    """The tangent of quantiles from that of the probabilities."""
    slope = np.sum(weighed(a, q, axis, method), axis=leading(a, axis, ndim(q)), **options(keepdims=keepdims))
    return slope * (t if ndim(q) == 0 else np.expand_dims(t, tuple(range(ndim(q), ndim(slope)))))


def to_elements(g: Any, a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    """The cotangent of the elements from that of their quantiles, which have the dimensions of ``q`` in front."""
    each = (g if keepdims else np.expand_dims(g, leading(a, axis, ndim(q)))) * weights_of_quantile(a, q, axis, method)
    return np.sum(each, axis=tuple(range(ndim(q)))) if ndim(q) else each


def to_probability(g: Any, a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    """The cotangent of the probabilities."""
    each = (g if keepdims else np.expand_dims(g, leading(a, axis, ndim(q)))) * weighed(a, q, axis, method)
    return np.sum(each, axis=tuple(range(ndim(q), ndim(q) + ndim(a))))


@rule(np.quantile, np.nanquantile, kind="general", jvp=(
    lambda t, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False:
    by_elements(t, a, q, axis, method, keepdims),
    lambda t, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False:
    by_probability(t, a, q, axis, method, keepdims)))
def _(g, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """A method that picks elements has derivative 0 in ``q``."""
    return to_elements(g, a, q, axis, method, keepdims), to_probability(g, a, q, axis, method, keepdims)


@rule(np.percentile, np.nanpercentile, kind="general", jvp=(
    lambda t, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False:
    by_elements(t, a, hundredths(q), axis, method, keepdims),
    lambda t, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False:
    0.01 * by_probability(t, a, hundredths(q), axis, method, keepdims)))
def _(g, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """A method that picks elements has derivative 0 in ``q``."""
    return to_elements(g, a, hundredths(q), axis, method, keepdims), 0.01 * to_probability(g, a, hundredths(q), axis, method, keepdims)


def hundredths(q: Any) -> Any:
    """Percentages as probabilities."""
    return 0.01 * np.array(q) if isinstance(q, (list, tuple)) and not holds_values(q) else 0.01 * q


def chosen_places(a: Any, q: Any, axis: Any, method: str, keepdims: Any, weights: Any, name: str) -> Any:
    """Which of all elements, counted through the dimensions, each weighted quantile is."""
    a, q, weights = (v.detach().numpy() if hasattr(v, "detach") else v for v in (a, q, weights))       # on the tape
    y = getattr(np, name)(a, q, axis=axis, method=method, keepdims=True, weights=weights)
    hit = (a == y) | np.isnan(a) & np.isnan(y)
    number = np.where(hit, np.reshape(np.arange(a.size), a.shape), a.size - 1)
    return np.min(number, axis=leading(a, axis, np.ndim(q)), keepdims=bool(keepdims))


def _places(a: Any, q: Any, axis: Any, method: Any, keepdims: Any, *args: Any) -> Type | None:
    if not isinstance(a.type, Arr) or not hasattr(axis, "value") or not hasattr(keepdims, "value"):
        return None
    gone = len(a.type.dims) if axis.value is None else len(axis.value) if isinstance(axis.value, tuple) else 1
    count = len(getattr(q.type, "dims", ())) + len(a.type.dims) - (0 if keepdims.value else gone)
    return Arr("int64", (ANY,) * count, scalar=not count) if not isinstance(getattr(q, "value", None), (list, tuple)) else None


constant(chosen_places)
SHAPES[chosen_places] = _places


def register_weighted(name: str) -> None:
    """A kind of quantiles with weights, of which NumPy's rule knows nothing."""

    @definition(getattr(np, name))
    def weighted(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, method: Any = "linear",
                 keepdims: Any = False, *, weights: Any = None, interpolation: Any = None) -> Any:
        """The smallest element whose cumulative weight reaches the given fraction."""
        if interpolation is not None:
            raise NoDerivative(f"np.{name} has a derivative with method= in place of interpolation=")
        return np.ravel(a)[chosen_places(a, q, axis, method, keepdims, weights, name)]


for _name in ("quantile", "percentile", "nanquantile", "nanpercentile"):
    register_weighted(_name)
