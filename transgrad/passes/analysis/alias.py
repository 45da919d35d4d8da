"""Analysis: alias classes by unification, and the classes that are written to.

This is Steensgaard's analysis: a view joins the class of its base, a loop-carried value joins its initial value, and a value stored in a
container joins the content of the container. A class that no operation writes to holds *values*, whose adjoints are sums; a class that
is written to holds *buffers*, which have one shadow.
"""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir import effects
from ...ir.effects import aliases, is_mutable, writes
from ...ir.infer import type_of
from ...ir.ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
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
from ...ir.prims import inplace_at, unpack
from ...ir.types import UNKNOWN, Arr, DictT, ListT, Num, OptT, RecordT, SetT, TupleT

__all__ = ["AliasClasses", "Summary", "copies_on_read", "has_rows", "is_slice", "summarize"]

#: how deep containers of containers are followed into a callee
_DEPTH = 2
_HOLDS = (ListT, DictT, SetT, TupleT, RecordT, OptT)
#: functions that join arrays into one new array
_JOINS = frozenset((np.array, np.stack, np.concatenate, np.vstack, np.hstack))
#: as `effects.STORES`, and methods that add all items of another container
_STORES: dict[Any, int] = {**effects.STORES, list.extend: 1, dict.update: 1}


def copies_on_read(index: Operand) -> bool:
    """Whether ``array[index]`` is a copy: some part of the index is an array, a list or a mask."""
    if isinstance(index, Lit):
        parts = index.value if isinstance(index.value, tuple) else (index.value,)
        return any(isinstance(p, (list, np.ndarray, bool, np.bool_)) for p in parts)
    t = index.type
    return any(isinstance(e, ListT) or isinstance(e, Arr) and (e.dims or e.dtype == "bool") or e == type_of(True)
               for e in getattr(t, "elems", (t,)))


def adds_axes(index: Operand) -> bool:
    """Whether an index does nothing but add dimensions of length 1."""
    if not isinstance(index, Lit):
        return False
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    return any(p is None for p in parts) and all(p is None or isinstance(p, slice) and p == slice(None) for p in parts)


def is_slice(index: Operand) -> bool:
    """Whether an index is a slice."""
    return isinstance(index.value, slice) if isinstance(index, Lit) else getattr(index.type, "cls", None) is slice


