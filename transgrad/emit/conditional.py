"""Which branches are conditional expressions: ``a if c else b``, ``a and b``, ``a or b``."""
from __future__ import annotations

from ..ir.effects import is_pure
from ..ir.ops import UNDEF, Block, Build, Call, CallValue, GetAttr, If, Invoke, Op, Value, blocks_of, operands_of
from ..ir.prims import unpack
from .operators import INPLACE
from .uses import Uses

__all__ = ["is_conditional_expression", "is_expression"]

_HEADERS = ("if", "elif", "while", "for", "match", "case", "assert", "try", "with", "except", "else")


def is_expression(op: Op) -> bool:
    """Whether an operation can be written inside an expression."""
    if len(op.results) != 1:
        return False
    if isinstance(op, Call):
        return op.fn not in INPLACE and op.fn is not unpack
    if isinstance(op, Invoke):
        return op.func.returns.kind == "leaf"
    return isinstance(op, (CallValue, Build, GetAttr))


def is_conditional_expression(op: If, uses: Uses) -> bool:
    """Whether a branch was, and can be written as, one expression."""
    if len(op.results) != 1 or op.then.yields[0] is op.orelse.yields[0]:
        return False
    logical = any(not block.ops and block.yields[0] is op.cond for block in (op.then, op.orelse))
    if _is_statement(op) and not (logical and op.results[0].name is None):
        return False
    return _inline(op.then, uses) and _inline(op.orelse, uses)


def _is_statement(op: If) -> bool:
    """Whether the user wrote an if statement."""
    text = op.loc.text if op.loc is not None else ""
    word = text.split(" ")[0].split("(")[0].rstrip(":")
    return word in _HEADERS or (not text and op.results[0].name is not None)


def _inline(block: Block, uses: Uses) -> bool:
    """Whether a block is nothing but the expression it yields, evaluated in the order of its operations."""
    if block.yields[0] is UNDEF:
        return False
    waiting: set[Value] = set()
    for k, op in enumerate(block.ops):
        if isinstance(op, If):
            if not is_conditional_expression(op, uses):
                return False
        elif not is_expression(op):
            return False
        last = k == len(block.ops) - 1
        if op.result.name is not None or uses[op.result] != 1 or (not is_pure(op) and not last):
            return False
        waiting -= _reads(op)
        waiting.add(op.result)
    return not block.ops or waiting == {block.yields[0]}


def _reads(op: Op) -> set[Value]:
    found = {o for o in operands_of(op) if isinstance(o, Value)}
    for block in blocks_of(op):
        found |= {y for y in block.yields if isinstance(y, Value)}
        for inner in block.ops:
            found |= _reads(inner)
    return found
