"""Solving, inverses, determinants, norms and powers.  The derivative of a norm is 0 where the norm is 0."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .registry import rule
from .static import ZERO, NoDerivative, axes_of, eye, is_complex, ndim, options, part, restore, same


def turned(a: Any, like: Any = None) -> Any:
    """The transpose of a matrix or of each of a stack of them (``like`` has as many dimensions)."""
    return a.T if ndim(a if like is None else like) == 2 else a.mT


def sized(x: Any) -> Any:
    """A number for each matrix, as a stack of 1 by 1 matrices."""
    return x if ndim(x) == 0 else np.expand_dims(x, (-2, -1))


@rule(np.linalg.inv, kind="general", jvp=lambda t, y, a: -y @ t @ y)
def _(g, y, a):
    w = turned(y)
    return -w @ g @ w


@rule(np.linalg.solve, np.linalg.tensorsolve, kind="general", broadcasts=True,
      jvp=(lambda t, y, a, b: -np.linalg.solve(a, t @ y), lambda t, y, a, b: np.linalg.solve(a, t)))
def _(g, y, a, b):
    s = np.linalg.solve(turned(a), g)
    return -s @ turned(y) if ndim(b) > 1 else -np.outer(s, y) if ndim(a) == 2 else -np.expand_dims(s, -1) * np.expand_dims(y, -2), s


@rule(np.linalg.det, kind="general", jvp=lambda t, y, a: y * np.trace(np.linalg.solve(a, t), axis1=-2, axis2=-1))
def _(g, y, a):
    return sized(g * y) * turned(np.linalg.inv(a))


def slogdet_jvp(t, y, a):
    d = np.trace(np.linalg.solve(a, t), axis1=-2, axis2=-1)
    return (1j * np.imag(d) * y[0], np.real(d)) if is_complex(a) else (None, d)


@rule(np.linalg.slogdet, kind="general", jvp=slogdet_jvp)
def _(g, y, a):
    scale = part(g, y, 1)
    if is_complex(a):       # log |det| is the real part of log det, and the sign turns with the imaginary part
        scale = scale - 1j * np.real(1j * part(g, y, 0) * y[0])
    return sized(scale) * turned(np.linalg.inv(a))


def pinv_jvp(t, y, a):
    h, p = np.conj(turned(t)), y
    q = np.conj(turned(p))
    return -p @ t @ p + p @ q @ h @ (eye_of(a, -2) - a @ p) + (eye_of(a, -1) - p @ a) @ h @ q @ p


def eye_of(a: Any, axis: int) -> Any:
    """The identity matrix as large as an axis of ``a``."""
    return eye(a.shape[axis])


@rule(np.linalg.pinv, kind="general", jvp=pinv_jvp)
def _(g, y, a):
    if is_complex(a):
        raise NoDerivative("no derivative of the pseudo-inverse of a complex matrix")
    w, h = turned(y), turned(g)
    return -w @ g @ w + (eye_of(a, -2) - a @ y) @ h @ y @ w + w @ y @ h @ (eye_of(a, -1) - y @ a)


@rule(np.linalg.matrix_power, kind="general", jvp=lambda t, y, a, n: power_sum(t, a, n))
def _(g, y, a, n):
    return ZERO if n == 0 else power_sum(g, turned(a), n)


def power_sum(t: Any, a: Any, n: int) -> Any:
    """The sum of ``t`` in place of each factor of ``a ** n`` in turn."""
    if n == 0:
        return np.zeros_like(t)
    if n < 0:
        inverse = np.linalg.inv(a)
        return -power_sum(inverse @ t @ inverse, inverse, -n)
    total, left = t, t
    for _factor in range(n - 1):
        left = left @ a
        total = left + a @ total
    return total


def chain_entries(g: Any, arrays: Any) -> list[Any]:
    """The cotangents of the factors of a product of matrices (the first and last may be vectors)."""
    out, before = [], None
    after = [arrays[-1]]
    for a in reversed(arrays[1:-1]):
        after.insert(0, a @ after[0])
    for k, a in enumerate(arrays):
        rest = after[k] if k < len(after) else None
        out.append(chain_entry(g, before, rest if k < len(arrays) - 1 else None, a))
        before = a if before is None else before @ a
    return out


def chain_entry(g: Any, left: Any, right: Any, a: Any) -> Any:
    """The cotangent of ``a`` in ``left @ a @ right``."""
    if ndim(a) == 1:
        return (right * g if ndim(right) == 1 else right @ g) if left is None else left.T @ g if ndim(left) == 2 else left * g
    rows = g if left is None else g * left if ndim(left) == 1 and right is not None and ndim(right) == 1 else np.outer(left, g) if ndim(
        left) == 1 else left.T @ g
    if right is None:
        return rows
    return np.outer(rows, right) if ndim(right) == 1 else rows @ right.T


def multi_dot_jvp(t, y, arrays, *, out=None):
    total, left = None, None
    for a, s in zip(arrays, t):
        total = s if total is None else total @ a + left @ s
        left = a if left is None else left @ a
    return total


@rule(np.linalg.multi_dot, kind="general", jvp=multi_dot_jvp, lists=True)
def _(g, y, arrays, *, out=None):
    return chain_entries(g, [*arrays[:1], *arrays[1:]]) if len(arrays) != 2 else pair_entries(g, *arrays)


def pair_entries(g: Any, a: Any, b: Any) -> list[Any]:
    """The cotangents of the two factors of ``a @ b``."""
    return [chain_entry(g, None, b, a) if ndim(a) == 2 or ndim(b) == 2 else g * b, chain_entry(g, a, None, b)]


def over(x: Any, y: Any) -> Any:
    """``x / y``, 0 where y is."""
    return x / (y + same(y, 0))


def vector_slope(x: Any, y: Any, order: Any, axis: Any, keepdims: Any) -> Any:
    """The derivative of a vector norm by the elements."""
    spread = restore(y, axis, keepdims)
    if order is None or order == 2:
        return over(np.conj(x) if is_complex(x) else x, spread)
    unit = np.conj(np.sign(x)) if is_complex(x) else np.sign(x)
    if order == 0:
        return np.zeros_like(x)
    if order == 1:
        return unit
    if order in (math.inf, -math.inf):
        hit = same(np.abs(x), spread)
        return unit * hit / np.sum(hit, **options(axis=axis, keepdims=axis is not None))
    return unit * over(np.abs(x), spread) ** (order - 1) if order > 1 else unit * (np.abs(x) / spread) ** (order - 1)


def sums_slope(x: Any, order: Any, rows: int, columns: int) -> Any:
    """The derivative of the largest (smallest) sum of absolute values in a column or row."""
    along, across = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = np.sum(np.abs(x), axis=along, keepdims=True)
    best = np.max(sums, axis=across, keepdims=True) if order > 0 else np.min(sums, axis=across, keepdims=True)
    hit = same(sums, best)
    return np.sign(x) * hit / np.sum(hit, axis=across, keepdims=True)


def spectral_slope(x: Any, order: Any) -> Any:
    """The derivative of a norm made of the singular values."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    if order == "nuc":
        return np.conj(u @ vh) if is_complex(x) else u @ vh
    hit = same(s, np.expand_dims(np.max(s, axis=-1) if order > 0 else np.min(s, axis=-1), -1))
    w = hit / np.sum(hit, axis=-1, keepdims=True)
    product = (u * np.expand_dims(w, -2)) @ vh
    return np.conj(product) if is_complex(x) else product


