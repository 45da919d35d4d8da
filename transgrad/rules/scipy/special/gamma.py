"""The gamma function and its family: factorials, binomials, beta, polygamma, zeta.

At their poles these functions have no derivative; `rgamma`, the reciprocal, has one there, but this formula does not give it.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import NoDerivative, is_complex, lifted

polygamma = lifted(sp.polygamma)
zeta = lifted(sp.zeta)


@rule(sp.gammaln, sp.loggamma)
def _(g, y, x):
    return g * sp.digamma(x)


@rule(sp.gamma)
def _(g, y, x):
    return g * y * sp.digamma(x)


@rule(sp.rgamma)
def _(g, y, x):
    return -g * y * sp.digamma(x)


@rule(sp.digamma)
def _(g, y, x):
    if is_complex(x):
        raise NoDerivative("no derivative of digamma of a complex number: SciPy's polygamma takes real ones")
    return g * polygamma(1, x)


@rule(sp.polygamma)
def _(g, y, n, x):
    return None, g * polygamma(n + 1, x)


@rule(sp.multigammaln)
def _(g, y, a, d):
    return g * sum(sp.digamma(a - 0.5 * k) for k in range(d))


@rule(sp.factorial)
def _(g, y, n, exact=False, extend="zero"):
    if exact:
        raise NoDerivative("factorial with exact=True is of whole numbers")
    return g * y * sp.digamma(n + 1.0)


@rule(sp.poch)
def _(g, y, z, m):
    both = sp.digamma(z + m)
    return g * y * (both - sp.digamma(z)), g * y * both


@rule(sp.binom)
def _(g, y, n, k):
    rest = sp.digamma(n - k + 1.0)
    return g * y * (sp.digamma(n + 1.0) - rest), g * y * (rest - sp.digamma(k + 1.0))


@rule(sp.comb)
def _(g, y, N, k, *, exact=False, repetition=False):
    if exact or repetition:
        raise NoDerivative("comb has a derivative with exact=False, repetition=False")
    rest = sp.digamma(N - k + 1.0)
    return g * y * (sp.digamma(N + 1.0) - rest), g * y * (rest - sp.digamma(k + 1.0))


@rule(sp.beta)
def _(g, y, a, b):
    both = sp.digamma(a + b)
    return g * y * (sp.digamma(a) - both), g * y * (sp.digamma(b) - both)


@rule(sp.betaln)
def _(g, y, a, b):
    both = sp.digamma(a + b)
    return g * (sp.digamma(a) - both), g * (sp.digamma(b) - both)


#: Bernoulli numbers over factorials, ``B_2k / (2k)!``
_EULER_MACLAURIN = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
_HEAD = 12


def _times(p: Any, q: Any) -> list[Any]:
    """The product of two power series, as far as both go."""
    return [sum(p[j] * q[k - j] for j in range(k + 1)) for k in range(len(p))]


def zeta_by_x(x: Any, q: Any = 1.0, order: int = 1) -> Any:
    """The derivative of Hurwitz's zeta function by its first argument: some terms, and Euler and Maclaurin's formula for the rest.

    Each part is a power series in a step of ``x``.
    """
    x, q = np.asarray(x, float), np.asarray(q, float)
    steps = range(order + 1)
    head = sum((-np.log(q + n)) ** order * (q + n) ** -x for n in range(_HEAD))
    a = q + _HEAD
    power = [a ** -x * (-np.log(a)) ** k / math.factorial(k) for k in steps]
    rising = [x, *([1.0 + 0.0 * x] if order else []), *(0.0 * x for _ in range(order - 1))]
    rest = [0.5 * p + a * r for p, r in zip(power, _times(power, [(-1.0) ** k / (x - 1.0) ** (k + 1) for k in steps]))]
    for k, c in enumerate(_EULER_MACLAURIN):
        rest = [r + c * a ** (-2.0 * k - 1.0) * s for r, s in zip(rest, _times(rising, power))]
        for shift in (2 * k + 1, 2 * k + 2):
            rising = _times(rising, [x + shift, 1.0 + 0.0 * x, *(0.0 * x for _ in range(order - 1))][:order + 1])
    return head + math.factorial(order) * rest[order]


zeta_slope = lifted(zeta_by_x)


@rule(sp.zeta, domain=[(1.0, np.inf), (0.0, np.inf)])
def _(g, y, x, q=None):
    if q is None:
        return g * zeta_slope(x), None
    return g * zeta_slope(x, q), -g * x * zeta(x + 1.0, q)


@rule(sp.zetac, domain=[(1.0, np.inf)])
def _(g, y, x):
    return g * zeta_slope(x)


@rule(zeta_by_x)
def _(g, y, x, q=1.0, order=1):
    below = zeta(x + 1.0, q) if order == 1 else zeta_slope(x + 1.0, q, order - 1)
    return g * zeta_slope(x, q, order + 1), -g * (order * below + x * zeta_slope(x + 1.0, q, order))
