"""Signals and images on other grids: a matrix of weights along each dimension."""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd.tensor import Tensor
from .adaptive import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from .separable import along

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]

#: of which number of dimensions a mode is
_LINEAR = {"linear": 3, "bilinear": 4, "trilinear": 5, "bicubic": 4, "lanczos": 4}
_MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"


def _matrix(size: int, count: int, places: Any, weights: Any) -> Any:
    """The matrix (count, size) with the weights (count, taps) at the places, which are moved inside."""
    out = np.zeros((count, size))
    np.add.at(out, (np.arange(count)[:, None], np.clip(places, 0, size - 1)), weights)
    return out


def _nearest(size: int, count: int, factor: float | None, exact: bool) -> Any:
    """The nearest element before each place, or around it."""
    step = np.float32(1.0 / factor if factor else size / count)
    places = np.minimum(np.floor((np.arange(count, dtype=np.float32) + np.float32(0.5 * exact)) * step), size - 1).astype(np.int64)
    return _matrix(size, count, places[:, None], np.ones((count, 1)))


def _step(size: int, count: int, factor: float | None, corners: bool) -> float:
    """How far apart places are, in elements of the input."""
    if corners:
        return (size - 1) / (count - 1) if count > 1 else 0.0
    return 1.0 / factor if factor else size / count


def _sources(size: int, count: int, factor: float | None, corners: bool) -> Any:
    """At which places of the input the elements of the result stand."""
    step = _step(size, count, factor, corners)
    return np.arange(count) * step if corners else (np.arange(count) + 0.5) * step - 0.5


def _straight(size: int, count: int, factor: float | None, corners: bool) -> Any:
    """Linear interpolation between two neighbors."""
    x = np.maximum(_sources(size, count, factor, corners), 0.0)
    first = np.floor(x).astype(np.int64)
    t = x - first
    return _matrix(size, count, first[:, None] + np.arange(2), np.stack([1 - t, t], 1))


def cubic(x: Any, a: float) -> Any:
    """The weight of an element at the distance x, in the cubic convolution with the parameter ``a``."""
    x = abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return (x <= 1) * near + ((x > 1) & (x < 2)) * far


def _bicubic(size: int, count: int, factor: float | None, corners: bool) -> Any:
    x = _sources(size, count, factor, corners)
    places = np.floor(x).astype(np.int64)[:, None] + np.arange(-1, 3)
    return _matrix(size, count, places, cubic(x[:, None] - places, -0.75))


def _lanczos(x: Any) -> Any:
    return (np.abs(x) < 3) * np.sinc(x) * np.sinc(x / 3)


_FILTERS: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "bilinear": (2, lambda x: np.maximum(1 - np.abs(x), 0)), "bicubic": (4, lambda x: cubic(x, -0.5)), "lanczos": (6, _lanczos)}


def _smooth(mode: str, size: int, count: int, factor: float | None, corners: bool) -> Any:
    """The mode's filter, made as wide as the result's elements where these are farther apart."""
    taps, filtered = _FILTERS[mode]
    step = _step(size, count, factor, corners)
    wide = max(step, 1.0)
    centers = step * (np.arange(count) + 0.5)
    first = np.maximum((centers - taps / 2 * wide + 0.5).astype(np.int64), 0)[:, None]
    last = np.minimum((centers + taps / 2 * wide + 0.5).astype(np.int64), size)[:, None]
    k = np.arange(size)
    weights = np.where((k >= first) & (k < last), filtered((k - centers[:, None] + 0.5) / wide), 0.0)
    return weights / weights.sum(1, keepdims=True)


def _sizes(input: Tensor, size: Any, scale_factor: Any, recompute: Any) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """The sizes of the result, and the factors that the places are computed with."""
    dims = input.shape[2:]
    n = len(dims)
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        many = tuple(int(a) for a in size) if isinstance(size, (tuple, list)) else (int(size),) * n
        if len(many) != n:
            raise ValueError("Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
                             f"{list(dims)} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
                             "output "
                             "size in (o1, o2, ...,oK) format.")
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return many, (None,) * n
    factors = tuple(map(float, scale_factor)) if isinstance(scale_factor, (tuple, list)) else (float(scale_factor),) * n
    if len(factors) != n:
        raise ValueError(f"Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions "
                         "of "
                         f"{list(dims)} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
                         "format "
                         "and scale_factor in (s1, s2, ...,sK) format.")
    return tuple(math.floor(a * f) for a, f in zip(dims, factors)), (None,) * n if recompute else factors


def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
                recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """A signal (N, C, *sizes) at other sizes, or at its own times a factor.

    Parameters
    ----------
    input : Tensor
        A signal, image or volume.
    size : int or tuple of int, optional
        The sizes of the result.
    scale_factor : float or tuple of float, optional
        How many times the sizes; one of the two has to be given.
    mode : str
        ``nearest``, ``nearest-exact``, ``area``, ``linear`` (signals), ``bilinear``, ``bicubic``, ``lanczos`` (images) or ``trilinear``.
    align_corners : bool, optional
        Whether the centers of the first and last elements stay fixed, or their outer edges.
    recompute_scale_factor : bool, optional
        Whether places are computed by the sizes rather than the factor.
    antialias : bool
        Whether a smaller image is smoothed (``bilinear``, ``bicubic``, ``lanczos``).

    Raises
    ------
    ValueError
        If sizes and options do not fit.
    NotImplementedError
        If the input has not the dimensions of the mode.
    """
    flexible = mode in ("nearest", "area", "nearest-exact")
    if flexible and align_corners is not None:
        raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear")
    sizes, factors = _sizes(input, size, scale_factor, recompute_scale_factor)
    if antialias and not (mode in _FILTERS and input.ndim == 4):
        raise ValueError("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input")
    if input.ndim not in (3, 4, 5) or not flexible and mode not in _LINEAR:
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: {_MODES} "
                                  "(got "
                                  f"{mode})")
    if not flexible and _LINEAR[mode] != input.ndim:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {_LINEAR[mode]}D input")
    if min(sizes) <= 0:
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input {list(input.shape[2:])} and output "
                           f"{list(sizes)}")
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[input.ndim - 3](input, sizes)
    if mode == "lanczos" and align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    if mode == "lanczos" and not antialias:
        raise ValueError("Lanczos mode requires antialias=True")
    weights = [_weights(mode, a, n, f, bool(align_corners), antialias) for a, n, f in zip(input.shape[2:], sizes, factors)]
    return along(input, [w.astype(input.dtype) for w in weights])


def _weights(mode: str, size: int, count: int, factor: float | None, corners: bool, antialias: bool) -> Any:
    """The matrix of a mode along one dimension."""
    if mode.startswith("nearest"):
        return _nearest(size, count, factor, mode != "nearest")
    if antialias:
        return _smooth(mode, size, count, factor, corners)
    return (_bicubic if mode == "bicubic" else _straight)(size, count, factor, corners)


def _deprecated(name: str) -> None:
    warnings.warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", UserWarning, stacklevel=3)


def upsample(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None) -> Tensor:
    """The older name of `interpolate`."""
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` with the nearest elements."""
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Bilinear `interpolate` of images with fixed corners."""
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, "bilinear", True)
