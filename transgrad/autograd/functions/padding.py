"""A constant around an array."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...rules.registry import rule

__all__ = ["constant_pad_nd"]


def widths(ndim: int, pad: Sequence[int]) -> list[tuple[int, int]]:
    """NumPy's widths, of torch's, which begin at the last dimension."""
    pairs = [(pad[k], pad[k + 1]) for k in range(0, len(pad), 2)]
    return [(0, 0)] * (ndim - len(pairs)) + pairs[::-1]


def resized(x: Any, pad: Sequence[int], value: Any) -> Any:
    """``x`` with widths added, or taken away where they are negative."""
    pairs = widths(x.ndim, pad)
    inner = x[tuple(slice(max(-before, 0), x.shape[k] - max(-after, 0)) for k, (before, after) in enumerate(pairs))]
    return np.pad(inner, [(max(before, 0), max(after, 0)) for before, after in pairs], constant_values=value)


def constant_pad_nd(self: Any, pad: Sequence[int], value: Any) -> Any:
    """``self`` with ``value`` around it."""
    return resized(self, pad, value)


def unpadded(g: Any, pad: Sequence[int]) -> Any:
    """The part of ``g`` that was there before."""
    return resized(g, [-width for width in pad], 0)


@rule(constant_pad_nd, kind="general", jvp=lambda t, y, self, pad, value: resized(t, pad, 0))
def _(g, y, self, pad, value):
    return unpadded(g, pad)
