"""Numerical derivatives: central differences of all outputs, as one input moves in a direction."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arrays import Array, as_tuple, copied, memory

__all__ = ["Direction", "along", "unit_directions"]

Direction = tuple[Array, Array]
"""A step of a real input, and the one of its imaginary part that is paired with it."""


def unit_directions(size: int) -> list[Direction]:
    """The directions of a whole Jacobian: one element at a time."""
    return [(row, row) for row in np.eye(size)]


def along(func: Callable[..., Any], inputs: Sequence[Any], place: int, direction: Direction, eps: float) -> list[Array]:
    """The derivative of each output, flattened, as the input at ``place`` moves.

    For a complex input and real outputs it is twice the conjugate Wirtinger derivative, df/dx + i df/dy, which is what backward computes.
    """
    x = inputs[place]

    def evaluate() -> list[Array]:
        return [copied(y) for y in as_tuple(func(*inputs))]

    real = _difference(evaluate, memory(x), direction[0], eps)
    if not x.is_complex():
        return real
    imaginary = _difference(evaluate, memory(x), 1j * direction[1], eps)
    return [dx + 1j * dy for dx, dy in zip(real, imaginary)]


def _difference(evaluate: Callable[[], list[Array]], values: Array, direction: Array, eps: float) -> list[Array]:
    start = values.copy()
    step = eps * direction.reshape(values.shape)
    try:
        values[...] = start - step
        below = evaluate()
        values[...] = start + step
        above = evaluate()
    finally:
        values[...] = start
    return [_quotient(low, high, eps) for low, high in zip(below, above)]


def _quotient(low: Array, high: Array, eps: float) -> Array:
    for what, one, other in (("shape", low.shape, high.shape), ("dtype", low.dtype, high.dtype)):
        if one != other:
            raise AssertionError(f"Expected `func` to return outputs with the same {what} when inputs are perturbed by {eps}, but got: "
                                 f"{what}s {one} and {other}.")
    return ((high - low) / (2 * eps)).reshape(-1) if low.dtype != bool else np.zeros(low.size)
