"""Lower ``with insert_grad_of(x) as x_bar`` to a function of the adjoint that the rule of a boundary calls.

The body becomes a function ``body(x_bar, …) -> x_bar``, which takes the variables that it reads besides, and ``x`` is passed
through a `Boundary`: the identity for the function and for tangents, ``body`` for cotangents.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from ..errors import UnsupportedSyntax
from ..frontend.calls import hooks
from ..frontend.calls.dispatch import varied
from ..frontend.calls.outline import Outlined
from ..frontend.describe import describe
from ..frontend.domain.abstract import SFunc, STuple
from ..frontend.expressions.dispatch import expr
from ..frontend.frames import Frame
from ..frontend.returns import from_tree, to_tree
from ..frontend.source.insertions import misused
from ..frontend.statements.assignments import store_name
from ..ir.ops import Operand
from ..ir.types import Arr, Num
from ..passes.analysis.alias import summarize
from .insert import insert_grad_of
from .lowering import boundary, helper_of, standing_for
from .rule import CustomRule

__all__ = ["install"]

_NAME = "insert_grad_of"
_LEAVES = (gast.Return, gast.Break, gast.Continue, gast.Yield, gast.YieldFrom, gast.Await, gast.Global, gast.Nonlocal, gast.Delete)
_SCOPES = (gast.FunctionDef, gast.Lambda, gast.ClassDef, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def install() -> None:
    """Register the handler of such statements with the front end."""
    hooks.register_with(insert_grad_of, _lower)


class _Inserted(CustomRule):
    """The rule of a variable whose cotangent goes through a body; tangents pass unchanged."""

    passes_through = True

    def pushforward(self, y: Any, args: Sequence[Any], tangents: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Any:
        """See `Rule.pushforward`."""
        found = list(tangents[self.results + self.taken:])
        return found[0] if self.results == 1 else tuple(found)


def _lower(ctx: Any, node: Any, names: tuple[str, str]) -> None:
    """Lower the statement; ``names`` are those of the variable and of its adjoint."""
    name, bar_name = names
    held = expr(ctx, gast.copy_location(gast.Name(name, gast.Load(), None, None), node))
    if not varied(ctx, held):
        return
    if not _is_passed(held):
        raise misused(f"{_NAME} takes a number, an array or a tuple of them, and {name!r} is {describe(held)}", ctx.at(node),
                      "take the items that are meant out of it first")
    leaves: list[Operand] = []
    tree = to_tree(ctx, held, leaves)
    _check_body(ctx, node, names)
    bars = standing_for(leaves, "bar")
    body = _function(node, name, bar_name)
    ctx.frame.source.notes.pop((body, "scope"), None)
    closure = SFunc(body, ctx.frame.source, ctx.frame, [], [], body.name)
    outer, ctx.program.logging = ctx.program.logging, True
    before = {key: held for key, held in ctx.state.items() if type(key) is tuple}
    try:
        outlined = Outlined(ctx, closure, [from_tree(ctx, tree, bars)], {}, [], node)
    finally:
        ctx.program.logging = outer
    made = outlined.function
    for key, known in before.items():
        if not isinstance(key[0], Frame) and ctx.state.get(key) is not known:
            raise _changes(ctx, node, next((k[1] for k, v in before.items() if k[0] is ctx.frame and v is key[0]), "an object"))
    helper, taken = helper_of(outlined, made, bars)
    written = summarize(made).written
    for k, (operand, param) in enumerate(zip(outlined.operands, made.params)):
        if k in written and operand not in bars:
            raise _changes(ctx, node, param.name or "a variable")
    if len(made.body.yields) != len(leaves):
        raise misused(f"the adjoint {bar_name!r} has another structure after the body of {_NAME}", ctx.at(node),
                      f"assign a value of the same structure to {bar_name}")
    rule = _Inserted(body.name, len(leaves), len(taken), back=helper, entries=range(len(leaves)))
    store_name(ctx, name, boundary(ctx, body.name, tree, leaves, taken, leaves, rule, node), node)


def _is_passed(x: Any) -> bool:
    """Return whether a value may get a new name: it is no container that may be changed under another one."""
    if isinstance(x, STuple):
        return all(map(_is_passed, x.items))
    return isinstance(getattr(x, "type", None), (Num, Arr))


def _function(node: Any, name: str, bar_name: str) -> Any:
    """The body as a function of the adjoint, which it may write to: it is a copy."""
    def named(ctx: Any) -> Any:
        return gast.Name(bar_name, ctx, None, None)
    result = gast.Return(named(gast.Load()))
    parameters = gast.arguments([gast.Name(bar_name, gast.Param(), None, None)], [], None, [], [], None, [])
    made = gast.FunctionDef(f"adjoint_of_{name}", parameters, [*node.body, result], [], None, None, [])
    for new in (made, result, result.value, *parameters.args):
        gast.copy_location(new, node)
    return made


def _check_body(ctx: Any, node: Any, names: tuple[str, str]) -> None:
    """Refuse a body that leaves the statement or changes variables of the function."""
    name, bar_name = names
    inside = {id(n) for stmt in node.body for n in gast.walk(stmt)}
    used = {n.id for n in gast.walk(ctx.frame.node) if isinstance(n, gast.Name) and id(n) not in inside}
    own = {n.id for stmt in node.body for n in gast.walk(stmt) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}
    for stmt in node.body:
        for n in gast.walk(stmt):
            if isinstance(n, _LEAVES) and not any(isinstance(s, _SCOPES) for s in gast.walk(stmt)):
                raise misused(f"{type(n).__name__.lower()} in the body of {_NAME}", ctx.at(stmt),
                              "let the body run to its end; it computes the adjoint")
            target = n.target if isinstance(n, gast.AugAssign) else n if isinstance(getattr(n, "ctx", None), gast.Store) else None
            while isinstance(target, (gast.Subscript, gast.Attribute)):
                target = target.value
            if not isinstance(target, gast.Name) or target.id == bar_name:
                continue
            if target.id in used and (target.id in ctx.frame.scope.locals):
                raise _changes(ctx, stmt, target.id)
            if isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name) and target.id not in own:
                raise _changes(ctx, stmt, target.id)


def _changes(ctx: Any, node: Any, name: str) -> UnsupportedSyntax:
    return misused(f"the body of {_NAME} changes {name!r}, a variable of the function", ctx.at(node),
                   "change only the adjoint; collect values for a log in an object from outside the function")


