"""scipy.ndimage: filters and interpolation, through images and masks.

Splines have a derivative up to order 1; what is sampled exactly on the grid has the slope to its right.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from ...ir.infer_shapes import SHAPES
from ...ir.types import Arr, Type
from ..registry import definition, rule
from ..static import ZERO, NoDerivative, lifted

_PADDING: dict[str, Any] = {"reflect": "symmetric", "grid-mirror": "symmetric", "nearest": "edge", "mirror": "reflect", "wrap": "wrap",
                            "grid-wrap": "wrap"}


def places(shape: Any, sizes: Any, mode: str, origin: Any) -> list[Any]:
    """For each axis, which element each place of the extended image is; -1 for none."""
    origins = origin if np.ndim(origin) else [origin] * len(shape)
    found = []
    for n, size, at in zip(shape, sizes, origins):
        widths = (size // 2 + at, size - size // 2 - 1 - at)
        inside = mode in ("constant", "grid-constant")
        found.append(np.pad(np.arange(n), widths, constant_values=-1) if inside else np.pad(np.arange(n), widths, mode=_PADDING[mode]))
    return found


def correlate_back(g: Any, weights: Any, mode: str = "reflect", origin: Any = 0) -> Any:
    """The cotangent of the image of `scipy.ndimage.correlate`."""
    dtype = np.result_type(g, weights) if np.iscomplexobj(weights) else g.dtype
    out = np.zeros([n + 1 for n in g.shape], dtype)     # the last of each axis takes what is outside
    at = places(g.shape, weights.shape, mode, origin)
    for corner in np.ndindex(weights.shape):
        np.add.at(out, np.ix_(*(a[k:k + n] for a, k, n in zip(at, corner, g.shape))), weights[corner] * g)
    return out[tuple(slice(n) for n in g.shape)]


def correlate_masks(g: Any, x: Any, weights: Any, mode: str = "reflect", cval: Any = 0.0, origin: Any = 0) -> Any:
    """The cotangent of the mask of `scipy.ndimage.correlate`."""
    held = np.pad(x, [(0, 1)] * x.ndim, constant_values=cval)
    at = places(x.shape, weights.shape, mode, origin)
    out = np.empty(weights.shape, np.result_type(g, x))
    for corner in np.ndindex(weights.shape):
        out[corner] = np.sum(g * held[np.ix_(*(a[k:k + n] for a, k, n in zip(at, corner, x.shape)))])
    return out


def turned(weights: Any, axis: int, dims: int) -> Any:
    """A mask that is longer than 1 along one axis only, and the origins that go with it."""
    return np.reshape(weights, [-1 if k == axis % dims else 1 for k in range(dims)])


def correlate1d_back(g: Any, weights: Any, axis: int = -1, mode: str = "reflect", origin: int = 0) -> Any:
    """The cotangent of the image of `scipy.ndimage.correlate1d`."""
    origins = [origin if k == axis % g.ndim else 0 for k in range(g.ndim)]
    return correlate_back(g, turned(weights, axis, g.ndim), mode, origins)


def correlate1d_masks(g: Any, x: Any, weights: Any, axis: int = -1, mode: str = "reflect", cval: Any = 0.0, origin: int = 0) -> Any:
    """The cotangent of the weights of `scipy.ndimage.correlate1d`."""
    origins = [origin if k == axis % g.ndim else 0 for k in range(g.ndim)]
    return np.ravel(correlate_masks(g, x, turned(weights, axis, g.ndim), mode, cval, origins))


back = lifted(correlate_back)
masks = lifted(correlate_masks)
back1d = lifted(correlate1d_back)
masks1d = lifted(correlate1d_masks)
correlated, correlated1d = lifted(nd.correlate), lifted(nd.correlate1d)


def plain(output: Any, axes: Any = None) -> None:
    if output is not None or axes is not None:
        raise NoDerivative("no derivative of an ndimage filter with output= or axes=")


def correlate_jvp(t, y, input, weights, output=None, mode="reflect", cval=0.0, origin=0, **how):
    return correlated(t, weights, mode=mode, origin=origin)


@rule(nd.correlate, kind="general", jvp=(
    correlate_jvp, lambda t, y, input, weights, output=None, mode="reflect", cval=0.0, origin=0, **how:
    correlated(input, t, mode=mode, cval=cval, origin=origin)))
def _(g, y, input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    plain(output, axes)
    return back(g, weights, mode, origin), masks(g, input, weights, mode, cval, origin)


@rule(nd.correlate1d, kind="general", jvp=(
    lambda t, y, input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0:
    correlated1d(t, weights, axis, mode=mode, origin=origin),
    lambda t, y, input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0:
    correlated1d(input, t, axis, mode=mode, cval=cval, origin=origin)))
def _(g, y, input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    plain(output)
    return back1d(g, weights, axis, mode, origin), masks1d(g, input, weights, axis, mode, cval, origin)


@rule(correlate_back, kind="multilinear", linear_in=(0, 1))
def _(g, y, first, weights, mode="reflect", origin=0):
    return correlated(g, weights, mode=mode, origin=origin), masks(first, g, weights, mode, 0.0, origin)


@rule(correlate1d_back, kind="multilinear", linear_in=(0, 1))
def _(g, y, first, weights, axis=-1, mode="reflect", origin=0):
    return correlated1d(g, weights, axis, mode=mode, origin=origin), masks1d(first, g, weights, axis, mode, 0.0, origin)


@rule(correlate_masks, kind="general", jvp=(
    lambda t, y, first, x, weights, mode="reflect", cval=0.0, origin=0: masks(t, x, weights, mode, cval, origin),
    lambda t, y, first, x, weights, mode="reflect", cval=0.0, origin=0: masks(first, t, weights, mode, 0.0, origin)))
def _(g, y, first, x, weights, mode="reflect", cval=0.0, origin=0):
    return correlated(x, g, mode=mode, cval=cval, origin=origin), back(first, g, mode, origin), ZERO


@rule(correlate1d_masks, kind="general", jvp=(
    lambda t, y, first, x, weights, axis=-1, mode="reflect", cval=0.0, origin=0: masks1d(t, x, weights, axis, mode, cval, origin),
    lambda t, y, first, x, weights, axis=-1, mode="reflect", cval=0.0, origin=0: masks1d(first, t, weights, axis, mode, 0.0, origin)))
def _(g, y, first, x, weights, axis=-1, mode="reflect", cval=0.0, origin=0):
    return correlated1d(x, g, axis, mode=mode, cval=cval, origin=origin), back1d(first, g, axis, mode, origin), ZERO


def _like(x: Any, *args: Any, **kwargs: Any) -> Type | None:
    return x.type if isinstance(x.type, Arr) else None


def _mask(g: Any, x: Any, weights: Any, *args: Any, **kwargs: Any) -> Type | None:
    return weights.type if isinstance(weights.type, Arr) else None


SHAPES.update({**dict.fromkeys((nd.correlate, nd.correlate1d, correlate_back, correlate1d_back), _like),
               correlate_masks: _mask, correlate1d_masks: _mask})


@definition(nd.convolve)
def convolve(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
             axes: Any = None) -> Any:
    """The correlation with the mask turned round."""
    if axes is not None or np.ndim(origin) != 0:
        raise NotImplementedError("ndimage.convolve has a derivative without axes and with one origin")
    return nd.correlate(input, np.flip(weights), mode=mode, cval=cval, origin=[-origin - (1 - n % 2) for n in weights.shape])


def along(x: Any, weights: Any, axis: Any, mode: Any, cval: Any) -> Any:
    """The correlation with weights along one axis."""
    return nd.correlate1d(x, weights, axis, mode=mode, cval=cval)


@definition(nd.convolve1d)
def convolve1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
               origin: Any = 0) -> Any:
    """The correlation with the weights turned round."""
    w = np.flip(np.asarray(weights))
    return nd.correlate1d(input, w, axis, mode=mode, cval=cval, origin=-origin - (1 - w.shape[0] % 2))


@definition(nd.uniform_filter1d)
def uniform_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                     origin: Any = 0) -> Any:
    """The running mean along an axis."""
    return nd.correlate1d(input, np.full(size, 1.0 / size), axis, mode=mode, cval=cval, origin=origin)


@definition(nd.uniform_filter)
def uniform_filter(input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
                   axes: Any = None) -> Any:
    """The running mean along every axis."""
    if axes is not None or np.ndim(size) != 0:
        raise NotImplementedError("ndimage.uniform_filter has a derivative with one size for every axis")
    out = input
    for axis in range(np.ndim(input)):
        out = uniform_filter1d(out, size, axis, None, mode, cval, origin)
    return out


def gaussian(sigma: Any, radius: Any, order: Any) -> Any:
    """The weights of a Gaussian, or of its first or second derivative, turned round as for a correlation."""
    x = np.arange(-radius, radius + 1)
    bell = np.exp(-0.5 / (sigma * sigma) * x ** 2)
    bell = bell / np.sum(bell)
    if order == 0:
        return bell
    if order == 1:
        return bell * x / (sigma * sigma)
    if order == 2:
        return bell * (x * x / (sigma * sigma) - 1.0) / (sigma * sigma)
    raise NotImplementedError("a Gaussian filter has a derivative for the orders 0, 1 and 2")


@definition(nd.gaussian_filter1d)
def gaussian_filter1d(input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                      truncate: Any = 4.0, *, radius: Any = None) -> Any:
    """A Gaussian filter along an axis; how far it reaches is constant."""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    return along(input, gaussian(sigma, reach, order), axis, mode, cval)


@definition(nd.gaussian_filter)
def gaussian_filter(input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                    truncate: Any = 4.0, *,
                    radius: Any = None, axes: Any = None) -> Any:
    """A Gaussian filter along every axis."""
    if axes is not None or np.ndim(sigma) != 0:
        raise NotImplementedError("ndimage.gaussian_filter has a derivative with one sigma for every axis")
    out = input
    for axis in range(np.ndim(input)):
        out = gaussian_filter1d(out, sigma, axis, order, None, mode, cval, truncate, radius=radius)
    return out


def crossed(input: Any, axis: Any, mode: Any, cval: Any, smooth: Any) -> Any:
    """A difference along an axis, smoothed along the others."""
    out = along(input, np.array([-1.0, 0.0, 1.0]), axis, mode, cval)
    for k in range(np.ndim(input)):
        if k != axis % np.ndim(input):
            out = along(out, smooth, k, mode, cval)
    return out


@definition(nd.sobel)
def sobel(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Sobel's filter."""
    return crossed(input, axis, mode, cval, np.array([1.0, 2.0, 1.0]))


