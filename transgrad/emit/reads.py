"""Counts, for each variable of a statement tree, how often it is read and by which node; drops copies to variables that nothing reads."""
from __future__ import annotations

from collections.abc import Iterator

from ..ir.ops import If, Op, Operand, Value, blocks_of
from .nodes import Copy, Do, Node, Plan, Seq, evaluation_order, inner, operands

__all__ = ["Reads", "nested_operands", "text_reads"]


def nested_operands(op: Op) -> Iterator[Operand]:
    """The reads in the arms of a conditional expression (``a and b`` reads ``a`` once)."""
    for block in blocks_of(op):
        for inside in block.ops:
            yield from evaluation_order(inside)
            yield from nested_operands(inside)
        for y in block.yields:
            if not isinstance(op, If) or y is not op.cond:
                yield y


class Reads:
    """How often each variable is read (``count``) and the last node that reads it (``user``); as a side effect, operations
    are entered in ``plan.defs`` and the arms of conditional expressions in ``plan.folded``."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.count: dict[Value, int] = {}
        #: The node that reads a variable directly (not from an arm of a conditional expression), and its sequence.
        self.user: dict[Value, tuple[Node, int]] = {}
        self._copies: dict[Value, list[Copy]] = {}
        self._visit(plan.seq)
        self._prune()

    def _visit(self, seq: Seq) -> None:
        count, home, defs, where = self.count, self.plan.home, self.plan.defs, id(seq)
        for node in seq:
            for o in node.order if type(node) is Do else operands(node):
                if type(o) is Value:
                    v = home.get(o, o)
                    count[v] = count.get(v, 0) + 1
                    self.user[v] = node, where
            if type(node) is Do:
                for r in node.op.results:
                    defs[r] = node.op
                if type(node.op) is If:
                    self._define_arms(node.op)
                continue
            if isinstance(node, Copy):
                for target, _ in node.pairs:
                    known = self._copies.setdefault(target, [])
                    if node not in known:
                        known.append(node)
            for inside in inner(node):
                self._visit(inside)

    def _define_arms(self, op: If) -> None:
        for o in nested_operands(op):
            if isinstance(o, Value):
                v = self.plan.var(o)
                self.count[v] = self.count.get(v, 0) + 1
                self.user.pop(v, None)
        for block in blocks_of(op):
            self._fold(block.ops)

    def _fold(self, ops: list[Op]) -> None:
        for op in ops:
            self.plan.folded[op.result] = self.plan.defs[op.result] = op
            for block in blocks_of(op):
                self._fold(block.ops)

    def _prune(self) -> None:
        """Remove copies to variables that nothing reads, and those that this leaves without readers."""
        todo = [v for v in self._copies if not self.count.get(v)]
        while todo:
            target = todo.pop()
            for copy in self._copies[target]:
                for pair in [p for p in copy.pairs if p[0] is target]:
                    copy.pairs.remove(pair)
                    if isinstance(pair[1], Value):
                        v = self.plan.var(pair[1])
                        self.count[v] -= 1
                        if not self.count[v] and v in self._copies:
                            todo.append(v)
        _sweep(self.plan.seq)


def _sweep(seq: Seq) -> None:
    """Take out copies of nothing."""
    for node in seq:
        if type(node) is not Do:
            for inside in inner(node):
                _sweep(inside)
    seq[:] = [n for n in seq if type(n) is not Copy or n.pairs]


def text_reads(plan: Plan, o: Operand) -> Iterator[Value]:
    """The values whose variables the source of an operand mentions."""
    if not isinstance(o, Value):
        return
    op = plan.folded.get(o)
    if op is None:
        yield o
        return
    for inside in (*evaluation_order(op), *nested_operands(op)):
        yield from text_reads(plan, inside)
