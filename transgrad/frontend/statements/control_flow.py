"""Lower code into the blocks of a branch, and place the code after an early exit."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...ir.ops import Block, Call, If, Lit, Operand, Value
from ...ir.types import Num
from ..context import Lowering
from ..domain.join import merge_states, state_get

__all__ = ["any_exit", "branch", "choose", "exit_flag", "left_by_return", "may_be_met", "reached_by"]


def branch(ctx: Lowering, cond: Operand, then: Callable[[], Any], orelse: Callable[[], Any],
           after: Callable[[], Any] | None = None, orelse_on: Callable[[], Any] | None = None) -> tuple[Any, bool]:
    """An `If` on an unknown condition; returns the join of the results of its branches.

    ``after`` lowers the code after the statement, and ``orelse_on`` the second branch together with it. If one branch
    always exits and the other does not, that code is lowered into the other, and the second result is True.
    """
    loc = ctx.loc
    entry = ctx.state
    then_block, else_block = Block(), Block()
    taken = False
    ctx.state = dict(entry)
    with ctx.inside(then_block):
        a = then()
    then_state, ctx.state = ctx.state, dict(entry)
    ctx.loc = loc
    with ctx.inside(else_block):
        taken = orelse_on is not None and _leaves(then_state)
        b = orelse_on() if taken and orelse_on is not None else orelse()
    else_state = ctx.state
    if after is not None and not taken and _leaves(else_state) and not then_state.get("#dead"):
        ctx.state = then_state
        with ctx.inside(then_block):
            after()
        then_state, taken = ctx.state, True
    ctx.loc = loc
    ctx.state = entry
    op = If(cond, then_block, else_block)
    ctx.emit(op)
    out = merge_states(ctx, entry, [(then_state, then_block, a), (else_state, else_block, b)], op.results, cond)
    return out, taken


def choose(ctx: Lowering, cond: Operand, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """`branch` for expressions."""
    return branch(ctx, cond, then, orelse)[0]


def _leaves(state: dict[Any, Any]) -> bool:
    dead = state.get("#dead")
    return dead is not None and dead[0] != "raise"


def may_be_met(ctx: Lowering, key: Any) -> bool:
    """Whether an exit may have been met."""
    flag = state_get(ctx.state, key)
    return not isinstance(flag, Lit) or flag.value is True


def any_exit(ctx: Lowering) -> bool:
    """Whether one of the exits may have been met."""
    return any(may_be_met(ctx, key) for key in ctx.exits)


def reached_by(ctx: Lowering, key: Any, left: tuple[Any, Any]) -> None:
    """The following code is reached by the paths that left by one exit, of this kind; the flags of the other exits tell which did not."""
    dead = ctx.dead
    if dead is not None and (dead[:2] == left or dead[0] == "mixed" and may_be_met(ctx, key)):
        del ctx.state["#dead"]


def left_by_return(ctx: Lowering, frame: Any) -> tuple[Any, ...]:
    """The state of a path that ends in a return: the names of the function are dead, unless a finally clause reads them, or a
    function that was defined in it and escapes."""
    return ("mixed",) if ctx.guarded or ctx.inlining and frame.captured() else ("return", frame)


def exit_flag(ctx: Lowering, skip: Any = None) -> Operand | None:
    """Whether a break, continue or return was met in a part of the code that may not have run; None if none was."""
    found: list[Operand] = []
    for key in ctx.exits:
        flag = state_get(ctx.state, key)
        if key == skip or isinstance(flag, Lit) and flag.value is not True:
            continue
        if isinstance(flag, Lit):
            return flag
        found.append(flag)
    if not found:
        return None
    out = found[0]
    for flag in found[1:]:
        result = Value(Num("bool"))
        ctx.emit(Call(operator.or_, [out, flag], results=[result]))
        out = result
    return out
