"""Lower the unpacking of arrays and nested lists whose parts are written to: ``a, b = m`` becomes ``a = m[0]; b = m[1]``, with the aliasing
that all passes know.
"""
from __future__ import annotations

import operator

from ...ir.effects import is_mutable
from ...ir.ops import Block, Call, Function, Lit, Op, blocks_of, walk
from ...ir.prims import unpack
from ...ir.types import ListT
from ..analysis.alias import AliasClasses, has_rows
from ..manager import Stage, analysis, optimization

__all__ = ["lower_unpacking"]


@optimization(Stage.NORMALIZE, analyses=(AliasClasses,))
def lower_unpacking(fn: Function) -> bool:
    """Rewrite ``fn`` in place."""
    if any(_unpacks_rows(op) for op in walk(fn.body)):
        _block(fn.body, analysis(AliasClasses, fn))
        return True
    return False


def _unpacks_rows(op: Op) -> bool:
    if not isinstance(op, Call) or op.fn is not unpack:
        return False
    base = op.args[0]
    return has_rows(base) or isinstance(base.type, ListT) and any(is_mutable(r.type) for r in op.results)


def _block(block: Block, classes: AliasClasses) -> None:
    ops: list[Op] = []
    for op in block.ops:
        if isinstance(op, Call) and _unpacks_rows(op) and any(classes.is_written(v) for v in (op.args[0], *op.results)):
            ops += [Call(operator.getitem, [op.args[0], Lit(k)], results=[r], loc=op.loc, part=op.part) for k, r in enumerate(op.results)]
            continue
        for inner in blocks_of(op):
            _block(inner, classes)
        ops.append(op)
    block.ops = ops
