"""scipy.ndimage: grey morphology.

Where several elements of a window are the extremum the first has the derivative; so has, with it, that of the structure.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from ...registry import definition
from .ranks import extremum, highest_places, mask_of, one_mode, taken
from .settings import each, over, plain, whole


def with_structure(input: Any, lowest: bool, footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    """The largest sum, or the least difference, of the elements of a window and a structure."""
    dims = np.ndim(input)
    mask = mask_of(structure.shape, footprint, axes, dims)
    chosen = over(axes, dims)
    raised = structure if len(chosen) == dims else np.expand_dims(structure, tuple([k for k in range(dims) if k not in chosen]))
    at = highest_places(input, raised, mask, one_mode(mode), cval, whole(origin, axes, dims), -1 if lowest else 1)
    image, bump = taken(input, at[0], cval), np.ravel(structure)[at[1]]
    return image - bump if lowest else image + bump


@definition(nd.grey_erosion)
def grey_erosion(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = "reflect",
                 cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """The smallest element of each window, or the least difference from a structure."""
    plain(output)
    if structure is None:
        return extremum(input, True, size, footprint, mode, cval, origin, axes)
    return with_structure(input, True, footprint, np.asarray(structure), mode, cval, origin, axes)


@definition(nd.grey_dilation)
def grey_dilation(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = "reflect",
                  cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """The largest element of each reflected window, or the largest sum with a reflected structure."""
    plain(output)
    count = len(over(axes, np.ndim(input)))
    if footprint is not None:
        sizes = np.shape(footprint)
    elif structure is not None:
        sizes = np.shape(structure)
    else:
        sizes = tuple(each(size, count))
    origins = [-o - (1 - n % 2) for o, n in zip(each(origin, count), sizes)]
    mask = None if footprint is None else np.flip(np.asarray(footprint))
    if structure is None:
        return extremum(input, False, size, mask, mode, cval, origins, axes)
    return with_structure(input, False, mask, np.flip(np.asarray(structure)), mode, cval, origins, axes)


def erosion_of(image: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    if axes is None:        # before SciPy 1.15 there are no others
        return nd.grey_erosion(image, size, footprint, structure, None, mode, cval, origin)
    return nd.grey_erosion(image, size, footprint, structure, None, mode, cval, origin, axes=axes)


def dilation_of(image: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    if axes is None:        # before SciPy 1.15 there are no others
        return nd.grey_dilation(image, size, footprint, structure, None, mode, cval, origin)
    return nd.grey_dilation(image, size, footprint, structure, None, mode, cval, origin, axes=axes)


def opening_of(image: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    if axes is None:        # before SciPy 1.15 there are no others
        return nd.grey_opening(image, size, footprint, structure, None, mode, cval, origin)
    return nd.grey_opening(image, size, footprint, structure, None, mode, cval, origin, axes=axes)


def closing_of(image: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    if axes is None:        # before SciPy 1.15 there are no others
        return nd.grey_closing(image, size, footprint, structure, None, mode, cval, origin)
    return nd.grey_closing(image, size, footprint, structure, None, mode, cval, origin, axes=axes)


@definition(nd.grey_opening)
def grey_opening(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = "reflect",
                 cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """A dilation of the erosion."""
    plain(output)
    low = erosion_of(input, size, footprint, structure, mode, cval, origin, axes)
    return dilation_of(low, size, footprint, structure, mode, cval, origin, axes)


@definition(nd.grey_closing)
def grey_closing(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = "reflect",
                 cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """An erosion of the dilation."""
    plain(output)
    high = dilation_of(input, size, footprint, structure, mode, cval, origin, axes)
    return erosion_of(high, size, footprint, structure, mode, cval, origin, axes)


@definition(nd.morphological_gradient)
def morphological_gradient(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
                           mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """How far dilation and erosion are apart."""
    plain(output)
    high = dilation_of(input, size, footprint, structure, mode, cval, origin, axes)
    return high - erosion_of(input, size, footprint, structure, mode, cval, origin, axes)


@definition(nd.morphological_laplace)
def morphological_laplace(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
                          mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """Dilation and erosion, less the image twice."""
    plain(output)
    high = dilation_of(input, size, footprint, structure, mode, cval, origin, axes)
    return high + erosion_of(input, size, footprint, structure, mode, cval, origin, axes) - input - input


@definition(nd.white_tophat)
def white_tophat(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = "reflect",
                 cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """The image minus the opening."""
    plain(output)
    return input - opening_of(input, size, footprint, structure, mode, cval, origin, axes)


@definition(nd.black_tophat)
def black_tophat(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = "reflect",
                 cval: Any = 0.0, origin: Any = 0, *, axes: Any = None) -> Any:
    """The closing minus the image."""
    plain(output)
    return closing_of(input, size, footprint, structure, mode, cval, origin, axes) - input
