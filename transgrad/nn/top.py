"""Functions of ``torch.nn.functional`` that torch also has at its top: the same ones, and some with other signatures."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..autograd.tensor import Tensor
from . import functional as F
from .functional.dropouts import drop
from .functional.families import named
from .functional.linear_maps import renormalize as embedding_renorm_
from .recurrent import gru, gru_cell, lstm, lstm_cell, rnn_relu, rnn_relu_cell, rnn_tanh, rnn_tanh_cell

__all__ = ["embedding_renorm_", "gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell"]


def _export(name: str, function: Callable[..., Any]) -> None:
    globals()[name] = function
    __all__.append(name)


def _numbered(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Return a loss with these parameters, whose reduction is 0 for none, 1 for the mean, and 2 for the sum."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args)), **kwargs}
        if "reduction" in given:
            given["reduction"] = ("none", "mean", "sum")[given["reduction"]]
        return function(**given)
    return call


def _dropout(name: str, channels: bool, alpha: bool) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return a dropout, and the one that writes into its input."""
    def call(input: Any, p: float, train: bool) -> Any:
        if not 0.0 <= p <= 1.0:
            raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
        return drop(input, p, train, channels, alpha)

    def write(input: Any, p: float, train: bool) -> Any:
        found = call(input, p, train)
        return input if found is input else input.copy_(found)
    doc = f"Drop {'channels' if channels else 'elements'} with probability `p`; preserve the mean{' and the variance' * alpha}."
    return named(call, name, doc), named(write, f"{name}_", f"`{name}`, written into the input.")


for _name in ("adaptive_avg_pool1d", "avg_pool1d", "bilinear", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
              "conv_transpose2d", "conv_transpose3d", "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool3d",
              "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "rms_norm"):
    _export(_name, getattr(F, _name))
_export("adaptive_max_pool1d", F.adaptive_max_pool1d_with_indices)
_export("affine_grid_generator", F.affine_grid)
for _name, _parameters in {
    "binary_cross_entropy_with_logits": "input target weight pos_weight reduction",
    "cosine_embedding_loss": "input1 input2 target margin reduction", "hinge_embedding_loss": "input target margin reduction",
    "kl_div": "input target reduction", "margin_ranking_loss": "input1 input2 target margin reduction",
    "poisson_nll_loss": "input target log_input full eps reduction",
    "triplet_margin_loss": "anchor positive negative margin p eps swap reduction",
}.items():
    _export(_name, _numbered(getattr(F, _name), *_parameters.split()))
for _name, _channels, _alpha in (("dropout", False, False), ("feature_dropout", True, False), ("alpha_dropout", False, True),
                                 ("feature_alpha_dropout", True, True)):
    for _made in _dropout(_name, _channels, _alpha)[_name == "dropout":]:
        _export(_made.__name__, _made)


def layer_norm(input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5,
               cudnn_enable: bool = True) -> Tensor:
    """`transgrad.nn.functional.layer_norm`."""
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5,
               cudnn_enabled: bool = True) -> Tensor:
    """`transgrad.nn.functional.group_norm`."""
    return F.group_norm(input, num_groups, weight, bias, eps)


def batch_norm(input: Tensor, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float, eps: float,
               cudnn_enabled: bool) -> Tensor:
    """`transgrad.nn.functional.batch_norm`, with the parameters in another order."""
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(input: Tensor, weight: Any, bias: Any, running_mean: Any, running_var: Any, use_input_stats: bool, momentum: float,
                  eps: float, cudnn_enabled: bool) -> Tensor:
    """`transgrad.nn.functional.instance_norm`, with the parameters in another order."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """`transgrad.nn.functional.grid_sample`, with modes by number."""
    mode, padding = ("bilinear", "nearest", "bicubic")[interpolation_mode], ("zeros", "border", "reflection")[padding_mode]
    return F.grid_sample(input, grid, mode, padding, align_corners)


def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """The norms of the slices along a dimension; -1 for the norm of all elements."""
    return v.norm(pow) if dim == -1 else v.norm(pow, [k for k in range(v.ndim) if k != dim % v.ndim], keepdim=True)


grid_sampler_2d = grid_sampler_3d = grid_sampler
__all__ += ["batch_norm", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "group_norm", "instance_norm", "layer_norm",
            "norm_except_dim"]
