"""How control leaves blocks: the stop flags of loops, worked out on each path through a body's last branches."""
from __future__ import annotations

import operator
from dataclasses import dataclass, field

from ..ir.ops import Call, For, If, Lit, Op, Operand, Value, While
from .nodes import Do, Seq, evaluation_order
from .uses import Uses

__all__ = ["Flags", "Tail", "Through", "Unresolved", "is_elif_chain", "was_continue"]


@dataclass(frozen=True)
class Tail:
    """What happens at the end of a block: its ``operands`` go to the owner of the block.

    ``kind`` is 'join' (they are copied to ``targets``), 'loop' (they are the values of the next iteration, after the stop
    flag where ``stops``) or 'return'.  ``through`` is set on a loop that is followed by a test of a flag it carries, at
    position ``flag`` of its values: where the flag is True, control goes on in ``through``.
    """

    kind: str
    operands: list[Operand]
    op: Op | None = None
    targets: list[Value] = field(default_factory=list)
    stops: bool = False
    flag: int = -1
    through: "Through | None" = None


@dataclass(frozen=True)
class Through:
    """The code after a loop: a branch on one of its flags (if that is not None) as the last operation before ``tail``."""

    loop: For | While
    branch: If | None
    tail: Tail


class Unresolved(Exception):
    """A flag is not known on some path, so it stays a variable."""


class Flags:
    """Stop flags that are set where one of two flags is (``or`` at the end of a body)."""

    def __init__(self, uses: Uses):
        self.uses = uses
        self.either: dict[Value, tuple[Operand, Operand]] = {}

    def strip(self, ops: list[Op], tail: Tail) -> list[Op]:
        """The operations before those that only put together a stop flag."""
        if tail.kind != "loop" or not tail.stops:
            return ops
        n = len(ops)
        needed = [tail.operands[0]]
        while n and isinstance(op := ops[n - 1], Call) and op.fn is operator.or_ and any(op.result is o for o in needed) \
                and self.uses[op.result] == 1:
            self.either[op.result] = op.args[0], op.args[1]
            needed += op.args
            n -= 1
        return ops[:n]

    def swap(self, o: Operand, known: dict[Value, Operand]) -> Operand:
        """An operand of a tail, on a path on which some values are known."""
        if not isinstance(o, Value) or o in known:
            return known.get(o, o) if isinstance(o, Value) else o
        if o not in self.either:
            return o
        a, b = (self.swap(part, known) for part in self.either[o])
        for part, other in ((a, b), (b, a)):
            if isinstance(part, Lit) and isinstance(part.value, bool):
                return part if part.value else other
        made = Value(o.type)
        self.either[made] = a, b
        return made

    def computed(self, o: Operand) -> tuple[Seq, Operand]:
        """A stop flag that is not known, and what computes it."""
        if not isinstance(o, Value) or o not in self.either:
            return [], o
        (before, a), (more, b) = (self.computed(part) for part in self.either[o])
        op = Call(operator.or_, [a, b], results=[Value(o.type)])
        return [*before, *more, Do(op, evaluation_order(op))], op.result

    def parts(self, o: Operand) -> list[Operand]:
        """The flags that a stop flag is made of."""
        return [f for part in self.either[o] for f in self.parts(part)] if isinstance(o, Value) and o in self.either else [o]


def was_continue(op: If) -> bool:
    """Whether the user wrote the else block after the if statement, and so ended its block with ``continue``."""
    if op.loc is None or op.part != "primal" or not op.orelse.ops:
        return False
    first = op.orelse.ops[0].loc
    return first is not None and (first.file, first.col) == (op.loc.file, op.loc.col) and first.line > op.loc.line


def is_elif_chain(op: If) -> bool:
    """Whether the else block is an ``elif`` of the user's."""
    ops = op.orelse.ops
    return len(ops) == 1 and isinstance(ops[0], If) and ops[0].loc is not None and ops[0].loc.text.startswith("elif")
