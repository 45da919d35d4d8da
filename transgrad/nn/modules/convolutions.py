"""Convolutions and their transposes."""
from __future__ import annotations

import math
from typing import Any

from .. import functional as F
from .. import init
from .linear import empty_parameter
from .module import Module

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "each"]

_MODES = {"zeros": None, "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


def each(size: Any, count: int) -> tuple[int, ...]:
    """A size for each dimension."""
    return tuple(size) if isinstance(size, (tuple, list)) else (size,) * count


class _Conv(Module):
    """What convolutions have in common."""

    _count = 0
    _transposed = False

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
                 output_padding: Any = 0) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {set(_MODES)}, but got padding_mode='{padding_mode}'")
        if padding == "same" and any(s != 1 for s in each(stride, self._count)):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if self._transposed and padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self.in_channels, self.out_channels, self.groups, self.padding_mode = in_channels, out_channels, groups, padding_mode
        self.kernel_size, self.stride, self.dilation = (each(s, self._count) for s in (kernel_size, stride, dilation))
        self.padding: Any = padding if isinstance(padding, str) else each(padding, self._count)
        self.output_padding, self.transposed = each(output_padding, self._count), self._transposed
        channels = (in_channels, out_channels // groups) if self._transposed else (out_channels, in_channels // groups)
        self.weight = empty_parameter(*channels, *self.kernel_size, device=device, dtype=dtype)
        self.register_parameter("bias", empty_parameter(out_channels, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values, uniform within 1 over the root of the number of inputs of an output."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in = init._calculate_fan_in_and_fan_out(self.weight)[0]
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def forward(self, input: Any) -> Any:
        padding: Any = self.padding
        mode = _MODES[self.padding_mode]
        if mode is not None:
            around = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size)]
            pairs: list[tuple[int, int]] = [(0, 0)] * int(self._count)
            if padding == "same":
                pairs = [(t // 2, t - t // 2) for t in around]
            elif padding != "valid":
                pairs = [(p, p) for p in padding]
            input = F.pad(input, [n for pair in reversed(pairs) for n in pair], mode)
            padding = 0
        function = getattr(F, f"conv{self._count}d")
        return function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        none = (0,) * self._count
        shown += [f"padding={self.padding}"] if self.padding != none else []
        shown += [f"dilation={self.dilation}"] if self.dilation != (1,) * self._count else []
        shown += [f"output_padding={self.output_padding}"] if self.output_padding != none else []
        shown += [f"groups={self.groups}"] if self.groups != 1 else []
        shown += ["bias=False"] if self.bias is None else []
        shown += [f"padding_mode={self.padding_mode}"] if self.padding_mode != "zeros" else []
        return ", ".join(shown)


class Conv1d(_Conv):
    """A convolution of signals (N, channels, length)."""

    _count = 1


class Conv2d(_Conv):
    """A convolution of images (N, channels, height, width)."""

    _count = 2


class Conv3d(_Conv):
    """A convolution of volumes (N, channels, depth, height, width)."""

    _count = 3


class _ConvTranspose(_Conv):
    """What transposed convolutions have in common."""

    _transposed = True

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                 groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype,
                         output_padding)

    def forward(self, input: Any, output_size: Any = None) -> Any:
        function = getattr(F, f"conv_transpose{self._count}d")
        return function(input, self.weight, self.bias, self.stride, self.padding, self._output_padding(input, output_size), self.groups,
                        self.dilation)

    def _output_padding(self, input: Any, output_size: Any) -> tuple[int, ...]:
        """The padding with which the result has a size."""
        if output_size is None:
            return self.output_padding
        wanted = tuple(output_size)[-self._count:]
        smallest = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in zip(
            input.shape[-self._count:], self.stride, self.padding, self.dilation, self.kernel_size)]
        largest = [n + s - 1 for n, s in zip(smallest, self.stride)]
        if any(not low <= w <= high for w, low, high in zip(wanted, smallest, largest)):
            raise ValueError(f"requested an output size of {list(wanted)}, but valid sizes range from {smallest} to {largest} "
                             f"(for an input of {input.shape[2:]})")
        return tuple(w - low for w, low in zip(wanted, smallest))


class ConvTranspose1d(_ConvTranspose):
    """The transpose of `Conv1d`."""

    _count = 1


class ConvTranspose2d(_ConvTranspose):
    """The transpose of `Conv2d`."""

    _count = 2


class ConvTranspose3d(_ConvTranspose):
    """The transpose of `Conv3d`."""

    _count = 3
