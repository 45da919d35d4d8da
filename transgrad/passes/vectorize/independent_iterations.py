"""Analysis: loops whose iterations are independent of each other, but for sums, lists that are appended to and rows that are stored.

Such a loop is a map over the rows of arrays, followed by reductions::

    for point in x:                          terms = [f(point) for point in x]
        total = total + f(point)             total = total + sum(terms)
        out.append(g(point))                 out += [g(point) for point in x]
"""
from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ir.effects import is_unknown, writes
from ...ir.ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Raise,
    SetAttr,
    Star,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions_in
from ..loops.distribution.iterations import Lengths, Turns, turns_of
from ..loops.distribution.plan import Sum
from ..memory.in_place_accumulation import collect_uses
from ..simplify.dce import has_no_effects

__all__ = ["Iterations", "Outcome", "independent_iterations", "is_float", "iterations_of"]

#: what computes the same of Python's numbers as of arrays of them, whatever they are
_ALIKE = frozenset((
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.lt, operator.le, operator.gt, operator.ge,
    operator.getitem, len, np.shape, np.ndim, np.size,
))


class Iterations:
    """The iterations of a loop: how many there are, and what its variables are in each.

    Attributes
    ----------
    turns : Turns
        Their number.
    rows : dict
        The array whose rows, one after the other, a loop variable is.
    starts : dict
        The first value of a loop variable that counts.
    same : set
        The dimensions of arguments that have to be as long as that which the iterations run through.
    """

    def __init__(self, turns: Turns, rows: dict[Value, Value], starts: dict[Value, int]):
        self.turns, self.rows, self.starts = turns, rows, starts
        self.same: set[Any] = set()

    def first_row(self, op: Op) -> tuple[Value, int] | None:
        """The array of which an operation reads one row in each iteration, in order, and the number of the first row."""
        if type(op) is not Call or op.fn is not operator.getitem or not isinstance(array := op.args[0], Value):
            return None
        first = self.first(array.type, op.args[1])
        return None if first is None else (array, first)

    def first(self, t: Any, index: Operand) -> int | None:
        """The number of the first of the rows that an index stands for in the iterations, if an array of type ``t`` has them all."""
        if not isinstance(t, Arr) or not t.dims or (first := self._offset(index)) is None or first < 0:
            return None
        d = t.dims[0]
        if d.sym != self.turns.unit:
            if not self._is_as_long(d.sym):
                return None
            self.same.add(d.sym)
        return first if first + self.turns.more <= d.off else None

    def _offset(self, index: Operand) -> int | None:
        for variable, start in self.starts.items():
            by = Turns(self.turns.lengths, self.turns.unit, self.turns.more, start, index=variable).offset(index)
            if by is not None:
                return start + by
        return None

    def _is_as_long(self, unit: Any) -> bool:
        """Whether another dimension of an argument is as long in the first call, and a guard can compare the two."""
        known = self.turns.lengths.known
        return all(_is_axis(u) for u in (unit, self.turns.unit)) and unit in known and known[unit] == known[self.turns.unit]


def _is_axis(unit: Any) -> bool:
    return isinstance(unit, tuple) and len(unit) == 2 and isinstance(unit[0], str) and type(unit[1]) is int


class Outcome:
    """What the iterations of a loop leave behind.

    Attributes
    ----------
    sums : list of Sum
        The sums that the loop carries.
    appended : list of (Call, Value, Value)
        The operation, a list, and what each iteration appends to it.
    stored : list of (Call, int, Value)
        The operation that stores a row, the number of the first row, and the row.
    """

    def __init__(self) -> None:
        self.sums: list[Sum] = []
        self.appended: list[tuple[Call, Value, Value]] = []
        self.stored: list[tuple[Call, int, Any]] = []

    @property
    def ops(self) -> list[Op]:
        """The operations that are not done in each iteration any more."""
        return [*(s.op for s in self.sums), *(op for op, _, _ in self.appended), *(op for op, _, _ in self.stored)]

    @property
    def values(self) -> list[Any]:
        """What each iteration computes for them."""
        return [*(s.term for s in self.sums), *(v for _, _, v in self.appended), *(v for _, _, v in self.stored)]


def iterations_of(loop: For, lengths: Lengths) -> Iterations | None:
    """The iterations of a loop over ranges and arrays that are equally long."""
    turns, rows, starts = None, dict[Value, Value](), dict[Value, int]()
    units = []
    for source, variable in zip(loop.sources, loop.body.params):
        if source.kind == "count" and not source.reverse and isinstance(start := source.operands[0], Lit) and type(start.value) is int:
            starts[variable] = start.value
            continue
        if source.kind == "items":
            return None
        one = For([source], [], Block(params=[variable]))
        found = turns_of(one, lengths)
        if found is None or turns is not None and found.more != turns.more:
            return None
        turns = turns or found
        units.append(found.unit)
        if found.array is not None:
            rows[variable] = found.array
        else:
            starts[variable] = found.start
    if turns is None or loop.stops:
        return None
    made = Iterations(turns, rows, starts)
    made.same.update(unit for unit in units if unit != turns.unit)
    return made if all(map(made._is_as_long, made.same)) else None


