"""Elliptic integrals and functions, differentiated by every argument.

The derivatives of Carlson's symmetric integrals are integrals of the same form with higher powers (`carlson`), of which
Legendre's are special cases; none of the formulas divides by a parameter that may be 0.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import lifted, part
from .quadrature import half_line, spread

nearest = lifted(np.round)


def carlson(x: Any, y: Any, z: Any, p: Any, a: float, b: float, c: float, d: float, power: float = 0.0) -> Any:
    """The integral of ``t**power (t + x)**-a (t + y)**-b (t + z)**-c (t + p)**-d`` from 0 to infinity."""
    x, y, z, p = spread(x, y, z, p)
    with np.errstate(all="ignore"):
        return half_line(lambda t: t ** power * (t + x) ** -a * (t + y) ** -b * (t + z) ** -c * (t + p) ** -d)


integral = lifted(carlson)


@rule(carlson)
def _(g, y, x, w, z, p, a, b, c, d, power=0.0):
    return (-a * g * integral(x, w, z, p, a + 1.0, b, c, d, power), -b * g * integral(x, w, z, p, a, b + 1.0, c, d, power),
            -c * g * integral(x, w, z, p, a, b, c + 1.0, d, power), -d * g * integral(x, w, z, p, a, b, c, d + 1.0, power))


@rule(sp.elliprf)
def _(g, y, x, w, z):
    q = -g / 6.0
    return q * sp.elliprd(w, z, x), q * sp.elliprd(x, z, w), q * sp.elliprd(x, w, z)


@rule(sp.elliprc)
def _(g, y, x, w):
    return -g / 6.0 * sp.elliprd(w, w, x), -g / 3.0 * sp.elliprd(x, w, w)


@rule(sp.elliprd)
def _(g, y, x, w, z):
    q = -0.75 * g
    return (q * integral(x, w, z, 1.0, 1.5, 0.5, 1.5, 0.0), q * integral(x, w, z, 1.0, 0.5, 1.5, 1.5, 0.0),
            3.0 * q * integral(x, w, z, 1.0, 0.5, 0.5, 2.5, 0.0))


@rule(sp.elliprg)
def _(g, y, x, w, z):
    q = 0.125 * g
    return (q * integral(x, w, z, 1.0, 1.5, 0.5, 0.5, 0.0, 1.0), q * integral(x, w, z, 1.0, 0.5, 1.5, 0.5, 0.0, 1.0),
            q * integral(x, w, z, 1.0, 0.5, 0.5, 1.5, 0.0, 1.0))


@rule(sp.elliprj)
def _(g, y, x, w, z, p):
    q = -0.75 * g
    return (q * integral(x, w, z, p, 1.5, 0.5, 0.5, 1.0), q * integral(x, w, z, p, 0.5, 1.5, 0.5, 1.0),
            q * integral(x, w, z, p, 0.5, 0.5, 1.5, 1.0), 2.0 * q * integral(x, w, z, p, 0.5, 0.5, 0.5, 2.0))


@rule(sp.ellipk)
def _(g, y, m):
    return g / 6.0 * sp.elliprd(0.0, 1.0, 1.0 - m)


@rule(sp.ellipkm1)
def _(g, y, p):
    return -g / 6.0 * sp.elliprd(0.0, 1.0, p)


@rule(sp.ellipe)
def _(g, y, m):
    return -g / 6.0 * sp.elliprd(0.0, 1.0 - m, 1.0)


def remainder(phi):
    """The number of half turns in an angle, and the sine of the remainder."""
    turns = nearest(phi / math.pi)
    return turns, np.sin(phi - math.pi * turns)


def first_kind_by_m(phi, m):
    """The derivative of ``ellipkinc`` by its parameter."""
    turns, s = remainder(phi)
    rest = s ** 3 * sp.elliprd(1.0 - s * s, 1.0, 1.0 - m * s * s)
    return (2.0 * turns * sp.elliprd(0.0, 1.0, 1.0 - m) + rest) / 6.0


@rule(sp.ellipkinc)
def _(g, y, phi, m):
    return g / np.sqrt(1.0 - m * np.sin(phi) ** 2), g * first_kind_by_m(phi, m)


@rule(sp.ellipeinc)
def _(g, y, phi, m):
    turns, s = remainder(phi)
    rest = s ** 3 * sp.elliprd(1.0 - s * s, 1.0 - m * s * s, 1.0)
    return g * np.sqrt(1.0 - m * np.sin(phi) ** 2), -g / 6.0 * (2.0 * turns * sp.elliprd(0.0, 1.0 - m, 1.0) + rest)


def jacobi_by_m(y, m):
    """How the four results of `ellipj` change with the parameter."""
    sn, cn, dn, ph = y
    turn = -dn * first_kind_by_m(ph, m)
    return cn * turn, -sn * turn, -sn * (0.5 * sn + m * cn * turn) / dn, turn


def jacobi_by_u(y, m):
    """How they change with the argument."""
    sn, cn, dn, _ = y
    return cn * dn, -sn * dn, -m * sn * cn, dn


@rule(sp.ellipj, kind="general", broadcasts=True, jvp=(lambda t, y, u, m: tuple(t * s for s in jacobi_by_u(y, m)),
                                                        lambda t, y, u, m: tuple(t * s for s in jacobi_by_m(y, m))))
def _(g, y, u, m):
    return (sum(part(g, y, k) * s for k, s in enumerate(jacobi_by_u(y, m))),
            sum(part(g, y, k) * s for k, s in enumerate(jacobi_by_m(y, m))))
