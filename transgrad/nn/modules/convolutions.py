"""Convolutions and their transposes."""
from __future__ import annotations

from typing import Any

from ...autograd.padding import pad
from .. import functional as F
from .linear import Affine
from .module import Module

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


class _Conv(Affine):
    """Base class of convolutions; subclasses set the number of dimensions."""

    _count = 0
    _transposed = False

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
                 output_padding: Any = 0) -> None:
        Module.__init__(self)
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{name} must be divisible by groups")
        modes = {"zeros", "reflect", "replicate", "circular"}
        if padding_mode not in modes:
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
        if self._transposed and padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self.in_channels, self.out_channels, self.groups, self.padding_mode = in_channels, out_channels, groups, padding_mode
        self.kernel_size, self.stride, self.dilation, self.output_padding = map(self._each, (kernel_size, stride, dilation, output_padding))
        self.padding: Any = padding if isinstance(padding, str) else self._each(padding)
        if padding == "same" and any(s != 1 for s in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        self.transposed = self._transposed
        sizes = (in_channels, out_channels // groups) if self._transposed else (out_channels, in_channels // groups)
        self._create((*sizes, *self.kernel_size), out_channels, bias, device, dtype)

    def _each(self, size: Any) -> tuple[int, ...]:
        """Return one size for each dimension."""
        return tuple(size) if isinstance(size, (tuple, list)) else (size,) * self._count

    def forward(self, input: Any) -> Any:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            around = [d * (k - 1) if padding == "same" else 0 for d, k in zip(self.dilation, self.kernel_size)]
            pairs = [(t // 2, t - t // 2) for t in around] if isinstance(padding, str) else [(p, p) for p in padding]
            input = pad(input, [n for pair in reversed(pairs) for n in pair], self.padding_mode)
            padding = 0
        function = getattr(F, f"conv{self._count}d")
        return function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        usual = {"padding": self._each(0), "dilation": self._each(1), "output_padding": self._each(0), "groups": 1}
        shown += [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        shown += ["bias=False"] if self.bias is None else []
        shown += [f"padding_mode={self.padding_mode}"] if self.padding_mode != "zeros" else []
        return ", ".join(shown)


class _ConvTranspose(_Conv):
    """Base class of transposed convolutions."""

    _transposed = True

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                 groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype,
                         output_padding)

    def forward(self, input: Any, output_size: Any = None) -> Any:
        more = self.output_padding if output_size is None else self._padding_for(input, tuple(output_size)[-self._count:])
        function = getattr(F, f"conv_transpose{self._count}d")
        return function(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    def _padding_for(self, input: Any, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """Return the output padding that gives the result a size."""
        smallest = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in zip(
            input.shape[-self._count:], self.stride, self.padding, self.dilation, self.kernel_size)]
        largest = [n + s - 1 for n, s in zip(smallest, self.stride)]
        if any(not low <= w <= high for w, low, high in zip(wanted, smallest, largest)):
            raise ValueError(f"requested an output size of {list(wanted)}, but valid sizes range from {smallest} to {largest} "
                             f"(for an input of {input.shape[2:]})")
        return tuple(w - low for w, low in zip(wanted, smallest))


def _dimensions(base: type[_Conv], name: str, doc: str) -> Any:
    """Define the classes of a family for one, two and three dimensions."""
    return (type(f"{name}{n}d", (base,), {"__doc__": doc.format(n, "s" * (n > 1)), "_count": n, "__module__": __name__}) for n in (1, 2, 3))


_convolution = "Convolve signals (N, channels, *sizes) with {0} dimension{1}; the options are those of `torch.nn.functional.conv{0}d`."
Conv1d, Conv2d, Conv3d = _dimensions(_Conv, "Conv", _convolution)
ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = _dimensions(
    _ConvTranspose, "ConvTranspose", "The transpose of `Conv{0}d`.")
