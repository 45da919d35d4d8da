"""Hoist array views that an inner loop creates in each iteration of an outer loop.

``w = weights[k].reshape(4, -1)``, where ``k`` is the variable of the inner loop, is the same view in each iteration of the outer loop. For
small arrays, creating a view costs as much as arithmetic; the inner loop iterates over a list of views instead.
"""
from __future__ import annotations

import operator
from math import floor
from typing import Any

import numpy as np

from ....ir.attributes import Guard
from ....ir.build import Builder
from ....ir.clone import clone_op
from ....ir.ops import Block, Build, Call, For, Function, GetAttr, Lit, Op, Operand, Source, Try, Value, blocks_of, operands_of, walk
from ....ir.types import Arr, ListT, Num, Obj, TupleT
from ...analysis.alias import AliasClasses
from ...analysis.def_use import definitions
from ...analysis.program_order import defined_in, owners_in
from ...analysis.trip_counts import Count, Counts, counter_of
from ...manager import Property, Stage, analysis, optimization
from ...rewriting.substitute import substitute, uses_of
from ...switches import is_on

__all__ = ["hoist_array_views"]

_INTEGERS = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.neg)
#: the minimum trip count of the outer loop, and the maximum of the inner one: each of its iterations has a view in the list
_TURNS, _MANY = 8, 1024


@optimization(Stage.LOWER_NUMPY, "views", requires=(Property.FINAL,), analyses=(AliasClasses, definitions))
def hoist_array_views(fn: Function) -> bool:
    """Rewrite a finished function in place; how often the loops turn becomes a guard."""
    if not fn.attrs.shapes:
        return False
    if any(map(_inner_loops, owners_in(fn.body))) and not any(isinstance(op, Try) for op in owners_in(fn.body)) and is_on("views"):
        state = _Views(fn)
        state.block(fn.body, {})
        if state.guards:
            fn.attrs.add_guards(state.guards)
        return True
    return False


def _inner_loops(op: Op) -> list[For]:
    """The loops that run in each iteration of a loop, and whose own iterations are counted from zero."""
    if type(op) is not For or op.stops:
        return []
    return [inner for inner in op.body.ops if type(inner) is For and counter_of(inner) is not None]