@definition(nd.prewitt)
def prewitt(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Prewitt's filter."""
    return crossed(input, axis, mode, cval, np.array([1.0, 1.0, 1.0]))


@definition(nd.laplace)
def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None) -> Any:
    """The sum of second differences along every axis."""
    out = along(input, np.array([1.0, -2.0, 1.0]), 0, mode, cval)
    for axis in range(1, np.ndim(input)):
        out = out + along(input, np.array([1.0, -2.0, 1.0]), axis, mode, cval)
    return out


def sampled(x: Any, coordinates: Any, mode: Any, cval: Any, order: Any) -> Any:
    """The values of an image between its points, nearest (order 0) or linear."""
    dims = np.ndim(x)
    if order > 1:
        raise NotImplementedError("interpolation in ndimage has a derivative for the orders 0 and 1; pass order=1")
    inside = True
    low, share = [], []
    for k in range(dims):
        n = x.shape[k]
        c = coordinates[k]
        inside = inside & (c >= 0.0) & (c <= n - 1.0)
        c = np.clip(c, 0.0, n - 1.0)
        base = np.floor(c + 0.5) if order == 0 else np.minimum(np.floor(c), max(n - 2, 0))
        low.append(base.astype(int))
        share.append(c - base)
    if order == 0:
        total = x[tuple(low)]
    else:
        total = 0.0
        for corner in np.ndindex(*(2,) * dims):
            weight = 1.0
            for k in range(dims):
                weight = weight * (share[k] if corner[k] else 1.0 - share[k])
            total = total + weight * x[tuple(low[k] + corner[k] for k in range(dims))]
    if mode == "nearest":
        return total
    if mode == "constant":
        return np.where(inside, total, cval)
    raise NotImplementedError("interpolation in ndimage has a derivative for the modes 'constant' and 'nearest'")


