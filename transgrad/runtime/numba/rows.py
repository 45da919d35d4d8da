"""Lists of arrays as one array."""
from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import overload

from ..containers import split_like

__all__ = ["joined_rows", "stacked_rows"]

_compiled = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)


@_compiled
def stacked_rows(items):
    """The arrays of a list as rows of one."""
    if len(items) == 0:
        raise ValueError("need at least one array to stack")
    out = np.empty((len(items),) + items[0].shape, items[0].dtype)
    for k in range(len(items)):
        if items[k].shape != items[0].shape:
            raise ValueError("all input arrays must have the same shape")
        out[k] = items[k]
    return out


@_compiled
def joined_rows(items):
    """The arrays of a list one after the other."""
    if len(items) == 0:
        raise ValueError("need at least one array to concatenate")
    count = 0
    for x in items:
        if x.shape[1:] != items[0].shape[1:]:
            raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
        count += len(x)
    out = np.empty((count,) + items[0].shape[1:], items[0].dtype)
    start = 0
    for x in items:
        out[start:start + len(x)] = x
        start += len(x)
    return out


@overload(split_like, prefer_literal=True)
def _split_like(g, arrays, axis=0):
    at = getattr(axis, "literal_value", getattr(axis, "value", axis))     # a type, unless it is left out
    first = type(at) is int and at == 0
    if not isinstance(g, types.Array) or not isinstance(arrays, (types.List, types.ListType)) or not first:
        return None

    def implementation(g, arrays, axis=0):
        out = []
        start = 0
        for x in arrays:
            out.append(g[start:start + len(x)])
            start += len(x)
        return out
    return implementation
