"""Scatter the cotangents of elements that were read from an array; the rest is zero."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["fold_pad", "place_diagonal", "scatter", "scatter_along", "scatter_written"]


def scatter(x: Any, index: Any, g: Any) -> Any:
    """Zeros like ``x`` with ``g`` added at ``index``: the reverse of ``x[index]``."""
    if isinstance(x, (dict, list, tuple)):
        raise TypeError(f"a {type(x).__name__} is read here, and which kind of value it is was not known when its derivative was "
                        "compiled; let the name hold one kind of value only, or differentiate the function with transgrad.autograd")
    out = np.zeros_like(x, dtype=np.result_type(x, g))
    if all(type(i) in (int, slice, type(None), type(...)) for i in (index if type(index) is tuple else (index,))):
        out[index] += g         # a view, in which no element occurs twice
    else:
        np.add.at(out, index, g)
    return out


def scatter_along(x: Any, indices: Any, g: Any, axis: Any) -> Any:
    """Zeros like ``x`` with ``g`` added at ``indices`` along ``axis``: the reverse of ``np.take_along_axis``."""
    out = np.zeros_like(x, dtype=np.result_type(x, g), order="C")      # so that it can be written to flat
    if axis is None:
        np.add.at(out.reshape(-1), np.reshape(indices, -1), np.reshape(g, -1))
        return out
    if np.shape(indices)[axis] == 1 and np.shape(indices) == np.shape(g) == (*x.shape[:axis % x.ndim], 1, *x.shape[axis % x.ndim + 1:]):
        np.put_along_axis(out, np.asarray(indices), g, axis)        # of which no two have the same place
        return out
    shape = np.broadcast_shapes(np.shape(g), tuple(1 if k == axis % x.ndim else n for k, n in enumerate(x.shape)))
    grid: Any = np.indices(shape, sparse=True)
    places: list[Any] = [place if n > 1 else 0 for place, n in zip(grid, x.shape)]
    places[axis % x.ndim] = np.broadcast_to(indices, shape)
    np.add.at(out, tuple(places), np.broadcast_to(g, shape))
    return out


def place_diagonal(x: Any, g: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros like ``x`` with ``g`` on a diagonal: the reverse of ``np.diagonal``."""
    out = np.zeros_like(x, dtype=np.result_type(x, g))
    rows = np.arange(np.shape(g)[-1]) + max(-offset, 0)
    np.moveaxis(out, (axis1, axis2), (-2, -1))[..., rows, rows + offset] = g
    return out


def fold_pad(x: Any, g: Any, pad_width: Any, mode: str) -> Any:
    """Each element of the padded ``g`` added where ``np.pad`` took it from."""
    out = np.zeros_like(x, dtype=np.result_type(x, g), order="C")
    pad: Any = np.pad
    np.add.at(out.reshape(-1), pad(np.arange(x.size).reshape(x.shape), pad_width, mode), g)
    return out


def gather_written(x_bar: Any, index: Any) -> Any:
    """The part of a shadow that ``x[index] = value`` wrote: where an element is named twice, the last value stays."""
    return np.where(_stays(x_bar, index), x_bar[index], 0.0)


def scatter_written(x: Any, index: Any, g: Any) -> Any:
    """Zeros like ``x`` with ``g`` at ``index``, for the last write to each element: the reverse of `gather_written`."""
    out = np.zeros_like(x, dtype=np.result_type(x, g))
    np.add.at(out, index, np.where(_stays(x, index), g, 0.0))
    return out


def _stays(x: Any, index: Any) -> Any:
    """Which of the elements that ``x[index] = value`` writes are not written again."""
    last = np.full(np.shape(x), -1)
    order = np.arange(last[index].size).reshape(np.shape(last[index]))
    last[index] = order
    return last[index] == order
