"""Derivatives of the helpers called by generated code, so that derivatives can be differentiated again."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import (
    add,
    binomial_middle,
    binomial_stretch,
    cofactor,
    fit,
    gather_written,
    in_dtype_of,
    inserted_at,
    items_like,
    lying_as,
    object_shadow,
    of_rank,
    of_square,
    of_tall,
    scatter_written,
    shares_of_sum,
    sorted_like,
    split_blocks,
    split_like,
    unbroadcast,
    unsorted,
    zeros_alike,
    zeros_of,
)
from .registry import constant, rule
from .static import ZERO, as_array, concatenate, lifted

constant(zeros_of, zeros_alike, object_shadow, binomial_middle, binomial_stretch, inserted_at)
fitted = lifted(fit)
gather = lifted(gather_written)
put = lifted(scatter_written)
ordered = lifted(sorted_like)
unordered = lifted(unsorted)
block = lifted(np.block)
total = lifted(sum)


@rule(unbroadcast, kind="linear")
def _(g: Any, y: Any, x: Any, like: Any) -> Any:
    return np.broadcast_to(g, np.shape(x)), ZERO


@rule(fit, kind="linear")
def _(g: Any, y: Any, x: Any, like: Any) -> Any:
    """The adjoint of a sum is a broadcast, and the adjoint of a broadcast is a sum."""
    return fitted(g, x), ZERO


@rule(lying_as, kind="linear", linear_in=(0,))
def _(g: Any, y: Any, x: Any, like: Any) -> Any:
    return g, ZERO


@rule(of_square, kind="linear")
def _(g: Any, y: Any, u: Any, vh: Any) -> Any:
    return g, ZERO


@rule(of_tall, kind="linear")
def _(g: Any, y: Any, r: Any) -> Any:
    return g


@rule(of_rank, kind="general", jvp=(lambda t, y, p, a: t, None))
def _(g: Any, y: Any, p: Any, a: Any) -> Any:
    return g, ZERO


@rule(cofactor, kind="linear", linear_in=(1,))
def _(g: Any, y: Any, a: Any, x: Any, before: Any = True) -> Any:
    return ZERO, a * g if before else g * a


@rule(add, kind="linear", linear_in=(0, 1))
def _(g: Any, y: Any, a: Any, b: Any) -> Any:
    return g, g


@rule(gather_written, kind="linear")
def _(g: Any, y: Any, x_bar: Any, index: Any) -> Any:
    return put(x_bar, index, g), ZERO


@rule(scatter_written, kind="linear", linear_in=(2,))
def _(g: Any, y: Any, x: Any, index: Any, value: Any) -> Any:
    return ZERO, ZERO, gather(g, index)


@rule(unsorted, kind="linear", linear_in=(1,), lists=True)
def _(g: Any, y: Any, x: Any, values: Any, reverse: Any = False) -> Any:
    return ZERO, ordered(x, g, reverse)


@rule(sorted_like, kind="linear", linear_in=(1,), lists=True)
def _(g: Any, y: Any, x: Any, values: Any, reverse: Any = False) -> Any:
    return ZERO, unordered(x, g, reverse)


@rule(items_like, kind="linear", linear_in=(0,), lists=True)
def _(g: Any, y: Any, x: Any, like: Any) -> Any:
    return as_array(g), ZERO


@rule(split_blocks, kind="linear", linear_in=(0,), lists=True)
def _(g: Any, y: Any, x: Any, arrays: Any) -> Any:
    return block(g), ZERO


#: the function that joined arrays, by the axis and the least number of dimensions that `split_like` is given
_JOINS: dict[tuple[int, int], Any] = {
    (0, 2): lifted(np.vstack), (1, 1): lifted(np.hstack), (0, 1): lifted(np.hstack), (1, 2): lifted(np.column_stack),
    (2, 3): lifted(np.dstack),
}


@rule(in_dtype_of, kind="linear", linear_in=(0,))
def _(g: Any, y: Any, t: Any, x: Any) -> Any:
    return g, ZERO


@rule(split_like, kind="linear", linear_in=(0,), lists=True)
def _(g: Any, y: Any, x: Any, arrays: Any, axis: Any = 0, dims: int = 0) -> Any:
    return _JOINS[axis, dims](g) if dims else concatenate(g, axis), ZERO


@rule(shares_of_sum, kind="linear", linear_in=(0,), lists=True)
def _(g: Any, y: Any, x: Any, items: Any) -> Any:
    return fitted(total(g), x), ZERO
