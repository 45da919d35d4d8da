"""iter() and next(): what is taken out of an iterator item by item."""
from __future__ import annotations

import operator
from typing import Any

from ...ir.ops import UNDEF, Lit, Value
from ...ir.types import Arr, ListT, Obj, TupleT
from ..context import Lowering
from ..domain.abstract import SIter, SList, SObj, STuple
from ..domain.contents import Contents
from ..domain.heap import reference_type
from ..expressions.operations import call, strip
from ..expressions.operators import binary_op
from ..expressions.subscripts import read_item
from ..objects.generator_records import RESUMABLE, is_iterator, next_of, start, take_item_by_item
from ..objects.members import special
from ..refusals import refuse
from ..statements.control_flow import branch, choose
from ..statements.dispatch import raised
from ..statements.generators import assigned_outside
from ..statements.loop_fixpoint import Loop

__all__ = ["HANDLERS", "rest_of"]


def _iter(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    """An iterator over something whose items have places remembers how many were taken."""
    from .iterables import resolve
    if len(args) != 1:
        refuse("generator_send", ctx.at(node), "iter() with a sentinel")
    if isinstance(args[0], SIter) and args[0].one_pass or is_iterator(ctx, args[0]):
        return args[0]
    if RESUMABLE in ctx.program.sites:
        return start(ctx, args[0], node)
    if isinstance(args[0], SObj) or reference_type(ctx, args[0]) is not None:
        found = special(ctx, args[0], "__iter__", [], node)
        if is_iterator(ctx, found):
            return found
        items = resolve(ctx, args[0] if found is None else found, node)
    else:
        items = resolve(ctx, args[0], node)
    made = SIter("chain", items)
    if _has_places(items):
        ctx.state[made, "taken"] = Lit(0)
    return made


def _has_places(x: Any) -> bool:
    if isinstance(x, Value):
        t = strip(x.type)
        return isinstance(t, (ListT, TupleT)) or isinstance(t, Arr) and bool(t.dims)
    return isinstance(x, (SList, STuple)) or isinstance(x, Lit) and isinstance(x.value, (tuple, list, str))


def _next(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    x, default = args[0], args[1:]
    if is_iterator(ctx, x):
        return next_of(ctx, x, default, node)
    if isinstance(x, SIter) and (x, "taken") in ctx.state:
        return _following(ctx, x, default, node)
    if isinstance(x, SIter) and x.one_pass and x not in ctx.kept:
        return _first(ctx, x, default, node)
    if isinstance(x, SObj) and not default:
        found = special(ctx, x, "__next__", [], node)
        if found is not None:
            return found
    take_item_by_item(ctx, x)
    refuse("generator_send", ctx.at(node), "next() of an iterator")


def _following(ctx: Lowering, x: SIter, default: list[Any], node: Any) -> Any:
    """The item behind those that were taken."""
    from ..calls.builtins import HANDLERS as BUILTINS
    if (x, "used") in ctx.state:
        take_item_by_item(ctx, x)
        refuse("generator_send", ctx.at(node), "it is run through more than once")
    items, at = x.data[0], ctx.state[x, "taken"]
    over = binary_op(ctx, operator.ge, at, BUILTINS[len](ctx, [items], {}, node), node)

    def end() -> Any:
        return default[0] if default else _stop(ctx, node)

    def item() -> Any:
        found = read_item(ctx, items, at, node)
        ctx.state[x, "taken"] = binary_op(ctx, operator.add, at, Lit(1), node)
        return found
    if isinstance(over, Lit):
        return end() if over.value else item()
    return choose(ctx, over, end, item)


def _first(ctx: Lowering, x: SIter, default: list[Any], node: Any) -> Any:
    """``next(generator expression, default)``: the first item of what is run through nowhere else."""
    from .iterables import run_loop, static_items
    known = static_items(ctx, x)
    if known is not None:
        return known[0] if known else default[0] if default else _stop(ctx, node)
    key = (object(), "found")
    ctx.state[key] = default[0] if default else UNDEF
    loop = Loop(ctx.frame)

    def first(item: Any) -> None:
        ctx.state[key] = item
        ctx.state[loop.brk] = Lit(True)
        ctx.state["#dead"] = ("break", loop)
    run_loop(ctx, x, first, node, assigned_outside(ctx), loop)
    flag = ctx.state.pop(loop.brk, Lit(False))
    found = ctx.state.pop(key)
    if not default and not (isinstance(flag, Lit) and flag.value):
        if isinstance(flag, Lit):
            _stop(ctx, node)
        else:
            branch(ctx, flag, lambda: None, lambda: _stop(ctx, node))
    return found


def _stop(ctx: Lowering, node: Any) -> Any:
    raised(ctx, call(ctx, StopIteration, [], spelling="StopIteration", type=Obj(StopIteration), node=node))
    return UNDEF


def rest_of(ctx: Lowering, x: SIter, node: Any) -> SIter:
    """What is left of an iterator that is run through from here on."""
    from ..calls.builtins import HANDLERS as BUILTINS
    from .iterables import static_items
    items, at = x.data[0], ctx.state.get((x, "taken"), Lit(0))
    if isinstance(at, Lit) and at.value == 0:
        return SIter(x.kind, *x.data, over=x.over)
    known = static_items(ctx, items)
    if known is not None and isinstance(at, Lit):
        held = ctx.contents(items) if isinstance(items, SList) else None
        return SIter("list", *known[at.value:], over=((items, held),) if isinstance(held, Contents) else ())
    if isinstance(items, Value) and isinstance(strip(items.type), Arr):
        return SIter("chain", read_item(ctx, items, BUILTINS[slice](ctx, [at, Lit(None)], {}, node), node))
    take_item_by_item(ctx, x)
    refuse("generator_send", ctx.at(node), "how many of its items were taken is not known when compiling")


HANDLERS: dict[Any, Any] = {iter: _iter, next: _next}
