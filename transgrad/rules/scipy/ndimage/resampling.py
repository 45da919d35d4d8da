"""scipy.ndimage: shift, rotate, zoom and deform images: evaluate a spline through the image at computed coordinates.

The results are differentiated by the image and by the parameters of the coordinates: matrix and offset, shift, angle, and the arguments of
the mapping. The shape of the result is constant.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage as nd
from scipy.special import cosdg, sindg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Type
from ...registry import constant, definition
from .settings import each, plain


def linear_places(matrix: Any, offset: Any, shape: Any) -> Any:
    """Where each element of a result of a shape comes from: a matrix times its indices, and an offset."""
    at = np.indices(shape, dtype=float)
    rows = []
    for i in range(matrix.shape[0]):
        row = matrix[i, 0] * at[0]
        for j in range(1, len(shape)):
            row = row + matrix[i, j] * at[j]
        rows.append(row + offset[i])
    return np.stack(rows)


@definition(nd.affine_transform)
def affine_transform(input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None, order: Any = 3,
                     mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True) -> Any:
    """The image at a linear function of the places in the result."""
    plain(output)
    dims = np.ndim(input)
    shape = np.shape(input) if output_shape is None else output_shape
    matrix = np.asarray(matrix)
    if np.ndim(matrix) == 1:
        start = each(offset, dims)
        at = np.indices(shape, dtype=float)
        places = np.stack([(at[k] + start[k] / matrix[k]) * matrix[k] for k in range(dims)])
    elif matrix.shape[1] == dims + 1:      # of homogeneous coordinates
        places = linear_places(matrix[:dims, :dims], matrix[:dims, dims], shape)
    else:
        places = linear_places(matrix, each(offset, dims), shape)
    return nd.map_coordinates(input, places, order=order, mode=mode, cval=cval, prefilter=prefilter)


@definition(nd.shift)
def shift(input: Any, shift: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
          prefilter: Any = True) -> Any:
    """The image moved by a shift along each axis."""
    plain(output)
    at = np.indices(np.shape(input), dtype=float)
    places = np.stack([at[k] - by for k, by in enumerate(each(shift, np.ndim(input)))])
    return nd.map_coordinates(input, places, order=order, mode=mode, cval=cval, prefilter=prefilter)


def zoomed_places(shape: Any, zoom: Any, grid_mode: bool) -> Any:
    """Where the elements of an image that is stretched come from."""
    lengths = [int(round(n * z)) for n, z in zip(shape, each(zoom, len(shape)))]
    at = np.indices(lengths, dtype=float)
    for k, (n, m) in enumerate(zip(shape, lengths)):
        if grid_mode:
            at[k] = (at[k] + 0.5) * (n / m) - 0.5
        elif m > 1:
            at[k] *= (n - 1) / (m - 1)
    return at


@definition(nd.zoom)
def zoom(input: Any, zoom: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True, *,
         grid_mode: Any = False) -> Any:
    """The image stretched to a shape, which is all that it takes from the factor: the derivative by that is 0."""
    plain(output)
    places = zoomed_places(np.shape(input), zoom, grid_mode)
    return nd.map_coordinates(input, places, order=order, mode=mode, cval=cval, prefilter=prefilter)


def rotated_grid(input: Any, angle: Any, axes: Any, reshape: bool) -> Any:
    """The indices of an image that is turned in a plane."""
    shape = list(input.shape)
    if reshape:
        i, j = sorted(k % len(shape) for k in axes)
        c, s = cosdg(angle), sindg(angle)
        corners = np.array([[c, s], [-s, c]]) @ [[0, 0, shape[i], shape[i]], [0, shape[j], 0, shape[j]]]
        shape[i], shape[j] = (int(n) for n in np.ptp(corners, axis=1) + 0.5)
    return np.indices(shape, dtype=float)


@definition(nd.rotate)
def rotate(input: Any, angle: Any, axes: Any = (1, 0), reshape: Any = True, output: Any = None, order: Any = 3, mode: Any = "constant",
           cval: Any = 0.0, prefilter: Any = True) -> Any:
    """The image rotated by an angle in degrees about its center, in a plane."""
    plain(output)
    dims = np.ndim(input)
    i, j = min(axes[0] % dims, axes[1] % dims), max(axes[0] % dims, axes[1] % dims)
    c, s = cosdg(angle), sindg(angle)
    at = rotated_grid(input, angle, axes, reshape)
    y, x = 0.5 * (at.shape[i + 1] - 1), 0.5 * (at.shape[j + 1] - 1)
    down = 0.5 * (input.shape[i] - 1) - (c * y + s * x)
    right = 0.5 * (input.shape[j] - 1) - (c * x - s * y)
    places = np.stack([c * at[i] + s * at[j] + down if k == i else -s * at[i] + c * at[j] + right if k == j else at[k]
                       for k in range(dims)])
    return nd.map_coordinates(input, places, order=order, mode=mode, cval=cval, prefilter=prefilter)


@definition(nd.geometric_transform)
def geometric_transform(input: Any, mapping: Callable[..., Any], output_shape: Any = None, output: Any = None, order: Any = 3,
                        mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True, extra_arguments: Any = (),
                        extra_keywords: Any = None) -> Any:
    """The image at coordinates that a function computes from output indices."""
    plain(output)
    shape = np.shape(input) if output_shape is None else output_shape
    keywords = {} if extra_keywords is None else extra_keywords
    places = []
    for index in np.ndindex(shape):
        places.append(np.stack(mapping(index, *extra_arguments, **keywords)))
    at = np.reshape(np.stack(places).T, (np.ndim(input), *shape))
    return nd.map_coordinates(input, at, order=order, mode=mode, cval=cval, prefilter=prefilter)


def _grid_of(shape: Any, *args: Any) -> Type | None:
    elems = getattr(shape.type, "elems", None) or getattr(shape, "value", None)
    return None if elems is None else Arr("float64", (ANY,) * (len(elems) + 1))


def _grid(x: Any, *args: Any) -> Type | None:
    return Arr("float64", (ANY,) * (len(x.type.dims) + 1)) if isinstance(x.type, Arr) else None


constant(zoomed_places, rotated_grid)
SHAPES.update({zoomed_places: _grid_of, rotated_grid: _grid})
