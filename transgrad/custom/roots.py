"""Calls of `custom_root` and `custom_fixed_point` inside a function that is compiled."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import UnsupportedCall
from ..frontend.calls import hooks
from ..frontend.calls.dispatch import call_abstract, varied
from ..frontend.calls.outline import Outlined
from ..frontend.domain.abstract import SPartial
from ..frontend.expressions.operations import call
from ..ir.ops import Function, Lit, Value
from ..ir.prims import Boundary
from ..ir.types import Arr, Num
from ..rules.registry import Rule
from .implicit import custom_fixed_point, custom_root, distance
from .unknowns import structured_root

__all__ = ["install"]


def install() -> None:
    """Register the handler of such calls with the front end."""
    hooks.register(custom_root, _call)
    hooks.register(custom_fixed_point, _call)


class RootRule(Rule):
    """The derivative of a root with respect to the function's free variables, which follow the root among the arguments."""

    is_custom = True

    def __init__(self, equation: Function):
        super().__init__([custom_root], "general", _nothing, jvp=())
        self.equation = equation

    def pullback(self, g: Any, y: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None,
                 wanted: Sequence[bool] | None = None) -> list[Any]:
        """See `Rule.pullback`."""
        from ..rules.scipy.optimize.solutions import root_pullback
        return [None, *root_pullback(g, args[0], self.equation, list(args[1:]))]

    def pushforward(self, y: Any, args: Sequence[Any], tangents: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Any:
        """See `Rule.pushforward`."""
        from ..rules.scipy.optimize.solutions import root_pushforward
        return root_pushforward(list(tangents[1:]), args[0], self.equation, list(args[1:]))


def _nothing(g: Any, y: Any, *args: Any) -> None:
    """Stands where other rules have their text."""


def _call(ctx: Any, fn: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    names = ("f", "initial_guess", "solve")
    f, guess, solve = (*args, *(kwargs[n] for n in names[len(args):]))
    found = call_abstract(ctx, solve, [f, guess], {}, node)
    if not varied(ctx, f):
        return found
    callee = f if fn is custom_root else SPartial(Lit(distance, ctx.bind("distance", distance)), [f], {})
    t = found.type if isinstance(found, (Value, Lit)) else None
    if not isinstance(t, (Num, Arr)) or isinstance(t, Arr) and len(t.dims) > 1:
        return call_abstract(ctx, Lit(structured_root, ctx.bind("structured_root", structured_root)), [callee, found], {}, node)
    x = ctx.operand(found, node)
    outlined = Outlined(ctx, callee, [x], {}, [0], node, retype=lambda key, t: t)
    result = outlined.function.body.yields
    if len(result) != 1 or not isinstance(result[0], Value):
        raise UnsupportedCall(f"the equation of {fn.__name__} must return one number or vector that depends on its free variables",
                              ctx.at(node), "return the residual")
    boundary = Boundary(fn.__name__, 1, RootRule(outlined.function), 1)
    return call(ctx, boundary, [x, *outlined.operands[1:]], type=x.type, node=node)
