"""Functions that come with their derivative, solutions of ``y'' = bend y``: parabolic cylinder and Mathieu functions.

How the derivative changes follows from the differential equation; by their parameters they have no derivative here.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import part

DEGREE = math.pi / 180.0


def register(fn: Any, bend: Callable[..., Any], unit: float = 1.0) -> None:
    """The rule of ``fn(*parameters, x)``, whose results are y and y'; ``x`` is given in ``unit``."""

    def jvp(t: Any, y: Any, *args: Any) -> Any:
        return unit * t * y[1], unit * t * bend(*args) * y[0]

    @rule(fn, kind="general", jvp=(*(None for _ in range(fn.nin - 1)), jvp))
    def _(g: Any, y: Any, *args: Any) -> Any:
        return (*(None for _ in args[1:]), unit * (part(g, y, 0) * y[1] + part(g, y, 1) * bend(*args) * y[0]))


register(sp.pbdv, lambda v, x: 0.25 * x * x - v - 0.5)
register(sp.pbvv, lambda v, x: 0.25 * x * x - v - 0.5)
register(sp.pbwa, lambda a, x: a - 0.25 * x * x)

register(sp.mathieu_cem, lambda m, q, x: 2.0 * q * np.cos(2.0 * DEGREE * x) - sp.mathieu_a(m, q), unit=DEGREE)
register(sp.mathieu_sem, lambda m, q, x: 2.0 * q * np.cos(2.0 * DEGREE * x) - sp.mathieu_b(m, q), unit=DEGREE)
for _fn in (sp.mathieu_modcem1, sp.mathieu_modcem2):
    register(_fn, lambda m, q, x: sp.mathieu_a(m, q) - 2.0 * q * np.cosh(2.0 * x))
for _fn in (sp.mathieu_modsem1, sp.mathieu_modsem2):
    register(_fn, lambda m, q, x: sp.mathieu_b(m, q) - 2.0 * q * np.cosh(2.0 * x))
