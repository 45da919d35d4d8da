"""Airy functions, which come with their derivatives, and integrals of them."""
from __future__ import annotations

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import part


def airy_slopes(y, z):
    return y[1], z * y[0], y[3], z * y[2]


@rule(sp.airy, kind="general", jvp=lambda t, y, z: tuple(t * s for s in airy_slopes(y, z)))
def _(g, y, z):
    return sum(part(g, y, k) * s for k, s in enumerate(airy_slopes(y, z)))


def scaled_airy_slopes(y, z):
    """Of positive arguments, by whose power ``2/3 z**1.5`` the functions are scaled up and down."""
    root = np.sqrt(z)
    return y[1] + root * y[0], z * y[0] + root * y[1], y[3] - root * y[2], z * y[2] - root * y[3]


@rule(sp.airye, kind="general", jvp=lambda t, y, z: tuple(t * s for s in scaled_airy_slopes(y, z)))
def _(g, y, z):
    return sum(part(g, y, k) * s for k, s in enumerate(scaled_airy_slopes(y, z)))


def airy_integrands(x):
    """Of the four integrals of `itairy`."""
    there, back = sp.airy(x), sp.airy(-x)
    return there[0], there[2], back[0], back[2]


@rule(sp.itairy, kind="general", jvp=lambda t, y, x: tuple(t * s for s in airy_integrands(x)))
def _(g, y, x):
    return sum(part(g, y, k) * s for k, s in enumerate(airy_integrands(x)))
