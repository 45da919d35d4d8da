"""Values that are not computed on every path, where they are kept for the reverse part, which reads them on the others only."""
from __future__ import annotations

from collections.abc import Iterable

from ..ir.ops import UNDEF, Block, Call, For, If, Lit, Op, Try, Value, While, With, walk

__all__ = ["define_kept"]


def define_kept(body: Block, kept: Iterable[object]) -> None:
    """Has a forward part compute None, in place of nothing, for what is kept: ``kept`` values, and what is put into lists."""
    makers: dict[Value, tuple[Op, int]] = {}
    todo = [v for v in kept if isinstance(v, Value)]
    params: dict[Value, tuple[Op, int]] = {}
    for op in walk(body):
        for k, r in enumerate(op.results):
            makers[r] = op, k
        if isinstance(op, (For, While)):
            n = len(op.body.params) - len(op.inits)
            params.update((p, (op, k)) for k, p in enumerate(op.body.params[n:]))
        if isinstance(op, Call) and op.fn is list.append and isinstance(op.args[1], Value):
            todo.append(op.args[1])
    seen: set[Value] = set()
    while todo:
        v = todo.pop()
        if v in seen:
            continue
        seen.add(v)
        found = makers.get(v) or params.get(v)
        if found is None:
            continue
        op, k = found
        if isinstance(op, (If, Try, With)):
            for block in _ends(op):
                block.yields[k] = _defined(block.yields[k], todo)
        elif isinstance(op, (For, While)):
            op.inits[k] = _defined(op.inits[k], todo)
            op.body.yields[op.stops + k] = _defined(op.body.yields[op.stops + k], todo)


def _ends(op: If | Try | With) -> list[Block]:
    """The blocks of which one yields the results."""
    if isinstance(op, If):
        return [op.then, op.orelse]
    return [op.body, *(h.body for h in op.handlers)] if isinstance(op, Try) else [op.body]


def _defined(x: Value | Lit, todo: list[Value]) -> Value | Lit:
    if x is UNDEF:
        return Lit(None)
    if isinstance(x, Value):
        todo.append(x)
    return x
