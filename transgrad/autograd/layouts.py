"""In which order of dimensions the elements of a new result lie: torch's choice, where NumPy makes another."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..rules.registry import lookup

__all__ = ["BY_ELEMENT", "ROWS", "laid_out_as"]

Array = np.ndarray[Any, Any]
#: functions whose results are row-major whatever the order of the arguments
ROWS: set[Callable[..., Any]] = {np.concatenate, np.stack, np.cumsum, np.cumprod, np.amax, np.amin, np.max, np.min, np.std, np.var}
#: functions that go through their arguments element by element, but have no element-wise rule
BY_ELEMENT: set[Callable[..., Any]] = {np.where, np.clip}


def laid_out_as(fn: Any, y: Array, operands: Sequence[Any]) -> Array:
    """``y``, a new result of ``fn`` with several dimensions, laid out as torch lays it out."""
    arrays = [a for a in operands if type(a) is np.ndarray and a.ndim]
    if y.flags.c_contiguous and all(a.flags.c_contiguous and a.shape == y.shape for a in arrays):
        return y
    if fn in ROWS:
        return np.ascontiguousarray(y)
    rule = lookup(fn)
    by_element = isinstance(fn, np.ufunc) or fn in BY_ELEMENT or rule is not None and rule.kind == "elementwise"
    if by_element and all(a.ndim <= y.ndim for a in arrays):        # products of matrices may have more dimensions than their result
        return _in_order(y, _order(y.shape, arrays))
    return np.ascontiguousarray(y) if any(0 in a.strides for a in arrays) else y


def _order(shape: tuple[int, ...], arrays: Sequence[Array]) -> list[int]:
    """The dimensions from the one that varies fastest, by the strides of the first operand that tells two of them apart."""
    ndim = len(shape)
    strides = [(0,) * (ndim - a.ndim) + tuple(0 if n == 1 and m != 1 else s for n, m, s in zip(a.shape, shape[ndim - a.ndim:], a.strides))
               for a in arrays]
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


def _in_order(y: Array, order: Sequence[int]) -> Array:
    step, wanted = y.itemsize, [0] * y.ndim
    for dim in order:
        wanted[dim] = step
        step *= y.shape[dim]
    if all(have == want or n == 1 for have, want, n in zip(y.strides, wanted, y.shape)):
        return y
    slowest_first = list(order)[::-1]
    return np.ascontiguousarray(y.transpose(slowest_first)).transpose(np.argsort(slowest_first))
