"""scipy.ndimage: rank filters, which select an element of each window.

The selected element receives the derivative; of equal elements in a window it is the first, in the order of the mask. If the selected
element lies outside of an image that is extended by a constant, the derivative is zero.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from ....ir.infer_shapes import SHAPES
from ....ir.types import Arr, Dim, Type
from ...registry import constant, definition
from .correlation import extended, window
from .settings import each, over, plain, whole

__all__ = ["extremum", "highest_places", "mask_of", "numbered", "one_mode", "taken"]


def numbered(shape: Any, sizes: Any, mode: str, origin: Any) -> Any:
    """The extended image of element positions; -1 outside."""
    return extended(np.arange(int(np.prod(shape))).reshape(shape), sizes, mode, -1, origin)


def first_equal(x: Any, y: Any, footprint: Any, mode: str, cval: Any, origin: Any) -> Any:
    """Where in the image the element is that a filter chose for each of its results ``y``; -1 for the constant outside."""
    wide = extended(x, footprint.shape, mode, cval, origin)
    at = numbered(x.shape, footprint.shape, mode, origin)
    found = np.full(x.shape, -1)
    for corner in np.argwhere(footprint)[::-1]:
        w = window(corner, x.shape)
        found = np.where((wide[w] == y) | np.isnan(wide[w]) & np.isnan(y), at[w], found)
    return found


def line_places(x: Any, lowest: bool, size: int, axis: int, mode: str, cval: Any, origin: int) -> Any:
    """The places of the elements that a filter by the least or greatest along an axis takes."""
    y = (nd.minimum_filter1d if lowest else nd.maximum_filter1d)(x, size, axis, mode=mode, cval=cval, origin=origin)
    mask = np.ones([size if k == axis % x.ndim else 1 for k in range(x.ndim)], bool)
    return first_equal(x, y, mask, mode, cval, whole([origin], [axis], x.ndim))


def rank_places(x: Any, rank: int, footprint: Any, mode: str, cval: Any, origin: Any) -> Any:
    """The places of the elements that a filter by rank takes."""
    y = nd.rank_filter(x, rank, footprint=footprint, mode=mode, cval=cval, origin=origin)
    return first_equal(x, y, footprint, mode, cval, origin)


def highest_places(x: Any, structure: Any, footprint: Any, mode: str, cval: Any, origin: Any, sign: int) -> Any:
    """Where the greatest sum (``sign`` -1: least difference) of image and structure in each window is made, in either."""
    wide = sign * extended(x, footprint.shape, mode, cval, origin)
    at = numbered(x.shape, footprint.shape, mode, origin)
    best = np.full(x.shape, -np.inf)
    found = np.zeros((2, *x.shape), int)
    for number, corner in enumerate(np.ndindex(footprint.shape)):
        w = window(corner, x.shape)
        if footprint[corner]:
            total = wide[w] + structure[corner]
            better = ~(total <= best)
            best = np.where(better, total, best)
            found = np.where(better, np.stack((at[w], np.full(x.shape, number))), found)
    return found


def _places(x: Any, *args: Any) -> Type | None:
    return Arr("int64", x.type.dims) if isinstance(x.type, Arr) else None


def _pairs(x: Any, *args: Any) -> Type | None:
    return Arr("int64", (Dim(False, ("<const>", 2)), *x.type.dims)) if isinstance(x.type, Arr) else None


constant(line_places, rank_places, highest_places)
SHAPES.update({line_places: _places, rank_places: _places, highest_places: _pairs})


def taken(x: Any, at: Any, cval: Any) -> Any:
    """The elements at places counted through all dimensions; ``cval`` at -1."""
    return np.where(at < 0, cval, np.ravel(x)[at])


def mask_of(size: Any, footprint: Any, axes: Any, dims: int) -> Any:
    """The mask of a filter, with as many dimensions as the image."""
    chosen = over(axes, dims)
    mask = np.ones(tuple(each(size, len(chosen))), bool) if footprint is None else np.asarray(footprint, bool)
    return mask if len(chosen) == dims else np.expand_dims(mask, tuple([k for k in range(dims) if k not in chosen]))


def one_mode(mode: Any) -> str:
    """The mode, which has to be the same for every axis where the mask is not a box."""
    if isinstance(mode, str):
        return mode
    raise RuntimeError("A sequence of modes is not supported for non-separable footprints")


@definition(nd.minimum_filter1d)
def minimum_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                     origin: Any = 0) -> Any:
    """The first least element of each window."""
    plain(output)
    return taken(input, line_places(input, True, size, axis, mode, cval, origin), cval)


@definition(nd.maximum_filter1d)
def maximum_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                     origin: Any = 0) -> Any:
    """The first greatest element of each window."""
    plain(output)
    return taken(input, line_places(input, False, size, axis, mode, cval, origin), cval)


def extremum(input: Any, lowest: bool, size: Any, footprint: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    """The smallest or greatest element of each window: of a box along one axis after the other, of another mask by rank."""
    if footprint is not None:
        return by_rank(input, 0 if lowest else -1, None, footprint, mode, cval, origin, axes)
    chosen = over(axes, np.ndim(input))
    sizes, modes, origins = each(size, len(chosen)), each(mode, len(chosen)), each(origin, len(chosen))
    out = input
    for k, axis in enumerate(chosen):
        if sizes[k] > 1:
            out = taken(out, line_places(out, lowest, sizes[k], axis, modes[k], cval, origins[k]), cval)
    return out


def by_rank(input: Any, rank: Any, size: Any, footprint: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    """The element of a rank in each window; a negative one counts from the greatest."""
    dims = np.ndim(input)
    mask = mask_of(size, footprint, axes, dims)
    return taken(input, rank_places(input, rank, mask, one_mode(mode), cval, whole(origin, axes, dims)), cval)


@definition(nd.minimum_filter)
def minimum_filter(input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                   origin: Any = 0, *, axes: Any = None) -> Any:
    """The smallest element of each window."""
    plain(output)
    return extremum(input, True, size, footprint, mode, cval, origin, axes)


@definition(nd.maximum_filter)
def maximum_filter(input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                   origin: Any = 0, *, axes: Any = None) -> Any:
    """The largest element of each window."""
    plain(output)
    return extremum(input, False, size, footprint, mode, cval, origin, axes)


@definition(nd.rank_filter)
def rank_filter(input: Any, rank: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
                cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """The element of a rank in each window."""
    plain(output)
    return by_rank(input, rank, size, footprint, mode, cval, origin, axes)


@definition(nd.median_filter)
def median_filter(input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                  origin: Any = 0, *, axes: Any = None) -> Any:
    """The element in the middle of each window; of an even number of them the upper one of two."""
    plain(output)
    count = np.count_nonzero(mask_of(size, footprint, axes, np.ndim(input)))
    return by_rank(input, count // 2, size, footprint, mode, cval, origin, axes)


@definition(nd.percentile_filter)
def percentile_filter(input: Any, percentile: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
                      cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """The element at a percentile of each window, which is constant between them."""
    plain(output)
    count = np.count_nonzero(mask_of(size, footprint, axes, np.ndim(input)))
    share = percentile + 100.0 if percentile < 0.0 else percentile
    return by_rank(input, count - 1 if share == 100.0 else int(count * share / 100.0), size, footprint, mode, cval, origin, axes)
