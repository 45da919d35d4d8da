"""Elementary functions of NumPy and the math module.

A rule uses the result if that is cheaper (``exp``, ``tanh``, ``sqrt``). At a vertical tangent (``sqrt``
at 0, ``arcsin`` at 1) the derivative is infinite; `hypot` has derivative 0 at the origin, like every norm.
"""
from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from ..runtime import bessel_i1, digamma, trigamma
from .at_zero import divisor
from .registry import definition, rule
from .static import is_complex, lifted, same

LN2, LN10 = math.log(2.0), math.log(10.0)
psi, psi_slope, i1 = lifted(digamma), lifted(trigamma), lifted(bessel_i1)


@rule(np.exp, math.exp, cmath.exp)
def _(g, y, x):
    return g * y


@rule(np.exp2, getattr(math, "exp2", np.exp2))
def _(g, y, x):
    return LN2 * g * y


@rule(np.expm1, math.expm1)
def _(g, y, x):
    return g * np.exp(x)        # y + 1 has no digits where y is close to -1


@rule(np.log, cmath.log, domain=[(0.0, math.inf)])
def _(g, y, x):
    """At 0 the derivative is infinite."""
    return g / x


@rule(math.log, domain=[(0.0, math.inf), (0.0, math.inf)])
def _(g, y, x, base=None):
    if base is None:
        return g / x
    q = g / np.log(base)
    return q / x, -q * y / base


@rule(np.log2, math.log2, domain=[(0.0, math.inf)])
def _(g, y, x):
    return g / (LN2 * x)


@rule(np.log10, math.log10, cmath.log10, domain=[(0.0, math.inf)])
def _(g, y, x):
    return g / (LN10 * x)


@rule(np.log1p, math.log1p, domain=[(-1.0, math.inf)])
def _(g, y, x):
    return g / (1.0 + x)


@rule(np.sqrt, math.sqrt, cmath.sqrt, domain=[(0.0, math.inf)])
def _(g, y, x):
    """At 0 the derivative is infinite."""
    return 0.5 * g / y


@rule(np.cbrt, getattr(math, "cbrt", np.cbrt), domain=[(0.0, math.inf)])
def _(g, y, x):
    """At 0 the derivative is infinite."""
    return g / (3.0 * y * y)


@rule(np.sin, math.sin, cmath.sin)
def _(g, y, x):
    return np.cos(x) * g


@rule(np.cos, math.cos, cmath.cos)
def _(g, y, x):
    return -np.sin(x) * g


@rule(np.tan, math.tan, cmath.tan)
def _(g, y, x):
    return g * (1.0 + y ** 2)


@rule(np.arcsin, math.asin, cmath.asin, domain=[(-1.0, 1.0)])
def _(g, y, x):
    """At -1 and 1 the derivative is infinite; outside, on the branch cut, the sign of the result determines the side."""
    return g / (np.cos(y) if is_complex(x) else np.sqrt(1.0 - x * x))


@rule(np.arccos, math.acos, cmath.acos, domain=[(-1.0, 1.0)])
def _(g, y, x):
    """At -1 and 1 the derivative is infinite; outside, on the branch cut, the sign of the result determines the side."""
    return -g / (np.sin(y) if is_complex(x) else np.sqrt(1.0 - x * x))


@rule(np.arctan, math.atan, cmath.atan)
def _(g, y, x):
    return g / (1.0 + x * x)


@rule(np.sinh, math.sinh, cmath.sinh)
def _(g, y, x):
    return np.cosh(x) * g


@rule(np.cosh, math.cosh, cmath.cosh)
def _(g, y, x):
    return np.sinh(x) * g


def of_result(g, y, x):
    """PyTorch's formula, which needs only the result, and loses all digits if that is close to 1."""
    return g * (1.0 - y ** 2)


@rule(np.tanh, math.tanh, cmath.tanh, tape=of_result)
def _(g, y, x):
    """With ``e = exp(-2 |x|)`` relative accuracy is the same everywhere, and nothing overflows."""
    if is_complex(x):
        return g * (1.0 - y ** 2)
    e = np.exp(-np.copysign(2.0, x) * x)        # smooth at 0, as np.abs is not
    return g * (4.0 * e / (1.0 + e) ** 2)


@rule(np.arcsinh, math.asinh, cmath.asinh)
def _(g, y, x):
    return g / np.sqrt(x * x + 1.0)


