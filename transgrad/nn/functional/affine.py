"""Affine maps, padding and normalization."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor

__all__ = ["linear", "normalize", "pad"]


def linear(input: Tensor, weight: Any, bias: Any = None) -> Tensor:
    """``input @ weight.T + bias``, for `weight` of shape (out, in)."""
    call: Any = FUNCTIONS
    if bias is None:
        return call["matmul"](input, weight.t())
    if input.ndim == 2:
        return call["addmm"](bias, input, weight.t())
    return call["add"](call["matmul"](input, weight.t()), bias)


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """The tensor with `value` (default 0) around it: ``pad`` has two widths a dimension, the last dimension first.

    Raises
    ------
    RuntimeError
        If the number of widths is odd or too large.
    NotImplementedError
        For another mode than ``constant``.
    """
    if mode != "constant":
        raise NotImplementedError(f"pad with mode={mode!r}: use np.pad(x, widths, mode=...), which takes Tensors")
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise RuntimeError(f"Padding length must be divisible by 2 and at most twice the number of dimensions, but is {len(pad)}")
    call: Any = FUNCTIONS
    return call["constant_pad_nd"](input, pad, 0 if value is None else value)


def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """The tensor divided by its ``p``-norm along a dimension, or by `eps` where that is larger."""
    return input / input.norm(p, dim, keepdim=True).clamp(min=eps).expand(input.shape)
