"""Refuse calls that have no derivative; the transformations then decide what replaces the compiled function."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NoReturn

from ... import rules
from ...errors import TransgradError, UnsupportedCall, UnsupportedSyntax
from ...ir.ops import Call, CallValue, Op
from ...rules import NeedsType, NoDerivative, advice

__all__ = ["Aliased", "at_call", "located", "refuse_call"]


class Aliased(UnsupportedSyntax):
    """Which array or container is written to is decided by data, so that no name stands for its adjoint."""


def refuse_call(op: Op) -> NoReturn:
    """Refuse a call without a derivative rule."""
    name = "an unknown function"
    if isinstance(op, Call):
        name = op.spelling or getattr(op.fn, "__qualname__", None) or repr(op.fn)
        module = getattr(op.fn, "__module__", None)
        if module and "." not in name and module not in ("builtins", "_operator"):
            name = f"{module}.{name}"
    elif isinstance(op, CallValue) and op.method:
        name = f"the method {op.method!r}"
    if isinstance(op, Call) and str(getattr(op.fn, "__module__", "")).startswith("transgrad.") and rules.lookup(op.fn) is None:
        raise UnsupportedCall("the derivative of this call is computed by an algorithm that has no derivative, and a further derivative is "
                              "requested", op.loc, "take differences of the gradient")
    if isinstance(op, Call) and rules.lookup(op.fn) is None:
        raise UnsupportedCall(f"{advice.reason(op.fn, name)}, and one of its arguments depends on a differentiated input", op.loc,
                              advice.remedy(op.fn))
    raise UnsupportedCall(f"{name} has no derivative rule, and one of its arguments depends on a differentiated input", op.loc,
                          "give it a rule with @tg.rule, write it with functions that have one, or wrap the argument in tg.stop_gradient")


@contextlib.contextmanager
def at_call(op: Op) -> Iterator[None]:
    """Report errors in the source of a library at the user's call of it."""
    try:
        yield
    except TransgradError as error:
        raise error.moved(op.loc) from error.__cause__


class located:
    """A context that adds the user's source location to refusals of a rule."""

    __slots__ = ("op",)

    def __init__(self, op: Op):
        self.op = op

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        op = self.op
        if isinstance(error, NeedsType):
            raise UnsupportedSyntax(f"{error}, and the derivative depends on it", op.loc,
                                    "make it plain which type the value has (np.asarray(x, dtype=float), a constant axis)") from None
        if isinstance(error, (NoDerivative, TypeError)):
            reason = str(error)
            if "'Value'" in reason:     # a rule asked an IR value for its length or items
                called = getattr(op, "spelling", None) or getattr(getattr(op, "fn", None), "__name__", "this call")
                reason = f"the derivative of {called} depends on how many items an argument has, which is not known when compiling"
            raise UnsupportedCall(reason, op.loc,
                                  "give the function a rule with @tg.rule, or wrap the argument in tg.stop_gradient") from error
