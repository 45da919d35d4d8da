"""Records: numbers appended to external lists and not read there again are stored as constants.

``env.history.append(env.theta)`` and ``TRACE.append(loss)`` store numbers for the caller, who does not ask for their derivative. The list
is not differentiated then. If the function may read the list again, lowering starts again and treats it as an ordinary list.
"""
from __future__ import annotations

from typing import Any

from ...ir.ops import Call, CallValue, GetAttr, Invoke, Lit, Op, Value, functions_of, operands_of, walk
from ...ir.types import Arr, ListT, Num, Obj, strip
from ...rules.stop import stop_gradient
from ..context import InlineInstead, Lowering, Restart
from ..domain.abstract import STuple

__all__ = ["check_recordings", "recorded"]

#: stands among the sites of a program where a list is read again
READ_BACK = "recorded lists are read"


def recorded(ctx: Lowering, container: Any, item: Any, node: Any) -> Any:
    """The constant to append to an external list instead of a differentiated number; None for other lists and items."""
    from ..calls.dispatch import varied
    if READ_BACK in ctx.program.sites or not varied(ctx, item) or not _is_number(item):
        return None
    if isinstance(container, Lit):
        known = isinstance(container.value, list)
    else:
        known = isinstance(container, Value) and container in ctx.examples and isinstance(ctx.examples[container][0], list) and (
            not container.varied or _of_object(ctx, ctx.examples[container][1]))
    if not known:
        return None
    if ctx.variant is not None:
        raise InlineInstead(ctx.variant.func)
    ctx.program.recordings.append(container)
    return _constant(ctx, item, node)


def _of_object(ctx: Lowering, path: Any) -> bool:
    """Whether a list is an attribute of an argument that is an object, and so is not differentiated."""
    while isinstance(path, tuple):
        path = path[0]
    return any(p.name == path and isinstance(p.value, Value) and type(p.value.type) is Obj for p in ctx.function.signature)


def _is_number(x: Any) -> bool:
    if isinstance(x, STuple):
        return all(map(_is_number, x.items))
    return isinstance(x, (Value, Lit)) and (isinstance(x.type, Num) or isinstance(x.type, Arr) and x.type.scalar or isinstance(x, Lit))


def _constant(ctx: Lowering, x: Any, node: Any) -> Any:
    from ..expressions.operations import call
    if isinstance(x, STuple):
        return ctx.tuple([_constant(ctx, i, node) for i in x.items], x.cls)
    if isinstance(x, Lit):
        return x
    return call(ctx, stop_gradient, [x], spelling=ctx.bind("stop_gradient", stop_gradient), type=x.type, node=node)


def check_recordings(ctx: Lowering) -> None:
    """Start again without records where one of the lists may be read."""
    if not ctx.program.recordings:
        return
    held = [r.value if isinstance(r, Lit) else ctx.examples[r][0] for r in ctx.program.recordings]
    names = {path[-1] for r in ctx.program.recordings if isinstance(r, Value) and isinstance(path := ctx.examples[r][1], tuple)}
    ids, group = set(map(id, held)), set()
    for r in ctx.program.recordings:
        group |= set(ctx.sharing.all(r)) if isinstance(r, Value) else set()

    def is_list(o: Any) -> bool:
        if isinstance(o, Lit):
            return id(o.value) in ids
        if not isinstance(o, Value):
            return False
        if o in ctx.examples:
            return id(ctx.examples[o][0]) in ids
        return o in group and (isinstance(strip(o.type), ListT) or o.type == Obj(None))

    def reads(op: Op) -> bool:
        if isinstance(op, (CallValue, Invoke)):
            return any(o in group or is_list(o) for o in operands_of(op)) and (isinstance(op, CallValue) or any(map(is_list, op.args)))
        given = operands_of(op)
        if isinstance(op, Call) and op.fn is list.append:
            given = given[1:]
        return not (isinstance(op, Call) and op.fn is len) and any(map(is_list, given))
    inner = [fn for fn in functions_of(ctx.function) if fn is not ctx.function]
    if any(map(reads, walk(ctx.function.body))) or any(map(is_list, ctx.function.body.yields)) or any(
            isinstance(op, GetAttr) and op.name in names or any(isinstance(o, Lit) and id(o.value) in ids for o in operands_of(op))
            for fn in inner for op in walk(fn.body)):
        raise Restart([READ_BACK])
