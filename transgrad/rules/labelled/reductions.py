"""Reductions that leave NaN out, as pandas and xarray do."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Misaligned", "reduced"]


class Misaligned(TypeError):
    """Labels of two operands differ, or are not known to be the same: pandas and xarray would align them."""


def reduced(name: str, values: Any, axis: Any, ddof: Any) -> Any:
    """A reduction of an array without its NaN."""
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
