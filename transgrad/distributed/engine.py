"""Dask: imports, tasks, tree reductions and results."""
from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .. import tree

__all__ = ["Nothing", "Task", "called", "collect", "require", "reduced", "shared"]


def require(package: str) -> ModuleType:
    """Import Dask or a part of it.

    Raises
    ------
    ModuleNotFoundError
        If it is not installed.
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package.partition(".")[0]:
            raise       # a dependency of the package is missing
        raise ModuleNotFoundError(
            f"transgrad.distributed needs {package.partition('.')[0]}, which is not installed. Hint: pip install 'transgrad[distributed]'",
            name=package) from None


class Task:
    """A callable that a worker reads once, however many tasks call it.

    Each task that Dask sends is unpickled for itself, and a function that is pickled by value would be compiled for each task. This one
    travels as bytes, and all tasks of a worker that have the same bytes share the object that is read from them.
    """

    def __init__(self, call: Callable[..., Any]):
        self.data: bytes = require("cloudpickle").dumps(call)
        self.__name__ = getattr(call, "__name__", type(call).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, Nothing) for x in args):
            return Nothing()
        return _read(self.data)(*(tree.map_leaves(_aligned, x) for x in args), **kwargs)

    def __dask_tokenize__(self) -> Any:
        return self.__name__, self.data


def _aligned(leaf: Any) -> Any:
    """Copy an array whose elements are not aligned in memory, as those that came over a network may be.

    NumPy computes products of such arrays without BLAS: slowly, and with another rounding than on the worker that made the array.
    """
    return leaf.copy(order="K") if isinstance(leaf, np.ndarray) and not leaf.flags.aligned else leaf


@functools.lru_cache(maxsize=64)
def _read(data: bytes) -> Callable[..., Any]:
    found: Callable[..., Any] = require("cloudpickle").loads(data)
    return found


def shared(value: Any, name: str) -> Any:
    """Return a value as one node of the graph, which each worker receives once."""
    return require("dask").delayed(value, name=f"{name}-{_token(value)}", traverse=False)


def called(task: Any, name: str, *args: Any) -> Any:
    """Return a delayed call of a `Task` that is a node of the graph; Dask's dashboard shows it under ``name``."""
    return require("dask").delayed(_call, pure=True, traverse=False)(task, *args, dask_key_name=f"{name}-{_token(task, *args)}")


def _call(task: Task, *args: Any) -> Any:
    return task(*args)


def _token(*args: Any) -> str:
    """A name for values; equal values have equal names, so that Dask knows a repeated call again."""
    return str(require("dask.base").tokenize(*args))


def reduced(parts: Sequence[Any], name: str, split_every: int) -> Any:
    """Add delayed results by a tree of tasks, in the order of the parts."""
    add = require("dask").delayed(_sum, pure=True)
    while len(parts) > 1:
        groups = [list(parts[k:k + split_every]) for k in range(0, len(parts), split_every)]
        parts = [add(group, dask_key_name=f"add_{name}-{_token(*group)}") for group in groups]
    return parts[0]


class Nothing:
    """A chunk without items, and its result."""


def _sum(parts: Sequence[Any]) -> Any:
    """Add results of one structure; Python numbers stay Python numbers."""
    parts = [part for part in parts if not isinstance(part, Nothing)]
    if not parts:
        return Nothing()
    rows, forms = zip(*map(tree.flatten, parts))
    if any(form != forms[0] for form in forms):
        raise TypeError(f"the chunks have results of different structures: {tree.describe(parts[0])} and others")
    return tree.unflatten(forms[0], [functools.reduce(_add, column) for column in zip(*rows)])


def _add(a: Any, b: Any) -> Any:
    if np.shape(a) != np.shape(b):
        raise ValueError(f"the chunks have results of different shapes, {np.shape(a)} and {np.shape(b)}: they cannot be added")
    return a + b


def collect(delayed: Any, client: Any) -> Any:
    """Compute a delayed value, or a list of them, on a client: the given one, the default one, or Dask's scheduler for one machine."""
    if client is not None:
        return client.gather(client.compute(delayed))
    return require("dask").compute(delayed)[0]
