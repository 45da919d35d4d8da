"""Which values are written inside the expression that uses them, instead of being assigned to a variable.

A value without a name that is read once, in the statement sequence that computes it, is folded, unless code
evaluated in between would observe it: evaluation moves down to the use, and never past a statement that writes memory that it
reads, rebinds a variable it mentions, or leaves the sequence.
"""
from __future__ import annotations

import operator
from collections.abc import Set
from dataclasses import dataclass

from ..ir.exceptions import raised_by
from ..ir.memory import NOTHING, Effect, Memory
from ..ir.ops import Call, If, Invoke, Lit, Op, Operand, Raise, Value, blocks_of
from ..ir.prims import inplace_at
from .conditional import is_expression
from .nodes import Branch, Copy, Do, Exit, Guard, Node, Plan, Seq, inner, operands
from .operators import BINARY, COMPARE, UNARY
from .reads import Reads, nested_operands

__all__ = ["fold"]

#: Statements written by passes are kept about this wide; the user's own stay as they are.
_WIDTH = 100
_NARROW = 24
_SYMBOLS = frozenset((*BINARY, *UNARY, *COMPARE, operator.getitem))
#: Expressions nest no deeper than this (Python's own parser and compiler have limits).
_DEPTH = 40
_NONE: frozenset[Value] = frozenset()


@dataclass(slots=True)
class _Tree:
    """An expression that waits for its user: the operations ``first`` … ``last`` of the sequence, in some part."""

    value: Value | None
    first: int
    last: int
    effect: Effect
    leaves: list[Value]
    width: int
    depth: int
    #: whether it may raise an exception
    raises: bool = False


def fold(plan: Plan, reads: Reads, memory: Memory, into_copies: set[Value]) -> None:
    """Fills ``plan.folded``; values in ``into_copies`` may be folded into the copy that reads them."""
    _Folder(plan, reads, memory, into_copies).visit(plan.seq)


