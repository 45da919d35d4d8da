"""Element-wise operations, and calls of functions that consist of such operations; how to apply them to other operands."""
from __future__ import annotations

import operator
from typing import Any

from ...ir.build import Builder
from ...ir.ops import Call, Function, Invoke, Lit, Op, operands_of
from ...ir.types import Num
from ..simplify.shapes import is_elementwise

__all__ = ["kind_of", "on_other_operands", "operations_of"]


def kind_of(op: Op) -> Any:
    """The function of an element-wise operation; None for other operations."""
    if isinstance(op, Invoke):
        return template(op.func)
    if type(op) is not Call or op.kwargs or len(op.results) != 1 or not (op.fn is operator.pow or is_elementwise(op.fn)):
        return None
    return op.fn


def template(fn: Function) -> tuple[Any, ...] | None:
    """An element-wise function as a list of operations with their operands, each a number, a parameter or the
    result of an earlier operation; None for other functions."""
    number: dict[Any, int] = {p: -1 - k for k, p in enumerate(fn.params)}
    steps: list[Any] = []
    for op in fn.body.ops:
        if isinstance(op, Invoke) or (kind := kind_of(op)) is None:
            return None
        args = [("number", type(a.value), repr(a.value)) if isinstance(a, Lit) else number.get(a) for a in operands_of(op)]
        if None in args or any(isinstance(a, Lit) and not isinstance(a.type, Num) for a in operands_of(op)):
            return None
        number[op.result] = len(steps)
        steps.append((kind, *args))
    plain = fn.returns.kind == "leaf" and len(fn.body.yields) == 1 and number.get(fn.body.yields[0]) == len(steps) - 1
    return tuple(steps) if steps and plain else None


def operations_of(op: Op) -> int:
    """How many operations an operation is."""
    return len(op.func.body.ops) if isinstance(op, Invoke) else 1


def on_other_operands(b: Builder, op: Op, args: list[Any]) -> Any:
    """The operation on other operands."""
    if isinstance(op, Call):
        return b.call(op.fn, *args, spelling=op.spelling)
    assert isinstance(op, Invoke)
    known: dict[Any, Any] = dict(zip(op.func.params, args))
    for inner in op.func.body.ops:
        assert isinstance(inner, Call)
        known[inner.result] = b.call(inner.fn, *(known.get(a, a) for a in inner.args), spelling=inner.spelling)
    return known[op.func.body.yields[0]]
