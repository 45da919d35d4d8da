"""Analysis: operations that return a view or a copy depending on memory layout, and arrays that are known to be C-contiguous."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...ir.ops import Call, Lit, Op, Operand, Value
from ...ir.types import Arr
from ..ad.unsupported_calls import Aliased
from .elementwise import kind_of

__all__ = ["MAYBE_VIEWS", "allocated_in_order", "computed_in_order", "has_order", "may_copy", "origin", "passed_and_written",
           "view_or_copy"]

MAYBE_VIEWS: frozenset[Callable[..., Any]] = frozenset((
    np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ascontiguousarray, np.asfortranarray, np.asarray, np.asanyarray,
))
#: allocations that lie in memory in C order, so that reshaping them makes a view; of an array, ``np.array`` keeps its order
_CONTIGUOUS: frozenset[Callable[..., Any]] = frozenset((
    np.zeros, np.ones, np.empty, np.full, np.array, np.arange, np.linspace, np.ndarray.copy, np.eye, np.identity,
))


def may_copy(op: Call) -> bool:
    """Whether a call that may make a view copies an array that lies in memory in C order: it says another order, or a dtype."""
    conversion = op.fn not in (np.reshape, np.ndarray.reshape)
    return op.fn is np.asfortranarray or bool(op.kwargs) or conversion and len(op.args) > 1 or has_order(op)


def has_order(op: Call) -> bool:
    """Whether a call says in which order elements are read."""
    return "order" in op.kwargs or any(isinstance(a, Lit) and isinstance(a.value, str) for a in op.args)


def origin(v: Operand, makers: Mapping[Value, Op], refers_to: Callable[[Operand], Operand] = lambda v: v) -> Operand:
    """The array of which a value is a reshaped whole, or a copy with the same memory layout."""
    while True:
        made = makers.get(v) if isinstance(v, Value) else None
        if isinstance(made, Call) and (made.fn in MAYBE_VIEWS and not may_copy(made) or _keeps_order(made)):
            base = made.args[0]
        else:
            base = refers_to(v)
        if base is v or not isinstance(base, Value):
            return v
        v = base


def allocated_in_order(v: Operand, makers: Mapping[Value, Op]) -> bool:
    """Whether an array is allocated in C order."""
    made = makers.get(v) if isinstance(v, Value) else None
    return isinstance(made, Call) and made.fn in _CONTIGUOUS and not has_order(made) and not _keeps_order(made)


def computed_in_order(x: Operand, makers: Mapping[Value, Op], known: Value | None = None) -> bool:
    """Whether an array lies in C order, where ``known`` does: it is allocated so, or computed element by element of such arrays, and of
    vectors, which have no other order."""
    met: set[Operand] = set() if known is None else {known}
    todo = [x]
    while todo:
        v = todo.pop()
        if v in met or not isinstance(v.type, Arr) or not v.type.dims or allocated_in_order(v, makers) or (
                v is not x and len(v.type.dims) == 1):
            continue
        met.add(v)
        made = makers.get(v) if isinstance(v, Value) else None
        if isinstance(made, Call) and _repeats(made):
            continue
        if not isinstance(made, Call) or made.fn not in (np.zeros_like, np.ones_like) and kind_of(made) is None:
            return False
        todo += made.args
    return True


def _repeats(made: Call) -> bool:
    """Whether an operation repeats the items of an array, which makes an array in C order; ``np.tile`` may have nothing to repeat."""
    reps = made.args[1].value if made.fn is np.tile and len(made.args) == 2 and isinstance(made.args[1], Lit) else 1
    return made.fn in (np.repeat, np.ndarray.repeat) or any(n != 1 for n in (reps if isinstance(reps, tuple) else (reps,)))


def _keeps_order(made: Call) -> bool:
    """Whether an operation copies an array as that lies in memory."""
    return made.fn in (np.array, np.copy) and not has_order(made) and isinstance(made.args[0].type, Arr)


def view_or_copy(op: Op) -> Aliased:
    return Aliased("it is not known when compiling whether this is a view or a copy, and one of both is written to in place", op.loc,
                   "copy first: b = a.copy().reshape(...), or index with [...] instead of reshaping")


def passed_and_written(op: Op) -> Aliased:
    return Aliased("this may return the array itself or a view of it, and one of the two is written to in place", op.loc,
                   "copy it first: b = a.copy()")
