"""Combine the products of a loop with one matrix into one product after the loop.

The sum of ``w * (m @ b)`` over the iterations is the product of the matrices ``m`` side by side with the stacked ``w * b``. The small
matrices are saved, and the large one is read once; if ``w`` is a row of an array, all rows are read at once.
"""
from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, For, Function, Lit, Op, Operand, Value, blocks_of, count_reads, walk
from ...ir.types import Arr, Dim, Num
from ..ad.reverse.unbroadcast import same_length
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions, definitions_in
from ..manager import analysis, invalidate
from .gather_rows import RowsOfTurns

__all__ = ["multiply_stacks", "turns_of"]

#: how many matrices there are at most: as many times the memory of ``b`` are asked for
_TURNS = 16
_ADDS, _MULTIPLIES, _PRODUCTS = (operator.add, np.add), (operator.mul, np.multiply), (operator.matmul, np.matmul)


def turns_of(loop: For) -> int | None:
    """The trip count of a loop that counts from 0; None if it is not known at compile time."""
    s = loop.sources[0]
    if len(loop.sources) != 1 or s.kind != "range" or s.reverse or loop.stops:
        return None
    start, stop, step = (o.value if isinstance(o, Lit) and type(o.value) is int else None for o in s.operands)
    return stop if start == 0 and step == 1 and stop is not None and stop > 0 else None


def multiply_stacks(fn: Function) -> bool:
    """Rewrite ``fn`` in place, which is not differentiated in reverse, because its stacks would be saved; return whether it changed."""
    loops = [(block, op) for block in _blocks(fn.body) for op in block.ops if isinstance(op, For) and 2 <= (turns_of(op) or 0) <= _TURNS]
    if not loops:
        return False
    run = _Stacks(fn)
    changed = [loop for block, loop in loops if run.loop(block, loop)]
    invalidate(fn)
    return bool(changed)


def _blocks(block: Block) -> list[Block]:
    return [block, *(inner for op in walk(block) for inner in blocks_of(op))]