def norm_slope(x: Any, y: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    """The derivative of `np.linalg.norm` by the elements."""
    axes = axes_of(axis, ndim(x))
    if ord is None or ord == "fro" or len(axes) == 1 or ndim(x) == 0:
        return vector_slope(x, y, None if ord == "fro" else ord, axis, keepdims)
    if isinstance(ord, str) or abs(ord) == 2:
        last = (ndim(x) - 2, ndim(x) - 1)
        return spectral_slope(x, ord) if axes == last else np.moveaxis(spectral_slope(np.moveaxis(x, axes, last), ord), last, axes)
    if is_complex(x):
        raise NoDerivative("no derivative of this norm of a complex matrix")
    return sums_slope(x, ord, *axes)


def norm_jvp(t, y, x, ord=None, axis=None, keepdims=False):
    return np.sum(norm_slope(x, y, ord, axis, keepdims) * t, **options(axis=axis, keepdims=keepdims))


@rule(np.linalg.norm, kind="general", jvp=norm_jvp)
def _(g, y, x, ord=None, axis=None, keepdims=False):
    if ord is None and axis is None:
        return over(g, y) * (np.conj(x) if is_complex(x) else x)
    return restore(g, axis, keepdims) * norm_slope(x, y, ord, axis, keepdims)


@rule(np.linalg.vector_norm, kind="general", jvp=lambda t, y, x, *, axis=None, keepdims=False, ord=2:
      np.sum(vector_slope(x, y, ord, axis, keepdims) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, x, *, axis=None, keepdims=False, ord=2):
    return restore(g, axis, keepdims) * vector_slope(x, y, ord, axis, keepdims)


@rule(np.linalg.matrix_norm, kind="general", jvp=lambda t, y, x, *, keepdims=False, ord="fro":
      norm_jvp(t, y, x, ord, (-2, -1), keepdims))
def _(g, y, x, *, keepdims=False, ord="fro"):
    return restore(g, (-2, -1), keepdims) * norm_slope(x, y, ord, (-2, -1), keepdims)


def cond_slope(x: Any, y: Any) -> Any:
    """The derivative of the ratio of the largest to the smallest singular value."""
    u, s, vh = np.linalg.svd(x)
    last = s.shape[-1] - 1
    top, bottom = np.outer(u[:, 0], vh[0]), np.outer(u[:, last], vh[last])
    return (top - y * bottom) / s[last]


@rule(np.linalg.cond, kind="general", jvp=lambda t, y, x, p=None: np.sum(cond_slope(x, y) * t))
def _(g, y, x, p=None):
    if p not in (None, 2) or ndim(x) != 2 or is_complex(x):
        raise NoDerivative("the derivative of np.linalg.cond is there for one real matrix and the order 2")
    return g * cond_slope(x, y)
