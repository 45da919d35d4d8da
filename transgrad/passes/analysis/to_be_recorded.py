"""Analysis: whether an array that is read at some point still has the same contents when the reverse part runs."""
from __future__ import annotations

from bisect import bisect_right
from typing import Any

from ...ir.effects import only_computes
from ...ir.ops import Op, Operand, Value
from ...ir.types import UNKNOWN, Obj, TupleT, Type
from ..switches import is_on
from .alias import AliasClasses
from .array_dependence import goes_elsewhere
from .program_order import Layout

__all__ = ["Stability", "may_be_tuple"]


def may_be_tuple(t: Type) -> bool:
    """Whether values of a type are, or may be, tuples, of known items or not: two paths may yield values of different types."""
    return isinstance(t, TupleT) or isinstance(t, Obj) and (t.cls is tuple or t == UNKNOWN)


class Stability:
    """Answers for the values of one function.  ``frozen`` are roots that others may write to after the function: values, or what stands
    for an array from outside of it (see `Summary.held`)."""

    def __init__(self, layout: Layout, classes: AliasClasses, frozen: frozenset[Any] = frozenset()):
        self.layout, self.classes = layout, classes
        self.frozen = frozen
        #: whether others may write to their contents, too
        self.deep = False
        #: writers of a class, in program order, after their positions
        self._writers: dict[object, tuple[list[int], list[Op]]] = {}

    def stable(self, v: Operand, at: Op, before: bool = False, deep: bool = False) -> bool:
        """Whether nothing writes to ``v`` after ``at``, nor (``deep``) to its contents; with ``before``, nor does ``at`` itself."""
        return not self.is_frozen(v, deep) and self.unwritten(v, at, before, deep)

    def unwritten(self, v: Operand, at: Op, before: bool = False, deep: bool = False) -> bool:
        """Whether the function itself does not write to ``v`` after ``at``."""
        return all(self._unwritten(v, root, at, before) for root in self._roots(v, deep))

    def _roots(self, v: Operand, deep: bool = False) -> list[Any]:
        """The classes of ``v``; for a tuple, which does not change itself, also those of its contents."""
        root = self.classes.root(v)
        if root is None:
            return []
        return [root, *self.classes.inner(v)] if deep or may_be_tuple(v.type) else [root]

    def _unwritten(self, v: Operand, root: Any, at: Op, before: bool) -> bool:
        if before and at in self.classes.writers.get(root, ()):
            return False
        made = self.layout.maker.get(v) if isinstance(v, Value) else None
        return all(self.reads_elsewhere(made, w, at) for w in self.writers_after(root, at))

    def is_frozen(self, v: Operand, deep: bool = False) -> bool:
        """Whether others may write to ``v`` after the function: to an array that it has made only where it has given it to them."""
        return bool(self.frozen) and any(self._is_frozen(v, root) for root in self._roots(v, deep))

    def _is_frozen(self, v: Operand, root: Any) -> bool:
        made = self.layout.maker.get(v) if isinstance(v, Value) else None
        own = made is not None and only_computes(made)
        return any(self.classes.find(f) == root and not (own and self.layout.maker.get(f) is None)
                   or self.deep and root in self.classes.inner(f) for f in self.frozen)

    def ever_changes(self, v: Operand, deep: bool = False) -> bool:
        """Whether anything may write to ``v``, or (``deep``) to its contents, in the function or after it."""
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
        loops = self.layout.loops(at)
        return writers[bisect_right(places, self.layout.position[id(loops[-1] if loops else at)]):]

    def reads_elsewhere(self, read: Op | None, write: Op, at: Op) -> bool:
        """Whether a write, wherever it runs after ``at``, goes to other elements than those that ``read`` reads."""
        return goes_elsewhere(self.layout, read, write, at) and is_on("settled")
