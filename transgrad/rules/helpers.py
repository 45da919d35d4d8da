"""Derivatives of the helpers that emitted text calls, so that derivatives can be differentiated again."""
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
    inserted_at,
    lying_as,
    object_shadow,
    of_rank,
    of_square,
    of_tall,
    scatter_written,
    sorted_like,
    unbroadcast,
    unsorted,
    zeros_alike,
    zeros_of,
)
from .registry import constant, rule
from .static import ZERO, lifted

constant(zeros_of, zeros_alike, object_shadow, binomial_middle, binomial_stretch, inserted_at)
fitted = lifted(fit)
gather = lifted(gather_written)
put = lifted(scatter_written)
ordered = lifted(sorted_like)
unordered = lifted(unsorted)


@rule(unbroadcast, kind="linear")
def _(g: Any, y: Any, x: Any, like: Any) -> Any:
    return np.broadcast_to(g, np.shape(x)), ZERO


@rule(fit, kind="linear")
def _(g: Any, y: Any, x: Any, like: Any) -> Any:
    """What was summed is broadcast, and what was broadcast is summed."""
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
