"""Methods and functions of NumPy that write to an array, or convert it, for arrays on the tape."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import dispatch
from .array import METHODS, WRITERS, TapedArray, holds, outer, stacked, taped

__all__: list[str] = []


def _fill(x: TapedArray, value: Any) -> None:
    x[...] = value


def _sort(x: TapedArray, axis: int = -1, **options: Any) -> None:
    x[...] = np.sort(x.copy(), axis=axis, **options)


def _tolist(x: TapedArray) -> Any:
    return [_tolist(row) if isinstance(row, TapedArray) and row.ndim else row for row in x] if x.ndim else x


def _item(x: TapedArray, *index: Any) -> Any:
    if not index:
        return taped(dispatch.apply(np.reshape, x.tensor, ()).clone(), number=True)
    place = index[0] if len(index) == 1 else index
    return x[place] if isinstance(place, tuple) else x.reshape(-1)[place]


def _transpose(x: TapedArray, *axes: Any) -> Any:
    order = axes[0] if len(axes) == 1 else axes or None
    return outer(np.transpose, dispatch.apply(np.transpose, x.tensor) if order is None else dispatch.apply(np.transpose, x.tensor, order))


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if not isinstance(dst, TapedArray):
        raise TypeError("an array that is differentiated would be written into a plain array: allocate it with NumPy's functions")
    dst[...] = src if where is True else np.where(where, src, dst.copy())


def _putmask(a: Any, mask: Any, values: Any) -> None:
    a[mask] = values if not np.ndim(values) else np.resize(values, np.shape(a))[mask]


def _place(arr: Any, mask: Any, vals: Any) -> None:
    arr[mask] = np.resize(stacked(vals) if holds(vals) else vals, np.count_nonzero(mask))


def _put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    v = stacked(v) if holds(v) else v
    places = np.unravel_index(np.asarray(ind) % np.size(a) if mode != "clip" else np.clip(ind, 0, np.size(a) - 1), np.shape(a))
    a[places] = v if np.ndim(v) == 0 else np.resize(v, np.shape(places[0]))


def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Views that may be written to, which the tape's own of several results may not."""
    parts = np.split(np.arange(np.shape(ary)[axis]), indices_or_sections)
    front = (slice(None),) * (axis % np.ndim(ary))
    return [ary[(*front, slice(int(p[0]), int(p[-1]) + 1) if len(p) else slice(0, 0))] for p in parts]


def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    if wrap or np.ndim(a) != 2:
        raise TypeError("np.fill_diagonal of more than two dimensions is not recorded by the tape")
    k = np.arange(min(np.shape(a)))
    a[k, k] = val if not np.ndim(val) else np.resize(stacked(val) if holds(val) else val, len(k))


def _put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    if axis is None:
        arr[np.unravel_index(indices, np.shape(arr))] = values
        return
    places = list(np.ogrid[tuple(slice(n) for n in np.shape(indices))])
    places[axis] = indices
    arr[tuple(places)] = values


METHODS.update(fill=_fill, sort=_sort, tolist=_tolist, item=_item, transpose=_transpose, put=_put)
WRITERS.update({
    np.copyto: _copyto, np.putmask: _putmask, np.place: _place, np.put: _put, np.split: _split,
    np.fill_diagonal: _fill_diagonal, np.put_along_axis: _put_along_axis,
})
