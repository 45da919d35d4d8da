"""Reductions that leave NaN out, as pandas and xarray do."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["cumulative_sum", "limited", "reduced"]


def reduced(name: str, values: Any, axis: Any, ddof: Any, skipna: bool = True) -> Any:
    """A reduction of an array, without its NaN if ``skipna`` is set."""
    if not skipna:
        return _with_nan(name, values, axis, ddof)
    if name == "sum":
        return np.nansum(values, axis=axis)
    if name == "mean":
        return np.nanmean(values, axis=axis)
    if name == "prod":
        return np.nanprod(values, axis=axis)
    if name == "max":
        return np.nanmax(values, axis=axis)
    if name == "min":
        return np.nanmin(values, axis=axis)
    if name == "std":
        return np.nanstd(values, axis=axis, ddof=ddof)
    return np.nanvar(values, axis=axis, ddof=ddof)


def _with_nan(name: str, values: Any, axis: Any, ddof: Any) -> Any:
    if name == "sum":
        return np.sum(values, axis=axis)
    if name == "mean":
        return np.mean(values, axis=axis)
    if name == "prod":
        return np.prod(values, axis=axis)
    if name == "max":
        return np.max(values, axis=axis)
    if name == "min":
        return np.min(values, axis=axis)
    if name == "std":
        return np.std(values, axis=axis, ddof=ddof)
    return np.var(values, axis=axis, ddof=ddof)


def cumulative_sum(values: Any) -> Any:
    """Cumulative sums that skip NaN, as pandas does: an element that is NaN stays NaN."""
    missing = np.isnan(values)
    return np.where(missing, np.nan, np.cumsum(np.where(missing, 0.0, values)))


def limited(values: Any, lower: Any, upper: Any) -> Any:
    """Values limited to an interval as in pandas: a NaN among the limits does not limit."""
    if lower is not None and upper is not None and np.ndim(lower) == 0 and np.ndim(upper) == 0:
        lower, upper = min(lower, upper), max(lower, upper)
    if lower is not None:
        values = np.where(values < lower, lower, values)
    if upper is not None:
        values = np.where(values > upper, upper, values)
    return values
