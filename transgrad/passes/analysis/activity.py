"""Analysis: active values, that is, values that depend on a differentiated input and reach an output.

References that may be written to are judged by alias class: once a varied value is stored through one reference, a read through any
other reference of the class may vary.
"""
from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Sequence
from typing import Any

from ... import rules
from ...ir.effects import only_computes, writes, writes_inner
from ...ir.ops import (
    Block,
    Build,
    Call,
    For,
    Function,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Star,
    Try,
    Value,
    While,
    With,
    operands_of,
    walk,
)
from ...ir.prims import Boundary, not_in
from ...ir.types import Arr, Num, Obj, is_differentiable, is_instance
from ...rules.exact import is_exact
from .alias import AliasClasses, summarize

__all__ = ["Activity", "is_constant_op", "is_locally_constant"]

_CONSTANT_ATTRS = frozenset(("shape", "ndim", "dtype", "size", "nbytes", "itemsize", "strides", "flags"))
#: Calls whose results do not change where their operands change a little.
_LOCALLY_CONSTANT = frozenset((len, isinstance, issubclass, type, id, hash, range, bool, int, operator.index, hasattr, callable,
                               operator.is_, operator.is_not, operator.not_, operator.contains, operator.truth, not_in, list.clear,
                               dict.clear, list.index, list.count, tuple.index, tuple.count))
#: Classes whose instances hold no numbers with adjoints, even beside numbers in one container.
_PLAIN = frozenset((str, bytes, type(None), slice, range))
_CONSTANT_CALLS = _LOCALLY_CONSTANT | {print, str, repr}


def is_constant_op(op: Op) -> bool:
    """Whether the results have no adjoint for any operands: they are locally constant, or strings."""
    if type(op) is Call:
        return op.fn in _CONSTANT_CALLS or _is_constant_rule(op.fn)
    return isinstance(op, Build) and op.kind == "str" or _is_constant_part(op)


def is_locally_constant(op: Op) -> bool:
    """Whether the results do not change where the operands change a little: comparisons, lengths, truncation to an integer."""
    if type(op) is Call:
        if op.fn in _LOCALLY_CONSTANT:
            return True
        if is_exact(op.fn):
            return op.fn is print and "file" not in op.kwargs
        return _is_constant_rule(op.fn)
    return _is_constant_part(op)


def _is_constant_rule(fn: Any) -> bool:
    rule = rules.lookup(fn)
    return rule is not None and rule.kind == "constant"


def _is_constant_part(op: Op) -> bool:
    return op.name in _CONSTANT_ATTRS if isinstance(op, GetAttr) else isinstance(op, Build) and op.kind == "slice"


def _differentiated(op: Op) -> list[Operand]:
    """The operands that the results are differentiated by: not those that a derivative of the user's own takes as they are."""
    return list(op.args[op.fn.first:]) if isinstance(op, Call) and type(op.fn) is Boundary else operands_of(op)


def _constant_fields(fn: Function, wrt: Iterable[Value]) -> dict[Operand, tuple[Operand, ...]]:
    """Values read from differentiated instances that have no derivative, according to the types of their fields: objects, and the values
    read from those; with the objects from which they were read."""
    known = {v for v in wrt if is_instance(v.type)}
    found: dict[Operand, tuple[Operand, ...]] = {}
    for op in walk(fn.body) if known else ():
        base = op.obj if isinstance(op, GetAttr) else op.args[0] if isinstance(op, Call) and op.fn is operator.getitem else None
        if base in found:
            found[op.result] = (*found[base], op.result)
        elif base in known and isinstance(op, GetAttr):
            if is_instance(op.result.type):
                known.add(op.result)
            elif isinstance(op.result.type, Obj) and not is_differentiable(op.result.type):
                found[op.result] = (op.result,)
    return found


