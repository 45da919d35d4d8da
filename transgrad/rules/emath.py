"""``np.emath``: functions of real numbers whose results are complex as soon as one number is beyond their domain."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import definition


def complex_if_negative(x: Any) -> Any:
    """The argument that ``np.emath`` passes to roots, powers and logarithms."""
    return x * (1.0 + 0.0j) if np.any(np.real(x) < 0.0) else x


def complex_beyond_one(x: Any) -> Any:
    """The argument that ``np.emath`` passes to inverse sines and similar functions."""
    return x * (1.0 + 0.0j) if np.any(np.abs(x) > 1.0) else x


@definition(np.emath.sqrt)
def emath_sqrt(x: Any) -> Any:
    """Complex as soon as one number is negative."""
    return np.sqrt(complex_if_negative(x))


@definition(np.emath.log)
def emath_log(x: Any) -> Any:
    """Complex as soon as one number is negative."""
    return np.log(complex_if_negative(x))


@definition(np.emath.log2)
def emath_log2(x: Any) -> Any:
    """Complex as soon as one number is negative."""
    return np.log2(complex_if_negative(x))


@definition(np.emath.log10)
def emath_log10(x: Any) -> Any:
    """Complex as soon as one number is negative."""
    return np.log10(complex_if_negative(x))


@definition(np.emath.logn)
def emath_logn(n: Any, x: Any) -> Any:
    """Complex as soon as one number is negative."""
    return np.log(complex_if_negative(x)) / np.log(complex_if_negative(n))


@definition(np.emath.power)
def emath_power(x: Any, p: Any) -> Any:
    """Complex as soon as one base is negative."""
    return np.power(complex_if_negative(x), p * 1.0)


@definition(np.emath.arcsin)
def emath_arcsin(x: Any) -> Any:
    """Complex as soon as one number is beyond 1 or -1."""
    return np.arcsin(complex_beyond_one(x))


@definition(np.emath.arccos)
def emath_arccos(x: Any) -> Any:
    """Complex as soon as one number is beyond 1 or -1."""
    return np.arccos(complex_beyond_one(x))


@definition(np.emath.arctanh)
def emath_arctanh(x: Any) -> Any:
    """Complex as soon as one number is beyond 1 or -1."""
    return np.arctanh(complex_beyond_one(x))
