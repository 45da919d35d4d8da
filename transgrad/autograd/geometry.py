"""Views of a base that was resized in place: elements are located by their position in memory."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..rules.registry import rule
from ..rules.static import lifted
from ..runtime import scatter
from .fit import is_dense
from .names import node_name

__all__ = ["elements", "empty_strided", "places_in", "put_elements", "with_strides_of"]

put: Any = lifted(scatter)


def elements(self: Any, places: Any) -> Any:
    """The elements of ``self`` at places in its row-major order."""
    return np.reshape(self, -1)[places]


@rule(elements, kind="linear")
def _(g: Any, y: Any, self: Any, places: Any) -> Any:
    return np.reshape(put(np.reshape(self, -1), places, g), self.shape)


node_name(elements, "AsStridedBackward0")


def put_elements(whole: Any, places: Any, part: Any) -> Any:
    """``whole``, an array or a Tensor, with ``part`` at places in its row-major order."""
    if isinstance(whole, np.ndarray):
        out = np.array(whole, order="C")
        out.reshape(-1)[places] = part
        return out
    from .functions.slabs import index_put
    from .record import apply
    return apply(index_put, whole.reshape(-1), (places,), part).reshape(whole.shape)


def places_in(base: Any, part: Any) -> Any:
    """Where in the row-major order of ``base`` the elements of ``part`` are, which looks at the same memory.

    Raises
    ------
    RuntimeError
        If the base has gaps or overlaps, or the elements are of another size.
    """
    size = base.itemsize
    if not is_dense(base) or part.itemsize != size:
        raise RuntimeError("The base of a view has been given another shape in place (t_, transpose_, resize_, set_ …), and it or the view "
                           "has been written to: the history of the view is not known. Make the view anew.")
    order = np.empty(max(base.size, 1), np.int64)
    as_strided(order, base.shape, [s // size * 8 for s in base.strides])[...] = np.arange(base.size).reshape(base.shape)
    start = (part.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // size
    return as_strided(order[start:], part.shape, [s // size * 8 for s in part.strides]).copy()


def empty_strided(shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array with strides given in elements, gaps included; row-major where elements would share memory."""
    row_major, expected = True, 1
    for n, s in zip(shape[::-1], strides[::-1]):
        if n != 1 and s != expected:
            row_major = False
            break
        expected *= n
    if row_major or 0 in shape or any(s <= 0 and n > 1 for s, n in zip(strides, shape)):
        return np.empty(shape, dtype)
    memory = np.empty(1 + sum((n - 1) * s for n, s in zip(shape, strides)), dtype)
    return as_strided(memory, shape, [s * dtype.itemsize for s in strides])


def with_strides_of(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """`empty_strided` with the shape and strides of an array."""
    if array.flags.c_contiguous:
        return np.empty(array.shape, dtype)
    return empty_strided(array.shape, tuple(s // array.itemsize for s in array.strides), dtype)
