"""Analysis: functions with a call site that writes to an argument or result, so that the callee must preserve views."""
from __future__ import annotations

from collections.abc import Callable

from ...ir.ops import Function, Invoke, Value, functions_of

__all__ = ["is_watched", "watch"]


def watch(op: Invoke, written: Callable[[Value], bool]) -> bool:
    """Mark the functions that a call runs, where its arguments or results are written to."""
    found = any(isinstance(v, Value) and written(v) for v in (*op.results, *op.args))
    if found:
        for g in functions_of(op.func):
            g.attrs.views_are_written = True
    return found


def is_watched(fn: Function) -> bool:
    return fn.attrs.views_are_written
