"""Images at places that a grid of coordinates names, each from -1 to 1."""
from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np

from ...autograd import dtypes
from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor, wrap
from .resampling import cubic

__all__ = ["affine_grid", "grid_sample"]

_call: Any = FUNCTIONS


def _steps(size: int, corners: bool, dtype: Any) -> Any:
    """Coordinates of a dimension's elements: their centers in [-1, 1], or with the outer ones at its ends."""
    found = np.linspace(-1, 1, size) if size > 1 else np.zeros(1)
    return (found if corners or size == 1 else found * (size - 1) / size).astype(dtype)


def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Tensor:
    """The grid (N, H, W, 2), or (N, D, H, W, 3), of what affine maps (N, 2, 3), or (N, 3, 4), make of the coordinates of an image.

    Raises
    ------
    ValueError
        If the maps are not of floats, or not one for each image.
    NotImplementedError
        For other numbers of dimensions.
    """
    if dtypes.category(theta.dtype) < dtypes.FLOATING:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    n = len(size) - 2
    if n not in (2, 3):
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
                                  f"{tuple(size)}.")
    if theta.ndim != 3 or tuple(theta.shape[1:]) != (n, n + 1):
        raise ValueError(f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {tuple(size)}. Got {theta.shape}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    _usual(align_corners, "affine_grid")
    axes = [_steps(a, bool(align_corners), theta.dtype) for a in size[2:]]
    base = np.stack([*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(tuple(size[2:]), theta.dtype)], -1)
    return (wrap(base.reshape(1, -1, n + 1)) @ theta.mT).reshape(size[0], *size[2:], n)


def _usual(align_corners: bool | None, name: str) -> None:
    if align_corners is None:
        warnings.warn(f"Default {name} behavior has changed to align_corners=False since 1.3.0. Please specify align_corners=True if the "
                      "old "
                      "behavior is desired.", UserWarning, stacklevel=3)


def _reflected(x: Any, low: float, span: float) -> Any:
    """Places beyond two mirrors, as they are seen between them."""
    if span == 0:
        return x * 0.0
    away = (x - low) * _call["where"](x.detach() < low, -1.0, 1.0).to(x.dtype)
    flips = (away.detach() / span).floor()
    rest = away - flips * span
    return _call["where"](flips % 2 == 0, rest + low, span - rest + low)


def _inside(x: Any, size: int, padding: str, corners: bool) -> Any:
    """Positions after the padding; the derivative is 0 for positions that are moved to the border."""
    if padding == "reflection":
        x = _reflected(x, 0.0 if corners else -0.5, size - 1.0 if corners else float(size))
    if padding == "zeros":
        return x
    within = (x.detach() > 0) & (x.detach() < size - 1)
    return _call["where"](within, x, x.detach().clamp(0, size - 1))


def _taken(flat: Any, sizes: Any, places: Any) -> Any:
    """The elements (N, C, P) at whole places along each dimension, 0 outside."""
    index: Any = 0
    known: Any = True
    for place, size in zip(places, sizes):
        known = known & (place >= 0) & (place <= size - 1)
        index = index * size + place.clamp(0, size - 1).long()
    found = flat.gather(2, index.unsqueeze(1).expand(-1, flat.shape[1], -1))
    return found * known.unsqueeze(1).to(flat.dtype)


def grid_sample(input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None) -> Tensor:
    """An image (N, C, H, W), or volume (N, C, D, H, W), at the coordinates (x, y), or (x, y, z), along the last dimension of a grid.

    Parameters
    ----------
    input : Tensor
        The image.
    grid : Tensor, shape (N, *places, 2 or 3)
        Coordinates, -1 and 1 at the ends of each dimension.
    mode : str
        ``bilinear``, ``nearest`` or (images only) ``bicubic``.
    padding_mode : str
        The values outside: ``zeros``, the ``border``, or a ``reflection``.
    align_corners : bool, optional
        Whether -1 and 1 are the centers of the outer elements, or their outer edges.

    Returns
    -------
    Tensor, shape (N, C, *places)

    Raises
    ------
    ValueError
        For another mode or padding.
    RuntimeError
        If the shapes do not fit.
    """
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
                         f"'{padding_mode}'")
    sizes, n = input.shape[2:], input.ndim - 2
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError("grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
                           f"{list(input.shape)} and grid with sizes {list(grid.shape)}")
    if grid.shape[-1] != n:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {n} in last dimension, but got grid with sizes {list(grid.shape)}")
    if n not in (2, 3) or grid.ndim != input.ndim:
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes "
                           f"{list(input.shape)} and grid with sizes {list(grid.shape)}")
    if mode == "bicubic" and n != 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    _usual(align_corners, "grid_sample and affine_grid")
    corners = bool(align_corners)
    flat = input.flatten(2)
    given = grid.reshape(grid.shape[0], -1, n)
    places = [(given[..., n - 1 - k] + 1) / 2 * (a - 1) if corners else ((given[..., n - 1 - k] + 1) * a - 1) / 2
              for k, a in enumerate(sizes)]
    if mode != "bicubic":
        places = [_inside(x, a, padding_mode, corners) for x, a in zip(places, sizes)]
    if mode == "nearest":
        found = _taken(flat, sizes, [x.detach().round() for x in places])
    else:
        found = _weighted(flat, sizes, places, mode, padding_mode, corners)
    return found.reshape(*input.shape[:2], *grid.shape[1:-1])


def _weighted(flat: Any, sizes: Any, places: list[Any], mode: str, padding: str, corners: bool) -> Any:
    """The sum of the elements around each place, weighted by its distances from them along each dimension."""
    firsts = [x.detach().floor() for x in places]
    taps = range(-1, 3) if mode == "bicubic" else range(2)
    weights = [{k: cubic(x - (f + k), -0.75) if mode == "bicubic" else (1 - (x - f), x - f)[k] for k in taps}
               for x, f in zip(places, firsts)]
    total: Any = 0.0
    for offsets in itertools.product(taps, repeat=len(places)):
        whole = [f + k for f, k in zip(firsts, offsets)]
        if mode == "bicubic":
            whole = [_inside(x, a, padding, corners) for x, a in zip(whole, sizes)]
        weight = math.prod(w[k] for w, k in zip(weights[1:], offsets[1:])) * weights[0][offsets[0]]
        total = total + _taken(flat, sizes, whole) * weight.unsqueeze(1)
    return total
