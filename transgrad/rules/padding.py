"""Padding, in every mode of NumPy."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.ops import Lit, Value
from ..runtime import fold_pad
from .registry import definition, rule
from .static import NeedsType, NoDerivative, is_number, lifted, ndim

folded = lifted(fold_pad)


def pad_jvp(t, y, array, pad_width, mode="constant", **options):
    return np.pad(t, pad_width) if mode in ("constant", "empty") else np.pad(t, pad_width, mode, **options)


def copies(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> bool:
    """Whether the padding consists of constants or of copies of elements."""
    if isinstance(pad_width, dict):
        return False
    if mode == "constant":
        return all(is_number(v) or isinstance(v, int) for v in options.values())
    return mode in ("empty", "edge", "wrap", "reflect", "symmetric") and options.get("reflect_type", "even") == "even"


@rule(np.pad, kind="general", jvp=pad_jvp, when=copies)
def _(g, y, array, pad_width, mode="constant", **options):
    return g[inner_part(pad_width, array)] if mode in ("constant", "empty") else folded(array, g, pad_width, mode)


def inner_part(pad_width: Any, array: Any) -> Any:
    """The slices of a padded array that hold the original."""
    dims = ndim(array)
    if isinstance(pad_width, (Value, Lit)):
        raise NeedsType("a width of np.pad whose structure is not known")
    if not isinstance(pad_width, (tuple, list)):
        pairs = [(pad_width, pad_width)] * dims
    elif isinstance(pad_width[0], (tuple, list)):
        pairs = [(p[0], p[-1]) for p in pad_width] * (dims if len(pad_width) == 1 else 1)
    else:
        pairs = [(pad_width[0], pad_width[-1])] * dims
    cuts = tuple(inner_slice(before, after, array, k) for k, (before, after) in enumerate(pairs))
    return cuts[0] if len(cuts) == 1 else cuts


def inner_slice(before: Any, after: Any, array: Any, k: int) -> Any:
    """The part of one axis that is not padding."""
    if isinstance(before, int) and isinstance(after, int):
        return slice(before or None, -after or None)
    return slice(before, before + array.shape[k])


_STATISTICS: dict[str, Callable[..., Any]] = {"mean": np.mean, "maximum": np.max, "minimum": np.min, "median": np.median}


def pair_of(value: Any, axis: int, dims: int) -> tuple[Any, Any]:
    """The values of an option of `np.pad` for the two ends of one axis."""
    if isinstance(value, dict):
        value = value.get(axis, value.get(axis - dims, (0, 0)))
    if isinstance(value, np.ndarray):
        both = np.broadcast_to(value, (dims, 2))
        return both[axis, 0], both[axis, 1]
    if not isinstance(value, (tuple, list)):
        return value, value
    if isinstance(value[0], (tuple, list)):
        value = value[axis] if len(value) > 1 else value[0]
    return value[0], value[-1]


def padding(array: Any, width: Any, axis: int, mode: str, value: Any, reflect_type: str) -> Any:
    """The padding before an array along one axis; ``value`` is the end value, or the number of elements used."""
    nearest = np.take(array, [0], axis)
    if mode == "constant":
        return np.repeat(np.zeros_like(nearest) + value, width, axis)
    if mode == "linear_ramp":
        return np.linspace(value, np.squeeze(nearest, axis), width, endpoint=False, axis=axis)
    if mode in ("mean", "maximum", "minimum", "median"):
        looked = array if value is None else np.take(array, np.arange(min(value, array.shape[axis])), axis)
        return np.repeat(_STATISTICS[mode](looked, axis=axis, keepdims=True), width, axis)
    if mode not in ("reflect", "symmetric") or reflect_type != "odd":
        raise NoDerivative(f"no derivative of np.pad in mode {mode!r} with these options")
    if width >= array.shape[axis]:
        raise NoDerivative("no derivative of an odd reflection that is longer than the array")
    start = width if mode == "reflect" else width - 1
    return 2.0 * nearest - np.take(array, np.arange(start, start - width, -1), axis)


@definition(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0, end_values: Any = 0, stat_length: Any = None,
        reflect_type: str = "even") -> Any:
    """Padding that is computed from the array, one axis after the other."""
    option = constant_values if mode == "constant" else end_values if mode == "linear_ramp" else stat_length
    for axis in tuple(range(np.ndim(array))):
        before, after = pair_of(pad_width, axis, np.ndim(array))
        low, high = pair_of(option, axis, np.ndim(array))
        front = padding(array, before, axis, mode, low, reflect_type)
        back = np.flip(padding(np.flip(array, axis), after, axis, mode, high, reflect_type), axis)
        array = np.concatenate((front, array, back), axis)
    return array
