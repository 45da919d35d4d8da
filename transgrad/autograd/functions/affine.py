"""Products of matrices added to a matrix."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import rule
from .products import product_in_layout

__all__ = ["addbmm", "addmm", "addmv", "addr", "baddbmm"]


def scaled(factor: Any, x: Any) -> Any:
    """``factor * x``, but for a factor of one."""
    return x if isinstance(factor, (int, float)) and factor == 1 else factor * x


def total(beta: Any, self: Any, alpha: Any, product: Any) -> Any:
    """``beta * self + alpha * product``; ``self`` is not read if ``beta`` is 0."""
    if isinstance(beta, (int, float)) and beta == 0:
        return np.broadcast_to(scaled(alpha, product), np.broadcast_shapes(self.shape, product.shape))
    return scaled(beta, self) + scaled(alpha, product)


def addmm(self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * self + alpha * (mat1 @ mat2)``."""
    return total(beta, self, alpha, mat1 @ mat2)


def baddbmm(self: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * self + alpha * (batch1 @ batch2)`` for each of a batch of matrices."""
    return total(beta, self, alpha, batch1 @ batch2)


@rule(addmm, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, mat1, mat2, beta=1, alpha=1: np.broadcast_to(scaled(beta, t), y.shape),
    lambda t, y, self, mat1, mat2, beta=1, alpha=1: scaled(alpha, t @ mat2),
    lambda t, y, self, mat1, mat2, beta=1, alpha=1: scaled(alpha, mat1 @ t)))
def _(g, y, self, mat1, mat2, beta=1, alpha=1):
    h = scaled(alpha, g)
    return scaled(beta, g), h @ mat2.mT, product_in_layout(mat1.mT, h, mat2.strides)


@rule(baddbmm, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, mat1, mat2, beta=1, alpha=1: np.broadcast_to(scaled(beta, t), y.shape),
    lambda t, y, self, mat1, mat2, beta=1, alpha=1: scaled(alpha, t @ mat2),
    lambda t, y, self, mat1, mat2, beta=1, alpha=1: scaled(alpha, mat1 @ t)))
def _(g, y, self, mat1, mat2, beta=1, alpha=1):
    h = scaled(alpha, g)
    return scaled(beta, g), h @ mat2.mT, mat1.mT @ h


def addmv(self: Any, mat: Any, vec: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * self + alpha * (mat @ vec)``."""
    return total(beta, self, alpha, mat @ vec)


@rule(addmv, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, mat, vec, beta=1, alpha=1: np.broadcast_to(scaled(beta, t), y.shape),
    lambda t, y, self, mat, vec, beta=1, alpha=1: scaled(alpha, t @ vec),
    lambda t, y, self, mat, vec, beta=1, alpha=1: scaled(alpha, mat @ t)))
def _(g, y, self, mat, vec, beta=1, alpha=1):
    h = scaled(alpha, g)
    return scaled(beta, g), np.outer(h, vec), mat.T @ h


def addr(self: Any, vec1: Any, vec2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * self + alpha * outer(vec1, vec2)``."""
    return total(beta, self, alpha, np.outer(vec1, vec2))


@rule(addr, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, vec1, vec2, beta=1, alpha=1: np.broadcast_to(scaled(beta, t), y.shape),
    lambda t, y, self, vec1, vec2, beta=1, alpha=1: scaled(alpha, np.outer(t, vec2)),
    lambda t, y, self, vec1, vec2, beta=1, alpha=1: scaled(alpha, np.outer(vec1, t))))
def _(g, y, self, vec1, vec2, beta=1, alpha=1):
    h = scaled(alpha, g)
    return scaled(beta, g), h @ vec2, vec1 @ h


def addbmm(self: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * self + alpha * (the sum of batch1 @ batch2 over the batch)``."""
    return total(beta, self, alpha, np.sum(batch1 @ batch2, axis=0))


@rule(addbmm, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, batch1, batch2, beta=1, alpha=1: np.broadcast_to(scaled(beta, t), y.shape),
    lambda t, y, self, batch1, batch2, beta=1, alpha=1: scaled(alpha, np.sum(t @ batch2, axis=0)),
    lambda t, y, self, batch1, batch2, beta=1, alpha=1: scaled(alpha, np.sum(batch1 @ t, axis=0))))
def _(g, y, self, batch1, batch2, beta=1, alpha=1):
    h = scaled(alpha, g)
    return scaled(beta, g), h @ batch2.mT, batch1.mT @ h
