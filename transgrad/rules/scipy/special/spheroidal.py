"""Spheroidal wave functions and their characteristic values.

SciPy returns a function with its derivative, and the spheroidal equation gives the derivative of that; the derivative of the
characteristic value by the parameter is that of an eigenvalue of a tridiagonal matrix (`levels`). The other parameters have no derivative.
The derivatives are as accurate as SciPy's results, which lose digits in some radial functions of the second kind.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.special as sp

from ...registry import rule
from ...static import part
from .levels import along_level


def prolate(value: Any, m: Any, c: Any, x: Any, y: Any) -> Any:
    """The second derivative of prolate functions, angular and radial ones."""
    w = 1.0 - x * x
    return (2.0 * x * y[1] - (value - c * c * x * x - m * m / w) * y[0]) / w


def oblate_angular(value: Any, m: Any, c: Any, x: Any, y: Any) -> Any:
    """The same of oblate angular functions."""
    w = 1.0 - x * x
    return (2.0 * x * y[1] - (value + c * c * x * x - m * m / w) * y[0]) / w


def oblate_radial(value: Any, m: Any, c: Any, x: Any, y: Any) -> Any:
    """The same of oblate radial functions."""
    w = 1.0 + x * x
    return ((value - c * c * x * x - m * m / w) * y[0] - 2.0 * x * y[1]) / w


def register(name: str, characteristic: Any, bend: Callable[..., Any]) -> None:
    """The rules of a function and of that which is given the characteristic value."""

    def jvp(t: Any, y: Any, m: Any, n: Any, c: Any, x: Any) -> Any:
        return t * y[1], t * bend(characteristic(m, n, c), m, c, x, y)

    @rule(getattr(sp, name), kind="general", broadcasts=True, jvp=(None, None, None, jvp))
    def _(g: Any, y: Any, m: Any, n: Any, c: Any, x: Any) -> Any:
        return None, None, None, part(g, y, 0) * y[1] + part(g, y, 1) * bend(characteristic(m, n, c), m, c, x, y)

    def jvp_of_value(t: Any, y: Any, m: Any, n: Any, c: Any, cv: Any, x: Any) -> Any:
        return t * y[1], t * bend(cv, m, c, x, y)

    @rule(getattr(sp, f"{name}_cv"), kind="general", broadcasts=True, jvp=(None, None, None, None, jvp_of_value))
    def _(g: Any, y: Any, m: Any, n: Any, c: Any, cv: Any, x: Any) -> Any:
        return None, None, None, None, part(g, y, 0) * y[1] + part(g, y, 1) * bend(cv, m, c, x, y)


register("pro_ang1", sp.pro_cv, prolate)
register("pro_rad1", sp.pro_cv, prolate)
register("pro_rad2", sp.pro_cv, prolate)
register("obl_ang1", sp.obl_cv, oblate_angular)
register("obl_rad1", sp.obl_cv, oblate_radial)


@rule(sp.pro_cv)
def _(g, y, m, n, c):
    return None, None, 2.0 * g * c * along_level("spheroidal", m, n, c * c, 1)


@rule(sp.obl_cv)
def _(g, y, m, n, c):
    return None, None, -2.0 * g * c * along_level("spheroidal", m, n, -c * c, 1)
