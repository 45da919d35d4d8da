"""Data of any kind as delayed chunks of NumPy arrays."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import tree
from .engine import Nothing, require

__all__ = ["aligned"]


def aligned(data: Sequence[Any], names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the chunks of several data sets, one tuple for each task.

    Parameters
    ----------
    data : sequence
        Dask arrays, DataFrames or bags, or lists of chunks. Arrays are divided along their first axis only, all alike.
    names : sequence of str
        Their names, for messages.

    Raises
    ------
    ValueError
        If they have different numbers of chunks, or none.
    """
    first = next((x for x in data if _is_dask(x, "array")), None)
    found = [_chunks(x, name, first) for x, name in zip(data, names)]
    if len({len(chunks) for chunks in found}) > 1:
        raise ValueError("the data have different numbers of chunks: " + ", ".join(f"{len(c)} in {n}" for c, n in zip(found, names)))
    if not found[0]:
        raise ValueError(f"{names[0]} has no chunks")
    return list(zip(*found))


def _is_dask(x: Any, kind: str) -> bool:
    """Whether a value is a collection of Dask; its package is imported then."""
    return any(cls.__module__.startswith((f"dask.{kind}", f"dask_expr.{kind}")) for cls in type(x).__mro__)


def _chunks(x: Any, name: str, first: Any) -> list[Any]:
    delayed = require("dask").delayed
    if _is_dask(x, "array"):
        if x.ndim == 0:
            raise TypeError(f"{name} has no dimensions, and so no chunks: pass it as a NumPy array, outside of over=")
        wanted: dict[int, Any] = dict.fromkeys(range(1, x.ndim), -1)
        if not np.isnan(np.sum(x.chunks[0]) + np.sum(first.chunks[0])):      # otherwise the lengths are not known before they are computed
            wanted[0] = first.chunks[0]
        x = x.rechunk(wanted)
        return list(x.to_delayed().ravel())
    if _is_dask(x, "dataframe"):
        to_columns = delayed(_columns, pure=False)
        return [to_columns(part) for part in x.to_delayed()]
    if _is_dask(x, "bag"):
        stack = delayed(_stacked, pure=False)
        return [stack(part) for part in x.to_delayed()]
    if isinstance(x, (list, tuple)):
        # an array would be hashed at each call to name the tasks that read it
        return [item if _is_of_dask(item) else delayed(item, pure=False, traverse=False) for item in x]
    raise TypeError(f"{name} is a {type(x).__name__}: pass a Dask array, DataFrame or bag, or a list of chunks, which may be delayed")


def _is_of_dask(x: Any) -> bool:
    """Whether a chunk is delayed, or a future."""
    return hasattr(x, "__dask_graph__") or type(x).__module__.partition(".")[0] in ("dask", "distributed")


def _columns(frame: Any) -> dict[str, Any]:
    """The columns of a data frame as arrays, by name."""
    return {str(name): _column(frame[name]) for name in frame.columns}


def _column(series: Any) -> Any:
    """A column as an array of NumPy; numbers of pandas' own types are floats, of which missing ones are NaN."""
    own = not isinstance(series.dtype, np.dtype)
    return series.to_numpy(dtype=float, na_value=np.nan) if own and getattr(series.dtype, "kind", "O") in "iuf" else series.to_numpy()


def _stacked(items: Any) -> Any:
    """The items of a bag as arrays with one more axis, in the structure of an item."""
    found = [tree.flatten(item) for item in items]
    if not found:
        return Nothing()
    rows, forms = zip(*found)
    if any(form != forms[0] for form in forms):
        raise TypeError("the items of a bag have different structures. Hint: pass a list of delayed chunks, [delayed(list)(part) for part "
                        "in bag.to_delayed()], to a loss that loops over the items")
    return tree.unflatten(forms[0], [np.stack([np.asarray(x) for x in column]) for column in zip(*rows)])
