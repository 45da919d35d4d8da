"""Drops copies of parts of an adjoint where nothing writes to the original before the last use of the copy."""
from __future__ import annotations

import operator

import numpy as np

from ...ir.ops import Block, Call, Function, Op, Value, blocks_of, operands_of
from ...ir.types import Arr
from ..analysis.alias import AliasClasses
from ..substitute import substitute, uses_of

__all__ = ["elide_copies"]


def elide_copies(fn: Function) -> None:
    """Rewrites ``x[i].copy()`` in the adjoint part to ``x[i]`` where the copy is not needed, and removes zeroing of parts of
    a shadow that nothing reads any more."""
    classes = AliasClasses(fn)
    _drop_dead_zeros(fn.body, classes, {classes.find(p) for p in fn.params})
    _block(fn.body, classes, fn)


def _drop_dead_zeros(block: Block, classes: AliasClasses, escaping: set[object]) -> None:
    """Removes ``x[i] = 0.0`` at the end of the adjoint part where nothing reads ``x`` afterwards."""
    read: set[object] = set(escaping) | {classes.find(y) for y in block.yields if isinstance(y, Value)}
    for k in range(len(block.ops) - 1, -1, -1):
        op = block.ops[k]
        if op.part != "adjoint":
            return
        if isinstance(op, Call) and op.fn is operator.setitem and isinstance(op.args[0], Value) and isinstance(op.args[0].type, Arr) and (
                classes.find(op.args[0]) not in read):
            del block.ops[k]
            continue
        read |= {classes.find(o) for o in _reads(op) if isinstance(o, Value)}


def _written(op: Op, classes: AliasClasses) -> set[object]:
    found: set[object] = set(classes.changed_by(op))
    for inner in blocks_of(op):
        for o in inner.ops:
            found |= _written(o, classes)
    return found


def _reads(op: Op) -> set[object]:
    found: set[object] = set(operands_of(op))
    for inner in blocks_of(op):
        found |= uses_of(inner)
    return found


def _block(block: Block, classes: AliasClasses, fn: Function) -> None:
    for op in block.ops:
        for inner in blocks_of(op):
            _block(inner, classes, fn)
    k = 0
    while k < len(block.ops):
        op = block.ops[k]
        if isinstance(op, Call) and op.fn is np.ndarray.copy and op.part == "adjoint" and not op.kwargs and isinstance(op.args[0], Value):
            source, copy = op.args[0], op.result
            if _needless(block, k, source, copy, classes, fn):
                if copy.name and not source.name:
                    source.name = copy.name
                del block.ops[k]
                substitute(block, {copy: source})
                continue
        k += 1


def _needless(block: Block, k: int, source: Value, copy: Value, classes: AliasClasses, fn: Function) -> bool:
    """Whether reading ``source`` instead of ``copy`` makes no difference in the rest of the block."""
    root, own = classes.find(source), classes.find(copy)
    if copy in block.yields:
        # a result of the function may be a part of an array that nothing else holds any more
        others = [y for y in block.yields if y is not copy and isinstance(y, Value)]
        if block is not fn.body or any(classes.find(o) in (root, own) for o in (*others, *fn.params)):
            return False
        if any(root in _written(op, classes) for op in block.ops[k + 1:]) or block.yields.count(copy) > 1:
            return False
    if any(own in _written(op, classes) for op in block.ops[k + 1:]):
        return False
    last = k
    for j in range(k + 1, len(block.ops)):
        if copy in _reads(block.ops[j]):
            last = j
    for j in range(k + 1, last + 1):
        op = block.ops[j]
        hit = root in _written(op, classes)
        if hit and (j < last or blocks_of(op) or not isinstance(op, Call) or not _safe_last(op, copy)):
            return False
        # a view of the copy, kept under another name, would outlive it
        if copy in operands_of(op) and any(classes.find(r) is own for r in op.results):
            return False
    return True


def _safe_last(op: Call, copy: Value) -> bool:
    """Whether NumPy itself takes care of the overlap: the copy is the value that is added or assigned."""
    from ...ir.prims import inplace_at
    if op.fn is inplace_at:
        return op.args[2] is copy and op.args[0] is not copy
    return op.fn in (operator.setitem, operator.iadd) and op.args[-1] is copy


