"""Generators are inlined where they are looped over: the body of the loop stands where they yield."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.ops import Lit
from ..context import Lowering
from ..domain.abstract import SIter
from ..expressions.dispatch import expr
from ..expressions.operations import call
from ..expressions.operators import binary_op, compare_op, truth
from ..frames import Frame
from ..refusals import refuse
from .control_flow import branch, reached_by
from .loop_fixpoint import Loop

__all__ = ["run_inlined", "yield_", "yield_from"]


def run_inlined(ctx: Lowering, x: Any, body: Callable[[Any], None], node: Any, loop: Loop, assigned: list[Any]) -> None:
    """Lowers ``for item in x: body(item)`` for something that is not a source at run time."""
    if not isinstance(x, SIter):
        refuse("undecided", ctx.at(node) if node is not None else ctx.loc, "the type of the iterable of this loop is not known")

    def step(item: Any) -> None:
        """The body of the consumer at the place of a yield."""
        exits = ctx.exits
        ctx.exits = [*exits, loop.cont]
        try:
            body(item)
        finally:
            ctx.exits = exits
        reached_by(ctx, loop.cont, ("continue", loop))
        ctx.state.pop(loop.cont, None)

    exits = ctx.exits
    ctx.exits = [*exits, loop.brk]
    ctx.extra_assigned.append(assigned)
    try:
        kind, data = x.kind, x.data
        if kind == "generator":
            loop.returned = _function(ctx, x, step, node)
        elif kind == "genexp":
            _expression(ctx, x, step)
        elif kind == "map":
            _mapped(ctx, data, step, node, assigned)
        elif kind == "filter":
            _filtered(ctx, data, step, node, assigned)
        elif kind == "chain":
            _chained(ctx, data, step, node, assigned)
        elif kind == "enumerate":
            _numbered(ctx, data, step, node, assigned)
        elif kind == "zip":
            _zipped(ctx, data, step, node, assigned)
        elif kind == "nested":
            data[0](step)
        else:
            refuse("generator_send", ctx.at(node) if node is not None else ctx.loc, f"{kind}() of a generator needs all its items at once")
    finally:
        ctx.exits = exits
        ctx.extra_assigned.pop()
    reached_by(ctx, loop.brk, ("break", loop))


def _function(ctx: Lowering, x: SIter, step: Callable[[Any], None], node: Any) -> Any:
    """A generator function; gives what it returns."""
    from ..calls.functions import inline
    source, fnode, module, outer, cells, bound, name = x.data
    frame = Frame(source, fnode, module, outer, cells, None, name)
    consumer = ctx.frame, ctx.loops
    ctx.consumers[frame] = (step, *consumer)
    return inline(ctx, frame, bound, node if node is not None else fnode)


def yield_(ctx: Lowering, node: Any) -> Any:
    """``yield value``: the loop that consumes the generator runs its body here."""
    held = ctx.consumers.get(ctx.frame)
    if held is None:
        refuse("generator_send", ctx.at(node), "this function yields")
    value = Lit(None) if node.value is None else expr(ctx, node.value)
    _consume(ctx, held, value)
    return Lit(None)


def _consume(ctx: Lowering, held: Any, value: Any) -> None:
    step, frame, loops = held
    outer = ctx.frame, ctx.loops, ctx.loc
    ctx.frame, ctx.loops = frame, loops
    try:
        step(value)
    finally:
        ctx.frame, ctx.loops, ctx.loc = outer


def yield_from(ctx: Lowering, node: Any) -> Any:
    """``yield from iterable``."""
    from ..containers.iterables import run_loop
    held = ctx.consumers.get(ctx.frame)
    if held is None:
        refuse("generator_send", ctx.at(node), "this function yields")
    loop = Loop(ctx.frame)
    run_loop(ctx, expr(ctx, node.value), lambda item: _consume(ctx, held, item), node, assigned_outside(ctx), loop)
    return loop.returned


def assigned_outside(ctx: Lowering) -> list[Any]:
    """State keys that the bodies of consuming loops may assign."""
    return [k for keys in ctx.extra_assigned for k in keys]


def _expression(ctx: Lowering, x: SIter, step: Callable[[Any], None]) -> None:
    """A generator expression."""
    from ..expressions.comprehensions import run_clauses
    node, frame, first, hidden = x.data
    consumer, consumer_hidden, own_hidden = ctx.frame, ctx.frame.hidden, frame.hidden
    ctx.frame = frame
    frame.hidden = hidden

    def body() -> None:
        value = expr(ctx, node.elt)
        inner, inner_hidden = ctx.frame, frame.hidden
        ctx.frame = consumer
        consumer.hidden = consumer_hidden
        try:
            step(value)
        finally:
            ctx.frame = inner
            frame.hidden = inner_hidden
    try:
        run_clauses(ctx, node, body, first)
    finally:
        frame.hidden = own_hidden
        ctx.frame = consumer


def _mapped(ctx: Lowering, data: Any, step: Callable[[Any], None], node: Any, assigned: list[Any]) -> None:
    from ..containers.iterables import run_loop
    func, *iterables = data
    if len(iterables) == 1:
        run_loop(ctx, iterables[0], lambda item: step(_apply(ctx, func, [item], node)), node, assigned)
    else:
        run_loop(ctx, SIter("zip", *iterables), lambda row: step(_apply(ctx, func, list(row.items), node)), node, assigned)


def _apply(ctx: Lowering, func: Any, args: list[Any], node: Any) -> Any:
    from ..calls.dispatch import call_abstract
    if callable(func):
        return func(*args)
    return call_abstract(ctx, func, args, {}, node)


def _filtered(ctx: Lowering, data: Any, step: Callable[[Any], None], node: Any, assigned: list[Any]) -> None:
    from ..containers.iterables import run_loop
    func, iterable = data

    def one(item: Any) -> None:
        found = item if isinstance(func, Lit) and func.value is None else _apply(ctx, func, [item], node)
        cond = truth(ctx, found, node)
        if isinstance(cond, Lit):
            if cond.value:
                step(item)
            return
        branch(ctx, cond, lambda: step(item), lambda: None)
    run_loop(ctx, iterable, one, node, assigned)


def _chained(ctx: Lowering, data: Any, step: Callable[[Any], None], node: Any, assigned: list[Any]) -> None:
    from ..containers.iterables import run_loop
    from .loops import run_unless_exited
    for k, iterable in enumerate(data):
        if k == 0:
            run_loop(ctx, iterable, step, node, assigned)
        elif not ctx.dead:
            run_unless_exited(ctx, lambda iterable=iterable: _ignore(run_loop(ctx, iterable, step, node, assigned)))     # type: ignore[misc]


def _ignore(_: Any) -> None:
    """Drops a result."""


def _zipped(ctx: Lowering, data: Any, step: Callable[[Any], None], node: Any, assigned: list[Any]) -> None:
    """``zip`` with a generator among its parts: that one is inlined, the others are indexed by a number."""
    import operator

    from ..containers.iterables import _needs_inlining, as_list, run_loop
    from ..objects.generator_records import is_iterator, start
    if any(is_iterator(ctx, d) for d in data):      # in step with each other, and with what else takes items out of them
        run_loop(ctx, start(ctx, SIter("zip", *data), node), step, node, assigned)
        return
    inlined = ("generator", "genexp", "map", "filter", "chain", "nested")
    driver = next((k for k, d in enumerate(data) if isinstance(d, SIter) and (d.kind in inlined or _needs_inlining(d))), None)
    if driver is None:      # an object whose __iter__ returns an iterator over what it holds
        run_loop(ctx, SIter("zip", *(as_list(ctx, d, node) for d in data)), step, node, assigned)
        return
    others = [d if k == driver or isinstance(d, SIter) and d.kind == "count" else as_list(ctx, d, node) for k, d in enumerate(data)]
    lengths = [call(ctx, len, [d], spelling="len", node=node) for k, d in enumerate(others) if k != driver and not isinstance(d, SIter)]
    number = (object(), "count")
    ctx.state[number] = Lit(0)
    loop = Loop(ctx.frame)

    def one(item: Any) -> None:
        k = ctx.state[number]

        def row() -> None:
            parts = [item if n == driver else binary_op(ctx, operator.add, d.data[0], k, node) if isinstance(d, SIter)
                     else call(ctx, operator.getitem, [d, k], node=node) for n, d in enumerate(others)]
            ctx.state[number] = binary_op(ctx, operator.add, k, Lit(1), node)
            step(ctx.tuple(parts))

        def leave() -> None:
            ctx.state[loop.brk] = Lit(True)
            ctx.state["#dead"] = ("break", loop)

        def check(n: int) -> None:
            if n == len(lengths):
                row()
                return
            cond = truth(ctx, compare_op(ctx, operator.lt, k, lengths[n], node), node)
            if isinstance(cond, Lit):
                check(n + 1) if cond.value else leave()
            else:
                branch(ctx, cond, lambda: check(n + 1), leave)
        check(0)
    run_loop(ctx, data[driver], one, node, [*assigned, number], loop)
    ctx.state.pop(loop.brk, None)
    ctx.state.pop(number, None)


def _numbered(ctx: Lowering, data: Any, step: Callable[[Any], None], node: Any, assigned: list[Any]) -> None:
    """``enumerate`` of a generator: the number is a variable of its own."""
    import operator

    from ..containers.iterables import run_loop
    key = (object(), "count")
    ctx.state[key] = ctx.operand(data[1])

    def one(item: Any) -> None:
        number = ctx.state[key]
        ctx.state[key] = call(ctx, operator.add, [number, Lit(1)], node=node)
        step(ctx.tuple([number, item]))
    run_loop(ctx, data[0], one, node, [*assigned, key])
    ctx.state.pop(key, None)
