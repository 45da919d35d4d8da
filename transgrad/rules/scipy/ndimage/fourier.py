"""scipy.ndimage: filters that multiply a spectrum, through the spectrum and through their widths and shifts."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd
from scipy.special import j1

from ...registry import definition
from .settings import each, plain


def frequency(k: int, shape: Any, n: Any, axis: Any) -> Any:
    """Cycles an element along an axis, which may hold half of a real transform of length ``n``."""
    dims, m = len(shape), shape[k]
    f = np.arange(m) / n if k == axis % dims and n > 0 else np.fft.fftfreq(m)
    return np.reshape(f, tuple([-1 if j == k else 1 for j in range(dims)]))


def along_each_axis(input: Any, given: Any, n: Any, axis: Any, output: Any, weight: Any) -> Any:
    """The spectrum times a weight for each axis, a function of the frequency and the parameter of the axis."""
    plain(output)
    out = input
    for k, width in enumerate(each(given, np.ndim(input))):
        out = out * weight(frequency(k, np.shape(input), n, axis), width)
    return out


@definition(nd.fourier_gaussian)
def fourier_gaussian(input: Any, sigma: Any, n: Any = -1, axis: Any = -1, output: Any = None) -> Any:
    """The transform of a Gaussian filter."""
    return along_each_axis(input, sigma, n, axis, output, lambda f, width: np.exp(-2.0 * (np.pi * f * width) ** 2))


@definition(nd.fourier_uniform)
def fourier_uniform(input: Any, size: Any, n: Any = -1, axis: Any = -1, output: Any = None) -> Any:
    """The transform of a running mean."""
    return along_each_axis(input, size, n, axis, output, lambda f, width: np.sinc(f * width))


@definition(nd.fourier_shift)
def fourier_shift(input: Any, shift: Any, n: Any = -1, axis: Any = -1, output: Any = None) -> Any:
    """The transform of a shift."""
    return along_each_axis(input, shift, n, axis, output, lambda f, by: np.exp(-2j * np.pi * f * by))


@definition(nd.fourier_ellipsoid)
def fourier_ellipsoid(input: Any, size: Any, n: Any = -1, axis: Any = -1, output: Any = None) -> Any:
    """The transform of the mean over an ellipsoid: an interval, an ellipse or an ellipsoid, by the number of dimensions."""
    plain(output)
    dims = np.ndim(input)
    if dims == 1:
        return nd.fourier_uniform(input, size, n, axis)
    square = 0.0
    for k, width in enumerate(each(size, dims)):
        square = square + (np.pi * frequency(k, np.shape(input), n, axis) * width) ** 2
    middle = square == 0.0
    r = np.sqrt(np.where(middle, 1.0, square))
    weight = 2.0 * j1(r) / r if dims == 2 else 3.0 * (np.sin(r) - r * np.cos(r)) / (r * r * r)
    return input * np.where(middle, 1.0, weight)
