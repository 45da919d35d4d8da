"""Which variables hold different values at the same time, and so need different names.

One walk backwards over the statement tree; sets of variables are the bits of integers.
"""
from __future__ import annotations

from ..ir.ops import Call, If, Op, Operand, Raise, Value, operands_of
from ..ir.types import Arr, DictT, ListT, SetT
from .nodes import Branch, Copy, Do, Exit, Guard, Loop, Node, Plan, Scope, Seq, Test, ends, inner, operands
from .operators import INPLACE
from .reads import nested_operands

__all__ = ["Interference", "same_object"]


def same_object(op: Op) -> bool:
    """Whether the result of an operation is its first argument itself, changed in place."""
    return (type(op) is Call and op.fn in INPLACE and isinstance(op.args[0], Value) and bool(op.results)
            and (isinstance(t := op.args[0].type, (ListT, DictT, SetT)) or (isinstance(t, Arr) and not t.scalar)))


class Interference:
    """The variables of a function in order of appearance (``variables``), and for each, as bits, those that it must not
    share a name with (``rows``)."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self._home, self._folded = plan.home, plan.folded
        self.variables: list[Value] = []
        self.bit: dict[Value, int] = {}
        self.rows: list[int] = []
        self._leaves: dict[Op, int] = {}
        self._summaries: dict[int, tuple[int, int]] = {}
        entry = 0
        for p in plan.fn.params:
            entry |= self._bit(p)
        self._enter(plan.seq)
        live = self._seq(plan.seq, 0, _Around())
        for p in plan.fn.params:
            self._assign(self._bit(p), live | entry)

    # -- variables as bits

    def _bit(self, v: Value) -> int:
        bit = self.bit.get(v)
        if bit is None:
            bit = self.bit[v] = 1 << len(self.variables)
            self.variables.append(v)
            self.rows.append(0)
        return bit

    def _enter(self, seq: Seq) -> None:
        """Numbers the variables in the order in which they are assigned."""
        home, folded = self._home, self._folded
        for node in seq:
            if type(node) is Do:
                for r in node.op.results:
                    if r not in folded:
                        self._bit(home.get(r, r))
                continue
            for v in _targets(self.plan, node):
                self._bit(v)
            for inside in inner(node):
                self._enter(inside)

    def _read(self, o: Operand) -> int:
        """The variables that the source of an operand reads."""
        if type(o) is not Value:
            return 0
        v = self._home.get(o, o)
        op = self._folded.get(v)
        return self._bit(v) if op is None else self._reads_of(op)

    def _reads_of(self, op: Op) -> int:
        known = self._leaves.get(op)
        if known is not None:
            return known
        home, folded, bit, bits = self._home, self._folded, self.bit, 0
        for o in operands_of(op):
            if type(o) is Value:
                v = home.get(o, o)
                inner = folded.get(v)
                bits |= self._reads_of(inner) if inner is not None else bit.get(v) or self._bit(v)
        if type(op) is If:
            for o in nested_operands(op):
                bits |= self._read(o)
        self._leaves[op] = bits
        return bits

    def _node_reads(self, node: Node) -> int:
        if type(node) is Do:
            return self._reads_of(node.op)
        bits = 0
        for o in operands(node):
            bits |= self._read(o)
        return bits

    def _assign(self, bit: int, live: int) -> None:
        """``bit`` gets a value while ``live`` hold theirs."""
        self.rows[bit.bit_length() - 1] |= live & ~bit

    # -- the walk

    def _seq(self, seq: Seq, live: int, around: "_Around") -> int:
        """Variables whose values are needed where the sequence starts; ``live`` are those needed at its end."""
        if ends(seq):
            live = 0
        folded, guard = self._folded, around.guard
        for node in reversed(seq):
            if type(node) is not Do:
                live = self._node(node, live, around)
            elif not node.op.results or node.op.results[0] not in folded:
                live = self._do(node.op, live, guard)
        return live

    def _node(self, node: Node, live: int, around: "_Around") -> int:
        match node:
            case Copy(pairs):
                targets = 0
                for target, _ in pairs:
                    targets |= self._bit(target)
                before = live & ~targets
                for t, src in pairs:
                    # after a plain copy both hold the same value, unless the source is assigned by the same copy
                    source = self._bit(self.plan.var(src)) if isinstance(src, Value) and self.plan.var(src) not in self.plan.folded else 0
                    self._assign(self._bit(t), (live | targets) & ~(source & ~targets))
                for _, src in pairs:
                    before |= self._read(src)
                return before | (around.guard if any(isinstance(s, Value) and s in self.plan.folded for _, s in pairs) else 0)
            case Branch(_, _, then, orelse):
                return self._seq(then, live, around) | self._seq(orelse, live, around) | self._node_reads(node) | around.guard
            case Loop():
                return self._loop(node, live, around)
            case Guard():
                return self._guard(node, live, around)
            case Scope(_, body):
                inside = self._seq(body, live, around.guarded(live))
                for p in node.op.body.params:
                    self._assign(self._bit(p), inside)
                    inside &= ~self._bit(p)
                return inside | live | self._node_reads(node) | around.guard
            case Test():
                return live | self._node_reads(node) | around.guard
            case Exit(kind):
                after = around.after if kind == "break" else around.header if kind == "continue" else 0
                return after | self._node_reads(node) | around.guard
        raise TypeError(node)

    def _do(self, op: Op, live: int, guard: int) -> int:
        if type(op) is Raise:
            return self._reads_of(op) | guard
        assigned = [self._bit(self._home.get(r, r)) for r in op.results]
        results = 0
        for bit in assigned:
            results |= bit
        others = live | results
        if type(op) is Call and op.fn in INPLACE and same_object(op) and self.plan.var(op.args[0]) not in self._folded:
            others &= ~self._bit(self.plan.var(op.args[0]))
        for bit in assigned:
            self._assign(bit, others)
        return live & ~results | self._reads_of(op) | guard

    def _loop(self, node: Loop, live: int, around: "_Around") -> int:
        items = 0
        for p in node.targets:
            items |= self._bit(p)
        header = live | (self._free_reads(node) & ~items)
        inside = around.loop(live, header | around.guard)
        start = self._seq(node.body, header | around.guard, inside)
        for p in node.targets:
            self._assign(self._bit(p), start | items)
        if node.cond is not None:
            start = self._seq(node.cond, live | start, inside)
        return (start & ~items) | header | self._node_reads(node) | around.guard

    def _free_reads(self, node: Loop) -> int:
        """The variables assigned before an iteration that it may read."""
        return self._loop_summary(node)[0]

    def _loop_summary(self, node: Loop) -> tuple[int, int]:
        found = self._summaries.get(id(node))
        if found is None:
            read, assigned = self._summary([*(node.cond or []), *node.body])
            carried = 0
            for p in node.op.body.params[len(node.targets):]:
                carried |= self._bit(p)
            for p in node.targets:
                assigned |= self._bit(p)
            found = self._summaries[id(node)] = read & ~(assigned & ~carried), assigned
        return found

    def _summary(self, seq: Seq) -> tuple[int, int]:
        """Variables read in a sequence, and those assigned."""
        read = assigned = 0
        for node in seq:
            if type(node) is Do and node.op.results and node.op.results[0] in self._folded:
                continue
            read |= self._node_reads(node)
            for v in _targets(self.plan, node):
                assigned |= self._bit(v)
            if isinstance(node, Loop):
                r, a = self._loop_summary(node)
                read, assigned = read | r, assigned | a
            else:
                for inside in inner(node):
                    r, a = self._summary(inside)
                    read, assigned = read | r, assigned | a
        return read, assigned

    def _guard(self, node: Guard, live: int, around: "_Around") -> int:
        after_all = self._seq(node.final, live, around) if node.final else live
        through = self._seq(node.final, 0, around) if node.final else 0        # every other exit leads through it, too
        around = around.guarded(through) if through else around
        caught = 0
        for handler, seq in node.handlers:
            start = self._seq(seq, after_all, around)
            for p in handler.body.params:
                self._assign(self._bit(p), start)
                start &= ~self._bit(p)
            caught |= start | (self._read(handler.classes) if handler.classes is not None else 0)
        body_end = self._seq(node.after, after_all, around) if node.after else after_all
        return self._seq(node.body, body_end, around.guarded(caught)) | caught | around.guard


class _Around:
    """The variables live at the targets of control flow: after the innermost loop, at its header, at the exception handler."""

    __slots__ = ("after", "guard", "header")

    def __init__(self, after: int = 0, header: int = 0, guard: int = 0):
        self.after, self.header, self.guard = after, header, guard

    def loop(self, after: int, header: int) -> "_Around":
        return _Around(after, header, self.guard)

    def guarded(self, guard: int) -> "_Around":
        return _Around(self.after | guard, self.header | guard, self.guard | guard)


def _targets(plan: Plan, node: Node) -> list[Value]:
    """The variables that a node itself assigns."""
    if type(node) is Do:
        home, folded = plan.home, plan.folded
        return [v for r in node.op.results if (v := home.get(r, r)) not in folded]
    match node:
        case Copy(pairs):
            return [target for target, _ in pairs]
        case Loop(_, targets):
            return targets
        case Scope(op):
            return op.body.params
        case Guard(op):
            return [p for h in op.handlers for p in h.body.params]
    return []
