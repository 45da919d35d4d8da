"""Operators and their ufuncs.

At kinks: ``abs`` has derivative 0 at 0; ties of `maximum` and `minimum` share equally; `clip` passes the cotangent at its
bounds; ``x ** 0`` has derivative 0 everywhere and ``0 ** p`` has derivative 0 in ``p``.
"""
from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np

from .at_zero import divisor
from .lists import holds_values
from .registry import alias, rule
from .static import ZERO, differs, is_complex, is_number, is_python_number, part, rounded, same


@rule(operator.add, np.add, operator.iadd, linear_in=(0, 1))
def _(g, y, a, b):
    return g, g


@rule(operator.sub, np.subtract, operator.isub, linear_in=(0, 1))
def _(g, y, a, b):
    return g, -g


@rule(operator.mul, np.multiply, operator.imul, symmetric=True)
def _(g, y, a, b):
    return g * b, a * g


@rule(operator.truediv, np.divide, operator.itruediv, domain=[(-math.inf, math.inf), (0.0, math.inf)])
def _(g, y, a, b):
    q = g / b
    return q, -q * y


@rule(operator.neg, np.negative, linear_in=(0,))
def _(g, y, a):
    return -g


@rule(operator.pos, np.positive, linear_in=(0,))
def _(g, y, a):
    return g


