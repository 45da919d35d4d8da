"""Shape functions of NumPy on plain arrays, without the checks that take most of their time on small arrays."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

__all__ = ["broadcast", "expand_dims", "put_along", "take_along"]

Array = np.ndarray[Any, Any]
#: longer ranges are not remembered
_LONG = 4096


def broadcast(x: Array, shape: tuple[int, ...]) -> Array:
    """Return ``np.broadcast_to(x, shape)``.

    >>> broadcast(np.array([1.0, 2.0]), (2, 2))
    array([[1., 2.],
           [1., 2.]])
    """
    if type(x) is not np.ndarray or x.dtype.kind not in "fciu" or not x.flags.c_contiguous or not x.size:
        return np.broadcast_to(x, shape)
    extra = len(shape) - x.ndim
    strides = [0] * extra
    for k, (n, s) in enumerate(zip(x.shape, x.strides), extra) if extra >= 0 else ():
        if n != shape[k]:
            if n != 1:
                return np.broadcast_to(x, shape)
            s = 0
        strides.append(s)
    if extra < 0:
        return np.broadcast_to(x, shape)
    out: Array = np.ndarray(shape, x.dtype, x, 0, strides)
    out.flags.writeable = False
    return out


def expand_dims(x: Any, axis: Any) -> Any:
    """Return ``np.expand_dims(x, axis)``.

    >>> expand_dims(np.ones(3), -1).shape
    (3, 1)
    """
    if type(x) is not np.ndarray or type(axis) is not int or not -x.ndim <= axis + 1 <= x.ndim + 1:
        return np.expand_dims(x, axis)
    shape = x.shape
    k = axis if axis >= 0 else axis + len(shape) + 1
    return x.reshape((*shape[:k], 1, *shape[k:]))


def take_along(x: Array, indices: Array, axis: int) -> Array:
    """Return ``np.take_along_axis(x, indices, axis)``."""
    return x[_places(x.shape, indices, axis)]       # type: ignore[no-any-return]


def put_along(x: Any, indices: Array, values: Array, axis: int) -> Array:
    """Return zeros like ``x`` with ``values`` at ``indices`` along an axis, no two of which are the same place."""
    out = np.zeros(x.shape, x.dtype if x.dtype == values.dtype else np.result_type(x, values))
    out[_places(x.shape, indices, axis)] = values
    return out


def _places(shape: tuple[int, ...], indices: Array, axis: int) -> tuple[Any, ...]:
    axis %= len(shape)
    grid = _grid if max(shape) <= _LONG else _grid.__wrapped__
    before, behind = grid(shape, axis)
    return (*before, indices, *behind)


@functools.lru_cache(512)
def _grid(shape: tuple[int, ...], axis: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The coordinates of the other axes, each along its own."""
    each = [np.arange(n).reshape((n, *(1,) * (len(shape) - k - 1))) for k, n in enumerate(shape)]
    return tuple(each[:axis]), tuple(each[axis + 1:])
