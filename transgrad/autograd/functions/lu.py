"""The factorization of matrices into a permutation and triangular factors."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...rules.decompositions import conj
from ...rules.linalg import turned
from ...rules.registry import constant, rule
from ...rules.static import lifted, part
from ..names import node_name

__all__ = ["lu", "lu_factor"]


def lu(self: Any) -> tuple[Any, Any, Any]:
    """``P, L, U`` with ``self = P @ L @ U``."""
    import scipy.linalg
    order, low, up = scipy.linalg.lu(self)
    return order.astype(low.dtype), low, up


def lu_factor(self: Any) -> tuple[Any, Any]:
    """L, but for its unit diagonal, and U in one matrix, and the rows each step was swapped with, from 1."""
    import scipy.linalg
    stacked = self.reshape(-1, *self.shape[-2:])
    found = [scipy.linalg.lu_factor(a) for a in stacked]
    compact = np.stack([f for f, _ in found]) if found else stacked
    pivots = np.stack([p + 1 for _, p in found]).astype(np.int32) if found else np.zeros((0, min(self.shape[-2:])), np.int32)
    return compact.reshape(self.shape), pivots.reshape(*self.shape[:-2], pivots.shape[-1])


node_name(lu, "LinalgLuBackward0")
node_name(lu_factor, "LinalgLuFactorExBackward0")


def order_of(y: Any) -> Any:
    """The permutation that rows of pivots, swapped one after another, make."""
    return permutation(y[1], y[0])


def swapped(pivots: Any, compact: Any) -> Any:
    """The permutation matrix of rows swapped one after another, in the dtype of the factors."""
    n = compact.shape[-2]
    rows = np.reshape(pivots, (math.prod(pivots.shape[:-1]), pivots.shape[-1])) - 1
    orders = np.broadcast_to(np.arange(n), (len(rows), n)).copy()
    for order, row in zip(orders, rows):
        for k, p in enumerate(row):
            order[[k, p]] = order[[p, k]]
    return np.reshape(np.swapaxes(np.eye(n, dtype=compact.dtype)[orders], -1, -2), (*pivots.shape[:-1], n, n))


constant(swapped)
permutation: Any = lifted(swapped)


def unpacked(compact: Any) -> tuple[Any, Any]:
    """The two factors that one matrix holds."""
    n, m = compact.shape[-2:]
    k = min(n, m)
    return np.tril(compact[..., :k], -1) + np.eye(n, k, dtype=compact.dtype), np.triu(compact[..., :k, :])


def packed(low: Any, up: Any) -> Any:
    """One matrix of both factors, the diagonal of the lower one left out."""
    k = up.shape[-2]
    if up.shape[-1] > k:
        return np.concatenate((np.tril(low, -1) + up[..., :k], up[..., k:]), -1)
    return np.concatenate((np.tril(low[..., :k, :], -1) + up, low[..., k:, :]), -2)


def square_entry(low: Any, up: Any, g_low: Any, g_up: Any) -> Any:
    """The cotangent of a square matrix, its rows in order, from those of its factors."""
    inner = np.tril(turned(low) @ g_low, -1) + np.triu(g_up @ turned(up))
    half = np.linalg.solve(turned(low), inner)
    return turned(np.linalg.solve(up, turned(half)))


def lu_entry(p: Any, low: Any, up: Any, g_low: Any, g_up: Any) -> Any:
    """The cotangent of a matrix from those of its factors.

    The square part of the matrix has the factors L and U.  Of a wide one the rest is L times the rest of U, of a tall one the rest of L
    times U.
    """
    n, m = low.shape[-2], up.shape[-1]
    if n < m:
        rest = np.linalg.solve(turned(low), g_up[..., n:])
        below = square_entry(low, up[..., :n], g_low - rest @ turned(up[..., n:]), g_up[..., :n])
        return conj(p) @ np.concatenate((below, rest), -1)
    if n > m:
        rest = turned(np.linalg.solve(up, turned(g_low[..., m:, :])))
        above = square_entry(low[..., :m, :], up, g_low[..., :m, :], g_up - turned(low[..., m:, :]) @ rest)
        return conj(p) @ np.concatenate((above, rest), -2)
    return conj(p) @ square_entry(low, up, g_low, g_up)


def square_tangents(low: Any, up: Any, t: Any) -> tuple[Any, Any]:
    """The tangents of both factors of a square matrix from that of the matrix, its rows in order."""
    half = np.linalg.solve(low, t)
    inner = turned(np.linalg.solve(turned(up), turned(half)))
    return low @ np.tril(inner, -1), np.triu(inner) @ up


def lu_tangents(p: Any, low: Any, up: Any, t: Any) -> tuple[Any, Any]:
    """The tangents of both factors from that of the matrix."""
    n, m = low.shape[-2], up.shape[-1]
    t = turned(p) @ t
    if n < m:
        t_low, t_up = square_tangents(low, up[..., :n], t[..., :n])
        return t_low, np.concatenate((t_up, np.linalg.solve(low, t[..., n:] - t_low @ up[..., n:])), -1)
    if n > m:
        t_low, t_up = square_tangents(low[..., :m, :], up, t[..., :m, :])
        rest = t[..., m:, :] - low[..., m:, :] @ t_up
        return np.concatenate((t_low, turned(np.linalg.solve(turned(up), turned(rest)))), -2), t_up
    return square_tangents(low, up, t)


@rule(lu, kind="general", jvp=lambda t, y, self: (None, *lu_tangents(y[0], y[1], y[2], t)))
def _(g, y, self):
    return lu_entry(y[0], y[1], y[2], part(g, y, 1), part(g, y, 2))


def lu_factor_jvp(t, y, self):
    low, up = unpacked(y[0])
    return packed(*lu_tangents(order_of(y), low, up, t)), None


@rule(lu_factor, kind="general", jvp=lu_factor_jvp)
def _(g, y, self):
    low, up = unpacked(y[0])
    g_low, g_up = unpacked(part(g, y, 0))
    return lu_entry(order_of(y), low, up, np.tril(g_low, -1), g_up)
