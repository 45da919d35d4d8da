"""Bessel functions by their argument and their order, Hankel, Kelvin and Struve functions, integrals of them.

By the argument through their recurrences, which need no division at 0; by the order through integrals over it (`orders`),
for real arguments.  Struve functions, scaled Hankel functions and those of whole order are differentiated by their argument only.
"""
from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from ...installed import installed
from ...registry import rule
from ...static import lifted, part, same
from .orders import i_by_order, j_by_order, k_by_order, y_by_order

jvp = lifted(sp.jvp)
yvp = lifted(sp.yvp)
ivp = lifted(sp.ivp)
kvp = lifted(sp.kvp)
h1vp = lifted(sp.h1vp)
h2vp = lifted(sp.h2vp)


@rule(sp.j0)
def _(g, y, x):
    return -g * sp.j1(x)


@rule(sp.j1)
def _(g, y, x):
    return 0.5 * g * (sp.j0(x) - sp.jv(2, x))


@rule(sp.y0)
def _(g, y, x):
    return -g * sp.y1(x)


@rule(sp.y1)
def _(g, y, x):
    return 0.5 * g * (sp.y0(x) - sp.yv(2, x))


@rule(sp.jv)
def _(g, y, v, x):
    return g * j_by_order(v, x), 0.5 * g * (sp.jv(v - 1, x) - sp.jv(v + 1, x))


@rule(sp.yv)
def _(g, y, v, x):
    return g * y_by_order(v, x), 0.5 * g * (sp.yv(v - 1, x) - sp.yv(v + 1, x))


@rule(sp.yn)
def _(g, y, n, x):
    return None, 0.5 * g * (sp.yv(n - 1, x) - sp.yv(n + 1, x))


@rule(sp.i0)
def _(g, y, x):
    return g * sp.i1(x)


@rule(sp.i1)
def _(g, y, x):
    return 0.5 * g * (sp.i0(x) + sp.iv(2, x))


@rule(sp.iv)
def _(g, y, v, x):
    return g * i_by_order(v, x), 0.5 * g * (sp.iv(v - 1, x) + sp.iv(v + 1, x))


@rule(sp.k0)
def _(g, y, x):
    return -g * sp.k1(x)


@rule(sp.k1)
def _(g, y, x):
    return -0.5 * g * (sp.k0(x) + sp.kv(2, x))


@rule(sp.kv)
def _(g, y, v, x):
    return g * k_by_order(v, x), -0.5 * g * (sp.kv(v - 1, x) + sp.kv(v + 1, x))


@rule(sp.kn)
def _(g, y, n, x):
    return None, -0.5 * g * (sp.kv(n - 1, x) + sp.kv(n + 1, x))


@rule(sp.i0e)
def _(g, y, x):
    return g * (sp.i1e(x) - y * np.sign(x))


@rule(sp.i1e)
def _(g, y, x):
    return g * (0.5 * (sp.i0e(x) + sp.ive(2, x)) - y * np.sign(x))


@rule(sp.k0e)
def _(g, y, x):
    return g * (y - sp.k1e(x))


@rule(sp.k1e)
def _(g, y, x):
    return g * (y - 0.5 * (sp.k0e(x) + sp.kve(2, x)))


@rule(sp.ive)
def _(g, y, v, x):
    return g * i_by_order(v, x) * np.exp(-np.abs(x)), g * (0.5 * (sp.ive(v - 1, x) + sp.ive(v + 1, x)) - y * np.sign(x))


@rule(sp.kve)
def _(g, y, v, x):
    return g * k_by_order(v, x) * np.exp(x), g * (y - 0.5 * (sp.kve(v - 1, x) + sp.kve(v + 1, x)))


@rule(sp.jve)
def _(g, y, v, x):      # of real arguments, which are not scaled
    return g * j_by_order(v, x), 0.5 * g * (sp.jve(v - 1, x) - sp.jve(v + 1, x))


@rule(sp.yve)
def _(g, y, v, x):
    return g * y_by_order(v, x), 0.5 * g * (sp.yve(v - 1, x) - sp.yve(v + 1, x))


@rule(sp.hankel1)
def _(g, y, v, z):
    return g * (j_by_order(v, z) + 1j * y_by_order(v, z)), 0.5 * g * (sp.hankel1(v - 1, z) - sp.hankel1(v + 1, z))


@rule(sp.hankel2)
def _(g, y, v, z):
    return g * (j_by_order(v, z) - 1j * y_by_order(v, z)), 0.5 * g * (sp.hankel2(v - 1, z) - sp.hankel2(v + 1, z))


@rule(sp.hankel1e)
def _(g, y, v, z):
    return None, g * (0.5 * (sp.hankel1e(v - 1, z) - sp.hankel1e(v + 1, z)) - 1j * y)


@rule(sp.hankel2e)
def _(g, y, v, z):
    return None, g * (0.5 * (sp.hankel2e(v - 1, z) - sp.hankel2e(v + 1, z)) + 1j * y)


