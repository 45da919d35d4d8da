"""Batch independent calls of one function across the iterations of a loop.

For example, each iteration computes the matrices of two joint angles. The angles of all iterations are concatenated, the function is called
once, and the result is split. A call on ``2 n`` numbers costs little more than a call on ``n``; only numbers are concatenated.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.effects import is_pure
from ....ir.ops import Block, Build, Call, Function, GetAttr, Invoke, Lit, Operand, Value, operands_of
from ....ir.types import Arr, Dim, Num
from ...analysis.alias import AliasClasses
from ...analysis.def_use import definitions_in
from ...scalarize.values.boundary import has_effects

__all__ = ["call_together"]


def call_together(fn: Function) -> None:
    """Rewrite a function of all iterations in place."""
    found: dict[int, list[Invoke]] = {}
    for op in fn.body.ops:
        if isinstance(op, Invoke):
            found.setdefault(id(op.func), []).append(op)
    several = [calls for calls in found.values() if len(calls) > 1 and _is_plain(calls[0].func)]
    if not several:
        return
    classes = AliasClasses(fn)
    for calls in several:
        while len(calls) > 1:
            first, rest = _Calls(fn.body, classes, calls[0]), []
            for op in calls[1:]:
                if not first.take(op):
                    rest.append(op)
            first.write()
            calls = rest


def _is_plain(fn: Function) -> bool:
    """Whether a function for several examples computes those of each example whichever others there are, and does nothing else."""
    differ, flags = fn.attrs.batch_axes
    if not differ or not set(differ) <= set(fn.params) or not all(flags) or has_effects(fn):
        return False
    arrays = all(isinstance(y.type, Arr) and y.type.dims for y in fn.body.yields)
    return arrays and all(isinstance(op, (Call, Build, GetAttr)) for op in fn.body.ops)


class _Calls:
    """Calls made at the position of the first one."""

    def __init__(self, block: Block, classes: AliasClasses, first: Invoke):
        self.block, self.classes, self.calls = block, classes, [first]
        self.differ = [p in first.func.attrs.batch_axes[0] for p in first.func.params]
        self.at = next(k for k, op in enumerate(block.ops) if op is first)
        self.later = definitions_in(block.ops[self.at:])
        #: operations moved ahead of their original position
        self.earlier: set[int] = set()

    def take(self, op: Invoke) -> bool:
        """Whether a call can be made with the first one."""
        first = self.calls[0]
        if not all(_are_alike(a, b) if flag else _is_same(a, b) for a, b, flag in zip(first.args, op.args, self.differ)):
            return False
        values = [v for v in (*first.args, *first.results, *op.args, *op.results) if isinstance(v, Value)]
        needed = self.needed(op)
        if needed is None or any(map(self.classes.is_written, values)):
            return False
        self.earlier |= needed
        self.calls.append(op)
        return True

    def needed(self, op: Invoke) -> set[int] | None:
        """The operations to move ahead of the first call for another one; None if that is not possible."""
        found: set[int] = set()
        waiting = list(op.args)
        while waiting:
            v = waiting.pop()
            made = self.later.get(v) if isinstance(v, Value) else None
            if made is None or id(made) in found:
                continue
            if not (isinstance(made, (Call, GetAttr)) or isinstance(made, Build) and made.kind in ("slice", "tuple")) or not is_pure(made):
                return None
            if any(isinstance(x, Value) and self.classes.is_written(x) for x in (*operands_of(made), *made.results)):
                return None
            found.add(id(made))
            waiting += operands_of(made)
        return found

    def write(self) -> None:
        """Write the calls as one, if there are several."""
        if len(self.calls) == 1:
            return
        ops, first, taken = self.block.ops, self.calls[0], set(map(id, self.calls))
        begin = Block([], [*ops[:self.at], *(op for op in ops[self.at:] if id(op) in self.earlier)])
        with Builder(begin, first.part, first.loc) as b:
            self.call(b)
        self.block.ops = begin.ops + [op for op in ops[self.at:] if id(op) not in self.earlier and id(op) not in taken]

    def call(self, b: Builder) -> None:
        first, several = self.calls[0], self.calls
        args: list[Operand] = []
        for k, (a, flag) in enumerate(zip(first.args, self.differ)):
            joined = b.build("tuple", [op.args[k] for op in several]) if flag else None
            args.append(a if joined is None else b.call(np.concatenate, joined, type=Arr(a.type.dtype, (Dim(None),))))  # type: ignore[union-attr]
        results = [Value(Arr(r.type.dtype, (Dim(None), *r.type.dims[1:])), r.name) for r in first.results]      # type: ignore[union-attr]
        b.emit(Invoke(first.func, args, first.again, results=results))
        count = self.count(b, next(a for a, flag in zip(first.args, self.differ) if flag))
        bounds = [None, count, *(b.call(operator.mul, k, count) for k in range(2, len(several))), None]
        for k, op in enumerate(several):
            for r, joined in zip(op.results, results):
                b.emit(Call(operator.getitem, [joined, b.build("slice", [bounds[k], bounds[k + 1], None])], results=[r]))

    def count(self, b: Builder, x: Any) -> Any:
        """How many turns there are."""
        length = Num("int", x.type.dims[0])
        known = [r for op in b.block.ops for r in op.results if r.type == length]
        return known[0] if known else b.call(len, x, type=length)


def _are_alike(a: Operand, b: Operand) -> bool:
    """Whether two arguments hold one number per iteration, of the same kind."""
    return all(isinstance(t, Arr) and len(t.dims) == 1 and t.dims[0].sym is not None for t in (a.type, b.type)) and a.type == b.type


def _is_same(a: Operand, b: Operand) -> bool:
    return a is b or isinstance(a, Lit) and isinstance(b, Lit) and type(a.value) is type(b.value) and repr(a) == repr(b)
