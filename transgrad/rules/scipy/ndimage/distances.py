"""scipy.ndimage: distances to the nearest element that is 0, which change with how far apart the elements are said to be.

The nearest element is constant; at distance 0 the derivative is 0.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Type
from ...registry import constant, definition
from ...static import NoDerivative
from .settings import each


def nearest(input: Any, sampling: Any) -> Any:
    """The indices of the nearest element that is 0."""
    return nd.distance_transform_edt(input, sampling, return_distances=False, return_indices=True)


def counted_distances(input: Any, metric: Any) -> Any:
    """Distances in steps from element to element."""
    return nd.distance_transform_bf(input, metric)


def _indices(x: Any, *args: Any) -> Type | None:
    return Arr("int32", (ANY, *x.type.dims)) if isinstance(x.type, Arr) else None


def _steps(x: Any, *args: Any) -> Type | None:
    return Arr("uint32", x.type.dims) if isinstance(x.type, Arr) else None


constant(nearest, counted_distances)
SHAPES.update({nearest: _indices, counted_distances: _steps})


def alone(distances: Any, indices: Any) -> None:
    """Refuse results that are written into arrays."""
    if distances is not None or indices is not None:
        raise NoDerivative("no derivative of a distance transform with distances= or indices=: assign its result instead")


@definition(nd.distance_transform_edt)
def distance_transform_edt(input: Any, sampling: Any = None, return_distances: Any = True, return_indices: Any = False,
                           distances: Any = None, indices: Any = None) -> Any:
    """Euclidean distances; the distance of the background to itself is 0 for every sampling."""
    alone(distances, indices)
    at = nearest(input, sampling)
    if not return_distances:
        return at
    gap = at - np.indices(np.shape(input))
    steps = each(1.0 if sampling is None else sampling, np.ndim(input))
    far = np.linalg.norm(np.stack([gap[k] * steps[k] for k in range(np.ndim(input))]), axis=0)
    away = np.where(np.any(gap != 0, axis=0), far, 0.0)
    return (away, at) if return_indices else away


@definition(nd.distance_transform_bf)
def distance_transform_bf(input: Any, metric: Any = "euclidean", sampling: Any = None, return_distances: Any = True,
                          return_indices: Any = False, distances: Any = None, indices: Any = None) -> Any:
    """Distances in a metric. Only the Euclidean one uses the sampling."""
    if metric == "euclidean":
        return nd.distance_transform_edt(input, sampling, return_distances, return_indices, distances, indices)
    alone(distances, indices)
    if return_indices or not return_distances:
        raise NoDerivative("distance_transform_bf is differentiated without return_indices")
    return counted_distances(input, metric)
