"""What of ``torch.nn.functional`` torch has at its top as well: by another order of arguments, with numbers for modes, or as it is."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..autograd.tensor import Tensor
from . import functional as F
from .functional.convolutions import convolution
from .functional.dropouts import by_channel, with_alpha
from .functional.lookups import renormalize
from .recurrent import gru, gru_cell, lstm, lstm_cell, rnn_relu, rnn_relu_cell, rnn_tanh, rnn_tanh_cell

__all__ = [
    "adaptive_avg_pool1d", "adaptive_max_pool1d", "affine_grid_generator", "alpha_dropout", "alpha_dropout_", "avg_pool1d", "batch_norm",
    "bilinear", "binary_cross_entropy_with_logits", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "convolution", "cosine_embedding_loss", "ctc_loss", "dropout_", "embedding_renorm_",
    "feature_alpha_dropout", "feature_alpha_dropout_", "feature_dropout", "feature_dropout_", "grid_sampler", "grid_sampler_2d",
    "grid_sampler_3d", "group_norm", "gru", "gru_cell", "hinge_embedding_loss", "instance_norm", "kl_div", "layer_norm", "lstm",
    "lstm_cell", "margin_ranking_loss", "max_pool1d",
    "max_pool1d_with_indices", "max_pool2d", "max_pool3d", "norm_except_dim", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle",
    "poisson_nll_loss", "rms_norm", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell", "triplet_margin_loss",
]

_REDUCTIONS = ("none", "mean", "sum")
_PADDINGS = ("zeros", "border", "reflection")
_INTERPOLATIONS = ("bilinear", "nearest", "bicubic")

avg_pool1d, bilinear, channel_shuffle, conv_tbc = F.avg_pool1d, F.bilinear, F.channel_shuffle, F.conv_tbc
conv1d, conv2d, conv3d = F.conv1d, F.conv2d, F.conv3d
conv_transpose1d, conv_transpose2d, conv_transpose3d = F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d
pairwise_distance, pixel_shuffle, pixel_unshuffle = F.pairwise_distance, F.pixel_shuffle, F.pixel_unshuffle
adaptive_avg_pool1d, adaptive_max_pool1d = F.adaptive_avg_pool1d, F.adaptive_max_pool1d_with_indices
max_pool1d, max_pool2d, max_pool3d = F.max_pool1d, F.max_pool2d, F.max_pool3d
max_pool1d_with_indices, affine_grid_generator, embedding_renorm_ = F.max_pool1d_with_indices, F.affine_grid, renormalize
rms_norm = F.rms_norm


def _numbered(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """A loss with these parameters, the last of them its reduction, by number: 0 for none, 1 for the mean, 2 for the sum."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args)), **kwargs}
        if "reduction" in given:
            given["reduction"] = _REDUCTIONS[given["reduction"]]
        return function(**given)
    return call


binary_cross_entropy_with_logits = _numbered(F.binary_cross_entropy_with_logits, "input", "target", "weight", "pos_weight", "reduction")
cosine_embedding_loss = _numbered(F.cosine_embedding_loss, "input1", "input2", "target", "margin", "reduction")
ctc_loss = _numbered(F.ctc_loss, "log_probs", "targets", "input_lengths", "target_lengths", "blank", "reduction", "zero_infinity")
hinge_embedding_loss = _numbered(F.hinge_embedding_loss, "input", "target", "margin", "reduction")
kl_div = _numbered(F.kl_div, "input", "target", "reduction")
margin_ranking_loss = _numbered(F.margin_ranking_loss, "input1", "input2", "target", "margin", "reduction")
poisson_nll_loss = _numbered(F.poisson_nll_loss, "input", "target", "log_input", "full", "eps", "reduction")
triplet_margin_loss = _numbered(F.triplet_margin_loss, "anchor", "positive", "negative", "margin", "p", "eps", "swap", "reduction")


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
    """`transgrad.nn.functional.batch_norm`, in another order."""
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(input: Tensor, weight: Any, bias: Any, running_mean: Any, running_var: Any, use_input_stats: bool, momentum: float,
                  eps: float, cudnn_enabled: bool) -> Tensor:
    """`transgrad.nn.functional.instance_norm`, in another order."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """`transgrad.nn.functional.grid_sample`, with modes by number."""
    return F.grid_sample(input, grid, _INTERPOLATIONS[interpolation_mode], _PADDINGS[padding_mode], align_corners)


grid_sampler_2d = grid_sampler_3d = grid_sampler


def _dropout(function: Callable[[Any, float, bool], Any], name: str, doc: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A dropout and its twin that writes into the input."""
    def call(input: Any, p: float, train: bool) -> Any:
        if not 0.0 <= p <= 1.0:
            raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
        return function(input, p, train)

    def write(input: Any, p: float, train: bool) -> Any:
        found = call(input, p, train)
        return input if found is input else input.copy_(found)
    for made, suffix in ((call, ""), (write, "_")):
        made.__name__ = made.__qualname__ = name + suffix
        made.__doc__ = doc + (", written into the input." if suffix else ".")
    return call, write


_, dropout_ = _dropout(F.dropout, "dropout", "Elements 0 with a probability, the others larger by as much")
feature_dropout, feature_dropout_ = _dropout(by_channel, "feature_dropout", "Channels 0 with a probability, the others larger by as much")
alpha_dropout, alpha_dropout_ = _dropout(
    lambda x, p, train: with_alpha(x, p, train, False), "alpha_dropout", "Elements lowered with a probability, mean and variance kept")
feature_alpha_dropout, feature_alpha_dropout_ = _dropout(
    lambda x, p, train: with_alpha(x, p, train, True), "feature_alpha_dropout", "Channels lowered with a probability, mean and variance "
                                                                                "kept")


def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """The norms of the slices along a dimension; -1 for the norm of all."""
    if dim == -1:
        return v.norm(pow)
    return v.norm(pow, [k for k in range(v.ndim) if k != dim % v.ndim], keepdim=True)
