"""Results of a batch that are containers whose structure is known only when they are there."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["axis_moved", "checked_axis", "mapped", "repeated"]


def repeated(x: Any, n: int, axis: Any) -> Any:
    """Repeat values that are the same for all examples of a batch.

    Parameters
    ----------
    x : nested value
        The result of every example.
    n : int
        How many examples there are.
    axis : int, None or nested
        The axis of the examples in each leaf; None for a leaf that stays unchanged.

    Returns
    -------
    nested value
        Its numbers and arrays have an axis more.

    Raises
    ------
    ValueError
        If a leaf has no such axis, or ``axis`` has not the structure of the result.

    Examples
    --------
    >>> repeated([1.0, "a"], 2, 0)
    [array([1., 1.]), 'a']
    """
    def leaf(v: Any, axis: Any) -> Any:
        if axis is None:
            return v
        a = np.asarray(v)
        return np.repeat(np.expand_dims(a, checked_axis(axis, a.ndim)), n, axis=axis)
    return mapped(leaf, x, axis)


def axis_moved(x: Any, axis: Any) -> Any:
    """Move the examples of a batch to another axis, from the first one.

    Parameters
    ----------
    x : nested value
        A result, with the examples along the first axis of each array.
    axis : int or nested
        The target axis in each leaf.

    Returns
    -------
    nested value
        Of views of the arrays.

    Raises
    ------
    ValueError
        If a leaf has no such axis, if ``axis`` is None for one, or has not the structure of the result.

    Examples
    --------
    >>> axis_moved([np.zeros((5, 2))], 1)[0].shape
    (2, 5)
    """
    def leaf(v: Any, axis: Any) -> Any:
        return np.moveaxis(v, 0, checked_axis(axis, np.ndim(v) - 1, batched=True))
    return mapped(leaf, x, axis)


def checked_axis(axis: Any, rank: int, batched: bool = False) -> int:
    """An axis of examples in a result of so many dimensions an example; ValueError if there can be none there."""
    if axis is None and batched:
        raise ValueError("vmap has a result that differs between the examples, but out_axes is None for it")
    if not -rank - 1 <= axis <= rank:
        raise ValueError(f"vmap out_axes={axis} is out of range for a result with {rank} dimensions")
    return axis  # type: ignore[no-any-return]


def mapped(leaf: Callable[[Any, Any], Any], x: Any, axis: Any) -> Any:
    """A function of each number and array in a container, and its axis."""
    if isinstance(x, dict):
        return {key: mapped(leaf, v, axis[key] if isinstance(axis, dict) else axis) for key, v in x.items()}
    if isinstance(x, (list, tuple)):
        listed = isinstance(axis, (list, tuple))
        if listed and len(axis) != len(x):
            raise ValueError(f"vmap out_axes has {len(axis)} entries for a result with {len(x)} items")
        items = [mapped(leaf, v, axis[k] if listed else axis) for k, v in enumerate(x)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if dataclasses.is_dataclass(x):
        return dataclasses.replace(x, **{f.name: mapped(leaf, getattr(x, f.name), axis) for f in dataclasses.fields(x)})  # type: ignore[type-var]
    return leaf(x, axis) if hasattr(x, "__array_namespace__") or np.asarray(x).dtype.kind in "biufc" else x
