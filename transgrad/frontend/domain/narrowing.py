"""Type narrowing: inside ``if x is None`` the name ``x`` is None, outside of it is not."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ...ir.ops import Lit, Value
from ...ir.types import OptT
from ..context import Lowering

__all__ = ["narrowed"]


def narrowed(ctx: Lowering, test: Any, truth: bool, lower: Callable[[], Any]) -> Any:
    """Lower a branch with the types of names narrowed by the test."""
    for name, none in _facts(test, truth):
        home = ctx.frame.home_of(name)
        held = ctx.state.get(home) if home is not None else None
        if isinstance(held, Value) and isinstance(held.type, OptT) and none:
            ctx.state[home] = Lit(None)
    return lower()


def _facts(test: Any, truth: bool) -> list[tuple[str, bool]]:
    """Names that are None (True) or are not (False) where the test has this truth."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return _facts(test.operand, not truth)
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And) is truth:
        return [f for v in test.values for f in _facts(v, truth)]
    if isinstance(test, gast.Compare) and len(test.ops) == 1 and isinstance(test.left, gast.Name) \
            and isinstance(test.comparators[0], gast.Constant) and test.comparators[0].value is None:
        if isinstance(test.ops[0], gast.Is):
            return [(test.left.id, truth)]
        if isinstance(test.ops[0], gast.IsNot):
            return [(test.left.id, not truth)]
    return []
