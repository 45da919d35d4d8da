"""Combine the outer products that a loop accumulates into one matrix product after the loop.

``w_bar += np.outer(s, x)`` passes over ``w_bar`` twice in each iteration; saving the vectors is cheaper.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Build, Call, For, Function, Lit, Op, Operand, Value, blocks_of, calls, operands_of, walk
from ...ir.types import Arr, Dim, ListT
from ..analysis.alias import AliasClasses
from ..manager import Property, Stage, analysis, optimization
from ..switches import is_on

__all__ = ["accumulate_products"]

_ADDS = (operator.iadd, operator.isub)


@optimization(Stage.LOWER_NUMPY, "outer", requires=(Property.FINAL,), analyses=(AliasClasses,))
def accumulate_products(fn: Function) -> bool:
    """Rewrite a finished function in place."""
    if not calls(fn.body, np.outer):
        return False
    products = {op.result: op for op in walk(fn.body) if isinstance(op, Call) and op.fn is np.outer and not op.kwargs and _are_long(op)}
    if products and is_on("outer"):
        _Outer(fn, products).block(fn.body)
        return True
    return False


class _Outer:
    def __init__(self, fn: Function, products: dict[Value, Call]):
        self.products = products
        self.classes = analysis(AliasClasses, fn)
        self.reads: dict[Any, int] = {}
        for op in walk(fn.body):
            for o in operands_of(op):
                self.reads[o] = self.reads.get(o, 0) + 1
            for inner in blocks_of(op):
                for y in inner.yields:
                    self.reads[y] = self.reads.get(y, 0) + 1

    def block(self, block: Block) -> None:
        ops: list[Op] = []
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
            before, after = self.loop(op) if isinstance(op, For) and not op.stops else ([], [])
            ops += [*before, op, *after]
        block.ops = ops

    def loop(self, loop: For) -> tuple[list[Op], list[Op]]:
        """Hoist the sums of a loop: returns the operations before it, and those after it."""
        before, after = Block(), Block()
        lists: dict[Value, Operand] = {}
        for op in list(loop.body.ops):
            if not isinstance(op, Call) or op.fn not in _ADDS or op.args[1] not in self.products or not self.is_sum(loop, op):
                continue
            product = self.products[op.args[1]]
            factors = product.args
            if not any(v in self.items(loop) for v in factors):
                continue        # nothing of it is kept as it is
            stacks = []
            with Builder(after, op.part, op.loc) as b:
                for v in factors:
                    if v not in lists:
                        lists[v] = self.listed(loop, v, before, b)
                    stacks.append(b.call(np.array, lists[v], type=Arr("float64", (Dim(None), v.type.dims[0]))))
                b.emit(Call(op.fn, [op.args[0], b.call(operator.matmul, b.attr(stacks[0], "T"), stacks[1], type=product.result.type)]))
            gone = (id(op), id(product))
            loop.body.ops = [o for o in loop.body.ops if id(o) not in gone]
        return before.ops, after.ops

    def is_sum(self, loop: For, op: Call) -> bool:
        """Whether an array has an outer product added to it, and nothing else in the loop has to do with it."""
        total, product = op.args[0], self.products[op.args[1]]
        inside = [o for inner in walk(loop.body) for o in operands_of(inner)]
        yielded = [y for o in (loop, *walk(loop.body)) for b in blocks_of(o) for y in b.yields]
        made = {v for inner in walk(loop.body) for v in inner.results}
        if not isinstance(total, Value) or total in made or total in loop.body.params or not _is_among(product, loop.body.ops):
            return False
        if self.reads[product.result] != 1 or op.results and self.reads.get(op.result):
            return False
        if sum(self.classes.same(o, total) for o in (*inside, *yielded, *loop.inits)) != 1:
            return False
        t, found = total.type, product.result.type
        return isinstance(t, Arr) and isinstance(found, Arr) and t.dtype == found.dtype == "float64" and not any(
            map(self.classes.is_written, product.args))

    def items(self, loop: For) -> dict[Value, Value]:
        """The loop variables that run over the whole of lists that stay as they are."""
        out: dict[Value, Value] = {}
        if len(loop.sources) > 1 and loop.part != "adjoint":
            return out      # one may be longer than another
        touched = [o for op in walk(loop.body) for o in operands_of(op)]
        for p, s in zip(loop.body.params, loop.sources):
            if s.kind in ("items", "values"):
                break       # which take two, or stand for none
            if s.kind == "seq" and not s.frees and isinstance(s.operands[0].type, ListT) and isinstance(s.operands[0], Value):
                if not any(self.classes.same(o, s.operands[0]) for o in touched):
                    out[p] = s.operands[0]
        return out

    def listed(self, loop: For, v: Value, before: Block, behind: Builder) -> Operand:
        """A list of the values of a vector in all iterations."""
        kept = self.items(loop).get(v)
        if kept is not None and all(s.kind == "seq" for s in loop.sources):
            place = list(loop.body.params).index(v)
            if not loop.sources[place].reverse:
                return kept
            return behind.call(operator.getitem, kept, Lit(slice(None, None, -1)), type=kept.type)  # type: ignore[no-any-return]
        found = Value(ListT(v.type), f"{v.name}_list" if v.name else None)
        before.ops.append(Build("list", [], results=[found], loc=loop.loc, part="adjoint"))
        made = next((k + 1 for k, op in enumerate(loop.body.ops) if v in op.results), 0)
        loop.body.ops.insert(made, Call(list.append, [found, v], loc=loop.body.ops[max(made - 1, 0)].loc, part="adjoint"))
        return found


def _are_long(op: Call) -> bool:
    """Whether an outer product is one of two vectors that are known to be no numbers in disguise."""
    types = [a.type for a in op.args]
    return all(isinstance(t, Arr) and len(t.dims) == 1 and t.dims[0].one is False and t.dtype == "float64" for t in types) and all(
        isinstance(a, Value) for a in op.args)


def _is_among(op: Op, ops: list[Op]) -> bool:
    return any(o is op for o in ops)
