"""Memory versions: the last write to the memory of a value, among the operations that a builder emits.

A view refers to the memory of its base. An array that is held by a list, dict, tuple, record or object, or carried by a loop or a branch,
is also written to through references loaded from there: ``bars = {'u': u_bar}; bars[key] += 1.0`` changes ``u_bar``. A write therefore
counts for everything that the written reference may hold, and for every container that holds any of it.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from ...ir.effects import (
    COPIES,
    EXTENDS,
    LOADS,
    STORES,
    aliases,
    is_mutable,
    is_unknown,
    may_keep,
    only_computes,
    writes,
    writes_inner,
)
from ...ir.ops import (
    Build,
    Call,
    CallValue,
    For,
    If,
    Invoke,
    Op,
    SetAttr,
    Star,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from ...ir.types import Arr, DictT, ListT, SetT
from ..analysis.alias import summarize

__all__ = ["Writes"]

_CONTAINERS = (ListT, DictT, SetT)


class Writes:
    """The times of the last writes; ``maker`` has the operation that made a value, where the builder made it."""

    def __init__(self, maker: dict[Value, Op]):
        self.maker = maker
        #: the time of the last write, in total and per class
        self.last = 0
        self._times: dict[Value, int] = {}
        #: when something was last written through a reference that the builder has not seen made
        self._through_unknown = 0
        self._holds: dict[Value, set[Value]] = {}
        self._held_by: dict[Value, set[Value]] = {}
        self._noted: dict[int, Op] = {}

    def memory(self, v: Value) -> Value:
        """The array of which a value is a view, as far as the builder created the views."""
        while (made := self.maker.get(v)) is not None and (bases := aliases(made)) and len(bases) == 1 and isinstance(bases[0], Value):
            v = bases[0]
        return v

    def time(self, v: Value) -> int:
        """When something was last written to the memory that a value refers to, or may have been; 0 for never."""
        root = self.memory(v)
        time = self._times.get(root, 0)
        if self._through_unknown > time and is_mutable(root.type) and (root not in self.maker or root in self._held_by):
            return self._through_unknown
        return time

    def note(self, op: Op, now: int) -> None:
        """Record the writes of an operation, and the memory to which its results may refer."""
        if only_computes(op):
            return
        self._noted[id(op)] = op
        blocks = blocks_of(op)
        for block in blocks:
            for inner in walk(block):
                if id(inner) not in self._noted and not only_computes(inner):
                    self._note(inner, now)
        self._note(op, now)
        for p in (p for block in blocks for p in block.params):
            if self._times.get(p, 0):       # written to in the block before its memory was known
                self._write(p, now, deep=True)

    def _note(self, op: Op, now: int) -> None:
        self._noted[id(op)] = op
        if isinstance(op, (Call, CallValue)):
            self._call(op, now)
        elif isinstance(op, Build):
            if op.kind not in ("str", "slice"):
                self._link(op.results, op.items)
        elif isinstance(op, SetAttr):
            self._link([op.obj], [op.value])
            self._write(op.obj, now, deep=False)
        elif isinstance(op, Invoke):
            self._invoke(op, now)
        elif isinstance(op, (For, While)):
            self._loop(op)
        elif isinstance(op, (If, Try, With)):
            for block in blocks_of(op):
                for r, y in zip(op.results, block.yields):
                    self._link([r], [y])

    def _call(self, op: Call | CallValue, now: int) -> None:
        unknown = is_unknown(op)
        if unknown or may_keep(op):
            self._link(op.results, operands_of(op))
        elif isinstance(op, Call):
            self._known_call(op)
        if unknown:
            self._through_unknown = self.last = now
            for x in operands_of(op):
                self._write(x, now, deep=True)
        for w in writes(op):
            self._write(w, now, deep=writes_inner(op))

    def _known_call(self, op: Call) -> None:
        fn, args = op.fn, op.args
        if fn in STORES and len(args) > STORES[fn]:
            self._link(args[:1], [args[STORES[fn]]])
        if fn in EXTENDS and len(args) > 1 and type(args[0].type) is not Arr:
            self._link(args[:1], args[1:])
        bases = aliases(op)
        if len(bases) != 1:
            self._link(op.results, bases)
        if fn in LOADS or fn in COPIES:
            self._link(op.results, args[:1])
        elif fn in (operator.add, operator.mul) or any(type(r.type) is not Arr for r in op.results):
            self._link(op.results, args)

    def _invoke(self, op: Invoke, now: int) -> None:
        if not op.func.body.yields:     # it is being made
            everything = [*operands_of(op), *op.results]
            for x in everything:
                self._link([x], everything)
                self._write(x, now, deep=True)
            return
        summary = summarize(op.func)

        def at(k: int) -> Any:
            return op.args[k] if k >= 0 else op.results[-1 - k]

        for a, b in summary.contained:
            self._link([at(a)], [at(b)])
        for a, b in (*summary.joined, *((a, b) for a, _, b, _ in summary.shared)):
            self._link([at(a)], [at(b)])
            self._link([at(b)], [at(a)])
        if summary.unknown or summary.outside:
            self._through_unknown = self.last = now
        for k in {*summary.written, *summary.inner}:
            if k < len(op.args):
                self._write(op.args[k], now, deep=k in summary.inner)

    def _loop(self, op: For | While) -> None:
        if isinstance(op, For):
            k = 0
            for s in op.sources:
                width = 2 if s.kind == "items" else 1
                self._link(op.body.params[k:k + width], s.operands)
                k += width
            groups = [op.body.params[k:]]
        else:
            groups = [op.cond.params, op.body.params]
        ends = op.body.yields[op.stops:]
        for params in groups:
            for p, i, y in zip(params, op.inits, ends):
                self._link([p], [i, y])
        for r, i, y in zip(op.results, op.inits, ends):
            self._link([r], [i, y])

    def _link(self, holders: Iterable[Any], items: Iterable[Any]) -> None:
        """Record that values hold others, or refer to them."""
        found = [self.memory(x) for i in items if type(x := i.value if isinstance(i, Star) else i) is Value and is_mutable(x.type)]
        for h in holders if found else ():
            if type(h) is Value and is_mutable(h.type):
                root = self.memory(h)
                for x in found:
                    if x is not root:
                        self._holds.setdefault(root, set()).add(x)
                        self._held_by.setdefault(x, set()).add(root)

    def _write(self, w: Any, now: int, deep: bool) -> None:
        """A write through a reference; ``deep`` says whether it changes more than which items a container has."""
        if type(w) is not Value or not is_mutable(w.type):
            return
        root = self.memory(w)
        alone = not deep and root is w and isinstance(w.type, _CONTAINERS)
        found = _closure([root], {} if alone else self._holds)
        found = _closure(found, self._held_by)
        self.last = now
        for x in found:
            self._times[x] = now
            if x not in self.maker:
                self._through_unknown = now


def _closure(start: Iterable[Value], edges: dict[Value, set[Value]]) -> set[Value]:
    """The values reachable from some values."""
    seen, todo = set(start), list(start)
    for v in todo:
        for x in edges.get(v, ()):
            if x not in seen:
                seen.add(x)
                todo.append(x)
    return seen
