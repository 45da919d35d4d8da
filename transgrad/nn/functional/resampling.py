"""Signals and images on other grids: one matrix of weights for each dimension."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...autograd.tensor import Tensor, wrap

__all__ = ["interpolate"]

#: the number of dimensions of the input for each mode
_LINEAR = {"linear": 3, "bilinear": 4, "trilinear": 5, "bicubic": 4}
_MODES = "nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact"


def along(signal: Any, matrices: Sequence[Any]) -> Any:
    """Multiply each dimension of a signal (N, C, *sizes) by a matrix (outputs, size) of weights.

    Examples
    --------
    >>> import numpy as np
    >>> along(wrap(np.ones((1, 1, 3))), [np.eye(2, 3)]).shape
    torch.Size([1, 1, 2])
    """
    for k, matrix in enumerate(matrices):
        weights = wrap(matrix)
        last = 2 + k == signal.ndim - 1
        signal = signal @ weights.mT if last else (signal.movedim(2 + k, -1) @ weights.mT).movedim(-1, 2 + k)
    return signal


def parts(size: int, count: int) -> tuple[Any, Any]:
    """Return the ends of ``count`` windows of nearly equal size along a dimension."""
    k = np.arange(count)
    return k * size // count, -((k + 1) * -size // count)


def area(size: int, count: int) -> Any:
    """Return the matrix (count, size) of the means of ``count`` windows."""
    first, last = (end[:, None] for end in parts(size, count))
    k = np.arange(size)
    return ((k >= first) & (k < last)) / (last - first)


def _cubic(x: Any, a: float) -> Any:
    """Return the weight of an element at distance x, in the cubic convolution with the parameter ``a``."""
    x = abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return (x <= 1) * near + ((x > 1) & (x < 2)) * far


_FILTERS: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "bilinear": (2, lambda x: np.maximum(1 - np.abs(x), 0)), "bicubic": (4, lambda x: _cubic(x, -0.5))}


def _antialiased(mode: str, size: int, count: int, step: float) -> Any:
    """Return the weights of a filter that is stretched to the distance of the outputs, if that is larger than one element."""
    taps, weight = _FILTERS[mode]
    wide = max(step, 1.0)
    centers = step * (np.arange(count) + 0.5)
    first = np.maximum((centers - taps / 2 * wide + 0.5).astype(np.int64), 0)[:, None]
    last = np.minimum((centers + taps / 2 * wide + 0.5).astype(np.int64), size)[:, None]
    k = np.arange(size)
    weights = np.where((k >= first) & (k < last), weight((k - centers[:, None] + 0.5) / wide), 0.0)
    return weights / weights.sum(1, keepdims=True)


def _weights(mode: str, size: int, count: int, factor: float | None, corners: bool, antialias: bool) -> Any:
    """Return the matrix (count, size) of a mode along one dimension."""
    if mode == "area":
        return area(size, count)
    step = 1.0 / factor if factor else size / count
    if antialias:
        return _antialiased(mode, size, count, step)
    if corners:
        step = (size - 1) / (count - 1) if count > 1 else 0.0
    x = np.arange(count) * step if corners else (np.arange(count) + 0.5) * step - 0.5
    if mode.startswith("nearest"):
        exact = np.arange(count, dtype=np.float32) + np.float32(0.5 * (mode != "nearest"))
        places, weights = np.minimum(np.floor(exact * np.float32(step)), size - 1).astype(np.int64)[:, None], np.ones((count, 1))
    elif mode == "bicubic":
        places = np.floor(x).astype(np.int64)[:, None] + np.arange(-1, 3)
        weights = _cubic(x[:, None] - places, -0.75)
    else:
        x = np.maximum(x, 0.0)
        first = np.floor(x).astype(np.int64)
        places, weights = first[:, None] + np.arange(2), np.stack([1 - (x - first), x - first], 1)
    out = np.zeros((count, size))
    np.add.at(out, (np.arange(count)[:, None], np.clip(places, 0, size - 1)), weights)
    return out


def _sizes(dims: Sequence[int], size: Any, scale_factor: Any, recompute: Any) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """Return the sizes of the result, and the factors that determine the positions, if any."""
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    n, given = len(dims), scale_factor if size is None else size
    values = tuple(given) if isinstance(given, (tuple, list)) else (given,) * n
    if len(values) != n:
        name = "scale_factor" if size is None else "output"
        raise ValueError(f"Input and {name} must have the same number of spatial dimensions, but "
                         f"got input with spatial dimensions of {list(dims)} and {given}.")
    if size is None:
        return tuple(math.floor(a * float(f)) for a, f in zip(dims, values)), (None,) * n if recompute else tuple(map(float, values))
    if recompute:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    return tuple(map(int, values)), (None,) * n


def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
                recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """Resize a signal (N, C, *sizes), to given sizes or by a factor.

    Parameters
    ----------
    input : Tensor
        A signal, image or volume.
    size : int or tuple of int, optional
        The sizes of the result.
    scale_factor : float or tuple of float, optional
        The factor of the sizes; one of the two is required.
    mode : str
        ``nearest``, ``nearest-exact``, ``area``, ``linear`` (signals), ``bilinear``, ``bicubic`` (images) or ``trilinear`` (volumes).
    align_corners : bool, optional
        Whether the centers of the first and last elements stay fixed, or their outer edges.
    recompute_scale_factor : bool, optional
        Whether positions are computed from the sizes instead of the factor.
    antialias : bool
        Whether a reduced image is smoothed (``bilinear``, ``bicubic``).

    Raises
    ------
    ValueError
        If sizes and options do not fit.
    NotImplementedError
        If the number of dimensions does not fit the mode.
    """
    flexible = mode in ("nearest", "area", "nearest-exact")
    if flexible and align_corners is not None:
        raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear")
    dims = input.shape[2:]
    sizes, factors = _sizes(dims, size, scale_factor, recompute_scale_factor)
    if antialias and not (mode in _FILTERS and input.ndim == 4):
        raise ValueError("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input")
    if input.ndim not in (3, 4, 5) or not flexible and mode not in _LINEAR:
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: {_MODES} "
                                  f"(got {mode})")
    if not flexible and _LINEAR[mode] != input.ndim:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {_LINEAR[mode]}D input")
    if min(sizes) <= 0:
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input {list(dims)} and output {list(sizes)}")
    weights = [_weights(mode, a, n, f, bool(align_corners), antialias) for a, n, f in zip(dims, sizes, factors)]
    return along(input, [w.astype(input.dtype) for w in weights])