class _Stacks:
    def __init__(self, fn: Function):
        self.fn = fn
        self.reads: Counter[Operand] = count_reads(fn)
        self.classes = analysis(AliasClasses, fn)
        self.makers: dict[Value, Op] = analysis(definitions, fn)

    def loop(self, block: Block, loop: For) -> bool:
        """Take the products out of a loop; return whether there are any."""
        inside = {v for op in walk(loop.body) for v in op.results} | {p for b in _blocks(loop.body) for p in b.params}
        makers = definitions_in(loop.body.ops)
        before, behind = Block(), Block()
        rows_of = RowsOfTurns(loop, makers, inside, self.classes)
        lower: dict[Any, Value] = {}
        for k in reversed(range(len(loop.inits))):
            p, y = loop.body.params[k + 1], loop.body.yields[k]
            found = self.term(p, y, makers, inside)
            if found is None:
                continue
            op, terms, w, m, b = found
            with Builder(before, loop.part, loop.loc) as ahead, Builder(Block(), op.part, op.loc) as within:
                count, height = loop.sources[0].operands[1], ahead.call(len, b, type=Num("int"))
                width = ahead.call(operator.mul, count, height, type=Num("int"))
                if (w, b) not in lower:
                    with Builder(behind, loop.part, loop.loc) as after:
                        whole = self.product(after, rows_of.read(after, w), b, width)
                    lower[w, b] = whole if whole is not None else self.turn_by_turn(ahead, within, loop, w, b, height, width)
                init = loop.inits.pop(k)
                zero = self.makers.get(init)    # type: ignore[arg-type]
                zero = zero if isinstance(zero, Call) and zero.fn is np.zeros_like and not self.classes.is_written(init) else None
                rows = ahead.call(len, init if zero is None else zero.args[0], type=Num("int"))
                to = Arr("float64", (_dims(m)[0], Dim(None)))
                upper = ahead.call(np.empty, ahead.build("tuple", [rows, width]), type=to, name=m.name)
                self.put(within, upper, loop, height, m, (slice(None),))
                self.fn.attrs.written_once.add(upper)      # each part of it, that is
            place = next(n for n, other in enumerate(loop.body.ops) if other is op)
            loop.body.ops[place:place] = within.block.ops
            gone = {id(op), *map(id, terms)}
            loop.body.ops = [other for other in loop.body.ops if id(other) not in gone]
            result = loop.results.pop(k)
            with Builder(behind, op.part, op.loc) as after:
                if zero is not None:
                    after.emit(Call(operator.matmul, [upper, lower[w, b]], results=[result]))
                else:
                    product = after.call(operator.matmul, upper, lower[w, b], type=y.type)
                    after.emit(Call(operator.add, [init, product], results=[result]))
            del loop.body.params[k + 1], loop.body.yields[k]
        at = next(n for n, other in enumerate(block.ops) if other is loop)
        block.ops[at:at + 1] = [*before.ops, loop, *behind.ops]
        return bool(behind.ops)

    def product(self, after: Builder, rows: Value | None, b: Value, width: Value) -> Value | None:
        """All ``w * b`` below each other, where the ``w`` are rows that are read at once."""
        if rows is None:
            return None
        (count, length), (height, _) = _dims(rows), _dims(b)
        apart = after.call(operator.getitem, rows, Lit((slice(None), None)), type=Arr("float64", (count, Dim(True), length)))
        product = after.call(operator.mul, apart, b, type=Arr("float64", (count, height, length)))
        shape = after.build("tuple", [width, self.length(after, b)])
        return after.call(np.reshape, product, shape, type=_below(b))  # type: ignore[no-any-return]

    def turn_by_turn(self, ahead: Builder, within: Builder, loop: For, w: Value, b: Value, height: Value, width: Value) -> Value:
        """An array into which each iteration stores its ``w * b``."""
        made: Value = ahead.call(np.empty, ahead.build("tuple", [width, self.length(ahead, b)]), type=_below(b))
        self.put(within, made, loop, height, within.call(operator.mul, w, b, type=b.type), ())
        return made

    def length(self, b: Builder, base: Value) -> Value:
        """How long the rows of the one matrix are."""
        return b.call(operator.getitem, b.attr(base, "shape"), 1, type=Num("int"))  # type: ignore[no-any-return]

    def put(self, b: Builder, stack: Value, loop: For, height: Value, part: Operand, ahead: tuple[slice, ...]) -> None:
        """Put a part of a stack into its place."""
        start = b.call(operator.mul, loop.body.params[0], height, type=Num("int"))
        rows = b.build("slice", [start, b.call(operator.add, start, height, type=Num("int")), None])
        b.call(operator.setitem, stack, b.build("tuple", [*ahead, rows]) if ahead else rows, part)

    def term(self, p: Value, y: Operand, makers: dict[Value, Op], inside: set[Value]) -> tuple[Call, list[Op], Value, Value, Value] | None:
        """The sum that a loop accumulates, the operation that makes its term, and the vector and the matrices in it; None for other sums.
        """
        op = _operation(y, makers, _ADDS)
        if op is None or p not in op.args or self.reads[p] != 1 or self.reads[y] != 1:
            return None
        scaled = _operation(op.args[1] if op.args[0] is p else op.args[0], makers, _MULTIPLIES)
        if scaled is None or self.reads[scaled.result] != 1:
            return None
        for w, product in (scaled.args, scaled.args[::-1]):
            made = _operation(product, makers, _PRODUCTS)
            if made is None or self.reads[product] != 1:
                continue
            m, b = made.args
            if not all(_is_array(v, 2) for v in (p, y, m, b)) or not _is_array(w, 1) or b in inside or self.classes.is_written(b):
                continue
            pairs = [(_dims(w)[0], _dims(b)[1]), (_dims(m)[1], _dims(b)[0]), (_dims(p)[0], _dims(m)[0]), (_dims(p)[1], _dims(b)[1])]
            if all(same_length(*pair) for pair in pairs):
                return op, [scaled, made], w, m, b
        return None


def _operation(v: Operand, makers: dict[Value, Op], fns: tuple[Any, ...]) -> Call | None:
    """The operation that makes an operand, if it is one of some binary operations."""
    op = makers.get(v) if isinstance(v, Value) else None
    return op if isinstance(op, Call) and op.fn in fns and not op.kwargs and len(op.args) == 2 else None


def _below(b: Value) -> Arr:
    """The type of arrays as wide as ``b`` below each other."""
    return Arr("float64", (Dim(None), _dims(b)[1]))


def _is_array(v: Any, dims: int) -> bool:
    return isinstance(v, Value) and len(_dims(v)) == dims and getattr(v.type, "dtype", None) == "float64"


def _dims(v: Value) -> tuple[Dim, ...]:
    return v.type.dims if isinstance(v.type, Arr) else ()
