"""Memory that arrays share: results that do not alias arguments, and arguments that are not written."""
from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

__all__ = ["is_running", "owned", "read_only", "running"]

_running: contextvars.ContextVar[bool] = contextvars.ContextVar("a wrapped function is running", default=False)
_NOTE = ("The arguments of a wrapped function share memory with the arrays of the caller, and are read-only. "
         "Hint: write to a copy, x = x.copy()")


def read_only(array: np.ndarray[Any, Any]) -> Any:
    """Mark an array as read-only, and return it; an array without dimensions becomes a NumPy scalar.

    Examples
    --------
    >>> read_only(np.ones(2)).flags.writeable, type(read_only(np.array(1.0))).__name__
    (False, 'float64')
    """
    if array.ndim == 0:
        return array[()]
    array.flags.writeable = False
    return array


@contextlib.contextmanager
def running() -> Iterator[None]:
    """Run a wrapped function: others that it calls are NumPy functions, and an error of NumPy for a write to an argument has a hint."""
    token = _running.set(True)
    try:
        yield
    except ValueError as error:
        if "read-only" in str(error) and _NOTE not in getattr(error, "__notes__", ()):
            error.add_note(_NOTE)
        raise
    finally:
        _running.reset(token)


def is_running() -> bool:
    """Return whether a wrapped function is running."""
    return _running.get()


def owned(arrays: Iterable[np.ndarray[Any, Any]], others: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """Return arrays that are writable and share no memory with ``others`` or with each other, copying those that are not.

    Examples
    --------
    >>> x = np.ones(2)
    >>> first, second = owned([x, np.zeros(2)], [x])
    >>> first is x, np.shares_memory(first, x)
    (False, False)
    """
    found: list[np.ndarray[Any, Any]] = []
    for array in arrays:
        shared = any(isinstance(o, np.ndarray) and np.may_share_memory(array, o) for o in (*others, *found))
        if shared or not array.flags.writeable or any(s < 0 for s in array.strides):
            array = array.copy()
        found.append(array)
    return found
