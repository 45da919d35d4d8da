"""Functions that name dimensions: with that of the batch in front, every other comes one later."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .call import Call, ndim_of
from .loop import loop

__all__ = ["Shifted", "all_axes", "shifted", "vector_norm", "whole"]

_AXES = ("axis", "axes", "dim", "axis1", "axis2", "dim1", "dim2")


@dataclass(frozen=True)
class Shifted:
    """How a function names dimensions.

    Attributes
    ----------
    data : tuple of int
        The parameters that hold Tensors which all have the dimension of the batch.
    none : str
        What None for an axis means: ``all``, ``flat`` (of the flattened Tensor), or ``loop`` (something else).
    grows : int
        How many dimensions the result, which axes are counted in, has more for each of them.
    """

    data: tuple[int, ...] = (0,)
    none: str = "loop"
    grows: int = 0

    def __call__(self, call: Call) -> Any:
        others = [x for k, x in enumerate(call.args) if k not in self.data]
        if not set(_AXES) & set(call.names) or len(call.args) <= self.data[-1] or call.any_mapped([others, call.kwargs]):
            return loop(call)
        original = Call(call.fn, call.args, call.kwargs, call.level)
        first, dims = call.args[0], ndim_of(call.args[0])
        for k in self.data:
            call.args[k] = call.full(call.args[k])
        for name in call.names:
            if name not in _AXES:
                continue
            axis = call.parameter(name)
            if axis is None and self.none == "flat":
                call.args[0] = call.run(np.reshape, call.args[0], (call.level.size, first.numel()))
                axis, dims = 0, 1
            if axis is None and self.none == "all":
                axis = tuple(range(dims))
            grown = dims + self.grows * (len(axis) if isinstance(axis, tuple) else 1)
            if axis is None or grown == 0 and not isinstance(axis, tuple):
                return loop(original)
            call.put(name, shifted(axis, grown))
        return call.run(call.fn, *call.args, **call.kwargs)


def whole(fn: Callable[..., Any]) -> Callable[[Call], Any]:
    """The rule of a reduction of everything, by that along dimensions."""
    def rule(call: Call) -> Any:
        x = call.args[0]
        return call.run(fn, x.physical, tuple(range(1, x.ndim + 1))) if x.ndim else x.physical
    return rule


def vector_norm(call: Call) -> Any:
    return Shifted(none="all")(call) if ndim_of(call.args[0]) else loop(call)


def shifted(axis: Any, dims: int) -> Any:
    """The same dimension, or dimensions, behind that of the batch."""
    if isinstance(axis, (tuple, list)):
        return tuple(shifted(k, dims) for k in axis)
    axis = int(axis)
    if not -dims <= axis < dims:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-dims}, {dims - 1}], but got {axis})")
    return axis % dims + 1


def all_axes(rule: Callable[[Call], Any], fns: Sequence[Callable[..., Any]]) -> dict[Callable[..., Any], Callable[[Call], Any]]:
    """The same rule for several functions."""
    return dict.fromkeys(fns, rule)