@rule(np.arccosh, math.acosh, cmath.acosh, domain=[(1.0, math.inf)])
def _(g, y, x):
    if is_complex(x):       # two roots: one cut, where the function has it
        return g / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0))
    return g / np.sqrt(x * x - 1.0)


@rule(np.arctanh, math.atanh, cmath.atanh, domain=[(-1.0, 1.0)])
def _(g, y, x):
    """At -1 and 1 the derivative is infinite."""
    return g / (1.0 - x * x)


@rule(np.arctan2, math.atan2)
def _(g, y, a, b):
    """At the origin the derivative is NaN."""
    q = g / (a * a + b * b)
    return q * b, -q * a


@rule(np.hypot)
def _(g, y, a, b):
    """The derivative at the origin is 0, as of every norm."""
    q = g / divisor(y)
    return q * a, q * b


@rule(math.hypot)
def _(g, y, *coordinates):
    """The derivative at the origin is 0, as of every norm."""
    q = g / divisor(y)
    return tuple(q * c for c in coordinates)


@rule(math.dist, kind="general", jvp=(lambda t, y, p, q: np.sum((p - q) * t) / divisor(y),
                                      lambda t, y, p, q: np.sum((q - p) * t) / divisor(y)))
def _(g, y, p, q):
    """The derivative where the points meet is 0, as of every norm."""
    d = g / divisor(y) * (p - q)
    return d, -d


@rule(np.logaddexp)
def _(g, y, a, b):
    return g * np.exp(a - y), g * np.exp(b - y)


@rule(np.logaddexp2)
def _(g, y, a, b):
    return g * np.exp2(a - y), g * np.exp2(b - y)


def sinc_slope(t: Any) -> Any:
    """The derivative of sin(t)/t near 0, by its series: derivatives of any order follow."""
    u, total = t * t, 0.0
    for k in range(10, 0, -1):
        total = (-1) ** k * 2 * k / math.factorial(2 * k + 1) + u * total
    return t * total


@rule(np.sinc)
def _(g, y, x):
    """The derivative at 0 is 0."""
    small = np.abs(x) < 0.3
    far = np.where(small, 1.0, x)
    return g * np.where(small, np.pi * sinc_slope(np.pi * np.where(small, x, 0.0)), (np.cos(np.pi * far) - y) / far)


@rule(np.deg2rad, np.radians, math.radians)
def _(g, y, x):
    return np.deg2rad(g)


@rule(np.rad2deg, np.degrees, math.degrees)
def _(g, y, x):
    return np.rad2deg(g)


@rule(math.erf)
def _(g, y, x):
    return 2.0 / math.sqrt(math.pi) * np.exp(-x * x) * g


@rule(math.erfc)
def _(g, y, x):
    return -2.0 / math.sqrt(math.pi) * np.exp(-x * x) * g


@rule(math.lgamma, domain=[(0.0, math.inf)])
def _(g, y, x):
    return g * psi(x)


@rule(math.gamma, domain=[(0.0, math.inf)])
def _(g, y, x):
    return g * y * psi(x)


@rule(digamma, domain=[(0.0, math.inf)])
def _(g, y, x):
    return g * psi_slope(x)


@rule(np.i0)
def _(g, y, x):
    return g * i1(x)


@rule(bessel_i1)
def _(g, y, x):
    at_zero = same(x, 0)
    return g * (np.i0(x) - np.where(at_zero, 0.5, y / (x + at_zero)))


@definition(np.kaiser)
def kaiser(M: int, beta: Any) -> Any:
    """The window, through its parameter."""
    if M == 1:
        return np.ones(1)
    t = 2.0 * np.arange(M) / (M - 1) - 1.0
    return np.i0(beta * np.sqrt(1.0 - t * t)) / np.i0(beta)


@rule(cmath.phase)
def _(g, y, z):
    return -1j * g / z


@definition(cmath.polar)
def polar(z: Any) -> Any:
    """Modulus and phase."""
    return abs(z), cmath.phase(z)


@definition(cmath.rect)
def rect(r: Any, phi: Any) -> Any:
    """The number with this modulus and phase."""
    return r * complex(math.cos(phi), math.sin(phi))


@rule(getattr(math, "fma", None))
def _(g, y, a, b, c):
    return g * b, g * a, g