@rule(operator.mod, np.mod, operator.imod, domain=[(-math.inf, math.inf), (0.0, math.inf)])
def _(g, y, a, b):
    """At the jumps, where ``a`` is a multiple of ``b``, the derivative is the one-sided one, which is the same on both sides."""
    return g, -g * (a // b)


@rule(np.fmod, math.fmod, domain=[(-math.inf, math.inf), (0.0, math.inf)])
def _(g, y, a, b):
    return g, -g * np.trunc(a / b)


@rule(math.remainder, domain=[(-math.inf, math.inf), (0.0, math.inf)])
def _(g, y, a, b):
    return g, -g * rounded((a - y) / b)


@rule(divmod, np.divmod, kind="general", jvp=(lambda t, y, a, b: (None, t), lambda t, y, a, b: (None, -t * y[0])), broadcasts=True)
def _(g, y, a, b):
    r = part(g, y, 1)
    return r, -r * y[0]


def by_base(g: Any, y: Any, x: Any, n: Any) -> Any:
    """The cotangent of ``x`` in ``x ** n``."""
    if not is_number(n):
        return n * raised(x, n - (differs(n, 0) | differs(x, 0)), y) * g        # n - 1, but no 0 ** -1 where n is 0
    return ZERO if n == 0 else g if n == 1 else 2.0 * x * g if n == 2 else 0.5 * g / y if n == 0.5 else n * raised(x, n - 1, y) * g


def raised(x: Any, n: Any, like: Any) -> Any:
    """``x ** n`` by NumPy's power where ``like`` was computed by it: that of a negative number is NaN, Python's is complex."""
    return np.power(x, n) if is_python_number(x) and is_python_number(n) and not is_python_number(like) else x ** n


def log_of_base(x: Any, n: Any) -> Any:
    """The logarithm of the base of ``x ** n``, complex where the exponent is; 0 for a base of 0, whose powers do not change."""
    positive = x + same(x, 0)
    if is_complex(n) and not is_complex(x):
        return np.log(positive + 0j)
    if hasattr(n, "dtype") and not holds_values(x) and not is_complex(n):     # but negative ones of arrays, which are infinite
        if is_python_number(x) and x:       # beside a Tensor of booleans it would become one of the default dtype
            return np.log(x)
        return np.log(x + same(x, 0) * (n >= 0))
    return np.log(positive)


@rule(operator.pow, np.power, np.float_power, operator.ipow, domain=[(0.0, math.inf), (-math.inf, math.inf)])
def _(g, y, x, n):
    """``x ** 0`` has derivative 0 everywhere, ``0 ** n`` derivative 0 in ``n``, and in ``x`` that of the power rule."""
    return by_base(g, y, x, n), g * y * log_of_base(x, n)


alias(operator.pow, builtins.pow, math.pow)


def sign_jvp(t, y, a):
    return (t - y * np.real(np.conj(y) * t)) / divisor(np.abs(a)) if is_complex(a) else None


@rule(np.sign, kind="general", jvp=sign_jvp)
def _(g, y, a):
    """Constant for real numbers, at 0 too; of a complex number the phase, with derivative 0 at 0."""
    if not is_complex(a):
        return ZERO
    return (g - np.real(g * y) * np.conj(y)) / divisor(np.abs(a))


@rule(np.heaviside)
def _(g, y, a, at_zero):
    """The jump has derivative 0; at 0 the result is the second argument."""
    return ZERO, np.where(same(a, 0), g, 0.0)


@rule(operator.abs, builtins.abs, np.absolute, np.fabs, math.fabs)
def _(g, y, a):
    """The derivative at 0 is 0, of real and complex numbers."""
    return g * np.conj(a) / divisor(y) if is_complex(a) else g * np.sign(a)


@rule(np.maximum)
def _(g, y, a, b):
    """Ties share equally; if one argument is NaN, so is the result, and both have a derivative."""
    share = np.where(same(a, b), 0.5 * g, g)
    return np.where(a < b, 0.0, share), np.where(b < a, 0.0, share)


@rule(np.minimum)
def _(g, y, a, b):
    """Ties share equally; if one argument is NaN, so is the result, and both have a derivative."""
    share = np.where(same(a, b), 0.5 * g, g)
    return np.where(a > b, 0.0, share), np.where(b > a, 0.0, share)


@rule(np.fmax, np.fmin)
def _(g, y, a, b):
    """Ties share equally; if one argument is NaN, the other has the derivative."""
    share = np.where(same(a, b), 0.5 * g, g)
    return np.where(same(a, y), share, 0.0), np.where(same(b, y), share, 0.0)


@rule(np.clip, np.ndarray.clip, renames={"min": "a_min", "max": "a_max"})
def _(g, y, a, a_min=None, a_max=None):
    """At the bounds the argument has the derivative; where the bounds cross, the upper one has it."""
    inside = same(a, y)
    return np.where(inside, g, 0.0), np.where(inside, 0.0, low_share(g, y, a_min, a_max)), np.where(inside, 0.0, high_share(g, y, a_max))


def low_share(g: Any, y: Any, low: Any, high: Any) -> Any:
    """The share of the lower bound of `clip`; if the bounds cross, the upper one is the result."""
    return 0.0 if low is None else g if high is None else np.where(differs(y, high), g, 0.0)


def high_share(g: Any, y: Any, high: Any) -> Any:
    """The share of the upper bound of `clip`."""
    return 0.0 if high is None else np.where(same(y, high), g, 0.0)


@rule(np.where, linear_in=(1, 2))
def _(g, y, condition, x, y_):
    """Entries that are not selected have derivative 0, even if the cotangent is NaN or infinite."""
    return None, np.where(condition, g, 0.0), np.where(condition, 0.0, g)


@rule(np.copysign, math.copysign)
def _(g, y, a, b):
    """The jump in ``b`` has derivative 0; ``a`` has derivative 0 at 0."""
    return g * np.sign(a) * np.copysign(1.0, y), ZERO


@rule(np.ldexp, math.ldexp)
def _(g, y, a, n):
    return g * 2.0 ** n


@rule(np.square)
def _(g, y, a):
    return 2.0 * a * g


@rule(np.reciprocal, domain=[(0.0, math.inf)])
def _(g, y, a):
    return -g * y * y


@rule(np.nan_to_num)
def _(g, y, x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Replaced entries have derivative 0."""
    return np.where(np.isfinite(x), g, 0.0)


@rule(np.modf, math.modf, kind="general", jvp=lambda t, y, a: (t, None))
def _(g, y, a):
    """The whole part has derivative 0."""
    return part(g, y, 0)


@rule(np.frexp, math.frexp, kind="general", jvp=lambda t, y, a: (t / 2.0 ** y[1], None))
def _(g, y, a):
    return part(g, y, 0) / 2.0 ** y[1]


@rule(np.real, linear_in=(0,))
def _(g, y, a):
    return g


@rule(np.imag, linear_in=(0,))
def _(g, y, a):
    return -1j * g


@rule(np.conjugate, np.ndarray.conj, np.ndarray.conjugate, float.conjugate, complex.conjugate, linear_in=(0,))
def _(g, y, a):
    return np.conj(g) if is_complex(a) else g


@rule(np.angle)
def _(g, y, z, deg=False):
    """The phase of real numbers is constant; at 0 the derivative is infinite."""
    if not is_complex(z):
        return ZERO
    return -1j * (g * (180.0 / math.pi) if deg else g) / z


@rule(np.nextafter, math.nextafter)
def _(g, y, a, b):
    """The step to the adjacent float is constant."""
    return g, ZERO


@rule(np.unwrap)
def _(g, y, p, discont=None, axis=-1, *, period=2 * math.pi):
    """The jumps have derivative 0."""
    return g


@rule(complex)
def _(g, y, real, imag=None):
    return g, 1j * g


@rule(np.real_if_close, float, np.float64, np.complex128, np.float32, np.complex64, np.float16, np.longdouble, np.clongdouble)
def _(g, y, a):
    return g
