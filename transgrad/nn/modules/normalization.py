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
    """A module with an optional factor and shift."""

    def _put(self, shape: tuple[int, ...], weight: bool, bias: bool, how: dict[str, Any]) -> None:
        self.register_parameter("weight", empty_parameter(*shape, **how) if weight else None)
        self.register_parameter("bias", empty_parameter(*shape, **how) if bias else None)

    def reset_parameters(self) -> None:
        """Set factors to one and shifts to zero."""
        if self._parameters.get("weight") is not None:
            init.ones_(self.weight)
        if self._parameters.get("bias") is not None:
            init.zeros_(self.bias)


class _Running(_Scaled):
    """A normalization that follows the means and variances of its inputs."""

    _ndims: tuple[int, ...] = ()

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum, self.affine = num_features, eps, momentum, affine
        self.track_running_stats = track_running_stats
        how = {"device": device, "dtype": dtype}
        self._put((num_features,), affine, affine and bias, how)
        running = track_running_stats
        self.register_buffer("running_mean", FUNCTIONS["zeros"](num_features, **how) if running else None)
        self.register_buffer("running_var", FUNCTIONS["ones"](num_features, **how) if running else None)
        self.register_buffer("num_batches_tracked", FUNCTIONS["tensor"](0) if running else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the means and variances."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        super().reset_parameters()

    def _check(self, input: Any) -> None:
        if input.ndim not in self._ndims:
            wanted = " or ".join(f"{n}D" for n in self._ndims)
            raise ValueError(f"expected {wanted} input (got {input.ndim}D input)")

    def extra_repr(self) -> str:
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, bias={self.bias is not None}, "
                f"track_running_stats={self.track_running_stats}")


class _BatchNorm(_Running):
    """Each channel with mean 0 and variance 1 over the batch; in evaluation mode, by the running mean and variance."""

    def forward(self, input: Any) -> Any:
        self._check(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            with no_grad():
                self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        own = self.training or self.running_mean is None
        follows = not self.training or self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if follows else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, own, factor, self.eps)


class BatchNorm1d(_BatchNorm):
    """Batch normalization of (N, channels) or (N, channels, length)."""

    _ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of images."""

    _ndims = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of volumes."""

    _ndims = (5,)


class _InstanceNorm(_Running):
    """Each channel of each example with mean 0 and variance 1."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False, track_running_stats: bool = False,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Any) -> Any:
        self._check(input)
        alone = input.ndim == self._ndims[0]
        found = F.instance_norm(input.unsqueeze(0) if alone else input, self.running_mean, self.running_var, self.weight, self.bias,
                                self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps)
        return found.squeeze(0) if alone else found


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of signals."""

    _ndims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of images."""

    _ndims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of volumes."""

    _ndims = (4, 5)


class LayerNorm(_Scaled):
    """The last dimensions with mean 0 and variance 1."""

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._put(self.normalized_shape, elementwise_affine, elementwise_affine and bias, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def forward(self, input: Any) -> Any:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        shown = f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        return f"{shown}, bias={self.bias is not None}"


class RMSNorm(_Scaled):
    """The last dimensions with mean square 1."""

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        how = {"device": device, "dtype": dtype}
        self.register_parameter("weight", empty_parameter(*self.normalized_shape, **how) if elementwise_affine else None)
        self.reset_parameters()

    def forward(self, input: Any) -> Any:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Scaled):
    """Groups of channels of each example with mean 0 and variance 1."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None, dtype: Any = None,
                 *, bias: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._put((num_channels,), affine, affine and bias, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def forward(self, input: Any) -> Any:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        shown = f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
        return f"{shown}, bias={self.bias is not None}"
