"""Arithmetic that other simplifications have made needless: factors of one, sums of multiples of one value."""
from __future__ import annotations

import operator
from functools import cached_property
from typing import Any

import numpy as np

from ..ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of
from ..ir.types import Arr, Num
from .algebra import AlgebraBuilder, _is, type_is_real
from .alias import AliasClasses
from .substitute import substitute_op

__all__ = ["reduce_arithmetic"]


def reduce_arithmetic(fn: Function) -> None:
    """Rewrites the adjoint part of ``fn`` in place."""
    _block(fn.body, {}, {}, _Written(fn))


class _Written:
    """Which arrays are written to in place, found when first asked for."""

    def __init__(self, fn: Function):
        self.fn = fn

    @cached_property
    def classes(self) -> AliasClasses:
        return AliasClasses(self.fn)

    def __call__(self, *values: Value) -> bool:
        return any(map(self.classes.is_written, values))


def _block(block: Block, mapping: dict[Value, Operand], makers: dict[Value, Op], written: _Written) -> None:
    new = Block()       # the block itself stays whole for the analysis
    b = AlgebraBuilder(new, part="adjoint")
    b.maker = makers
    with b:
        for op in block.ops:
            substitute_op(op, mapping)
            before = len(new.ops)
            found: Any = _reduced(b, op) if op.part == "adjoint" else None
            renames = isinstance(found, Value) and len(new.ops) == before
            if renames and isinstance(found.type, Arr) and found.type.dims and written(found, op.result):
                # an array of its own, which another name for one that was there would not be
                found = b.call(np.ndarray.copy, found, type=op.result.type)
            if found is not None:
                if isinstance(found, Value) and found.name is None and found is not op.result:
                    found.name = op.result.name
                mapping[op.result] = found
                continue
            for inner in blocks_of(op):
                _block(inner, mapping, makers, written)
            new.ops.append(op)
            for r in op.results:
                makers[r] = op
    block.ops = new.ops
    block.yields = [mapping.get(y, y) if isinstance(y, Value) else y for y in block.yields]


def _reduced(b: AlgebraBuilder, op: Op) -> Any:
    """What an operation comes to, where that is simpler; None otherwise."""
    if not isinstance(op, Call) or op.kwargs or len(op.results) != 1 or len(op.args) > 2:
        return None
    b.loc = op.loc
    if op.fn in (operator.mul, operator.truediv, operator.add, operator.sub, operator.neg) and any(isinstance(a, Lit) for a in op.args):
        x, *rest = op.args
        if op.fn is operator.mul and isinstance(rest[0], Lit) and not isinstance(x, Lit):
            return x if _is(rest[0], 1.0) and _same_type(x, op.result) else None
        found = b._simplified(op.fn, op.args)
        return found if found is None or isinstance(found, Lit) or _same_type(found, op.result) else None
    if op.fn is operator.add:
        (c, x), (d, y) = _multiple(b, op.args[0]), _multiple(b, op.args[1])
        if x is y and isinstance(x, Value) and _is_number(x):
            return b.call(operator.mul, Lit(c + d), x) if c + d != 1.0 else x
        inner = b.maker.get(op.args[0]) if isinstance(op.args[0], Value) else None
        if isinstance(inner, Call) and inner.fn is operator.add and isinstance(y, Value) and _is_number(y):
            c, x = _multiple(b, inner.args[1])
            if x is y:
                return b.call(operator.add, inner.args[0], b.call(operator.mul, Lit(c + d), x) if c + d != 1.0 else x, name=op.result.name)
    return None


def _is_number(x: Any) -> bool:
    t = x.type
    return isinstance(t, Num) and t.kind == "float" or isinstance(t, Arr) and t.scalar and t.dtype == "float64"


def _same_type(x: Any, y: Value) -> bool:
    if _is_number(x) and _is_number(y):
        return True
    return isinstance(x.type, type(y.type)) and getattr(x.type, "dims", None) == getattr(y.type, "dims", None)


def _multiple(b: AlgebraBuilder, x: Any) -> tuple[float, Any]:
    """``x`` as a number times a value."""
    made = b.maker.get(x) if isinstance(x, Value) else None
    if isinstance(made, Call) and made.fn is operator.mul and isinstance(made.args[0], Lit) and type_is_real(made.args[0].value):
        return made.args[0].value, made.args[1]
    return 1.0, x
