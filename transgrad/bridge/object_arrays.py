"""Arrays of objects whose elements are recorded: NumPy's loops over objects call the operators of the elements."""
from __future__ import annotations

from typing import Any

import numpy as np

from .array import TapedArray, holds, stacked

__all__ = ["each", "elements", "made_of", "unboxed"]


def elements(x: TapedArray) -> Any:
    """A recorded array as an array of recorded numbers."""
    out = np.empty(x.shape, dtype=object)
    for place in np.ndindex(x.shape):
        out[place] = x[place] if place else x.item()
    return out


def made_of(data: Any) -> Any:
    """``np.array(data, dtype=object)``, where ``data`` holds something recorded."""
    if isinstance(data, TapedArray):
        return data if data.number else elements(data)
    if not isinstance(data, (list, tuple)):
        return np.array(data, dtype=object)
    rows = [made_of(x) if isinstance(x, (TapedArray, list, tuple, np.ndarray)) else x for x in data]
    shapes = {x.shape if type(x) is np.ndarray else () for x in rows}
    if len(shapes) == 1 and shapes != {()}:
        return np.stack(rows)
    out = np.empty(len(rows), dtype=object)     # numbers, or arrays of different shapes
    for k, x in enumerate(data if len(shapes) > 1 else rows):
        out[k] = x
    return out


def unboxed(x: Any) -> Any:
    """An array of objects that are all numbers, some of them recorded, as a recorded array of numbers; anything else as it is."""
    if type(x) is not np.ndarray or x.dtype != object:
        return x
    items = x.ravel().tolist()
    if not any(map(holds, items)) or any(np.ndim(i) or not isinstance(i, (TapedArray, int, float)) for i in items):
        return x
    return stacked(items).reshape(x.shape)


def each(ufunc: np.ufunc, inputs: Any) -> Any:
    """An element-wise function of arrays of objects, element by element."""
    given = np.broadcast_arrays(*(elements(x) if isinstance(x, TapedArray) else np.asarray(x, dtype=object) for x in inputs))
    out = np.empty(given[0].shape, dtype=object)
    for place in np.ndindex(out.shape):
        out[place] = ufunc(*(x[place] for x in given))
    return out if out.ndim else out[()]
