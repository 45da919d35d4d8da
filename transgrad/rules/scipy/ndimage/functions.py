"""scipy.ndimage: filters with a function argument.

The function is differentiated like any other; it must return its result instead of writing it into an argument.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage as nd

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Type
from ...registry import constant, definition
from ...static import NoDerivative
from .correlation import places, window
from .filters import length
from .ranks import mask_of, numbered, taken
from .settings import each, over, plain, whole


def window_places(x: Any, mask: Any, mode: str, origin: Any) -> Any:
    """For each element of an image, in order, the positions of the elements in its window; -1 for the constant outside."""
    at = numbered(x.shape, mask.shape, mode, origin)
    return np.stack([at[window(corner, x.shape)].ravel() for corner in np.argwhere(mask)], axis=1)


@definition(nd.generic_filter)
def generic_filter(input: Any, function: Callable[..., Any], size: Any = None, footprint: Any = None, output: Any = None,
                   mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, extra_arguments: Any = (), extra_keywords: Any = None, *,
                   axes: Any = None) -> Any:
    """The function of the elements of each window."""
    plain(output)
    dims = np.ndim(input)
    at = window_places(input, mask_of(size, footprint, axes, dims), mode, whole(origin, axes, dims))
    windows = taken(input, at, cval)
    keywords = {} if extra_keywords is None else extra_keywords
    found = []
    for k in range(len(windows)):
        found.append(function(windows[k], *extra_arguments, **keywords))
    return np.reshape(np.stack(found), input.shape)


@definition(nd.generic_laplace)
def generic_laplace(input: Any, derivative2: Callable[..., Any], output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                    extra_arguments: Any = (), extra_keywords: Any = None, *, axes: Any = None) -> Any:
    """The sum of the second derivatives along all axes."""
    plain(output)
    chosen = over(axes, np.ndim(input))
    modes = each(mode, len(chosen))
    keywords = {} if extra_keywords is None else extra_keywords
    out = derivative2(input, chosen[0], None, modes[0], cval, *extra_arguments, **keywords)
    for k in range(1, len(chosen)):
        out = out + derivative2(input, chosen[k], None, modes[k], cval, *extra_arguments, **keywords)
    return out


@definition(nd.generic_gradient_magnitude)
def generic_gradient_magnitude(input: Any, derivative: Callable[..., Any], output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                               extra_arguments: Any = (), extra_keywords: Any = None, *, axes: Any = None) -> Any:
    """The norm of the derivatives along all axes; its derivative at 0 is 0."""
    plain(output)
    chosen = over(axes, np.ndim(input))
    modes = each(mode, len(chosen))
    keywords = {} if extra_keywords is None else extra_keywords
    slopes = []
    for k in range(len(chosen)):
        slopes.append(derivative(input, chosen[k], None, modes[k], cval, *extra_arguments, **keywords))
    return length(slopes)


@definition(nd.generic_filter1d)
def generic_filter1d(input: Any, function: Callable[..., Any], filter_size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
                     cval: Any = 0.0, origin: Any = 0, extra_arguments: Any = (), extra_keywords: Any = None) -> Any:
    """The output of the function for each extended line."""
    plain(output)
    keywords = {} if extra_keywords is None else extra_keywords
    lines = np.moveaxis(input, axis, -1)
    rows = np.reshape(lines, (-1, lines.shape[-1]))
    at = line_of_places(rows, filter_size, mode, origin)
    written = np.zeros_like(rows)
    for k in range(len(rows)):
        function(np.where(at < 0, cval, rows[k][at]), written[k], *extra_arguments, **keywords)
    return np.moveaxis(np.reshape(written, lines.shape), -1, axis)


def line_of_places(rows: Any, size: int, mode: str, origin: int) -> Any:
    """Which element each place of a line is that goes on beyond its ends."""
    return places(rows.shape[1], size, mode, origin)


@definition(getattr(nd, "vectorized_filter", None))
def vectorized_filter(input: Any, function: Callable[..., Any], *, size: Any = None, footprint: Any = None, output: Any = None,
                      mode: Any = "reflect", cval: Any = None, origin: Any = None, axes: Any = None, batch_memory: Any = 2 ** 30) -> Any:
    """The function of all windows at once, which lie along the last axes."""
    plain(output)
    if mode == "valid" or axes is not None:
        raise NoDerivative("ndimage.vectorized_filter has a derivative without mode='valid' and axes=")
    dims = np.ndim(input)
    mask = mask_of(size, footprint, None, dims)
    at = window_places(input, mask, "mirror" if mode == "grid-mirror" else mode, whole(0 if origin is None else origin, None, dims))
    windows = taken(input, at, 0.0 if cval is None else cval)
    if footprint is None:
        return function(np.reshape(windows, (*np.shape(input), *np.shape(mask))), axis=tuple([k - dims for k in range(dims)]))
    return function(np.reshape(windows, (*np.shape(input), -1)), axis=-1)


def _windows(x: Any, mask: Any, *args: Any) -> Type | None:
    return Arr("int64", (ANY, ANY))


constant(window_places, line_of_places)
SHAPES.update({window_places: _windows, line_of_places: lambda *args: Arr("int64", (ANY,))})
