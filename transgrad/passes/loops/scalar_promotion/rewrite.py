"""Carry array and list elements in scalar variables; loading and storing an element takes longer than arithmetic on it."""
from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.effects import is_unknown
from ....ir.ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    If,
    Lit,
    Op,
    Operand,
    Value,
    blocks_of,
    calls_of,
    operands_of,
    walk,
)
from ....ir.prims import inplace_at
from ....ir.types import Arr, ListT, Num, Type
from ...analysis.alias import AliasClasses
from ...analysis.def_use import definitions
from ...manager import Property, Stage, optimization
from ...rewriting.substitute import substitute_chains, substitute_op, uses_of
from ...switches import is_on
from .element_accesses import TOUCHES, Finder, Number, Place, Span
from .plan import Plan, is_last, make_plan, reads, writes

__all__ = ["promote_scalars"]

_FLOAT = Num("float")
_PLAIN = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul}
_FILLED = {np.zeros: 0.0, np.zeros_like: 0.0, np.ones: 1.0, np.ones_like: 1.0}


@optimization(Stage.LOWER_NUMPY, "carry", requires=(Property.FINAL,))
def promote_scalars(fn: Function, native: bool = False) -> bool:
    """Rewrite a finished function in place: lists of floats that stand for arrays or, for machine code, arrays themselves."""
    if any(isinstance(op, For) for op in fn.body.ops) and any(
            _has_elements(op.args[0], native) for op in calls_of(fn.body, *TOUCHES)) and is_on("carry"):
        _Carry(fn, native).block(fn.body)
    return True


