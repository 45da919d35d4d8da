"""The fallback for functions without a batching rule: one example at a time."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..tensor import Tensor, wrap
from .call import Call, map_leaves

__all__ = ["loop"]


def loop(call: Call, run: Callable[..., Any] | None = None) -> Any:
    """Run the function for each example, and stacks the results; ``run`` is called in place of an operation."""
    one = run if run is not None else functools.partial(call.run, call.fn)
    results = [one(*call.example(call.args, k), **call.example(call.kwargs, k)) for k in range(call.level.size)]
    if not results:
        return _of_nothing(call, one)
    return _stacked(call, results)


def _stacked(call: Call, results: list[Any]) -> Any:
    first = results[0]
    if isinstance(first, (list, tuple)) and any(isinstance(x, Tensor) for x in first):
        parts = [_stacked(call, list(column)) for column in zip(*results)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    if isinstance(first, dict):
        return {key: _stacked(call, [r[key] for r in results]) for key in first}
    if not isinstance(first, Tensor):
        if any(r != first for r in results[1:]):
            raise RuntimeError(f"vmap: {_name(call)} gives something other than a Tensor, and not the same for each example: it cannot be "
                               f"used inside vmap.")
        return first
    if any(r.shape != first.shape for r in results[1:]):
        raise RuntimeError(f"vmap: {_name(call)} gives results of different shapes for different examples, which a Tensor cannot hold.")
    return call.run(np.stack, results, 0)


def _of_nothing(call: Call, one: Callable[..., Any]) -> Any:
    """The result for an empty batch, from a call with zeros."""
    def zeros(x: Any) -> Any:
        return wrap(np.zeros(tuple(x.shape), x.dtype)) if call.mapped(x) else x

    result = one(*map_leaves(zeros, call.args), **map_leaves(zeros, call.kwargs))
    return map_leaves(lambda x: wrap(np.zeros((0, *x.shape), x.dtype)) if isinstance(x, Tensor) else x, result)


def _name(call: Call) -> str:
    return getattr(call.fn, "__name__", repr(call.fn))
