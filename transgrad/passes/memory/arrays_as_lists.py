"""Keep arrays that a loop accesses element by element in lists of Python floats: loading an element takes a quarter of the time."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.build import Builder
from ...ir.effects import is_unknown, writes
from ...ir.ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    Invoke,
    Lit,
    Op,
    Operand,
    Try,
    Value,
    While,
    blocks_of,
    operands_of,
    walk,
)
from ...ir.prims import inplace_at, unpack
from ...ir.types import Arr, Dim, ListT, Num, Type
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..analysis.program_order import owners_in
from ..manager import Property, Stage, analysis, optimization
from ..rewriting.substitute import substitute_op
from ..switches import is_on
from .nested_items import read_by_rows

__all__ = ["keep_arrays_as_lists"]

_FLOAT = Num("float")
_FILLED = {np.zeros: 0.0, np.zeros_like: 0.0, np.ones: 1.0, np.ones_like: 1.0, np.empty: 0.0, np.empty_like: 0.0}
_SHAPED = (np.zeros, np.ones, np.empty)
_SHAPE = ("shape", "size", "ndim")
#: how long a dimension is at most for its elements to be in a list though a loop may read few of them
_NARROW = 8
_HOW = (operator.iadd, operator.isub, operator.imul)


@optimization(Stage.LOWER_NUMPY, "lists", requires=(Property.FINAL,), analyses=(AliasClasses, definitions))
def keep_arrays_as_lists(fn: Function) -> bool:
    """Rewrite a finished function in place, where its loops run over about as many elements as the arrays have."""
    if not any(isinstance(op, (For, While)) for op in fn.body.ops):
        return False
    if not any(map(_has_bound, owners_in(fn.body))) or any(isinstance(op, Try) for op in owners_in(fn.body)):
        return False
    state = _Lists(fn)
    found = [(v, place) for v in state.arrays() if (place := state.place(v)) is not None]
    if not found or not is_on("lists") or not is_on("scalars"):
        return False
    for v, (first, last) in reversed(found):        # those that are made like others first
        state.rewrite(v, first, last)
    if any(len(v.type.dims) > 1 for v, _ in found if isinstance(v.type, Arr)):
        read_by_rows(fn)
    fn.attrs.floats = True
    fn.attrs.add_guards(state.guards.values())
    return True


def _has_bound(op: Op) -> bool:
    """Whether an operation is a loop over a range whose end is not a literal."""
    return isinstance(op, For) and any(type(o) is Value for s in op.sources if s.kind == "range" for o in s.operands[:2])


class _Use:
    """The use of an array by an operation of the outermost block: by ``element`` (which it ``writes``, perhaps), or as a ``whole``
    (which it ``changes``, perhaps)."""

    __slots__ = ("changes", "element", "whole", "writes")

    def __init__(self) -> None:
        self.changes = self.element = self.whole = self.writes = False


class _Lists:
    """The arrays of a function's outermost block."""

    def __init__(self, fn: Function):
        self.fn = fn
        self.classes, self.ops = analysis(AliasClasses, fn), fn.body.ops
        self.makers: dict[Value, Op] = analysis(definitions, fn)
        self.names = {p.value: p.name for p in fn.signature if isinstance(p.value, Value)}
        shapes: dict[Any, tuple[int, ...]] = fn.attrs.shapes
        self.lengths = {v: (*shapes.get(name, ()), 0)[0] for v, name in self.names.items()}
        #: how long the dimensions of arguments are, and whose they are
        self.sizes = {d.sym: (n, self.names[v], k) for v in self.names if isinstance(v.type, Arr)
                      for k, (d, n) in enumerate(zip(v.type.dims, shapes.get(self.names[v], ()))) if d.sym is not None}
        self.guards: dict[tuple[str, Any], Guard] = {}
        #: the use of an array by each operation of the outermost block, and the loops around each that reads its elements
        self.uses: dict[Value, dict[int, _Use]] = {}
        self.loops: dict[Value, dict[tuple[int, ...], tuple[For | While, ...]]] = {}
        #: operations that were added to ask for the length of an array
        self.measuring: dict[Value, set[int]] = {}
        self.rows = self.unpacked_rows()
        for k, op in enumerate(fn.body.ops):
            self.visit(op, k, ())
        #: where the operations of the outermost block stand that make a value
        self.made_at = {v: k for k, op in enumerate(fn.body.ops) for v in op.results}
        self.members: dict[Any, list[Value]] = {}
        for v in [*fn.params, *self.makers, *(p for op in walk(fn.body) for b in blocks_of(op) for p in b.params)]:
            if isinstance(v.type, Arr) and not v.type.scalar:
                self.members.setdefault(self.classes.find(v), []).append(v)

    def arrays(self) -> list[Value]:
        """Those that nothing else refers to, of float64, in the order of their definition."""
        own = [*self.fn.params, *(v for op in self.fn.body.ops if type(op) is Call for v in op.results)]
        return [v for v in own if _is_array(v) and self.is_alone(v) and not (v in self.fn.params and self.classes.is_written(v))]

    def unpacked_rows(self) -> set[Value]:
        """Rows that are read to be unpacked, and for nothing else."""
        found = {op.result for op in self.makers.values() if isinstance(op, Call) and op.fn is operator.getitem and _is_row_of(op)}
        if found:
            for op in walk(self.fn.body):
                if not (isinstance(op, Call) and op.fn is unpack and all(r.type == _FLOAT for r in op.results)):
                    found.difference_update(operands_of(op))
                for block in blocks_of(op):
                    found.difference_update(block.yields)
            found.difference_update(self.fn.body.yields)
        return found

    def is_alone(self, v: Value) -> bool:
        """Whether nothing else refers to an array, but rows that are unpacked, and views that are made after its elements were read."""
        others = [m for m in self.members.get(self.classes.find(v), [None]) if m is not v and m not in self.rows]
        last = max((k for k, u in self.uses.get(v, {}).items() if u.element), default=-1)
        return all(m is not None and self.made_at.get(m, -1) > last >= 0 for m in others)

    def place(self, v: Value) -> tuple[Op, Op | None] | None:
        """The first operation that needs an array's elements and the last that changes one, if the elements can be in a list in between and
        that is profitable."""
        uses = self.uses.get(v, {})
        inside = [k for k, u in uses.items() if u.element]
        if not inside or not self.as_long(v):
            return None
        written = [k for k, u in uses.items() if u.writes]
        for k, u in uses.items():
            if u.whole and (written and written[0] <= k <= written[-1] or u.changes and inside[0] <= k <= inside[-1]):
                return None
        return self.fn.body.ops[inside[0]], self.fn.body.ops[written[-1]] if written else None

    def visit(self, op: Op, k: int, loops: tuple[For | While, ...]) -> None:
        """Record the uses of each array by an operation and its inner blocks; it is in the ``k``-th of the outermost block."""
        for v in {o for o in operands_of(op) if type(o) is Value and _is_array(o)}:
            found = self.uses.setdefault(v, {}).setdefault(k, _Use())
            kind = self.element(op, v)
            if kind is None:
                found.whole = True
                found.changes |= isinstance(op, (Invoke, CallValue)) or is_unknown(op) or any(w is v for w in writes(op))
            elif kind:
                found.element = True
                found.writes |= kind == "write"
                self.loops.setdefault(v, {})[tuple(map(id, loops))] = loops
        inner_loops = (*loops, op) if isinstance(op, (For, While)) else loops
        for block in blocks_of(op):
            for inner in block.ops:
                self.visit(inner, k, inner_loops)
            for y in block.yields:
                if type(y) is Value and _is_array(y):
                    found = self.uses.setdefault(y, {}).setdefault(k, _Use())
                    found.whole = found.changes = True

    def as_long(self, v: Value) -> bool:
        """Whether loops that read elements of an array run over about as many as it has."""
        return any(self.covers(v, loops) for loops in self.loops.get(v, {}).values())

    def covers(self, v: Value, loops: Sequence[For | While]) -> bool:
        """Whether loops in each other run over about as many elements as an array has."""
        ranges = [s.operands for loop in loops if isinstance(loop, For) for s in loop.sources if s.kind == "range"]
        bounds = [self.measured(o) for operands in ranges for o in operands[:2] if type(o) is Value]
        named = {o.type.dim.sym for operands in ranges for o in (*operands[:2], *bounds) if isinstance(o.type, Num) and o.type.dim}
        named |= {b.type.dims[0].sym for b in bounds if isinstance(b, Value) and isinstance(b.type, Arr) and b.type.dims}
        assert isinstance(v.type, Arr)
        first, *others = v.type.dims
        return (first.sym is not None and first.sym in named or any(self.comparable(v, b) for b in bounds)) and all(
            self.as_wide(d, named) for d in others)

    def as_wide(self, dim: Dim, named: set[Any]) -> bool:
        """Whether a further dimension is short, or as long as a loop; short ones of arguments are checked."""
        if dim.one or dim.sym is not None and dim.sym in named:
            return True
        if dim.known is not None:
            return dim.known <= _NARROW
        n, name, axis = self.sizes.get(dim.sym, (_NARROW + 1, "", 0))
        if n > _NARROW:
            return False
        self.guards[name, axis] = Guard("narrow", name, axis, _NARROW)
        return True

    def comparable(self, v: Value, bound: Any) -> bool:
        """Whether an array is about as long as a bound says; of two arguments, as far as these go, which then is checked."""
        own = self.model(v)
        if own is bound:
            return True
        a, b = self.lengths.get(own, 0), self.lengths.get(bound, 0)
        if not a or not b or a > 2 * b + 16:
            return False
        self.guards[self.names[own], self.names[bound]] = Guard("at most", self.names[own], self.names[bound], None)
        return True

    def measured(self, x: Any) -> Any:
        """The array whose length a number is, up to a small offset; the number itself if it is not a length."""
        for _ in range(4):
            made = self.makers.get(x) if type(x) is Value else None
            if isinstance(made, Call) and made.fn in (operator.add, operator.sub) and isinstance(made.args[1], Lit):
                x = made.args[0]
            elif isinstance(made, Call) and made.fn is len and isinstance(made.args[0].type, Arr):
                return self.model(made.args[0])
        return x

    def model(self, v: Any) -> Any:
        """The source of the length of an array: another array, or a number."""
        for _ in range(8):
            made = self.makers.get(v) if type(v) is Value else None
            if not isinstance(made, Call) or not made.args:
                return v
            if made.fn in (np.zeros_like, np.ones_like, np.empty_like, np.ndarray.copy, np.copy, np.array):
                v = made.args[0]
            elif made.fn in _SHAPED:
                shape = self.makers.get(made.args[0]) if type(made.args[0]) is Value else None
                return self.measured(shape.items[0] if isinstance(shape, Build) and shape.items else made.args[0])
            elif made.fn in (operator.mul, operator.add, operator.sub):
                arrays = [a for a in made.args if isinstance(a.type, Arr) and a.type.dims]
                if len(arrays) != 1:
                    return v
                v = arrays[0]
            else:
                return v
        return v

    def rewrite(self, v: Value, first: Op, last: Op | None) -> None:
        """Create the list before the operation ``first`` (instead of the array, if it has not been read before), and the array again
        after ``last`` for readers of the whole array."""
        ops, made = self.fn.body.ops, self.makers.get(v)
        uses = self.uses[v]
        assert isinstance(v.type, Arr)
        kind: Type = _FLOAT
        for _ in v.type.dims:
            kind = ListT(kind)
        flat = len(v.type.dims) == 1
        filled = None
        end = max(k for k, u in uses.items() if u.writes) if last is not None else -1
        if isinstance(made, Call) and last is not None and flat and uses[min(uses)].element and not any(
                u.whole for k, u in uses.items() if k < end):      # between two loops the array is read as a whole
            filled = self.filled(made)
        items = Value(kind, v.name if v.name is None or last is not None and flat else f"{v.name}_list")
        entry = Block()
        with Builder(entry) as b:
            loc = made if filled is not None and made is not None else first
            b.loc, b.part = loc.loc, made.part if made is not None else "primal"
            if filled is not None and isinstance(made, Call):
                size = made.args[0] if made.fn in _SHAPED else self.length(b, made)
                b.emit(Call(operator.mul, [b.build("list", [filled]), size], results=[items]))
            else:
                b.emit(Call(np.ndarray.tolist, [v], results=[items]))
        array: Operand = v
        whole = any(u.whole for k, u in uses.items() if k > end) or any(y is v for y in self.fn.body.yields)
        readers = {id(self.ops[k]) for k in uses} | self.measuring.get(v, set())
        out: list[Op] = []
        begun = False
        for op in ops:
            if op is made and filled is not None:
                out += entry.ops
                begun = True        # arrays made like it read its length before the first element is read
                continue
            if op is first and filled is None:
                out += entry.ops
            begun |= op is first
            if begun and id(op) in readers:
                self.replace(op, v, items, array)
            out.append(op)
            if op is last and whole:
                array = Value(v.type, v.name)
                part = op.part if made is None else made.part
                if flat:
                    out.append(Call(np.array, [items], results=[array], loc=op.loc, part=part))
                else:       # no rows, or rows of nothing, say nothing of the other dimensions
                    with Builder(Block([], out), part, op.loc) as b:
                        b.emit(Call(np.reshape, [b.call(np.array, items, type=v.type), b.attr(v, "shape")], results=[array]))
        self.fn.body.ops = out
        self.fn.body.yields = [array if y is v else y for y in self.fn.body.yields]

    def length(self, b: Builder, made: Call) -> Operand:
        """The length of an array that was made like another, which is then read for its length alone."""
        like = made.args[0]
        size: Operand = b.call(len, like, type=Num("int"))
        if like in self.uses:
            self.uses[like].pop(self.ops.index(made))
            self.measuring.setdefault(like, set()).add(id(b.block.ops[-1]))
        return size

    def filled(self, made: Call) -> float | None:
        """The fill value of a new array, if the array can be a list from the start."""
        if made.kwargs or len(made.args) != 1 or made.fn in _SHAPED and not isinstance(made.args[0].type, Num):
            return None
        return _FILLED.get(made.fn)

    def element(self, op: Op, v: Value) -> str | None:
        """'read' or 'write' for an operation on one element of an array, '' for one that only asks for its shape, None for any other."""
        assert isinstance(v.type, Arr)
        n = len(v.type.dims)
        if isinstance(op, GetAttr):
            return "" if n > 1 and op.name in _SHAPE else None      # the array is still there
        if not isinstance(op, Call) or op.kwargs or sum(o is v for o in operands_of(op)) != 1 or op.args[0] is not v:
            return None
        if op.fn is len:
            return ""
        if op.fn is operator.getitem and op.result in self.rows:
            return "read"
        if op.fn not in (operator.getitem, operator.setitem, inplace_at) or not self.is_place(op.args[1], n):
            return None
        if op.fn is operator.getitem:
            return "read" if op.result.type == _FLOAT else None
        value = op.args[2]
        plain = value.type == _FLOAT or isinstance(value, Lit) and type(value.value) is float
        return "write" if plain and (op.fn is operator.setitem or op.args[3].value in _HOW) else None

    def is_place(self, index: Any, n: int) -> bool:
        """Whether an index says one element of an array with ``n`` dimensions, each in a number of its own."""
        if n == 1:
            return isinstance(index.type, Num) and index.type.kind == "int"
        if isinstance(index, Lit):
            return isinstance(index.value, tuple) and len(index.value) == n and all(type(k) is int for k in index.value)
        made = self.makers.get(index)
        return isinstance(made, Build) and made.kind == "tuple" and len(made.items) == n and all(
            isinstance(i.type, Num) and i.type.kind == "int" for i in made.items)

    def replace(self, op: Op, v: Value, items: Value, array: Operand) -> None:
        """Let an operation use the list for elements, and the array otherwise."""
        if any(o is v for o in operands_of(op)):
            kind = self.element(op, v)
            if kind is not None and isinstance(op, Call):
                op.args[0] = items
                if op.results and op.result in self.rows:
                    op.result.type = ListT(_FLOAT)
            elif array is not v:
                substitute_op(op, {v: array})
        for block in blocks_of(op):
            for inner in block.ops:
                self.replace(inner, v, items, array)


def _is_row_of(op: Call) -> bool:
    """Whether a call reads a row of an array with two dimensions."""
    base, index = op.args
    return isinstance(base, Value) and _is_array(base) and len(base.type.dims) == 2 and isinstance(  # type: ignore[union-attr]
        index.type, Num) and index.type.kind == "int" and not isinstance(index, Lit)


def _is_array(v: Value) -> bool:
    return isinstance(v.type, Arr) and 0 < len(v.type.dims) <= 3 and v.type.dtype == "float64" and not v.type.scalar
