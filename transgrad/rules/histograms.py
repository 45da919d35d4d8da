"""Histograms: counts are constant, sums of weights are linear in the weights, edges follow the data's range."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .registry import definition
from .static import NoDerivative


@definition(np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """Edges as given, or evenly over the range."""
    if isinstance(bins, str):
        raise NoDerivative(f"no derivative of the bin edges that {bins!r} chooses; give their number")
    if np.ndim(bins) == 1:
        return np.atleast_1d(bins)
    if range is not None:
        low, high = range
    elif np.size(a) == 0:
        low = np.sum(a)     # 0, in the dtype of the array
        high = low + 1.0
    else:
        low, high = np.min(a), np.max(a)
    if low == high:     # a bin has a width
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


def bin_numbers(x: Any, edges: Any) -> tuple[Any, Any]:
    """The bin of each element, and whether it is in one; the last bin has both its ends."""
    k = np.searchsorted(edges, x, side="right") - 1
    k = np.where(x == edges[-1], len(edges) - 2, k)
    return np.clip(k, 0, len(edges) - 2), (x >= edges[0]) & (x <= edges[-1])


def binned(k: Any, inside: Any, weights: Any, count: Any) -> Any:
    """The sum of the weights in each bin, or the number of elements."""
    if weights is None:
        return np.bincount(k[inside], minlength=count)
    return np.bincount(k, np.where(inside, np.ravel(weights), 0.0), count)


@definition(np.histogram)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """The sums of the weights in bins, over their widths and the total for a density, and the edges."""
    edges = histogram_bin_edges(a, bins, range)
    k, inside = bin_numbers(np.ravel(a), edges)
    n = binned(k, inside, weights, len(edges) - 1)
    return (n / np.diff(edges) / np.sum(n) if density else n), edges


@definition(np.histogram2d)
def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """The sums of the weights in a grid of bins, and the edges."""
    h, edges = histogramdd(np.stack((x, y), axis=1), bins, range, density, weights)
    return h, edges[0], edges[1]


@definition(np.histogramdd, lists=True)
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """The sums of the weights in a grid of bins, and the edges; a sample of one dimension, or a list, has a series in each row."""
    points = sample if isinstance(sample, np.ndarray) and np.ndim(sample) == 2 else np.atleast_2d(sample).T
    dims = points.shape[1]
    edges = []
    place = np.zeros(len(points), dtype=int)
    inside = np.ones(len(points), dtype=bool)
    for k in np.arange(dims):
        own = histogram_bin_edges(points[:, k], bins[k] if isinstance(bins, (tuple, list)) else bins, None if range is None else range[k])
        number, found = bin_numbers(points[:, k], own)
        place = place * (len(own) - 1) + number
        inside = inside & found
        edges.append(own)
    sizes = tuple([len(own) - 1 for own in edges])
    h = np.reshape(binned(place, inside, weights, math.prod(sizes)), sizes)
    if density:
        h = h / np.sum(h)
        for k, own in enumerate(edges):
            h = h / np.reshape(np.diff(own), tuple([-1 if n == k else 1 for n in np.arange(dims)]))
    return h, tuple(edges)
