"""Refuses calls that have no derivative; the transformations decide what takes over then."""
from __future__ import annotations

from typing import NoReturn

from ..errors import UnsupportedCall
from ..ir.ops import Call, CallValue, Op

__all__ = ["refuse_call"]


def refuse_call(op: Op) -> NoReturn:
    """Refuses a call without a derivative rule."""
    name = "an unknown function"
    if isinstance(op, Call):
        name = op.spelling or getattr(op.fn, "__qualname__", None) or repr(op.fn)
        module = getattr(op.fn, "__module__", None)
        if module and "." not in name and module not in ("builtins", "_operator"):
            name = f"{module}.{name}"
    elif isinstance(op, CallValue) and op.method:
        name = f"the method {op.method!r}"
    raise UnsupportedCall(f"{name} has no derivative rule, and one of its arguments depends on a differentiated input", op.loc,
                          "give it a rule with @tg.rule, write it with functions that have one, or wrap the argument in tg.stop_gradient")
