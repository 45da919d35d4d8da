"""Integrals of functions said by others: of several variables one inside the other, at fixed places, and by the trapezoidal rule of
quickly growing exponents."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.integrate as si

from ...installed import installed
from ...registry import definition
from ...static import NoDerivative


class Integral:
    """The result of tanhsinh."""

    def __init__(self, integral: Any, error: Any):
        self.integral, self.error, self.success, self.status = integral, error, True, 0


def at(limit: Any, *places: Any) -> Any:
    """A limit that may be a function of the outer variables."""
    return limit(*places) if callable(limit) else limit


@definition(si.fixed_quad)
def fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: Any = 5) -> Any:
    """With respect to the limits, ``args`` and the values that the integrand reads from enclosing scopes."""
    x, w = np.polynomial.legendre.leggauss(n)
    half = 0.5 * (b - a)
    return half * np.sum(w * func(half * (x + 1.0) + a, *args), axis=-1), None


@definition(si.dblquad)
def dblquad(func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8) -> Any:
    """With respect to all limits, ``args`` and the values that the integrand reads from enclosing scopes."""
    return si.quad(lambda x: si.quad(lambda y: func(y, x, *args), at(gfun, x), at(hfun, x), epsabs=epsabs, epsrel=epsrel)[0], a, b,
                   epsabs=epsabs, epsrel=epsrel)


@definition(si.tplquad)
def tplquad(func: Any, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (), epsabs: Any = 1.49e-8,
            epsrel: Any = 1.49e-8) -> Any:
    """With respect to all limits, ``args`` and the values that the integrand reads from enclosing scopes."""
    def inner(y: Any, x: Any) -> Any:
        return si.quad(lambda z: func(z, y, x, *args), at(qfun, x, y), at(rfun, x, y), epsabs=epsabs, epsrel=epsrel)[0]

    return si.quad(lambda x: si.quad(lambda y: inner(y, x), at(gfun, x), at(hfun, x), epsabs=epsabs, epsrel=epsrel)[0], a, b,
                   epsabs=epsabs, epsrel=epsrel)


@definition(si.nquad, lists=True)
def nquad(func: Any, ranges: Any, args: Any = (), opts: Any = None, full_output: Any = False) -> Any:
    """Of one, two or three variables with limits that are numbers or functions."""
    if len(ranges) > 3:
        raise NoDerivative("nquad has a derivative for up to three variables")
    if len(ranges) == 1:
        return si.quad(lambda x: func(x, *args), ranges[0][0], ranges[0][1])
    if len(ranges) == 2:
        return si.quad(lambda y: si.quad(lambda x: func(x, y, *args), span(ranges[0], 0, y), span(ranges[0], 1, y))[0],
                       ranges[1][0], ranges[1][1])

    def inner(y: Any, z: Any) -> Any:
        return si.quad(lambda x: func(x, y, z, *args), span(ranges[0], 0, y, z), span(ranges[0], 1, y, z))[0]

    return si.quad(lambda z: si.quad(lambda y: inner(y, z), span(ranges[1], 0, z), span(ranges[1], 1, z))[0], ranges[2][0], ranges[2][1])


def span(limits: Any, end: Any, *outer: Any) -> Any:
    """One end of the interval of an inner variable."""
    return limits(*outer)[end] if callable(limits) else limits[end]


@definition(installed("scipy.integrate.tanhsinh"))
def tanhsinh(f: Any, a: Any, b: Any, *, args: Any = (), log: Any = False, maxlevel: Any = None, minlevel: Any = 2, atol: Any = None,
             rtol: Any = None, preserve_shape: Any = False, callback: Any = None) -> Any:
    """Between two numbers; the value is that of quad."""
    if log or preserve_shape:
        raise NoDerivative("tanhsinh has a derivative with log=False and preserve_shape=False")
    value, error = si.quad(lambda x: f(x, *args), a, b, epsabs=1e-13, epsrel=1e-13)
    return Integral(value, error)


def parabola(y: Any, h: Any) -> Any:
    """The integrals over the first of each two adjacent intervals, of the parabola through three samples."""
    first, second = h[..., :-1], h[..., 1:]
    both = first + second
    share = first / both
    return first / 6.0 * ((3.0 - share) * y[..., :-2] + (3.0 + first * first / (second * both) + share) * y[..., 1:-1]
                          - first * first / (second * both) * y[..., 2:])


@definition(si.cumulative_simpson)
def cumulative_simpson(y: Any, *, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    """Each interval by the parabola through it and an adjacent interval, alternately the next and the previous one."""
    v = np.moveaxis(y, axis, -1)
    n = v.shape[-1]
    if x is None:
        h = np.ones(n - 1) * dx
    else:
        h = np.diff(x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1), axis=-1)
    h = h + 0.0 * v[..., 1:]
    if n == 2:
        parts = 0.5 * h * (v[..., 1:] + v[..., :-1])
    else:
        forward = parabola(v, h)
        backward = np.flip(parabola(np.flip(v, -1), np.flip(h, -1)), -1)
        k = np.arange(n - 1)
        ahead = np.concatenate((forward, backward[..., -1:]), axis=-1)
        behind = np.concatenate((forward[..., :1], backward), axis=-1)
        parts = np.where((k % 2 == 0) & (k < n - 2), ahead, behind)
    total = np.cumsum(parts, axis=-1)
    if initial is not None:
        first = np.moveaxis(initial, axis, -1) if np.ndim(initial) == np.ndim(y) else initial
        total = np.concatenate((np.zeros_like(total[..., :1]), total), axis=-1) + first * 1.0
    return np.moveaxis(total, -1, axis)
