"""Writes into a tensor: a copy of another, a constant, zeros."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import ZERO
from ..dtypes import as_real, held
from ..names import node_name

__all__ = ["copied", "fill", "fill_tensor", "filled", "filled_tensor", "zeroed"]


def copied(self: Any, src: Any) -> Any:
    """``src`` in the shape and dtype of ``self``."""
    return np.broadcast_to(as_real(np.asarray(src), self.dtype), self.shape).astype(self.dtype)


def filled(self: Any, value: Any) -> Any:
    """A number in every place of ``self``."""
    return np.full(self.shape, held(np.asarray(value).item(), self.dtype), self.dtype)


def filled_tensor(self: Any, value: Any) -> Any:
    """`filled` with the value of a zero-dimensional tensor, cast as in a copy."""
    return copied(self, value)


def fill(self: Any, value: Any) -> Any:
    """`filled`, as a new tensor."""
    return filled(self, value)


def fill_tensor(self: Any, value: Any) -> Any:
    """`fill` with the value of a zero-dimensional tensor."""
    return copied(self, value)


def zeroed(self: Any) -> Any:
    """Zeros in every place of ``self``."""
    return np.zeros(self.shape, self.dtype)


node_name(copied, "torch::autograd::CopyBackwards")
node_name(filled, "FillBackward2")
node_name(filled_tensor, "FillBackward3")
node_name(fill, "FillBackward0")
node_name(fill_tensor, "FillBackward1")
node_name(zeroed, "ZeroBackward0")


@rule(copied, kind="linear", linear_in=(1,), broadcasts=True)
def _(g, y, self, src):
    return ZERO, g


@rule(filled, filled_tensor, fill, fill_tensor, kind="linear", linear_in=(1,))
def _(g, y, self, value):
    return ZERO, np.sum(g)


@rule(zeroed, kind="general", jvp=lambda t, y, self: None)
def _(g, y, self):
    return ZERO
