"""Python's sum, max and min, and those of the math module."""
from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np

from ..ir.build import current
from ..ir.ops import Value
from ..ir.types import Arr, ListT, is_box, ndim_of, strip
from ..runtime import shares_of_sum
from .reductions import others
from .registry import definition, rule
from .static import as_array, lifted, ndim, same

length = lifted(len)


@rule(builtins.sum, kind="linear", lists=True, lazy=True, broadcasts=True, linear_in=(0, 1))
def _(g, y, xs, start=0):
    if isinstance(xs, (list, tuple)):
        return [g] * len(xs), g
    if is_list(xs) and ndim_of(xs.type.elem) == 0 and not is_box(xs.type.elem):
        return lifted(operator.mul)([as_item(g, xs)], length(xs)), g
    if is_list(xs):
        return current().call(shares_of_sum, g, xs, type=xs.type), g
    return g if ndim(xs) == 1 else np.expand_dims(g, 0), g


def as_item(g: Any, xs: Value) -> Any:
    """A number as the cotangent of an item of a list: one of less than double precision where the items are."""
    t = strip(xs.type.elem) if isinstance(xs.type, ListT) and xs.type.elem is not None else None
    if isinstance(t, Arr) and t.scalar and t.dtype not in ("float64", "complex128"):
        return lifted(getattr(np, t.dtype))(g)
    return g


def is_list(xs: Any) -> bool:
    """Whether ``xs`` is a list that is made at run time."""
    return isinstance(xs, Value) and isinstance(xs.type, ListT)


@rule(math.fsum, kind="linear", lists=True)
def _(g, y, xs):
    return [g] * len(xs) if isinstance(xs, (list, tuple)) else lifted(operator.mul)([as_item(g, xs)], length(xs)) if is_list(xs) else g


@rule(math.prod, kind="general", jvp=lambda t, y, a, *, start=1: start * np.sum(others(a) * t))
def _(g, y, a, *, start=1):
    return start * g * others(a)


def chosen(g: Any, y: Any, values: Any) -> Any:
    """The shares of the arguments of ``max`` or ``min`` that are the result ``y``."""
    if len(values) == 1:
        items = as_array(values[0]) if isinstance(values[0], (list, tuple)) or is_list(values[0]) else values[0]
        hit = same(items, y)
        return (np.where(hit, g / np.count_nonzero(hit), 0.0),)
    ties = 1.0 * same(values[0], y)     # two of NumPy's True are True together, not 2
    for v in values[1:]:
        ties = ties + same(v, y)
    return tuple(np.where(same(v, y), g / ties, 0.0) for v in values)


def chosen_jvp(k: int) -> Any:
    return lambda t, y, *values: np.sum(chosen(t, y, values)[0]) if len(values) == 1 else chosen(t, y, values)[k]


@rule(builtins.max, kind="general", broadcasts=True, jvp=tuple(chosen_jvp(k) for k in range(16)))
def _(g, y, *values):
    """Ties share equally."""
    if len(values) == 2:
        a, b = values
        return np.where(a > b, g, np.where(same(a, b), 0.5 * g, 0.0)), np.where(b > a, g, np.where(same(a, b), 0.5 * g, 0.0))
    return chosen(g, y, values)


@rule(builtins.min, kind="general", broadcasts=True, jvp=tuple(chosen_jvp(k) for k in range(16)))
def _(g, y, *values):
    """Ties share equally."""
    if len(values) == 2:
        a, b = values
        return np.where(a < b, g, np.where(same(a, b), 0.5 * g, 0.0)), np.where(b < a, g, np.where(same(a, b), 0.5 * g, 0.0))
    return chosen(g, y, values)


@definition(getattr(math, "sumprod", None))
def sumprod(p: Any, q: Any, /) -> Any:
    """The sum of products of two vectors."""
    return np.dot(p, q)
