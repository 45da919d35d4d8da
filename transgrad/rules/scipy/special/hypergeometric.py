"""Hypergeometric functions, by their variable; their parameters have no derivative here."""
from __future__ import annotations

import scipy.special as sp

from ...registry import rule


@rule(sp.hyp0f1)
def _(g, y, v, z):
    return None, g * sp.hyp0f1(v + 1.0, z) / v


@rule(sp.hyp1f1)
def _(g, y, a, b, x):
    return None, None, g * a / b * sp.hyp1f1(a + 1.0, b + 1.0, x)


@rule(sp.hyperu)
def _(g, y, a, b, x):
    return None, None, -g * a * sp.hyperu(a + 1.0, b + 1.0, x)


@rule(sp.hyp2f1)
def _(g, y, a, b, c, z):
    return None, None, None, g * a * b / c * sp.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)
