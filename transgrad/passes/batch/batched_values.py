"""Analysis: values that differ between the examples of a batch.

A value differs if it is computed from one that does, if it is drawn at random, or if a branch or loop with a differing condition selects
it. References that are written to are judged by alias class, as in the activity analysis.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...ir.effects import writes
from ...ir.infer_calls import is_random
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
    Star,
    Try,
    Value,
    While,
    With,
    operands_of,
    walk,
)
from ...ir.types import Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT
from ..analysis.alias import AliasClasses, summarize
from .unsupported import CannotBatch

__all__ = ["STRUCTURE", "Facts", "same_for_all"]

STRUCTURE = frozenset(("shape", "ndim", "dtype", "size", "nbytes", "itemsize"))
_STRUCTURAL: frozenset[Callable[..., Any]] = frozenset((
    len, isinstance, type, id, callable, hasattr, operator.is_, operator.is_not, np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj,
))
_CONTAINERS = (ListT, DictT, SetT, RecordT, TupleT, OptT, Obj)


def same_for_all(op: Op) -> bool:
    """Whether the result is the same for every example, for all operands: shapes, lengths, types."""
    if isinstance(op, GetAttr):
        return op.name in STRUCTURE and isinstance(op.obj.type, (Arr, Num))
    return isinstance(op, Call) and op.fn in _STRUCTURAL


class Facts:
    """The batched values of a function, given which of its parameters are."""

    def __init__(self, fn: Function, params: Iterable[Value]):
        self.fn = fn
        self.classes = AliasClasses(fn)
        self._marked: set[object] = set()
        self._under = False
        self.changed = True
        for p in params:
            self._mark(p)
        while self.changed:
            self.changed = False
            self._block(fn.body)

    def batched(self, v: Any) -> bool:
        """Whether an operand differs between the examples."""
        if not isinstance(v, Value):
            return False
        if v in self._marked:
            return True
        if isinstance(v.type, Num):
            return False
        node: Any = self.classes.find(v)
        seen: set[object] = set()
        while node not in seen:
            if ("class", node) in self._marked:
                return True
            seen.add(node)
            if node not in self.classes._content:
                return False
            node = self.classes.find(self.classes._content[node])
        return False

    def written(self, v: Operand) -> bool:
        """Whether the memory of ``v`` is written to."""
        return self.classes.is_written(v)

    def diverges(self, op: If | For | While) -> bool:
        """Whether the examples part at a branch or loop."""
        if isinstance(op, If):
            return self.batched(op.cond)
        stops = op.stops and self.batched(op.body.yields[0])
        if isinstance(op, While):
            return stops or self.batched(op.cond.yields[0])
        return stops or any(s.kind in ("range", "count") and any(map(self.batched, s.operands)) for s in op.sources)

    def chosen(self, y: Operand) -> bool:
        """Whether the examples may part over whether an array that is returned is one of the parameters."""
        if not isinstance(y, Value) or not isinstance(y.type, Arr) or not any(self.classes.same(y, p) for p in self.fn.params):
            return False
        for op in walk(self.fn.body):
            if isinstance(op, (If, For, While)) and self.diverges(op) and any(self.classes.same(y, r) for r in op.results):
                return True
            if isinstance(op, Invoke) and any(map(self.batched, op.args)):
                from .driver import facts_of
                inner = facts_of(op.func, tuple(map(self.batched, op.args)))
                if any(self.classes.same(y, r) and inner.chosen(returned) for r, returned in zip(op.results, op.func.body.yields)):
                    return True
        return False

    def _mark(self, v: Operand) -> None:
        if not isinstance(v, Value):
            if isinstance(v, Lit) and isinstance(v.value, (list, dict, set, np.ndarray)):
                raise CannotBatch("an object from outside of the function is given values that differ between the examples")
            return
        by_class = isinstance(v.type, _CONTAINERS) or self.written(v)
        key: object = ("class", self.classes.find(v)) if by_class else v
        if key not in self._marked:
            self._marked.add(key)
            self.changed = True

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _pass(self, targets: Iterable[Value], sources: Iterable[Operand]) -> None:
        for t, s in zip(targets, sources):
            if self.batched(s):
                self._mark(t)

    def _inside(self, diverges: bool, *blocks: Block) -> None:
        outer, self._under = self._under, self._under or diverges
        for block in blocks:
            self._block(block)
        self._under = outer

    def _op(self, op: Op) -> None:
        match op:
            case If():
                diverges = self.diverges(op)
                self._inside(diverges, op.then, op.orelse)
                for r, a, b in zip(op.results, op.then.yields, op.orelse.yields):
                    if diverges and not _equal(a, b) or self.batched(a) or self.batched(b):
                        self._mark(r)
            case For() | While():
                self._loop(op)
            case Try():
                for block in (op.body, *(h.body for h in op.handlers), *([op.final] if op.final else [])):
                    self._block(block)
                    self._pass(op.results, block.yields)
            case With():
                self._block(op.body)
                self._pass(op.results, op.body.yields)
            case Invoke():
                self._invoke(op)
            case _:
                self._simple(op)

    def _simple(self, op: Op) -> None:
        operands = [o.value if isinstance(o, Star) else o for o in operands_of(op)]
        if same_for_all(op) or isinstance(op, Build) and not operands:
            return
        random = isinstance(op, Call) and is_random(op.fn) or isinstance(op, CallValue)
        if random or any(map(self.batched, operands)):
            for r in op.results:
                self._mark(r)
            for place in writes(op):
                self._mark(place)
        elif self._under:
            for place in writes(op):
                self._mark(place)

    def _loop(self, op: For | While) -> None:
        n = len(op.body.params) - len(op.inits)
        params = op.body.params[n:]
        if isinstance(op, For):
            k = 0
            for s in op.sources:
                width = 2 if s.kind == "items" else 1
                if s.kind not in ("range", "count") and any(map(self.batched, s.operands)):
                    self._mark(op.body.params[k + width - 1])
                k += width
        self._pass(params, op.inits)
        diverges = self.diverges(op)
        if isinstance(op, While):
            self._pass(op.cond.params, params)
            self._inside(diverges, op.cond)
        self._inside(diverges, op.body)
        yields = op.body.yields[op.stops:]
        self._pass(params, yields)
        for p, y in zip(params, yields):
            if diverges and y is not p:
                self._mark(p)
        self._pass(op.results, params)

    def _invoke(self, op: Invoke) -> None:
        from .driver import facts_of
        flags = tuple(map(self.batched, op.args))
        written = summarize(op.func).written
        if self._under:
            for k in written:
                self._mark(op.args[k])
            flags = tuple(map(self.batched, op.args))
        if any(flags):
            inner = facts_of(op.func, flags)
            for k in written:
                if inner.batched(op.func.params[k]):
                    self._mark(op.args[k])
            self._pass_results(op, inner)

    def _pass_results(self, op: Invoke, inner: "Facts") -> None:
        for r, y in zip(op.results, op.func.body.yields):
            if inner.batched(y):
                self._mark(r)


def _equal(a: Operand, b: Operand) -> bool:
    return a is b or isinstance(a, Lit) and isinstance(b, Lit) and type(a.value) is type(b.value) and a.value is b.value
