"""Normalization of batches, layers, groups and instances."""
from __future__ import annotations

from typing import Any

from ...autograd.grad_mode import no_grad
from ...autograd.ops import FUNCTIONS
from .. import functional as F
from .. import init
from .linear import empty_parameter
from .module import Module

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LayerNorm",
           "RMSNorm"]


class _Scaled(Module):
    """Base class of normalizations: an optional weight of ones and bias of zeros, and options that ``repr`` shows."""

    _options: tuple[str, ...] = ()
    _named_after = 0

    def _create(self, shape: tuple[int, ...], weight: bool, bias: bool, device: Any, dtype: Any) -> None:
        for name, wanted in (("weight", weight), ("bias", weight and bias)):
            self.register_parameter(name, empty_parameter(*shape, device=device, dtype=dtype) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to one and the bias to zero."""
        for name, fill in (("weight", init.ones_), ("bias", init.zeros_)):
            if self._parameters.get(name) is not None:
                fill(self._parameters[name])

    def extra_repr(self) -> str:
        shown = [f"{name}={(self.bias is not None) if name == 'bias' else getattr(self, name)}" for name in self._options]
        return ", ".join(text.partition("=")[2] if k < self._named_after else text for k, text in enumerate(shown))


class LayerNorm(_Scaled):
    """Normalize the last dimensions to mean 0 and variance 1."""

    _options: tuple[str, ...] = ("normalized_shape", "eps", "elementwise_affine", "bias")
    _named_after = 1

    def __init__(self, normalized_shape: Any, eps: Any = 1e-5, elementwise_affine: bool = True, bias: bool = True,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._create(self.normalized_shape, elementwise_affine, bias, device, dtype)

    def forward(self, input: Any) -> Any:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(LayerNorm):
    """Normalize the last dimensions to mean square 1."""

    _options = ("normalized_shape", "eps", "elementwise_affine")

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(normalized_shape, eps, elementwise_affine, False, device, dtype)
        del self.bias

    def forward(self, input: Any) -> Any:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(_Scaled):
    """Normalize groups of channels of each example to mean 0 and variance 1."""

    _options, _named_after = ("num_groups", "num_channels", "eps", "affine", "bias"), 2

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None, dtype: Any = None,
                 *, bias: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._create((num_channels,), affine, bias, device, dtype)

    def forward(self, input: Any) -> Any:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class _Running(_Scaled):
    """Base class of normalizations that track the means and variances of their inputs."""

    _options, _named_after = ("num_features", "eps", "momentum", "affine", "bias", "track_running_stats"), 1
    _ndims: tuple[int, ...] = ()

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum, self.affine = num_features, eps, momentum, affine
        self.track_running_stats = track_running_stats
        how = {"device": device, "dtype": dtype}
        self.register_buffer("running_mean", FUNCTIONS["zeros"](num_features, **how) if track_running_stats else None)
        self.register_buffer("running_var", FUNCTIONS["ones"](num_features, **how) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", FUNCTIONS["tensor"](0) if track_running_stats else None)
        self._create((num_features,), affine, bias, device, dtype)

    def reset_running_stats(self) -> None:
        """Reset the running means to zero and the variances to one."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input: Any) -> Any:
        if input.ndim not in self._ndims:
            wanted = " or ".join(f"{n}D" for n in self._ndims)
            raise ValueError(f"expected {wanted} input (got {input.ndim}D input)")
        return self._normalize(input)

    def _normalize(self, input: Any) -> Any:
        """Normalize each channel to mean 0 and variance 1 over the batch, or by the running statistics in evaluation mode."""
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            with no_grad():
                self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        own = self.training or self.running_mean is None
        tracked = not self.training or self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if tracked else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, own, momentum, self.eps)


class _InstanceNorm(_Running):
    """Base class of normalizations of each channel of each example."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False, track_running_stats: bool = False,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _normalize(self, input: Any) -> Any:
        batched = input.ndim == self._ndims[1]
        found = F.instance_norm(input if batched else input.unsqueeze(0), self.running_mean, self.running_var, self.weight, self.bias,
                                self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps)
        return found if batched else found.squeeze(0)


def _define(base: type[_Running], name: str, doc: str, ndims: tuple[int, ...]) -> Any:
    return type(name, (base,), {"__doc__": doc, "_ndims": ndims, "__module__": __name__})


BatchNorm1d = _define(_Running, "BatchNorm1d", "Batch normalization of (N, channels) or (N, channels, length).", (2, 3))
BatchNorm2d = _define(_Running, "BatchNorm2d", "Batch normalization of images (N, channels, height, width).", (4,))
BatchNorm3d = _define(_Running, "BatchNorm3d", "Batch normalization of volumes (N, channels, depth, height, width).", (5,))
InstanceNorm1d = _define(_InstanceNorm, "InstanceNorm1d", "Instance normalization of signals, with or without a batch.", (2, 3))
InstanceNorm2d = _define(_InstanceNorm, "InstanceNorm2d", "Instance normalization of images, with or without a batch.", (3, 4))
InstanceNorm3d = _define(_InstanceNorm, "InstanceNorm3d", "Instance normalization of volumes, with or without a batch.", (4, 5))
