"""From blocks to the statement tree: carried values become copies, stop flags become ``break`` and ``return`` again."""
from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from ..ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Raise, Tree, Try, Value, While, With, blocks_of, walk
from ..ir.prims import present
from .conditional import is_conditional_expression
from .exits import Flags, Tail, Through, Unresolved, is_elif_chain, was_continue
from .nodes import Branch, Copy, Do, Exit, Guard, Loop, Plan, Scope, Seq, Test, ends, evaluation_order
from .uses import Uses

__all__ = ["structure"]


#: Names of results that are returned.
_FRONT_END = frozenset(("result",))


def structure(fn: Function) -> Plan:
    """The statement tree of a function."""
    plan = Plan(fn, [], {}, {})
    plan.seq = _Structure(plan).function()
    return plan


def leaves(tree: Tree) -> list[int]:
    """Positions of the flat results in the order in which the returned structure is written."""
    return [tree.index] if tree.kind == "leaf" else [i for item in tree.items for i in leaves(item)]


class _Structure:
    def __init__(self, plan: Plan):
        self.plan = plan
        self.fn = plan.fn
        self.order = leaves(plan.fn.returns)
        #: The ends of each loop's body: the values carried on, whether control may go on, and the copies made of them.
        self.ends: dict[int, list[tuple[list[Operand], bool, Seq]]] = {}
        self.uses = Uses(plan.fn)
        self.flags = Flags(self.uses)
        #: results of calls, which may be folded into their reads
        self.computed: set[Value] = set()

    @cached_property
    def unwritten(self) -> frozenset[str]:
        """Names that the front end gave to returned values, in contrast to the user's variables."""
        return _FRONT_END - _assigned_names(self.fn)

    def function(self) -> Seq:
        """The body, ending in a return."""
        return self.ops(self.fn.body.ops, Tail("return", self.fn.body.yields))

    def block(self, block: Block, tail: Tail) -> Seq:
        """The operations of a block, and what its end does."""
        return self.ops(block.ops, tail)

    def ops(self, ops: list[Op], tail: Tail) -> Seq:
        """Operations in order, then the tail."""
        out: Seq = []
        ops = self.flags.strip(ops, tail)
        for k, op in enumerate(ops):
            if type(op) is Call:
                if op.fn is present and isinstance(v := op.args[0], Value) and v not in self.computed:
                    self.plan.home[op.result] = self.plan.var(v)
                else:
                    out.append(Do(op, evaluation_order(op)))
                    self.computed.update(op.results)
                continue
            match op:
                case Raise():
                    return [*out, Do(op, evaluation_order(op))]
                case If() if is_conditional_expression(op, self.uses) and not self.is_stop(op, tail):
                    out.append(Do(op, evaluation_order(op)))
                case If() | With() | Try():
                    pushed = k == len(ops) - 1 and self.pushes(op, tail)
                    out += self.compound(op, tail if pushed else None)
                    if pushed or ends(out):
                        return out
                case For() | While():
                    rest = self.through(op, ops[k + 1:], tail)
                    if rest is not None:
                        return out + rest
                    out += self.loop(op, None)
                    if ends(out):
                        return out
                case _:
                    out.append(Do(op, evaluation_order(op)))
        return out + self.finish(tail)

    # -- tails

    def within(self, tail: Tail, op: Op, block: Block) -> Tail:
        """A tail seen from a block of the last operation before it."""
        known = dict(zip(op.results, block.yields))
        return replace(tail, operands=[self.flags.swap(o, known) for o in tail.operands])

    def finish(self, tail: Tail) -> Seq:
        """What stands at the end of a block."""
        if tail.kind == "return":
            return [Exit("return", tail.operands, [tail.operands[i] for i in self.order])]
        if tail.kind == "join":
            return self.copies(tail.targets, tail.operands, tail.op)
        if not tail.stops:
            copies = self.copies(tail.targets, tail.operands, tail.op)
            self.ends.setdefault(id(tail.op), []).append((tail.operands, True, copies))
            return copies
        stop, values = tail.operands[0], tail.operands[1:]
        if tail.through is not None:
            flag = values[tail.flag]
            if not isinstance(stop, Lit) or not isinstance(flag, Lit) and self.plan.var(flag) is not tail.targets[tail.flag]:
                raise Unresolved
            if stop.value is True and isinstance(flag, Lit) and flag.value is True:
                return self.leave(tail.through, values)
            if isinstance(flag, Lit) and flag.value is True:
                raise Unresolved
            values = [tail.targets[k] if k == tail.flag else v for k, v in enumerate(values)]
        copies = self.copies(tail.targets, values, tail.op)
        self.ends.setdefault(id(tail.op), []).append((values, not (isinstance(stop, Lit) and stop.value is True), copies))
        if isinstance(stop, Lit):
            return [*copies, Exit("break")] if stop.value else copies
        assert isinstance(tail.op, (For, While))
        before, stop = self.flags.computed(stop)
        return [*before, *copies, Branch(tail.op, stop, [Exit("break")], [])]

    def leave(self, through: Through, values: list[Operand]) -> Seq:
        """A return from inside a loop: the code after the loop that runs if its flag is set."""
        known = dict(zip(through.loop.results, values))
        outer = through.tail
        if through.branch is not None:
            outer = self.within(outer, through.branch, through.branch.then)
        outer = replace(outer, operands=[self.flags.swap(o, known) for o in outer.operands])
        if outer.kind == "return" or (outer.kind == "loop" and outer.stops and outer.through is not None):
            out = self.finish(outer)
            if len(out) == 1 and isinstance(out[0], Exit) and out[0].kind == "return":
                return out
        raise Unresolved

    def copies(self, targets: list[Value], values: list[Operand], op: Op | None) -> Seq:
        """One parallel assignment of the targets that anyone reads."""
        assert op is not None
        pairs = [(t, v) for t, v in zip(targets, values) if not (isinstance(v, Value) and self.plan.var(v) is t)]
        return [Copy(pairs, op.part)] if pairs else []

    def is_stop(self, op: If, tail: Tail) -> bool:
        """Whether a branch decides that the loop around it stops."""
        return tail.kind == "loop" and tail.stops and any(f is r for f in self.flags.parts(tail.operands[0]) for r in op.results)

    def pushes(self, op: If | With | Try, tail: Tail) -> bool:
        """Whether the tail is better written at the end of each block of its last operation."""
        if tail.kind == "loop":
            stops = tail.stops and any(f is r for f in self.flags.parts(tail.operands[0]) for r in op.results)
            return stops or isinstance(op, If) and was_continue(op)
        if tail.kind == "return":
            returned = [o for o in tail.operands if any(o is r for r in op.results)]
            return any(isinstance(o, Value) and (o.name is None or o.name in self.unwritten) for o in returned)
        return False

    # -- compound statements

    def compound(self, op: If | With | Try, tail: Tail | None) -> Seq:
        """A branch, with or try statement; ``tail`` follows in each of its blocks, if it is not None."""
        def end(block: Block) -> Tail:
            return Tail("join", block.yields, op, op.results) if tail is None else self.within(tail, op, block)

        if isinstance(op, If):
            then, orelse = self.block(op.then, end(op.then)), self.block(op.orelse, end(op.orelse))
            return self.branch(op, then, orelse, tail)
        if isinstance(op, With):
            return [Scope(op, self.block(op.body, end(op.body)))]
        guarded, rest = op.clauses()
        if rest:
            body, after = self.ops(guarded, Tail("join", [], op)), self.ops(rest, end(op.body))
        else:
            body, after = self.ops(guarded, end(op.body)), []
        handlers = [(h, self.block(h.body, end(h.body))) for h in op.handlers]
        final = self.block(op.final, Tail("join", [], op)) if op.final is not None else []
        return [Guard(op, body, after, handlers, final)]

    def branch(self, op: If, then: Seq, orelse: Seq, tail: Tail | None) -> Seq:
        """An if statement; the code after a block that always exits is not nested in an else."""
        if ends(then):
            return [Branch(op, op.cond, then, []), *orelse] if not is_elif_chain(op) else [Branch(op, op.cond, then, orelse)]
        if ends(orelse):
            return [Branch(op, op.cond, orelse, [], negated=True), *then]
        if tail is not None and tail.kind == "loop" and orelse and was_continue(op):
            return [Branch(op, op.cond, [*then, Exit("continue")], []), *orelse]
        if not then:
            return [Branch(op, op.cond, orelse, [], negated=True)] if orelse else [Branch(op, op.cond, [], [])]
        return [Branch(op, op.cond, then, orelse)]

    # -- loops

    def through(self, op: For | While, rest: list[Op], tail: Tail) -> Seq | None:
        """A loop that is left by ``return``: its body returns, and the code after it is not nested in a test of its flag."""
        if not op.stops:
            return None
        if not rest:
            branch, flags = None, self.flags.parts(tail.operands[0]) if tail.kind == "loop" and tail.stops else []
        elif len(rest) == 1 and isinstance(rest[0], If) and not rest[0].then.ops and self.uses[rest[0].cond] == 1:
            branch, flags = rest[0], [rest[0].cond]
        else:
            return None
        at = next((k for k, r in enumerate(op.results) if any(r is f for f in flags)), -1)
        if at < 0 or getattr(op.inits[at], "value", None) is not False:
            return None
        self.ends.pop(id(op), None)
        try:
            out = self.loop(op, Tail("loop", [], flag=at, through=Through(op, branch, tail)))
        except Unresolved:
            self.ends.pop(id(op), None)
            return None
        if ends(out):
            return out
        if branch is not None:
            return out + self.block(branch.orelse, self.within(tail, branch, branch.orelse))
        known: dict[Value, Operand] = {op.results[at]: Lit(False)}
        return out + self.finish(replace(tail, operands=[self.flags.swap(o, known) for o in tail.operands]))

    def loop(self, op: For | While, tail: Tail | None) -> Seq:
        """The copies before a loop, and the loop."""
        n = len(op.body.params) - len(op.inits)
        targets, carried = op.body.params[:n], op.body.params[n:]
        same = [op.results, op.cond.params] if isinstance(op, While) else [op.results]
        for k, p in enumerate(carried):
            for other in (values[k] for values in same):
                self.plan.home[other] = p
            name = next((v.name for v in (p, *(values[k] for values in same)) if v.name), None)
            if name is not None:
                self.plan.hints[p] = name
        flag, through = (tail.flag, tail.through) if tail is not None else (-1, None)
        inits: list[Operand] = [carried[k] if k == flag else o for k, o in enumerate(op.inits)]
        before = self.copies(carried, inits, op)
        cond: Seq | None = None
        if isinstance(op, While):
            cond = [*self.ops(op.cond.ops, Tail("join", [], op)), Test(op.cond.yields[0])]
        body = self.block(op.body, Tail("loop", op.body.yields, op, carried, op.stops, flag, through))
        self.drop_constants(op, carried)
        return [*before, Loop(op, targets, body, cond)]

    def drop_constants(self, op: For | While, carried: list[Value]) -> None:
        """Remove copies of the value that a variable already holds: a flag that is False until the loop exits."""
        found = self.ends.pop(id(op), [])
        for k, (p, init) in enumerate(zip(carried, op.inits)):
            if not isinstance(init, Lit) or not (init.value is None or type(init.value) in (bool, int, str)):
                continue

            def is_init(v: Operand, init: Lit = init) -> bool:
                return isinstance(v, Lit) and type(v.value) is type(init.value) and v.value == init.value

            kept = (values[k] for values, goes_on, _ in found if goes_on)
            if all(is_init(v) or isinstance(v, Value) and self.plan.var(v) is p for v in kept):
                for _, _, copies in found:
                    for node in copies:
                        if isinstance(node, Copy):
                            node.pairs[:] = [(t, v) for t, v in node.pairs if not (t is p and is_init(v))]


def _assigned_names(fn: Function) -> set[str]:
    """Names of values that an operation computes, in contrast to results that a branch or loop passes on."""
    return {r.name for op in walk(fn.body) if type(op) is Call or not blocks_of(op) for r in op.results if r.name is not None} | {
        p.name for p in fn.params if p.name is not None}