@definition(nd.map_coordinates)
def map_coordinates(input: Any, coordinates: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
                    prefilter: Any = True) -> Any:
    """The values of an image at given places."""
    return sampled(input, coordinates, mode, cval, order)


@definition(nd.mean)
def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The mean of all elements."""
    return np.mean(unlabelled(input, labels))


@definition(nd.sum, nd.sum_labels)
def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The sum of all elements."""
    return np.sum(unlabelled(input, labels))


@definition(nd.variance)
def variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The variance of all elements."""
    return np.var(unlabelled(input, labels))


@definition(nd.standard_deviation)
def standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The standard deviation of all elements."""
    return np.std(unlabelled(input, labels))


def unlabelled(input: Any, labels: Any) -> Any:
    if labels is not None:
        raise NotImplementedError("ndimage's measurements have a derivative without labels; use a mask")
    return input


def second(input: Any, sigma: Any, axis: Any, order: Any, mode: Any, cval: Any) -> Any:
    """A Gaussian filter along every axis, whose derivative is taken along one."""
    out = input
    for k in range(np.ndim(input)):
        out = gaussian_filter1d(out, sigma, k, order if k == axis else 0, None, mode, cval)
    return out


@definition(nd.gaussian_laplace)
def gaussian_laplace(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None) -> Any:
    """The sum of second derivatives of the smoothed image."""
    out = second(input, sigma, 0, 2, mode, cval)
    for axis in range(1, np.ndim(input)):
        out = out + second(input, sigma, axis, 2, mode, cval)
    return out