class _Carry:
    def __init__(self, fn: Function, native: bool):
        self.fn, self.native = fn, native
        self.makers: dict[Value, Op] = definitions(fn)
        self.finder = Finder(self.makers)
        #: whether other code takes over if the generated code raises
        self.risky = bool(fn.attrs.floats) and not native
        self._members: dict[Any, list[Value]] | None = None

    def block(self, block: Block) -> None:
        """Rewrite the loops of a block, inner ones first."""
        for op in list(block.ops):
            span = self.finder.span(op) if isinstance(op, For) else None
            if span is not None and (least := self.finder.smallest(span.low)) is not None:
                self.finder.least[span.var] = least
            for inner in blocks_of(op):
                self.block(inner)
            if isinstance(op, For) and span is not None and not op.stops:
                self.loop(block, op, span)

    def loop(self, block: Block, loop: For, span: Span) -> None:
        """Rewrite one loop."""
        plans = []
        for root, touches in self.touched(loop, span).items():
            fill = self.fill(root, block, loop)
            plan = make_plan(touches, span, self.finder, fill, self.native) if self.is_alone(root) else None
            if plan is not None:
                plan.dead = {p for p in {p for op, p in touches if writes(op)} - plan.delayed if self.is_dead(plan, p, block, loop)}
                plans.append(plan)
        if plans:
            _Loop(self, block, loop, span, plans).rewrite()

    def touched(self, loop: For, span: Span) -> dict[Value, list[tuple[Call, Place]]]:
        """The elements that each iteration of a loop accesses, of lists and arrays without other uses in it."""
        inside = {*loop.body.params, *(v for op in walk(loop.body) for v in op.results)}
        if any(isinstance(op, CallValue) or is_unknown(op) for op in walk(loop.body)):
            return {}
        found: dict[Value, list[tuple[Call, Place]]] = {}
        others: set[Any] = set(loop.body.yields)
        rows: dict[Value, Value] = {}
        for op in loop.body.ops:
            others |= {o for b in blocks_of(op) for o in uses_of(b)}
            if not isinstance(op, Call) or op.fn not in TOUCHES or not _has_elements(op.args[0], self.native):
                if not (isinstance(op, Call) and op.fn is len):
                    others.update(operands_of(op))
                continue
            if isinstance(op.args[0].type, ListT) and isinstance(op.args[0].type.elem, ListT):
                rows[op.result] = op.args[0]
                if op.fn is not operator.getitem:
                    others.add(op.args[0])
                continue
            others.update(op.args[1:])
            place = self.finder.place(op)
            fixed = place is not None and all(n.base is None or n.base is span.var or n.base not in inside for n in place.path)
            if place is not None and fixed and place.root not in inside and _is_float(op):
                found.setdefault(place.root, []).append((op, place))
                row = self.makers.get(op.args[0])
                if place.root is not op.args[0] and isinstance(row, Call):
                    rows[op.args[0]] = place.root
            elif writes(op) or op.args[0] in self.makers:
                others.add(op.args[0])
        others |= {rows[o] for o in others if o in rows}
        return {root: touches for root, touches in found.items() if root not in others}

    def is_alone(self, root: Value) -> bool:
        """Whether nothing else refers to a list or an array, or to a row of it."""
        made = self.makers.get(root)
        if isinstance(root.type, ListT):
            display = self.makers.get(made.args[0]) if isinstance(made, Call) and made.fn is operator.mul else None
            if not isinstance(made, Call) or made.fn is not np.ndarray.tolist and not isinstance(display, Build):
                return False
        if made is None:
            return False
        if self._members is None:
            classes = AliasClasses(self.fn)
            self._members = {}
            for v in [*self.fn.params, *self.makers, *(p for op in walk(self.fn.body) for b in blocks_of(op) for p in b.params)]:
                if isinstance(v.type, (ListT, Arr)) and not (isinstance(v.type, Arr) and v.type.scalar):
                    self._members.setdefault(classes.find(v), []).append(v)
            self._classes = classes
        if self._members.get(self._classes.find(root)) != [root]:
            return False
        if isinstance(root.type, ListT) and isinstance(root.type.elem, ListT):
            for v in self._members.get(self._classes.find(self._classes.content(root)), []):
                row = self.makers.get(v)
                if not isinstance(row, Call) or row.fn is not operator.getitem or row.args[0] is not root:
                    return False
        return True

    def fill(self, root: Value, block: Block, loop: For) -> Operand | None:
        """The common initial value of all elements at the start of the loop."""
        made = self.makers.get(root)
        if not isinstance(made, Call) or not any(op is made for op in block.ops):
            return None
        if made.fn is operator.mul:
            display = self.makers.get(made.args[0])
            found = display.items[0] if isinstance(display, Build) and len(display.items) == 1 else None
        else:
            found = Lit(_FILLED[made.fn]) if made.fn in _FILLED and not made.kwargs and len(made.args) == 1 else None
        if not isinstance(found, Lit) or type(found.value) is not float:
            return None
        start = next(k for k, op in enumerate(block.ops) if op is made)
        for op in block.ops[start + 1:]:
            if op is loop:
                return found
            if root in operands_of(op) and not (isinstance(op, Call) and op.fn is len) or any(root in uses_of(b) for b in blocks_of(op)):
                break
        return None

    def is_dead(self, plan: Plan, place: Place, block: Block, loop: For) -> bool:
        """Whether the value that an iteration leaves in an element is dead, in the loop and after it."""
        root = plan.root
        made = self.makers.get(root)
        if not place.varies(plan.span.var) or not is_last(place, plan, self.finder) or len(place.path) > 1:
            return False
        if root in block.yields or not any(op is made for op in block.ops):
            return False
        start = next(k for k, op in enumerate(block.ops) if op is loop)
        for op in block.ops[start + 1:]:
            if any(root in uses_of(b) for b in blocks_of(op)):
                return False
            if root in operands_of(op) and not (isinstance(op, Call) and op.fn is len):
                if not isinstance(op, Call) or op.fn not in TOUCHES or op.args[0] is not root or root in op.args[1:]:
                    return False
                other = self.finder.place(op)
                if other is None or not self.finder.differ(other, place, plan.span):
                    return False
        return True


