"""Analysis: lists that one loop fills and another traverses, and that nothing else reads, such as residuals."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ....ir.ops import Block, Call, For, Function, Op, Value, blocks_of, calls, operands_of, walk
from ....ir.prims import unpack
from ....ir.types import Arr, ListT

__all__ = ["KeptLists", "perhaps_nothing"]


class KeptLists:
    """``stored`` are the values that are appended to a list, ``items`` the loop variables that run over it, by list; lists of lists
    are followed."""

    def __init__(self, fn: Function):
        self._parent: dict[Value, Value] = {}
        self._bad: set[Value] = {y for y in fn.body.yields if type(y) is Value}
        uses: list[tuple[Value, Value, bool]] = []
        for op in walk(fn.body) if calls(fn.body, list.append) else ():
            for o in operands_of(op):
                if type(o) is Value and isinstance(o.type, ListT):
                    found = self._use(op, o)
                    if found is None:
                        self._bad.add(o)
                    elif found is not o:
                        uses.append((o, found, isinstance(op, Call)))
            self._bad.update(y for b in blocks_of(op) for y in b.yields if type(y) is Value)
        for source, v, _ in uses:
            if isinstance(v.type, ListT):       # a list in a list: all of them alike
                self._join(("in", self._find(source)), v)
        bad = {self._find(v) for v in self._bad}
        self.stored: dict[Any, list[Value]] = {}
        self.items: dict[Any, list[Value]] = {}
        for source, v, stores in uses:
            root = self._find(source)
            if root not in bad and not isinstance(v.type, ListT):
                (self.stored if stores else self.items).setdefault(root, []).append(v)
        for root in [r for r in self.items if r not in self.stored]:
            del self.items[root]
        #: the lists a value is kept in, and the loop variables that run over one
        self.lists_of: dict[Value, list[Any]] = {}
        for root, values in self.stored.items():
            for v in values:
                self.lists_of.setdefault(v, []).append(root)
        self.variables = {p for values in self.items.values() for p in values}

    def _use(self, op: Op, v: Value) -> Value | None:
        """The item that an operation reads from or adds to a list; the list itself for other known uses, None for unknown uses."""
        if isinstance(op, Call) and op.fn is len:
            return v
        if isinstance(op, Call) and op.fn is list.append:
            item = op.args[1]
            return v if op.args[0] is not v or type(item) is not Value else item
        if isinstance(op, For):
            place = next((k for k, s in enumerate(op.sources) if s.kind == "seq" and s.operands[0] is v), None)
            if place is not None and sum(o is v for s in op.sources for o in s.operands) == 1 and v not in op.inits and all(
                    s.kind != "items" for s in op.sources):
                return op.body.params[place]
        return None

    def _find(self, v: Any) -> Any:
        while (up := self._parent.get(v, v)) is not v:
            v = up
        return v

    def _join(self, key: Any, v: Value) -> None:
        """Put the lists that are in one list into one class."""
        held = self._parent.get(key)
        if held is None:
            self._parent[key] = self._find(v)
        else:
            a, b = self._find(held), self._find(v)
            if a is not b:
                self._parent[b] = a


def perhaps_nothing(block: Block, items: Iterable[Value] = ()) -> Iterator[Value]:
    """Items of a tuple or list that are removed but perhaps not read: None was stored on a path without a value."""
    taken = list(items)
    for op in block.ops:
        if type(op) is Call:
            if op.fn is unpack and not isinstance(op.args[0].type, Arr):
                taken += op.results
            continue
        for inner in blocks_of(op):
            first = 0
            if isinstance(op, For) and any(isinstance(s.operands[0].type, ListT) for s in op.sources):
                first = len(inner.params) - len(op.inits)
            yield from perhaps_nothing(inner, inner.params[:first])
    if taken:
        read = {o for op in block.ops if type(op) is Call for o in (op.args[:1] if op.fn is list.append else operands_of(op))}
        yield from (v for v in taken if v not in read)
