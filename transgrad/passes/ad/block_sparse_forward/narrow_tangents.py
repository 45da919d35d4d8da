"""Analysis: tangents that are non-zero for a short range of adjacent directions, and for which narrow storage pays.

They originate in elements and slices of the differentiated argument. Narrow storage pays if the tangent ends in a part of a wide one: as a
term of a sum, or as the value of an assignment to a slice.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ....ir.ops import UNDEF, Block, Call, For, Function, GetAttr, If, Invoke, Lit, Op, Operand, Value, blocks_of, walk
from ....ir.prims import inplace_at
from ....ir.types import Arr, Num, Obj
from ...analysis.def_use import definitions
from ...batch.batched_values import Facts
from ...batch.lanes import is_number
from ..reverse.unbroadcast import is_as_large
from .index_bounds import Places
from .loop_accumulators import ADDS, sums_of

__all__ = ["SUMS", "Spans", "zeros_made_by"]

SUMS = frozenset((*ADDS, operator.sub, np.subtract))
#: linear in the single operand that may depend on the direction, and defined for no directions
_LINEAR = frozenset((
    operator.neg, operator.pos, np.negative, np.positive, np.sum, np.ndarray.sum, np.transpose, np.ndarray.transpose, np.swapaxes,
    np.moveaxis, np.expand_dims, np.ndarray.copy, np.copy, np.real, np.imag, np.conj, np.trace, np.flip, np.cumsum, operator.mul,
    np.multiply, operator.matmul, np.matmul, np.dot, np.outer,
))
_QUOTIENTS = frozenset((operator.truediv, np.divide))
_ZEROS: frozenset[Callable[..., Any]] = frozenset((np.zeros, np.zeros_like))
_WRITES = frozenset((operator.setitem, inplace_at))


def zeros_made_by(makers: dict[Value, Op], v: Operand) -> Call | Lit | None:
    """The source of a zero operand, if it is known to be zero: a number, or the call that creates the zeros."""
    if isinstance(v, Lit):
        return v if isinstance(v.value, float) and v.value == 0.0 else None
    op = makers.get(v)
    return op if isinstance(op, Call) and op.fn in _ZEROS else None


def _is_basic(p: Any) -> bool:
    """Whether a part of an index is a number or a slice."""
    if isinstance(p, Lit):
        return type(p.value) in (int, slice)
    return isinstance(p.type, Num) and p.type.kind == "int" or p.type == Obj(slice)


class Spans:
    """The tangents of a forward sweep that are narrow: nonzero for a few directions side by side."""

    def __init__(self, fn: Function, facts: Facts, seed: Value, known: bool = False):
        self.fn, self.facts, self.seed, self.known = fn, facts, seed, known
        self.makers = definitions(fn)
        self.places = Places(fn, self.makers)
        self._reads = [op for op in walk(fn.body) if isinstance(op, Call) and op.fn is operator.getitem and op.args[0] is seed]
        #: parameter of a loop → the sum that it is added up in
        self.sums = {p: op for p, op in sums_of(fn.body).items() if facts.batched(p)}
        self._wide: set[Value] = {seed, *self.sums}
        self._changed = self.worth_it()
        while self._changed:
            while self._changed:
                self._changed = False
                self._block(fn.body)
            useful = self._useful()
            for v in [r for op in walk(fn.body) for r in self._defined(op)]:
                if v not in useful:
                    self._widen([v])

    def narrow(self, v: Any) -> bool:
        """Whether an operand is a tangent that is computed for a few directions alone."""
        return isinstance(v, Value) and self.facts.batched(v) and v not in self._wide and is_number(v.type) and not self.facts.written(v)

    def read(self, op: Op) -> tuple[Any, Any] | None:
        """From where to where an operation reads the argument, where it reads a part of it side by side."""
        if not (isinstance(op, Call) and op.fn is operator.getitem and op.args[0] is self.seed):
            return None
        if self.facts.batched(op.args[1]):
            return None
        return self.places.bounds(op.args[1])

    def worth_it(self) -> bool:
        """Whether each iteration of a loop reads another part of the argument, or did so before the loop was unrolled."""
        reads = [op for op in self._reads if self.narrow(op.results[0])]
        return bool(reads) if self.known else any(self.places.turns(op.args[1]) for op in reads)

    def is_sum(self, p: Operand) -> bool:
        """Whether a loop only adds narrow terms to a loop-carried value."""
        op = self.sums.get(p) if isinstance(p, Value) else None
        return op is not None and self.sinks(op) is not None

    def sinks(self, op: Op) -> Value | None:
        """The narrow operand of an operation that adds it to a part of something wide, or writes it there."""
        if not isinstance(op, Call) or len(op.args) < 2 or op.kwargs:
            return None
        if op.fn in SUMS:
            for total, term in (op.args, op.args[::-1]):
                if (self.narrow(term) and self.facts.batched(total) and not self.narrow(total) and not self.narrow(op.result)
                        and is_as_large(total.type, op.result.type) and (op.fn in ADDS or total is op.args[0])):
                    return term  # type: ignore[no-any-return]
        elif op.fn in _WRITES and self.narrow(op.args[2]) and self.facts.batched(op.args[0]) and isinstance(op.args[0].type, Arr):
            basic = all(map(_is_basic, self.places.parts(op.args[1])))
            if basic and (op.fn is operator.setitem or op.args[3].value in (operator.iadd, operator.isub)):
                return op.args[2]  # type: ignore[no-any-return]
        return None

    # the walk

    def _widen(self, values: Iterable[Any]) -> None:
        for v in values:
            if self.narrow(v):
                self._wide.add(v)
                self._changed = True

    def _block(self, block: Block) -> None:
        for op in block.ops:
            for inner in blocks_of(op):
                self._block(inner)
            self._op(op)

    def _defined(self, op: Op) -> list[Value]:
        return [*op.results, *(p for block in blocks_of(op) for p in block.params)]

    def _op(self, op: Op) -> None:
        match op:
            case If():
                for r, a, b in zip(op.results, op.then.yields, op.orelse.yields):
                    if not self._few(a) or not self._few(b):
                        self._widen([r])
            case For():
                first = len(op.body.params) - len(op.inits)
                self._widen(op.body.params[:first])
                for r, x, p, y in zip(op.results, op.inits, op.body.params[first:], op.body.yields[op.stops:]):
                    if not all(map(self._few, (x, y))) or p in self._wide or r in self._wide:
                        self._widen((p, r))
            case Call() | GetAttr() if self.read(op) is not None or self.is_linear(op, self.narrow):
                pass
            case Invoke() if all(not self.facts.batched(a) or self.narrow(a) for a in op.args):
                pass
            case _:
                self._widen(self._defined(op))
        if any(self.facts.batched(r) and not self.narrow(r) for r in op.results) and not isinstance(op, (If, For)):
            self._widen(op.results)

    def _few(self, x: Operand) -> bool:
        """Whether an operand may stand for a narrow tangent."""
        return x is not UNDEF and (self.narrow(x) or not self.facts.batched(x) and zeros_made_by(self.makers, x) is not None)

    def is_linear(self, op: Call | GetAttr, few: Callable[[Any], bool]) -> bool:
        """Whether the result is zero for the directions for which those operands are that differ, which are all among the ``few``."""
        if isinstance(op, GetAttr):
            return op.name in ("T", "mT", "real", "imag") and few(op.obj)
        if any(map(self.facts.batched, op.kwargs.values())) or not all(map(is_number, (r.type for r in op.results))):
            return False
        differ = [a for a in op.args if self.facts.batched(a)]
        if not differ or not all(map(few, differ)):
            return False
        if op.fn in SUMS:
            return len(differ) == len(op.args)
        if op.fn is np.where:
            return len(op.args) == 3 and not self.facts.batched(op.args[0]) and all(map(self._few, op.args[1:]))
        if op.fn in _QUOTIENTS or op.fn is operator.getitem:
            return len(differ) == 1 and differ[0] is op.args[0]
        return op.fn in _LINEAR and len(differ) == 1

    # profitability

    def _useful(self) -> set[Value]:
        """The narrow tangents that end in a part of something wide."""
        found: set[Value] = set()
        size = -1
        while size != len(found):
            size = len(found)
            self._useful_in(self.fn.body, found)
        return found

    def _useful_in(self, block: Block, found: set[Value]) -> None:
        for op in reversed(block.ops):
            sunk = self.sinks(op)
            if sunk is not None:
                found.add(sunk)
            if isinstance(op, If):
                pairs = [*zip(op.results, op.then.yields), *zip(op.results, op.orelse.yields)]
            elif isinstance(op, For):
                params = op.body.params[len(op.body.params) - len(op.inits):]
                yields = op.body.yields[op.stops:]
                pairs = [*zip(op.results, yields), *zip(params, yields), *zip(params, op.inits), *zip(params, op.results)]
            else:
                pairs = [(r, a) for r in op.results for a in getattr(op, "args", [getattr(op, "obj", None)])]
            for inner in blocks_of(op):
                self._useful_in(inner, found)
            found.update(a for r, a in pairs if r in found and self.narrow(r) and isinstance(a, Value) and self.narrow(a))
