"""What only a run can tell in forward mode: ``a.reshape(…)`` shares memory with ``a`` or not, by how ``a`` lies in memory, and its tangent
has to do the same where one of both is written to.  It does where all arrays lie in C order, and their tangents too."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.effects import may_be_the_array
from ...ir.ops import Call, Function, Invoke, Op, Value, functions_of, walk
from ...ir.types import Arr, DictT, ListT, RecordT, TupleT, Type
from ..analysis.alias import AliasClasses
from ..refuse import Aliased
from ..reverse.hazards import MAYBE_VIEWS

__all__ = ["needs_order"]


def needs_order(fn: Function, varied: Callable[[Any], bool], is_written: Callable[[Any], bool]) -> bool:
    """Whether something may be a view or a copy, and is written to; that all arguments lie in C order becomes a guard then.

    Raises
    ------
    Aliased
        Where they do not, or that is not known of them.
    """
    found = _hazard(fn, varied, is_written)
    if found is None:
        return False
    known = fn.attrs.get("contiguous", ())
    arrays = [p for p in fn.signature if isinstance(p.value, Value) and _holds_arrays(p.value.type)]
    if not all(isinstance(p.value.type, Arr) and p.name in known for p in arrays):
        raise Aliased("it is not known when compiling whether this is a view or a copy, and one of both is written to in place",
                      found.loc, "copy first: b = a.copy().reshape(...), or index with [...] instead of reshaping")
    fn.attrs.setdefault("guards", []).extend(("argattr", (p.name, "flags", "c_contiguous"), None, True) for p in arrays)
    return True


def _hazard(fn: Function, varied: Callable[[Any], bool], is_written: Callable[[Any], bool]) -> Op | None:
    """What may be a view or a copy and is written to, or a call that does it or may hand out such a thing."""
    for op in walk(fn.body):
        if _may_be_view(op) and varied(op.results[0]) and is_written(op.results[0]):
            return op
        if isinstance(op, Invoke):
            inside = [(made, g) for g in functions_of(op.func) for made in walk(g.body) if _may_be_view(made)]
            given = any(isinstance(v, Value) and varied(v) and is_written(v) for v in (*op.results, *op.args))
            if inside and given or any(AliasClasses(g).is_written(made.results[0]) for made, g in inside):
                return op
    return None


def _may_be_view(op: Op) -> bool:
    return isinstance(op, Call) and op.part == "primal" and len(op.results) == 1 and bool(op.args) and (
        op.fn in MAYBE_VIEWS or may_be_the_array(op)) and isinstance(op.args[0], Value) and isinstance(op.args[0].type, Arr)


def _holds_arrays(t: Type | None) -> bool:
    if isinstance(t, Arr):
        return bool(t.dims) and not t.scalar
    if isinstance(t, (TupleT, RecordT)):
        return any(map(_holds_arrays, t.elems))
    return isinstance(t, (ListT, DictT)) and _holds_arrays(t.elem if isinstance(t, ListT) else t.value)
