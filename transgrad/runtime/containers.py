"""Cotangents of containers: what sorting, merging and repeating them does, undone."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .accumulate import add, zeros_of
from .broadcast import fit

__all__ = [
    "containers_of", "inserted_at", "items_like", "own_items", "put_back", "shares_of_sum", "sorted_like", "split_blocks",
    "split_like", "stacked", "sum_repeats", "take_items", "unsorted",
]


def containers_of(x: Any) -> Any:
    """Copy the lists and dicts of a nested container, and share everything else with it.

    Examples
    --------
    >>> x = {"a": [1.0, (2.0, [3.0])]}
    >>> y = containers_of(x)
    >>> x["a"][1][1].append(4.0)
    >>> y
    {'a': [1.0, (2.0, [3.0])]}
    """
    if isinstance(x, dict):
        copy = x.copy()
        copy.update((key, containers_of(item)) for key, item in x.items() if isinstance(item, (dict, list, tuple)))
        return copy
    if isinstance(x, (list, tuple)):
        items = [containers_of(item) if isinstance(item, (dict, list, tuple)) else item for item in x]
        return items if type(x) is list else type(x)(*items) if hasattr(x, "_fields") else tuple(items) if type(x) is tuple else x
    return x


def own_items(x: Any, *others: Any) -> Any:
    """Copy the arrays in a container that may share memory: views, those that occur twice, and those in ``others``.

    Examples
    --------
    >>> a, b = np.zeros(2), np.zeros(2)
    >>> x = own_items([a, a, b, np.zeros((2, 2))[0]], [b])
    >>> x[0] is a, x[1] is a, x[2] is b, x[3].base
    (True, False, False, None)
    """
    seen: set[int] = set()
    for other in others:
        _note_arrays(other, seen)
    return _own(x, seen)


def _note_arrays(x: Any, seen: set[int]) -> None:
    if isinstance(x, np.ndarray):
        seen.add(id(x))
    elif isinstance(x, (list, tuple, dict)):
        for item in x.values() if isinstance(x, dict) else x:
            _note_arrays(item, seen)


def _own(x: Any, seen: set[int]) -> Any:
    if isinstance(x, np.ndarray):
        if x.base is not None or id(x) in seen:
            return x.copy()
        seen.add(id(x))
    elif isinstance(x, dict):
        copy = x.copy()
        copy.update((key, _own(item, seen)) for key, item in x.items())
        return copy
    elif type(x) in (list, tuple):
        return type(x)([_own(item, seen) for item in x])
    elif isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[_own(item, seen) for item in x])
    return x


def inserted_at(index: int, n: int) -> int:
    """Where ``list.insert`` with ``index`` puts something among ``n`` items."""
    return slice(index, None).indices(n)[0]


def put_back(items: list[Any], index: int, item: Any) -> None:
    """Undo ``items.pop(index)``: makes ``item`` what stands at ``index`` again."""
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


def split_like(g: Any, arrays: Any, axis: int | None = 0, dims: int = 0) -> list[Any]:
    """Split the cotangent of joined arrays into the cotangents of the arrays.

    ``axis`` is the axis along which they were joined, or None if they were raveled first.  An array with fewer than
    ``dims`` dimensions was joined as a single layer.

    Examples
    --------
    >>> split_like(np.arange(4.0), [1.0, np.zeros((1, 3))], None)
    [np.float64(0.0), array([[1., 2., 3.]])]
    """
    shapes = [np.shape(a) for a in arrays]
    if axis is None:
        lengths = [int(np.prod(shape)) for shape in shapes]
        g = np.ravel(g)
    else:
        lengths = [shape[axis] if len(shape) >= max(dims, 1) else 1 for shape in shapes]
    parts = np.split(g, np.cumsum(lengths)[:-1], axis or 0)
    return [items_like(np.reshape(part, shape), a) for part, shape, a in zip(parts, shapes, arrays)]


def split_blocks(g: Any, arrays: Any, depth: int | None = None) -> Any:
    """Split the cotangent of ``np.block(arrays)`` into the cotangents of its blocks.

    Examples
    --------
    >>> split_blocks(np.arange(3.0), [np.zeros(2), 0.0])
    [array([0., 1.]), np.float64(2.0)]
    """
    depth = _depth(arrays) if depth is None else depth
    if not isinstance(arrays, list):
        return np.reshape(g, np.shape(arrays))[()]
    joined = [np.block(a) for a in arrays]
    lengths = [np.shape(a)[-depth] if np.ndim(a) >= depth else 1 for a in joined]
    parts = np.split(g, np.cumsum(lengths)[:-1], -depth)
    return [split_blocks(part, a, depth - 1) for part, a in zip(parts, arrays)]


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def items_like(g: Any, x: Any) -> Any:
    """Rearrange the cotangent of ``np.array(x)`` into the structure of the container ``x``; of an array, it is the cotangent itself.

    Examples
    --------
    >>> items_like(np.eye(2), [(1.0, 2.0), np.ones(2)])
    [(np.float64(1.0), np.float64(0.0)), array([0., 1.])]
    """
    if isinstance(x, (list, tuple)):
        items = [items_like(part, item) for part, item in zip(g, x, strict=True)]
        return items if isinstance(x, list) else type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    if np.iscomplexobj(g) and not np.iscomplexobj(x):
        g = np.real(g)
    dtype = getattr(x, "dtype", None)
    if dtype is not None and dtype.kind in "fc" and g.dtype != dtype:
        g = g.astype(dtype)
    return g if isinstance(x, np.ndarray) else g[()]


def sum_repeats(g: Any, x: int | list[Any]) -> list[Any]:
    """The cotangents of ``x`` from those of ``x * k``; of a list of numbers, its length stands for it."""
    if not g:       # there is nothing in ``x * 0``
        return [0.0] * x if isinstance(x, int) else zeros_of(x)
    n = x if isinstance(x, int) else len(x)
    out = list(g[:n])
    for k in range(n, len(g)):
        out[k % n] = add(out[k % n], g[k])
    return out


def shares_of_sum(g: Any, xs: Sequence[Any]) -> list[Any]:
    """The cotangents of the items of ``xs`` from that of ``sum(xs)``.

    Examples
    --------
    >>> shares_of_sum(np.ones(2), [np.zeros(2), np.zeros(1)])
    [array([1., 1.]), array([2.])]
    """
    return [np.array(part) if isinstance(part := fit(g, x), np.ndarray) else part for x in xs]


def stacked(values: Sequence[Any]) -> Any:
    """Results of the same structure, stacked leaf by leaf: the result of a batch, from those of the examples."""
    first = values[0]
    if isinstance(first, dict):
        return {key: stacked([v[key] for v in values]) for key in first}
    if isinstance(first, (list, tuple)):
        items = [stacked(column) for column in zip(*values)]
        return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
    return first if first is None else np.stack(values)
