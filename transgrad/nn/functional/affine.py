"""Affine maps and normalization."""
from __future__ import annotations

from typing import Any

from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor

__all__ = ["linear", "normalize"]


def linear(input: Tensor, weight: Any, bias: Any = None) -> Tensor:
    """``input @ weight.T + bias``, for `weight` of shape (out, in)."""
    call: Any = FUNCTIONS
    if bias is None:
        return call["matmul"](input, weight.t())
    if input.ndim == 2:
        return call["addmm"](bias, input, weight.t())
    return call["add"](call["matmul"](input, weight.t()), bias)


def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Divide a tensor by the maximum of its ``p``-norm along a dimension and `eps`."""
    call: Any = FUNCTIONS
    return call["div"](input, input.norm(p, dim, keepdim=True).clamp(min=eps).expand(input.shape), out=out)
