"""Spherical Bessel functions; with ``derivative=True`` through the differential equation."""
from __future__ import annotations

import scipy.special as sp

from ...registry import rule
from ...static import lifted

SPHERICAL = {name: lifted(getattr(sp, f"spherical_{name}")) for name in ("jn", "yn", "in", "kn")}


def curvature(name, sign, n, z, slope):
    """The second derivative: ``z² y'' + 2 z y' + (± z² - n (n + 1)) y = 0``."""
    return (n * (n + 1) / (z * z) - sign) * SPHERICAL[name](n, z) - 2.0 * slope / z


@rule(sp.spherical_jn)
def _(g, y, n, z, derivative=False):
    return None, g * (curvature("jn", 1.0, n, z, y) if derivative else SPHERICAL["jn"](n, z, True))


@rule(sp.spherical_yn)
def _(g, y, n, z, derivative=False):
    return None, g * (curvature("yn", 1.0, n, z, y) if derivative else SPHERICAL["yn"](n, z, True))


@rule(sp.spherical_in)
def _(g, y, n, z, derivative=False):
    return None, g * (curvature("in", -1.0, n, z, y) if derivative else SPHERICAL["in"](n, z, True))


@rule(sp.spherical_kn)
def _(g, y, n, z, derivative=False):
    return None, g * (curvature("kn", -1.0, n, z, y) if derivative else SPHERICAL["kn"](n, z, True))
