"""Reduce elementwise losses: none, their sum, or their mean."""
from __future__ import annotations

from typing import Any

from ...autograd.warned import warn

__all__ = ["reduced", "reduction_of"]


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The name of a reduction, where older programs give two booleans in its place.

    Examples
    --------
    >>> reduction_of(None, None, "sum")
    'sum'
    """
    if size_average is None and reduce is None:
        return reduction
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found


def reduced(losses: Any, reduction: str, size_average: bool | None = None, reduce: bool | None = None, *, count: Any = None) -> Any:
    """The losses, their sum, or their mean over `count` (all of them, where nothing else is said).

    Raises
    ------
    ValueError
        If the reduction is neither ``none`` nor ``sum`` nor ``mean``.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    if reduction != "mean":
        raise ValueError(f"{reduction} is not a valid value for reduction: none, sum or mean")
    return losses.mean() if count is None else losses.sum() / count
