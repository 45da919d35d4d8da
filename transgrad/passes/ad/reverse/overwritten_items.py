"""Items that have been replaced in their container by the time they are used, so that no index of the shadow container denotes their
shadow."""
from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ....ir.ops import Call, For, Lit, Op, Operand, Value, walk
from ....ir.types import DictT, ListT
from ..unsupported_calls import Aliased
from .control import items_of

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["check_replaced"]


def check_replaced(r: "Reverse") -> None:
    """Raise `Aliased` if an item of a list or dict is used in parts after its place was given to something else."""
    items = {v: (loop, base) for loop in walk(r.fn.body) if isinstance(loop, For) for v, base in items_of(loop) if base is not None}
    for v in list(r.layout.home):
        if not r.is_active(v) or r.mirrored(v) or not r.shadowed(v):
            continue
        read = _read(r, v, items)
        if read is None:
            continue
        op, base = read
        for w in r.classes.writers.get(r.classes.find(base), ()):
            if w is op or isinstance(w, Call) and w.fn is list.append and _from_the_front(op) or _elsewhere(r, op, w):
                continue
            if any(_between(r, op, w, user) for _, user in r.users(v)):
                raise Aliased("an item is read in parts after its place in the container was given to something else", w.loc,
                              "read the required items first, or copy it")


def _read(r: "Reverse", v: Value, items: Mapping[Value, tuple[Op, Operand]]) -> tuple[Op, Value] | None:
    """Where an item that ``v`` is, or is a view of, was read of a container, and the container."""
    while True:
        root = r.refs(v)
        if isinstance(root, Value) and root in items:
            loop, base = items[root]
            return (loop, base) if isinstance(base, Value) and isinstance(base.type, (ListT, DictT)) else None
        view = r.view_base(v)
        if view is None:
            return None
        base, op = view
        if isinstance(base.type, (ListT, DictT)):
            return op, base
        v = base


def _from_the_front(op: Op) -> bool:
    """Whether an item was read at a place that an item more does not change."""
    index = op.args[1] if isinstance(op, Call) and len(op.args) == 2 else None
    return isinstance(op, For) or isinstance(index, Lit) and isinstance(index.value, (int, str)) and not (
        isinstance(index.value, int) and index.value < 0)


def _elsewhere(r: "Reverse", read: Op, write: Op) -> bool:
    """Whether another place is written to in the same turn: ``states[i + 1]`` beside ``states[i]``."""
    if not (isinstance(read, Call) and isinstance(write, Call) and write.fn is operator.setitem and read.fn is operator.getitem):
        return False
    at, there = read.args[1], write.args[1]
    if isinstance(at, Lit) and isinstance(there, Lit):
        return type(at.value) is type(there.value) is int and at.value != there.value and min(at.value, there.value) >= 0
    for a, b in ((at, there), (there, at)):
        made = r.layout.maker.get(a) if isinstance(a, Value) else None
        if isinstance(made, Call) and made.fn in (operator.add, operator.sub) and made.args[0] is b and isinstance(made.args[1], Lit):
            return bool(made.args[1].value) and r.layout.loops(read) == r.layout.loops(write)
    return False


def _between(r: "Reverse", read: Op, write: Op, use: Op) -> bool:
    """Whether a write may come between the read of an item and a use of it."""
    place = r.layout.position
    start, at, end = place[id(read)], place[id(write)], place[id(use)]
    if start < at < end:
        return True
    mine = r.layout.loops(read)
    around = [loop for loop in r.layout.loops(write) if loop not in mine and loop is not read]
    return at > start and any(loop in r.layout.loops(use) for loop in around)
