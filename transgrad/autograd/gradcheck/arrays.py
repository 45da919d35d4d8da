"""Tensors as arrays and back: the numbers of a check are compared in NumPy."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..tensor import Tensor, wrap

__all__ = ["Array", "as_tuple", "copied", "differentiable", "memory", "require_grad", "tensor_like"]

Array = npt.NDArray[Any]


def as_tuple(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def require_grad(values: Sequence[Any]) -> list[tuple[int, Tensor]]:
    """The Tensors among ``values`` that require gradients, with their places."""
    return [(i, t) for i, t in enumerate(values) if isinstance(t, Tensor) and t.requires_grad]


def differentiable(t: Any) -> bool:
    return isinstance(t, Tensor) and (t.is_floating_point() or t.is_complex())


def memory(t: Tensor) -> Array:
    """The memory of a Tensor: a write to it is seen by the function that is checked, and by no version counter."""
    return t.data.numpy()


def copied(t: Tensor) -> Array:
    """The numbers of a Tensor, in memory of their own."""
    return np.array(t.detach().numpy())


def tensor_like(values: Array, other: Tensor) -> Tensor:
    """A Tensor with the shape and dtype of ``other``."""
    return wrap(np.ascontiguousarray(values).reshape(tuple(other.shape))).to(other.dtype)       # type: ignore[no-any-return]
