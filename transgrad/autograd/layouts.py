"""In which order of dimensions the elements of a new result lie: torch's choice, where NumPy makes another."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..rules.registry import lookup
from .state import STATE

__all__ = ["BY_ELEMENT", "CHANNELS", "COLUMNS", "LAST", "LIKE_FIRST", "OWN", "ROWS", "channels_last", "columns", "in_order", "indexed",
           "laid_out_as", "like"]

Array = np.ndarray[Any, Any]
#: functions whose results are row-major for any order of the arguments
ROWS: set[Callable[..., Any]] = {np.stack, np.cumsum, np.cumprod, np.amax, np.amin, np.max, np.min, np.std, np.var,
                                 np.nansum, np.all, np.any, np.gradient}
#: functions whose results lie as the first argument does
LIKE_FIRST: set[Callable[..., Any]] = set()
#: functions whose matrices are column-major, as LAPACK makes them
COLUMNS: set[Callable[..., Any]] = {np.linalg.cholesky, np.linalg.eig, np.linalg.eigh, np.linalg.inv, np.linalg.qr, np.linalg.solve,
                                    np.linalg.svd}
#: functions whose results have the channels last where those of all arguments are, else are row-major
CHANNELS: set[Callable[..., Any]] = {np.concatenate}
#: for so many dimensions those from the fastest to the slowest where the channels are last
LAST = {4: (1, 3, 2, 0), 5: (1, 4, 3, 2, 0)}
#: functions that see to it themselves
OWN: set[Callable[..., Any]] = set()
#: functions that go through their arguments element by element, but have no element-wise rule
BY_ELEMENT: set[Callable[..., Any]] = {np.where, np.clip}


def laid_out_as(fn: Any, y: Array, operands: Sequence[Any]) -> Array:
    """``y``, a new result of ``fn`` with several dimensions, laid out as torch lays it out."""
    if STATE.as_numpy:
        return y
    arrays = [a for a in operands if type(a) is np.ndarray and a.ndim]
    if fn in COLUMNS:
        return columns(y)
    if y.flags.c_contiguous and all(a.flags.c_contiguous and a.shape == y.shape for a in arrays):
        return y
    if fn not in CHANNELS and y.flags.c_contiguous and _strictly_row_major(y.shape, arrays):
        return y
    if fn in CHANNELS and arrays and all(a.ndim == y.ndim and channels_last(a) for a in arrays):
        return in_order(y, LAST[y.ndim])
    if fn in ROWS or fn in CHANNELS:
        return np.ascontiguousarray(y)
    if fn in LIKE_FIRST and arrays:
        return like(y, arrays[0])
    rule = lookup(fn)
    by_element = isinstance(fn, np.ufunc) or fn in BY_ELEMENT or rule is not None and rule.kind == "elementwise"
    if by_element and all(a.ndim <= y.ndim for a in arrays):        # products of matrices may have more dimensions than their result
        return in_order(y, _order(y.shape, arrays))
    return np.ascontiguousarray(y) if fn not in OWN and any(0 in a.strides for a in arrays) else y


def _strictly_row_major(shape: tuple[int, ...], arrays: Sequence[Array]) -> bool:
    """Return whether row-major operands leave no other order for a result of this shape: no length of 0 or 1 hides the order of strides."""
    if 0 in shape or 1 in shape:
        return False
    ndim = len(shape)
    return all(a.ndim <= ndim and a.flags.c_contiguous for a in arrays)


def channels_last(a: Array) -> bool:
    """Return whether images or volumes lie in memory with their channels last; where that and rows would be the same, they are rows."""
    smallest = 0
    if a.ndim not in LAST or a.strides[1] == 0:
        return False
    for k in LAST[a.ndim]:
        if a.shape[k] == 0 or a.strides[k] < smallest or k == 0 and smallest == a.strides[1]:
            return False
        smallest = a.strides[k] * max(a.shape[k], 1)
    return True


def columns(y: Array, most: int = 2) -> Array:
    """``y`` with column-major matrices; arrays with fewer dimensions than ``most`` are unchanged."""
    return y if y.ndim < most else np.ascontiguousarray(y.swapaxes(-1, -2)).swapaxes(-1, -2)


def like(y: Array, x: Array) -> Array:
    """``y``, an array of the shape of ``x``, in the order of its dimensions, without gaps."""
    return y if x.flags.c_contiguous and y.flags.c_contiguous else in_order(y, _by_strides(y.shape, [x.strides]))


def indexed(y: Array, x: Array, indices: Sequence[Any]) -> Array:
    """``y``, the elements of ``x`` at ``indices``, in the order in which both are gone through."""
    plain = [i for i in indices if not isinstance(i, slice)]
    if x.flags.c_contiguous and all(np.asarray(i).flags.c_contiguous for i in plain):
        return np.ascontiguousarray(y)
    places: list[tuple[int, int]] = []      # of each index the dimensions it takes
    dim = 0
    for i in indices:
        taken = i.ndim if isinstance(i, np.ndarray) and i.dtype.kind == "b" else 1
        if not isinstance(i, slice):
            places.append((dim, dim + taken))
        dim += taken
    chosen = [k for start, stop in places for k in range(start, stop)]
    kept = [k for k in range(x.ndim) if k not in chosen]
    together = not chosen or chosen == list(range(chosen[0], chosen[-1] + 1))
    ahead = [x.strides[k] for k in kept if together and k < chosen[0]]
    behind = [x.strides[k] for k in kept][len(ahead):]
    given = np.broadcast_arrays(*(a for i in plain for a in (i.nonzero() if np.asarray(i).dtype.kind == "b" else [i])))
    own = y.ndim - len(kept)
    steps = [(*ahead, *[0] * own, *behind), *((*[0] * len(ahead), *a.strides, *[0] * len(behind)) for a in given)]
    return in_order(y, _by_strides(y.shape, steps))


def _order(shape: tuple[int, ...], arrays: Sequence[Array]) -> list[int]:
    """The dimension order of elementwise results, from the fastest-varying one."""
    ndim = len(shape)
    return _by_strides(shape, [
        (0,) * (ndim - a.ndim) + tuple(0 if n == 1 and m != 1 else s for n, m, s in zip(a.shape, shape[ndim - a.ndim:], a.strides))
        for a in arrays])


def _by_strides(shape: tuple[int, ...], strides: Sequence[tuple[int, ...]]) -> list[int]:
    """The dimensions from the one that varies fastest, by the strides of the first operand that tells two of them apart."""
    ndim = len(shape)
    order = list(range(ndim))[::-1]
    for k in range(1, ndim):
        at = k
        for before in range(k - 1, -1, -1):
            decided = _compared(strides, shape, order[before], order[at])
            if decided > 0:
                order[before], order[at] = order[at], order[before]
                at = before
            elif decided < 0:
                break
    return order


def _compared(strides: Sequence[tuple[int, ...]], shape: tuple[int, ...], first: int, second: int) -> int:
    """1 where the second dimension varies faster, -1 where the first one does, 0 where no operand tells."""
    for s in strides:
        if s[first] and s[second]:
            if s[first] != s[second]:
                return 1 if s[first] > s[second] else -1
            if shape[first] > shape[second]:
                return 1
    return 0


def in_order(y: Array, order: Sequence[int]) -> Array:
    """``y`` with the dimensions in an order, from the one that varies fastest."""
    step, wanted = y.itemsize, [0] * y.ndim
    for dim in order:
        wanted[dim] = step
        step *= y.shape[dim]
    if y.strides == tuple(wanted):
        return y
    if all(have == want or n == 1 for have, want, n in zip(y.strides, wanted, y.shape)):
        return np.lib.stride_tricks.as_strided(y, y.shape, wanted)      # the step along one element decides how later results lie
    slowest_first = list(order)[::-1]
    return np.ascontiguousarray(y.transpose(slowest_first)).transpose(np.argsort(slowest_first))