@rule(sp.jvp)
def _(g, y, v, z, n=1):
    return None, g * jvp(v, z, n + 1)


@rule(sp.yvp)
def _(g, y, v, z, n=1):
    return None, g * yvp(v, z, n + 1)


@rule(sp.ivp)
def _(g, y, v, z, n=1):
    return None, g * ivp(v, z, n + 1)


@rule(sp.kvp)
def _(g, y, v, z, n=1):
    return None, g * kvp(v, z, n + 1)


@rule(sp.h1vp)
def _(g, y, v, z, n=1):
    return None, g * h1vp(v, z, n + 1)


@rule(sp.h2vp)
def _(g, y, v, z, n=1):
    return None, g * h2vp(v, z, n + 1)


@rule(sp.ber)
def _(g, y, x):
    return g * sp.berp(x)


@rule(sp.bei)
def _(g, y, x):
    return g * sp.beip(x)


@rule(sp.ker)
def _(g, y, x):
    return g * sp.kerp(x)


@rule(sp.kei)
def _(g, y, x):
    return g * sp.keip(x)


@rule(sp.berp)
def _(g, y, x):
    return g * (-sp.bei(x) - y / (x + same(x, 0)))


@rule(sp.beip)
def _(g, y, x):
    return g * (sp.ber(x) - (y + 0.5 * same(x, 0)) / (x + same(x, 0)))


@rule(sp.kerp)
def _(g, y, x):
    return g * (-sp.kei(x) - y / x)


@rule(sp.keip)
def _(g, y, x):
    return g * (sp.ker(x) - y / x)


def kelvin_slopes(y, x):
    """The derivatives of ber + i bei, ker + i kei and of their derivatives, which `kelvin` returns."""
    first, second = y[2], y[3]
    return first, second, 1j * y[0] - first / x, 1j * y[1] - second / x


@rule(sp.kelvin, kind="general", jvp=lambda t, y, x: tuple(t * s for s in kelvin_slopes(y, x)))
def _(g, y, x):
    return sum(part(g, y, k) * s for k, s in enumerate(kelvin_slopes(y, x)))


def half_power(v, x):
    """The difference of the two recurrences of Struve functions."""
    return np.exp(v * np.log(0.5 * x) - sp.gammaln(v + 1.5)) / (2.0 * math.sqrt(math.pi))


@rule(sp.struve)
def _(g, y, v, x):
    return None, g * (0.5 * (sp.struve(v - 1.0, x) - sp.struve(v + 1.0, x)) + half_power(v, x))


@rule(sp.modstruve)
def _(g, y, v, x):
    return None, g * (0.5 * (sp.modstruve(v - 1.0, x) + sp.modstruve(v + 1.0, x)) + half_power(v, x))


@rule(sp.itstruve0)
def _(g, y, x):
    return g * sp.struve(0, x)


@rule(sp.it2struve0)
def _(g, y, x):
    return -g * sp.struve(0, x) / x


@rule(sp.itmodstruve0)
def _(g, y, x):
    return g * sp.modstruve(0, x)


@rule(sp.itj0y0, kind="general", jvp=lambda t, y, x: (t * sp.j0(x), t * sp.y0(x)))
def _(g, y, x):
    return part(g, y, 0) * sp.j0(x) + part(g, y, 1) * sp.y0(x)


@rule(sp.it2j0y0, kind="general", jvp=lambda t, y, x: (t * (1.0 - sp.j0(x)) / x, -t * sp.y0(x) / x))
def _(g, y, x):
    return (part(g, y, 0) * (1.0 - sp.j0(x)) - part(g, y, 1) * sp.y0(x)) / x


@rule(sp.iti0k0, kind="general", jvp=lambda t, y, x: (t * sp.i0(x), t * sp.k0(x)))
def _(g, y, x):
    return part(g, y, 0) * sp.i0(x) + part(g, y, 1) * sp.k0(x)


@rule(sp.it2i0k0, kind="general", jvp=lambda t, y, x: (t * (sp.i0(x) - 1.0) / x, -t * sp.k0(x) / x))
def _(g, y, x):
    return (part(g, y, 0) * (sp.i0(x) - 1.0) - part(g, y, 1) * sp.k0(x)) / x


@rule(sp.wright_bessel)
def _(g, y, a, b, x):
    return None, None, g * sp.wright_bessel(a, a + b, x)


@rule(installed("scipy.special.log_wright_bessel"))
def _(g, y, a, b, x):
    return None, None, g * np.exp(sp.log_wright_bessel(a, a + b, x) - y)


@rule(sp.besselpoly)
def _(g, y, a, lmb, nu):
    return g * (sp.besselpoly(a, lmb + 1.0, nu - 1.0) - sp.besselpoly(a, lmb + 1.0, nu + 1.0)), None, None
