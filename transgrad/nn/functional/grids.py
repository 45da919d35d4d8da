"""Images at the points of a grid of coordinates between -1 and 1."""
from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np

from ...autograd import dtypes
from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor, wrap

__all__ = ["affine_grid", "grid_sample"]

_call: Any = FUNCTIONS


def _steps(size: int, corners: bool, dtype: Any) -> Any:
    """Return the coordinates of the elements along a dimension: -1 and 1 are the outer edges, or the centers of the outer elements."""
    found = np.linspace(-1, 1, size) if size > 1 else np.zeros(1)
    return (found if corners or size == 1 else found * (size - 1) / size).astype(dtype)


def _default_corners(align_corners: bool | None, name: str) -> bool:
    if align_corners is None:
        warnings.warn(f"Default {name} behavior has changed to align_corners=False since 1.3.0. Please specify align_corners=True if the "
                      "old behavior is desired.", UserWarning, stacklevel=3)
    return bool(align_corners)


def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Tensor:
    """The grid (N, H, W, 2), or (N, D, H, W, 3), of the coordinates of an image under affine maps (N, 2, 3), or (N, 3, 4).

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
    corners = _default_corners(align_corners, "affine_grid")
    axes = [_steps(a, corners, theta.dtype) for a in size[2:]]
    base = np.stack([*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(tuple(size[2:]), theta.dtype)], -1)
    return (wrap(base.reshape(1, -1, n + 1)) @ theta.mT).reshape(size[0], *size[2:], n)


def _inside(x: Any, size: int, padding: str, corners: bool) -> Any:
    """Apply the padding to positions; the derivative is 0 for positions that are moved to the border."""
    if padding == "zeros":
        return x
    if padding == "reflection":
        low, span = (0.0, size - 1.0) if corners else (-0.5, float(size))
        away = (x - low) * _call["where"](x.detach() < low, -1.0, 1.0).to(x.dtype)
        flips = (away.detach() / span).floor() if span else away * 0.0
        rest = away - flips * span if span else x * 0.0
        x = _call["where"](flips % 2 == 0, rest + low, span - rest + low)
    within = (x.detach() > 0) & (x.detach() < size - 1)
    return _call["where"](within, x, x.detach().clamp(0, size - 1))


def _elements(flat: Any, sizes: Any, positions: Any) -> Any:
    """Return the elements (N, C, P) at integer positions along each dimension, 0 outside."""
    index: Any = 0
    known: Any = True
    for position, size in zip(positions, sizes):
        known = known & (position >= 0) & (position <= size - 1)
        index = index * size + position.clamp(0, size - 1).long()
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
        ``bilinear`` or ``nearest``.
    padding_mode : str
        The values outside: ``zeros``, those of the ``border``, or a ``reflection``.
    align_corners : bool, optional
        Whether -1 and 1 are the centers of the outer elements, or their outer edges.

    Returns
    -------
    Tensor, shape (N, C, *places)

    Raises
    ------
    ValueError
        For another mode or padding.
    NotImplementedError
        For ``mode="bicubic"``.
    RuntimeError
        If the shapes do not fit.
    """
    if mode == "bicubic":
        raise NotImplementedError("grid_sample() with mode='bicubic' is not supported. Hint: use mode='bilinear'.")
    for name, value, known in (("mode", mode, "'bilinear', 'nearest' or 'bicubic'"),
                               ("padding_mode", padding_mode, "'zeros', 'border', or 'reflection'")):
        if f"'{value}'" not in known:
            raise ValueError(f"nn.functional.grid_sample(): expected {name} to be {known}, but got: '{value}'")
    sizes, n = input.shape[2:], input.ndim - 2
    shapes = f"input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, but got {shapes}")
    if grid.shape[-1] != n:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {n} in last dimension, but got grid with sizes {list(grid.shape)}")
    if n not in (2, 3) or grid.ndim != input.ndim:
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got {shapes}")
    corners = _default_corners(align_corners, "grid_sample and affine_grid")
    flat, given = input.flatten(2), grid.reshape(grid.shape[0], -1, n)
    positions = []
    for k, a in enumerate(sizes):
        x = given[..., n - 1 - k] + 1
        positions.append(_inside(x / 2 * (a - 1) if corners else (x * a - 1) / 2, a, padding_mode, corners))
    if mode == "nearest":
        found = _elements(flat, sizes, [x.detach().round() for x in positions])
    else:
        firsts = [x.detach().floor() for x in positions]
        weights = [(1 - (x - f), x - f) for x, f in zip(positions, firsts)]
        found = sum(_elements(flat, sizes, [f + k for f, k in zip(firsts, offsets)])
                    * math.prod(w[k] for w, k in zip(weights, offsets)).unsqueeze(1)
                    for offsets in itertools.product((0, 1), repeat=n))
    return found.reshape(*input.shape[:2], *grid.shape[1:-1])