class _Loop:
    """One loop that is being rewritten."""

    def __init__(self, state: _Carry, block: Block, loop: For, span: Span, plans: list[Plan]):
        self.state, self.block, self.loop, self.span, self.plans = state, block, loop, span, plans
        self.plan_of = {place: plan for plan in plans for place in plan.active}
        self.known: dict[Place, Operand] = {}
        self.mapping: dict[Value, Operand] = {}
        self.rows = {place: op.args[0] for plan in plans for op, place in plan.touches}
        self.inside = {v for op in walk(loop.body) for v in op.results}
        self.unread: set[Any] = set()

    def rewrite(self) -> None:
        """Rewrite the loop, and the code before and after it."""
        before, after, final = Block(), Block(), Block()
        part, loc = self.loop.part, self.loop.loc
        carried = [(plan, place) for plan in self.plans for place in plan.carried]
        with Builder(before, part, loc) as b:
            runs = None if self.state.risky or not carried else self.runs(b)
            starts = [self.start(b, plan, place, runs) for plan, place in carried]
        params: list[Value] = []
        for plan, place in carried:
            params.append(Value(_element(plan.root), _name(place, self.span.var)))
            self.known[place] = params[-1]
        for plan in self.plans:
            self.known.update(dict.fromkeys(plan.filled, plan.fill))
        self.body()
        ends = [self.known[plan.before(place)] for plan, place in carried]
        results = [Value(p.type, p.name) for p in params]
        self.loop.inits += starts
        self.loop.body.params += params
        self.loop.body.yields += ends
        self.loop.results += results
        substitute_chains(self.loop.body, self.mapping)
        with Builder(after, part, loc) as b:
            for (plan, place), result in zip(carried, results):
                if plan.before(place) not in plan.delayed:
                    continue
                sure = self.state.risky and (plan.fill is not None or not place.varies(self.span.var))
                with b.inside(after if sure else final):
                    self.store(b, place, result, self.span.beyond)
            if final.ops:
                runs = self.runs(b)
                b.emit(If(runs, final, Block()))
        at = next(k for k, op in enumerate(self.block.ops) if op is self.loop)
        self.block.ops[at:at + 1] = [*before.ops, self.loop, *after.ops]
        self.drop_unread()
        for op in [*before.ops, *after.ops, *walk(self.loop.body)]:
            self.state.makers.update(dict.fromkeys(op.results, op))

    def body(self) -> None:
        """Rewrite the operations on elements."""
        places = {id(op): place for plan in self.plans for op, place in plan.touches if place in self.plan_of}
        #: how many writes to each are still to come
        left = Counter(place for plan in self.plans for op, place in plan.touches if writes(op))
        out = Block()
        for op in self.loop.body.ops:
            substitute_op(op, self.mapping)
            if id(op) not in places or not isinstance(op, Call):
                out.ops.append(op)
                continue
            place = places[id(op)]
            self.unread.update(op.args[:2])
            plan = self.plan_of[place]
            left[place] -= writes(op)
            with Builder(out, op.part, op.loc) as b:
                if reads(op) and place not in self.known:
                    name = _name(place, self.span.var) if plan.after(place) in plan.carried or plan.root.name is None else None
                    found = Value(_element(plan.root), op.results[0].name or name if op.fn is operator.getitem else name)
                    b.emit(Call(operator.getitem, op.args[:2], results=[found]))
                    self.known[place] = found
                if op.fn is operator.getitem:
                    self.mapping[op.result] = self.known[place]
                    continue
                value = self.mapping.get(op.args[2], op.args[2]) if isinstance(op.args[2], Value) else op.args[2]
                self.known[place] = value if op.fn is not inplace_at else _changed(b, op.args[3].value, self.known[place], value)
                if not left[place] and place not in plan.delayed and place not in plan.dead:
                    b.emit(Call(operator.setitem, [*op.args[:2], self.known[place]]))
        self.loop.body.ops = out.ops

    def start(self, b: Builder, plan: Plan, place: Place, runs: Operand | None) -> Operand:
        """The value of an element before the first iteration."""
        if plan.fill is not None:
            return plan.fill        # type: ignore[no-any-return]
        if place in plan.overwritten:
            return Lit(0.0)
        if runs is None:
            return self.load(b, place)
        then, result = Block(), Value(_element(plan.root), _name(place, self.span.var))
        with b.inside(then):
            then.yields = [self.load(b, place)]
        b.emit(If(runs, then, Block(yields=[Lit(0.0)]), results=[result]))
        return result

    def load(self, b: Builder, place: Place) -> Value:
        items, index = self.at(b, place, self.span.first)
        found: Value = b.call(operator.getitem, items, index, type=_element(place.root), name=_name(place, self.span.var))
        return found

    def store(self, b: Builder, place: Place, value: Operand, turn: tuple[Operand, int]) -> None:
        items, index = self.at(b, place, turn)
        b.emit(Call(operator.setitem, [items, index, value]))

    def at(self, b: Builder, place: Place, turn: tuple[Operand, int]) -> tuple[Operand, Operand]:
        """The list or array and the index of an element, outside of the loop: the loop variable is ``turn``."""
        items: Operand = place.root
        path = [_sum(b, turn[0], turn[1] + n.offset) if n.base is self.span.var else _sum(b, n.base, n.offset) for n in place.path]
        if isinstance(place.root.type, Arr):
            return items, path[0] if len(path) == 1 else b.build("tuple", path)
        row = self.rows.get(place)
        if len(path) > 1 and row is not None and row is not place.root and row not in self.inside:
            return row, path[-1]
        for k in path[:-1]:
            items = b.call(operator.getitem, items, k, type=place.root.type.elem)      # type: ignore[union-attr]
        return items, path[-1]

    def runs(self, b: Builder) -> Operand:
        """Whether the loop turns at all."""
        source = next(s for s in self.loop.sources if s.kind == "range")
        start, stop, step = source.operands
        less = isinstance(step, Lit) and step.value > 0
        found: Operand = b.call(operator.gt, stop, start, type=Num("bool")) if less else b.call(operator.gt, start, stop, type=Num("bool"))
        return found

    def drop_unread(self) -> None:
        """Remove indices and rows in the loop that nothing reads any more."""
        for _ in range(2):
            used = uses_of(self.loop.body)
            self.loop.body.ops = [op for op in self.loop.body.ops if not (
                op.results and all(v in self.unread and v not in used for v in op.results))]


