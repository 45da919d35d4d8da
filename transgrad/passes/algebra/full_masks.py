"""Replace a gather by a mask that is true everywhere with a slice of the whole array, decided at run time.

The branches of a batch run for the examples that take them, and gather and scatter every array that they read and write. In most batches,
all examples take the same branch.
"""
from __future__ import annotations

import operator

import numpy as np

from ...ir.build import Builder
from ...ir.effects import aliases, writes
from ...ir.ops import Block, Call, Function, GetAttr, If, Lit, Op, Value, blocks_of, calls, operands_of, walk
from ...ir.types import UNKNOWN, Arr, Num
from ..analysis.alias import AliasClasses
from ..manager import Property, Stage, optimization
from ..switches import is_on

__all__ = ["slice_full_masks"]

#: so many times an index is used at least for it to be looked at
_FEW = 2


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,))
def slice_full_masks(fn: Function) -> bool:
    """Rewrite a finished function in place: it is not differentiated again."""
    if is_on("simplify") and calls(fn.body, np.flatnonzero):
        _block(fn, fn.body)
        return True
    return False


def _block(fn: Function, block: Block) -> None:
    for op in list(block.ops):
        for inner in blocks_of(op):
            _block(fn, inner)
        if isinstance(op, Call) and op.fn is np.flatnonzero and not op.kwargs and isinstance(op.args[0], Value):
            _select(fn, block, op)


def _select(fn: Function, block: Block, op: Call) -> None:
    """Index by a slice instead, where the copies that an index makes are not missed."""
    index, mask = op.result, op.args[0]
    place = block.ops.index(op)
    uses = [use for use in block.ops[place + 1:] if isinstance(use, Call) and _indexes(use, index)]
    if len(uses) < _FEW:
        return
    found = Value(UNKNOWN, index.name)      # a slice or an index
    for use in uses:
        use.args[1] = found
    classes = AliasClasses(fn)
    reads = [use.result for use in uses if use.fn is operator.getitem]
    if any(map(classes.is_written, reads)) or _are_kept(fn, reads):
        for use in uses:
            use.args[1] = index
        return
    chosen = Block()
    with Builder(chosen, op.part, op.loc) as b:
        everywhere = b.call(operator.eq, b.call(len, index, type=Num("int")), b.call(len, mask, type=Num("int")), type=Num("bool"))
        b.emit(If(everywhere, Block(yields=[Lit(slice(None), "slice(None)")]), Block(yields=[index]), results=[found]))
    block.ops[place + 1:place + 1] = chosen.ops


def _are_kept(fn: Function, arrays: list[Value]) -> bool:
    """Whether an array, or a view of it, escapes: it is returned, stored, or passed to a function."""
    users: dict[Value, list[Op]] = {}
    yields = set(fn.body.yields)
    for op in walk(fn.body):
        for o in operands_of(op):
            if isinstance(o, Value):
                users.setdefault(o, []).append(op)
        for inner in blocks_of(op):
            yields.update(inner.yields)
    todo = list(arrays)
    while todo:
        v = todo.pop()
        if v in yields:
            return True
        for op in users.get(v, ()):
            if not isinstance(op, (Call, GetAttr)) or isinstance(op, Call) and any(not isinstance(w.type, Arr) for w in writes(op)):
                return True
            if v in aliases(op):
                todo += op.results
    return False


def _indexes(op: Call, index: Value) -> bool:
    """Whether an operation reads or fills the elements at an index along the first axis, and uses the index for nothing else."""
    return op.fn in (operator.getitem, operator.setitem) and op.args[1] is index and sum(a is index for a in operands_of(op)) == 1
