"""for and while statements."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ...ir.effects import writes_anything
from ...ir.ops import Lit, While
from ..containers.iterables import body_keys, run_loop
from ..context import Lowering
from ..expressions.dispatch import condition, expr
from .assignments import assign_to
from .control_flow import branch, exit_flag, left_by_return
from .dispatch import sequence, skip
from .liveness import live_in_loop
from .loop_fixpoint import Loop, repeat

__all__ = ["for_loop", "while_loop"]


def for_loop(ctx: Lowering, node: Any) -> None:
    """``for target in iterable``."""
    x = expr(ctx, node.iter)
    frame = ctx.frame
    loop = Loop(frame)

    def body(item: Any) -> None:
        outer, loops, loc = ctx.frame, ctx.loops, ctx.loc
        ctx.frame, ctx.loops = frame, [*frame_loops, loop]
        try:
            assign_to(ctx, node.target, item)
            sequence(ctx, node.body)
        finally:
            ctx.frame, ctx.loops, ctx.loc = outer, loops, loc
    frame_loops = ctx.loops
    live = None if ctx.extra_assigned else live_in_loop(frame.source, frame.node, node)
    run_loop(ctx, x, body, node.iter, body_keys(ctx, [*node.body, node.target]), loop, live)
    _after(ctx, loop, node)


def _after(ctx: Lowering, loop: Loop, node: Any) -> None:
    """The else clause: where the loop was not left by a break."""
    flag = ctx.state.pop(loop.brk, Lit(False))
    ctx.state.pop(loop.cont, None)
    if not node.orelse or ctx.dead:
        return
    if isinstance(flag, Lit):
        if not flag.value:
            run_unless_exited(ctx, lambda: sequence(ctx, node.orelse))
        return
    branch(ctx, flag, lambda: None, lambda: run_unless_exited(ctx, lambda: sequence(ctx, node.orelse)))


def run_unless_exited(ctx: Lowering, lower: Callable[[], None]) -> None:
    """Lowers what follows a loop, where no return was met in the loop."""
    flag = exit_flag(ctx)
    if flag is None:
        lower()
    else:
        skip(ctx, flag, lower)


class _Assigns(Exception):
    """The test of a while loop changes what variables hold, or what is in what they hold."""


def while_loop(ctx: Lowering, node: Any) -> None:
    """``while test``."""
    loop = Loop(ctx.frame)
    outer_loops = ctx.loops
    if any(isinstance(n, (gast.NamedExpr, gast.Call)) and not _plain_call(n) for n in gast.walk(node.test)):
        _while_true(ctx, node, loop)
        _after(ctx, loop, node)
        return
    entry, loc = ctx.state, ctx.loc
    endless = [True]

    def test() -> Any:
        ctx.loc = loc
        before = dict(ctx.state)
        found = condition(ctx, node.test)
        if any(ctx.state.get(key) is not held for key, held in before.items()) or writes_anything(ctx.block):
            raise _Assigns      # a call in it assigned a variable around it, or an attribute; or wrote to an array or container
        if ctx.dead:
            found = Lit(False)      # the test raises whenever it is evaluated
        endless[0] = isinstance(found, Lit) and bool(found.value)
        return found

    def body(_: Any) -> None:
        ctx.loops = [*outer_loops, loop]
        try:
            sequence(ctx, node.body)
        finally:
            ctx.loops = outer_loops
    live = None if ctx.extra_assigned else live_in_loop(ctx.frame.source, ctx.frame.node, node)
    try:
        out = repeat(ctx, loop, body_keys(ctx, node.body), list, body, test, live)
    except _Assigns:
        ctx.loc, ctx.state = loc, entry
        _while_true(ctx, node, loop)
        _after(ctx, loop, node)
        return
    ctx.loc, ctx.state = loc, entry
    ctx.emit(While(out.inits, out.cond, out.body, out.stops, results=out.results))
    out.finish(ctx, entry)
    if endless[0]:
        _only_exits(ctx, loop)
    _after(ctx, loop, node)


def _only_exits(ctx: Lowering, loop: Loop) -> None:
    """After ``while True`` the code is reached by a break only."""
    flag = ctx.state.get(loop.brk, Lit(False))
    if not (isinstance(flag, Lit) and flag.value is False):
        return
    returns = [k for k in ctx.exits if k in ctx.state and not (isinstance(ctx.state[k], Lit) and ctx.state[k].value is False)]
    if returns:
        if len(returns) == 1:
            ctx.state[returns[0]] = Lit(True)
        ctx.state["#dead"] = left_by_return(ctx, returns[0][0]) if all(k[1] == "#ret" for k in returns) else ("mixed",)
    else:
        ctx.state["#dead"] = ("raise",)


def _plain_call(node: Any) -> bool:
    """Whether a call in a condition is of a name or of an attribute chain, which has no assignments of its own."""
    return isinstance(node, gast.Call) and isinstance(node.func, (gast.Name, gast.Attribute))


def _while_true(ctx: Lowering, node: Any, loop: Loop) -> None:
    """A loop whose test assigns (``while (x := f()) > 0``): the test stands at the start of the body."""
    entry, loc = ctx.state, ctx.loc
    outer_loops = ctx.loops
    done = Loop(ctx.frame)

    def finished() -> None:
        ctx.state[done.brk] = Lit(True)
        ctx.state["#dead"] = ("break", done)

    def rest() -> None:
        ctx.loops = [*outer_loops, loop]
        try:
            sequence(ctx, node.body)
        finally:
            ctx.loops = outer_loops

    def body(_: Any) -> None:
        ctx.loc = loc
        cond = condition(ctx, node.test)
        if isinstance(cond, Lit):
            rest() if cond.value else finished()
            return
        branch(ctx, cond, rest, finished)
    exits = ctx.exits
    ctx.exits = [*exits, done.brk]
    try:
        out = repeat(ctx, loop, body_keys(ctx, [gast.Expr(node.test), *node.body]), list, body, lambda: Lit(True))
    finally:
        ctx.exits = exits
    ctx.loc, ctx.state = loc, entry
    ctx.emit(While(out.inits, out.cond, out.body, out.stops, results=out.results))
    out.finish(ctx, entry)
    ctx.state.pop(done.brk, None)
