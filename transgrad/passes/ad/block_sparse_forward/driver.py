"""Batching pass for block-sparse forward mode: a narrow tangent is an array for its own range of directions.

An operation on narrow tangents is batched like any other, over the directions of its operands; if these differ, the operands are embedded
in zeros first. A wide tangent has all directions, and a narrow term is added to the rows of its range.
"""
from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.infer import infer
from ....ir.ops import Block, Build, Call, For, Function, GetAttr, If, Invoke, Lit, Op, Operand, Star, Value, While, operands_of
from ....ir.prims import inplace_at
from ....ir.types import Arr, Dim, Num, Obj
from ...batch.batched_values import Facts
from ...batch.driver import Batch
from ...batch.lanes import Lanes, directions, is_number, ndim
from ...batch.unsupported import CannotBatch
from ...memory.destination_passing import alike
from ..reverse.unbroadcast import is_as_large
from .constant_arguments import is_known, with_numbers
from .loop_accumulators import ADDS, uses
from .narrow_tangents import SUMS, Spans
from .unit_directions import for_units
from .zero_parts import Untouched

__all__ = ["Span", "SpannedBatch"]

#: operations that create an array without other references
_MAKES = frozenset((*SUMS, operator.mul, operator.truediv, operator.neg, operator.matmul, np.multiply, np.divide, np.negative, np.matmul,
                    np.dot, np.outer, np.where))
#: operations that act on each direction separately and map zero to zero, also for no directions
_ROW_BY_ROW = frozenset((
    operator.neg, operator.pos, operator.mul, operator.truediv, operator.matmul, operator.getitem, np.negative, np.positive, np.multiply,
    np.divide, np.matmul, np.dot, np.sum, np.ndarray.sum, np.transpose, np.ndarray.transpose, np.swapaxes, np.moveaxis, np.expand_dims,
    np.conj,
))


@dataclass(eq=False)
class Span:
    """A tangent for the directions from ``low`` to ``high`` of ``dim``: ``value``, or the rows of the unit directions at ``index``."""

    low: Operand
    high: Operand
    value: Any = None
    index: Any = None
    dim: Dim = field(default_factory=directions)
    #: whether it is the single direction of the value read, with tangent 1
    unit: bool = False


def _either(b: Builder, fn: Any, x: Operand, y: Operand) -> Operand:
    """The lesser or greater of two bounds."""
    if isinstance(x, Lit) and isinstance(y, Lit):
        return x if fn(x.value, y.value) == x.value else y
    return b.call(fn, x, y, type=Num("int"))  # type: ignore[no-any-return]


def _behind(b: Builder, x: Operand, start: Operand) -> Operand:
    """How far a bound is behind another one."""
    if isinstance(start, Lit) and (start.value == 0 or isinstance(x, Lit)):
        return x if start.value == 0 else Lit(x.value - start.value)    # type: ignore[union-attr]
    return b.call(operator.sub, x, start)  # type: ignore[no-any-return]


def _ahead(x: Span, y: Span) -> int | None:
    """How many directions there are between the end of a span and the beginning of another one; None if no numbers tell."""
    if not all(isinstance(bound, Lit) for bound in (x.low, x.high, y.low, y.high)):
        return None
    return y.low.value - x.high.value   # type: ignore[no-any-return, union-attr]


class _Wide(Lanes):
    """All directions: a narrow tangent is written into zeros when it is needed in full."""

    def __init__(self, batch: "SpannedBatch", lanes: Lanes):
        super().__init__(lanes.size, lanes.dim)
        self.values, self.batch = lanes.values, batch

    def get(self, v: Value) -> Any:
        span = self.batch.spans.get(v)
        return super().get(v) if span is None else self.batch.laid(v, Span(Lit(0), self.size), self.dim)


