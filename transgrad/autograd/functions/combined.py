"""Element-wise functions that torch has in one piece."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...rules.registry import alias, rule
from ...rules.static import same
from ..facts import one_unless_given, shows
from ..names import RECOMPUTED, node_name
from .arithmetic import log_of

__all__ = [
    "addcdiv", "addcmul", "atan2", "clamp_max", "clamp_max_tensor", "clamp_min", "clamp_min_tensor", "clamp_scalars", "fmax", "fmin",
    "hypot", "ldexp", "logaddexp",
    "lerp", "lerp_tensor", "logit", "rsqrt", "rsub", "rsub_scalar", "scalar_xlogy", "xlogy", "xlogy_scalar",
]

LN2 = math.log(2.0)


def rsqrt(self: Any) -> Any:
    """``1 / sqrt(x)``."""
    return 1 / np.sqrt(self)


@rule(rsqrt)
def _(g, y, self):
    return -0.5 * g * y * y * y


def rsub(self: Any, other: Any, alpha: Any = 1) -> Any:
    """``other - alpha * self``."""
    return other - self if alpha == 1 else other - alpha * self


def rsub_scalar(self: Any, other: Any, alpha: Any = 1) -> Any:
    """`rsub` from a number."""
    return rsub(self, other, alpha)


node_name(rsub_scalar, "RsubBackward1")


@rule(rsub, rsub_scalar)
def _(g, y, self, other, alpha=1):
    return -alpha * g, g


def clamp_min(self: Any, min: Any) -> Any:
    """The maximum of ``self`` and ``min``."""
    return np.maximum(self, min)


def clamp_max(self: Any, max: Any) -> Any:
    """The minimum of ``self`` and ``max``."""
    return np.minimum(self, max)


def clamp_min_tensor(self: Any, min: Any) -> Any:
    """`clamp_min` with a tensor."""
    return np.maximum(self, min)


def clamp_max_tensor(self: Any, max: Any) -> Any:
    """`clamp_max` with a tensor."""
    return np.minimum(self, max)


def clamp_scalars(self: Any, min: Any, max: Any) -> Any:
    """`np.clip` with numbers."""
    found = self if min is None else np.maximum(self, min)
    found = found if max is None else np.minimum(found, max)
    return found.astype(self.dtype, copy=False)


alias(np.clip, clamp_scalars)
RECOMPUTED.add(clamp_scalars)
node_name(np.clip, "ClampBackward0", a_min="min", a_max="max")
node_name(clamp_scalars, "ClampBackward1", a_min="min", a_max="max")
node_name(clamp_min_tensor, "ClampMinBackward1")
node_name(clamp_max_tensor, "ClampMaxBackward1")


@rule(clamp_min, clamp_min_tensor)
def _(g, y, self, min):
    return np.where(self >= min, g, 0.0), np.where(self < min, g, 0.0)


@rule(clamp_max, clamp_max_tensor)
def _(g, y, self, max):
    return np.where(self <= max, g, 0.0), np.where(self > max, g, 0.0)


def fmax(self: Any, other: Any) -> Any:
    """The larger of two elements, or the one that is a number."""
    return np.fmax(self, other)


@rule(fmax)
def _(g, y, self, other):
    first = (self >= other) | np.isnan(other)       # all of a tie
    return np.where(first, g, 0.0), np.where(first, 0.0, g)


def fmin(self: Any, other: Any) -> Any:
    """The smaller of two elements, or the one that is a number."""
    return np.fmin(self, other)


@rule(fmin)
def _(g, y, self, other):
    first = (self <= other) | np.isnan(other)
    return np.where(first, g, 0.0), np.where(first, 0.0, g)


def logaddexp(self: Any, other: Any) -> Any:
    """The logarithm of a sum of exponentials, of complex numbers too."""
    if not np.iscomplexobj(self) and not np.iscomplexobj(other):
        return np.logaddexp(self, other)
    larger = np.real(self) < np.real(other)
    high, low = np.where(larger, other, self), np.where(larger, self, other)
    tie = np.isinf(np.real(high)) & (np.real(high) == np.real(low))
    at_infinity = np.where(np.real(high) < 0, low, np.log(np.exp(low) + np.exp(high)))
    found = np.where(tie, at_infinity, high + np.log1p(np.exp(low - high)))
    return np.where(np.isnan(self) | np.isnan(other), complex(np.nan, np.nan), found).astype(found.dtype, copy=False)


alias(np.logaddexp, logaddexp)
RECOMPUTED.add(logaddexp)
node_name(logaddexp, "LogaddexpBackward0", a="self", b="other")


def atan2(self: Any, other: Any) -> Any:
    """The angle of the point ``(other, self)``; its derivative at the origin is 0."""
    return np.arctan2(self, other)


@rule(atan2)
def _(g, y, self, other):
    size = self * self + other * other
    q = g / (size + same(size, 0))
    return q * other, -q * self


def hypot(self: Any, other: Any) -> Any:
    """The length of the vector ``(self, other)``; it has no derivative at the origin, which is NaN there."""
    return np.hypot(self, other)


@rule(hypot)
def _(g, y, self, other):
    return g * (self / y), g * (other / y)


def ldexp(self: Any, other: Any) -> Any:
    """``self * 2 ** other``."""
    return self * 2.0 ** other


@rule(ldexp)
def _(g, y, self, other):
    return g * 2.0 ** other, LN2 * g * y


def addcmul(self: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """``self + value * tensor1 * tensor2``."""
    product = tensor1 * tensor2
    return self + product if value == 1 else self + value * product


shows(addcmul, value=one_unless_given("value"))


@rule(addcmul)
def _(g, y, self, tensor1, tensor2, value=1):
    scaled = g * value
    return g, scaled * tensor2, tensor1 * scaled


def addcdiv(self: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """``self + value * tensor1 / tensor2``."""
    quotient = tensor1 / tensor2
    return self + quotient if value == 1 else self + value * quotient


@rule(addcdiv)
def _(g, y, self, tensor1, tensor2, value=1):
    q = g * value / tensor2
    return g, q, -q * tensor1 / tensor2


def lerp(self: Any, end: Any, weight: Any) -> Any:
    """The point between ``self`` and ``end`` at the share ``weight`` of the way."""
    found = np.where(np.abs(weight) < 0.5, self + weight * (end - self), end - (end - self) * (1 - weight))
    return found.astype(np.result_type(self, end, *([weight] if isinstance(weight, np.ndarray) else [])), copy=False)


def lerp_tensor(self: Any, end: Any, weight: Any) -> Any:
    """`lerp` with a tensor of weights."""
    return lerp(self, end, weight)


node_name(lerp_tensor, "LerpBackward1")


@rule(lerp, lerp_tensor)
def _(g, y, self, end, weight):
    return g * (1.0 - weight), g * weight, g * (end - self)


def logit(self: Any, eps: float | None = None) -> Any:
    """``log(x / (1 - x))``, of x clamped to ``[eps, 1 - eps]``."""
    x = self if eps is None else np.clip(self, eps, 1 - eps)
    return np.log(x / (1 - x))


@rule(logit)
def _(g, y, self, eps=None):
    slope = g / (self * (1.0 - self))
    if eps is None:
        return np.where((self < 0.0) | (self > 1.0), np.nan, slope)
    return np.where((self < eps) | (self > 1.0 - eps), 0.0, slope)


def xlogy(self: Any, other: Any) -> Any:
    """``self * log(other)``, 0 where ``self`` is."""
    product = self * (np.log(other) if isinstance(other, np.ndarray) else log_of(other))
    return np.where(same(self, 0) & ~np.isnan(other), np.zeros_like(product), product)


def xlogy_scalar(self: Any, other: Any) -> Any:
    """`xlogy` of a number's logarithm."""
    return xlogy(self, other)


def scalar_xlogy(self: Any, other: Any) -> Any:
    """`xlogy` of a number times logarithms."""
    return xlogy(self, other)


node_name(xlogy_scalar, "XlogyBackward2")
node_name(scalar_xlogy, "XlogyBackward1")


@rule(xlogy, xlogy_scalar, scalar_xlogy)
def _(g, y, self, other):
    zero = same(self, 0) & (other <= 0)
    return np.where(zero, 0.0, g * np.log(np.where(zero, 1.0, other))), g * self / other


