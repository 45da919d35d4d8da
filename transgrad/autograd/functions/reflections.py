"""The first columns of a product of reflections ``I - tau v v^H``, as a QR decomposition keeps them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import lifted
from ..names import keeps, node_name

__all__ = ["householder_product"]

stacked: Any = lifted(np.stack)
repeated: Any = lifted(np.broadcast_to)


def direction(self: Any, k: int) -> Any:
    """The vector of reflection ``k``: what stands below the diagonal, under a one."""
    rows, columns = self.shape[-2:]
    return (np.tril(self, -1) + np.eye(rows, columns, dtype=self.dtype))[..., k:k + 1]


def adjoint(v: Any) -> Any:
    """The conjugate transpose."""
    return np.conj(np.swapaxes(v, -1, -2))


def reflected(x: Any, v: Any, factor: Any) -> Any:
    """A reflection times ``x``."""
    return x - (factor * v) @ (adjoint(v) @ x)


def factor_of(tau: Any, k: int) -> Any:
    """The factor of reflection ``k``, as a matrix of one element."""
    return tau[..., k:k + 1, None]


def unit(self: Any) -> Any:
    """The first columns of the unit matrix."""
    return repeated(np.eye(*self.shape[-2:], dtype=self.dtype), self.shape)


def householder_product(self: Any, tau: Any) -> Any:
    """The first columns of the product."""
    y = unit(self)
    for k in reversed(range(tau.shape[-1])):
        y = reflected(y, direction(self, k), factor_of(tau, k))
    return np.array(y)


def behind(self: Any, tau: Any) -> list[Any]:
    """For each reflection the product of those behind it."""
    products = [unit(self)]
    for k in reversed(range(1, tau.shape[-1])):
        products.append(reflected(products[-1], direction(self, k), factor_of(tau, k)))
    return products[::-1]


def tangent(move: Callable[..., Any]) -> Callable[..., Any]:
    """The forward derivative, from that of one reflection: ``move(t, x, v, factor, k)``."""
    def jvp(t: Any, y: Any, self: Any, tau: Any) -> Any:
        after = behind(self, tau)
        total: Any = np.zeros_like(y)
        for k in reversed(range(tau.shape[-1])):
            v, factor = direction(self, k), factor_of(tau, k)
            total = reflected(total, v, factor) + move(t, after[k], v, factor, k)
        return total
    return jvp


def vector_moves(t: Any, x: Any, v: Any, factor: Any, k: int) -> Any:
    dv = np.tril(t, -1)[..., k:k + 1]
    return -factor * (dv @ (adjoint(v) @ x) + v @ (adjoint(dv) @ x))


def factor_moves(t: Any, x: Any, v: Any, factor: Any, k: int) -> Any:
    return -factor_of(t, k) * (v @ (adjoint(v) @ x))


@rule(householder_product, kind="general", jvp=(tangent(vector_moves), tangent(factor_moves)))
def _(g, y, self, tau):
    """A cotangent is taken through the reflections from the first one on."""
    after = behind(self, tau)
    columns, factors, g = [], [], np.conj(g)
    for k in range(self.shape[-1]):
        if k >= tau.shape[-1]:
            columns.append(np.zeros_like(self[..., 0]))
            continue
        v, factor, x = direction(self, k), factor_of(tau, k), after[k]
        share, back = adjoint(v) @ x, adjoint(g) @ v
        factors.append(-(share @ back)[..., 0, 0])
        columns.append((-factor * np.swapaxes(share @ adjoint(g), -1, -2) + np.conj(-factor * (x @ back)))[..., 0])
        g = g - v @ (np.conj(factor) * (adjoint(v) @ g))
    return np.tril(stacked(columns, -1), -1), stacked(factors, -1)


keeps("y", householder_product)
node_name(householder_product, "LinalgHouseholderProductBackward0")
