"""Exceptions of single operations inside a try clause, as jumps.

    try:                              try: t = math.sqrt(x)
        total += 1.0                  except ValueError: stopped = True
        total += math.sqrt(x)    →    if not stopped: total += t
    except ValueError:                if stopped: …
        …

A try clause as a whole does not tell its handler which of its statements have run. Where that matters (a variable or an attribute that the
clause assigns is read afterwards, or the clause writes to an array or container), each statement that may raise becomes a try statement of
its own, whose handler sets a flag, as the jump of a ``raise`` does (see `raises`). The rest of the clause runs where the flag is not set,
and the except clause behind it, with exactly the state that the interrupted statement has found.

Lowering starts again with such a clause once it is found to be needed: its site (`precise_site`) then stands among those of the program.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.exceptions import may_raise, raised_by, raised_classes
from ...ir.ops import Block, Handler, Lit, Op, Try, Value, blocks_of
from ...ir.types import UNKNOWN
from ..context import Lowering
from ..domain.abstract import UNBOUND, SConflict, SObj
from ..domain.join import merge_states
from .interrupted import splice
from .normal_form import HELD
from .raises import Target, in_normal_form, reaches

__all__ = ["Watch", "active", "shielded"]


class Watch:
    """The states in which operations of a statement may raise."""

    def __init__(self, targets: list[Target]):
        self.classes = [c for target in targets for classes in target.classes for c in classes or (BaseException,)]
        self.states: list[dict[Any, Any]] = []

    def note(self, ctx: Lowering, op: Op) -> None:
        """Keep the state where an operation may raise."""
        found = raised_by(op)
        if blocks_of(op) or found and any(issubclass(a, b) or issubclass(b, a) for a in found for b in self.classes):
            self.states.append(dict(ctx.state))


def active(ctx: Lowering) -> list[Target]:
    """The try clauses around, innermost first, whose statements are lowered one by one."""
    out: list[Target] = []
    for target in reversed(ctx.catchers):
        if target is None or not target.precise:
            break
        if not reaches(ctx, target):
            in_normal_form(ctx, target)
            break
        out.append(target)
    return out


def shielded(ctx: Lowering, targets: list[Target], lower: Callable[[], Any]) -> Any:
    """Lower a statement, or the expression at its head, so that an exception jumps to the handlers of the try clauses around it."""
    entry, loc, block = ctx.state, ctx.loc, Block()
    ctx.state = dict(entry)
    outer, ctx.watch = ctx.watch, Watch(targets)
    try:
        with ctx.inside(block):
            value = lower()
        states = ctx.watch.states
    finally:
        ctx.watch = outer
    if not any(may_raise(block, classes) for target in targets for classes in target.classes):
        splice(ctx, block)
        return value
    sides: list[tuple[dict[Any, Any], Block, Any]] = [(ctx.state, block, value)]
    handlers = []
    for target, k in [(t, k) for t in targets for k in range(len(t.clauses))]:
        if not may_raise(block, target.classes[k]):
            continue
        wanted = target.classes[k] or (BaseException,)
        kinds = frozenset(c for c in raised_classes(block, wanted) if any(issubclass(c, w) or issubclass(w, c) for w in wanted))
        clause, body = target.clauses[k], Block()
        state = _interrupted(entry, ctx.state, states)
        classes, error = clause.classes, Value(UNKNOWN, clause.name or "error")
        target.meet(state, k, kinds, error)
        if target.named[k]:
            body.params.append(error)
            if classes is None:
                classes = Lit(BaseException, ctx.bind("BaseException", BaseException))
        state["#dead"] = ("mixed",)
        handlers.append(Handler(classes, body, (clause.name or "error") if target.named[k] else None))
        sides.append((state, body, None))
        if clause.classes is None:
            break       # the handlers of all exceptions come last
    op = Try(block, handlers)
    ctx.state, ctx.loc = entry, loc
    ctx.emit(op)
    return merge_states(ctx, entry, sides, op.results)


def _interrupted(entry: dict[Any, Any], end: dict[Any, Any], states: list[dict[Any, Any]]) -> dict[Any, Any]:
    """The state in which an exception leaves a statement: that before it, except for assignments that it may have made before the
    exception."""
    out = dict(entry)
    known = {key[0] for key in entry if isinstance(key[0], SObj)}
    for state in (*states, end):
        for key, held in state.items():
            if not isinstance(key, tuple) or held is entry.get(key, UNBOUND) or isinstance(key[1], str) and key[1].startswith(("#", HELD)):
                continue
            if isinstance(key[0], SObj) and key[0] not in known:
                continue
            if any(s.get(key, UNBOUND) is not entry.get(key, UNBOUND) for s in states):
                out[key] = SConflict(str(key[1]), "try_variable")
    return out
