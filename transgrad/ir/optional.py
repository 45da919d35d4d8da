"""Gives containers, or arrays, that may be None a name of their own, `present`, at each place that reads them, where they cannot be."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .effects import COPIES, writes
from .ops import Block, Build, Call, For, Function, GetAttr, Op, Star, Value, blocks_of
from .prims import not_in, present
from .types import Arr, Num, OptT, may_be_no_container, strip

__all__ = ["name_present"]

#: what asks something of a value that may be None without reading its items
_ASKS: frozenset[Callable[..., Any]] = frozenset((
    operator.is_, operator.is_not, operator.eq, operator.ne, operator.not_, operator.truth, operator.contains, not_in, bool, isinstance,
    type, id, len, present,
))
_MAKES = COPIES | {operator.add, operator.mul}


def name_present(fn: Function, arrays: bool = False) -> None:
    """Names them in a function: containers that carry derivatives and arrays that loops run over, or all ``arrays`` and numbers."""
    _block(fn.body, {}, _may_be_no_array if arrays else _may_be_no_container, _ASKS - {len} if arrays else _ASKS)


def _may_be_no_container(x: Value) -> bool:
    return x.varied and may_be_no_container(x.type)


def _may_be_no_array(x: Value) -> bool:
    return isinstance(x.type, OptT) and isinstance(x.type.elem, (Arr, Num))


def _block(block: Block, named: dict[Value, Value], concerns: Callable[[Value], bool], asks: frozenset[Callable[..., Any]]) -> None:
    ops: list[Op] = []

    def known(x: Any, runs: bool = False) -> Any:
        if isinstance(x, Star):
            return Star(known(x.value))
        if type(x) is not Value or not (concerns(x) or runs and _may_be_no_array(x)):
            return x
        if x not in named:
            named[x] = found = Value(strip(x.type), x.name, x.varied)
            ops.append(Call(present, [x], results=[found], loc=op.loc, part=op.part))
        return named[x]

    for op in block.ops:
        for inner in blocks_of(op):
            _block(inner, dict(named), concerns, asks)
        if isinstance(op, Build) or isinstance(op, Call) and op.fn in _MAKES:
            for v in op.results:        # the type of a name covers all values that it may have
                v.type = strip(v.type)
        if isinstance(op, Call) and op.fn not in asks:
            changed = writes(op)
            op.args = [a if any(a is w for w in changed) else known(a) for a in op.args]
            op.kwargs = {k: known(a) for k, a in op.kwargs.items()}
        elif isinstance(op, GetAttr):
            op.obj = known(op.obj)
        elif isinstance(op, For):
            for source in op.sources:
                source.operands = [known(o, runs=True) for o in source.operands]
        ops.append(op)
    block.ops = ops
