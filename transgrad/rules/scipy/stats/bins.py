"""Statistics of what falls into bins."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats as st

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Num
from ...registry import constant, definition
from ...static import NoDerivative
from .hypotheses import only
from .results import result_class

BinnedStatisticResult = result_class("_binned_statistic.BinnedStatisticResult", "statistic", "bin_edges", "binnumber")
BinnedStatistic2dResult = result_class("_binned_statistic.BinnedStatistic2dResult", "statistic", "x_edge", "y_edge", "binnumber")
BinnedStatisticddResult = result_class("_binned_statistic.BinnedStatisticddResult", "statistic", "bin_edges", "binnumber")


def bin_numbers(sample: Any, edges: Any) -> Any:
    """The number of the bin of each place, counted with those outside of the edges."""
    return st.binned_statistic_dd(sample, None, "count", edges).binnumber


constant(bin_numbers)
SHAPES[bin_numbers] = lambda *args: Arr("int64", (ANY,))


def edges_along(x: Any, bins: Any, limits: Any) -> Any:
    """The edges of the bins of one variable: given, or equally spaced."""
    if np.ndim(bins):
        return np.asarray(bins) + 0.0
    return np.linspace(np.min(x), np.max(x), bins + 1) if limits is None else np.linspace(limits[0], limits[1], bins + 1)


def cells(*edges: Any) -> Any:
    """The numbers of the bins that lie within the edges, an axis a variable."""
    sizes = [len(e) + 1 for e in edges]
    return np.arange(int(np.prod(sizes))).reshape(sizes)[(slice(1, -1),) * len(edges)]


def count_of_cells(*edges: Any) -> Any:
    """How many bins there are, with those outside of the edges."""
    return int(np.prod([len(e) + 1 for e in edges]))


constant(cells, count_of_cells)
SHAPES.update({cells: lambda *edges: Arr("int64", (ANY,) * len(edges)), count_of_cells: lambda *edges: Num("int")})


def in_bins(values: Any, at: Any, statistic: Any, *edges: Any) -> Any:
    """The statistic in each bin, without those outside."""
    size = count_of_cells(*edges)
    held = np.bincount(at, minlength=size)
    safe = np.where(held > 0, held, 1)
    if statistic == "count":
        return held[cells(*edges)] + 0.0
    if statistic == "sum":
        found = np.bincount(at, values, minlength=size)
    elif statistic == "mean":
        found = np.where(held > 0, np.bincount(at, values, minlength=size) / safe, np.nan)
    elif statistic == "std":
        apart = values - (np.bincount(at, values, minlength=size) / safe)[at]
        square = np.bincount(at, apart * apart, minlength=size) / safe
        spread = np.where(square > 0.0, np.sqrt(np.where(square > 0.0, square, 1.0)), 0.0)
        found = np.where(held > 0, spread, np.nan)
    else:
        raise NoDerivative("statistics in bins have a derivative for 'mean', 'sum', 'std' and 'count'")
    return found[cells(*edges)]


@definition(st.binned_statistic, lists=True)
def binned_statistic(x: Any, values: Any, statistic: Any = "mean", bins: Any = 10, range: Any = None) -> Any:
    """With respect to the values, and the edges through the places; which bin a place falls into is constant."""
    limits = range[0] if range is not None and np.ndim(range[0]) else range
    edges = edges_along(x, bins, limits)
    at = bin_numbers([x], [edges])
    return BinnedStatisticResult(in_bins(values, at, statistic, edges), edges, at)


@definition(st.binned_statistic_2d, lists=True)
def binned_statistic_2d(x: Any, y: Any, values: Any, statistic: Any = "mean", bins: Any = 10, range: Any = None,
                        expand_binnumbers: Any = False) -> Any:
    """With respect to the values, and the edges through the places; which bin a place falls into is constant."""
    only("binned_statistic_2d", expand_binnumbers=expand_binnumbers)
    each = (bins, bins) if np.ndim(bins) == 0 or len(bins) > 2 else bins
    across = edges_along(x, each[0], None if range is None else range[0])
    down = edges_along(y, each[1], None if range is None else range[1])
    at = bin_numbers([x, y], [across, down])
    return BinnedStatistic2dResult(in_bins(values, at, statistic, across, down), across, down, at)


@definition(st.binned_statistic_dd, lists=True)
def binned_statistic_dd(sample: Any, values: Any, statistic: Any = "mean", bins: Any = 10, range: Any = None,
                        expand_binnumbers: Any = False, binned_statistic_result: Any = None) -> Any:
    """Of a list of series: through the values, and the edges through the places; which bin a place falls into is constant."""
    only("binned_statistic_dd", expand_binnumbers=expand_binnumbers, binned_statistic_result=binned_statistic_result is not None)
    if not isinstance(sample, (list, tuple)):
        raise NoDerivative("binned_statistic_dd has a derivative for a list of series: pass list(sample.T)")
    count = len(sample)
    each = [bins] * count if np.ndim(bins) == 0 else bins
    edges = [edges_along(x, each[k], None if range is None else range[k]) for k, x in enumerate(sample)]
    at = bin_numbers(sample, edges)
    return BinnedStatisticddResult(in_bins(values, at, statistic, *edges), edges, at)
