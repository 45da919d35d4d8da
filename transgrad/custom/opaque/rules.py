"""The derivatives of calls of primitives: of the function, and of its derivatives.

A call of a derivative is linear in its cotangents or tangents.  Its other derivatives, and a derivative of the function that the user
did not define, need the code of the user's derivative: the function is then compiled again with that code, as `reading` says.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ...errors import UnsupportedCall
from ...ir.observed import ReadDerivative, current
from ...ir.opaque import OpaqueCall
from ...rules.registry import Rule
from ..rule import nothing
from .calls import CotangentCall, ValueCall
from .emit import cotangents, tangents, transposed
from .primitive import Primitive

__all__ = ["CotangentRule", "OpaqueRule", "PrimitiveRule", "TangentRule", "undefined"]


def read(of: Primitive, mode: str) -> NoReturn:
    """Start again, with the code of a derivative of a primitive."""
    observed = current()
    of = of.single or of        # whose calls then run for one example after the other
    if of.linear:
        raise undefined(of, "reverse derivative", "vjp is not defined", "pass vjp= to tg.primitive")
    if of.fwd is not None:
        raise undefined(of, "second derivative", "residuals are not differentiated",
                        "use tg.primitive with vjp=, which is a function of the result and the arguments instead of residuals")
    if observed is None or (of, mode) in observed.derivatives:
        raise undefined(of, "derivative of this order", f"the {mode} of {of.__name__} is not differentiated here",
                        f"make it a tg.primitive with a {mode} of its own")
    observed.derivatives.add((of, mode))
    raise ReadDerivative


def undefined(of: Primitive, which: str, why: str, hint: str) -> UnsupportedCall:
    """The refusal of a derivative that is not available."""
    return UnsupportedCall(f"{of.__name__} has no {which}: {why}", None, hint)


class OpaqueRule(Rule):
    """A rule of a call that is not read: the operands of the call are its arguments."""

    def __init__(self, call: OpaqueCall):
        super().__init__([call], "general", nothing, jvp=())

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """See `Rule.bind`."""
        return list(args), dict(kwargs)


def _listed(x: Any, several: bool) -> list[Any]:
    return list(x) if several else [x]


class PrimitiveRule(OpaqueRule):
    """The derivative of a call of the function."""

    def __init__(self, call: ValueCall):
        super().__init__(call)
        self.call = call
        self.results = len(call.form.types)
        self.several = self.results + call.residuals > 1

    def pullback(self, g: Any, y: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None,
                 wanted: Sequence[bool] | None = None) -> list[Any]:
        """See `Rule.pullback`."""
        of = self.call.of
        if of.vjp is None and of.bwd is None:
            if of.jvp is None:
                raise undefined(of, "derivative", "neither vjp nor jvp is defined", "pass vjp= to tg.primitive")
            read(of, "jvp")
        want = [k for k in self.call.args.leaves if wanted is None or wanted[k]]
        found = cotangents(self.call, _listed(g, self.several), _listed(y, self.several), args, want)
        return [found.get(k) for k in range(len(args))]

    def pushforward(self, y: Any, args: Sequence[Any], tangents_: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Any:
        """See `Rule.pushforward`."""
        of = self.call.of
        if of.jvp is None:
            if of.vjp is None and of.bwd is None:
                raise undefined(of, "derivative", "neither vjp nor jvp is defined", "pass jvp= to tg.primitive")
            if of.fwd is not None:
                raise undefined(of, "forward derivative", "custom_vjp defines only the reverse one, and residuals are not differentiated",
                                "use tg.primitive with vjp= and jvp=")
            by_second = transposed(self.call, of.vjp, tangents_, _listed(y, self.several), args) if isinstance(of.vjp, Primitive) else None
            if by_second is None:
                read(of, "vjp")
            return tuple(by_second) if self.several else by_second[0]
        found = tangents(self.call, tangents_, _listed(y, self.several)[:self.results], args)
        found += [None] * self.call.residuals
        return tuple(found) if self.several else found[0]


class CotangentRule(OpaqueRule):
    """The derivative of a call of the reverse derivative: linear in the cotangents, which are its first operands."""

    def __init__(self, call: ValueCall, fn: CotangentCall):
        super().__init__(fn)
        self.call, self.back = call, fn

    def _only_bars(self, used: Sequence[bool]) -> bool:
        return self.call.of.linear or not any(used[self.back.bars:])

    def pullback(self, g: Any, y: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None,
                 wanted: Sequence[bool] | None = None) -> list[Any]:
        """See `Rule.pullback`."""
        fn, call = self.back, self.call
        if call.of.jvp is None or fn.residuals or not self._only_bars(wanted or ()):
            read(call.of, "vjp")
        dots: list[Any] = [None] * len(call.args.types)
        for k, bar in zip(fn.wanted, _listed(g, len(fn.wanted) > 1)):
            dots[k] = bar
        ys = args[fn.bars:fn.bars + len(call.form.types)]
        found = [x for x in tangents(call, dots, ys, args[fn.bars + len(ys):]) if x is not None]
        return [*found, *[None] * (len(args) - fn.bars)]

    def pushforward(self, y: Any, args: Sequence[Any], tangents: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Any:
        """See `Rule.pushforward`."""
        fn, call = self.back, self.call
        if not self._only_bars([t is not None for t in tangents]):
            read(call.of, "vjp")
        bars: list[Any] = [None] * (len(call.form.types) + fn.residuals)
        own = iter(tangents[:fn.bars])
        for k in call.active_results:
            bars[k] = next(own)
        if fn.residuals:
            ys = [*args[:fn.bars], args[fn.bars]]
            if len(ys) != len(bars):        # integers among the results
                read(call.of, "vjp")
            rest = args[fn.bars + 1:]
        else:
            ys, rest = list(args[fn.bars:fn.bars + len(call.form.types)]), args[fn.bars + len(call.form.types):]
        found = cotangents(call, bars, ys, rest, fn.wanted)
        return tuple(found[k] for k in fn.wanted) if len(fn.wanted) > 1 else found[fn.wanted[0]]


class TangentRule(OpaqueRule):
    """The derivative of a call of the forward derivative: linear in the tangents, which are its first operands."""

    def __init__(self, call: ValueCall):
        super().__init__(call)
        self.call = call

    def _parts(self, xs: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        dots, ys = len(self.call.args.leaves), len(self.call.form.types)
        return list(xs[:dots]), list(xs[dots:dots + ys]), list(xs[dots + ys:])

    def pullback(self, g: Any, y: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None,
                 wanted: Sequence[bool] | None = None) -> list[Any]:
        """See `Rule.pullback`."""
        call = self.call
        dots, ys, rest = self._parts(args)
        if call.of.vjp is None or not call.of.linear and (wanted is None or any(wanted[len(dots):])):
            read(call.of, "jvp")
        own = iter(_listed(g, len(call.active_results) > 1))
        bars = [next(own) if k in call.active_results else None for k in range(len(ys))]
        want = [k for n, k in enumerate(call.args.leaves) if wanted is None or wanted[n]]
        found = cotangents(call, bars, ys, rest, want)
        return [*(found.get(k) for k in call.args.leaves), *[None] * (len(args) - len(dots))]

    def pushforward(self, y: Any, args: Sequence[Any], dots_: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Any:
        """See `Rule.pushforward`."""
        call = self.call
        _, ys, rest = self._parts(args)
        dots, *others = self._parts(dots_)
        if not call.of.linear and any(t is not None for part in others for t in part):
            read(call.of, "jvp")
        given: list[Any] = [None] * len(call.args.types)
        for k, t in zip(call.args.leaves, dots):
            given[k] = t
        found = [x for x in tangents(call, given, ys, rest) if x is not None]
        return tuple(found) if len(found) > 1 else found[0]
