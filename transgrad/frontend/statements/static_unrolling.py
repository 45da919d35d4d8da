"""Loops that are written out turn by turn: over things of different kinds, or things that exist only in the compiler."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...ir.ops import Lit, Value
from ...ir.types import Obj, OptT, RecordT
from ..calls.rule_source_errors import in_definition
from ..context import Lowering, Restart
from ..domain.abstract import SDict, SIter, SList, STuple
from ..domain.contents import Contents
from ..refusals import refuse
from .control_flow import exit_flag, reached_by
from .dispatch import skip
from .loop_fixpoint import Loop

__all__ = ["MOST", "Turns", "changing_site", "displays", "first_iteration", "unroll", "unrolls"]

#: so many turns are written out
MOST = 32


def changing_site(path: Any) -> Any:
    """The name of a loop that changes what it runs over."""
    return "changing", path


class Turns:
    """The items of a loop that is written out, as they are when the turn of each has come.

    Where the body changes the list or dict that is looped over in a way that only running tells, the function is lowered again with
    ``sites``: the loop then runs over a value of the run time.
    """

    def __init__(self, ctx: Lowering, x: Any, items: list[Any], sites: tuple[Any, ...] = ()):
        self.ctx, self.x, self.sites = ctx, x, sites
        self._items = items
        self._held = {d: ctx.contents(d) for d in displays(x)}

    def changed(self) -> bool:
        """Whether what is looped over is not what it was."""
        return any(self.ctx.contents(d) is not was for d, was in self._held.items())

    def items(self) -> list[Any]:
        """The items by now."""
        if self.changed():
            from ..containers.iterables import static_items
            now = static_items(self.ctx, self.x)
            if now is None and any(_is_rewritten(self.ctx.contents(d)) for d in self._held) or now is not None and len(now) != len(
                    self._items) and (_reversed(self.x) or any(isinstance(d, SDict) for d in self._held)):
                if self.sites:
                    raise Restart(self.sites)
                refuse("unroll", self.ctx.loc, "a list or dict that it changes")
            if now is not None:
                self._items = now
            if len(self._items) > MOST:
                refuse("unroll", self.ctx.loc, f"{len(self._items)} things, and more while it runs")
            self._held = {d: self.ctx.contents(d) for d in self._held}
        return self._items


def displays(x: Any) -> Iterator[Any]:
    """The lists and dicts that a loop runs over."""
    if isinstance(x, (SList, SDict)):
        yield x
    elif isinstance(x, SIter):
        for part in (*x.data, *(d for d, _ in x.over)):
            yield from displays(part)


def _reversed(x: Any) -> bool:
    return isinstance(x, SIter) and (x.kind == "reversed" or any(map(_reversed, x.data)))


def _is_rewritten(held: Any) -> bool:
    """Whether a display that has become a value of the run time may have been changed since."""
    return getattr(getattr(held, "type", None), "length", None) is None


def unrolls(ctx: Lowering, x: Any, items: list[Any]) -> bool:
    """Whether a loop over known items is written out: the items are of different types, or are no values."""
    if isinstance(x, SIter) and x.kind == "zip" and any(isinstance(d, SIter) and d.kind == "range" for d in x.data) and len(items) > 8:
        return False
    if len(items) <= 1:
        return True
    if len(items) <= 8 and all(isinstance(i, (Lit, STuple)) for i in items) and in_definition(ctx):
        return True     # over axes, and settings for each
    kinds = {_kind(ctx, i) for i in items}
    if None not in kinds and len(kinds) == 1:
        return False
    if len(items) > MOST:
        refuse("unroll", ctx.loc, f"{len(items)} things of different types")
    return True


def _kind(ctx: Lowering, x: Any) -> Any:
    if isinstance(x, Lit):
        if isinstance(x.value, (int, float, complex)) and not isinstance(x.value, bool):
            return type(x.value)
        return None
    if isinstance(x, Value):
        return None if isinstance(x.type, (Obj, OptT, RecordT)) else x.type
    if isinstance(x, STuple):
        parts = tuple(_kind(ctx, i) for i in x.items)
        return None if None in parts else parts
    if isinstance(x, SList):
        held = ctx.contents(x)
        if isinstance(held, Contents):
            parts = tuple(_kind(ctx, i) for i in held.items)
            return None if None in parts or len(set(parts)) > 1 else ("list", len(parts), parts[:1])
    return None


def unroll(ctx: Lowering, turns: Turns, body: Callable[[Any], None], loop: Loop) -> None:
    """Lowers the body once for each item."""
    def iteration(k: int) -> None:
        if not ctx.dead and k < len(turns.items()):
            once(ctx, turns.items()[k], body, loop, lambda: iteration(k + 1), lambda: k + 1 < len(turns.items()))
    outer = ctx.exits
    ctx.exits = [*outer, loop.brk]
    try:
        iteration(0)
    finally:
        ctx.exits = outer
    reached_by(ctx, loop.brk, ("break", loop))


def first_iteration(ctx: Lowering, item: Any, body: Callable[[Any], None], loop: Loop, rest: Callable[[], None]) -> None:
    """Lowers the body for the first item, and then ``rest``, which lowers a loop over the others."""
    outer = ctx.exits
    ctx.exits = [*outer, loop.brk]
    try:
        once(ctx, item, body, loop, rest)
    finally:
        ctx.exits = outer
    reached_by(ctx, loop.brk, ("break", loop))


def once(ctx: Lowering, item: Any, body: Callable[[Any], None], loop: Loop, rest: Callable[[], None],
         more: Callable[[], bool] = lambda: True) -> None:
    """Lowers the body for one item, and ``rest`` where it was not left."""
    exits = ctx.exits
    ctx.exits = [*exits, loop.cont]
    try:
        body(item)
    finally:
        ctx.exits = exits
    reached_by(ctx, loop.cont, ("continue", loop))
    ctx.state.pop(loop.cont, None)
    if ctx.dead:
        return
    flag = exit_flag(ctx)
    if flag is None:
        rest()
    elif more():
        skip(ctx, flag, rest)
