"""Analysis: whether an array read at some place still has the same contents when the reverse part runs."""
from __future__ import annotations

import operator
from bisect import bisect_right
from typing import Any

from ...ir.effects import only_computes
from ...ir.ops import Block, Call, For, Lit, Op, Operand, Source, Value, While
from ...ir.prims import inplace_at
from ...ir.types import UNKNOWN, Num, Obj, TupleT, Type
from .alias import AliasClasses
from .layout import Layout

__all__ = ["Stability", "may_be_tuple"]


def may_be_tuple(t: Type) -> bool:
    """Whether values of a type are tuples, of known items or not, or may be: what two paths leave behind need not be of one type."""
    return isinstance(t, TupleT) or isinstance(t, Obj) and (t.cls is tuple or t == UNKNOWN)


class Stability:
    """Answers for the values of one function.  ``frozen`` are roots that others may write to after the function: values, or what stands
    for an array from outside of it (see `Summary.held`)."""

    def __init__(self, layout: Layout, classes: AliasClasses, frozen: frozenset[Any] = frozenset()):
        self.layout, self.classes = layout, classes
        self.frozen = frozen
        #: whether what is in them may be written to by others, too
        self.deep = False
        #: who writes to a class, in the order of the text, behind the places where they do
        self._writers: dict[object, tuple[list[int], list[Op]]] = {}

    def stable(self, v: Operand, at: Op, before: bool = False, deep: bool = False) -> bool:
        """Whether nothing writes to ``v`` after ``at``, nor (``deep``) to what it holds; ``before`` says that ``at`` may not either."""
        return not self.is_frozen(v, deep) and self.unwritten(v, at, before, deep)

    def unwritten(self, v: Operand, at: Op, before: bool = False, deep: bool = False) -> bool:
        """Whether the function itself does not write to ``v`` after ``at``."""
        return all(self._unwritten(v, root, at, before) for root in self._roots(v, deep))

    def _roots(self, v: Operand, deep: bool = False) -> list[Any]:
        """The classes of ``v``; those of what it holds are with it where it is a tuple, which does not change itself."""
        root = self.classes.root(v)
        if root is None:
            return []
        return [root, *self.classes.inner(v)] if deep or may_be_tuple(v.type) else [root]

    def _unwritten(self, v: Operand, root: Any, at: Op, before: bool) -> bool:
        if before and at in self.classes.writers.get(root, ()):
            return False
        return all(self._apart(v, w, at) for w in self.writers_after(root, at))

    def is_frozen(self, v: Operand, deep: bool = False) -> bool:
        """Whether others may write to ``v`` after the function: to an array that it has made only where it has given it to them."""
        return bool(self.frozen) and any(self._is_frozen(v, root) for root in self._roots(v, deep))

    def _is_frozen(self, v: Operand, root: Any) -> bool:
        made = self.layout.maker.get(v) if isinstance(v, Value) else None
        own = made is not None and only_computes(made)
        return any(self.classes.find(f) == root and not (own and self.layout.maker.get(f) is None)
                   or self.deep and root in self.classes.inner(f) for f in self.frozen)

    def ever_changes(self, v: Operand, deep: bool = False) -> bool:
        """Whether anything may write to ``v``, or (``deep``) to what it holds, in the function or after it."""
        return self.classes.is_written(v) or (deep or may_be_tuple(v.type)) and self.classes.holds_written(v) or self.is_frozen(v, deep)

    def stable_outside(self, node: Any, at: Op) -> bool:
        """Whether nothing writes after ``at`` to an array from outside of the function."""
        root = self.classes.find(node)
        return not self.writers_after(root, at) and not any(self.classes.find(f) == root for f in self.frozen)

    def writers_after(self, root: object, at: Op) -> list[Op]:
        """The operations that write to a class after ``at``, in this turn or a later one of a loop around it."""
        if root not in self.classes.writers:
            return []
        if root not in self._writers:
            writers = sorted(self.classes.writers[root], key=lambda w: self.layout.position[id(w)])
            self._writers[root] = [self.layout.position[id(w)] for w in writers], writers
        places, writers = self._writers[root]
        loops = self._loops(at)
        return writers[bisect_right(places, self.layout.position[id(loops[-1] if loops else at)]):]

    def _loops(self, op: Op) -> list[Op]:
        """The loops around an operation, from the inside out."""
        chain = self.layout.chain(self.layout.inside[id(op)])
        owners = [self.layout.owner.get(id(b)) for b in chain]
        return [o for o in owners if isinstance(o, (For, While))]

    def _apart(self, v: Operand, write: Op, at: Op) -> bool:
        """Whether a write in the same loop goes to elements behind the one that ``v`` reads: ``x[k]`` is read and ``x[k + 1]``
        written in a loop that counts k upwards."""
        made = self.layout.maker.get(v) if isinstance(v, Value) else None
        if not (isinstance(made, Call) and made.fn is operator.getitem
                and isinstance(write, Call) and write.fn in (operator.setitem, inplace_at)):
            return False
        if made.args[0] is not write.args[0]:
            return False
        fixed = _fixed(made.args[1]), _fixed(write.args[1])
        if None not in fixed and fixed[0] != fixed[1] and (fixed[0] < 0) == (fixed[1] < 0):  # type: ignore[operator]
            return True
        read, written = _affine(self.layout, made.args[1]), _affine(self.layout, write.args[1])
        if read is None or written is None or read[0] is not written[0]:
            return False
        loops = self._loops(at)
        if not loops or len(loops) != 1 or self._loops(write) != loops:
            return False
        loop = loops[0]
        if not isinstance(loop, For) or len(loop.sources) != 1 or loop.body.params[0] is not read[0]:
            return False
        source = loop.sources[0]
        step = source.operands[2] if source.kind == "range" else None
        if not isinstance(step, Lit) or not isinstance(step.value, int):
            return False
        if not _is_positive(self.layout, source, step.value, -min(written[1], read[1])):
            return False        # an index below 0 is one from the end, where another turn may write
        distance = written[1] - read[1]
        if step.value < 0 or source.reverse:
            distance = -distance
        if distance == 0:
            return self.layout.position[id(write)] < self.layout.position[id(at)] and _same_block_order(self.layout, write, at)
        return distance > 0


