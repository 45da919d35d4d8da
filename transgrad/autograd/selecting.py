"""`np.where` by arithmetic on bits.

NumPy's selection branches at each element, and takes ten times as long as a product where the processor cannot predict the mask. A float
with all bits ANDed with 0 or with -1 is 0 or itself, NaN and infinity included, which vectorizes.
"""
from __future__ import annotations

import types
from typing import Any

import numpy as np

__all__ = ["NUMPY", "where"]

_INTEGERS: dict[Any, Any] = {np.dtype(np.float32): np.int32, np.dtype(np.float64): np.int64}
#: smaller arrays are not worth the passes
_MANY = 512


def where(condition: Any, x: Any, y: Any) -> Any:
    """``np.where(condition, x, y)``.

    >>> where(np.array([True, False] * 400), np.full(800, np.nan), 0.0)[:4]
    array([nan,  0., nan,  0.])
    """
    if type(condition) is np.ndarray and condition.size >= _MANY and condition.dtype == np.bool_:
        if type(x) is np.ndarray and x.shape == condition.shape:
            found = _selected(condition, x, y, False)
        elif type(y) is np.ndarray and y.shape == condition.shape:
            found = _selected(condition, y, x, True)
        else:
            found = None
        if found is not None:
            return found
    return np.where(condition, x, y)


def _selected(condition: Any, kept: Any, other: Any, inverse: bool) -> Any:
    """The elements of an array where the condition holds (with ``inverse``: where not), elsewhere the other value; None if not by bits."""
    integers = _INTEGERS.get(kept.dtype)
    if integers is None:
        return None
    if type(other) is float or type(other) is int:
        bits = kept.dtype.type(other).view(integers)
    elif isinstance(other, (np.ndarray, np.generic)) and other.dtype == kept.dtype and other.shape in ((), kept.shape):
        bits = np.asarray(other).view(integers)
    else:
        return None
    mask = np.logical_not(condition).view(np.int8) if inverse else condition.view(np.int8)
    mask = np.negative(mask)
    own = kept.view(integers)
    if not bits.ndim and not bits:
        return np.bitwise_and(own, mask).view(kept.dtype)
    found = np.bitwise_xor(own, bits)
    np.bitwise_and(found, mask, out=found)
    return np.bitwise_xor(found, bits, out=found).view(kept.dtype)


#: NumPy for rules on arrays
NUMPY: Any = types.ModuleType("numpy")
NUMPY.__dict__.update(vars(np))
NUMPY.__dict__.update(__getattr__=lambda name: getattr(np, name), where=where)
