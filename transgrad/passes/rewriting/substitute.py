"""Substitute operands, and collect the operands that are read."""
from __future__ import annotations

from typing import Any

from ...ir.ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    GetAttr,
    If,
    Invoke,
    Op,
    Operand,
    Raise,
    SetAttr,
    Star,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
)

__all__ = ["substitute", "substitute_chains", "substitute_op", "uses_of"]

Map = dict[Value, Operand]


def substitute_chains(block: Block, mapping: Map) -> None:
    """Replace operands in a block, if a replacement may itself be replaced."""
    for v, o in mapping.items():
        while isinstance(o, Value) and o in mapping:
            o = mapping[o]
        mapping[v] = o
    substitute(block, mapping)


def uses_of(block: Block) -> set[Any]:
    """Every value that is read in a block or in the blocks inside it."""
    found: set[Any] = set(block.yields)
    for op in block.ops:
        found.update(operands_of(op))
        if type(op) is not Call:
            for inner in blocks_of(op):
                found |= uses_of(inner)
    return found


def substitute(block: Block, mapping: Map) -> None:
    """Replace the operands in a block, and in its inner blocks."""
    if not mapping:
        return
    replaced = mapping.keys()
    for op in block.ops:
        if not replaced.isdisjoint(operands_of(op)):
            substitute_op(op, mapping)
        if type(op) is not Call:
            for inner in blocks_of(op):
                substitute(inner, mapping)
    block.yields = [mapping.get(y, y) if isinstance(y, Value) else y for y in block.yields]


def substitute_op(op: Op, mapping: Map) -> None:
    """Replace the operands of one operation, without its blocks."""
    if mapping.keys().isdisjoint(operands_of(op)):      # most read nothing that is replaced
        return

    def m(x: Any) -> Any:
        if type(x) is Star:
            return Star(mapping.get(x.value, x.value))  # type: ignore[arg-type]
        return mapping.get(x, x) if isinstance(x, Value) else x

    match op:
        case Call() | CallValue():
            if isinstance(op, CallValue):
                op.callee = m(op.callee)
            op.args = [m(a) for a in op.args]
            op.kwargs = {k: m(v) for k, v in op.kwargs.items()}
        case Invoke():
            op.args = [m(a) for a in op.args]
        case Build():
            op.items = [m(a) for a in op.items]
        case GetAttr():
            op.obj = m(op.obj)
        case SetAttr():
            op.obj, op.value = m(op.obj), m(op.value)
        case If():
            op.cond = m(op.cond)
        case For():
            for s in op.sources:
                s.operands = [m(o) for o in s.operands]
            op.inits = [m(i) for i in op.inits]
        case While():
            op.inits = [m(i) for i in op.inits]
        case Try():
            for h in op.handlers:
                if h.classes is not None:
                    h.classes = m(h.classes)
        case With():
            op.ctx = m(op.ctx)
        case Raise():
            op.exc, op.cause = m(op.exc), m(op.cause)
