"""The factorization of square matrices into a permutation and triangular factors."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.decompositions import conj
from ...rules.linalg import turned
from ...rules.registry import constant, rule
from ...rules.static import NoDerivative, lifted, part
from ..names import node_name

__all__ = ["lu", "lu_factor"]


def lu(self: Any) -> tuple[Any, Any, Any]:
    """``P, L, U`` with ``self = P @ L @ U``."""
    import scipy.linalg
    found: tuple[Any, Any, Any] = scipy.linalg.lu(self)
    return found


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


def square(a: Any) -> None:
    """Only factors of square matrices are differentiated."""
    if a.shape[-1] != a.shape[-2]:
        raise NoDerivative("no derivative of the LU factors of a matrix that is not square")


def order_of(y: Any) -> Any:
    """The permutation that rows of pivots, swapped one after another, make."""
    return permutation(y[1], y[0].shape[-2])


def swapped(pivots: Any, n: int) -> Any:
    """The permutation matrix of rows swapped one after another."""
    rows = np.reshape(pivots, (-1, pivots.shape[-1])) - 1
    orders = np.broadcast_to(np.arange(n), (len(rows), n)).copy()
    for order, row in zip(orders, rows):
        for k, p in enumerate(row):
            order[[k, p]] = order[[p, k]]
    return np.reshape(np.swapaxes(np.eye(n)[orders], -1, -2), (*pivots.shape[:-1], n, n))


constant(swapped)
permutation: Any = lifted(swapped)


def unpacked(compact: Any) -> tuple[Any, Any]:
    """The two factors that one matrix holds."""
    return np.tril(compact, -1) + np.eye(compact.shape[-1]), np.triu(compact)


def lu_entry(p: Any, low: Any, up: Any, g_low: Any, g_up: Any) -> Any:
    """The cotangent of a matrix from those of its factors."""
    inner = np.tril(turned(low) @ g_low, -1) + np.triu(g_up @ turned(up))
    half = np.linalg.solve(turned(low), inner)
    return conj(p) @ turned(np.linalg.solve(up, turned(half)))


def lu_tangents(p: Any, low: Any, up: Any, t: Any) -> tuple[Any, Any]:
    """The tangents of both factors from that of the matrix."""
    half = np.linalg.solve(low, turned(p) @ t)
    inner = turned(np.linalg.solve(turned(up), turned(half)))
    return low @ np.tril(inner, -1), np.triu(inner) @ up


def lu_jvp(t, y, self):
    square(self)
    return None, *lu_tangents(y[0], y[1], y[2], t)


@rule(lu, kind="general", jvp=lu_jvp)
def _(g, y, self):
    square(self)
    return lu_entry(y[0], y[1], y[2], part(g, y, 1), part(g, y, 2))


def lu_factor_jvp(t, y, self):
    square(self)
    low, up = lu_tangents(order_of(y), unpacked(y[0])[0], unpacked(y[0])[1], t)
    return low + up, None


@rule(lu_factor, kind="general", jvp=lu_factor_jvp)
def _(g, y, self):
    square(self)
    gf = part(g, y, 0)
    return lu_entry(order_of(y), unpacked(y[0])[0], unpacked(y[0])[1], np.tril(gf, -1), np.triu(gf))
