"""Elementary functions without a branch, so that a loop that calls them can compute several elements at once.

Reduction of the argument and polynomials are those of fdlibm (Sun Microsystems, 1993) and Cephes (S. L. Moshier); NaN,
infinities and denormal numbers come out as they do from the C library.  ``sin`` and ``cos`` hold for arguments up to
`TURNS`, which the loop that calls them has to watch.
"""
from __future__ import annotations

import math

from numba import njit

from .bits import float_of, int_of

__all__ = ["TURNS", "cos", "exp", "expm1", "log", "log1p", "logaddexp", "sin", "tanh"]

#: Beyond this, ``sin`` and ``cos`` lose digits.
TURNS = 1.0e6

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_INVERSE_LN2 = 1.44269504088896338700
#: added to a small number, it leaves the nearest integer in the low bits
_ROUND = 6755399441055744.0
_SIGN = -0x8000000000000000
_ROUND_BITS = 0x4338000000000000

# what is multiplied and added may be rounded once; nothing else is left to the compiler
_compiled = njit(fastmath={"contract"}, error_model="numpy", forceinline=True)


@_compiled
def _exp_tail(r):
    """exp(r) - 1 for |r| <= ln(2) / 2."""
    r2 = r * r
    r4 = r2 * r2
    p = (0.5 + r * 1.6666666666666666e-01) + r2 * (4.1666666666666664e-02 + r * 8.333333333333333e-03)
    q = (1.388888888888889e-03 + r * 1.984126984126984e-04) + r2 * (2.48015873015873e-05 + r * 2.7557319223985893e-06)
    s = (2.755731922398589e-07 + r * 2.505210838544172e-08) + r2 * (2.08767569878681e-09 + r * 1.6059043836821613e-10)
    return r + r2 * (p + r4 * (q + r4 * s))


@_compiled
def _power_of_two(k):
    """2 ** k for -1022 <= k <= 1023."""
    return float_of((k + 1023) << 52)


@_compiled
def exp(x):
    """e ** x."""
    x = 710.0 if x > 710.0 else x
    x = -746.0 if x < -746.0 else x
    t = x * _INVERSE_LN2 + _ROUND
    k = int_of(t) - _ROUND_BITS
    t -= _ROUND
    y = 1.0 + _exp_tail((x - t * _LN2_HIGH) - t * _LN2_LOW)
    half = k >> 1
    return y * _power_of_two(half) * _power_of_two(k - half)


@_compiled
def expm1(x):
    """e ** x - 1."""
    y = 710.0 if x > 710.0 else x
    y = -40.0 if y < -40.0 else y
    t = y * _INVERSE_LN2 + _ROUND
    k = int_of(t) - _ROUND_BITS
    t -= _ROUND
    p = _exp_tail((y - t * _LN2_HIGH) - t * _LN2_LOW)
    scale = _power_of_two(k - 1)
    out = (scale * p + (scale - 0.5)) * 2.0
    return x if k == 0 and p == 0.0 else p if k == 0 else out


@_compiled
def _log_tail(f):
    """log(1 + f) - f for sqrt(1/2) - 1 <= f <= sqrt(2) - 1."""
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)))
    half = 0.5 * f * f
    return half, s * (half + (even + odd))


@_compiled
def _log_finite(x, small):
    """log of a positive number that is not denormal, plus ``small``."""
    bits = int_of(x)
    k = (bits - 0x3FE6A09E667F3BCD) >> 52
    f = float_of(bits - (k << 52)) - 1.0
    e = float_of(k + _ROUND_BITS) - _ROUND
    half, rest = _log_tail(f)
    return e * _LN2_HIGH - ((half - (rest + (e * _LN2_LOW + small))) - f)


@_compiled
def log(x):
    """The natural logarithm."""
    denormal = x < 2.2250738585072014e-308
    y = x * 18014398509481984.0 if denormal else x
    out = _log_finite(y, 0.0)
    out = out - 37.42994775023705 if denormal else out
    out = x if x == math.inf else out
    out = math.nan if x < 0.0 else out
    return -math.inf if x == 0.0 else x if x != x else out


@_compiled
def log1p(x):
    """log(1 + x)."""
    u = 1.0 + x
    lost = x - (u - 1.0) if x < 1.0 else 1.0 - (u - x)
    out = _log_finite(u, lost / u)
    out = x if x == math.inf or abs(x) < 1.0e-20 else out
    out = math.nan if x < -1.0 else out
    return -math.inf if x == -1.0 else x if x != x else out


@_compiled
def logaddexp(x, y):
    """log(e ** x + e ** y)."""
    larger = x if x >= y or x != x else y
    return x + 6.93147180559945309417e-01 if x == y else larger + log1p(exp(-abs(x - y)))


@_compiled
def tanh(x):
    """The hyperbolic tangent."""
    a = abs(x)
    z = x * x
    p = (-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3
    q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z + 4.84406305325125486048e3
    near = a + a * z * (p / q)
    far = 1.0 - 2.0 / (exp(2.0 * a) + 1.0)
    out = near if a < 0.625 else far
    return float_of(int_of(out) | (int_of(x) & _SIGN))


@_compiled
def _quarter_turns(x):
    """How many quarter turns are in an angle, and what is left of it in two parts."""
    t = x * 6.36619772367581382433e-01 + _ROUND
    k = int_of(t)
    n = t - _ROUND
    a = x - n * 1.57079632673412561417
    w = n * 6.07710050630396597660e-11
    b = a - w
    low = (a - b) - w
    w = n * 2.02226624871116645580e-21
    c = b - w
    low = low + (((b - c) - w) - n * 8.47842766036889956997e-32)
    high = c + low
    return k, high, (c - high) + low


@_compiled
def _sin_part(x, low):
    z = x * x
    v = z * x
    r = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * (
        2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))
    return x - ((z * (0.5 * low - v * r) - low) + v * 1.66666666666666324348e-01)


@_compiled
def _cos_part(x, low):
    z = x * x
    r = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * (
        -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))))
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + (z * r - x * low))


@_compiled
def sin(x):
    """The sine, for |x| <= TURNS."""
    k, high, low = _quarter_turns(x)
    s, c = _sin_part(high, low), _cos_part(high, low)
    out = c if k & 1 else s
    return x if x == 0.0 else -out if k & 2 else out


@_compiled
def cos(x):
    """The cosine, for |x| <= TURNS."""
    k, high, low = _quarter_turns(x)
    s, c = _sin_part(high, low), _cos_part(high, low)
    out = s if k & 1 else c
    return -out if (k + 1) & 2 else out
