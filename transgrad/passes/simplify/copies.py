"""Eliminate copies of parts of an adjoint if the original is not written to before the last use of the copy."""
from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Iterable

import numpy as np

from ...ir.ops import Block, Call, Function, Op, Operand, Value, blocks_of, calls, operands_of, walk
from ...ir.prims import inplace_at
from ...ir.types import Arr
from ..analysis.alias import AliasClasses
from ..manager import Stage, analysis, optimization
from ..rewriting.substitute import substitute, uses_of

__all__ = ["elide_copies"]

_LOOKED_FOR = (np.ndarray.copy, operator.setitem)


@optimization(Stage.SIMPLIFY, "simplify", analyses=(AliasClasses,))
def elide_copies(fn: Function) -> bool:
    """Rewrite ``x[i].copy()`` in the adjoint part to ``x[i]`` where the copy is not needed, and remove zeroing of parts of
    a shadow that nothing reads any more."""
    if not calls(fn.body, *_LOOKED_FOR) or not any(
            type(op) is Call and op.fn in _LOOKED_FOR and op.part == "adjoint" for op in walk(fn.body)):
        return False
    classes = analysis(AliasClasses, fn)
    _drop_dead_zeros(fn.body, classes, _memory(fn.params, classes))
    _block(fn.body, classes, fn)
    return True


def _drop_dead_zeros(block: Block, classes: AliasClasses, escaping: set[object]) -> None:
    """Remove ``x[i] = 0.0`` at the end of the adjoint part where nothing reads ``x`` afterwards."""
    read = escaping | _memory(block.yields, classes)
    for k in range(len(block.ops) - 1, -1, -1):
        op = block.ops[k]
        if op.part != "adjoint":
            return
        if isinstance(op, Call) and op.fn is operator.setitem and isinstance(op.args[0], Value) and isinstance(op.args[0].type, Arr) and (
                classes.find(op.args[0]) not in read):
            del block.ops[k]
            continue
        read |= _memory(_reads(op), classes)


def _memory(operands: Iterable[object], classes: AliasClasses) -> set[object]:
    """The alias classes of values and their contents."""
    return {root for o in operands if isinstance(o, Value) for root in (classes.find(o), *classes.inner(o))}


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
    copies = []
    for k, op in enumerate(block.ops):
        for inner in blocks_of(op):
            _block(inner, classes, fn)
        if isinstance(op, Call) and op.fn is np.ndarray.copy and op.part != "primal" and not op.kwargs and isinstance(op.args[0], Value):
            copies.append((k, op))
    if not copies:
        return
    places = _Places(block, classes)
    originals: dict[Value, Operand] = {}
    for k, op in copies:
        source, copy = originals.get(op.args[0], op.args[0]), op.result
        if _needless(block, k, source, copy, places, fn):
            if copy.name and not source.name:
                source.name = copy.name
            originals[copy] = source
            block.yields = [source if y is copy else y for y in block.yields]
    block.ops = [op for op in block.ops if not (op.results and op.results[0] in originals)]
    substitute(block, originals)


class _Places:
    """Which operations of a block read a value, and which write to a class of memory, themselves or in their blocks: by their places,
    in order."""

    def __init__(self, block: Block, classes: AliasClasses):
        self.classes = classes
        self.read: dict[object, list[int]] = {}
        self.written: dict[object, list[int]] = {}
        for k, op in enumerate(block.ops):
            for o in _reads(op):
                self.read.setdefault(o, []).append(k)
            for root in _written(op, classes):
                self.written.setdefault(root, []).append(k)

    def writes(self, root: object, after: int) -> list[int]:
        """The operations behind one that write to a class."""
        found = self.written.get(root, [])
        return found[bisect_right(found, after):]


def _needless(block: Block, k: int, source: Value, copy: Value, places: _Places, fn: Function) -> bool:
    """Whether reading ``source`` instead of ``copy`` makes no difference in the rest of the block."""
    classes = places.classes
    root, own = classes.find(source), classes.find(copy)
    if copy in block.yields:
        # a result of the function may be a part of an array that nothing else holds any more
        others = [y for y in block.yields if y is not copy and isinstance(y, Value)]
        if block is not fn.body or not _memory((*others, *fn.params), classes).isdisjoint((root, own)):
            return False
        if places.writes(root, k) or block.yields.count(copy) > 1:
            return False
    if places.writes(own, k):
        return False
    if classes.is_held(copy) and classes.is_written(source):    # a residual of another reverse part is read long after this block
        return False
    readers = places.read.get(copy, [])
    last = readers[-1] if readers else k
    for j in places.writes(root, k):
        op = block.ops[j]
        if j < last or j == last and (blocks_of(op) or not isinstance(op, Call) or not _safe_last(op, copy)):
            return False
    # a view of the copy, kept under another name, would outlive it
    return not any(classes.find(r) is own for j in readers if copy in operands_of(block.ops[j]) for r in block.ops[j].results)


def _safe_last(op: Call, copy: Value) -> bool:
    """Whether NumPy itself takes care of the overlap: the copy is the value that is added or assigned."""
    if op.fn is inplace_at:
        return op.args[2] is copy and op.args[0] is not copy
    return op.fn in (operator.setitem, operator.iadd) and op.args[-1] is copy


