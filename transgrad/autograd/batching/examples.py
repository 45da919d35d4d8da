"""Functions that look at numbers rather than record operations: inside `vmap` they run an example at a time."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..state import STATE
from .call import Call
from .indexing import dynamic_shape
from .interpret import innermost, interpret, shown
from .loop import loop

__all__ = ["by_example", "each"]

#: for any batched operands
_NUMBERS = ("allclose", "argmax", "argmin", "as_strided", "bincount", "bucketize", "count_nonzero", "equal", "histc", "isin", "logdet",
            "nanmean", "nanquantile", "quantile", "searchsorted")
#: one operation of NumPy
_ELEMENTWISE: dict[str, Callable[..., Any]] = {"isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan, "isneginf": np.isneginf,
                                               "isposinf": np.isposinf,
                "isreal": np.isreal}
#: where something beside the first argument is
_PLACES = ("put", "take")
#: unsupported for batches: separate memory for each example
_REFUSED = ("apply_", "as_strided_", "map_", "resize_", "resize_as_", "set_")
_DYNAMIC = ("argwhere", "nonzero", "unique", "unique_consecutive")


def by_example(tables: tuple[dict[str, Any], ...]) -> None:
    """Has the functions in the tables of operations do so."""
    for table in tables:
        for name in {*_NUMBERS, *_PLACES, *_DYNAMIC, *_REFUSED, *_ELEMENTWISE} & table.keys():
            table[name] = _mapped(table[name], name)


def each(function: Callable[..., Any], *args: Any) -> Any:
    """``function(*args)``, example by example where an argument is mapped over: for what runs on arrays."""
    level = innermost(args) if STATE.interpreter is not None else None
    return function(*args) if level is None else shown(loop(Call(function, args, {}, level), function), level)


def _mapped(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.interpreter is None:
            return function(*args, **kwargs)
        level = innermost((args, kwargs)) if name not in _PLACES else innermost((args[1:], kwargs))
        if level is None:
            return function(*args, **kwargs)
        if name in _REFUSED:
            raise RuntimeError(f"vmap: {name} changes the memory of one Tensor, and inside vmap a Tensor represents a batch.")
        if name in _ELEMENTWISE:
            return interpret(_ELEMENTWISE[name], args, kwargs)
        each = Call(function, args, kwargs, level)
        return dynamic_shape(each) if name in _DYNAMIC else shown(loop(each, function), level)
    return call
