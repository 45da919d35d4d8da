"""``torch.nn.functional``, as far as it has no modules behind it: look-ups, affine maps, padding and activations."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.ops import FUNCTIONS
from ..autograd.sparse import rows
from ..autograd.tensor import Tensor, wrap

__all__ = ["embedding", "linear", "one_hot", "pad"]

_ACTIVATIONS = frozenset((
    "celu", "elu", "gelu", "hardshrink", "leaky_relu", "log_softmax", "logsigmoid", "normalize", "prelu", "relu", "selu", "sigmoid", "silu",
    "softmax", "softplus", "softsign", "tanh", "threshold",
))


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    *,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` at the indices `input`.

    Parameters
    ----------
    input : Tensor of int, any shape
        Rows to look up.
    weight : Tensor, shape (V, D)
        The matrix.
    padding_idx : int, optional
        A row that gets no gradient; negative ones count from the end.
    scale_grad_by_freq : bool
        Whether the gradient of a row is divided by how often it was looked up.
    sparse : bool
        Whether the gradient is a sparse Tensor.

    Returns
    -------
    Tensor, shape (*input.shape, D)

    Raises
    ------
    IndexError
        If an index is not that of a row.
    AssertionError
        If `padding_idx` is none.
    """
    if padding_idx is None:
        padding_idx = -1
    else:
        count = weight.shape[0]
        if not -count <= padding_idx < count:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= count
    return rows.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def linear(input: Tensor, weight: Any, bias: Any = None) -> Tensor:
    """``input @ weight.T + bias``, for `weight` of shape (out, in)."""
    call: Any = FUNCTIONS
    if bias is None:
        return call["matmul"](input, weight.t())  # type: ignore[no-any-return]
    if input.ndim == 2:
        return call["addmm"](bias, input, weight.t())  # type: ignore[no-any-return]
    return call["add"](call["matmul"](input, weight.t()), bias)  # type: ignore[no-any-return]


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
    return call["constant_pad_nd"](input, pad, 0 if value is None else value)  # type: ignore[no-any-return]


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A new last dimension of zeros with a one at each index.

    Raises
    ------
    RuntimeError
        If an index is negative, or not smaller than `num_classes`.
    """
    index = tensor._array
    if index.size and index.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = num_classes if num_classes != -1 else int(index.max()) + 1
    if index.size and index.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return wrap((index[..., None] == np.arange(count)).astype(np.int64))


def __getattr__(name: str) -> Any:
    if name in _ACTIVATIONS and name in FUNCTIONS:
        return FUNCTIONS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
