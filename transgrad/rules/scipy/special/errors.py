"""Error functions, the normal distribution function, exponential, sine and Fresnel integrals."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import is_complex, lifted, part, same

TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


@rule(sp.erf)
def _(g, y, x):
    return TWO_OVER_ROOT_PI * np.exp(-x * x) * g


@rule(sp.erfc)
def _(g, y, x):
    return -TWO_OVER_ROOT_PI * np.exp(-x * x) * g


def far_out(x: Any, near: Any, begins: float, sign: float) -> Any:
    """``near``; beyond ``begins``, where it is a difference of nearly equal numbers, the asymptotic series of that in ``1 / x**2``."""
    far = np.abs(x) > begins if sign > 0 else x > begins
    t = 0.5 / np.where(far, x * x, 1.0)
    term, total = np.ones_like(t), np.ones_like(t)
    for n in range(1, 13):
        term = term * (sign * (2 * n + 1) * t)
        total = total + term
    return np.where(far, -t * total, near)


def in_double(fn: Any) -> Any:
    """A function of real numbers computed in float64 and returned in their dtype; of complex numbers as it is."""
    def computed(x: Any) -> Any:
        dtype = np.asarray(x).dtype
        if dtype.kind == "c":
            return fn(x)
        return np.asarray(fn(np.asarray(x, np.float64)), dtype if dtype.kind == "f" else np.float64)[()]
    computed.__name__ = fn.__name__
    return computed


@in_double
def erfcx_slope(x: Any) -> Any:
    """The derivative of ``erfcx``."""
    near = 2.0 * x * sp.erfcx(x) - TWO_OVER_ROOT_PI
    return near if np.iscomplexobj(x) else TWO_OVER_ROOT_PI * far_out(x, near / TWO_OVER_ROOT_PI, 12.0, -1.0)


@in_double
def dawsn_slope(x: Any) -> Any:
    """The derivative of ``dawsn``."""
    near = 1.0 - 2.0 * x * sp.dawsn(x)
    return near if np.iscomplexobj(x) else far_out(x, near, 12.0, 1.0)


slope_of_erfcx, slope_of_dawsn = lifted(erfcx_slope), lifted(dawsn_slope)


@rule(sp.erfcx)
def _(g, y, x):
    return slope_of_erfcx(x) * g


@rule(erfcx_slope)
def _(g, y, x):
    return 2.0 * (sp.erfcx(x) + x * y) * g


@rule(dawsn_slope)
def _(g, y, x):
    return -2.0 * (sp.dawsn(x) + x * y) * g


@rule(sp.erfi)
def _(g, y, x):
    return TWO_OVER_ROOT_PI * np.exp(x * x) * g


@rule(sp.erfinv)
def _(g, y, x):
    return np.exp(y * y) / TWO_OVER_ROOT_PI * g


@rule(sp.erfcinv)
def _(g, y, x):
    return -np.exp(y * y) / TWO_OVER_ROOT_PI * g


@rule(sp.dawsn)
def _(g, y, x):
    return g * slope_of_dawsn(x)


@rule(sp.wofz)
def _(g, y, z):
    return g * (1j * TWO_OVER_ROOT_PI - 2.0 * z * y)


@rule(sp.ndtr)
def _(g, y, x):
    return np.exp(-0.5 * x * x) / ROOT_TWO_PI * g


@rule(sp.log_ndtr)
def _(g, y, x):
    density = np.exp(-0.5 * x * x - y) / ROOT_TWO_PI
    if is_complex(x):
        return density * g
    right = x > 0.0     # on the left the exponent is a difference of nearly equal numbers
    return np.where(right, density, TWO_OVER_ROOT_PI / math.sqrt(2.0) / sp.erfcx(np.where(right, 0.0, x) / -math.sqrt(2.0))) * g


@rule(sp.ndtri)
def _(g, y, p):
    return ROOT_TWO_PI * np.exp(0.5 * y * y) * g


@rule(sp.ndtri_exp)
def _(g, y, log_p):
    return ROOT_TWO_PI * np.exp(log_p + 0.5 * y * y) * g


@rule(sp.owens_t)
def _(g, y, h, a):
    slope = -np.exp(-0.5 * h * h) * sp.erf(a * h / math.sqrt(2.0)) / (2.0 * ROOT_TWO_PI)
    return g * slope, g * np.exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a))


@rule(sp.voigt_profile)
def _(g, y, x, sigma, gamma):
    z = (x + 1j * gamma) / (sigma * math.sqrt(2.0))
    w = sp.wofz(z)
    slope = (2j / math.sqrt(math.pi) - 2.0 * z * w) / (sigma * math.sqrt(2.0))      # of w by x
    q = g / (ROOT_TWO_PI * sigma)
    return q * np.real(slope), -q * (np.real(slope * z) * math.sqrt(2.0) + np.real(w) / sigma), -q * np.imag(slope)


@rule(sp.fresnel, kind="general", jvp=lambda t, y, x: (t * np.sin(0.5 * np.pi * x * x), t * np.cos(0.5 * np.pi * x * x)))
def _(g, y, x):
    phase = 0.5 * np.pi * x * x
    return part(g, y, 0) * np.sin(phase) + part(g, y, 1) * np.cos(phase)


#: the sign in the exponent of modfresnelp and of modfresnelm: SciPy 1.13 has them the other way round
PLUS, MINUS = (1j if fn(0.0)[0].imag > 0.0 else -1j for fn in (sp.modfresnelp, sp.modfresnelm))


def modified_fresnel_slopes(y, x, sign):
    """Of the integral of ``exp(±i x²)`` from x on, and of the same scaled."""
    return -np.exp(sign * x * x), -2.0 * sign * x * y[1] - np.exp(-0.25 * math.pi * sign) / math.sqrt(math.pi)


@rule(sp.modfresnelp, kind="general", jvp=lambda t, y, x: tuple(t * s for s in modified_fresnel_slopes(y, x, PLUS)))
def _(g, y, x):
    return sum(part(g, y, k) * s for k, s in enumerate(modified_fresnel_slopes(y, x, PLUS)))


@rule(sp.modfresnelm, kind="general", jvp=lambda t, y, x: tuple(t * s for s in modified_fresnel_slopes(y, x, MINUS)))
def _(g, y, x):
    return sum(part(g, y, k) * s for k, s in enumerate(modified_fresnel_slopes(y, x, MINUS)))


@rule(sp.exp1)
def _(g, y, x):
    return -g * np.exp(-x) / x


@rule(sp.expi)
def _(g, y, x):
    return g * np.exp(x) / x


@rule(sp.expn)
def _(g, y, n, x):
    return None, -g * sp.expn(n - 1 + same(n, 0), x) - g * same(n, 0) * y / x      # E_0(x) = exp(-x) / x


@rule(sp.sici, kind="general", jvp=lambda t, y, x: (t * np.sin(x) / x, t * np.cos(x) / x))
def _(g, y, x):
    return (part(g, y, 0) * np.sin(x) + part(g, y, 1) * np.cos(x)) / x


@rule(sp.shichi, kind="general", jvp=lambda t, y, x: (t * np.sinh(x) / x, t * np.cosh(x) / x))
def _(g, y, x):
    return (part(g, y, 0) * np.sinh(x) + part(g, y, 1) * np.cosh(x)) / x


@rule(sp.spence)
def _(g, y, x):
    return -g * np.where(same(x, 1), 1.0, np.log(x) / (x - 1.0 + same(x, 1)))
