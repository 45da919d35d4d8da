"""Types of loop-carried Python numbers that become NumPy scalars after the first iteration, and of everything computed from them."""
from __future__ import annotations

import operator

from ....ir.ops import Block, Call, For, If, Op, Operand, While
from ....ir.types import Arr, Num, join, unmixed

__all__ = ["widen_loop"]

_ARITHMETIC = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.neg))


def _block(block: Block) -> None:
    for op in block.ops:
        if type(op) is Call:
            if op.fn in _ARITHMETIC and _is_python(op.result) and any(map(_is_numpy, op.args)):
                op.result.type = Arr("float64", (), True)
        elif isinstance(op, If):
            _block(op.then)
            _block(op.orelse)
            _flow(op, [op.then.yields, op.orelse.yields])
        elif isinstance(op, (For, While)):
            widen_loop(op)


def widen_loop(op: For | While) -> None:
    """Correct the types of loop-carried values and the values computed from them, in place."""
    params = op.body.params[len(op.body.params) - len(op.inits):]
    for p, start in zip(params, op.inits):
        if _is_python(p) and _is_numpy(start):
            p.type = unmixed(join(p.type, start.type))
    while True:
        _block(op.body)
        late = [(p, end) for p, end in zip(params, op.body.yields[op.stops:]) if _is_python(p) and _is_numpy(end)]
        if not late:
            break
        for p, end in late:
            p.type = unmixed(join(p.type, end.type))
    _flow(op, [params])     # type: ignore[list-item]


def _flow(op: Op, sources: list[list[Operand]]) -> None:
    for k, r in enumerate(op.results):
        for found in sources:
            if _is_python(r) and _is_numpy(found[k]):
                r.type = unmixed(join(r.type, found[k].type))


def _is_python(x: Operand) -> bool:
    return isinstance(x.type, Num) and x.type.kind == "float"


def _is_numpy(x: Operand) -> bool:
    return isinstance(x.type, Arr) and x.type.scalar and x.type.dtype == "float64"
