"""The rule of a `Boundary`: calls the user's derivative, lowered to a function of the IR."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.build import Builder, current, lift
from ..ir.ops import Function, Invoke, Lit, Param, Value
from ..ir.types import Arr, Num
from ..rules.registry import Rule
from ..transforms.arguments import Slot
from ..transforms.transformations import Target
from .function import NoForwardDerivative

__all__ = ["CustomRule", "Helper", "invoke", "nothing", "turned", "zero"]


@dataclass(frozen=True)
class Helper:
    """A lowered derivative: each parameter is a cotangent, a tangent, or a free variable."""

    function: Function
    places: tuple[tuple[str, int], ...]

    def arguments(self, standing: Sequence[Any], taken: Sequence[Any]) -> list[Any]:
        """The arguments of a call."""
        return [standing[k] if kind == "standing" else taken[k] for kind, k in self.places]


class CustomRule(Rule):
    """The derivative of results, which precede the free variables, and of the leaves of the arguments.

    Parameters
    ----------
    name : str
        The user's function.
    results, taken : int
        How many results there are, and how many other values the derivative takes.
    back : Helper, optional
        The cotangents, of which ``entries`` says which one each leaf has.

    Attributes
    ----------
    forth : Helper or None
        The tangents of the results, from the leaves and their tangents.
    """

    is_custom = True

    def __init__(self, name: str, results: int, taken: int = 0, *, back: Helper | None = None, entries: Sequence[int | None] = ()):
        super().__init__([_named(name)], "general", nothing, jvp=())
        self.name, self.results, self.taken = name, results, taken
        self.back, self.entries = back, tuple(entries)
        self.forth: Helper | None = None
        self._turned_round: Function | None = None

    def _others(self, args: Sequence[Any]) -> list[Any]:
        return list(args[self.results:self.results + self.taken])

    def pullback(self, g: Any, y: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None,
                 wanted: Sequence[bool] | None = None) -> list[Any]:
        """See `Rule.pullback`."""
        b = current()
        given = list(g) if self.results > 1 else [g]
        bars = [zero(b, a) if bar is None else bar for a, bar in zip(args, given)]
        leaves = args[self.results + self.taken:]
        if self.back is not None:
            found = invoke(b, self.back.function, self.back.arguments(bars, self._others(args)))
            entries = [None if k is None else found[k] for k in self.entries]
        else:
            entries = self._transpose(b, bars, args, leaves)
        return [*[None] * (self.results + self.taken), *entries]

    def _transpose(self, b: Builder, bars: list[Any], args: Sequence[Any], leaves: Sequence[Any]) -> list[Any]:
        assert self.forth is not None
        entries: list[Any] = [None] * len(leaves)
        places = [k - len(leaves) for kind, k in self.forth.places if kind == "standing" and k >= len(leaves)]
        if not places:      # the tangent depends on none of those of the arguments
            return entries
        zeros = [zero(b, leaf) for leaf in leaves]
        cotangents = b.build("tuple", [turned(b, bar) for bar in bars])
        found = invoke(b, self._transposed(len(leaves)), [*self.forth.arguments([*leaves, *zeros], self._others(args)), cotangents])
        for k, entry in zip(places, found):
            entries[k] = turned(b, entry)
        return entries

    def _transposed(self, leaves: int) -> Function:
        """The tangents' function turned round: linear, so that it does not matter at which tangents."""
        from ..transforms.nested.pullback import pulled
        assert self.forth is not None
        if self._turned_round is None:
            fn = self.forth.function
            names = [p.name for p, (kind, k) in zip(fn.signature, self.forth.places) if kind == "standing" and k >= leaves]
            made = self._turned_round = pulled(fn, Target(tuple(map(Slot, names)), False))
            made.name = f"{self.name}_transposed"
            made.signature = [Param(p.name, p.value) for p in made.signature]       # cotangents too are passed by position
        return self._turned_round

    def pushforward(self, y: Any, args: Sequence[Any], tangents: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Any:
        """See `Rule.pushforward`."""
        if self.forth is None:
            raise NoForwardDerivative.of(self.name)
        b = current()
        first = self.results + self.taken
        dots = [zero(b, a) if t is None else t for a, t in zip(args[first:], tangents[first:])]
        found = invoke(b, self.forth.function, self.forth.arguments([*args[first:], *dots], self._others(args)))
        return found[0] if self.results == 1 else tuple(found)


def nothing(g: Any, y: Any, *args: Any) -> None:
    """Stands where other rules have their text."""


def _named(name: str) -> Any:
    def function() -> None:
        pass
    function.__name__ = name
    return function


def zero(b: Builder, x: Any) -> Any:
    """A zero cotangent or tangent: a number for a number."""
    t = lift(x).type
    if isinstance(t, Num):
        return Lit(0j if t.kind == "complex" else 0.0)
    return b.call(np.zeros_like, x)


def turned(b: Builder, x: Any) -> Any:
    """A cotangent of a complex number as pullbacks take it, or back: rules pair without a conjugate."""
    t = x.type
    if isinstance(t, Num) and t.kind == "complex" or isinstance(t, Arr) and t.dtype.startswith("complex"):
        return b.call(np.conj, x)
    return x


def invoke(b: Builder, fn: Function, args: Sequence[Any]) -> list[Value]:
    fn.attrs.emit = True
    results = [Value(y.type) for y in fn.body.yields]
    b.emit(Invoke(fn, [lift(a) for a in args], results=results))
    return results
