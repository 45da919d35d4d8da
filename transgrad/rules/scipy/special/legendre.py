"""Legendre functions: SciPy's families that return derivatives too, and those of the second kind.

Polynomials are differentiated through Jacobi's; the rest by the derivatives that SciPy computes, and where it stops by the
differential equation, which is singular at ±1 (at the poles of the sphere).
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from ....ir.infer import broadcast_dims
from ....ir.infer_shapes import SHAPES
from ....ir.types import Arr, Dim, Num, Type
from ...installed import at_least, installed
from ...registry import definition, rule
from ...static import NoDerivative, arange, lifted, ndim, part
from .sequences import register

assoc_legendre = lifted(installed("scipy.special.assoc_legendre_p"))
sph_legendre = lifted(installed("scipy.special.sph_legendre_p"))


def grid(count: Any, z: Any) -> Any:
    """The orders from 0 on, along a first dimension before those of ``z``."""
    return np.reshape(np.arange(count), (-1, *[1 for _ in range(np.ndim(z))]))


def polynomials(n: Any, z: Any, diff_n: Any) -> Any:
    """Legendre's polynomials and their derivatives."""
    found = [sp.eval_legendre(n, z)]
    scale = 1.0
    for k in range(1, diff_n + 1):
        scale = scale * 0.5 * (n + k)
        found.append(scale * sp.eval_jacobi(n - k, k, k, z))
    return np.stack(found)


@definition(installed("scipy.special.legendre_p"))
def legendre_p(n: Any, z: Any, *, diff_n: Any = 0) -> Any:
    """The polynomial of a degree, and its derivatives."""
    return polynomials(n, z, diff_n)


@definition(installed("scipy.special.legendre_p_all"))
def legendre_p_all(n: Any, z: Any, *, diff_n: Any = 0) -> Any:
    """The polynomials up to a degree."""
    return polynomials(grid(n + 1, z), z, diff_n)


def _family_of_angles(n: Any, m: Any, z: Any, *, diff_n: Any = 0, **options: Any) -> Type | None:
    """The type of what SciPy's families return, all derivatives along a first dimension."""
    count = getattr(diff_n, "value", diff_n)
    if not isinstance(count, int):
        return None
    dims = broadcast_dims([getattr(v.type, "dims", ()) or () for v in (n, m, z)])
    of_complex = z.type.dtype[0] == "c" if isinstance(z.type, Arr) else isinstance(z.type, Num) and z.type.kind == "complex"
    dtype = "complex128" if of_complex else "float64"
    return Arr(dtype, (Dim(count == 0, ("<const>", count + 1) if count else None), *dims))


#: whether `assoc_legendre_p` computes in single precision
KEEPS_PRECISION = at_least("scipy", 1, 18)


def _family(n: Any, m: Any, z: Any, **options: Any) -> Type | None:
    """The type of what `assoc_legendre_p` returns."""
    found = _family_of_angles(n, m, z, **options)
    if isinstance(found, Arr) and KEEPS_PRECISION and isinstance(z.type, Arr) and z.type.dtype in ("float16", "float32", "complex64"):
        return Arr("complex64" if found.dtype[0] == "c" else "float32", found.dims)
    return found


for _name, _types in (("assoc_legendre_p", _family), ("sph_legendre_p", _family_of_angles)):
    if (_fn := installed(f"scipy.special.{_name}")) is not None:
        SHAPES[_fn] = _types


def next_associated(y: Any, n: Any, m: Any, z: Any, options: Any) -> Any:
    """The derivative after those in ``y``: from SciPy up to the second, then by the differential equation."""
    if len(y) < 3:
        return assoc_legendre(n, m, z, diff_n=len(y), **options)[len(y)]
    w = 1.0 - z * z
    return (4.0 * z * y[2] + (2.0 - n * (n + 1) + m * m / w) * y[1] + 2.0 * m * m * z / (w * w) * y[0]) / w


def associated_slopes(y: Any, n: Any, m: Any, z: Any, diff_n: Any, options: Any) -> list[Any]:
    """The derivative of each result."""
    found = [y[k] for k in range(diff_n + 1)]
    return [*found[1:], next_associated(found, n, m, z, options)]


@rule(installed("scipy.special.assoc_legendre_p"), kind="general", broadcasts=True, jvp=(
    None, None, lambda t, y, n, m, z, *, branch_cut=2, norm=False, diff_n=0:
    np.stack([t * s for s in associated_slopes(y, n, m, z, diff_n, {"branch_cut": branch_cut, "norm": norm})])))
def _(g, y, n, m, z, *, branch_cut=2, norm=False, diff_n=0):
    """At ±1 the derivative of an odd order does not exist."""
    found = associated_slopes(y, n, m, z, diff_n, {"branch_cut": branch_cut, "norm": norm})
    return None, None, sum(g[k] * s for k, s in enumerate(found))


@definition(installed("scipy.special.assoc_legendre_p_all"))
def assoc_legendre_p_all(n: Any, m: Any, z: Any, *, branch_cut: Any = 2, norm: Any = False, diff_n: Any = 0) -> Any:
    """The functions up to a degree and of every order up to one, those of negative order last."""
    return sp.assoc_legendre_p(degrees(n, z), signed(m, z), z, branch_cut=branch_cut, norm=norm, diff_n=diff_n)


