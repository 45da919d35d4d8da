"""Where the tape takes over: from the compiler what it refuses, and from arrays to Tensors."""
from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from .. import tree
from ..errors import TapeFallbackWarning, TransgradError, UnsupportedCall
from .arguments import bind, name_of

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["TapedVariant", "holds_tensors", "on_tape", "take_over"]

_announced: set[tuple[str, str]] = set()


class _NoGuards:
    """Nothing was taken for granted."""

    facts: list[Any] = []

    def bind(self, roots: Mapping[str, str], scope: Mapping[str, Any] | None = None) -> None:
        return None


class TapedVariant:
    """A derivative that runs on the tape, for one combination of argument types.

    Attributes
    ----------
    reason : TransgradError or None
        Why the compiler refused; None where the arguments are Tensors.
    """

    guards = _NoGuards()
    backward = primal = None
    on_floats = False

    def __init__(self, derivative: Derivative, types: Mapping[str, str], reason: TransgradError | None):
        self.derivative, self.types, self.reason = derivative, dict(types), reason

    def holds(self, values: Mapping[str, Any]) -> bool:
        return True

    def function(self, /, *args: Any, **kwargs: Any) -> Any:
        d = self.derivative
        return self.call_with(bind(d.primal, d.__signature__, args, kwargs))

    def call_with(self, values: Mapping[str, Any]) -> Any:
        from ..autograd.bridge import calls
        return calls.run(self.derivative, values, self.reason)

    def split_with(self, values: Mapping[str, Any]) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """The value and the pullback."""
        from ..autograd.bridge import calls
        return calls.split(self.derivative, values)

    def described(self) -> str:
        """What runs on the tape, and why."""
        name = name_of(self.derivative.primal)
        if self.reason is None:
            return f"{name}, called with Tensors"
        return f"{name}{f' ({self.reason.loc})' if self.reason.loc is not None else ''}: {self.reason.reason}"

    @property
    def source(self) -> str:
        name = name_of(self.derivative.primal)
        why = f": {self.reason.reason}" if self.reason is not None else ""
        return f"# {self.derivative.__name__} runs {name} on the tape{why}".splitlines()[0] + "\n"

    @property
    def ir(self) -> NoReturn:
        raise self.reason or UnsupportedCall("what runs on the tape has no intermediate representation", None, "call it with arrays")

    module = ir

    def __repr__(self) -> str:
        return f"<{self.derivative.__name__} on the tape>"


def holds_tensors(f: Any, values: Any) -> bool:
    """Whether there are Tensors, or arrays of a function that runs on the tape, among arguments or in the function."""
    lift = sys.modules.get("transgrad.autograd.bridge.lift")
    if lift is not None and lift.is_inside(f):
        return True
    tape = sys.modules.get("transgrad.autograd.bridge.array") or sys.modules.get("transgrad.autograd.tensor")
    if tape is None:
        return False
    kinds = (tape.Tensor, tape.TapedArray) if hasattr(tape, "TapedArray") else tape.Tensor
    return any(isinstance(leaf, kinds) for leaf in tree.flatten(values)[0])


def on_tape(derivative: Derivative, values: Mapping[str, Any]) -> TapedVariant:
    """The variant for Tensors."""
    return TapedVariant(derivative, {name: type(v).__name__ for name, v in values.items()}, None)


def take_over(derivative: Derivative, values: Mapping[str, Any], refusal: TransgradError) -> TapedVariant:
    """The variant for a function that the compiler refused: it runs on the tape, which is said once for each site."""
    place = str(refusal)
    key = (name_of(derivative.primal), place)
    if key not in _announced:
        _announced.add(key)
        where = f" at {refusal.loc}" if refusal.loc is not None else ""
        warnings.warn(TapeFallbackWarning(f"{name_of(derivative.primal)} runs on the tape{where}: {refusal.reason}"), stacklevel=6)
    return TapedVariant(derivative, {name: tree.describe(v) for name, v in values.items()}, refusal)
