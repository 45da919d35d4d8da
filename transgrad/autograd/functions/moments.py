"""A variance or standard deviation with the mean it is taken about."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.moments import distance, freedom
from ...rules.registry import rule
from ...rules.static import count, options, part, restore, same

__all__ = ["std_mean", "var_mean"]


def var_mean(self: Any, axis: Any = None, correction: float = 1, keepdims: bool = False) -> tuple[Any, Any]:
    """The variance, with ``correction`` taken from the number of elements it is divided by, and the mean."""
    return np.var(self, axis=axis, ddof=correction, keepdims=keepdims), np.mean(self, axis=axis, keepdims=keepdims)


def std_mean(self: Any, axis: Any = None, correction: float = 1, keepdims: bool = False) -> tuple[Any, Any]:
    """The standard deviation and the mean."""
    return np.std(self, axis=axis, ddof=correction, keepdims=keepdims), np.mean(self, axis=axis, keepdims=keepdims)


def moments_jvp(t, self, axis, correction, keepdims):
    how = options(axis=axis, keepdims=keepdims)
    return np.sum(distance(self, axis) * t, **how) / freedom(self, axis, correction), np.mean(t, **how)


def var_mean_jvp(t, y, self, axis=None, correction=1, keepdims=False):
    half, mean = moments_jvp(t, self, axis, correction, keepdims)
    return 2.0 * half, mean


def std_mean_jvp(t, y, self, axis=None, correction=1, keepdims=False):
    half, mean = moments_jvp(t, self, axis, correction, keepdims)
    return half / (y[0] + same(y[0], 0)), mean


def moments_vjp(g_half: Any, g_mean: Any, self: Any, axis: Any, correction: Any, keepdims: bool) -> Any:
    """The cotangent of the elements from those of half the variance and of the mean."""
    about = restore(g_half / freedom(self, axis, correction), axis, keepdims) * distance(self, axis)
    return about + restore(g_mean / count(self, axis), axis, keepdims)


@rule(var_mean, kind="general", jvp=var_mean_jvp)
def _(g, y, self, axis=None, correction=1, keepdims=False):
    return moments_vjp(2.0 * part(g, y, 0), part(g, y, 1), self, axis, correction, keepdims)


@rule(std_mean, kind="general", jvp=std_mean_jvp)
def _(g, y, self, axis=None, correction=1, keepdims=False):
    return moments_vjp(part(g, y, 0) / (y[0] + same(y[0], 0)), part(g, y, 1), self, axis, correction, keepdims)
