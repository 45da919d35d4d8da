"""Lowers statements: a table by node type, and the order in which what follows an exit is skipped."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from ...errors import TransgradError
from ...ir.ops import UNDEF, Lit, Raise, Value
from ...ir.types import Obj
from ..calls.rule_source_errors import declined
from ..context import Lowering
from ..domain.abstract import SIter, is_none
from ..domain.narrowing import narrowed
from ..expressions.dispatch import condition, expr
from ..expressions.operations import call
from ..refusals import refuse
from .control_flow import any_exit, branch, exit_flag, left_by_return, may_be_met
from .normal_form import Drop, Hold, normalized
from .raises import insist, jump
from .shielding import active, shielded

__all__ = ["sequence", "statement"]


def sequence(ctx: Lowering, body: list[Any]) -> None:
    """Lowers statements in order; what stands after an exit is lowered where it is not skipped."""
    for k, node in enumerate(body):
        if ctx.dead:
            return
        rest = body[k + 1:]
        if ctx.catchers:
            parts = normalized(ctx, node)
            if parts is not None:
                sequence(ctx, [*parts, *rest])
                return
        if statement(ctx, node, rest):
            return
        if not ctx.exits or ctx.dead:
            continue
        if rest and any_exit(ctx):
            follow(ctx, rest)
            return


def follow(ctx: Lowering, rest: list[Any]) -> None:
    """Lowers the statements after one that may have met an exit."""
    flag = exit_flag(ctx) if ctx.exits else None
    if flag is None:
        sequence(ctx, rest)
    else:
        skip(ctx, flag, lambda: sequence(ctx, rest))


def skip(ctx: Lowering, flag: Any, rest: Callable[[], None]) -> None:
    """Lowers ``rest`` where no exit was met."""
    if isinstance(flag, Lit):
        return
    keys = [k for k in ctx.exits if may_be_met(ctx, k)]

    def left() -> None:
        if len(keys) == 1:
            ctx.state[keys[0]] = Lit(True)
        returns = all(k[1] == "#ret" for k in keys)
        ctx.state["#dead"] = left_by_return(ctx, keys[-1][0]) if returns else ("mixed",)

    def going_on() -> None:
        for key in keys:
            ctx.state[key] = Lit(False)
            if key[1] == "#ret":
                ctx.state[key[0], "#val"] = UNDEF       # nothing was returned
        rest()
    branch(ctx, flag, left, going_on)


def statement(ctx: Lowering, node: Any, rest: list[Any]) -> bool:
    """Lowers one statement; True where it took what follows it with it."""
    ctx.loc = ctx.program.loc = statement_loc(ctx, node)
    ctx.frame.statement = node
    kind = type(node)
    try:
        if kind is gast.If:
            return _if(ctx, node, rest)
        if ctx.catchers and kind in _SHIELDED and (targets := active(ctx)):
            shielded(ctx, targets, lambda: _table()[kind](ctx, node))
            return False
        handler = (_TABLE or _table()).get(kind)
        if handler is None:
            refuse("syntax", ctx.loc, f"the statement {kind.__name__}")
        handler(ctx, node)
    except TransgradError as refusal:
        if refusal.within is None and ctx.frame.func is ctx.program.root:
            refusal.within = ctx.frame.func, statement_loc(ctx, node)
        raise
    return False


def statement_loc(ctx: Lowering, node: Any) -> Any:
    """The one `Loc` of a statement."""
    source = ctx.frame.source
    found = source.notes.get((node, "loc"))
    if found is None:
        found = source.notes[node, "loc"] = source.loc(node, statement=True)
    return found


def _if(ctx: Lowering, node: Any, rest: list[Any]) -> bool:
    targets = active(ctx) if ctx.catchers else []
    if not targets:
        return _branches(ctx, node, condition(ctx, node.test), rest)
    cond = shielded(ctx, targets, lambda: condition(ctx, node.test))
    flag = exit_flag(ctx)
    if ctx.dead or flag is None:
        return True if ctx.dead else _branches(ctx, node, cond, rest)

    def going_on() -> None:
        if not _branches(ctx, node, cond, rest):
            follow(ctx, rest)
    skip(ctx, flag, going_on)
    return True


def _branches(ctx: Lowering, node: Any, cond: Any, rest: list[Any]) -> bool:
    """The branches of an if statement whose condition has been evaluated."""
    if isinstance(cond, Lit):
        sequence(ctx, [*(node.body if cond.value else node.orelse), *rest])
        return True

    def side(held: bool, body: list[Any]) -> Callable[[], Any]:
        return lambda: narrowed(ctx, node.test, held, lambda: sequence(ctx, body))

    if not rest:
        return branch(ctx, cond, side(True, node.body), side(False, node.orelse))[1]
    return branch(ctx, cond, side(True, node.body), side(False, node.orelse), lambda: follow(ctx, rest),
                  side(False, [*node.orelse, *rest]))[1]


def _return(ctx: Lowering, node: Any) -> None:
    value = Lit(None) if node.value is None else expr(ctx, node.value)
    if ctx.dead == ("raise",):      # the expression raises: nothing is returned
        return
    frame = ctx.frame
    ctx.state[frame, "#val"] = value
    ctx.state[frame, "#ret"] = Lit(True)
    ctx.state["#dead"] = left_by_return(ctx, frame)


def _break(ctx: Lowering, node: Any) -> None:
    loop = ctx.loops[-1]
    ctx.state[loop.brk] = Lit(True)
    ctx.state["#dead"] = ("break", loop)


def _continue(ctx: Lowering, node: Any) -> None:
    loop = ctx.loops[-1]
    ctx.state[loop.cont] = Lit(True)
    ctx.state["#dead"] = ("continue", loop)


def _pass(ctx: Lowering, node: Any) -> None:
    """Nothing."""


def _expression(ctx: Lowering, node: Any) -> None:
    if isinstance(node.value, gast.Constant):
        return      # a docstring
    node.value.is_whole = bool(ctx.catchers)
    value = expr(ctx, node.value)
    if isinstance(value, SIter) and value.kind in ("map", "filter", "zip"):
        return      # never advanced, so nothing runs


def raised(ctx: Lowering, exc: Any, cause: Any = None) -> None:
    """Appends a raise; nothing after it runs."""
    ctx.emit(Raise(exc, cause, ctx.error_classes.get(exc)))
    ctx.state["#dead"] = ("raise",)


def _raise(ctx: Lowering, node: Any) -> None:
    from ..objects.instances import exception_operand
    if jump(ctx, node):
        return
    if node.exc is None:
        cls, args, kwargs, error = ctx.handling[-1] if ctx.handling else (None, [], {}, None)
        if isinstance(error, Value):
            raised(ctx, error)
            return
        if cls is not None:
            raised(ctx, call(ctx, cls, args, kwargs, spelling=ctx.bind(cls.__name__, cls), type=Obj(cls), node=node))
            return
        raised(ctx, None)
        return
    declined(ctx, node.exc)
    try:
        exc = exception_operand(ctx, node.exc)
    except TransgradError:
        insist(ctx)
        raise
    cause = None
    if node.cause is not None:
        held = expr(ctx, node.cause)
        cause = Lit(None) if is_none(held) else ctx.operand(held, node.cause)
    raised(ctx, exc, cause)


def _hold(ctx: Lowering, node: Any) -> None:
    """A part of a statement in A-normal form."""
    node.value.is_whole = True
    value = expr(ctx, node.value)

    def store() -> None:
        ctx.keep(value)
        ctx.state[ctx.frame, node.name] = value
    flag = exit_flag(ctx) if any_exit(ctx) and not ctx.dead else None
    if flag is not None:
        skip(ctx, flag, store)
    elif not any_exit(ctx):
        store()


def _drop(ctx: Lowering, node: Any) -> None:
    for name in node.names:
        ctx.state.pop((ctx.frame, name), None)


def _assert(ctx: Lowering, node: Any) -> None:
    cond = condition(ctx, node.test)
    if isinstance(cond, Lit) and cond.value:
        return

    def fail() -> None:
        ctx.bind("AssertionError", AssertionError)
        args = [expr(ctx, node.msg)] if node.msg is not None else []
        raised(ctx, call(ctx, AssertionError, args, spelling="AssertionError", node=node))
    if isinstance(cond, Lit):
        fail()
        return
    branch(ctx, negated(ctx, cond), fail, lambda: None)


def negated(ctx: Lowering, cond: Any) -> Any:
    """``not cond``."""
    return call(ctx, operator.not_, [cond])


def _function(ctx: Lowering, node: Any) -> None:
    from ..calls.functions import define
    define(ctx, node)


def _class(ctx: Lowering, node: Any) -> None:
    from ..objects.classes import define_class
    define_class(ctx, node)


def _async(ctx: Lowering, node: Any) -> None:
    refuse("async", ctx.loc)


#: statements that an exception interrupts as a whole
_SHIELDED = (gast.Expr, gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Return, gast.Delete, gast.Assert, gast.Raise, Hold)
_TABLE: dict[type, Any] = {}


def _table() -> dict[type, Any]:
    if not _TABLE:
        from . import assignments, context_managers, imports, loops, matching, try_statements
        _TABLE.update({
            gast.Return: _return, gast.Break: _break, gast.Continue: _continue, gast.Pass: _pass, gast.Expr: _expression,
            gast.Raise: _raise, gast.Assert: _assert, gast.FunctionDef: _function, gast.ClassDef: _class, gast.AsyncFunctionDef: _async,
            Hold: _hold, Drop: _drop, gast.AsyncFor: _async, gast.AsyncWith: _async,
            gast.Assign: assignments.assign, gast.AugAssign: assignments.augmented, gast.AnnAssign: assignments.annotated,
            gast.Delete: assignments.delete, gast.Global: _pass, gast.Nonlocal: _pass,
            gast.For: loops.for_loop, gast.While: loops.while_loop,
            gast.Try: try_statements.try_statement, gast.TryStar: try_statements.try_star, gast.With: context_managers.with_statement,
            gast.Import: imports.import_, gast.ImportFrom: imports.import_from, gast.Match: matching.match,
        })
    return _TABLE


