"""scipy.ndimage: smoothing and differences, which are correlations along one axis after the other.

How far a Gaussian reaches is constant.  A gradient's magnitude has the derivative 0 where the gradient is 0.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from ....ir.infer_shapes import SHAPES
from ....ir.types import Num
from ...registry import constant, definition
from .settings import each, over, plain


@definition(nd.uniform_filter1d)
def uniform_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                     origin: Any = 0) -> Any:
    """The running mean along an axis."""
    plain(output)
    return nd.correlate1d(input, np.full(size, 1.0 / size), axis, mode=mode, cval=cval, origin=origin)


@definition(nd.uniform_filter)
def uniform_filter(input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
                   axes: Any = None) -> Any:
    """The running mean along every axis."""
    plain(output)
    chosen = over(axes, np.ndim(input))
    sizes, modes, origins = each(size, len(chosen)), each(mode, len(chosen)), each(origin, len(chosen))
    out = input
    for k, axis in enumerate(chosen):
        if sizes[k] > 1:
            out = nd.uniform_filter1d(out, sizes[k], axis, None, modes[k], cval, origins[k])
    return out


def gaussian(sigma: Any, radius: Any, order: Any) -> Any:
    """The weights of a Gaussian, or of a derivative of it, turned round as for a correlation."""
    x = np.arange(-radius, radius + 1)
    bell = np.exp(-0.5 / (sigma * sigma) * x ** 2)
    bell = bell / np.sum(bell)
    if order == 0:
        return bell
    before, factor = 0.0, 1.0
    for k in range(order):      # Hermite's recurrence
        before, factor = factor, (x * factor - k * before) / (sigma * sigma)
    return bell * factor


def extent(sigma: Any, truncate: Any) -> int:
    """How many elements a Gaussian reaches to either side."""
    return int(truncate * float(sigma) + 0.5)


constant(extent)
SHAPES[extent] = lambda *args: Num("int")


@definition(nd.gaussian_filter1d)
def gaussian_filter1d(input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                      truncate: Any = 4.0, *, radius: Any = None) -> Any:
    """A Gaussian filter along an axis; how far it reaches is constant."""
    plain(output)
    reach = extent(sigma, truncate) if radius is None else radius
    return nd.correlate1d(input, gaussian(sigma, reach, order), axis, mode=mode, cval=cval)


@definition(nd.gaussian_filter)
def gaussian_filter(input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                    truncate: Any = 4.0, *, radius: Any = None, axes: Any = None) -> Any:
    """A Gaussian filter along every axis."""
    plain(output)
    chosen = over(axes, np.ndim(input))
    sigmas, orders = each(sigma, len(chosen)), each(order, len(chosen))
    modes, reaches = each(mode, len(chosen)), each(radius, len(chosen))
    out = input
    for k, axis in enumerate(chosen):
        if sigmas[k] > 1e-15:
            out = nd.gaussian_filter1d(out, sigmas[k], axis, orders[k], None, modes[k], cval, truncate, radius=reaches[k])
    return out


def crossed(input: Any, axis: Any, mode: Any, cval: Any, smooth: Any) -> Any:
    """A difference along an axis, smoothed along the others."""
    modes = each(mode, np.ndim(input))
    at = axis % np.ndim(input)
    out = nd.correlate1d(input, np.array([-1.0, 0.0, 1.0]), at, mode=modes[at], cval=cval)
    for k in range(np.ndim(input)):
        if k != at:
            out = nd.correlate1d(out, smooth, k, mode=modes[k], cval=cval)
    return out


@definition(nd.sobel)
def sobel(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Sobel's filter."""
    plain(output)
    return crossed(input, axis, mode, cval, np.array([1.0, 2.0, 1.0]))


@definition(nd.prewitt)
def prewitt(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Prewitt's filter."""
    plain(output)
    return crossed(input, axis, mode, cval, np.array([1.0, 1.0, 1.0]))


@definition(nd.laplace)
def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None) -> Any:
    """The sum of second differences along every axis."""
    plain(output)
    chosen = over(axes, np.ndim(input))
    modes = each(mode, len(chosen))
    out = nd.correlate1d(input, np.array([1.0, -2.0, 1.0]), chosen[0], mode=modes[0], cval=cval)
    for k in range(1, len(chosen)):
        out = out + nd.correlate1d(input, np.array([1.0, -2.0, 1.0]), chosen[k], mode=modes[k], cval=cval)
    return out


def bent(input: Any, sigma: Any, axis: Any, order: Any, mode: Any, cval: Any, truncate: Any, radius: Any) -> Any:
    """A Gaussian filter along every axis, whose derivative is taken along one."""
    orders = tuple([order if k == axis else 0 for k in range(np.ndim(input))])
    return nd.gaussian_filter(input, sigma, orders, None, mode, cval, truncate, radius=radius)


@definition(nd.gaussian_laplace)
def gaussian_laplace(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None,
                     truncate: Any = 4.0, radius: Any = None) -> Any:
    """The sum of second derivatives of the smoothed image."""
    plain(output)
    chosen = over(axes, np.ndim(input))
    given, modes = each(sigma, len(chosen)), each(mode, len(chosen))
    sigmas = tuple([given[chosen.index(k)] if k in chosen else 0 for k in range(np.ndim(input))])
    out = bent(input, sigmas, chosen[0], 2, modes[0], cval, truncate, radius)
    for k in range(1, len(chosen)):
        out = out + bent(input, sigmas, chosen[k], 2, modes[k], cval, truncate, radius)
    return out


@definition(nd.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None,
                                truncate: Any = 4.0, radius: Any = None) -> Any:
    """The length of the gradient of the smoothed image."""
    plain(output)
    chosen = over(axes, np.ndim(input))
    modes = each(mode, len(chosen))
    slopes = [bent(input, sigma, axis, 1, m, cval, truncate, radius) for axis, m in zip(chosen, modes)]
    return length(slopes)


def length(parts: Any) -> Any:
    """The root of a sum of squares, whose derivative is 0 at 0."""
    return np.linalg.norm(np.stack(parts), axis=0)