def _has_elements(x: Any, native: bool) -> bool:
    """Whether something has elements that may be carried."""
    t: Type = x.type
    if native:
        return isinstance(t, Arr) and t.dtype == "float64" and 0 < len(t.dims) <= 3 and not t.scalar
    while isinstance(t, ListT):
        t = t.elem      # type: ignore[assignment]
    return isinstance(x.type, ListT) and t == _FLOAT


def _is_float(op: Call) -> bool:
    """Whether a number, and nothing but a float, is read or written."""
    if op.kwargs:
        return False
    if op.fn is operator.getitem:
        return _is_number(op.result)
    return _is_number(op.args[2]) and (op.fn is operator.setitem or op.args[3].value in _PLAIN)


def _is_number(x: Operand) -> bool:
    t = x.type
    return t == _FLOAT or isinstance(t, Arr) and t.dtype == "float64" and t.scalar


def _element(root: Value) -> Type:
    return _FLOAT if isinstance(root.type, ListT) else Arr("float64", (), scalar=True)


def _changed(b: Builder, how: Any, now: Operand, value: Operand) -> Operand:
    """The value of an element after ``element op= value``."""
    if isinstance(now, Lit) and now.value == 0.0 and how in (operator.iadd, operator.isub):
        if how is operator.iadd:
            return value
        return Lit(-value.value) if isinstance(value, Lit) else b.call(operator.neg, value)
    return b.call(_PLAIN[how], now, value)      # type: ignore[no-any-return]


def _sum(b: Builder, base: Operand | None, offset: int) -> Operand:
    if base is None or isinstance(base, Lit):
        return Lit((base.value if base is not None else 0) + offset)
    if not offset:
        return base
    return b.call(operator.add if offset > 0 else operator.sub, base, abs(offset), type=Num("int"))     # type: ignore[no-any-return]


def _name(place: Place, var: Value) -> str | None:
    """The name of an element, after its index."""
    parts = [place.root.name.removesuffix("_list") if place.root.name else None, *(_index_name(n, var) for n in place.path)]
    name = "_".join(p for p in parts if p is not None)
    return name if None not in parts and name.isidentifier() else None


def _index_name(n: Number, var: Value) -> str | None:
    if n.base is None:
        return str(n.offset)
    if n.base is var and abs(n.offset) == 1:
        return "before" if n.offset < 0 else "after"
    return n.base.name if n.offset == 0 else None
