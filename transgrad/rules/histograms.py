"""Histograms: counts are constant, sums of weights are linear in the weights, edges follow the data's range."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import definition


@definition(np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """Edges as given, or evenly over the range."""
    if isinstance(bins, str):
        raise NotImplementedError(f"no derivative of the bin edges that {bins!r} chooses; give their number")
    if np.ndim(bins) == 1:
        return np.atleast_1d(bins)
    low, high = (np.min(a), np.max(a)) if range is None else range
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


@definition(np.histogramdd)
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """The sums of the weights in a grid of bins, and the edges; of two-dimensional samples."""
    if np.ndim(sample) != 2 or sample.shape[1] != 2:
        raise NotImplementedError("the derivative of np.histogramdd is there for samples in two dimensions")
    several = isinstance(bins, (tuple, list))
    ends = (None, None) if range is None else range
    rows = histogram_bin_edges(sample[:, 0], bins[0] if several else bins, ends[0])
    columns = histogram_bin_edges(sample[:, 1], bins[1] if several else bins, ends[1])
    i, in_rows = bin_numbers(sample[:, 0], rows)
    j, in_columns = bin_numbers(sample[:, 1], columns)
    n, m = len(rows) - 1, len(columns) - 1
    h = np.reshape(binned(i * m + j, in_rows & in_columns, weights, n * m), (n, m))
    if density:
        h = h / (np.diff(rows)[:, None] * np.diff(columns)) / np.sum(h)
    return h, (rows, columns)
