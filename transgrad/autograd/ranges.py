"""Operations that are composed of others, or make tensors: a profiler records each as a range around its operations, as in torch."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .record import listened
from .state import STATE

__all__ = ["networks", "with_ranges"]

_COMPOSED = (
    "allclose", "argmax", "argmin", "broadcast_tensors", "chunk", "contiguous", "det", "einsum", "expand_as", "flatten", "hstack",
    "inverse", "matmul", "meshgrid", "narrow", "nonzero", "outer", "pinverse", "repeat_interleave", "reshape", "reshape_as",
    "tensordot", "to", "type_as", "unflatten", "view_as", "vstack", "arange", "empty", "empty_like", "eye", "full", "full_like",
    "linspace", "logspace", "multinomial", "new_empty", "new_full", "new_ones", "new_zeros", "normal", "ones", "ones_like", "rand",
    "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "zeros", "zeros_like",
)
_CASTS = ("bfloat16", "bool", "byte", "cdouble", "cfloat", "char", "double", "float", "half", "int", "long", "short")
_LINALG = ("cholesky", "cond", "cross", "det", "inv", "matrix_norm", "matrix_rank", "multi_dot", "norm", "pinv", "solve")
#: of torch.nn.functional, with torch's names if they differ
_NETWORKS = {name: name for name in (
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "batch_norm", "bilinear", "conv1d", "conv2d", "conv3d",
    "cosine_similarity", "dropout", "embedding", "glu", "group_norm", "instance_norm", "kl_div", "l1_loss", "layer_norm", "linear",
    "local_response_norm", "max_pool1d", "max_pool2d", "pad", "pixel_shuffle", "rms_norm", "scaled_dot_product_attention",
)} | {"cross_entropy": "cross_entropy_loss", "nll_loss": "nll_loss_nd"}


def announced(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, of which a profiler hears under a name."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.profiler is None:
            return function(*args, **kwargs)
        return listened(f"aten::{name}", args, lambda: function(*args, **kwargs))
    return call


def _announce(table: dict[str, Any], names: dict[str, str]) -> None:
    table.update({name: announced(shown, table[name]) for name, shown in names.items() if name in table})


def with_ranges(functions: dict[str, Any], methods: dict[str, Any], linalg: dict[str, Any], fft: dict[str, Any]) -> None:
    """Has the operations in the tables announced to a profiler."""
    composed = dict(zip(_COMPOSED, _COMPOSED))
    _announce(functions, composed)
    _announce(methods, composed | dict.fromkeys(_CASTS, "to"))
    _announce(linalg, {name: f"linalg_{name}" for name in _LINALG})
    _announce(fft, {name: f"fft_{name}" for name in fft})


def networks(functions: dict[str, Any]) -> None:
    """Has functions of `torch.nn.functional` announced to a profiler."""
    _announce(functions, _NETWORKS)
