"""Norms of vectors, and slices made no longer than a norm.  The derivative of a norm is 0 where the norm is."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.norms import vector_slope
from ...rules.registry import constant, rule
from ...rules.static import options, restore
from ..layouts import ROWS
from ..names import UNDEFINED, WIDE, node_name

__all__ = ["count_nonzero", "renorm", "vector_norm"]

_EPS = 1e-7


def vector_norm(self: Any, ord: float, axis: Any, keepdims: bool = False) -> Any:
    """The norm of vectors along dimensions, in the precision of its elements."""
    if self.dtype.kind == "c":
        self = np.abs(self)     # the length of an infinite number is infinite, whichever of its parts is
    return np.asarray(np.linalg.vector_norm(self, axis=axis, ord=ord, keepdims=keepdims)).astype(self.real.dtype, copy=False)


node_name(vector_norm, "LinalgVectorNormBackward0")


def count_nonzero(self: Any, ord: float, axis: Any, keepdims: bool = False) -> Any:
    """The "norm" of order 0, of which there is no gradient."""
    return vector_norm(self, 0, axis, keepdims)


constant(count_nonzero)
node_name(count_nonzero, "LinalgVectorNormBackward0")
UNDEFINED.add(count_nonzero)


def slope(self: Any, y: Any, ord: float, axis: Any, keepdims: bool) -> Any:
    """The derivative with respect to the elements; NaN has sign 0 in norms whose derivative is a sign."""
    found = vector_slope(self, y, ord, axis, keepdims)
    if ord == 1:
        return np.where(np.isnan(self), 0.0, found)
    return np.where(np.isnan(restore(y, axis, keepdims)), 0.0, found) if np.isinf(ord) else found


@rule(vector_norm, kind="general", jvp=lambda t, y, self, ord, axis, keepdims=False:
      np.sum(slope(self, y, ord, axis, keepdims) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, self, ord, axis, keepdims=False):
    return restore(g, axis, keepdims) * slope(self, y, ord, axis, keepdims)


def renorm(self: Any, p: float, axes: tuple[int, ...], maxnorm: float) -> Any:
    """``self`` with each slice whose norm over ``axes`` is larger than ``maxnorm`` made as long as that."""
    size = np.linalg.vector_norm(self, axis=axes, ord=p, keepdims=True)
    return (self * np.where(size > maxnorm, maxnorm / (size + _EPS), 1.0)).astype(self.dtype, copy=False)


def scales(self: Any, p: float, axes: tuple[int, ...], maxnorm: float) -> tuple[Any, Any]:
    """What slices are multiplied by, and the derivative of that by the elements."""
    size = np.linalg.vector_norm(self, axis=axes, ord=p, keepdims=True)
    long = size > maxnorm
    scale = maxnorm / (size + _EPS)
    return np.where(long, scale, 1.0), np.where(long, -scale / (size + _EPS), 0.0) * vector_slope(self, size, p, axes, True)


def renorm_jvp(t, y, self, p, axes, maxnorm):
    scale, slope = scales(self, p, axes, maxnorm)
    return scale * t + self * np.real(np.sum(slope * t, axis=axes, keepdims=True))      # a length is real


@rule(renorm, kind="general", jvp=renorm_jvp)
def _(g, y, self, p, axes, maxnorm):
    scale, slope = scales(self, p, axes, maxnorm)
    return scale * g + np.where(slope == 0, 0.0, slope * np.real(np.sum(g * self, axis=axes, keepdims=True)))


ROWS.update((renorm, vector_norm))
WIDE.add(renorm)
