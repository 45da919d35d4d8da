"""Report ``raise NoDerivative`` in a definition of the rule table at compile time, at the user's own call."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import gast

from ...errors import UnsupportedCall
from ...ir.ops import Lit
from ...rules import NoDerivative
from ..context import Lowering

__all__ = ["declined", "in_definition", "is_declined", "text_of_table"]

_LIBRARIES = ("transgrad.rules.", "transgrad.frontend.library.", "scipy.", "numpy.")
_REMEDY = "use the options it names, give the function a rule with @tg.rule, or wrap the argument in tg.stop_gradient"


def in_definition(ctx: Lowering) -> bool:
    """Whether the code being lowered is the definition of a NumPy or SciPy function in terms of others."""
    return bool(ctx.frame.globals.get("__name__", "").startswith("transgrad.rules."))


@contextlib.contextmanager
def text_of_table(ctx: Lowering, module: str, node: Any) -> Iterator[None]:
    """While a function of ``module`` is lowered for a call at ``node``: notes where the user called into the table."""
    program = ctx.program
    outer, library = program.of_table, program.library
    if not module.startswith(_LIBRARIES):
        program.library = None
    elif library is None:
        program.library = ctx.at(node) if hasattr(node, "lineno") else ctx.loc
    if not module.startswith("transgrad.rules."):
        program.of_table = None
    elif outer is None:
        program.of_table = (ctx.at(node) if hasattr(node, "lineno") else ctx.loc), program.depth
    try:
        yield
    except Exception:
        program.loc = program.library or program.loc        # the location for unexpected errors
        raise
    finally:
        program.of_table, program.library = outer, library


def declined(ctx: Lowering, node: Any) -> None:
    """Refuse the user's call if ``raise ...`` raises NoDerivative for all data.

    If that depends on the data, generated code raises the error at run time.
    """
    table = ctx.program.of_table
    if table is None or table[1] != ctx.program.depth or not (
            isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and ctx.frame.globals.get(node.func.id) is NoDerivative):
        return
    raise UnsupportedCall(_message(ctx, node.args[0]), table[0], _REMEDY)


def _message(ctx: Lowering, node: Any) -> str:
    """A string whose parts are known at compile time."""
    from ..expressions.dispatch import expr
    if isinstance(node, gast.JoinedStr):
        return "".join(_message(ctx, part) for part in node.values)
    if isinstance(node, gast.FormattedValue):
        held = expr(ctx, node.value)
        return ("{!r}" if node.conversion == ord("r") else "{}").format(held.value if isinstance(held, Lit) else "...")
    return str(node.value)


def is_declined(ctx: Lowering, error: Exception) -> bool:
    """Whether an error is such a refusal, which no attempt at something else makes good."""
    return ctx.program.of_table is not None and isinstance(error, UnsupportedCall) and error.remedy is _REMEDY
