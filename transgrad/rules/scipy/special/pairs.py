"""Functions that come with their derivative, solutions of ``y'' = bend y``: parabolic cylinder and Mathieu functions.

How the derivative changes follows from the differential equation.  By ``q`` the periodic functions and the characteristic values
change as perturbation theory says (`levels`); by the other parameters there is no derivative here.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import part
from .levels import along_level, along_state

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


def register_periodic(fn: Any, kind: str, value: Any) -> None:
    """The rules of Mathieu's functions of an angle in degrees, and of their characteristic values."""

    def slopes(m: Any, q: Any, x: Any) -> Any:
        return tuple(along_state(kind, m, q, DEGREE * x, 1, bend) for bend in (0, 1))

    def bent(y: Any, m: Any, q: Any, x: Any) -> Any:
        return DEGREE * y[1], DEGREE * (2.0 * q * np.cos(2.0 * DEGREE * x) - value(m, q)) * y[0]

    def paired(g: Any, y: Any, parts: Any) -> Any:
        return part(g, y, 0) * parts[0] + part(g, y, 1) * parts[1]

    @rule(fn, kind="general", broadcasts=True, jvp=(None, lambda t, y, m, q, x: tuple(t * s for s in slopes(m, q, x)),
                                                    lambda t, y, m, q, x: tuple(t * s for s in bent(y, m, q, x))))
    def _(g: Any, y: Any, m: Any, q: Any, x: Any) -> Any:
        return None, paired(g, y, slopes(m, q, x)), paired(g, y, bent(y, m, q, x))

    @rule(value)
    def _(g: Any, y: Any, m: Any, q: Any) -> Any:
        return None, g * along_level(kind, 0, m, q, 1)


register_periodic(sp.mathieu_cem, "even", sp.mathieu_a)
register_periodic(sp.mathieu_sem, "odd", sp.mathieu_b)
for _fn in (sp.mathieu_modcem1, sp.mathieu_modcem2):
    register(_fn, lambda m, q, x: sp.mathieu_a(m, q) - 2.0 * q * np.cosh(2.0 * x))
for _fn in (sp.mathieu_modsem1, sp.mathieu_modsem2):
    register(_fn, lambda m, q, x: sp.mathieu_b(m, q) - 2.0 * q * np.cosh(2.0 * x))