class _Views:
    def __init__(self, fn: Function):
        self.classes, self.counts = analysis(AliasClasses, fn), Counts(fn)
        self.guards: list[Guard] = []

    def block(self, block: Block, lists: dict[Any, Value]) -> None:
        """Hoist the views used by loops in a block; ``lists`` are the existing ones, by their contents."""
        ops: list[Op] = []
        for op in block.ops:
            for inner in _inner_loops(op):
                assert type(op) is For
                ops += self.loops(op, inner, lists)
            for body in blocks_of(op):
                self.block(body, dict(lists))
            ops.append(op)
        block.ops = ops

    def loops(self, outer: For, inner: For, lists: dict[Any, Value]) -> list[Op]:
        """What makes the lists that an inner loop runs over; nothing where it reads no such views, or does not turn often."""
        counter = counter_of(inner)
        assert counter is not None
        index, stop, down = counter
        changing = defined_in(outer)
        length = stop if stop not in changing else _measured(stop, outer)
        found = self.find(inner, index, changing) if length is not None and length not in changing else {}
        wanted = _wanted(inner, found)
        guards = self.guards_of(outer, inner) if wanted else None
        if guards is None:
            return []
        self.guards += guards
        keys = {v: (length, *_key(v, found, index)) for v in wanted}
        first = {keys[v]: v for v in reversed(wanted) if keys[v] not in lists}
        new = [v for v in wanted if first.get(keys[v]) is v]        # the same view may be there twice
        for v in new:
            lists[keys[v]] = Value(ListT(v.type), f"{_name(v, found)}_list")
        made: list[Op] = []
        with Builder(Block([], made), outer.part, outer.loc) as b:
            if new:
                end = stop if length is stop else b.call(len, length, type=stop.type)
                self.fill(b, {v: lists[keys[v]] for v in new}, found, index, end)
        for v in wanted:
            # a new value: code of the first loop may read it after that loop
            own = Value(v.type, _name(v, found))
            inner.body.params.insert(len(inner.body.params) - len(inner.inits), own)
            inner.sources.append(Source("seq", [lists[keys[v]]], reverse=down))
            inner.body.ops = [op for op in inner.body.ops if op.results != [v]]
            substitute(inner.body, {v: own})
        self.leave_out(inner.body, found)
        if wanted and index not in uses_of(inner.body):
            k = inner.body.params.index(index)
            del inner.body.params[k], inner.sources[k]
            if length is not stop and stop not in uses_of(outer.body):
                outer.body.ops = [op for op in outer.body.ops if stop not in op.results]
        return made

    def find(self, loop: For, index: Value, changing: set[Value]) -> dict[Any, Op]:
        """The views that iterations use, and their indices, which depend only on the iteration number; by their results."""
        found: dict[Any, Op] = {}
        for op in loop.body.ops:
            own = [o for o in operands_of(op) if o in changing]
            if own and all(o is index or o in found for o in own) and self.is_view(op):
                found[op.result] = op
        return found

    def is_view(self, op: Op) -> bool:
        """Whether an operation takes a part of an array that nothing writes to, or computes its position."""
        if isinstance(op, Build):
            return op.kind in ("slice", "tuple") and all(map(_is_place, op.items))
        if isinstance(op, GetAttr):
            return op.name == "T" and self.is_fixed(op.obj)
        if not isinstance(op, Call) or op.kwargs or len(op.results) != 1:
            return False
        if op.fn in _INTEGERS:
            return all(isinstance(o.type, Num) and o.type.kind == "int" for o in (*op.args, op.result))
        if op.fn is operator.getitem:
            return self.is_fixed(op.args[0]) and _is_place(op.args[1]) and isinstance(op.result.type, Arr) and bool(op.result.type.dims)
        return op.fn is np.ndarray.reshape and self.is_fixed(op.args[0]) and all(map(_is_place, op.args[1:]))

    def is_fixed(self, x: Operand) -> bool:
        """Whether something is an array that nothing writes to."""
        return isinstance(x.type, Arr) and not x.type.scalar and not self.classes.is_written(x)

    def guards_of(self, outer: For, inner: For) -> list[Guard] | None:
        """The guards that the outer loop runs often, and that the inner one runs, but not too often; None if they do not hold."""
        counts = [self.counts.of_loop(loop) for loop in (outer, inner)]
        found: list[Guard] = []
        for count, least in zip(counts, (_TURNS, 1)):
            if count is None or self.counts.now(count) < least:
                return None
            if isinstance(count, Count):
                found.append(Guard("many", *count.unit, count.least(least)))
        few = counts[1]
        assert few is not None
        if isinstance(few, Count):
            found.append(Guard("product", (few.unit,), None, floor(_MANY / few.slope)))
        return found if self.counts.now(few) <= _MANY else None

    def fill(self, b: Builder, lists: dict[Value, Value], found: dict[Any, Op], index: Value, stop: Operand) -> None:
        """Create lists of the views that the iterations of a loop use."""
        needed, todo = set[Any](), list[Any](lists)
        while todo:
            needed.add(x := todo.pop())
            todo += [o for o in operands_of(found[x]) if o in found]
        body = Block([Value(index.type, index.name)])
        copies: dict[Value, Operand] = {index: body.params[0]}
        for items in lists.values():
            b.emit(Build("list", [], results=[items]))
        with b.inside(body):
            for op in (found[x] for x in found if x in needed):
                b.emit(clone_op(op, copies))
            for v, items in lists.items():
                b.emit(Call(list.append, [items, copies[v]], results=[Value(Obj(type(None)))]))
        b.emit(For([Source("range", [Lit(0), stop, Lit(1)])], [], body))

    def leave_out(self, body: Block, found: dict[Any, Op]) -> None:
        """Take out of a loop what nothing reads any more."""
        for v, op in reversed(found.items()):
            if op in body.ops and v not in uses_of(body):
                body.ops.remove(op)


def _measured(stop: Operand, outer: For) -> Value | None:
    """The array whose length a number is."""
    made = next((op for op in outer.body.ops if stop in op.results), None)
    own = isinstance(made, Call) and made.fn is len and isinstance(made.args[0].type, Arr) and isinstance(made.args[0], Value)
    return made.args[0] if own and isinstance(made, Call) else None


def _wanted(loop: For, found: dict[Any, Op]) -> list[Value]:
    """The views that something else reads than what takes parts of them."""
    if not found:
        return []
    inside = set(map(id, found.values()))
    read = set(loop.body.yields)
    for op in walk(loop.body):
        if id(op) not in inside:
            read.update(operands_of(op))
            read.update(y for block in blocks_of(op) for y in block.yields)
    return [v for v in found if isinstance(v.type, Arr) and v in read and v not in loop.body.yields]


def _is_place(x: Operand) -> bool:
    """Whether something says which part of an array is meant, with numbers and slices alone."""
    if isinstance(x, Lit):
        parts = x.value if isinstance(x.value, tuple) else (x.value,)
        return all(p is None or p is Ellipsis or type(p) in (int, slice) for p in parts)
    types = x.type.elems if isinstance(x.type, TupleT) else (x.type,)
    return all(isinstance(t, Num) and t.kind == "int" or isinstance(t, Obj) and t.cls is slice for t in types)


def _name(v: Any, found: dict[Any, Op]) -> str:
    """The user's name for a view, or for the array of which it is a part."""
    while v.name is None and v in found and isinstance(first := operands_of(found[v])[0], Value):
        v = first
    return v.name or "part"


def _key(v: Any, found: dict[Any, Op], index: Value) -> tuple[Any, ...]:
    """The identity of a view, independent of the name of the iteration number."""
    if v is index:
        return ("turn",)
    if v not in found:
        return (repr(v.value),) if isinstance(v, Lit) else (v,)
    op = found[v]
    kind = op.fn if isinstance(op, Call) else op.name if isinstance(op, GetAttr) else getattr(op, "kind", None)
    return kind, *(_key(o, found, index) for o in operands_of(op))
