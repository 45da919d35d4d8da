"""Objects that get another name: as items of a container, or as one of several operands that a branch or a loop selects.

Without forward shadows, each name has a shadow of its own. This is correct if the object is used only under the new name from then on, and
nothing writes to it.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ....ir.effects import COPIES, EXTENDS, STORES, is_mutable
from ....ir.ops import Build, Call, For, If, Op, Operand, Value, While, walk
from ....ir.types import DictT, ListT, RecordT, TupleT
from ...analysis.alias import is_slice
from ..unsupported_calls import Aliased
from .object_aliases import Names

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["check_moved"]


def check_moved(r: "Reverse", kept: Iterable[Value]) -> None:
    """Raise `Aliased` if an object that is written to has a second name, and is used under both; the caller goes on with the
    parameters ``kept``."""
    _check_tuples(r)
    names = Names(r, kept)
    for op in walk(r.fn.body):
        match op:
            case Call(fn=fn) if fn in STORES and len(op.args) > STORES[fn] and isinstance(op.args[0].type, (ListT, DictT)):
                _check_stored(names, op.args[STORES[fn]], op, op.args[0])
            case Build() if op.kind in ("list", "dict", "set") and r.is_active(op.result) and not r.by_reference(op.result):
                for item in op.items:
                    _check_stored(names, item, op, op.result)
            case Call() if op.results and isinstance(op.result.type, (ListT, DictT, TupleT)) and _holds_items_of_others(op):
                _check_copied(names, op.result, op)
            case Call(fn=fn) if fn in EXTENDS and isinstance(op.args[0], Value) and isinstance(op.args[0].type, (ListT, DictT)):
                _check_copied(names, op.args[0], op)
            case If():
                for v, *sources in zip(op.results, op.then.yields, op.orelse.yields):
                    if r.refs(v) is v:
                        _check_chosen(names, v, sources, op, r.layout.end[id(op)])
            case For() | While():
                if isinstance(op, For):
                    _check_items(r, op)
                params = op.body.params[len(op.body.params) - len(op.inits):]
                for p, v, start, y in zip(params, op.results, op.inits, op.body.yields[op.stops:]):
                    if r.refs(p) is p:
                        _check_chosen(names, v, [start, y], op, r.layout.end[id(op)])
                        _check_chosen(names, p, [start], op, r.layout.position[id(op)])
                        _check_carried(names, p, y, op)
            case _:
                pass


def _holds_items_of_others(op: Call) -> bool:
    return op.fn in COPIES or op.fn in (operator.add, operator.mul) or op.fn is operator.getitem and is_slice(op.args[1])


def _check_tuples(r: "Reverse") -> None:
    """Refuse containers of tuples in which something is written to."""
    for v in r.layout.home:
        item = v.type.elem if isinstance(v.type, ListT) else v.type.value if isinstance(v.type, DictT) else None
        if isinstance(item, (TupleT, RecordT)) and v not in r.mirrors.of and r.is_active(v) and r.classes.holds_written(v):
            made = r.layout.maker.get(v)
            raise Aliased("arrays in tuples in a container are written to in place", made.loc if made is not None else r.fn.loc,
                          "keep them in lists")


def _check_items(r: "Reverse", loop: For) -> None:
    """Refuse a loop over a tuple whose items are written to."""
    for s in loop.sources:
        for v in s.operands:
            if isinstance(v.type, (TupleT, RecordT)) and v not in r.mirrors.of and r.is_active(v) and r.classes.holds_written(v):
                raise Aliased("arrays in a tuple that is looped over are written to in place", loop.loc, "keep them in a list")


def _is_ambiguous(r: "Reverse", v: Any) -> bool:
    """Whether a reference has a shadow of its own, which another name for the same object would not see."""
    return isinstance(v, Value) and not r.mirrored(v) and is_mutable(v.type) and r.classes.is_written(v) and r.is_active(v)


def _check_stored(names: Names, item: Any, op: Op, into: Operand) -> None:
    """Refuse to put something that is written to later into a container, where it stays in use elsewhere as well: which of both is
    meant by a write is not known at compile time."""
    r = names.r
    if isinstance(item, Value) and isinstance(item.type, (TupleT, RecordT)):
        whole = r.refs(item)
        for part in r.refs.parts_of(whole) if isinstance(whole, Value) and r.in_parts(whole) else []:
            _check_stored(names, part, op, into)
        return
    if not _is_ambiguous(r, item):
        return
    at, root, own = r.layout.position[id(op)], r.refs.root(item), r.refs.root(into)
    crossed = names.crossed(root)
    if not any(names.later(w, op, at, root, crossed) for w in r.classes.writers.get(r.classes.find(item), ())):
        return
    others = {v: loops for v, loops in names.others(item).items() if own not in (names.root(v), names.container(names.root(v)))}
    if names.used(others, op, at, root):
        raise Aliased("the object stored in this container is also used under its own name afterward, and one of the two is written to "
                      "in place", op.loc, "store a copy: values.append(u.copy())")


def _check_copied(names: Names, result: Value, op: Op) -> None:
    """Refuse a container made from the items of another one if items are written to: the cotangent of an item that occurs several times
    would be counted as often."""
    r = names.r
    if not r.mirrored(result) and r.is_active(result) and r.classes.holds_written(result):
        raise Aliased("the items of this container are in another one as well, and are written to in place", op.loc,
                      "copy them: [u.copy() for u in values]")


def _check_chosen(names: Names, v: Value, sources: list[Operand], op: Op, at: int) -> None:
    """Refuse a reference that may be one of several objects, where one of them is used again elsewhere after ``at``: which one is
    written to is not known at compile time."""
    r = names.r
    if isinstance(v.type, (TupleT, RecordT)) and v not in r.mirrors.of and r.is_active(v) and r.classes.holds_written(v):
        raise Aliased("a tuple is one of several here, and an item of it is written to in place", op.loc, "use names instead")
    if isinstance(v.type, (ListT, DictT)) and not r.mirrored(v) and r.is_active(v) and r.classes.holds_written(v):
        raise Aliased(f"{v.name or 'a container'!s} is one of several containers here, and an item of it is written to in place", op.loc,
                      "copy the arrays in it first")
    if not _is_ambiguous(r, v):
        return
    wraps = names.stays(v, op)
    for s in sources:
        if isinstance(s, Value) and names.used(names.others(s, flows=False), op, at, r.refs.root(s), wraps):
            raise Aliased(f"{v.name or 'a variable'!s} may be one of several arrays here, and one of them is used again later; as it is "
                          "written to in place, it is not known when compiling which one changes", op.loc,
                          "copy the array first: b = a.copy()")


def _check_carried(names: Names, p: Value, y: Operand, loop: For | While) -> None:
    """Refuse a loop-carried reference if the next iteration writes to it under one name and reads it under another."""
    r = names.r
    if not _is_ambiguous(r, p) or not isinstance(y, Value) or names.is_made_in(r.refs.root(y), loop):
        return
    olds = [user for v in names.others(y, flows=False) for user in r.layout.users.get(v, ()) if names.is_inside(user, loop)]
    news = [user for v in names.of(p) for user in r.layout.users.get(v, ())]
    for w in r.classes.writers.get(r.classes.find(p), ()):
        if not names.is_inside(w, loop):
            continue
        at, through_p = r.layout.position[id(w)], any(names.root(t) is p for t in names.targets(w))
        if through_p and olds or not through_p and any(names.later(user, w, at, p) for user in news):
            raise Aliased(f"{p.name or 'a variable'!s} is part of an object that is written to in the next iteration of this loop",
                          loop.loc, "copy it first: b = a.copy()")