class _Part(Lanes):
    """The directions of a span."""

    def __init__(self, batch: "SpannedBatch", span: Span, v: Value):
        super().__init__(Lit(0), span.dim)
        self.batch, self.span = batch, span
        self.size = batch.builder.call(len, self.get(v), type=Num("int"))    # not by the bounds: there may be no direction

    def get(self, v: Value) -> Any:
        if v not in self.values:
            self.values[v] = self.batch.laid(v, self.span, self.dim)
        return self.values[v]


class SpannedBatch(Batch):
    """Writes a forward sweep for many directions; ``first`` is that of the first row, where not all of them are there."""

    def __init__(self, fn: Function, facts: Facts, found: Spans, first: Value | None):
        super().__init__(fn, facts)
        self.found, self.first = found, first
        self.untouched = Untouched(fn, found)
        self.spans: dict[Value, Span] = {}
        #: bounds that are numbers: the same number is the same bound
        self.numbers: dict[int, Lit] = {}
        #: the reader of a wide tangent that has not been written into zeros yet; and the block that created an array for another one
        self.readers: dict[Op, Value] = {}
        self.laid_in: dict[Value, Block] = {}
        self.uses: Counter[Any] = uses(fn.body)
        self.current = fn.body

    def begin(self) -> None:
        """Begins, with all directions."""
        self.units = self.lanes.values[self.found.seed]
        self.lanes = _Wide(self, self.lanes)
        self.everything = self.lanes
        self.last = self.builder.call(operator.sub, self.lanes.size, 1, name="last")

    # spans

    def laid(self, v: Value, span: Span, dim: Dim) -> Any:
        """A narrow tangent for the directions of a span, which has its own."""
        b, own = self.builder, self.spans[v]
        if own.value is not None and own.low is span.low and own.high is span.high:
            return own.value
        dtype, dims = (v.type.dtype, v.type.dims) if isinstance(v.type, Arr) else ("float64", ())
        t = Arr(dtype, (dim, *dims))
        if own.index is not None:
            rows = slice(None) if span.high is self.everything.size else b.build("slice", [span.low, span.high, None])
            return b.call(operator.getitem, self.units, b.build("tuple", [rows, own.index]), type=t)
        count = _behind(b, span.high, span.low)
        out = self.zeros(count, own.value, t, v.name)
        b.call(operator.setitem, out, self.within(own, span), own.value)
        return out

    def zeros(self, count: Operand, like: Value, t: Arr, name: str | None = None) -> Any:
        """Zeros for a number of directions; ``like`` has those of another number."""
        b = self.builder
        shape: Any = count
        if len(t.dims) > 1:
            rest = self.one(operator.getitem, b.attr(like, "shape"), Lit(slice(1, None)), type=Obj(tuple))
            shape = Value(Obj(tuple))
            b.emit(Build("tuple", [count, Star(rest)], results=[shape]))
        return b.call(np.zeros, shape, type=t, name=name, **({} if t.dtype == "float64" else {"dtype": b.attr(like, "dtype")}))

    def within(self, of: Span, among: Span) -> Any:
        """Where the directions of a span are among those of another one."""
        b = self.builder
        return b.build("slice", [_behind(b, of.low, among.low), _behind(b, of.high, among.low), None])

    def read(self, op: Call, low: Operand, high: Operand | None) -> None:
        """Read a part of the argument: its unit directions, or one row of zeros if they are not among those of this iteration."""
        b = self.builder
        if self.first is None:
            begin = self.operand(low)
            end = self.operand(high) if high is not None else (
                Lit(begin.value + 1) if isinstance(begin, Lit) else b.call(operator.add, begin, 1))
            begin, end = (self.numbers.setdefault(bound.value, bound) if isinstance(bound, Lit) else bound for bound in (begin, end))
            self.spans[op.result] = Span(begin, end, index=self.operand(op.args[1]), unit=high is None)
            return
        start: Operand = low
        if not (isinstance(low, Lit) and low.value == 0):
            place = b.call(operator.sub, self.operand(low), self.first)
            start = b.call(min, b.call(max, place, 0, type=Num("int")), self.last, type=Num("int"))
        after: Operand = Lit(1) if isinstance(start, Lit) else b.call(operator.add, start, 1)
        if high is not None:
            end = b.call(min, b.call(operator.sub, self.operand(high), self.first), self.everything.size, type=Num("int"))
            after = b.call(max, end, after, type=Num("int"))
        self.spans[op.result] = Span(start, after, index=self.operand(op.args[1]))

    def joined(self, values: list[Value]) -> Span:
        """The least span that has the directions of several narrow tangents."""
        b, spans = self.builder, [self.spans[v] for v in values]
        if len(spans) == 1:
            return Span(spans[0].low, spans[0].high, dim=spans[0].dim, unit=spans[0].unit)
        low, high = spans[0].low, spans[0].high
        for s in spans[1:]:
            low = low if s.low is low else _either(b, min, low, s.low)
            high = high if s.high is high else _either(b, max, high, s.high)
        dim = next((s.dim for s in spans if s.low is low and s.high is high), None)
        return Span(low, high, dim=directions() if dim is None else dim)

    def defers(self, v: Value, span: Span) -> bool:
        """Whether a wide tangent that is zero outside of a span need not be written into zeros, because its only reader maps zero to
        zero: the result of that operation is written instead."""
        reader = self._reader(v)
        if reader is not None:
            self.spans[v], self.readers[reader] = span, v
        return reader is not None

    def _lay(self, v: Value, span: Span) -> None:
        self.spans[v] = span
        self.put(v, self.laid(v, Span(Lit(0), self.everything.size), self.everything.dim))
        del self.spans[v]

    def put(self, v: Value, x: Value) -> None:
        """Provide an array for a wide tangent, created for it in this block."""
        self.lanes.values[v] = x
        self.laid_in[v] = self.current

    def _reader(self, v: Value) -> Call | GetAttr | None:
        """The one operation that reads a tangent, where it does the same with that of each direction."""
        if self.uses[v] != 1 or self.facts.written(v):
            return None
        op = next((op for op in self.current.ops if v in operands_of(op)), None)
        if not isinstance(op, GetAttr) and not (isinstance(op, Call) and op.fn in _ROW_BY_ROW):
            return None
        alone = self.found.is_linear(op, lambda a: a is v) and not any(map(self.facts.written, op.results))
        return op if alone else None

    def _behind(self, op: Call | GetAttr) -> None:
        """An operation on a tangent that has not been written into zeros yet: apply it first."""
        v = self.readers.pop(op)
        span = self.spans[v]
        with self.builder.inside(Block()) as made:
            found = self._for_part(op, span, v)
        if any(isinstance(inner, For) for inner in made.ops):       # over the directions, of which there may be none
            self._lay(v, span)
            super().op(op)
            return
        self.builder.block.ops += made.ops
        own = Span(span.low, span.high, found[op.result], dim=span.dim)
        if not self.defers(op.result, own):
            self._lay(op.result, own)

    # the walk

    def op(self, op: Op) -> None:
        from .control import branch, loop
        match op:
            case Call() | GetAttr() if op in self.readers:
                self._behind(op)
            case If() if self.batched(op.cond):
                raise CannotBatch("a branch that differs between the directions", op.loc)
            case While() if self.facts.diverges(op):
                raise CannotBatch("a loop that differs between the directions", op.loc)
            case If() if any(map(self.found.narrow, op.results)):
                branch(self, op)
            case For():
                loop(self, op)
            case Call() if op.results and op.result in self.untouched.filled:
                super().op(Call(np.zeros, op.args, op.kwargs, results=op.results, loc=op.loc, part=op.part))
            case Call() if self.untouched.writes_zero(op) and op.args[0] in self.untouched.filled:
                pass
            case Call() if (term := self.found.sinks(op)) is not None:
                (self.sum if op.fn in SUMS else self.write)(op, term)
            case Call() | Invoke() | GetAttr() if any(map(self.found.narrow, op.results)):
                bounds = self.found.read(op)
                if bounds is not None:
                    self.read(op, *bounds)  # type: ignore[arg-type]
                else:
                    self.few(op)
            case _:
                super().op(op)

    def block(self, block: Block) -> None:
        outer, self.current = self.current, block
        super().block(block)
        self.current = outer

    def few(self, op: Call | Invoke | GetAttr) -> None:
        """An operation on narrow tangents."""
        operands: list[Any] = [op.obj] if isinstance(op, GetAttr) else op.args
        values = list(dict.fromkeys(a for a in operands if self.found.narrow(a)))
        span = self.joined(values)
        if isinstance(op, Call) and op.fn in SUMS and (self._joined_sum(op, span) or self._few_sum(op, span)):
            return
        if isinstance(op, Invoke) and (self._invoke_once(op, span) if span.unit else self._invoke_units(op, values, span)):
            return
        found = self._for_part(op, span, values[0])
        for r in op.results:
            if self.found.narrow(r):
                self.spans[r] = Span(span.low, span.high, found[r], dim=span.dim)

    def _for_part(self, op: Op, span: Span, v: Value) -> dict[Value, Any]:
        """An operation for the directions of a span, which ``v`` has; returns the replacements of its results."""
        self.lanes = part = _Part(self, span, v)
        super().op(op)
        self.lanes = self.everything
        return part.values

    def _invoke_once(self, op: Invoke, span: Span) -> bool:
        """A call whose arguments depend on one direction, through the value read: one call with tangent 1."""
        if not all(self.found.narrow(r) and isinstance(r.type, Arr) and r.type.dims for r in op.results if self.batched(r)):
            return False
        b = self.builder
        args = [Lit(1.0) if self.found.narrow(a) else self.operand(a) for a in op.args]
        known = {k: a for k, a in enumerate(args) if is_known(a)}
        once = with_numbers(op.func, known)
        if once is None:
            return False
        results = [Value(r.type, r.name) if self.batched(r) else self.fresh(r) for r in op.results]
        b.emit(Invoke(once, [a for k, a in enumerate(args) if k not in known], op.again, results=results, loc=op.loc))
        for r, made in zip(op.results, results):
            if self.batched(r):
                assert isinstance(r.type, Arr)
                value = b.call(operator.getitem, made, Lit((None,)), type=Arr(r.type.dtype, (span.dim, *r.type.dims)))
                self.spans[r] = Span(span.low, span.high, value, dim=span.dim)
        return True

    def _joined_sum(self, op: Call, span: Span) -> bool:
        """A sum of narrow tangents of which one begins where the other ends: the one behind the other."""
        b, t, (x, y) = self.builder, op.result.type, op.args
        backwards = _ahead(self.spans[x], self.spans[y]) != 0
        if backwards and _ahead(self.spans[y], self.spans[x]) != 0 or not alike(x.type, t) or not alike(y.type, t):
            return False
        assert isinstance(t, Arr)
        parts = [self.laid(a, self.spans[a], self.spans[a].dim) for a in (x, y)]
        if op.fn not in ADDS:
            parts[1] = b.call(operator.neg, parts[1], type=parts[1].type)
        if backwards:
            parts.reverse()
        out = b.call(np.concatenate, b.build("tuple", parts), type=Arr(t.dtype, (span.dim, *t.dims)), name=op.result.name)
        self.spans[op.result] = Span(span.low, span.high, out, dim=span.dim)
        return True

    def _invoke_units(self, op: Invoke, values: list[Value], span: Span) -> bool:
        """A call whose arguments are moved by one direction each, which lie side by side: one of a function that knows it."""
        spans = [self.spans[v] for v in values]
        lows = {s.low.value: v for s, v in zip(spans, values) if s.unit and isinstance(s.low, Lit)}
        narrow = all(self.found.narrow(r) and isinstance(r.type, Arr) for r in op.results if self.batched(r))
        if not narrow or len(lows) < len(values) or max(lows) - min(lows) >= len(lows):
            return False
        units = for_units(op.func, [op.args.index(lows[k]) for k in sorted(lows)])
        if units is None:
            return False
        results = [Value(r.type, r.name) if self.batched(r) else self.fresh(r) for r in op.results]
        self.builder.emit(Invoke(units, list(map(self.operand, op.args[:len(units.params)])), op.again, results=results, loc=op.loc))
        for r, made in zip(op.results, results):
            if self.batched(r):
                assert isinstance(r.type, Arr)
                made.type = Arr(r.type.dtype, (span.dim, *r.type.dims))
                self.spans[r] = Span(span.low, span.high, made, dim=span.dim)
        return True

    def _few_sum(self, op: Call, span: Span) -> bool:
        """A sum of narrow tangents with different directions: one is laid into zeros, the other is added to its rows, or put there where
        these are known to be zeros still."""
        for total, term in (op.args, op.args[::-1]):
            own, other = self.spans[total], self.spans[term]
            if (other.low, other.high) == (span.low, span.high) or own.index is not None or not is_as_large(total.type, op.result.type):
                continue
            if op.fn not in ADDS and total is not op.args[0]:
                continue
            out = self.laid(total, span, span.dim)
            if out is own.value:
                out = self.owned(total, out)
            apart = max(_ahead(own, other) or -1, _ahead(other, own) or -1) > 0
            self._add(out, term, span, ndim(op.result.type), op.fn, apart and alike(term.type, total.type))
            self.spans[op.result] = Span(span.low, span.high, out, dim=span.dim)
            return True
        return False

    def sum(self, op: Call, term: Value) -> None:
        """Add a narrow term to a part of a wide tangent."""
        total = next(a for a in op.args if a is not term)
        out = self.lanes.get(total)
        if self.found.sums.get(total) is not op:
            out = self.owned(total, out)
        self._add(out, term, Span(Lit(0), self.everything.size), ndim(op.result.type), op.fn)
        self.set(op.result, out)

    def owned(self, v: Value, x: Any) -> Any:
        """A writable array for a tangent: the tangent itself, if it was created for this operation."""
        made = self.found.makers.get(v)
        own = isinstance(made, Call) and made.fn in _MAKES and made in self.current.ops or self.laid_in.get(v) is self.current
        if self.uses[v] == 1 and own:
            return x
        return self.builder.call(np.ndarray.copy, x, type=x.type)

    def _add(self, total: Any, term: Value, among: Span, n: int, fn: Any, zeros: bool = False) -> None:
        own = self.spans[term]
        value = self.aligned(self.laid(term, own, own.dim), ndim(term.type), n)
        how = operator.iadd if fn in ADDS else operator.isub
        if zeros and fn in ADDS:
            self.builder.call(operator.setitem, total, self.within(own, among), value)
        else:
            self.builder.call(inplace_at, total, self.within(own, among), value, Lit(how, f"operator.{how.__name__}"))

    def write(self, op: Call, term: Value) -> None:
        """Write a narrow tangent into a part of a wide one."""
        x, index = op.args[:2]
        b, own, items = self.builder, self.spans[term], [self.operand(p) for p in self.found.places.parts(index)]
        slot = infer(operator.getitem, [x, index])
        if not is_number(slot):
            raise CannotBatch("a part of unknown shape is written to", op.loc)
        value = self.aligned(self.laid(term, own, own.dim), ndim(term.type), ndim(slot))
        place = b.build("tuple", [b.build("slice", [own.low, own.high, None]), *items])
        if op.fn is inplace_at:
            b.call(inplace_at, self.operand(x), place, value, op.args[3])
        else:
            if not self.untouched.is_zero(op):
                b.call(operator.setitem, self.operand(x), b.build("tuple", [slice(None), *items]), 0.0)
            b.call(operator.setitem, self.operand(x), place, value)
