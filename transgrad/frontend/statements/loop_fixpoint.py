"""Lowers the body of a loop again and again until what it carries, and the types of that, no longer change."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.ops import UNDEF, Block, Lit, Operand, Value, blocks_of, walk
from ...ir.types import UNKNOWN, Arr, DictT, ListT, Num, SetT
from ..context import Lowering
from ..domain.abstract import UNBOUND, STuple
from ..domain.join import (
    Leaf,
    Parts,
    Same,
    _extend,
    hint,
    join_types,
    leaf_templates,
    leaf_value,
    leaves,
    mark_exits,
    only_left,
    rebuild,
    scalar_like,
    sited,
    state_get,
    template,
)
from ..refusals import refuse
from .control_flow import exit_flag

__all__ = ["Loop", "Repeated", "repeat"]

_ROUNDS = 24


class Loop:
    """A loop being lowered, as the target of break and continue."""

    def __init__(self, frame: Any):
        self.frame = frame
        self.brk = (self, "#brk")
        self.cont = (self, "#cont")
        #: what a generator that it ran over has returned, the value of ``yield from``
        self.returned: Any = Lit(None)


class _Slot:
    __slots__ = ("exited", "first", "key", "late", "params", "plan")

    def __init__(self, key: Any, plan: Any, late: bool = False):
        self.key, self.plan, self.late = key, plan, late
        self.params: list[Value] = []
        self.first: list[Operand] = []
        self.exited = False


class Repeated:
    """The outcome: blocks and operands of the loop operation; `finish` binds its results."""

    def __init__(self, body: Block, cond: Block, stops: bool):
        self.body, self.cond, self.stops = body, cond, stops
        self.inits: list[Operand] = []
        self.results: list[Value] = []
        self.slots: list[tuple[_Slot, list[Value]]] = []

    def finish(self, ctx: Lowering, entry: dict[Any, Any]) -> None:
        """Makes ``ctx.state`` the state after the loop (the operation has been emitted)."""
        ctx.state = dict(entry)
        for slot, values in self.slots:
            if slot.late:
                ctx.partial.add(slot.key)       # where the loop does not run at all
            ctx.state[slot.key] = rebuild(ctx, slot.plan, iter(values))
            if slot.exited:
                mark_exits(ctx, ctx.state[slot.key], slot.plan, late=True)


def _guess(x: Any, name: str | None) -> Any:
    """The template of a variable that the body assigns, before the body is known."""
    if isinstance(x, Lit) and isinstance(x.type, Num):
        return Leaf(Num(x.type.kind, mixed=x.type.mixed), False, name)
    if isinstance(x, Value):
        return Leaf(Num(x.type.kind, mixed=x.type.mixed) if isinstance(x.type, Num) else x.type, x.varied, name)
    if isinstance(x, STuple):
        parts = [_guess(i, name and f"{name}_{k}") for k, i in enumerate(x.items)]
        return Parts("tuple", parts, x.cls) if all(p is not None for p in parts) else None
    return None


def repeat(ctx: Lowering, loop: Loop, assigned: list[Any], head: Callable[[], list[Value]], body: Callable[[list[Value]], None],
           test: Callable[[], Operand] | None = None, live: set[str] | None = None,
           retyped: Callable[[], None] | None = None) -> Repeated:
    """Lowers a loop.

    ``head`` makes the parameters of the body that are not carried (the loop variables), ``body`` lowers the body given them,
    ``test`` the condition of a while loop.  ``assigned`` are the state keys that the body's text assigns, ``live`` the names of
    the frame that have to be carried (None: all that change).  ``retyped`` is called where an iteration gives a variable a type that
    it does not have before the loop, so that the two have no type in common.
    """
    entry, loc = ctx.state, ctx.loc
    slots: dict[Any, _Slot] = {}
    frame = ctx.frame
    for key in assigned:
        if live is not None and key[0] is frame and key[1] not in live:
            continue
        plan = _guess(entry[key], hint(key)) if key in entry else None
        if plan is not None:
            slots[key] = _Slot(key, plan)

    def skipped(key: Any) -> bool:
        """Whether nobody reads what a variable of this frame holds after a turn."""
        return live is not None and key[0] is frame and isinstance(key[1], str) and key[1][:1] != "#" and key[1] not in live
    outer_exits, repeats = ctx.exits, ctx.repeats
    ctx.exits = [*outer_exits, loop.brk, loop.cont]
    ctx.repeats = (*repeats, loop)
    try:
        for _ in range(_ROUNDS):
            before, known = len(ctx.sharing.changes), (len(ctx.program.stale), ctx.program.revision)
            cond, block = Block(), Block()
            if test is not None:
                _enter(ctx, slots, entry, cond)
                with ctx.inside(cond):
                    cond.yields.append(test())
            items = head()
            block.params.extend(items)
            ctx.loc = loc
            _enter(ctx, slots, entry, block)
            start = dict(ctx.state)
            with ctx.inside(block):
                body(items)
            end = ctx.state
            dead = end.get("#dead")
            if dead is not None and dead[:2] == ("continue", loop):
                del end["#dead"]
            pinned, ctx.ends = ctx.pinned, {id(end): block}
            if retyped is not None and any(_changes_type(slot, entry, end) for slot in slots.values()):
                retyped()
            late = _settle(ctx, slots, entry, start, end, loop, skipped)
            if late is not None and pinned != ctx.pinned:
                late = _settle(ctx, slots, entry, start, end, loop, skipped)     # a display became a value meanwhile
            ctx.ends = {}
            if late is not None and known == (len(ctx.program.stale), ctx.program.revision) and not _learned(ctx, before, block, cond):
                break
            ctx.discarded |= defined(block, cond)
        else:
            refuse("undecided", loc, "the types of what this loop carries do not settle")
        ctx.loc = loc
        with ctx.inside(block):
            stop = exit_flag(ctx, skip=loop.cont)
    finally:
        ctx.exits, ctx.repeats = outer_exits, repeats
    out = Repeated(block, cond, stop is not None)
    if stop is not None:
        block.yields.append(stop)
    for slot in [*slots.values(), *late]:
        _close(ctx, slot, out, entry, end, test is not None)
    return out


def _changes_type(slot: _Slot, entry: dict[Any, Any], end: dict[Any, Any]) -> bool:
    """Whether a number becomes, in an iteration, an array or a number of a type that has none in common with it."""
    before, after = state_get(entry, slot.key), state_get(end, slot.key)
    return isinstance(before, (Lit, Value)) and isinstance(after, Value) and isinstance(after.type, Arr) and scalar_like(
        before.type) and before.type != after.type and join_types(before.type, after.type) == UNKNOWN


def _learned(ctx: Lowering, before: int, *blocks: Block) -> bool:
    """Whether something became known of a value from outside of the loop, so that the body must be lowered again."""
    changed = ctx.sharing.changes[before:]
    if not changed:
        return False
    inside = defined(*blocks)
    return any(v not in inside and v not in ctx.discarded for v in changed)


def defined(*blocks: Block) -> set[Any]:
    """The values that blocks define."""
    inside: set[Any] = set()
    for block in blocks:
        inside.update(block.params)
        for op in walk(block):
            inside.update(op.results)
            for inner in blocks_of(op):
                inside.update(inner.params)
    return inside


def _pinned(slots: dict[Any, _Slot], entry: dict[Any, Any]) -> bool:
    """Plans anew what was a display before the loop and became a value at run time meanwhile; whether there is any."""
    found = False
    for slot in slots.values():
        held = state_get(entry, slot.key)
        if isinstance(slot.plan, Parts) and slot.plan.kind in ("list", "dict") and isinstance(held, Value):
            slot.plan, found = Leaf(held.type, held.varied, hint(slot.key)), True
    return found


def _enter(ctx: Lowering, slots: dict[Any, _Slot], entry: dict[Any, Any], block: Block) -> None:
    _pinned(slots, entry)
    for slot in slots.values():
        ctx.state = entry
        slot.first = [*leaves(ctx, slot.plan, state_get(entry, slot.key), entry)]
        for leaf, first in zip(leaf_templates(slot.plan), slot.first):
            if isinstance(first, Value) and isinstance(first.type, (ListT, DictT, SetT)):
                leaf.type = join_types(leaf.type, first.type)       # what the last round put into it
    ctx.state = dict(entry)
    with ctx.inside(block):
        for slot in slots.values():
            slot.params = [leaf_value(leaf) for leaf in leaf_templates(slot.plan)]
            for param, first in zip(slot.params, slot.first):
                ctx.sharing.unite(param, first)
            block.params.extend(slot.params)
            ctx.state[slot.key] = rebuild(ctx, slot.plan, iter(slot.params))


def _settle(ctx: Lowering, slots: dict[Any, _Slot], entry: dict[Any, Any], start: dict[Any, Any], end: dict[Any, Any],
            loop: Loop, skipped: Callable[[Any], bool]) -> list[_Slot] | None:
    """Widens what is carried by what the body left; None where the body must be lowered again, else what the loop only leaves
    behind and never reads."""
    again = _pinned(slots, entry)
    late = []
    # what was made in this turn has no value from the turn before
    owners = {k[0] for k in entry if isinstance(k, tuple)} | {loop.frame}
    for key in [*slots, *(k for k in end if k not in slots and isinstance(k, tuple))]:
        left = state_get(end, key)
        if key in slots:
            plan = slots[key].plan
            new = plan if left is start.get(key) else sited(key, _extend(ctx, plan, left, end, hint(key), [end]))
            if _differs(plan, new):
                slots[key].plan = new
                again = True
            continue
        if left is start.get(key, UNBOUND) or left is UNDEF or key == loop.cont or skipped(key):
            continue
        before = state_get(entry, key)
        plan = sited(key, template(ctx, before, left, entry, end, hint(key)))
        if isinstance(plan, Same) and plan.x is before:
            continue
        if key not in entry and (key not in ctx.partial or key[0] not in owners) or isinstance(key[1], str) and key[1][:1] == "#":
            late.append(_Slot(key, plan, late=True))
        else:
            slots[key] = _Slot(key, plan)
            again = True
    return None if again else late


def _differs(a: Any, b: Any) -> bool:
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        return a.type != b.type or a.varied != b.varied
    if isinstance(a, Parts) and isinstance(b, Parts):
        return len(a.items) != len(b.items) or any(map(_differs, a.items, b.items))
    if isinstance(a, Same) and isinstance(b, Same):
        return type(a.x) is not type(b.x)
    return True


def _close(ctx: Lowering, slot: _Slot, out: Repeated, entry: dict[Any, Any], end: dict[Any, Any], has_test: bool) -> None:
    """Writes the initial values, the yields and the results of one carried variable."""
    ctx.state = entry
    first = [*leaves(ctx, slot.plan, state_get(entry, slot.key), entry)]
    with ctx.inside(out.body):
        last = [*leaves(ctx, slot.plan, state_get(end, slot.key), end)]
    out.inits.extend(first)
    out.body.yields.extend(last)
    slot.exited = only_left(ctx, slot.key, entry) and only_left(ctx, slot.key, end)
    if slot.late:
        slot.params = [leaf_value(leaf) for leaf in leaf_templates(slot.plan)]
        out.body.params.extend(slot.params)
        if has_test:
            out.cond.params.extend(Value(v.type, v.name, v.varied) for v in slot.params)
    results = [leaf_value(leaf) for leaf in leaf_templates(slot.plan)]
    for group in zip(results, first, last, slot.params):
        for other in group[1:]:
            ctx.sharing.unite(group[0], other)
    out.results.extend(results)
    out.slots.append((slot, results))
