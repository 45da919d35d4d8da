"""Tangents and cotangents as the caller gives them, made to fit the values they belong to."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import tree

__all__ = ["fit", "is_active"]


def is_active(leaf: Any) -> bool:
    """Return whether a leaf carries a derivative; what stands for an array while a function is followed does not."""
    cls = type(leaf)
    if issubclass(cls, (np.ndarray, np.generic)):
        return leaf.dtype.kind in "fc"
    return issubclass(cls, (float, complex))


def fit(given: Any, value: Any, what: str) -> Any:
    """``given`` in the structure, shapes and dtypes of ``value``; ``what`` names it in messages."""
    if not tree.is_node(value, objects=True):
        return _fit_leaf(given, value, what)
    leaves, form = tree.flatten(value, objects=True)
    others, other_form = tree.flatten(given, objects=True)
    if form != other_form:
        raise ValueError(f"{what} has the structure {other_form}, but its value has {form}")
    return tree.unflatten(form, [_fit_leaf(g, v, what) for g, v in zip(others, leaves)])


def _fit_leaf(given: Any, value: Any, what: str) -> Any:
    if not is_active(value):
        return given
    if given is None:
        raise TypeError(f"{what} is None where its value is {tree.describe(value)}")
    array = np.asarray(given)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{what} is {tree.describe(given)} where its value is {tree.describe(value)}")
    if array.shape != np.shape(value):
        raise ValueError(f"{what} has shape {array.shape} where its value has shape {np.shape(value)}")
    dtype = np.asarray(value).dtype
    if array.dtype.kind == "c" and dtype.kind == "f":
        raise TypeError(f"{what} is complex where its value is {tree.describe(value)}")
    if isinstance(value, np.ndarray):
        return array.astype(dtype, copy=False)
    cast = type(value) if not isinstance(value, np.generic) else dtype.type
    return cast(array[()])
