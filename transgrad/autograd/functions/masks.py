"""Reads and writes where a mask is set."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import lifted
from ..layouts import ROWS
from ..names import keeps, node_name

__all__ = ["masked_fill", "masked_fill_tensor", "masked_scatter", "masked_select"]


def masked_fill(self: Any, mask: Any, value: Any) -> Any:
    """``self`` with ``value`` where ``mask`` is set."""
    return np.where(mask, np.asarray(value).astype(self.dtype), self)


def masked_fill_tensor(self: Any, mask: Any, value: Any) -> Any:
    """`masked_fill` with a tensor without dimensions."""
    return masked_fill(self, mask, value)


@rule(masked_fill, kind="general", broadcasts=True, jvp=lambda t, y, self, mask, value: np.where(mask, 0.0, t))
def _(g, y, self, mask, value):
    return np.where(mask, 0.0, g)


@rule(masked_fill_tensor, kind="linear", linear_in=(0, 2), broadcasts=True)
def _(g, y, self, mask, value):
    return np.where(mask, 0.0, g), None, np.where(mask, g, 0.0)


def masked_select(self: Any, mask: Any) -> Any:
    """The elements of ``self`` where ``mask`` is set, in a row; both broadcast."""
    full, chosen = np.broadcast_arrays(self, mask)
    return full[chosen]


def masked_place(source: Any, mask: Any) -> Any:
    """Zeros in the shape of ``mask``, with the first elements of ``source`` at the set positions."""
    out = np.zeros(mask.shape, dtype=source.dtype)
    needed = np.count_nonzero(mask)
    if source.size < needed:
        raise RuntimeError(f"masked_scatter: expected self and source to have same dtypes and at least as many elements in source as "
                           f"there are True in mask: {source.size} < {needed}")
    out[mask] = source.reshape(-1)[:needed]
    return out


def masked_scatter(self: Any, mask: Any, source: Any) -> Any:
    """``self`` with the first elements of ``source`` where ``mask`` is set."""
    full, chosen = np.broadcast_arrays(self, mask)
    return np.where(chosen, masked_place(source, chosen), full)


ROWS.update((masked_fill, masked_fill_tensor))
keeps("self", masked_select)
node_name(masked_fill_tensor, "MaskedFillBackward1")
selected: Any = lifted(masked_select)
placed: Any = lifted(masked_place)
broadcast: Any = lifted(np.broadcast_to)


def common(self: Any, mask: Any) -> tuple[int, ...]:
    """The shape of both broadcast together."""
    return np.broadcast_shapes(self.shape, mask.shape)


@rule(masked_select, kind="linear", broadcasts=True)
def _(g, y, self, mask):
    return placed(g, broadcast(mask, common(self, mask)))


@rule(masked_place, kind="linear")
def _(g, y, source, mask):
    row = selected(g, mask)
    return np.reshape(np.pad(row, (0, source.size - row.size)), source.shape)


@rule(masked_scatter, kind="linear", linear_in=(0, 2), broadcasts=True)
def _(g, y, self, mask, source):
    row = selected(g, mask)
    return np.where(mask, 0.0, g), None, np.reshape(np.pad(row, (0, source.size - row.size)), source.shape)
