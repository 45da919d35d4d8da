"""Solving, inverses, determinants, powers and chains of products."""
from __future__ import annotations

from typing import Any

import numpy as np

from .lists import holds_values
from .registry import definition, rule
from .static import ZERO, NoDerivative, eye, is_complex, ndim, part


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


def solved(a: Any, b: Any, is_vector: bool) -> Any:
    """The solution for a matrix of right-hand sides, or for one for each of a stack of matrices."""
    return np.linalg.solve(a, np.expand_dims(b, -1))[..., 0] if is_vector and ndim(a) > 2 else np.linalg.solve(a, b)


def solve_by_matrix(t, y, a, b):
    if ndim(b) > 1:
        return -np.linalg.solve(a, t @ y)
    return -solved(a, t @ y if ndim(a) == 2 else np.sum(t * np.expand_dims(y, -2), axis=-1), True)


@rule(np.linalg.solve, kind="general", broadcasts=True, jvp=(solve_by_matrix, lambda t, y, a, b: np.linalg.solve(a, t)))
def _(g, y, a, b):
    s = solved(turned(a), g, ndim(b) == 1)
    return -s @ turned(y) if ndim(b) > 1 else -np.outer(s, y) if ndim(a) == 2 else -np.expand_dims(s, -1) * np.expand_dims(y, -2), s


@rule(np.linalg.det, kind="general", jvp=lambda t, y, a: y * np.trace(np.linalg.solve(a, t), axis1=-2, axis2=-1))
def _(g, y, a):
    return sized(g * y) * turned(np.linalg.inv(a))


def slogdet_jvp(t, y, a):
    d = np.trace(np.linalg.solve(a, t), axis1=-2, axis2=-1)
    return (1j * np.imag(d) * y[0], np.real(d)) if is_complex(a) else (None, d)


@rule(np.linalg.slogdet, kind="general", jvp=slogdet_jvp)
def _(g, y, a):
    """The sign of a real determinant is constant."""
    scale = part(g, y, 1)
    if is_complex(a):       # log |det| is the real part of log det, and the sign turns with the imaginary part
        scale = scale - 1j * np.real(1j * part(g, y, 0) * y[0])
    return sized(scale) * turned(np.linalg.inv(a))


def eye_of(a: Any, axis: int) -> Any:
    """The identity matrix of the size of an axis of ``a``, in its precision if known (the type of an IR value includes it)."""
    if holds_values(a) or not hasattr(a, "dtype"):
        return eye(a.shape[axis])
    return np.eye(a.shape[axis], dtype=np.empty(0, a.dtype).real.dtype)


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


@rule(np.linalg.multi_dot, kind="general", jvp=multi_dot_jvp, joins=True)
def _(g, y, arrays, *, out=None):
    if any(ndim(a) not in (1, 2) for a in arrays):
        raise NoDerivative("np.linalg.multi_dot has a derivative for vectors and matrices only")
    return chain_entries(g, [*arrays[:1], *arrays[1:]]) if len(arrays) != 2 else pair_entries(g, *arrays)


def pair_entries(g: Any, a: Any, b: Any) -> list[Any]:
    """The cotangents of the two factors of ``a @ b``."""
    return [chain_entry(g, None, b, a) if ndim(a) == 2 or ndim(b) == 2 else g * b, chain_entry(g, a, None, b)]


@definition(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """A linear system in the matrix of the first axes by the last."""
    a = np.array(a) if isinstance(a, (list, tuple)) else a
    b = np.array(b) if isinstance(b, (list, tuple)) else b
    dims, known = np.ndim(a), np.ndim(b)
    if axes is not None:
        a = np.moveaxis(a, axes, tuple(range(dims - len(axes), dims)))
    shape = a.shape[known:]
    return np.reshape(np.linalg.solve(np.reshape(a, (b.size, -1)), np.ravel(b)), shape)


@definition(np.linalg.tensorinv)
def tensorinv(a: Any, ind: int = 2) -> Any:
    """The inverse of the matrix of the first ``ind`` axes by the rest."""
    a = np.array(a) if isinstance(a, (list, tuple)) else a
    first, last = a.shape[:ind], a.shape[ind:]
    return np.reshape(np.linalg.inv(np.reshape(a, (np.prod(last, dtype=int), -1))), last + first)


@definition(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    """The ratio of the extreme singular values, or the norm times that of the inverse."""
    if p is None or p in (2, -2):
        s = np.linalg.svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))
