"""Reuse a view instead of creating the same view again."""
from __future__ import annotations

import operator
from collections import ChainMap
from collections.abc import Hashable
from typing import Any

from ...ir.infer import infer
from ...ir.ops import Block, Build, Call, Function, Lit, Op, Operand, Value, blocks_of
from ...ir.prims import inplace_at
from ...ir.types import Arr
from ..analysis.def_use import definitions
from ..batch.lanes import of_directions
from ..rewriting.substitute import substitute, substitute_op
from .fusion_members import is_basic

__all__ = ["share_views"]

_WRITES = frozenset((operator.setitem, inplace_at))


def share_views(fn: Function) -> dict[int, Value]:
    """Rewrite a function in place.

    Returns
    -------
    dict
        The view that a write goes to, made before it, by the identity of the operation.
    """
    visitor = _Visitor(definitions(fn))
    visitor.block(fn.body, ChainMap())
    return visitor.targets


def _index_key(index: Operand, defs: dict[Value, Op]) -> Hashable:
    """A key that distinguishes indices."""
    made = defs.get(index) if isinstance(index, Value) else None
    if isinstance(made, Build) and made.kind in ("tuple", "slice"):
        return made.kind, *(_index_key(i, defs) for i in made.items)
    if isinstance(index, Lit):
        if isinstance(index.value, tuple):
            return "tuple", *(repr(i) for i in index.value)
        return repr(index.value)
    return index


class _Visitor:
    def __init__(self, defs: dict[Value, Op]):
        self.defs = defs
        self.targets: dict[int, Value] = {}

    def block(self, block: Block, there: ChainMap[Hashable, Value]) -> None:
        """Rewrite a block and those inside of it; ``there`` are the views made before it."""
        swap: dict[Value, Any] = {}
        ops: list[Op] = []
        for op in block.ops:
            substitute_op(op, swap)
            if isinstance(op, Call) and op.fn is operator.getitem and _is_view(op):
                key = op.args[0], _index_key(op.args[1], self.defs)
                if key in there:
                    swap[op.result] = there[key]
                    continue
                there[key] = op.result
            elif isinstance(op, Call) and op.fn in _WRITES:
                self._target(op, there, ops)
            for inner in blocks_of(op):
                substitute(inner, swap)
                self.block(inner, there.new_child())
            ops.append(op)
        block.ops = ops
        substitute(block, swap)

    def _target(self, op: Call, there: ChainMap[Hashable, Value], ops: list[Op]) -> None:
        """Find the view that an operation writes to, or makes it."""
        array, index = op.args[:2]
        if not isinstance(array, Value) or not isinstance(array.type, Arr) or not is_basic(index, array):
            return
        key = array, _index_key(index, self.defs)
        if key not in there:
            made = Call(operator.getitem, [array, index], results=[Value(name=array.name)], loc=op.loc, part=op.part)
            made.result.type = _as_many_directions(infer(operator.getitem, [array, index], {}), op.args[2].type)
            if not _is_view(made):
                return
            ops.append(made)
            self.defs[made.result] = made
            there[key] = made.result
        self.targets[id(op)] = there[key]


def _as_many_directions(part: Any, value: Any) -> Any:
    """The type of a part of an array to which a value with one row per direction of the part is written."""
    dims = value.dims if isinstance(value, Arr) else ()
    if isinstance(part, Arr) and len(part.dims) == len(dims) > 0 and of_directions(dims[0]) and part.dims[0].one is None:
        return Arr(part.dtype, (dims[0], *part.dims[1:]))
    return part


def _is_view(op: Call) -> bool:
    t = op.result.type
    return isinstance(t, Arr) and bool(t.dims) and not t.scalar and isinstance(op.args[0].type, Arr) and is_basic(op.args[1], op.args[0])
