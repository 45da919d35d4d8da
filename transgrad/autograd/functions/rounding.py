"""Functions that are constant in pieces: a node with a derivative of zeros, as torch records them."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import is_complex, same
from ..dtypes import title
from ..names import OPTIONAL, RECOMPUTED, node_name
from ..wording import DIVISIONS

__all__ = ["ceil", "div_rounded", "floor", "frac", "magnitude", "round_", "round_decimals", "sign", "trunc"]


def floor(self: Any) -> Any:
    """The largest integer not above each element."""
    return np.floor(self)


def ceil(self: Any) -> Any:
    """The smallest integer not below each element."""
    return np.ceil(self)


def trunc(self: Any) -> Any:
    """Each element without its fraction."""
    return np.trunc(self)


def round_(self: Any) -> Any:
    """The nearest integer, the even one of two."""
    return np.rint(self)


def sign(self: Any) -> Any:
    """-1, 0 or 1; 0 for NaN too."""
    return np.sign(self) if self.dtype.kind in "iub" else np.nan_to_num(np.sign(self))


@rule(floor, ceil, trunc, round_, sign)
def _(g, y, self):
    return np.zeros_like(g)


def magnitude(self: Any) -> Any:
    """The absolute value."""
    return np.absolute(self)


@rule(magnitude)
def _(g, y, self):
    """The derivative at 0 and at NaN is 0."""
    return g * np.conj(self) / (y + same(y, 0)) if is_complex(self) else g * np.where(np.isnan(self), 0.0, np.sign(self))


RECOMPUTED.add(magnitude)
node_name(magnitude, "AbsBackward0")


def round_decimals(self: Any, decimals: int) -> Any:
    """Each element rounded to ``decimals`` decimals."""
    return np.round(self, decimals)


@rule(round_decimals)
def _(g, y, self, decimals):
    return np.zeros_like(g)


def div_rounded(self: Any, other: Any, rounding_mode: str) -> Any:
    """The quotient, rounded down (``"floor"``) or towards zero (``"trunc"``)."""
    if np.result_type(self, other).kind == "c":
        raise NotImplementedError(f"\"div_{rounding_mode}_cpu\" not implemented for '{title(np.result_type(self, other))}'")
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    quotient = np.divide(self, other)
    return np.trunc(quotient).astype(np.result_type(self, other), copy=False)


node_name(round_decimals, "RoundBackward1")
DIVISIONS.add(div_rounded)
node_name(div_rounded, "DivBackward2")


@rule(div_rounded)
def _(g, y, self, other, rounding_mode):
    return np.zeros_like(g), np.zeros_like(g)


def frac(self: Any) -> Any:
    """The fraction of each element, with its sign."""
    return self - np.trunc(self)


@rule(frac)
def _(g, y, self):
    return g
OPTIONAL.add(div_rounded)
