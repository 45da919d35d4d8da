"""Analyses before the reverse pass: which values have an adjoint, and of which kind.

An adjoint is a sum of terms, or a *shadow*, which is accumulated in place: that of a value that is written to, read in parts, or read in a
loop.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....ir.effects import READ_ONLY, VIEWS
from ....ir.ops import Block, Build, Call, For, Function, GetAttr, Invoke, Op, Operand, Star, Value, While, operands_of
from ....ir.prims import unpack
from ....ir.types import Arr, DictT, ListT, Num, Obj, RecordT, SetT, TupleT, is_differentiable, is_instance
from ...analysis.activity import Activity
from ...analysis.alias import AliasClasses, adds_axes, copies_on_read, is_slice
from ...analysis.program_order import Layout
from ...analysis.to_be_recorded import Stability
from .composites import is_difference
from .must_alias import References

__all__ = ["CONTAINERS", "COPY", "Facts", "Mirrors", "mirrors_views"]

#: views through which no adjoint is written: NumPy does not allow it, or the adjoint is not the same view (that of a.imag is -a_bar.imag)
_NOT_WRITTEN = READ_ONLY | {np.imag}
CONTAINERS = (ListT, DictT, TupleT, RecordT)
#: functions that copy a value of a type
COPY: dict[type, Any] = {Arr: np.ndarray.copy, ListT: list.copy, DictT: dict.copy}


@dataclass(frozen=True)
class Mirrors:
    """Shadows that the forward part makes (see `forward_shadows`); ``fresh`` are the values that come with one of their own, ``given`` the
    shadows of containers that are arguments, as they were before the function could put something else into them, and ``parts`` the
    values that stand for the elements of tuples, some of which have shadows."""

    of: dict[Value, Operand] = field(default_factory=dict)
    fresh: set[Value] = field(default_factory=set)
    given: dict[Value, Operand] = field(default_factory=dict)
    parts: dict[Value, list[Operand]] = field(default_factory=dict)


def mirrors_views(op: Call) -> bool:
    """Whether the result of a call is a view, and that of an adjoint is the same view: not if it reads the memory as another dtype."""
    return op.fn in VIEWS and op.fn not in _NOT_WRITTEN and not (op.fn is np.ndarray.view and (len(op.args) > 1 or bool(op.kwargs)))


#: views of arrays that lie in C order, and copies of others
RESHAPES = frozenset((np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel))


class Facts:
    """The analyses of one function, and the questions the reverse pass asks of them."""

    def __init__(self, fn: Function, wrt: Iterable[Value], results: Iterable[Operand], frozen: Iterable[Any] = (),
                 mirrors: Mirrors | None = None):
        self.fn = fn
        self.mirrors = mirrors or Mirrors()
        self.layout = Layout(fn)
        self.classes = AliasClasses(fn)
        self.activity = Activity(fn, self.classes, wrt, results)
        self.refs = References(fn, self.classes, self.layout, self.mirrors.parts)
        self.refs.separate(self.mirrors.of)
        # ``frozen``: values whose contents the caller may change before the reverse part runs
        self.stability = Stability(self.layout, self.classes, frozenset(frozen))
        #: whether anything is written to, in the function or after it
        self.changes = bool(self.classes.writers or self.stability.frozen)
        #: copies saved by the forward part → their originals
        self.copy_of: dict[Value, Value] = {}
        #: loop variables → the loop and its source
        self.item_of: dict[Value, tuple[For, Operand]] = {}
        #: arrays with views that are written to, and that are views only because the array is in C order
        self.ordered: set[Operand] = set()
        #: reshaped arrays that are views for the same reason
        self.reshaped: set[Value] = set()
        self._active: dict[Value, bool] = {}        # memoized results
        self._shadowed: dict[Value, bool] = {}
        self._members: dict[Value, list[Value]] = {}
        for v in list(self.layout.home):
            r = self.refs(v)
            if isinstance(r, Value) and r is not v:
                self._members.setdefault(r, []).append(v)

    def is_unknown_view(self, v: Value) -> bool:
        """Whether something is a view of an array, of which not even the number of dimensions is known."""
        made = self.layout.maker.get(v)
        return isinstance(v.type, Obj) and isinstance(made, Call) and made.fn in VIEWS and len(made.results) == 1

    def in_parts(self, v: Value) -> bool:
        """Whether the elements of a tuple or record have adjoints of their own: nothing replaces them."""
        return isinstance(v.type, (TupleT, RecordT)) and (not self.classes.is_written(v) or is_instance(v.type))

    def is_active(self, v: Any) -> bool:
        """Whether an operand has an adjoint (any element of a display does)."""
        if type(v) is not Value:
            return isinstance(v, (list, tuple)) and any(map(self.is_active, v))
        found = self._active.get(v)
        if found is None:
            found = self._active[v] = self._decide_active(self.copy_of.get(v, v))
        return found

    def _decide_active(self, v: Value) -> bool:
        if self.activity.active(v):
            return True
        r = self.refs(v)
        if not isinstance(r, Value):
            return False
        if r in self.refs.whole:
            whole, _ = self.refs.whole[r]
            return not _never(r) and self.is_active(whole)
        return r is not v and self.activity.active(r)

    def users(self, v: Value) -> Iterable[tuple[Value, Op]]:
        """Operations that read ``v`` under any of its names."""
        for name in (v, *self._members.get(v, ())):
            for op in self.layout.users.get(name, ()):
                yield name, op

    def shadowed(self, v: Value) -> bool:
        """Whether the adjoint is a shadow that is added to in place, rather than a sum of terms."""
        found = self._shadowed.get(v)
        if found is None:
            found = self._shadowed[v] = self._decide_shadow(v)
        return found

    def shadow_given(self, params: Iterable[Value]) -> None:
        """Record parameters whose shadows the caller supplies: their adjoints are added to these, for all uses of the parameters."""
        self._shadowed.update(dict.fromkeys(params, True))

    def mirrored(self, v: Operand) -> bool:
        """Whether a reference has a shadow from the forward part on."""
        return v in self.mirrors.of and isinstance(v, Value) and (
            not isinstance(v.type, (TupleT, RecordT)) or self.classes.is_written(v))

    def _decide_shadow(self, v: Value) -> bool:
        if self.mirrored(v):
            return True
        t = v.type
        if type(t) is Num or type(t) is Arr and t.scalar:
            return False
        if isinstance(t, (ListT, DictT, SetT)):
            return True
        if isinstance(t, (TupleT, RecordT)):
            return not self.in_parts(v)
        if isinstance(t, Obj):
            return t.cls is not None and t.cls is not tuple
        if not isinstance(t, Arr):
            return False
        if self.classes.is_written(v):
            return True
        self._shadowed[v] = True        # for a recursive call that asks again
        home = self.layout.home[v]
        for name, op in self.users(v):
            if type(op) is Call:
                if op.args and op.args[0] is name and (op.fn is operator.getitem and not adds_axes(op.args[1])
                                                       or op.fn is unpack and not all(isinstance(r.type, Num) for r in op.results)
                                                       or op.fn is np.diff and is_difference(op)):
                    return True
            elif isinstance(op, For) and any(s.kind == "seq" and name in s.operands for s in op.sources):
                return True
            elif isinstance(op, Invoke):
                from .invoke import shadow_params
                if any(a is name and s for a, s in zip(op.args, shadow_params(op.func))):
                    return True
            block = self.layout.inside[id(op)]
            if block is not home and self._in_loop(block, home) and not self._yields_only(name, op):
                return True
        return False

    def _yields_only(self, name: Value, op: Op) -> bool:
        return name not in operands_of(op)

    def _in_loop(self, block: Block, home: Block) -> bool:
        """Whether a loop stands between a block and the block ``home`` around it."""
        while block is not home and id(block) in self.layout.outer:
            if isinstance(self.layout.owner[id(block)], (For, While)):
                return True
            block = self.layout.outer[id(block)]
        return False

    def home(self, v: Value) -> Block:
        return self.layout.home[v]

    def view_base(self, v: Value) -> tuple[Value, Op] | None:
        """The value ``v`` is a view of and the operation that made it one, where their shadows are related in the same way."""
        op = self.layout.maker.get(v)
        if isinstance(op, Call) and op.args and isinstance(op.args[0], Value) and (
                op.fn is operator.getitem and not copies_on_read(op.args[1]) or mirrors_views(op)):
            base = self.refs(op.args[0])
            if isinstance(base.type, ListT) and (op.fn is not operator.getitem or is_slice(op.args[1])):
                return None     # a part of a list is a copy, and so is an array made of one
        elif isinstance(op, GetAttr) and op.name in ("T", "mT", "real", "flat") and isinstance(op.obj.type, Arr):
            base = self.refs(op.obj)
        else:
            return None
        if isinstance(base, Value) and self.shadowed(base) and isinstance(base.type, (Arr, *CONTAINERS)) and self.is_active(base):
            if op.fn in (np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray) if isinstance(op, Call) else False:
                return None if not self.classes.is_written(v) else (base, op)
            if isinstance(op, Call) and op.fn in RESHAPES and v not in self.reshaped:
                return None     # of a shadow that does not lie in C order it would be a copy
            return base, op
        return None

    def is_derived(self, v: Value) -> bool:
        """Whether the shadow is a part of another shadow: that of a view, or of the current item of a loop."""
        return self.view_base(v) is not None or v in self.item_of or v in self.refs.whole and self.refs.whole[v][0] in self.item_of

    def by_reference(self, v: Value) -> bool:
        """Whether a container made by a display holds things that are written to, and is itself never changed: then its shadow
        holds the very shadows of its items."""
        made = self.layout.maker.get(v)
        return (isinstance(made, Build) and made.kind in ("list", "dict") and not self.classes.is_written(v)
                and self.classes.holds_written(v) and not any(isinstance(i, Star) for i in made.items))


def _never(v: Value) -> bool:
    return not is_differentiable(v.type)
