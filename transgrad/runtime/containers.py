"""Cotangents of containers: what sorting, merging and repeating them does, undone."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .accumulate import add, zeros_of

__all__ = ["inserted_at", "put_back", "sorted_like", "split_like", "stacked", "sum_repeats", "take_items", "unsorted"]


def inserted_at(index: int, n: int) -> int:
    """Where ``list.insert`` with ``index`` puts something among ``n`` items."""
    return slice(index, None).indices(n)[0]


def put_back(items: list[Any], index: int, item: Any) -> None:
    """Undoes ``items.pop(index)``: makes ``item`` what stands at ``index`` again."""
    items.insert(index if index >= 0 else len(items) + 1 + index, item)


def unsorted(x: Any, g: Any, reverse: bool = False) -> list[Any]:
    """The cotangents of the items of ``x``, from those of ``sorted(x)``."""
    out = list(g)
    for place, k in enumerate(sorted(range(len(x)), key=x.__getitem__, reverse=reverse)):
        out[k] = g[place]
    return out


def sorted_like(x: Any, g: Any, reverse: bool = False) -> list[Any]:
    """The items of ``g`` in the order in which sorting puts those of ``x``."""
    return [g[k] for k in sorted(range(len(x)), key=x.__getitem__, reverse=reverse)]


def take_items(x_bar: dict[Any, Any], y: Any) -> dict[Any, Any]:
    """The cotangents of ``y`` after ``x.update(y)``; those of ``x`` under the same keys become zero."""
    out = {key: x_bar[key] for key in y}
    for key, g in out.items():
        x_bar[key] = zeros_of(g)
    return out


def split_like(g: Any, arrays: Any, axis: int = 0) -> list[Any]:
    """The parts of ``g`` along ``axis`` that came from each of the arrays that were joined."""
    return list(np.split(g, np.cumsum([np.shape(a)[axis] for a in arrays])[:-1], axis))


def sum_repeats(g: Any, x: int | list[Any]) -> list[Any]:
    """The cotangents of ``x`` from those of ``x * k``; of a list of numbers, its length stands for it."""
    if not g:       # there is nothing in ``x * 0``
        return [0.0] * x if isinstance(x, int) else zeros_of(x)
    n = x if isinstance(x, int) else len(x)
    out = list(g[:n])
    for k in range(n, len(g)):
        out[k % n] = add(out[k % n], g[k])
    return out


def stacked(values: Sequence[Any]) -> Any:
    """Results of the same structure, stacked leaf by leaf: the result of a batch, from those of the examples."""
    first = values[0]
    if isinstance(first, dict):
        return {key: stacked([v[key] for v in values]) for key in first}
    if isinstance(first, (list, tuple)):
        items = [stacked(column) for column in zip(*values)]
        return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
    return first if first is None else np.stack(values)
