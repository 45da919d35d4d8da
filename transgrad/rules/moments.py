"""Variances and standard deviations."""
from __future__ import annotations

from typing import Any

import numpy as np

from .at_zero import divisor
from .registry import definition, rule
from .static import count, is_complex, options, restore


def distance(a: Any, axis: Any) -> Any:
    """How far each element is from the mean."""
    d = a - np.mean(a, **options(axis=axis, keepdims=axis is not None))
    return np.conj(d) if is_complex(a) else d


def freedom(a: Any, axis: Any, ddof: Any) -> Any:
    """The divisor of the sum of squares."""
    n = count(a, axis)
    return n - ddof if ddof else n


def var_jvp(t, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return 2.0 * np.sum(distance(a, axis) * t, **options(axis=axis, keepdims=keepdims)) / freedom(a, axis, ddof)


@rule(np.var, np.ndarray.var, kind="general", jvp=var_jvp)
def _(g, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return restore(2.0 * g / freedom(a, axis, ddof), axis, keepdims) * distance(a, axis)


def std_jvp(t, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return np.sum(distance(a, axis) * t, **options(axis=axis, keepdims=keepdims)) / (freedom(a, axis, ddof) * divisor(y))


@rule(np.std, np.ndarray.std, kind="general", jvp=std_jvp)
def _(g, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The derivative is 0 where all elements are equal."""
    return restore(g / (freedom(a, axis, ddof) * divisor(y)), axis, keepdims) * distance(a, axis)


def precision(a: Any) -> Any:
    """The dtype of the variance of an array."""
    single = a.dtype == np.float32 or a.dtype == np.complex64
    return np.float32 if single else np.float16 if a.dtype == np.float16 else np.float64


@definition(np.var, np.ndarray.var)
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, *, where: Any = True,
        mean: Any = None, correction: Any = None) -> Any:
    """The mean square distance from the mean of the elements that ``where`` selects."""
    n = np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=True, dtype=precision(a) if dtype is None else dtype)
    if mean is None:
        mean = np.sum(np.where(where, a, 0.0), axis=axis, keepdims=True) / n
    d = np.where(where, a - mean, 0.0)
    total = np.sum(np.real(d * np.conj(d)), axis=axis, keepdims=True) / (n - (ddof if correction is None else correction))
    return total if keepdims else np.squeeze(total, axis)


@definition(np.std, np.ndarray.std)
def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, *, where: Any = True,
        mean: Any = None, correction: Any = None) -> Any:
    """The square root of `var`; its derivative is 0 at 0."""
    square = var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return np.sqrt(square + (square == 0.0)) * (square != 0.0)
