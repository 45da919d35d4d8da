"""Tensors that were made in inference mode and require grad, outside of it: which operations on them are recorded.

PyTorch leaves an operation to autograd where at least one of the tensors it is given was made outside; a number that it makes a tensor of,
and the new tensor that a copy is written to, are such tensors.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .names import ARITHMETIC
from .state import STATE
from .tensor import NO_VERSION, Tensor, wrap

__all__ = ["copied", "kept_apart", "with_tensors"]

_NUMBERS = (int, float, complex)


def kept_apart(fn: Any, inputs: Iterable[Tensor], count: int) -> bool:
    """Whether a call is not recorded, since all of its tensors were made in inference mode; ``count`` is how many arguments it has."""
    tensors = list(inputs)
    return all(t._counter is NO_VERSION for t in tensors) and not (fn in ARITHMETIC and len(tensors) < min(count, 2))


def _wanted(x: Any) -> bool:
    return isinstance(x, Tensor) and x._counter is NO_VERSION and x._edge is not None and STATE.grad and not STATE.inference


def with_tensors(*operands: Any) -> tuple[Any, ...]:
    """The operands, a number beside such a tensor as a tensor."""
    if not any(map(_wanted, operands)):
        return operands
    return tuple(wrap(np.asarray(x)) if isinstance(x, _NUMBERS) else x for x in operands)


def copied(x: Tensor, dtype: Any) -> Tensor | None:
    """A copy of such a tensor, with the history of a write to a new one; None for any other tensor."""
    return wrap(np.empty_like(x._array, dtype)).copy_(x) if _wanted(x) else None
