"""Elementary functions in SciPy's spelling."""
from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from ...registry import definition, rule
from ...static import NoDerivative, same

DEGREE = math.pi / 180.0
LN2, LN10 = math.log(2.0), math.log(10.0)


@definition(sp.perm)
def perm(N, k, exact=False):
    """The number of arrangements, as a product that rises from ``N - k + 1``."""
    if exact:
        raise NoDerivative("perm with exact=True is of whole numbers")
    return sp.poch(N - k + 1.0, k)


@rule(sp.cbrt)
def _(g, y, x):
    return g / (3.0 * y * y)


@rule(sp.exp2)
def _(g, y, x):
    return LN2 * g * y


@rule(sp.exp10)
def _(g, y, x):
    return LN10 * g * y


@rule(sp.expm1)
def _(g, y, x):
    return g * (y + 1.0)


@rule(sp.log1p)
def _(g, y, x):
    return g / (1.0 + x)


@rule(sp.cosm1)
def _(g, y, x):
    return -g * np.sin(x)


@rule(sp.powm1)
def _(g, y, x, n):
    return g * n * np.power(x, n - 1.0), g * (y + 1.0) * np.log(x)


@rule(sp.sindg)
def _(g, y, x):
    return DEGREE * g * sp.cosdg(x)


@rule(sp.cosdg)
def _(g, y, x):
    return -DEGREE * g * sp.sindg(x)


@rule(sp.tandg)
def _(g, y, x):
    return DEGREE * g * (1.0 + y * y)


@rule(sp.cotdg)
def _(g, y, x):
    return -DEGREE * g * (1.0 + y * y)


@rule(sp.radian)
def _(g, y, d, m, s):
    return DEGREE * g, DEGREE / 60.0 * g, DEGREE / 3600.0 * g


@rule(sp.diric)
def _(g, y, x, n):
    half = np.sin(0.5 * x)
    slope = (0.5 * np.cos(0.5 * n * x) - 0.5 * y * np.cos(0.5 * x)) / (half + same(half, 0))
    return g * np.where(same(half, 0), 0.0, slope), None


@rule(sp.agm)
def _(g, y, a, b):
    q = 2.0 / (3.0 * math.pi) * g * y * y
    return q * a * sp.elliprd(0.0, b * b, a * a), q * b * sp.elliprd(0.0, a * a, b * b)


@rule(sp.wrightomega)
def _(g, y, z):
    return g * y / (1.0 + y)


@rule(sp.lambertw)
def _(g, y, z, k=0, tol=1e-8):
    return g / (z + np.exp(y))


@rule(sp.tklmbda)
def _(g, y, x, lam):
    density = 1.0 / (y ** (lam - 1.0) + (1.0 - y) ** (lam - 1.0))
    by_lam = (y ** lam * np.log(y) - (1.0 - y) ** lam * np.log(1.0 - y) - x) / lam
    return g * density, -g * density * by_lam
