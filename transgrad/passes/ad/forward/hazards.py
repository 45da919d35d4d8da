"""Aliasing that is known only at run time, in forward mode: whether ``a.reshape(…)`` is a view of ``a`` depends on the memory layout of
``a``, and the tangent must alias in the same way if either array is written to. """
from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ....ir.attributes import Guard
from ....ir.ops import Call, Function, Invoke, Op, Value, functions_of, walk
from ....ir.sharing import passed_on
from ....ir.types import Arr, DictT, ListT, RecordT, TupleT, Type
from ...analysis.alias import AliasClasses
from ...analysis.callee_views import is_watched, watch
from ...analysis.memory_order import MAYBE_VIEWS, allocated_in_order, may_copy, origin, passed_and_written, view_or_copy
from ...analysis.to_be_recorded import Stability

if TYPE_CHECKING:
    from .driver import Forward

__all__ = ["unsettled_views"]

def unsettled_views(f: "Forward", outermost: bool) -> tuple[set[int], bool]:
    """The operations for which it depends on run-time data whether their tangents are views like their results.

    The second result says whether anything depends on the memory layout of arguments. Those of the ``outermost`` function must then be in
    C order, which becomes a guard: the code that runs it several times copies them.

    Raises
    ------
    Aliased
        If arguments have another layout, or an array that a function may have returned is written to.
    """
    found: set[int] = set()
    first: Op | None = None
    watched, stability = is_watched(f.fn), Stability(f.layout, f.classes)
    for op in walk(f.fn.body):
        if isinstance(op, Invoke):
            first = first or (op if _watch(f, op) else None)
        elif _may_be_view(op) and any(map(f.varied, op.results)) and (
                watched or any(stability.writers_after(f.classes.root(v), op) for v in op.results if isinstance(v.type, Arr))):
            if passed_on(op):
                raise passed_and_written(op)
            root = origin(op.args[0], f.makers)
            if may_copy(op) or not allocated_in_order(root, f.makers):
                first = first or op
                if may_copy(op) or not outermost or root not in f.fn.params:
                    found.add(id(op))
    if outermost and first is not None:
        _guard(f.fn, first)
    return found, first is not None


def _watch(f: "Forward", op: Invoke) -> bool:
    """Whether a call creates views that are written to; in that case the functions it calls check all of their views."""
    inside = [(made, g) for g in functions_of(op.func) for made in walk(g.body) if _may_be_view(made)]
    return bool(inside) and (watch(op, lambda v: f.varied(v) and f.classes.is_written(v))
                             or any(AliasClasses(g).is_written(made.results[0]) for made, g in inside))


def _guard(fn: Function, op: Op) -> None:
    arrays = [p for p in fn.signature if isinstance(p.value, Value) and _holds_arrays(p.value.type)]
    if not all(isinstance(p.value.type, Arr) and p.name in fn.attrs.contiguous for p in arrays):
        raise view_or_copy(op)
    fn.attrs.guards.extend(Guard("argattr", (p.name, "flags", "c_contiguous"), None, True) for p in arrays)


def _may_be_view(op: Op) -> TypeGuard[Call]:
    """Whether an operation may make a view of an array, or hand it out, and may not."""
    return isinstance(op, Call) and op.part == "primal" and bool(op.args) and (
        bool(passed_on(op)) or op.fn in MAYBE_VIEWS and isinstance(op.args[0], Value) and isinstance(op.args[0].type, Arr))


def _holds_arrays(t: Type | None) -> bool:
    if isinstance(t, Arr):
        return bool(t.dims) and not t.scalar
    if isinstance(t, (TupleT, RecordT)):
        return any(map(_holds_arrays, t.elems))
    return isinstance(t, (ListT, DictT)) and _holds_arrays(t.elem if isinstance(t, ListT) else t.value)