class AliasClasses:
    """The classes of one function."""

    def __init__(self, fn: Function):
        self.fn = fn
        self._parent: dict[Any, Any] = {}
        self._content: dict[Any, Any] = {}
        self._contents = 0
        self._written: set[Any] = set()
        self.writers: dict[Any, list[Op]] = {}
        self._writes: list[tuple[Any, Op]] = []
        self._unknown: list[Op] = []
        self._outside: dict[Any, Any] = {}
        self._given: list[tuple[Value, Op]] = []
        self._displays: dict[Value, Build] = {}
        self._read_only: list[Value] = []
        self._block(fn.body)
        if self._displays:
            self._hold(fn.body)
        self._reach()
        for node, op in self._writes:
            root = self.find(node)
            self._written.add(root)
            self.writers.setdefault(root, []).append(op)
        #: the contents of a class that is written to
        self._changing: set[Any] = {x for x in self._parent if self.find(x) in self._written} | self._written

    def find(self, x: Any) -> Any:
        """The representative of the class of ``x``."""
        parent = self._parent
        if x not in parent:
            return x
        while (up := parent.get(x, x)) is not x:
            parent[x] = parent.get(up, up)
            x = up
        return x

    def root(self, x: Operand) -> Any:
        """The representative of the class of an operand; None for a literal that is no object of the user's."""
        x = self._node(x)
        return None if x is None else self.find(x)

    def _node(self, x: Any) -> Any:
        """The node of an operand: an external array or object is known by its identity."""
        if type(x) is not Lit:
            return x
        if (held := effects.outside(x)) is None:
            return None
        return self._known("outside", id(held))

    def outside_objects(self) -> list[Any]:
        """The nodes of the external objects that are not arguments."""
        return list(self._outside)

    def _known(self, *node: Any) -> Any:
        """The nodes of external objects, one for each."""
        return self._outside.setdefault(node, node)

    def _reach(self) -> None:
        """Unknown calls may write to any external object that is not an argument."""
        for op in self._unknown:
            for node in self._outside:
                self._writes += [(inner, op) for inner in (node, *self.inner(node))]
        for node, op in self._given:
            self._writes += [(inner, op) for inner in self.inner(node)]

    def is_written(self, v: Operand) -> bool:
        """Whether the memory of ``v`` is written to, through itself or another reference."""
        return v in self._changing and type(v) is Value and type(v.type) is not Num

    def any_written(self, values: Sequence[Operand]) -> bool:
        """The same of any of several."""
        return not self._changing.isdisjoint(values) and any(map(self.is_written, values))

    def shared(self) -> set[Any]:
        """Classes that are written to, contain values or have several names; every other value is a class of its own that nothing changes.
        """
        return {*self._parent, *self._parent.values(), *self._content, *self._written}

    def is_resized(self, v: Operand, block: Block) -> bool:
        """Whether operations of a block may change how many items a list or dict has."""
        root = self.find(v)
        return any(root in self.changed_by(op) for op in walk(block)
                   if not (isinstance(op, Call) and op.fn in (operator.setitem, inplace_at) and not is_slice(op.args[1])))

    def content(self, v: Any) -> Any:
        """The class of the contents of the container ``v``."""
        root = self.find(v)
        if root not in self._content:
            self._contents += 1
            self._content[root] = ("content", self._contents)
        return self._content[root]

    def holds_written(self, v: Operand) -> bool:
        """Whether a container holds something that is written to."""
        return isinstance(v, Value) and any(node in self._written for node in self.inner(v))

    def innermost_written(self, v: Operand) -> bool:
        """Whether the innermost items of a container, which are its arrays, are written to."""
        inner = self.inner(v)
        return bool(inner) and inner[-1] in self._written

    def stands_for_item(self, item: Value, container: Value) -> None:
        """Put a new value into the class of a container's contents."""
        if is_mutable(item.type):
            self._parent[item] = root = self.find(self.content(container))
            if root in self._written:
                self._changing.add(item)

    def inner(self, v: Any) -> list[Any]:
        """The classes of a container's contents, and transitively of their contents."""
        found: list[Any] = []
        node = self._content.get(self.find(v))
        while node is not None and (node := self.find(node)) not in found:
            found.append(node)
            node = self._content.get(node)
        return found

    def is_held(self, v: Operand) -> bool:
        """Whether a container may hold a reference to the memory of ``v``."""
        root = self.find(v)
        return any(self.find(node) is root for node in self._content.values())

    def changed_by(self, op: Op) -> list[Any]:
        """The classes that a call may write to."""
        if isinstance(op, Invoke):
            summary = summarize(op.func)
            return [node for k in summary.written
                    for node in (self.find(op.args[k]), *(self.inner(op.args[k]) if k in summary.inner else ()))]
        deep = effects.writes_inner(op)
        return [node for w in writes(op) if isinstance(w, Value) for node in (self.find(w), *(self.inner(w) if deep else ()))]

    def same(self, a: Operand, b: Operand) -> bool:
        """Whether two references may share memory."""
        return isinstance(a, Value) and isinstance(b, Value) and self.find(a) is self.find(b)

    def _union(self, a: Any, b: Any) -> None:
        a, b = self._node(a), self._node(b)
        if a is None or b is None:
            return
        a, b = self.find(a), self.find(b)
        if a is b:
            return
        self._parent[a] = b
        inner = self._content.pop(a, None)
        if inner is not None:
            if b in self._content:
                self._union(inner, self._content[b])
            else:
                self._content[b] = inner

    def _ref(self, a: Operand, b: Operand) -> None:
        if type(a.type) is not Num and is_mutable(a.type) and is_mutable(b.type):       # most are numbers
            self._union(a, b)

    def _block(self, block: Block) -> None:
        for op in effects.not_only_computing(block.ops):
            self._op(op)

    def _op(self, op: Op) -> None:
        for target in writes(op):
            if (node := self._node(target)) is None:
                continue
            self._writes.append((node, op))
            if effects.writes_inner(op):
                for _ in range(_DEPTH):
                    node = self.content(node)
                    self._writes.append((node, op))
        match op:
            case Call():
                self._call(op)
                if effects.is_unknown(op):
                    self._unknown_call(op, [*op.args, *op.kwargs.values()])
            case CallValue():
                self._unknown_call(op, [op.callee, *op.args, *op.kwargs.values()])
            case Build():
                if op.kind == "tuple" and len(op.items) > 1 and all(isinstance(i, Value) and isinstance(i.type, Arr) for i in op.items):
                    self._displays[op.result] = op
                elif op.kind not in ("str", "slice"):
                    for item in op.items:
                        self._into(op.result, item.value if isinstance(item, Star) else item)
            case GetAttr():
                if isinstance(op.obj.type, (Arr, Num)):
                    for base in aliases(op):
                        self._ref(op.result, base)
                else:
                    self._into(op.obj, op.result)
            case SetAttr():
                self._into(op.obj, op.value)
            case If():
                self._block(op.then)
                self._block(op.orelse)
                for result, a, b in zip(op.results, op.then.yields, op.orelse.yields):
                    self._ref(result, a)
                    self._ref(result, b)
            case For():
                self._for(op)
            case While():
                self._carry(op.cond.params, op.inits, op.inits)
                self._block(op.cond)
                self._block(op.body)
                self._carry(op.body.params, op.inits, op.body.yields[op.stops:], op.results)
            case Try() | With():
                for block in blocks_of(op):
                    self._block(block)
                    for result, y in zip(op.results, block.yields):
                        self._ref(result, y)
            case Invoke():
                self._invoke(op)
        if effects.may_keep(op):
            self._kept(op)

    def _hold(self, block: Block) -> None:
        """Record that tuples of arrays hold these, except for tuples that are read only to join them into an array."""
        for op in walk(block):
            copies = type(op) is Call and op.fn in _JOINS and not op.kwargs
            for o in (*(() if copies else operands_of(op)), *(y for inner in blocks_of(op) for y in inner.yields)):
                self._hold_items(o)
        for y in block.yields:
            self._hold_items(y)

    def _hold_items(self, display: Any) -> None:
        made = self._displays.pop(display, None) if type(display) is Value else None
        if made is not None:
            for item in made.items:
                self._into(made.result, item)

    def _unknown_call(self, op: Op, operands: list[Any]) -> None:
        """An unknown call may store and write to any of its arguments."""
        for x in operands:
            node = self._node(x.value if isinstance(x, Star) else x)
            if isinstance(node, Value) and is_mutable(node.type):
                if isinstance(node.type, (Arr, ListT, DictT, SetT)):
                    self._writes.append((node, op))
                self._given.append((node, op))
        if effects.is_unknown(op):
            self._unknown.append(op)

    def _kept(self, op: Op) -> None:
        """The result of a call may be an argument, or contain it, at any depth; for methods, only the contents of the object."""
        held = [o for o in operands_of(op) if isinstance(o.type, _HOLDS) or o.type == UNKNOWN]
        for r in op.results:
            if is_mutable(r.type) and not isinstance(r.type, Arr):
                for o in held if isinstance(op, CallValue) else operands_of(op):
                    self._ref(r, o)
                if held:
                    self._union(self.content(r), r)

    def _into(self, container: Operand, item: Operand) -> None:
        holder = self._node(container)
        if holder is not None and isinstance(item, Value) and is_mutable(item.type):
            self._union(self.content(holder), item)

    def _call(self, op: Call) -> None:
        fn, args = op.fn, op.args
        base = args[0] if args and isinstance(args[0], Value) else None
        if base is not None and fn in _STORES and not isinstance(base.type, Arr) and len(args) > _STORES[fn]:
            item = args[_STORES[fn]]
            if fn in (list.extend, dict.update) or fn is operator.setitem and isinstance(base.type, ListT) and is_slice(args[1]):
                if isinstance(item, Value):
                    self._union(self.content(base), self.content(item))
                    if has_rows(item) and op.part == "primal":
                        self._into(base, item)
            else:
                self._into(base, item)
        if base is not None and (fn in effects.LOADS or fn in effects.COPIES) and not isinstance(base.type, Arr):
            if fn is operator.getitem and isinstance(op.result.type, ListT) and isinstance(base.type, ListT) and is_slice(args[1]):
                self._union(self.content(base), self.content(op.result))
            elif fn in effects.COPIES:
                self._union(self.content(base), self.content(op.result))
            else:
                for r in op.results:
                    self._into(base, r)
            return
        if fn in (list, tuple) and base is not None and has_rows(base) and op.part == "primal":
            self._into(op.result, base)
            return
        if fn in (operator.add, operator.mul) and isinstance(op.result.type, ListT):
            for a in args:
                if isinstance(a, Value) and is_mutable(a.type):
                    self._union(self.content(a), self.content(op.result))
            return
        if fn is operator.getitem and copies_on_read(args[1]):
            return
        if fn is unpack and base is not None:
            for r in op.results:
                self._ref(r, base)
        if fn in effects.VIEWS and base is not None and isinstance(base.type, (ListT, TupleT)):
            return      # an array made of a list
        if (targets := aliases(op)) and fn in effects.READ_ONLY:
            self._read_only += op.results
        for target in targets:
            target = target.value if isinstance(target, Star) else target
            for r in op.results:
                if fn in effects.PARTS and not isinstance(r.type, Arr):
                    self._into(r, target)
                else:
                    self._ref(r, target)

    def _carry(self, params: list[Value], inits: list[Operand], yields: list[Operand], results: list[Value] | None = None) -> None:
        for k, (p, i, y) in enumerate(zip(params, inits, yields)):
            self._ref(p, i)
            self._ref(p, y)
            if results:
                self._ref(results[k], p)
                self._ref(results[k], i)

    def _for(self, op: For) -> None:
        k = 0
        for s in op.sources:
            width = 2 if s.kind == "items" else 1
            if s.kind in ("seq", "items", "values", "iter"):
                item, base = op.body.params[k + width - 1], s.operands[0]
                if isinstance(base, Value):
                    if isinstance(base.type, Arr):
                        self._ref(item, base)
                    else:
                        self._into(base, item)
            k += width
        self._block(op.body)
        self._carry(op.body.params[k:], op.inits, op.body.yields[op.stops:], op.results)

    def _invoke(self, op: Invoke) -> None:
        summary = summarize(op.func)
        if summary.unknown:
            self._unknown.append(op)
        self._read_only += [op.results[k] for k in summary.read_only]
        for held in summary.held:
            self._known(*held)
        self._writes += [(self._known(*held), op) for held in summary.outside]
        for k, held in summary.reached:
            self._union(op.args[k] if k >= 0 else op.results[-1 - k], self._known(*held))
        for k in summary.written:
            if k not in summary.inner_only:
                self._writes.append((op.args[k], op))
        for k in summary.inner:
            node: Any = op.args[k]
            for _ in range(_DEPTH):
                node = self.content(node)
                self._writes.append((node, op))
        for a, b in summary.joined:
            for x in ((op.args[a],) if a >= 0 else (op.results[-1 - a],)):
                for y in ((op.args[b],) if b >= 0 else (op.results[-1 - b],)):
                    self._ref(x, y)
        for a, b in summary.contained:
            x = op.args[a] if a >= 0 else op.results[-1 - a]
            y = op.args[b] if b >= 0 else op.results[-1 - b]
            self._into(x, y)
        for a, m, b, n in summary.shared:
            self._union(self._within(op.args[a] if a >= 0 else op.results[-1 - a], m),
                        self._within(op.args[b] if b >= 0 else op.results[-1 - b], n))

    def _within(self, x: Operand, depth: int) -> Any:
        """The class of the contents of ``x`` at a depth of nesting."""
        node: Any = x
        for _ in range(depth):
            if (node := self._node(node)) is None:
                return None
            node = self.content(node)
        return node


