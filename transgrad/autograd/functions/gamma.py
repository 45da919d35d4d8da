"""Derivatives of the logarithm of the gamma function, and its product over dimensions, in the precision of their argument."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import lifted
from ..names import node_name

__all__ = ["multigammaln", "polygamma", "polygamma_of"]


def polygamma(n: int, self: Any) -> Any:
    """The derivative of order ``n + 1`` of the logarithm of the gamma function."""
    import scipy.special
    return scipy.special.polygamma(n, self).astype(self.dtype, copy=False)


def polygamma_of(self: Any, n: int) -> Any:
    """`polygamma`, with the tensor first."""
    return polygamma(n, self)


def multigammaln(self: Any, p: int) -> Any:
    """The logarithm of the gamma function of ``p`` dimensions."""
    import scipy.special  # whose function of this name raises an error for infinite or undefined logarithms
    total = scipy.special.gammaln(self) + p * (p - 1) / 4 * np.log(np.pi)
    for k in range(1, p):
        total = total + scipy.special.gammaln(self - 0.5 * k)
    return np.asarray(total).astype(self.dtype, copy=False)


higher: Any = lifted(polygamma)
node_name(multigammaln, "MvlgammaBackward0")


@rule(polygamma)
def _(g, y, n, self):
    return None, g * higher(n + 1, self)


@rule(polygamma_of)
def _(g, y, self, n):
    return g * higher(n + 1, self)


node_name(polygamma_of, "PolygammaBackward1")


@rule(multigammaln)
def _(g, y, self, p):
    total = higher(0, self)
    for k in range(1, p):
        total = total + higher(0, self - 0.5 * k)
    return g * total
