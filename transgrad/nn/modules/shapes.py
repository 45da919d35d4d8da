"""Modules that change shapes."""
from __future__ import annotations

from typing import Any

from .. import functional as F
from .module import Module
from .options import REQUIRED, WithOptions, family

__all__ = ["Flatten", "Unflatten", "Upsample"]

_WINDOWS = {"kernel_size": REQUIRED, "dilation": 1, "padding": 0, "stride": 1}
_FOUND = family(
    __name__, WithOptions,
    PixelShuffle=("pixel_shuffle", "Moves channels into larger images.", {"upscale_factor": REQUIRED}),
    ChannelShuffle=("channel_shuffle", "Mixes the channels of several groups.", {"groups": REQUIRED}),
    PixelUnshuffle=("pixel_unshuffle", "Moves the pixels of blocks into channels.", {"downscale_factor": REQUIRED}),
    Unfold=("unfold", "The windows of images as columns.", _WINDOWS),
    Fold=("fold", "Images that are sums of windows, given as columns.", {"output_size": REQUIRED, **_WINDOWS}),
    LocalResponseNorm=("local_response_norm", "Elements divided by a power of the mean square over neighboring channels.",
                       {"size": REQUIRED, "alpha": 1e-4, "beta": 0.75, "k": 1.0}),
)
_FOUND["LocalResponseNorm"]._unnamed = True
globals().update(_FOUND)
__all__ += list(_FOUND)


class Flatten(Module):
    """Joins the dimensions between two, by default all but the first."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Any:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Makes several dimensions of one."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Any) -> Any:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Upsample(Module):
    """Images of another size, by interpolation."""

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
                 recompute_scale_factor: bool | None = None) -> None:
        super().__init__()
        self.size, self.mode, self.align_corners, self.recompute_scale_factor = size, mode, align_corners, recompute_scale_factor
        self.scale_factor = tuple(map(float, scale_factor)) if isinstance(scale_factor, tuple) else scale_factor and float(scale_factor)

    def forward(self, input: Any) -> Any:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)

    def extra_repr(self) -> str:
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, mode={self.mode!r}"