class Summary:
    """The effects of a callee: which parameters it writes to (in ``inner`` those whose contents it writes to, in
    ``inner_only`` those it writes to in no other way), which of its parameters (index k ≥ 0) and results
    (index -1 - k) share memory, which contain which, and which have common contents (``shared``: a, depth in a, b, depth
    in b); which of them are reachable from external objects (``reached``), the external objects it writes to (``outside``) and refers to
    (``held``), which results may be read-only arrays (``read_only``), and whether it makes unknown calls."""

    def __init__(self) -> None:
        self.written: list[int] = []
        self.inner: list[int] = []
        self.inner_only: list[int] = []
        self.joined: list[tuple[int, int]] = []
        self.contained: list[tuple[int, int]] = []
        self.shared: list[tuple[int, int, int, int]] = []
        self.reached: list[tuple[int, Any]] = []
        self.outside: list[Any] = []
        self.held: list[Any] = []
        self.read_only: list[int] = []
        self.unknown = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and vars(self) == vars(other)


def summarize(fn: Function) -> Summary:
    """The summary of a function, cached on it; a recursive function is analyzed to a fixpoint."""
    if summarize in fn.analyses:
        found: Summary = fn.analyses[summarize]
        return found
    fn.analyses[summarize] = current = Summary()
    while True:
        classes = AliasClasses(fn)
        new = Summary()
        refs = [(k, p) for k, p in enumerate(fn.params)] + [(-1 - k, y) for k, y in enumerate(fn.body.yields)]
        refs = [(k, v) for k, v in refs if isinstance(v, Value) and is_mutable(v.type)]
        new.inner = [k for k, v in refs if k >= 0 and classes.holds_written(v)]
        new.inner_only = [k for k in new.inner if not classes.is_written(fn.params[k])]
        new.written = [k for k, v in refs if k >= 0 and (classes.is_written(v) or k in new.inner)]
        new.unknown = bool(classes._unknown)
        fixed = set(map(classes.find, classes._read_only))
        new.read_only = [-1 - k for k, v in refs if k < 0 and classes.find(v) in fixed]
        new.outside = [node for node in classes._outside if classes.find(node) in classes._written]
        new.held = sorted(classes._outside)
        new.reached = [(k, node) for node in classes._outside for k, v in refs if classes.find(v) is classes.find(node)]
        for i, (a, x) in enumerate(refs):
            new.joined += [(a, b) for b, y in refs[i + 1:] if classes.same(x, y)]
            inner = classes._content.get(classes.find(x))
            if inner is not None:
                new.contained += [(a, b) for b, y in refs if classes.find(y) is classes.find(inner)]
        deep = [(k, m, node) for k, v in refs for m, node in enumerate([classes.find(v), *classes.inner(v)[:_DEPTH]])]
        new.shared = [(a, m, b, n) for i, (a, m, x) in enumerate(deep) for b, n, y in deep[i + 1:] if x is y and a != b and m + n > 1]
        fn.analyses[summarize] = new
        if new == current or not any(isinstance(op, Invoke) for op in walk(fn.body)):
            return new
        current = new


def has_rows(x: Operand) -> bool:
    """Whether the items of a value are views of it."""
    return isinstance(x.type, Arr) and len(x.type.dims) > 1
