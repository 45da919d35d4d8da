"""Analysis: the operations of a loop that can be distributed before it or after it."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.ops import Call, For, Lit, Op, Operand, Value, operands_of, walk
from ....ir.types import Arr, Num
from ...analysis.alias import AliasClasses
from ...analysis.def_use import definitions_in
from ...analysis.elementwise import kind_of, operations_of
from ...memory.in_place_accumulation import collect_uses
from .iterations import Turns

__all__ = ["Plan", "Sum", "emit_sum"]

_REDUCE = frozenset((np.sum, np.max, np.amax, np.min, np.amin, np.mean, np.ndarray.sum, np.ndarray.max, np.ndarray.min, np.ndarray.mean))
_PRODUCTS = frozenset((operator.matmul, np.matmul, np.dot, np.ndarray.dot))
#: the cost of saving a value in each iteration and reading it back, in operations; and the minimum number of operations to save
_KEEP, _WORTH = 2, 3


class Sum:
    """A number or an array to which each iteration adds a term: its position among the loop-carried values, the addition, the term."""

    def __init__(self, place: int, op: Call):
        self.place, self.op = place, op
        self.term: Any = op.args[1]
        #: what no turn does any more
        self.gone: list[Op] = [op]


def emit_sum(b: Builder, s: Sum, init: Operand, terms: Any) -> Call:
    """Emit the sum of an initial value and of the terms of all iterations, along the first axis; return the last operation."""
    b.loc = s.op.loc
    t, varied = s.op.result.type, s.op.result.varied
    axis: dict[str, Operand] = {"axis": Lit(0)} if isinstance(t, Arr) and t.dims else {}
    end = Call(np.sum, [terms], axis, results=[Value(t, varied=varied)])
    b.emit(end)
    if s.op.fn is not operator.add or not isinstance(init, Lit) or init.value != 0.0:
        end = Call(s.op.fn, [init, end.result], results=[Value(t, varied=varied)])
        b.emit(end)
    return end


class Plan:
    """The operations of a loop that are computed before it, and those computed after it.

    Attributes
    ----------
    sums : list of Sum
        The accumulations moved after the loop.
    behind, ahead : list of Op
        The operations moved there, for all iterations, in order.
    kept : list of Value
        The values of each iteration used after the loop.
    shared : list of Value
        The values computed before the loop that are used after it.
    handed : list of Value
        The values computed before the loop that its iterations use.
    """

    def __init__(self, loop: For, turns: Turns, classes: AliasClasses):
        self.loop, self.turns = loop, turns
        self.changed = {root for op in walk(loop.body) for root in classes.changed_by(op)}
        self.classes = classes
        self.ops = loop.body.ops
        self.inside = {*loop.body.params, *(v for op in self.ops for v in op.results)}
        self.uses = collect_uses(self.ops)
        self.yielded = set(loop.body.yields)
        self.makers = definitions_in(self.ops)
        self.sums = self.find_sums()
        self.behind = self.find_behind()
        self.sums = [s for s in self.sums if s.term in {op.result for op in self.behind}]
        for s in self.sums:
            self.add_up_at_once(s)
        self.kept: list[Any] = [v for v in dict.fromkeys(o for op in self.behind for o in self.read_by(op)) if self.is_kept(v)]
        if not self.sums or self.saved(self.behind) + len(self.sums) - _KEEP * len(self.kept) < _WORTH:
            self.sums, self.behind, self.kept = [], [], []
        self.ahead = self.find_ahead()
        self.shared = [v for v in self.kept if _is_among(self.makers.get(v), self.ahead)]
        self.kept = [v for v in self.kept if v not in self.shared]
        gone = {id(op) for op in (*self.behind, *(op for s in self.sums for op in s.gone))}
        self.handed = [op.result for op in self.ahead if op.result in self.yielded or any(
            id(user) not in gone and not _is_among(user, self.ahead) for user in self.uses.get(op.result, ()))]

    def is_worth(self) -> bool:
        """Whether the plan is profitable: operations leave the loop, or all of it does.

        A loop that only accumulates terms, some of which cannot be computed for all iterations at once, is reversed term by term.
        """
        gone = set(map(id, (*self.behind, *self.ahead, *(op for s in self.sums for op in s.gone))))
        if self.behind and not self.ahead and not self.kept and all(id(op) in gone for op in self.ops):
            return len(self.loop.inits) == len(self.sums) and not self.changed
        return bool(self.behind or self.ahead) and len(self.loop.inits) + len(self.changed) > len(self.sums) and any(
            id(op) not in gone for op in self.ops)

    # behind

    def find_sums(self) -> list[Sum]:
        """The sums that a loop carries and reads for nothing else."""
        first = len(self.loop.body.params) - len(self.loop.inits)
        found = []
        for k, (p, y) in enumerate(zip(self.loop.body.params[first:], self.loop.body.yields)):
            op = self.makers.get(y) if isinstance(y, Value) else None
            if not isinstance(op, Call) or op.fn not in (operator.add, operator.sub) or op.args[0] is not p or op.args[1] is p:
                continue
            alone = len(self.uses.get(p, ())) == 1 and not self.uses.get(op.result) and self.loop.body.yields.count(y) == 1
            if alone and p not in self.yielded and _are_alike(p.type, op.args[1].type) and _are_alike(p.type, op.result.type):
                found.append(Sum(k, op))
        return found

    def find_behind(self) -> list[Op]:
        """The operations whose results are read by each other and by the sums alone."""
        adds = {id(s.op) for s in self.sums}
        found: set[int] = set()
        for op in reversed(self.ops):
            if self.may_move(op) and op.result not in self.yielded and (users := self.uses.get(op.result)) and all(
                    id(user) in found or id(user) in adds for user in users):
                found.add(id(op))
        while True:
            bad = {id(op) for op in self.ops if id(op) in found and (
                not all(self.is_there(o, found) for o in self.read_by(op))
                or any(id(user) not in found and id(user) not in adds for user in self.uses[op.result]))}
            if not bad:
                return [op for op in self.ops if id(op) in found]
            found -= bad

    def add_up_at_once(self, s: Sum) -> None:
        """Has a sum of sums be one."""
        op = self.makers[s.term]
        if isinstance(op, Call) and op.fn in (np.sum, np.ndarray.sum) and not op.kwargs and len(self.uses[s.term]) == 1 and _is_among(
                self.makers.get(op.args[0]), self.behind):
            s.term = op.args[0]
            s.gone.append(op)
            self.behind = [o for o in self.behind if o is not op]

    def read_by(self, op: Op) -> list[Operand]:
        """What an operation reads; of one that reads a row, only the array."""
        return operands_of(op)[:1] if self.turns.first_row(op) is not None else operands_of(op)

    def is_there(self, o: Operand, found: set[int]) -> bool:
        """Whether an operand is available after the loop: it is loop-invariant, or can be saved in each iteration."""
        if not isinstance(o, Value) or o not in self.inside:
            return not isinstance(o, Value) or self.classes.find(o) not in self.changed
        made = self.makers.get(o)
        if made is not None and id(made) in found or o is self.turns.row:
            return self.turns.row is not o or self.classes.find(o) not in self.changed
        if made is None and o is self.turns.index:
            return False
        return _is_float(o.type) and not self.classes.is_written(o) and self.is_alike(o, found)

    def is_alike(self, v: Value, found: set[int]) -> bool:
        """Whether a value has the same length in each iteration."""
        assert isinstance(v.type, Arr)
        if all(d.one or self.turns.lengths.of_dim(d) is not None for d in v.type.dims):
            return True
        if len(v.type.dims) != 1 or v.type.dims[0].one is not False:
            return False
        for op in self.uses.get(v, ()):     # or NumPy would refuse to compute with it and something that is
            if id(op) in found and v in operands_of(op) and kind_of(op) is not None:
                for t in (o.type for o in operands_of(op)):
                    if isinstance(t, Arr) and len(t.dims) == 1 and t.dims[0].one is False and self.turns.lengths.of_dim(t.dims[0]):
                        return True
        return False

    def is_kept(self, v: Any) -> bool:
        """Whether an operation after the loop uses a value that is only known in its iterations."""
        return v in self.inside and v is not self.turns.row and not _is_among(self.makers.get(v), self.behind)

    # ahead

    def find_ahead(self) -> list[Op]:
        """The operations that read only rows of arrays and each other, if they compute more than is passed to the iterations."""
        gone = {id(op) for op in (*self.behind, *(op for s in self.sums for op in s.gone))}
        found: dict[Value, Op] = {}
        for op in self.ops:
            if id(op) in gone or not self.may_move(op):
                continue
            row = self.turns.first_row(op) is not None
            own = [o for o in operands_of(op) if o in self.inside]
            if row or all(o in found or o is self.turns.row for o in own):
                if all(not isinstance(o, Value) or o in self.inside or self.classes.find(o) not in self.changed for o in operands_of(op)):
                    found[op.result] = op
        while True:     # values that are only read, or loop-invariant, need not be computed before the loop
            needless = [v for v, op in found.items() if not self.differs(op, found) and not any(
                _is_among(user, list(found.values())) for user in self.uses.get(v, ()))]
            if not needless:
                break
            for v in needless:
                del found[v]
        differing = {v for v, op in found.items() if self.differs(op, found) or self.turns.first_row(op) is not None}
        ops = list(found.values())
        handed = [op for op in ops if op.result in self.yielded or any(
            id(user) not in gone and not _is_among(user, ops) for user in self.uses.get(op.result, ()))]
        if any(op.result not in differing for op in handed):
            return []
        return ops if self.saved(ops) >= len(handed) and handed else []

    def differs(self, op: Op, found: dict[Value, Op]) -> bool:
        """Whether an operand is a loop-variant value that is computed, not only read."""
        if self.turns.first_row(op) is not None:
            return False
        return any(o is self.turns.row or o in found and (
            self.turns.first_row(found[o]) is not None or self.differs(found[o], found)) for o in operands_of(op) if isinstance(o, Value))

    # both

    def may_move(self, op: Op) -> bool:
        """Whether an operation has no effects, and can be computed for all iterations at once."""
        if len(op.results) != 1 or not _is_float(op.result.type) or self.classes.is_written(op.result):
            return False
        if kind_of(op) is not None:
            return all(isinstance(o, Lit) and isinstance(o.type, Num) or _is_float(o.type) for o in operands_of(op))
        if not isinstance(op, Call):
            return False
        if op.fn is operator.getitem:
            if self.turns.first_row(op) is not None:
                return self.classes.find(op.args[0]) not in self.changed
            return isinstance(op.args[0].type, Arr) and isinstance(op.args[1], Lit) and type(op.args[1].value) is int
        if op.fn in _REDUCE:
            return isinstance(op.args[0].type, Arr) and len(op.args) == 1 and not op.kwargs.keys() - {"axis"} and all(
                isinstance(v, Lit) for v in op.kwargs.values())
        return op.fn in _PRODUCTS and not op.kwargs and all(isinstance(a.type, Arr) and 1 <= len(a.type.dims) <= 2 for a in op.args)

    def saved(self, ops: list[Op]) -> int:
        """The number of operations saved in each iteration: those with loop-variant operands."""
        own: set[Any] = set()
        count = 0
        for op in ops:
            if self.turns.first_row(op) is not None:
                own.add(op.result)
            elif any(o in self.inside and (o in own or not _is_among(self.makers.get(o), ops)) for o in operands_of(op)):
                own.add(op.result)
                count += operations_of(op)
        return count


def _is_float(t: Any) -> bool:
    """Whether a value is an array of float64, or one of NumPy's numbers."""
    return isinstance(t, Arr) and t.dtype == "float64" and (bool(t.dims) or t.scalar)


def _are_alike(a: Any, b: Any) -> bool:
    """Whether values of two types can be added without broadcasting."""
    return _is_float(a) and _is_float(b) and len(a.dims) == len(b.dims) and all(c.one is d.one is not None for c, d in zip(a.dims, b.dims))


def _is_among(op: Any, ops: list[Op]) -> bool:
    return op is not None and any(o is op for o in ops)