def degrees(n: Any, z: Any) -> Any:
    """The degrees from 0 on, along the first of two dimensions before those of ``z``."""
    return np.reshape(np.arange(n + 1), (-1, 1, *[1 for _ in range(np.ndim(z))]))


def signed(m: Any, z: Any) -> Any:
    """The orders 0, 1, …, m, -m, …, -1 along the second."""
    return np.reshape(np.concatenate((np.arange(abs(m) + 1), np.arange(-abs(m), 0))), (1, -1, *[1 for _ in range(np.ndim(z))]))


def next_spherical(y: Any, n: Any, m: Any, theta: Any) -> Any:
    """The derivative after those in ``y``."""
    if len(y) < 3:
        return sph_legendre(n, m, theta, diff_n=len(y))[len(y)]
    s = np.sin(theta)
    cot, rest = np.cos(theta) / s, m * m / (s * s)
    return (1.0 / (s * s) - n * (n + 1) + rest) * y[1] - cot * y[2] - 2.0 * rest * cot * y[0]


def spherical_slopes(y: Any, n: Any, m: Any, theta: Any, diff_n: Any) -> list[Any]:
    """The derivative of each result."""
    found = [y[k] for k in range(diff_n + 1)]
    return [*found[1:], next_spherical(found, n, m, theta)]


@rule(installed("scipy.special.sph_legendre_p"), kind="general", broadcasts=True, jvp=(None, None, lambda t, y, n, m, theta, *, diff_n=0:
      np.stack([t * s for s in spherical_slopes(y, n, m, theta, diff_n)])))
def _(g, y, n, m, theta, *, diff_n=0):
    """Third derivatives divide by the sine, which is 0 at the poles."""
    found = spherical_slopes(y, n, m, theta, diff_n)
    return None, None, sum(g[k] * s for k, s in enumerate(found))


@definition(installed("scipy.special.sph_legendre_p_all"))
def sph_legendre_p_all(n: Any, m: Any, theta: Any, *, diff_n: Any = 0) -> Any:
    """The functions up to a degree and of every order up to one, those of negative order last."""
    return sp.sph_legendre_p(degrees(n, theta), signed(m, theta), theta, diff_n=diff_n)


def harmonics(n: Any, m: Any, theta: Any, phi: Any, diff_n: Any) -> Any:
    """Spherical harmonics, their gradients and matrices of second derivatives."""
    turn = np.exp(1j * m * phi)
    if diff_n == 0:
        return sp.sph_legendre_p(n, m, theta)[0] * turn
    parts = sp.sph_legendre_p(n, m, theta, diff_n=diff_n)
    value, slope = parts[0] * turn, parts[1] * turn
    gradient = np.stack((slope, 1j * m * value), axis=-1)
    if diff_n == 1:
        return value, gradient
    mixed = 1j * m * slope
    rows = np.stack((parts[2] * turn, mixed), axis=-1), np.stack((mixed, -m * m * value), axis=-1)
    return value, gradient, np.stack(rows, axis=-2)


@definition(installed("scipy.special.sph_harm_y"))
def sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: Any = 0) -> Any:
    """A spherical harmonic."""
    return harmonics(n, m, theta, phi, diff_n)


@definition(installed("scipy.special.sph_harm_y_all"))
def sph_harm_y_all(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: Any = 0) -> Any:
    """The harmonics up to a degree and of every order up to one, those of negative order last."""
    like = theta + phi
    return harmonics(degrees(n, like), signed(m, like), theta, phi, diff_n)


@definition(sp.assoc_laguerre)
def assoc_laguerre(x: Any, n: Any, k: Any = 0.0) -> Any:
    """Laguerre's generalized polynomial."""
    return sp.eval_genlaguerre(n, k, x)


def second_kind(y: Any, dy: Any, orders: Any, m: Any, z: Any) -> Any:
    """The second derivative of Legendre's functions."""
    w = 1.0 - z * z
    return (2.0 * z * dy - (orders * (orders + 1) - m * m / w) * y) / w


register(sp.lqn, lambda y, dy, n, z: second_kind(y, dy, np.reshape(arange(n + 1), (-1, *(1,) * ndim(z))), 0, z))


def associated_second_kind(y: Any, dy: Any, m: Any, n: Any, z: Any) -> Any:
    """The same for every order and degree."""
    if ndim(z):
        raise NoDerivative("lqmn has a derivative for one number only")
    return second_kind(y, dy, np.reshape(np.arange(n + 1), (1, -1)), np.reshape(np.arange(m + 1), (-1, 1)), z)


@rule(sp.lqmn, kind="general", jvp=(None, None, lambda t, y, m, n, z: (t * y[1], t * associated_second_kind(y[0], y[1], m, n, z))))
def _(g, y, m, n, z):
    return None, None, np.sum(part(g, y, 0) * y[1] + part(g, y, 1) * associated_second_kind(y[0], y[1], m, n, z))