def independent_iterations(loop: For, iterations: Iterations, classes: AliasClasses) -> Outcome | None:
    """What a loop leaves behind, if no iteration reads what another one computes; None otherwise."""
    body = loop.body
    if not all(map(_only_computes, _inside(body))):
        return None
    found = Outcome()
    uses, makers = collect_uses(body.ops), definitions_in(body.ops)
    first = len(body.params) - len(loop.inits)
    for k, (p, y) in enumerate(zip(body.params[first:], body.yields)):
        op = makers.get(y) if isinstance(y, Value) else None
        if not isinstance(op, Call) or op.fn not in (operator.add, operator.sub) or op.args[0] is not p or op.args[1] is p:
            return None
        alone = len(uses.get(p, ())) == 1 and not uses.get(op.result) and body.yields.count(y) == 1 and p not in body.yields
        if not alone or not (is_float(op.args[1].type) and is_float(op.result.type)) or not _as_large(op.args[1].type, p.type):
            return None
        found.sums.append(Sum(k, op))
    inside = {*body.params}
    for op in walk(body):
        inside.update(op.results, *(b.params for b in blocks_of(op)))
    for op in body.ops:
        if type(op) is Call and op.fn is list.append and op.args[0] not in inside and isinstance(op.args[0], Value):
            if isinstance(v := op.args[1], Value) and is_float(v.type) and not classes.is_written(v):
                found.appended.append((op, op.args[0], v))
        elif type(op) is Call and op.fn is operator.setitem and op.args[0] not in inside and isinstance(op.args[0], Value):
            if (row := _stored_row(iterations, op)) is not None:
                found.stored.append((op, row, op.args[2]))
    gone = set(map(id, found.ops))
    changed = {root for op in walk(body) for root in classes.changed_by(op)}
    taken = [op.args[0] for op, *_ in (*found.appended, *found.stored)]
    if len({classes.find(v) for v in taken}) < len(taken):
        return None
    for op in walk(body):
        if id(op) not in gone and any(isinstance(o, Value) and o not in inside and classes.find(o) in changed for o in operands_of(op)):
            return None     # it reads what an iteration writes to
    if any(classes.find(v) in changed for v in (*iterations.rows, *iterations.rows.values())):
        return None
    return found if found.values and _computes_alike(body, set(body.params[:first]), gone) else None


def is_float(t: Any) -> bool:
    """Whether a value is an array of float64, or one of NumPy's numbers."""
    return isinstance(t, Arr) and t.dtype == "float64" and (bool(t.dims) or t.scalar)


def _as_large(term: Any, total: Any) -> bool:
    """Whether a term has the dimensions of its sum, so that neither is broadcast."""
    dims = getattr(total, "dims", ())
    return len(dims) == len(term.dims) and all(c.one is d.one is not None for c, d in zip(term.dims, dims))


def _stored_row(iterations: Iterations, op: Call) -> int | None:
    """The number of the first row that an operation stores in the iterations, one after the other."""
    array, index, value = op.args
    t = array.type
    if not isinstance(t, Arr) or t.dtype != "float64" or not t.dims or not is_float(value.type) or len(value.type.dims) != len(t.dims) - 1:
        return None
    if any(c.one is not d.one or c.one is None for c, d in zip(value.type.dims, t.dims[1:])):
        return None
    return iterations.first(t, index)


def _inside(block: Block, within: tuple[Function, ...] = ()) -> Iterator[Op]:
    """The operations of a block and of the functions that it calls."""
    for op in walk(block):
        yield op
        if isinstance(op, Invoke) and op.func not in within:
            yield from _inside(op.func.body, (*within, op.func))


def _only_computes(op: Op) -> bool:
    """Whether an operation neither raises, nor branches, nor has an effect but on its operands."""
    if isinstance(op, (If, While, Try, With, Raise, CallValue, SetAttr)) or is_unknown(op):
        return False
    if isinstance(op, For):
        return not op.stops
    return not isinstance(op, Invoke) or has_no_effects(op.func)


def _computes_alike(body: Block, variables: set[Value], gone: set[int]) -> bool:
    """Whether the operations compute the same of an array of all iterations as of the value of each: Python's numbers raise where arrays
    have infinities or NaN."""
    differ = set(variables)
    for op in walk(body):
        own = [o for o in (*operands_of(op), *(x.value for x in operands_of(op) if isinstance(x, Star))) if o in differ]
        inner = [p for b in blocks_of(op) for p in b.params]
        if not own:
            continue
        differ.update(op.results)
        differ.update(inner)
        if id(op) in gone:
            continue
        if type(op) is Call and (isinstance(op.fn, np.ufunc) or (getattr(op.fn, "__module__", None) or "").partition(".")[0] == "numpy"):
            if any(isinstance(o.type, Num) and o.type.kind != "int" for o in own) and not isinstance(op.fn, np.ufunc):
                return False
            continue
        if isinstance(op, Invoke):
            if not all(map(_is_of_numpy, _inside(op.func.body))):
                return False
        elif not _is_of_numpy(op):
            return False
    return True


def _is_of_numpy(op: Op) -> bool:
    """Whether an operation is one of NumPy's, or does the same to Python's numbers."""
    if isinstance(op, (Build, GetAttr, For, Invoke)):
        return True
    if type(op) is not Call:
        return False
    if op.fn in _ALIKE or op.fn in (list.append, operator.setitem):
        return True
    module = (getattr(op.fn, "__module__", None) or getattr(getattr(op.fn, "__objclass__", None), "__module__", None) or "")
    if module.partition(".")[0] == "numpy" or isinstance(op.fn, np.ufunc):
        return True
    # operators of arrays and of NumPy's numbers
    return module in ("operator", "_operator") and not writes(op) and any(isinstance(o.type, Arr) for o in op.args)

