"""Combine constant factors across products: if ``t`` is ``2.0 * s`` and ``q`` is ``200.0 * t``, then ``t * q`` is ``800.0 * s ** 2`` and
``-q`` is ``-400.0 * s``.
"""
from __future__ import annotations

import operator
from typing import Any, TypeGuard

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, operands_of, walk
from ...ir.types import Arr
from ..analysis.alias import AliasClasses
from ..manager import Stage, analysis, optimization
from ..rewriting.substitute import substitute

__all__ = ["combine_constant_multiples"]


_SCALES = (operator.mul, operator.neg)


@optimization(Stage.SIMPLIFY, "simplify", analyses=(AliasClasses,))
def combine_constant_multiples(fn: Function) -> bool:
    """Rewrite the adjoint part of ``fn`` in place: of arrays, where it takes no operation more than before."""
    ops = walk(fn.body)
    candidates = [op for op in ops if type(op) is Call and op.fn in _SCALES and op.part != "primal"]
    scaled = {op.result: _factor(op) for op in candidates if _is_scale(op)}
    products = [op for op in candidates if _joins(op, scaled)] if len(scaled) > 1 else []
    if not products and not any(x in scaled for _, x in scaled.values()):
        return False
    readers: dict[Operand, list[Op | None]] = {v: [] for v in scaled}
    for op in ops:
        for o in operands_of(op):
            if o in readers:
                readers[o].append(op)
        for block in blocks_of(op):
            for y in block.yields:
                if y in readers:
                    readers[y].append(None)
    for y in fn.body.yields:
        if y in readers:
            readers[y].append(None)
    gone = {v for v in scaled if all(op is not None and (op.result in scaled if _is_scale(op) else _joins(op, scaled))
                                     for op in readers[v])}
    met = any(gone.issuperset(op.args) for op in products)
    if not met and not any(v in gone for _, v in scaled.values()):
        return False
    classes = analysis(AliasClasses, fn)
    _Gathering(scaled, {v for v in gone if not classes.is_written(scaled[v][1])}).block(fn.body)
    return True


class _Gathering:
    def __init__(self, scaled: dict[Value, tuple[float, Value]], gone: set[Value]):
        self.scaled, self.gone = scaled, gone

    def root(self, v: Value) -> tuple[float, Value]:
        """A multiple as a number times a value that is not rewritten as a multiple."""
        c, x = self.scaled[v]
        if x in self.gone:
            d, x = self.root(x)
            c *= d
        return c, x

    def block(self, block: Block) -> None:
        mapping: dict[Value, Operand] = {}
        ops: list[Op] = []
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
            found: Any = None
            with Builder(Block([], ops), op.part, op.loc) as b:
                if _is_scale(op) and self.scaled[op.result][1] in self.gone:
                    c, x = self.root(op.result)
                    if c == -1.0:
                        found = b.call(operator.neg, x, type=op.result.type)
                    elif _is_moderate(c):
                        found = b.call(operator.mul, Lit(c), x, type=op.result.type)
                elif isinstance(op, Call) and _joins(op, self.scaled) and set(op.args) <= self.gone:
                    (c, x), (d, y) = map(self.root, op.args)
                    if _is_moderate(c * d):
                        t = op.result.type
                        product = b.call(operator.pow, x, Lit(2), type=t) if x is y else b.call(operator.mul, x, y, type=t)
                        found = product if c * d == 1.0 else b.call(operator.mul, Lit(c * d), product, type=t)
            if found is None:
                ops.append(op)
            else:
                found.name = op.result.name
                mapping[op.result] = found
        block.ops = ops
        substitute(block, mapping)


def _is_scale(op: Op) -> bool:
    """Whether an operation multiplies an array by a number that is known at compile time."""
    if type(op) is not Call or op.fn not in _SCALES or op.part == "primal":
        return False
    x = op.args[-1]
    if not isinstance(x, Value) or not _is_array(x) or not _is_array(op.result) or x.type != op.result.type:
        return False
    c = op.args[0]
    return op.fn is operator.neg or isinstance(c, Lit) and type(c.value) is float and c.text is None and _is_moderate(c.value)


def _factor(op: Any) -> tuple[float, Value]:
    return (-1.0, op.args[0]) if op.fn is operator.neg else (op.args[0].value, op.args[1])


def _joins(op: Any, scaled: dict[Value, tuple[float, Value]]) -> TypeGuard[Call]:
    """Whether an operation is a product of two multiples."""
    return type(op) is Call and op.fn is operator.mul and op.part != "primal" and all(a in scaled for a in op.args)


def _is_array(v: Value) -> bool:
    return isinstance(v.type, Arr) and bool(v.type.dims) and v.type.dtype == "float64"


def _is_moderate(c: float) -> bool:
    return 1e-100 < abs(c) < 1e100
