"""The statement tree: the form of a function with explicit copies for passed values, and explicit exits.

Unlike the IR it is not in SSA form: a carried value is one variable that the copies before and inside its loop assign.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from ..ir.ops import Call, For, Function, Handler, If, Loc, Op, Operand, Raise, SetAttr, Try, Value, While, With, operands_of
from .operators import SWAPPED

__all__ = [
    "Branch", "Copy", "Do", "Exit", "Guard", "Loop", "Node", "Plan", "Scope", "Seq", "Test",
    "ends", "evaluation_order", "every", "inner", "operands",
]


@dataclass(eq=False, slots=True)
class Do:
    """One operation that owns no statements (an `If` here is a conditional expression), and its operands as evaluated."""

    op: Op
    order: list[Operand]


@dataclass(eq=False, slots=True)
class Copy:
    """All targets are assigned at once."""

    pairs: list[tuple[Value, Operand]]
    part: str
    loc: Loc | None = None


@dataclass(eq=False, slots=True)
class Branch:
    """``if cond`` (``if not cond`` where negated).  ``op`` is the branch, or the loop whose stop flag is tested."""

    op: If | For | While
    cond: Operand
    then: "Seq"
    orelse: "Seq"
    negated: bool = False


@dataclass(eq=False, slots=True)
class Loop:
    """A for loop, or a while loop where ``cond`` is a sequence that ends in a `Test`."""

    op: For | While
    targets: list[Value]
    body: "Seq"
    cond: "Seq | None" = None


@dataclass(eq=False, slots=True)
class Guard:
    """``try``, with ``after`` in its else clause."""

    op: Try
    body: "Seq"
    after: "Seq"
    handlers: list[tuple[Handler, "Seq"]]
    final: "Seq"


@dataclass(eq=False, slots=True)
class Scope:
    """``with``."""

    op: With
    body: "Seq"


@dataclass(eq=False, slots=True)
class Test:
    """The condition at the end of a while loop's ``cond``."""

    cond: Operand


@dataclass(eq=False, slots=True)
class Exit:
    """``break``, ``continue`` or ``return`` of the flat results; ``reads`` are those in the order in which they are written."""

    kind: str
    values: list[Operand] = field(default_factory=list)
    reads: list[Operand] = field(default_factory=list)


Node = Union[Do, Copy, Branch, Loop, Guard, Scope, Test, Exit]
Seq = list[Node]


@dataclass(eq=False, slots=True)
class Plan:
    """A function during code generation: its statement tree and the decisions about its values.

    ``home`` maps a value to the variable that holds it, if that is another value (the result of a loop lives in the
    parameter of its body).  ``defs`` is the operation that computes a value; values in ``folded`` are written where they
    are used.
    """

    fn: Function
    seq: Seq
    home: dict[Value, Value]
    hints: dict[Value, str]
    defs: dict[Value, Op] = field(default_factory=dict)
    folded: dict[Value, Op] = field(default_factory=dict)

    def var(self, value: Value) -> Value:
        """The variable that holds a value."""
        return self.home.get(value, value)

    def hint(self, value: Value) -> str | None:
        """The name the user gave a variable, if any."""
        return self.hints.get(value, value.name)


def ends(seq: Seq) -> bool:
    """Whether control never reaches the end of a sequence."""
    if not seq:
        return False
    match seq[-1]:
        case Exit():
            return True
        case Do(op):
            return isinstance(op, Raise)
        case Branch(_, _, then, orelse):
            return ends(then) and ends(orelse)
        case Scope(_, body):        # the front end takes none that may end an exception
            return ends(body)
        case Guard(_, body, after, handlers, final):
            return ends(final) or ((ends(after) or ends(body)) and all(ends(h) for _, h in handlers))
        case Loop(op, _, body, cond):
            return isinstance(op, While) and _is_true(cond) and not _breaks(body)
    return False


def _is_true(cond: Seq | None) -> bool:
    if not cond or len(cond) != 1 or not isinstance(cond[0], Test):
        return False
    return getattr(cond[0].cond, "value", None) is True


def _breaks(seq: Seq) -> bool:
    """Whether a loop's body leaves the loop by ``break``."""
    for node in seq:
        if isinstance(node, Exit) and node.kind == "break":
            return True
        if not isinstance(node, Loop) and any(_breaks(s) for s in inner(node)):
            return True
    return False


def inner(node: Node) -> Sequence[Seq]:
    """The sequences inside a node, in the order they may run."""
    found = _INNER.get(type(node))
    return () if found is None else found(node)


def every(seq: Seq) -> list[Node]:
    """The nodes of a sequence and of the sequences inside it, in order."""
    found: list[Node] = []
    for node in seq:
        found.append(node)
        if type(node) is not Do:
            for inside in inner(node):
                found += every(inside)
    return found


_INNER: dict[type, Callable[[Any], Sequence[Seq]]] = {
    Branch: lambda node: (node.then, node.orelse),
    Loop: lambda node: (node.body,) if node.cond is None else (node.cond, node.body),
    Guard: lambda node: (node.body, node.after, *(seq for _, seq in node.handlers), node.final),
    Scope: lambda node: (node.body,),
}


def operands(node: Node) -> list[Operand]:
    """The operands of the node itself, in the order in which Python evaluates their source."""
    if isinstance(node, Do):
        return node.order
    match node:
        case Copy(pairs):
            return [src for _, src in pairs]
        case Branch(_, cond):
            return [cond]
        case Loop(op):
            return [o for s in op.sources for o in s.operands] if isinstance(op, For) else []
        case Guard(op):
            return [h.classes for h in op.handlers if h.classes is not None]
        case Scope(op):
            return [op.ctx]
        case Test(cond):
            return [cond]
        case Exit(_, _, reads):
            return reads


def evaluation_order(op: Op) -> list[Operand]:
    """The operands of an operation in the order in which Python evaluates its source."""
    if type(op) is Call:
        if op.fn is operator.setitem:
            target, index, value = op.args
            return [value, target, index]
        if op.fn in SWAPPED:
            return op.args[::-1]
    elif isinstance(op, SetAttr):
        return [op.value, op.obj]
    return operands_of(op)
