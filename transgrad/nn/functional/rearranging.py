"""Channels and places of images in another order."""
from __future__ import annotations

from typing import Any

__all__ = ["channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]


def _at_least(name: str, input: Any, factor: str, value: int) -> None:
    """Raise RuntimeError unless the input is an image and the factor is positive."""
    if input.ndim < 3:
        raise RuntimeError(f"{name} expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)")
    if value <= 0:
        raise RuntimeError(f"{name} expects a positive {factor}, but got {value}")


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Images (*, C r², H, W) as (*, C, H r, W r).

    Raises
    ------
    RuntimeError
        If the channels are not a multiple of the factor's square.
    """
    r = upscale_factor
    _at_least("pixel_shuffle", input, "upscale_factor", r)
    *batch, c, h, w = input.shape
    if c % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
                           f"input.size(-3)={c} is not divisible by {r * r}")
    n = len(batch)
    apart = input.reshape(*batch, c // (r * r), r, r, h, w)
    return apart.permute(*range(n), n, n + 3, n + 1, n + 4, n + 2).reshape(*batch, c // (r * r), h * r, w * r)


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """Images (*, C, H r, W r) as (*, C r², H, W): the inverse of `pixel_shuffle`.

    Raises
    ------
    RuntimeError
        If height or width is not a multiple of the factor.
    """
    r = downscale_factor
    _at_least("pixel_unshuffle", input, "downscale_factor", r)
    *batch, c, h, w = input.shape
    for name, k, size in (("height", -2, h), ("width", -1, w)):
        if size % r:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({k})={size} is not "
                               f"divisible by {r}")
    n = len(batch)
    apart = input.reshape(*batch, c, h // r, r, w // r, r)
    return apart.permute(*range(n), n, n + 2, n + 4, n + 1, n + 3).reshape(*batch, c * r * r, h // r, w // r)


def channel_shuffle(input: Any, groups: int) -> Any:
    """The channels (dimension 1) of `groups` groups in turns.

    Raises
    ------
    RuntimeError
        If the channels do not fall into groups of one size.
    """
    if input.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    n, c, *sizes = input.shape
    if c % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    return input.reshape(n, groups, c // groups, *sizes).transpose(1, 2).reshape(n, c, *sizes)