class Activity:
    """Varied and useful values of a function, for the given differentiated parameters and selected results; ``among`` restricts the
    candidates."""

    def __init__(self, fn: Function, classes: AliasClasses, wrt: Iterable[Value], results: Iterable[Operand],
                 among: Container[object] | None = None):
        self.classes, self.among = classes, among
        self._varied: set[object] = set()
        self._useful: set[object] = set()
        self._active: dict[Operand, bool] = {}      # memoized results
        self._done: set[Op] = set()        # operations that have no more to tell the step under way
        self.changed = False
        wrt = list(wrt)
        #: objects in fields of differentiated instances, in which there are no floats
        self._constant = _constant_fields(fn, wrt)
        for v in wrt:
            self._varied.add(self._key(v))
        self._fixpoint(fn.body, self._vary)
        for r in results:
            if isinstance(r, Value):
                self._useful.add(self._key(r))
                if not isinstance(r.type, (Num, Arr)):      # a use of a container is a use of its contents
                    self._useful.update(self.classes.inner(r))
        #: whether an object from outside of the function is given values that vary
        self.varies_outside = any(type(key) is tuple and key[0] == "literal" for key in self._varied)
        self._fixpoint(fn.body, self._use)

    def _fixpoint(self, body: Block, step: object) -> None:
        self._done.clear()
        self.changed = True
        while self.changed:
            self.changed = False
            step(body)  # type: ignore[operator]

    def _key(self, v: Operand) -> object:
        if isinstance(v, Lit):
            return "literal", id(v.value)
        kind = type(v.type)
        return v if kind is Num or kind is Arr and not self.classes.is_written(v) else self.classes.find(v)

    def varied(self, v: Operand) -> bool:
        """Whether ``v`` may depend on a differentiated parameter."""
        return self._in(self._varied, v)

    def useful(self, v: Operand) -> bool:
        """Whether a selected result may depend on ``v``."""
        return self._in(self._useful, v)

    def active(self, v: Operand) -> bool:
        """Whether ``v`` has an adjoint."""
        found = self._active.get(v)
        if found is None:
            found = self._active[v] = self.varied(v) and self.useful(v) and not (
                type(v.type) is Obj and v.type.cls in _PLAIN)
        return found

    def _in(self, found: set[object], v: Operand) -> bool:
        if isinstance(v, Lit):
            return self._key(v) in found
        if v in self._constant and not any(map(self.classes.is_written, self._constant[v])):
            return False
        if v in found:
            return True
        if type(v.type) is Num:
            return False
        node: object = self._key(v)
        if node in found:
            return True
        seen = set()
        content = self.classes._content
        node = self.classes.find(v)
        while node in content and node not in seen:
            seen.add(node)
            node = self.classes.find(content[node])
            if node in found:
                return True
        return False

    def _any_in(self, found: set[object], values: Sequence[Operand]) -> bool:
        return not found.isdisjoint(values) and not self._constant or any(self._in(found, v) for v in values)

    def _mark(self, found: set[object], v: Operand, stored: bool = False) -> None:
        """Add a value; the container that it is stored in may be any object, including one that generated code refers to by name."""
        if self.among is not None and v not in self.among:
            return
        if stored or type(v) is Value and (is_differentiable(v.type) or isinstance(v.type, Obj) and self._holds(v)):
            key = self._key(v)
            if key not in found:
                found.add(key)
                self.changed = True
            if found is self._useful and type(v) is Value and not isinstance(v.type, (Num, Arr)):
                inner = self.classes.inner(v)       # a use of a container is a use of its contents
                if not found.issuperset(inner):
                    found.update(inner)
                    self.changed = True

    def _holds(self, v: Value) -> bool:
        """Whether something is stored in an object by the function."""
        return self.classes.is_written(v)

    # varied: forward

    def _vary(self, block: Block) -> None:
        for op in block.ops:
            if op not in self._done:
                self._vary_op(op)

    def _pass(self, targets: Iterable[Value], sources: Iterable[Operand]) -> None:
        for t, s in zip(targets, sources):
            if self.varied(s):
                self._mark(self._varied, t)

    def _vary_op(self, op: Op) -> None:
        match op:
            case Call():
                self._vary_results(op)
            case If():
                self._vary(op.then)
                self._vary(op.orelse)
                self._pass(op.results, op.then.yields)
                self._pass(op.results, op.orelse.yields)
            case For() | While():
                items = self._items(op)
                for item, base in items:
                    if self.varied(base):
                        self._mark(self._varied, item)
                params = op.body.params[len(items):] if isinstance(op, For) else op.body.params
                self._pass(params, op.inits)
                if isinstance(op, While):
                    self._pass(op.cond.params, params)
                    self._vary(op.cond)
                self._vary(op.body)
                self._pass(params, op.body.yields[op.stops:])
                self._pass(op.results, params)
            case Try():
                for block in (op.body, *(h.body for h in op.handlers)):
                    self._vary(block)
                    self._pass(op.results, block.yields)
                if op.final:
                    self._vary(op.final)
            case With():
                self._vary(op.body)
                self._pass(op.results, op.body.yields)
            case _:
                self._vary_results(op)

    def _vary_results(self, op: Op) -> None:
        if is_constant_op(op):
            self._done.add(op)
        elif self._any_in(self._varied, operands_of(op)):
            self._done.add(op)
            for k, target in enumerate(op.results):
                if not (isinstance(op, Invoke) and isinstance(target.type, Obj)) or self._comes_out(op, k):
                    self._mark(self._varied, target)
            if only_computes(op):
                return
            for place in self._stored(op):
                if not (isinstance(place.type, Arr) and place.type.dtype[0] in "iub"):     # numbers are cast to integers there
                    self._mark(self._varied, place, stored=True)
            if self._stores_inside(op):
                self._varied.update(self.classes.changed_by(op))
                self.changed = True

    def _comes_out(self, op: Invoke, k: int) -> bool:
        """Whether a result of a call, of unknown type, may depend on a varied argument."""
        active = tuple(i for i, a in enumerate(op.args) if self.varied(a))
        found: dict[tuple[int, ...], list[bool]] = op.func.analyses.setdefault(Activity, {})
        if active not in found:
            found[active] = [True] * len(op.results)        # the initial assumption for a recursive call
            inner = Activity(op.func, AliasClasses(op.func), [op.func.params[i] for i in active], ())
            found[active] = [inner.varied(y) for y in op.func.body.yields]
        return k >= len(found[active]) or found[active][k]

    @staticmethod
    def _items(op: For | While) -> list[tuple[Value, Operand]]:
        """Loop variables with their sources."""
        if isinstance(op, While):
            return []
        out, k = [], 0
        for s in op.sources:
            width = 2 if s.kind == "items" else 1
            for j in range(width):
                out.append((op.body.params[k + j], s.operands[0] if s.operands and j == width - 1 else Lit(None)))
            k += width
        return out

    @staticmethod
    def _stored(op: Op) -> list[Operand]:
        """References an operation may store a value through."""
        if isinstance(op, Invoke):
            return [op.args[k] for k in summarize(op.func).written]
        return writes(op)

    @staticmethod
    def _stores_inside(op: Op) -> bool:
        """Whether an operation may write to the contents of a container operand."""
        return isinstance(op, Invoke) and bool(summarize(op.func).inner) or writes_inner(op)

    # useful: backward

    def _use(self, block: Block) -> None:
        for op in reversed(block.ops):
            if op not in self._done:
                self._use_op(op)

    def _need(self, sources: Iterable[Operand], targets: Iterable[Value]) -> None:
        for s, t in zip(sources, targets):
            if self.useful(t):
                self._mark(self._useful, s)

    def _use_op(self, op: Op) -> None:
        match op:
            case Call():
                self._use_operands(op)
            case If():
                for block in (op.then, op.orelse):
                    self._need(block.yields, op.results)
                    self._use(block)
            case For() | While():
                items = self._items(op)
                params = op.body.params[len(items):] if isinstance(op, For) else op.body.params
                self._need(op.body.yields[op.stops:], op.results)
                self._need(op.body.yields[op.stops:], params)
                self._need(op.inits, op.results)
                self._use(op.body)
                self._need(op.body.yields[op.stops:], params)
                self._need(op.inits, params)
                for item, base in items:
                    if self.useful(item):
                        self._mark(self._useful, base)
            case Try():
                for block in (op.body, *(h.body for h in op.handlers)):
                    self._need(block.yields, op.results)
                    self._use(block)
                if op.final:
                    self._use(op.final)
            case With():
                self._need(op.body.yields, op.results)
                self._use(op.body)
            case _:
                self._use_operands(op)

    def _use_operands(self, op: Op) -> None:
        if is_constant_op(op):
            self._done.add(op)
        elif self._any_in(self._useful, op.results) or not only_computes(op) and (any(map(self.useful, self._stored(op))) or (
                self._stores_inside(op) and not self._useful.isdisjoint(self.classes.changed_by(op)))):
            self._done.add(op)
            for o in _differentiated(op):
                o = o.value if isinstance(o, Star) else o
                if type(o) is Value:
                    self._mark(self._useful, o)
                elif self.varies_outside and self.varied(o):
                    self._mark(self._useful, o, stored=True)


