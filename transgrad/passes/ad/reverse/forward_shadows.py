"""Shadows that are created in the forward part, next to the arrays and containers that they belong to.

If data determine which array or container is meant (``c = a if x > 0 else b``, items of lists, results of helpers), a name does not
determine the shadow. The shadow is then another reference: each operation on references is repeated on their shadows, in the same branches
and iterations, and the reverse part accumulates into the shadow that was selected.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from ....ir.effects import _INPLACE, MAY_RETURN, PARTS, VIEWS, writes
from ....ir.ops import UNDEF, Block, Build, Call, Function, GetAttr, Invoke, Lit, Op, Operand, SetAttr, Star, Value, blocks_of
from ....ir.prims import RECORD, inplace_at, present, unpack
from ....ir.types import UNKNOWN, Arr, DictT, ListT, Obj, OptT, RecordT, TupleT, Type, is_instance
from ....runtime import fit, put_back, shadow_of_view, unbroadcast, zeros_alike, zeros_of
from ...algebra.folding_builder import AlgebraBuilder
from ...analysis.activity import Activity
from ...analysis.alias import AliasClasses, copies_on_read, is_slice, summarize
from ...analysis.memory_order import MAYBE_VIEWS, has_order
from ...analysis.program_order import Layout
from ..forward.driver import Forward
from ..unsupported_calls import Aliased
from .adjoint_facts import Mirrors, mirrors_views
from .must_alias import References

__all__ = ["mirror"]

#: operations on containers that are done on their shadows as well → the arguments that are put in
_STRUCTURE: dict[Any, tuple[int, ...]] = {
    list.append: (1,), list.insert: (2,), operator.setitem: (2,), put_back: (2,), list.pop: (), list.reverse: (),
    operator.delitem: (), list.clear: (), dict.pop: (), dict.clear: (), dict.popitem: (),
}
#: operations that return an item
_READS = frozenset((operator.getitem, list.pop, dict.get, dict.pop, unpack))
#: operations whose result is a new container with the items of their arguments
_NEW = frozenset((list, list.copy, dict.copy, operator.add, operator.mul, reversed, dict))
_CONTAINERS = (ListT, DictT)
#: Callables whose result has the elements in another shape.
_ELEMENTS_ANEW = (np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel)


def _item(t: Type) -> Type | None:
    return t.elem if isinstance(t, ListT) else t.value if isinstance(t, DictT) else None


class _Mirror(Forward):
    """Rewrites a function in place: the walk over blocks is that of the forward pass, with shadows for tangents."""

    def __init__(self, fn: Function, wrt: Iterable[Value], results: Iterable[Operand]):
        self.fn = fn
        self.classes = AliasClasses(fn)
        self.activity = Activity(fn, self.classes, wrt, results)
        self.builder = AlgebraBuilder(Block(), part="primal")
        self._dot: dict[Value, Operand] = {}
        self.masks = {}
        self.layout, self.makers = Layout(fn), {}
        self.refs = References(fn, self.classes, self.layout)
        self.made: set[Value] = set()
        self.given: dict[Value, Operand] = {}
        self.entry = Block()

    def varied(self, v: Any) -> bool:
        """Whether a value is a reference that has a shadow."""
        return isinstance(v, Value) and self.activity.active(v) and (
            isinstance(v.type, _CONTAINERS) or isinstance(v.type, Arr) and not v.type.scalar and self.classes.is_written(v)
            or isinstance(v.type, (TupleT, RecordT)) and self.classes.holds_written(v))

    def dot_or_zero(self, v: Operand) -> Any:
        """The shadow of a reference; for anything else that may be in a container, the zero its cotangent starts from."""
        if not isinstance(v, Value) or v in self._dot:
            return self._dot.get(v) if isinstance(v, Value) else v if v is UNDEF else self.zero(v)
        return self._part(v) if self.varied(v) else self.zero(v)

    def zero(self, v: Operand) -> Any:
        """The zero that a cotangent starts from; of a container whose arrays are values, each has one of its own."""
        if isinstance(v, Value) and isinstance(v.type, (*_CONTAINERS, RecordT)) and not self.classes.innermost_written(v):
            return self.builder.call(zeros_alike, v, Lit(False), type=v.type)
        return super().zero(v)

    def _part(self, v: Value) -> Operand:
        """The shadow of a part of an argument, or of a literal: made at the start."""
        whole = self.refs(v)
        if isinstance(whole, Value) and whole in self._dot:
            return self._dot[whole]
        if not isinstance(whole, Value) or whole not in self.refs.whole or self.layout.home[whole] is not self.fn.body or not isinstance(
                whole.type, (Arr, *_CONTAINERS)) or self._holds_references(whole):
            raise Aliased("an array in a structure is written to in place", self.builder.loc, "work on a copy of the array")
        with self.builder.inside(self.entry):
            make = np.zeros_like if isinstance(whole.type, Arr) else zeros_of
            made: Operand = self.builder.call(make, self._primal(whole), type=whole.type)
            self._dot[whole] = made
        self.made.add(whole)
        return made

    def _primal(self, part: Value) -> Any:
        if part not in self.refs.whole:
            return part
        whole, k = self.refs.whole[part]
        base, t = self._primal(whole), whole.type
        if isinstance(t, RecordT) and t.cls is not dict:
            return self.builder.attr(base, str(t.keys[k]), part.type)
        return self.builder.call(operator.getitem, base, Lit(t.keys[k] if isinstance(t, RecordT) else k), type=part.type)

    def _allocate(self, values: Any, op: Op | None = None) -> None:
        """Create a separate shadow for a new array or container."""
        for v in values:
            if v not in self._dot and self.varied(v) and isinstance(v.type, (Arr, *_CONTAINERS)):
                if isinstance(op, Call) and op.fn in _READS and not isinstance(op.args[0].type, Arr):
                    raise Aliased("an item of a container that has no shadow is written to in place", self.builder.loc,
                                  "create it where it is written to")
                if self._holds_references(v) and v not in self.fn.params and not self._only_added_to(v, op):
                    raise Aliased("arrays in a container that is made here are written to in place", self.builder.loc,
                                  "build the container item by item")
                make = np.zeros_like if isinstance(v.type, Arr) else zeros_alike if self._holds_references(v) else zeros_of
                apart = (Lit(False),) if make is zeros_alike and not self.classes.innermost_written(v) else ()
                self.set(v, self.builder.call(make, v, *apart, type=v.type))
                if not self._holds_references(v):
                    self.made.add(v)
                elif v in self.fn.params:
                    self.given[v] = self._as_given(v)

    def _only_added_to(self, v: Value, op: Op | None) -> bool:
        """Whether a value is a new container of zeros, to whose items something is added and that holds these items throughout."""
        return isinstance(op, Call) and op.fn in (zeros_of, zeros_alike) and all(
            isinstance(w, Call) and w.fn is inplace_at for w in self.classes.writers.get(self.classes.find(v), ()))

    def _as_given(self, v: Value) -> Operand:
        """The shadow of a container of references that is an argument, of the items that are in it at the start."""
        if any(node in self.classes._written for node in self.classes.inner(v)[:-1]):
            raise Aliased("containers in a container that is an argument are changed", self.builder.loc, "work on copies of them")
        if not self.classes.is_written(v):
            return self._dot[v]
        copied: Operand = self.builder.call(list if isinstance(v.type, ListT) else dict, self._dot[v], type=v.type)
        return copied

    def set(self, v: Value, t: Any) -> None:
        """Set the shadow of a value."""
        if isinstance(t, Value) and t in self.builder.maker and t.name is None and v.name:
            t.name = f"{v.name}_bar"
        self._dot[v] = t

    def fresh(self, v: Value) -> Value:
        """A new value for the shadow of ``v``."""
        t = Value(v.type, f"{v.name}_bar" if v.name else None)
        self._dot[v] = t
        return t

    def _op(self, op: Op) -> None:
        self._check_known(op)
        if blocks_of(op):
            super()._op(op)
            return
        self.builder.block.ops.append(op)
        match op:
            case Call():
                self._call(op)
            case Build(kind="list" | "dict" | "tuple" | "namedtuple") if self.varied(op.result):
                self._build(op)
            case GetAttr() if self.varied(op.result):
                self._attribute(op)
            case SetAttr() if not is_instance(op.obj.type) and (self.varied(op.value) or self.varied(op.obj)):
                raise Aliased(f"the array in the attribute {op.name!r} is written to in place", op.loc,
                              "work on a local copy and assign it to the attribute at the end")
            case Invoke():
                self._invoke(op)
        self._allocate(op.results, op)

    def _check_known(self, op: Op) -> None:
        """Refuse arrays and containers of unknown type, because additions to their cotangents would be lost."""
        for v in (*op.results, *(p for block in blocks_of(op) for p in block.params)):
            if v.type == UNKNOWN and self.classes.is_written(v) and self.activity.active(v):
                raise Aliased("this may be an array that is written to in place, and its type is not known when compiling", op.loc,
                              "use separate lists for numbers, arrays and lists")

    def _holds_references(self, container: Operand) -> bool:
        return isinstance(container, Value) and self.classes.holds_written(container)

    def _call(self, op: Call) -> None:
        if op.spelling == RECORD:
            return
        for w in writes(op):
            if isinstance(w.type, (Obj, OptT)) and self.activity.active(w):
                raise Aliased("the type of the target of this write is not known at compile time", op.loc, "make it an array: np.array(x)")
        if op.fn is present and self._holds_references(op.result):
            raise Aliased("an item of a container that may be None is written to in place", op.loc, "begin with an empty container")
        base = op.args[0] if op.args and isinstance(op.args[0], Value) else None
        t: Type | None = base.type if base is not None else None
        if base is not None and isinstance(t, (TupleT, RecordT)) and base not in self._dot:
            self._dot.update((r, self._part(r)) for r in op.results if self.varied(r) and not isinstance(r.type, (TupleT, RecordT)))
        elif base is not None and isinstance(t, (*_CONTAINERS, TupleT, RecordT)) and self.varied(base):
            self._container(op, base)
        elif op.fn in _INPLACE or op.fn in (operator.setitem, inplace_at) or writes(op):
            for r in op.results:
                if base is not None and self.varied(r):
                    self.set(r, self.dot_or_zero(base))
        elif any(map(self.varied, op.results)):
            bases = [b for b in self._bases(op) if self.varied(b)]
            if bases:
                self._view(op)

    def _bases(self, op: Call) -> list[Value]:
        """The arrays whose memory the results share."""
        if op.fn in VIEWS or op.fn in (unbroadcast, fit, unpack) or op.fn is operator.getitem and not copies_on_read(op.args[1]):
            return [a for a in op.args[:1] if isinstance(a, Value) and (
                op.fn in PARTS or any(self.classes.same(a, r) for r in op.results))]
        return []

    def _view(self, op: Call) -> None:
        if op.fn in VIEWS and not mirrors_views(op):
            raise Aliased("this shares memory with an array that is written to in place", op.loc, "copy it first")
        if op.fn in _ELEMENTS_ANEW and has_order(op):
            raise Aliased("whether this read in another memory order is a view or a copy is not known at compile time, and one of the two "
                          "is written to in place", op.loc, "copy it first")
        base = self.dot_or_zero(op.args[0])
        results = [Value(r.type, f"{r.name}_bar" if r.name else None) for r in op.results]
        if op.fn not in MAY_RETURN:
            self.builder.emit(Call(op.fn, [base, *op.args[1:]], dict(op.kwargs), results=results))
        if op.fn in MAYBE_VIEWS or op.fn in MAY_RETURN:
            alike = base if op.fn in MAY_RETURN else results[0]
            results = [self.builder.call(shadow_of_view, alike, base, op.result, op.args[0], type=op.result.type)]
        for r, s in zip(op.results, results):
            self._dot[r] = s

    def _container(self, op: Call, base: Value) -> None:
        fn, shadow = op.fn, self.dot_or_zero(base)
        if fn in _NEW or fn is operator.getitem and isinstance(base.type, ListT) and is_slice(op.args[1]):
            if self._holds_references(op.result):
                if any(isinstance(a, Star) for a in op.args):
                    raise Aliased("an unpacked item is written to in place here", op.loc, "copy it first")
                self._check_copied(op, base)
                args = [self.dot_or_zero(a) if isinstance(a, Value) and isinstance(a.type, _CONTAINERS) else a for a in op.args]
                self.set(op.result, self.builder.call(fn, *args, type=op.result.type))
            elif self.varied(op.result) and any(map(self.classes.is_written, (op.result, base))):
                self._check_apart(op, op.result)
        elif fn in (list.extend, dict.update, operator.iadd):
            other = op.args[1]
            self._check_copied(op, base)
            self._check_apart(op, base)
            items = self.dot_or_zero(other) if self._holds_references(base) else self.builder.call(zeros_of, other, type=other.type)
            self._statement(fn, shadow, items)
            for r in op.results:
                if fn is operator.iadd:
                    self._dot[r] = shadow
            self._put_behind(op)        # a list may be extended by itself
        elif fn in _STRUCTURE or fn in _READS:
            inserted = _STRUCTURE.get(fn, ())
            if not inserted and fn not in _STRUCTURE and not any(map(self.varied, op.results)):
                return
            if fn is operator.setitem and is_slice(op.args[1]):
                self._check_copied(op, base)
                self._check_apart(op, base)
            args = [shadow, *(self.dot_or_zero(a) if k in inserted else a for k, a in enumerate(op.args[1:], 1))]
            if fn is operator.setitem and isinstance(base.type, ListT) and is_slice(op.args[1]) and not self._holds_references(base):
                args[2] = self.builder.call(zeros_of, op.args[2], type=op.args[2].type)
            results = [Value(r.type, f"{r.name}_bar" if r.name else None) for r in op.results]
            self.builder.emit(Call(fn, args, dict(op.kwargs), results=results))
            for r, s in zip(op.results, results):
                if self.varied(r):
                    self._dot[r] = s
            self._put_behind(op)        # which may change an operand of the index
        elif writes(op) and fn is not inplace_at:      # which leaves the items of the container in place
            raise Aliased(f"{getattr(fn, '__name__', 'this')} changes a container whose items are written to in place", op.loc,
                          "build a new container instead")

    def _put_behind(self, op: Op) -> None:
        """Move the operations on its shadow before an operation."""
        ops = self.builder.block.ops
        ops.remove(op)
        ops.append(op)

    def _check_copied(self, op: Op, container: Value) -> None:
        """Refuse copies of tuples: the cotangents of the numbers in them would have two places."""
        if self._holds_references(container) and (
                isinstance(container.type, RecordT) or isinstance(_item(container.type), (TupleT, RecordT))):
            raise Aliased("arrays in tuples or dicts that are copied are written to in place", op.loc, "copy the arrays")

    def _check_apart(self, op: Op, container: Value) -> None:
        """Refuse copies of containers of containers, one of which changes: an item of both has one cotangent in each, by its position."""
        if not self._holds_references(container) and isinstance(_item(container.type), _CONTAINERS):
            raise Aliased("lists or dicts in a container are in a copy of it as well, and one of both is changed", op.loc,
                          "copy its items, too")

    def _statement(self, fn: Any, *args: Any) -> None:
        self.builder.call(fn, *args, type=Obj(type(None)))
        self.builder.block.ops[-1].results = []

    def _build(self, op: Build) -> None:
        items: list[Any] = []
        for k, item in enumerate(op.items):
            if isinstance(item, Star):
                raise Aliased("an unpacked item is written to in place here", op.loc, "copy it first")
            items.append(item if op.kind == "dict" and k % 2 == 0 else self.dot_or_zero(item))
        result = Value(op.result.type, f"{op.result.name}_bar" if op.result.name else None)
        self.builder.emit(Build(op.kind, items, op.cls, op.is_cell, results=[result]))
        self._dot[op.result] = result
        if not self._holds_references(op.result):
            self.made.add(op.result)

    def _attribute(self, op: GetAttr) -> None:
        if isinstance(op.obj.type, (TupleT, RecordT)):
            if not isinstance(op.result.type, (TupleT, RecordT)):
                self._dot[op.result] = self._part(op.result)
        elif op.name in ("T", "mT", "real", "flat") and isinstance(op.obj.type, Arr):
            self._dot[op.result] = self.builder.attr(self.dot_or_zero(op.obj), op.name, op.result.type)
        else:
            raise Aliased(f"the array in the attribute {op.name!r} is written to in place", op.loc,
                          "work on a local copy and assign it to the attribute at the end")

    def _invoke(self, op: Invoke) -> None:
        summary = summarize(op.func)
        if (summary.joined or summary.contained or summary.inner) and any(map(self.varied, (*op.args, *op.results))):
            raise Aliased(f"{op.func.name} calls itself with arrays or containers that are written to in place", op.loc,
                          "write it as a loop")


def mirror(fn: Function, wrt: Iterable[Value], results: Iterable[Operand]) -> Mirrors:
    """Add the shadows of all references to a function, in place."""
    state = _Mirror(fn, wrt, results)
    with state.builder:
        with state.builder.inside(state.entry):
            state._allocate(fn.params)
        state.block(fn.body)
        fn.body.ops[:0] = state.entry.ops
    stand_ins = {whole: state.refs.parts[whole] for whole, _ in state.refs.whole.values()}
    return Mirrors(state._dot, state.made, state.given, stand_ins)
