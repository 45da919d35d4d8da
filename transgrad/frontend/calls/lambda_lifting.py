"""Nested functions that call themselves: lowered as functions of their own, with the variables they read as parameters."""
from __future__ import annotations

from typing import Any

from ..context import Lowering
from ..domain.abstract import SFunc
from ..frames import Frame
from .invocation import Callee, invoke_callee

__all__ = ["invoke_lifted"]


def invoke_lifted(ctx: Lowering, func: SFunc, bound: dict[str, Any], node: Any) -> Any:
    """A call of a nested recursive function."""

    def frame() -> Frame:
        made = Frame(func.source, func.node, func.frame.globals, func.frame, None, None, func.name)
        made.owner = func.owner
        return made
    return invoke_callee(ctx, Callee(func, func.name, func.source, func.node, frame, None, ctx), bound, node)
