"""Analysis: select the array elements that a loop carries as scalars.

An element has another index expression in each iteration: ``x[i]`` in one is ``x[i - 1]`` in the next. A value known at the end of an
iteration need not be loaded in the next, and an element that the next iteration overwrites need not be stored.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ....ir.ops import Call, Value
from ....ir.prims import inplace_at
from .element_accesses import TOUCHES, Finder, Place, Span

__all__ = ["Plan", "is_last", "make_plan", "reads", "writes"]

#: over how many turns at most an element is carried that is not touched in between
_TURNS = 3


def reads(op: Call) -> bool:
    """Whether an operation on an element depends on its old value."""
    return op.fn is not TOUCHES[1]


def writes(op: Call) -> bool:
    """Whether an operation changes an element."""
    return op.fn is not TOUCHES[0]


@dataclass
class Plan:
    """The treatment of the elements of one list or array that a loop accesses."""

    span: Span
    touches: list[tuple[Call, Place]]
    #: the initial value of the elements if they have not been written to, else None
    fill: Any = None
    #: the elements that an iteration reads before it writes to them
    needed: set[Place] = field(default_factory=set)
    #: the elements that an iteration takes over from the previous one, under their names in it
    carried: list[Place] = field(default_factory=list)
    #: those whose value is `fill`, as no turn has touched them before
    filled: set[Place] = field(default_factory=set)
    #: those that the next iteration overwrites, or takes over and writes in the end
    delayed: set[Place] = field(default_factory=set)
    #: those that are dead after the iteration
    dead: set[Place] = field(default_factory=set)

    @property
    def overwritten(self) -> set[Place]:
        """The elements that an iteration overwrites without reading their old values."""
        return {place for _, place in self.touches} - self.needed

    @property
    def root(self) -> Value:
        """The list or array."""
        return self.touches[0][1].root

    def before(self, place: Place) -> Place:
        """The name of an element in the previous iteration."""
        return place.moved(self.span.var, self.span.step)

    def after(self, place: Place) -> Place:
        """The name that it has in the next."""
        return place.moved(self.span.var, -self.span.step)

    @property
    def active(self) -> set[Place]:
        """The elements whose operations are rewritten."""
        found = {*self.carried, *map(self.before, self.carried), *self.filled, *self.delayed}
        first: dict[Place, Call] = {}
        for op, place in self.touches:
            if place in first and (writes(first[place]) or writes(op) and op.fn is inplace_at):
                found.add(place)
            first.setdefault(place, op)
        return found


def make_plan(touches: list[tuple[Call, Place]], span: Span, finder: Finder, fill: Any, native: bool) -> Plan | None:
    """The treatment of the elements of one list or array; None if they may be the same element, or there is no gain."""
    plan = Plan(span, touches, fill)
    order = list(dict.fromkeys(place for _, place in touches))
    written = {place for op, place in touches if writes(op)}
    if native and not written:
        return None     # reads of adjacent elements may be vectorized over several iterations
    if written and not _are_apart(order, span, finder):
        return None
    seen: set[Place] = set()
    for op, place in touches:
        if place not in seen and reads(op):
            plan.needed.add(place)
        seen.add(place)
    for place in order:
        if place in plan.needed and (place.varies(span.var) or place in written):
            plan.carried += [p for p in _chain(plan, place, seen) if p not in plan.carried]
    for place in order:
        if place in written and plan.after(place) in written and (place.varies(span.var) or place in plan.carried):
            plan.delayed.add(place)
            if plan.after(place) not in plan.carried:
                plan.carried.append(plan.after(place))
    if fill is not None:
        first = (p for p in order if p in plan.needed and p.varies(span.var) and _is_first(p, order, plan, finder))
        plan.filled = set(first).difference(plan.carried)
    return plan if plan.active else None


def _are_apart(order: list[Place], span: Span, finder: Finder) -> bool:
    """Whether positions are different elements in every iteration, and none is counted from the end."""
    for k, a in enumerate(order):
        if any(finder.may_wrap(n, span) for n in a.path if n.base is span.var):
            return False
        if not all(finder.differ(a, b, span) for b in order[k + 1:]):
            return False
    return True


def _chain(plan: Plan, place: Place, touched: set[Place]) -> list[Place]:
    """An element that an earlier iteration has accessed, and its names in the iterations in between."""
    found = [place]
    for _ in range(_TURNS):
        before = plan.before(found[-1])
        if before in touched:
            return found
        found.append(before)
    return []


def _is_first(place: Place, order: list[Place], plan: Plan, finder: Finder) -> bool:
    """Whether no turn before can have touched an element."""
    return not any(_is_ahead(other, place, plan.span.step, plan, finder) for other in order if other != place)


def is_last(place: Place, plan: Plan, finder: Finder) -> bool:
    """Whether no later turn can touch an element."""
    return not any(_is_ahead(other, place, -plan.span.step, plan, finder) for _, other in plan.touches if other != place)


def _is_ahead(other: Place, place: Place, step: int, plan: Plan, finder: Finder) -> bool:
    """Whether a position may be that of another one in a later iteration, in the direction of the loop."""
    var = plan.span.var
    if not other.varies(var):
        return False        # it is never the same
    for m, n in zip(other.path, place.path):
        if m.base is var and n.base is var and (m.offset - n.offset) * step < 0:
            return False
        if m.base is not var and n.base is not var and finder.differ(Place(place.root, (m,)), Place(place.root, (n,)), plan.span):
            return False
    return True
