"""The recurrences that the others rest on: products, quotients, powers, and sine and cosine, each of which needs the other."""
from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .series import Series, constant, refuse

__all__ = ["ELEMENTARY"]


def _series(x: Any, order: int) -> Series:
    return x if isinstance(x, Series) else constant(x, order)


def _pair(a: Any, b: Any) -> tuple[Series, Series, int]:
    order = (a if isinstance(a, Series) else b).order
    return _series(a, order), _series(b, order), order


def _convolved(a: list[Any], b: list[Any], k: int, start: int = 0) -> Any:
    """The sum of ``a[i] * b[k - i]`` from ``start`` on."""
    return sum((a[i] * b[k - i] for i in range(start + 1, k + 1)), a[start] * b[k - start])


def _multiply(fn: Any, a: Any, b: Any) -> Series:
    if not isinstance(b, Series):
        return Series([c * b for c in a.coefficients])
    if not isinstance(a, Series):
        return Series([a * c for c in b.coefficients])
    return Series([_convolved(a.coefficients, b.coefficients, k) for k in range(a.order + 1)])


def _divide(fn: Any, a: Any, b: Any) -> Series:
    if not isinstance(b, Series):
        return Series([c / b for c in a.coefficients])
    a, b, order = _pair(a, b)
    q = [fn(a.value, b.value)]
    for k in range(1, order + 1):
        q.append((a.coefficients[k] - _convolved(b.coefficients, [*q, 0], k, 1)) / b.value)
    return Series(q)


def _power(fn: Any, a: Any, b: Any) -> Any:
    if isinstance(b, Series) and not any(map(np.any, b.coefficients[1:])):
        b = b.value
    if isinstance(b, Series):
        found = _exponential(np.exp, _multiply(fn, b, _logarithm(np.log, a) if isinstance(a, Series) else np.log(a)))
        return Series([fn(*(x.value if isinstance(x, Series) else x for x in (a, b))), *found.coefficients[1:]])
    if not isinstance(a, Series):       # an exponent that does not change
        return fn(a, b)
    value = fn(a.value, b)
    if all(n in _WHOLE for n in np.unique(b).tolist()):     # also at 0, where the recurrence divides by it
        powers = [_by_squaring(a, int(n)) for n in np.unique(b)]
        return Series([value, *(_chosen(b, [p.coefficients[k] for p in powers], value) for k in range(1, a.order + 1))])
    if np.any(a.value == 0.0):
        raise refuse("a noninteger power, at 0")
    y, x = [value], a.coefficients
    for k in range(1, a.order + 1):
        total = sum(((b * j - (k - j)) * x[j] * y[k - j] for j in range(2, k + 1)), (b - (k - 1)) * x[1] * y[k - 1])
        y.append(total / (k * x[0]))
    return Series(y)


_WHOLE = frozenset(range(65))


def _chosen(exponents: Any, powers: list[Any], value: Any) -> Any:
    """Of the coefficients for each exponent, in order, the one that belongs to it."""
    if np.ndim(exponents) == 0:
        return powers[0]
    return np.array(np.select([exponents == n for n in np.unique(exponents)], np.broadcast_arrays(*powers, value)[:-1]))


def _by_squaring(a: Series, n: int) -> Series:
    if n == 0:
        return constant(a.value ** 0, a.order)
    half = _by_squaring(a, n // 2)
    square = _multiply(None, half, half)
    return _multiply(None, square, a) if n % 2 else square


def _exponential(fn: Any, x: Series) -> Series:
    y = [fn(x.value)]
    slope = [k * c for k, c in enumerate(x.coefficients)]
    for k in range(1, x.order + 1):
        y.append(_convolved(slope, [*y, 0], k, 1) / k)
    return Series(y)


def _logarithm(fn: Any, x: Series) -> Series:
    quotient = _divide(operator.truediv, Series([k * c for k, c in enumerate(x.coefficients)][1:]), x.cut(x.order - 1)) if x.order else x
    return Series([fn(x.value), *(c / k for k, c in enumerate(quotient.coefficients, 1))][:x.order + 1])


def _turning(sine: Callable[..., Any], cosine: Callable[..., Any], sign: int, first: bool) -> Callable[..., Series]:
    """Sine or cosine, of the circle or the hyperbola (``sign`` of the second derivative)."""
    def run(fn: Any, x: Series) -> Series:
        s, c = [sine(x.value)], [cosine(x.value)]
        slope = [k * v for k, v in enumerate(x.coefficients)]
        for k in range(1, x.order + 1):
            s_k, c_k = _convolved(slope, [*c, 0], k, 1) / k, sign * _convolved(slope, [*s, 0], k, 1) / k
            s.append(s_k)
            c.append(c_k)
        return Series(s if first else c)
    return run


#: For each function how its series is computed, given the function in the spelling of the call.
ELEMENTARY: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((operator.mul, np.multiply), _multiply), **dict.fromkeys((operator.truediv, np.divide), _divide),
    **dict.fromkeys((operator.pow, np.power, math.pow, builtins.pow), _power), **dict.fromkeys((np.exp, math.exp), _exponential),
    np.log: _logarithm, **dict.fromkeys((np.square,), lambda fn, x: _multiply(fn, x, x)),
    **{module.sin: _turning(module.sin, module.cos, -1, True) for module in (np, math)},
    **{module.cos: _turning(module.sin, module.cos, -1, False) for module in (np, math)},
    **{module.sinh: _turning(module.sinh, module.cosh, 1, True) for module in (np, math)},
    **{module.cosh: _turning(module.sinh, module.cosh, 1, False) for module in (np, math)},
}
