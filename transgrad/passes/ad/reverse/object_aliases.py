"""Analysis: the names under which an object may be known, and whether it is used under one of them after a given point."""
from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ....ir.effects import LOADS, VIEWS, is_mutable, only_computes, writes
from ....ir.opaque import OpaqueCall
from ....ir.ops import Block, Build, Call, For, GetAttr, If, Invoke, Op, Operand, Try, Value, While, With, blocks_of
from ....ir.types import DictT, ListT, RecordT, TupleT
from ...analysis.alias import summarize
from .control import items_of

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["Names", "later"]

_CONTAINERS = (ListT, DictT, TupleT, RecordT)


class Names:
    """The names of one function's objects, by the allocation (or parameter, choice, item of a container) they go back to."""

    def __init__(self, r: "Reverse", kept: Iterable[Value] = ()):
        self.r = r
        #: the values that are live after the call
        self._kept = {self.root(v) for v in (*kept, *r.fn.body.yields) if isinstance(v, Value) and is_mutable(v.type)}
        self._reached: dict[Operand, dict[Operand, frozenset[Op]]] = {}

    def root(self, v: Operand) -> Operand:
        """The origin of a name."""
        return self.r.refs.root(v)

    def of(self, root: Operand) -> list[Value]:
        """The names that go back to ``root``."""
        return self._by_root.get(root, [])

    @cached_property
    def _by_root(self) -> dict[Operand, list[Value]]:
        found: dict[Operand, list[Value]] = {}
        for v in self.r.layout.home:
            if is_mutable(v.type):
                found.setdefault(self.root(v), []).append(v)
        return found

    def crossed(self, root: Operand) -> frozenset[Op]:
        """The loops that carry an object into their next iteration."""
        return frozenset(loop for loops in self._reach(root).values() for loop in loops)

    def others(self, item: Value, flows: bool = True) -> dict[Value, frozenset[Op]]:
        """The names under which an object may be known, and the containers that may hold it, with the loops through whose next iteration it
        got there."""
        r, root = self.r, self.root(item)
        node, read = r.classes.find(item), self.container(root) is not None
        reached = dict(self._reach(root)) if flows else {root: frozenset[Op]()}
        if read:
            holders = [v for v in r.layout.home if isinstance(v.type, _CONTAINERS) and node in r.classes.inner(v)]
            reached.update((held, frozenset()) for v in holders for held in self._items(v))
        found: dict[Value, frozenset[Op]] = {}
        for v in r.layout.home:
            if is_mutable(v.type) and r.classes.find(v) is node:
                other = self.root(v)
                if other in reached:
                    found[v] = reached[other]
                elif read and self.container(other) is not None:
                    found[v] = frozenset()
            elif isinstance(v.type, _CONTAINERS) and node in r.classes.inner(v) and (read or root in self._items(v)):
                found[v] = frozenset()
        return found

    def used(self, names: Mapping[Value, Iterable[Op]], op: Op, at: int, root: Operand | None = None, wraps: bool = True) -> bool:
        """Whether one of the names is used after ``at``, the position of ``op``; if it ``wraps``, only in the next iteration of a loop.
        Other branches of an ``if`` do not count."""
        position = self.r.layout.position
        return any(self.root(v) in self._kept for v in names) or any(
            (self.later(user, op, at, self.root(v), crossed) if wraps else position[id(user)] > at)
            and not (root is not None and self._exclusive(user, op, root))
            for v, crossed in names.items() for user in self.r.layout.users.get(v, ()))

    def stays(self, v: Value, op: Op) -> bool:
        """Whether the effects of an iteration on a choice matter to the next one: it is written to, stored, or carried on."""
        reached = self._reach(v)
        loops = self.r.layout.loops(op)
        if any(loop in loops for crossed in reached.values() for loop in crossed):
            return True
        if any(isinstance(root, Value) and not any(self.r.home(root) in _bodies(loop) for loop in loops[:1]) for root in reached):
            return True
        if any(self.root(t) in reached for w in self.r.classes.writers.get(self.r.classes.find(v), ()) for t in self.targets(w)):
            return True
        return any(not isinstance(user, (If, For, While, GetAttr)) and not (isinstance(user, Call) and (
            only_computes(user) or user.fn in VIEWS or user.fn is operator.getitem or isinstance(user.fn, OpaqueCall)))
            for root in reached for name in self.of(root) for user in self.r.layout.users.get(name, ()))

    def later(self, other: Op, op: Op, at: int, root: Operand, crossed: Iterable[Op] = ()) -> bool:
        """Whether ``other`` may run after ``op``, which stands at ``at``, on the same object, made at ``root``."""
        return later(self.r, other, op, root, at, crossed)

    def container(self, root: Operand) -> Operand | None:
        """The allocation of the container from which a value was read."""
        r = self.r
        if not isinstance(root, Value):
            return None
        if root in r.refs.whole:
            return self.container(r.refs.whole[root][0])
        made = r.layout.maker.get(root)
        if isinstance(made, Call) and made.fn in LOADS and isinstance(made.args[0].type, _CONTAINERS):
            return self.root(made.args[0])
        loop = r.layout.owner.get(id(r.home(root))) if made is None else None
        if isinstance(loop, For) and root in loop.body.params[:len(loop.body.params) - len(loop.inits)]:
            base = next((base for v, base in items_of(loop) if v is root), None)
            return self.root(base) if base is not None and isinstance(base.type, _CONTAINERS) else None
        return None

    def is_inside(self, op: Op, loop: Op) -> bool:
        """Whether an operation is inside a loop."""
        return op is not loop and loop in self.r.layout.loops(op)

    def is_made_in(self, root: Operand, loop: Op) -> bool:
        """Whether each iteration of a loop creates a new object."""
        return not isinstance(root, Value) or self.container(root) is None and self.r.home(root) in _bodies(loop)

    def targets(self, op: Op) -> list[Operand]:
        """The values that an operation writes to."""
        return [op.args[k] for k in summarize(op.func).written] if isinstance(op, Invoke) else list(writes(op))

    def _reach(self, root: Operand) -> dict[Operand, frozenset[Op]]:
        """The values that an object becomes through branches and loops → the loops through whose next iteration it does."""
        if root not in self._reached:
            found = {root: frozenset[Op]()}
            waiting = [root]
            while waiting:
                now = waiting.pop()
                for v in self.of(now):
                    for target, loops in self._handed_on(v):
                        to, crossed = self.root(target), found[now] | loops
                        if to not in found or not crossed <= found[to]:
                            found[to] = found.get(to, frozenset()) | crossed
                            waiting.append(to)
            self._reached[root] = found
        return self._reached[root]

    def _handed_on(self, v: Value) -> Iterable[tuple[Value, frozenset[Op]]]:
        r = self.r
        for block in r.layout.yielded.get(v, ()):
            op = r.layout.owner.get(id(block))
            for k, y in enumerate(block.yields):
                if y is not v:
                    continue
                if isinstance(op, (For, While)):
                    k -= op.stops
                    if block is op.body and k >= 0:
                        yield op.body.params[len(op.body.params) - len(op.inits) + k], frozenset([op])
                        yield op.results[k], frozenset()
                elif isinstance(op, (If, With, Try)) and k < len(op.results):
                    yield op.results[k], frozenset()
        for user in r.layout.users.get(v, ()):
            if isinstance(user, (For, While)):
                for k, start in enumerate(user.inits):
                    if start is v:
                        yield user.body.params[len(user.body.params) - len(user.inits) + k], frozenset()
                        yield user.results[k], frozenset()

    def _items(self, v: Value) -> set[Operand]:
        """The allocations of which a display was made that shares their shadows."""
        made = self.r.layout.maker.get(v)
        if not isinstance(made, Build):
            return set()
        return {root for item in made.items if isinstance(item, Value) for root in (self.root(item), *self._items(item))}

    def _exclusive(self, a: Op, b: Op, root: Operand) -> bool:
        """Whether two operations are in different branches of one ``if``, so that only one of them runs on the object created at
        ``root``."""
        layout = self.r.layout
        mine = {id(layout.owner[id(x)]): x for x in layout.chain(layout.inside[id(a)]) if id(x) in layout.owner}
        home = self.r.home(root) if isinstance(root, Value) else None
        for x in layout.chain(layout.inside[id(b)]):
            if x is home:
                return False        # further out, a loop may run both
            owner = layout.owner.get(id(x))
            if isinstance(owner, (For, While)):
                return False
            if isinstance(owner, If) and id(owner) in mine and mine[id(owner)] is not x:
                return True
        return False


def later(r: "Reverse", other: Op, op: Op, root: Operand, at: int | None = None, crossed: Iterable[Op] = ()) -> bool:
    """Whether ``other`` may run after ``op`` (at position ``at``) on the same object, created at ``root``; the loops in ``crossed`` carry
    it into their next iteration."""
    if other is op:
        return False
    if r.layout.position[id(other)] > (r.layout.position[id(op)] if at is None else at):
        return True
    home = r.home(root) if isinstance(root, Value) else None
    mine, loops = r.layout.loops(op), r.layout.loops(other)
    return any(loop in mine and home not in _bodies(loop) for loop in loops) or any(
        loop in mine and loop in loops for loop in crossed)


def _bodies(loop: Op) -> list[Block]:
    """The blocks of a loop, and those inside them."""
    found = []
    for block in blocks_of(loop):
        found.append(block)
        for op in block.ops:
            found += _bodies(op)
    return found
