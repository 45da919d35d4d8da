"""Analysis: whether each iteration of a loop reads and stores parts of arrays that no other iteration does.

An array that is made in the same block as the loop and has no other references when the loop begins shares memory with no other
value, also where the alias classes cannot tell, as of the two arrays of ``new = u.copy(); …; u = new`` in a loop.
"""
from __future__ import annotations

import operator
from collections.abc import Sequence, Set
from typing import Any

from ...ir.effects import is_pure
from ...ir.ops import Block, Call, For, GetAttr, Invoke, Op, Value, blocks_of, operands_of, walk
from ...ir.prims import inplace_at
from ..analysis.alias import AliasClasses
from ..memory.in_place_accumulation import makes_own
from .iteration_access import Access, Iterations

__all__ = ["PrivateParts", "defined", "invariant_ops"]


def defined(block: Block) -> set[Value]:
    """The values that a block defines, and the blocks inside of it."""
    found = {*block.params}
    for op in walk(block):
        found.update(op.results, *(b.params for b in blocks_of(op)))
    return found


def invariant_ops(body: Block, classes: AliasClasses) -> list[Op]:
    """The operations of a loop that compute the same in all iterations, in their order."""
    changed = {root for op in walk(body) for root in classes.changed_by(op)}
    inside, found = defined(body), list[Op]()
    for op in body.ops:
        if blocks_of(op) or isinstance(op, Invoke) or not is_pure(op) or any(classes.find(r) in changed for r in op.results):
            continue
        if not any(o in inside or isinstance(o, Value) and classes.find(o) in changed for o in operands_of(op)):
            inside.difference_update(op.results)
            found.append(op)
    return found


class PrivateParts:
    """The memory that the iterations of a loop write to.

    ``stored`` has the operations that store, with the parts of arrays that all iterations together store to, and ``inside`` the values
    that differ between the iterations.
    """

    def __init__(self, loop: For, block: Block, iterations: Iterations, stored: Sequence[tuple[Call, Access, Any]], classes: AliasClasses,
                 inside: Set[Value]):
        self.body, self.iterations, self.classes, self.inside = loop.body, iterations, classes, inside
        self.changed = {root for op in walk(loop.body) for root in classes.changed_by(op)}
        self.stored = stored
        #: the roots of arrays that are stored to: an array that shares its memory with no other is its own root
        self.alone = {access.array for _, access, _ in stored if _is_alone(access.array, block, loop)}
        #: values in the loop that may be views of those
        self.views: dict[Value, Value] = {}
        for op in walk(loop.body):
            base = next((self._array(o) for o in operands_of(op) if isinstance(o, Value) and self._array(o) is not None), None)
            if base is not None:
                self.views.update((r, base) for r in op.results if classes.same(r, base))

    def _array(self, o: Value) -> Value | None:
        return o if o in self.alone else self.views.get(o)

    def memory(self, o: Any) -> Any:
        """What an operand refers to, if the loop writes to that; None otherwise."""
        if not isinstance(o, Value) or (root := self.classes.find(o)) not in self.changed:
            return None
        if (array := self._array(o)) is not None:
            return array
        written = [access.array for _, access, _ in self.stored if self.classes.find(access.array) == root]
        return None if written and all(array in self.alone for array in written) and self._is_only_stored(root) else root

    def _is_only_stored(self, root: Any) -> bool:
        """Whether nothing but the stores writes to a class of values."""
        ours = {id(op) for op, _, _ in self.stored}
        return not any(id(op) not in ours and root in self.classes.changed_by(op) for op in walk(self.body) if not blocks_of(op))

    def are_private(self, gone: Set[int], lists: Set[Any]) -> bool:
        """Whether each iteration reads and stores parts of its own, and reads them before it stores. ``gone`` are the operations that
        store and append, ``lists`` the classes of the lists that are appended to."""
        own = {self.memory(access.array): access for _, access, _ in self.stored}
        if any(not _alike(access, own[self.memory(access.array)]) for _, access, _ in self.stored):
            return False
        if any(self.memory(v) is not None for v in (*self.iterations.rows, *self.iterations.rows.values())):
            return False
        done: set[Any] = set()
        for op in self.body.ops:
            for inner in (op, *(o for b in blocks_of(op) for o in walk(b))):
                touched = {self.memory(o) for o in (*operands_of(inner), *inner.results)} - {None}
                if id(inner) in gone:
                    done |= touched
                    continue
                if done & touched:
                    return False        # it reads a stored value
                outside = {m for o in operands_of(inner) if o not in self.inside and (m := self.memory(o)) is not None}
                if outside and not self._reads_own(inner, outside, own, inner is op):
                    return False
        read = {self.classes.find(o) for op in walk(self.body) for o in operands_of(op) if isinstance(o, Value) and o not in self.inside}
        local = self.changed - read
        return self.changed <= local | lists | {self.classes.find(access.array) for _, access, _ in self.stored}

    def _reads_own(self, op: Op, outside: Set[Any], own: dict[Any, Access], each_time: bool) -> bool:
        if _asks_for_shape(op):
            return True
        access = self.iterations.access(op, self.inside)
        mine = own.get(next(iter(outside)))
        if mine is None or len(outside) > 1:
            return False
        return each_time and access is not None and _alike(access, mine) or self.iterations.misses(op, mine)


def _asks_for_shape(op: Op) -> bool:
    """Whether an operation reads the shape or dtype of an array, and makes no view of it, as ``.T`` does."""
    return isinstance(op, GetAttr) and op.name in ("shape", "size", "ndim", "dtype")


def _alike(a: Access, b: Access) -> bool:
    """Whether the iterations take the same places along the same axis of one array: two views of it have their places elsewhere."""
    return a.array is b.array and (a.axis, a.along) == (b.axis, b.along)


def _is_alone(array: Value, block: Block, loop: For) -> bool:
    """Whether an array is made in the block of a loop, and nothing else refers to its memory when the loop begins."""
    at = next(k for k, op in enumerate(block.ops) if op is loop)
    made = next((k for k, op in enumerate(block.ops[:at]) if array in op.results), None)
    if made is None or not makes_own(block.ops[made], array):
        return False
    for op in block.ops[made + 1:at]:
        for inner in (op, *(o for b in blocks_of(op) for o in walk(b))):
            if array in operands_of(inner) or any(array in b.yields for b in blocks_of(inner)):
                stores = type(inner) is Call and inner.fn in (operator.setitem, inplace_at) and array not in inner.args[1:]
                if not stores and not _asks_for_shape(inner):
                    return False
    return True