class _Folder:
    def __init__(self, plan: Plan, reads: Reads, memory: Memory, into_copies: set[Value]):
        self.plan, self.reads, self.memory, self.into_copies = plan, reads, memory, into_copies
        self.branches: dict[int, Effect] = {}
        #: whether a handler sees what was written before an exception
        self.guarded = False

    def visit(self, seq: Seq) -> None:
        """Decides for a sequence, and for those inside it."""
        pinned: set[Value] = set()
        while True:
            found, folded = self.scan(seq, pinned)
            if not found:
                break
            pinned |= found
        self.plan.folded.update(folded)
        for node in seq:
            if type(node) is not Do:
                for inside in inner(node):
                    guarded, self.guarded = self.guarded, self.guarded or type(node) is Guard and inside is node.body
                    self.visit(inside)
                    self.guarded = guarded

    def candidate(self, op: Op, seq: Seq) -> Value | None:
        """The result of an operation that may be folded, were nothing in the way."""
        if not op.results or self.reads.count.get(v := op.results[0]) != 1:
            return None
        user, where = self.reads.user.get(v, (None, 0))
        if user is None or where != id(seq):
            return None
        if type(user) is Copy:
            if v not in self.into_copies or not self.memory.effect(op).inert:
                return None
        elif v.name is not None:
            return None
        return v if is_expression(op) or type(op) is If else None

    def scan(self, seq: Seq, pinned: set[Value]) -> tuple[set[Value], dict[Value, Op]]:
        """One pass: the values that turn out not to be foldable, and those folded."""
        waiting: dict[Value, _Tree] = {}
        found: set[Value] = set()
        folded: dict[Value, Op] = {}
        for k, node in enumerate(seq):
            op, order = (node.op, node.order) if type(node) is Do else (None, operands(node))
            consumed = [waiting.pop(o) for o in order if o in waiting] if waiting else []
            v = self.candidate(op, seq) if op is not None else None
            if v in pinned:
                v = None
            if v is None and not consumed:
                if waiting:
                    found |= self.crossed(node, self.effect(node), waiting)
                continue
            if len(consumed) > 1:
                found |= self.disordered(consumed)
            tree = self.tree(k, node, order, consumed)
            if consumed and op is not None:
                found |= self.unwieldy(op, tree, consumed)
            if v is not None and op is not None:
                tree.value = v
                waiting[v] = tree
                folded[v] = op
            elif waiting:
                found |= self.crossed(node, tree.effect, waiting)
        return found | set(waiting), folded

    def effect(self, node: Node) -> Effect:
        """The effects of a node, without those of the nodes folded into it."""
        if type(node) is Do:
            return self.memory.effect(node.op)
        if isinstance(node, Branch):        # its operation may be a loop that precedes it
            if id(node) not in self.branches:
                found = NOTHING
                for inside in (*node.then, *node.orelse):
                    found |= self.effect(inside)
                self.branches[id(node)] = found
            return self.branches[id(node)]
        op: Op | None = getattr(node, "op", None)
        return NOTHING if op is None else self.memory.effect(op)

    def tree(self, k: int, node: Node, inside: list[Operand], consumed: list[_Tree]) -> _Tree:
        """The expression or statement of a node with its operands and the nodes folded into it."""
        home = self.plan.home
        if type(node) is Do:
            op: Op | None = node.op
            effect = self.memory.effect(node.op)
            if type(op) is If:
                inside = [*inside, *nested_operands(op)]
        else:
            op = None if type(node) is Branch else getattr(node, "op", None)
            effect = self.effect(node)
        width = _own_width(op) + 3 * len(inside)
        gone = [t.value for t in consumed] if consumed else ()
        leaves: list[Value] = []
        for o in inside:
            if type(o) is Value and o not in gone:
                v = home.get(o, o)
                leaves.append(v)
                width += len(v.name) if v.name else 1
        first, depth = k, 0
        raises = self.guarded and op is not None and (bool(blocks_of(op)) or bool(raised_by(op)))
        for t in consumed:
            raises = raises or t.raises
            effect |= t.effect
            leaves += t.leaves
            width += t.width
            if t.first < first:
                first = t.first
            if t.depth > depth:
                depth = t.depth
        return _Tree(None, first, k, effect, leaves, width, depth + 1, raises)

    def disordered(self, consumed: list[_Tree]) -> set[Value]:
        """Of operands that are evaluated in another order than they were computed in, those that must come first."""
        out: set[Value] = set()
        for j, right in enumerate(consumed):
            for left in consumed[:j]:
                if left.last > right.first and left.effect.conflicts(right.effect):
                    early = right if left.last > right.last else left
                    assert early.value is not None
                    out.add(early.value)
        return out

    def unwieldy(self, op: Op, tree: _Tree, consumed: list[_Tree]) -> set[Value]:
        """Operands that are too large to be written inside this operation, or that it must not evaluate last."""
        out: set[Value] = set()
        if isinstance(op, Call) and op.fn is inplace_at:
            # x[i] += v looks at x[i] before it evaluates v
            out |= {t.value for t in consumed if t.value is op.args[2] and not t.effect.inert and t.value is not None}
        if tree.depth > _DEPTH:
            out |= {t.value for t in consumed if t.depth == tree.depth - 1 and t.value is not None}
        if tree.width > _WIDTH and op.part != "primal" and consumed:
            widest = max(consumed, key=lambda t: t.width)
            if widest.width > _NARROW and widest.value is not None:
                out.add(widest.value)
        return out

    def crossed(self, node: Node, effect: Effect, waiting: dict[Value, _Tree]) -> set[Value]:
        """Values that wait for a user below ``node``, but must be computed above it."""
        if type(node) is not Do and any(leaves_sequence(s) for s in inner(node)):
            return set(waiting)
        variables, names = self.assigned(node)
        if effect is NOTHING and not variables and not names:
            return set()
        acts, hint = not effect.inert, self.plan.hint
        return {v for v, t in waiting.items() if acts and t.raises or (acts or not t.effect.inert) and t.effect.conflicts(effect)
                or variables and not variables.isdisjoint(t.leaves) or names and not names.isdisjoint(map(hint, t.leaves))}

    def assigned(self, node: Node) -> tuple[Set[Value], set[str]]:
        """Variables that a node assigns and that may have been read before, and the names of all that it assigns."""
        hint = self.plan.hint
        if type(node) is Do:        # no node above reads its results
            return _NONE, {n for r in node.op.results if (n := hint(r)) is not None}
        variables: set[Value] = set()
        todo: Seq = [node]
        while todo:
            node = todo.pop()
            if isinstance(node, Do):
                variables.update(map(self.plan.var, node.op.results))
            elif isinstance(node, Copy):
                variables.update(target for target, _ in node.pairs)
            variables.update(getattr(node, "targets", ()))
            for seq in inner(node):
                todo += seq
        return variables, {n for v in variables if (n := hint(v)) is not None}


def leaves_sequence(seq: Seq) -> bool:
    """Whether a sequence may end early: by an exit or by an exception that is raised there."""
    for node in seq:
        if isinstance(node, Exit) or isinstance(getattr(node, "op", None), Raise):
            return True
        if any(leaves_sequence(s) for s in inner(node)):
            return True
    return False


def _own_width(op: Op | None) -> int:
    """Roughly how wide an operation is without its operands."""
    if type(op) is Call:
        width = 0 if op.fn in _SYMBOLS else len(op.spelling or str(getattr(op.fn, "__name__", "f"))) + 3
        for a in op.args:
            if type(a) is Lit:
                width += 4
        return width
    if isinstance(op, Invoke):
        return len(op.func.name)
    return 2
