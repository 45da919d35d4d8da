"""Functions that write into an array, said with assignments, and those that call a function along axes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .registry import definition


@definition(np.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Assign to elements of the flattened array; values are repeated as needed."""
    index = np.ravel(ind)
    if mode == "wrap":
        index = index % a.size
    if mode == "clip":
        index = np.clip(index, 0, a.size - 1)
    values = np.ravel(v)
    a[np.unravel_index(index % a.size, a.shape)] = values[np.arange(len(index)) % len(values)]


@definition(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    """Assign consecutive values, repeated as needed, where a mask is true."""
    values = np.ravel(vals)
    arr[np.reshape(mask, arr.shape)] = values[np.arange(np.count_nonzero(mask)) % len(values)]


@definition(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> None:
    """Assign the values at the same positions where a mask is true; values are repeated as needed."""
    values = np.ravel(values)
    chosen = np.reshape(mask, a.shape)
    a[chosen] = np.reshape(values[np.arange(a.size) % len(values)], a.shape)[chosen]


@definition(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    """Assign to the places that indices along one axis name."""
    dims = np.ndim(arr)
    if axis is None:        # places counted through all dimensions
        arr[np.unravel_index(indices, arr.shape)] = values
    elif dims == 1:
        arr[indices] = values
    else:
        arr[tuple([indices if k == axis % dims else np.reshape(np.arange(arr.shape[k]), tuple([-1 if n == k else 1 for n in range(dims)]))
                   for k in range(dims)])] = values


def reduced_between(ufunc: Any) -> Callable[..., Any]:
    """``ufunc.reduceat`` in terms of reductions of slices."""
    def reduceat(array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        rows = np.moveaxis(array if dtype is None else array.astype(dtype), axis, 0)
        ends = np.append(indices[1:], len(rows))
        parts = [ufunc.reduce(rows[first:max(last, first + 1)], axis=0) for first, last in zip(indices, ends)]
        result = np.moveaxis(np.stack(parts), 0, axis)
        if out is None:
            return result
        out[...] = result
        return out
    return reduceat


for _ufunc in (np.add, np.multiply, np.maximum, np.minimum):
    definition(_ufunc.reduceat)(reduced_between(_ufunc))


@definition(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """A function applied along several axes in turn; the axes are kept."""
    for axis in (axes,) if isinstance(axes, int) else axes:
        reduced = func(a, axis)
        a = reduced if np.ndim(reduced) == np.ndim(a) else np.expand_dims(reduced, axis)
    return a


@definition(np.fromfunction)
def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    """A function of the indices of an array."""
    return function(*np.indices(shape, dtype=dtype), **kwargs)


@definition(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Assign values, repeated as needed, to the main diagonal; with ``wrap``, a tall matrix has several."""
    if np.ndim(a) < 2:
        raise ValueError("array must be at least 2-d")
    values = np.ravel(val)
    if np.ndim(a) == 2 and wrap:
        places = np.unravel_index(np.arange(0, a.size, a.shape[1] + 1), a.shape)
        a[places] = values[np.arange(len(places[0])) % len(values)]
    else:
        if np.ndim(a) > 2 and len(set(a.shape)) > 1:
            raise ValueError("All dimensions of input must be of equal length")
        k = np.arange(min(a.shape))
        a[(k,) * np.ndim(a)] = values[k % len(values)]
