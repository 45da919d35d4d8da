"""Texts of the rules of `softmax`, its logarithm and `logsumexp`, which SciPy and the tape have under their own names."""
from __future__ import annotations

from typing import Any

import numpy as np

from .static import options, restore


def softmax_vjp(g, y, x, axis=None):
    h = g * y
    return h - y * np.sum(h, **options(axis=axis, keepdims=axis is not None))


def softmax_jvp(t, y, x, axis=None):
    return y * (t - np.sum(y * t, **options(axis=axis, keepdims=axis is not None)))


def log_softmax_vjp(g, y, x, axis=None):
    return g - np.exp(y) * np.sum(g, **options(axis=axis, keepdims=axis is not None))


def log_softmax_jvp(t, y, x, axis=None):
    return t - np.sum(np.exp(y) * t, **options(axis=axis, keepdims=axis is not None))


def softmax_share(y: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """The share of each element in `logsumexp`."""
    return np.exp(a - restore(y, axis, keepdims))
