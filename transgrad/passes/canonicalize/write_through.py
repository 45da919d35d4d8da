"""Pass arrays that are written to through an identity in place.

A boundary that returns its argument (`transgrad.insert_grad_of`) gives it a new name.  An array that is written to has
one shadow under all its names, so its adjoint has to change in that shadow:

    v = boundary(u)     →     t = copy(u); w = boundary(t); u[...] = w; v is u

In the reverse sweep the assignment moves the adjoint out of the shadow, the boundary transforms it, and the result is added to the
shadow.  Arrays that are never written to keep the first form, which copies nothing.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, walk
from ...ir.prims import Boundary
from ...ir.types import Arr
from ..analysis.alias import AliasClasses
from ..manager import Stage, analysis, optimization
from ..rewriting.substitute import substitute

__all__ = ["passes_through", "write_through"]


@optimization(Stage.NORMALIZE, analyses=(AliasClasses,))
def write_through(fn: Function) -> bool:
    """Rewrite ``fn`` in place."""
    if not any(map(passes_through, walk(fn.body))):
        return False
    mapping: dict[Value, Operand] = {}
    _block(fn.body, analysis(AliasClasses, fn), mapping)
    substitute(fn.body, mapping)
    fn.body.yields = [mapping.get(y, y) if isinstance(y, Value) else y for y in fn.body.yields]
    return True


def passes_through(op: Op) -> bool:
    """Whether an operation is such a boundary."""
    return isinstance(op, Call) and type(op.fn) is Boundary and bool(getattr(op.fn.rule, "passes_through", False))


def _block(block: Block, classes: AliasClasses, mapping: dict[Value, Operand]) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in blocks_of(op):
            _block(inner, classes, mapping)
        if isinstance(op, Call) and passes_through(op) and any(_is_buffer(v, classes) for v in op.results):
            fn: Any = op.fn
            given, taken = op.args[:fn.count], op.args[fn.count:fn.first]
            before: list[Op] = []
            after: list[Op] = []
            own: list[Operand] = []
            for k, (x, result) in enumerate(zip(given, op.results)):
                if not _is_buffer(result, classes):
                    own.append(x)
                    continue
                copy, made = Value(x.type, result.name, result.varied), Value(x.type, result.name, result.varied)
                before.append(Call(np.copy, [x], results=[copy], loc=op.loc, part=op.part))
                after.append(Call(operator.setitem, [x, Lit(Ellipsis), made], loc=op.loc, part=op.part))
                mapping[result] = x
                own.append(copy)
                op.results[k] = made
            op.args = [*own, *taken, *own]
            ops += [*before, op, *after]
            continue
        ops.append(op)
    block.ops = ops


def _is_buffer(v: Value, classes: AliasClasses) -> bool:
    return isinstance(v.type, Arr) and bool(v.type.dims) and classes.is_written(v)