def _is_positive(layout: Layout, source: Source, step: int, least: int) -> bool:
    """Whether the numbers of a range are known to be so large at least."""
    start, stop, _ = source.operands
    return _is_above(layout, start, least) if step > 0 else _is_above(layout, stop, least - 1)


def _is_above(layout: Layout, x: Operand, least: int, depth: int = 4) -> bool:
    """Whether a whole number is known to be so large at least."""
    if isinstance(x, Lit):
        return type(x.value) is int and x.value >= least
    made = layout.maker.get(x)
    if made is None:        # of a loop
        owner = layout.owner.get(id(layout.home.get(x)))
        source = owner.sources[0] if isinstance(owner, For) and len(owner.sources) == 1 and owner.body.params[0] is x else None
        step = source.operands[2] if source is not None and source.kind == "range" else None
        return source is not None and isinstance(step, Lit) and type(step.value) is int and depth > 0 and (
            _is_above(layout, source.operands[0 if step.value > 0 else 1], least - (step.value < 0), depth - 1))
    if isinstance(made, Call) and made.fn is len:
        return least <= 0
    if isinstance(made, Call) and made.fn in (operator.add, operator.sub) and isinstance(y := made.args[1], Lit) and type(y.value) is int:
        return depth > 0 and _is_above(layout, made.args[0], least - (y.value if made.fn is operator.add else -y.value), depth - 1)
    if isinstance(made, Call) and made.fn is operator.add and isinstance(y := made.args[0], Lit) and type(y.value) is int:
        return depth > 0 and _is_above(layout, made.args[1], least - y.value, depth - 1)
    return False


def _same_block_order(layout: Layout, a: Op, b: Op) -> bool:
    block: Block = layout.inside[id(a)]
    return block in layout.chain(layout.inside[id(b)])


def _fixed(index: Operand) -> int | None:
    """The leading part of an index where it is a literal number."""
    if isinstance(index, Lit):
        first = index.value[0] if isinstance(index.value, tuple) and index.value else index.value
        return first if type(first) is int else None
    return None


def _affine(layout: Layout, index: Operand) -> tuple[Value, int] | None:
    """A loop variable plus a number, from the leading part of an index; None for any other index."""
    if isinstance(index, Value) and isinstance(index.type, Num) and index.type.kind == "int":
        made = layout.maker.get(index)
        if made is None:
            return index, 0
        if isinstance(made, Call) and made.fn in (operator.add, operator.sub):
            x, y = made.args
            if isinstance(x, Value) and isinstance(y, Lit) and isinstance(y.value, int) and layout.maker.get(x) is None:
                return x, y.value if made.fn is operator.add else -y.value
            if (made.fn is operator.add and isinstance(y, Value) and isinstance(x, Lit) and isinstance(x.value, int)
                    and layout.maker.get(y) is None):
                return y, x.value
    elif isinstance(index, Value):
        made = layout.maker.get(index)
        items = getattr(made, "items", None)
        if items and getattr(made, "kind", "") == "tuple":
            return _affine(layout, items[0])
    return None
