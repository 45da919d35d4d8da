"""NumPy's functions that call a function for parts of an array, on the tape: `np.piecewise`, `np.apply_along_axis`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.tensor import wrap
from .array import TapedArray, holds, stacked

__all__ = ["APPLIED"]


def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(condlist, (bool, np.bool_)) or not isinstance(condlist, (list, tuple)) and np.ndim(condlist) == np.ndim(x):
        condlist = [condlist]
    if isinstance(x, (list, tuple)):
        x = stacked(x) if holds(x) else np.asarray(x)
    conditions = [np.asarray(c, dtype=bool) for c in condlist]
    if len(funclist) == len(conditions) + 1:
        conditions.append(~np.any(conditions, axis=0))
    elif len(funclist) != len(conditions):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions are expected")
    number = not np.ndim(x)
    whole = np.reshape(x, (1,)) if number else x
    y: Any = TapedArray(wrap(np.zeros(np.shape(whole), dtype=getattr(x, "dtype", float))))
    for condition, part in zip(conditions, funclist):
        where = np.reshape(condition, (1,)) if number else condition
        if callable(part):
            chosen = whole[where]
            if np.size(chosen):
                y[where] = part(chosen, *args, **kwargs)
        else:
            y[where] = part
    return np.reshape(y, ()) if number else y


def _along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    given: Any = arr if isinstance(arr, TapedArray) else stacked(arr) if holds(arr) else np.asarray(arr)
    lines = np.moveaxis(given, axis, -1)
    outer = np.shape(lines)[:-1]
    found = [func1d(lines[place], *args, **kwargs) for place in np.ndindex(outer)]
    if not found:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = stacked(found) if holds(found) else TapedArray(wrap(np.asarray(found)))
    made = np.reshape(made, (*outer, *np.shape(made)[1:]))
    at = axis % np.ndim(lines)
    new = np.ndim(made) - len(outer)        # the dimensions of a result stand where the axis was
    order = [*range(at), *range(len(outer), len(outer) + new), *range(at, len(outer))]
    return np.transpose(made, order)


#: the replacements
APPLIED: dict[Any, Callable[..., Any]] = {np.piecewise: _piecewise, np.apply_along_axis: _along_axis}
