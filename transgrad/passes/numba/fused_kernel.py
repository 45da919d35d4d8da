"""Generate a function for a fusion group: a loop over the elements that keeps intermediate values in registers."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Param, Raise, Source, Tree, Value, walk
from ...ir.types import Arr, Num, TupleT
from ...runtime import borrowed, fold_back, room_for, stretched
from ...runtime.numba import elementary, places, selection
from ...runtime.numba.selection import select
from ..scalarize.functions.elementwise import TURNING, cast, dtype_of, scalar_call
from ..simplify.dce import eliminate_dead_code
from .fusion_group import Group, Member, Reduction, Sink, is_stretched, operands_of_member
from .reciprocals import divide_once
from .stencil_gather import gather

__all__ = ["Kernel", "write_kernel"]

_MISMATCH = "operands could not be broadcast together"


def write_kernel(group: Group, name: str, precise: bool, parallel: bool = False) -> Function:
    """The function of a group: it takes the group's inputs and returns its outputs, and, unless it is ``precise``, whether an
    angle was too large for it."""
    writer = Kernel(group, precise, parallel)
    fn = Function(name, Block(list(writer.params.values())))
    fn.body.ops, fn.body.yields = writer.write()
    fn.signature = [Param(v.name or "x", v) for v in fn.body.params]
    leaves = [Tree("leaf", index=k) for k in range(len(fn.body.yields))]
    fn.returns = leaves[0] if len(leaves) == 1 else Tree("tuple", leaves)
    if not leaves:
        fn.returns = Tree("lit", value=None)
    fn.attrs.native = fn.attrs.emit = fn.attrs.kernel = True
    divide_once(fn)
    for op in walk(fn.body):        # a loop has no statements of its own to quote
        op.part = "primal"
    eliminate_dead_code(fn)
    fn.loc = next((m.loc if isinstance(m, Call) else m.op.loc for m in group.members), None)
    return fn


class Kernel:
    """Writes the loops of one group."""

    def __init__(self, group: Group, precise: bool, parallel: bool):
        self.group, self.precise, self.parallel = group, precise, parallel
        self.n = len(group.dims)
        self.params = {v: Value(v.type, v.name or "x") for v in group.inputs()}
        self.lengths: list[Operand] = []
        #: the inputs whose elements are accessed (others only provide the arrays of which they are parts)
        self.elements = {o for m in group.members for o in operands_of_member(m) if isinstance(o, Value)} | set(group.into.values())
        #: the arrays that receive un-broadcast sums, and the arrays whose shapes they have
        self.folds = {m.target: m.like for m in group.members if isinstance(m, Sink) and m.like is not None}
        targets = {m.target for m in group.members if isinstance(m, Sink) and m.like is None}
        self.stretched = [v for v in group.operands() if v in self.elements and v not in targets and isinstance(v.type, Arr) and (
            v in self.folds or group.stretches(v))]
        #: where the parts of larger arrays begin
        self.starts: dict[Value, list[Operand]] = {}
        #: replacements of inputs in the kernel: the input itself, unless broadcasting may stretch it
        self.arrays: dict[Value, Operand] = dict(self.params)
        #: rows and columns, as the array and where in it they are
        self.rows: dict[Value, tuple[Value, list[Operand | None]]] = {}
        #: arrays of results, by the value that they hold the elements of
        self.held: dict[Value, Operand] = {}
        self.sums = [m for m in group.members if isinstance(m, Reduction)]
        self.watches = group.turns and not precise

    def write(self) -> tuple[list[Op], list[Operand]]:
        """The operations and the results."""
        block = Block()
        with Builder(block, part="primal") as b:
            self._measure(b)
            folded = self._stretch(b)
            self.held.update((v, self.params[array]) for v, array in self.group.into.items())
            for m in self.sums:
                if m.extremum:
                    self._refuse_empty(b, m)
            for v in self.group.outputs:
                if not any(v in m.op.results for m in self.sums):
                    assert isinstance(v.type, Arr)
                    self.held[v] = self._new(b, np.empty, self.lengths, v)
            for m in self.sums:
                if self._first_summed(m) is None or self._first_summed(m):
                    kept = [Lit(1) if k in m.axes else n for k, n in enumerate(self.lengths) if m.keepdims or k not in m.axes]
                    self.held[m.op.result] = self._new(b, np.zeros, kept, m.op.result)
                    if m.extremum:
                        b.call(operator.setitem, self.held[m.op.result], Ellipsis if len(kept) > 1 else slice(None), self._start(m))
            if self.group.gathered:
                gather(self, b)
            totals = {} if self.group.gathered else self._loop(
                b, 0, [], {}, {m: self._start(m) for m in self._carried()}, self.group.members)
            for target in folded:
                b.call(fold_back, self.params[target], self.arrays[target])
            yields = [self._finished(b, v, totals) for v in self.group.outputs]
        if self.watches:
            with Builder(block, part="primal") as b:
                yields.append(b.call(operator.gt, totals["far"], 0, type=Num("bool")) if self.parallel else totals["far"])
        return block.ops, yields

    # -- shapes

    def _new(self, b: Builder, make: Any, lengths: list[Operand], v: Value) -> Operand:
        assert isinstance(v.type, Arr)
        shape: Any = lengths[0] if len(lengths) == 1 else b.build("tuple", lengths)
        dtype = [] if v.type.dtype == "float64" else [Lit(np.dtype(v.type.dtype).type)]
        return b.call(make, shape, *dtype, type=v.type, name=v.name or "out")  # type: ignore[no-any-return]

    def _measure(self, b: Builder) -> None:
        """Find the lengths, and has arrays of other lengths refused, and rows that are not there."""
        self._find_parts(b)
        for v, (base, starts) in self.group.bases.items():
            self.starts[v] = [Lit(s) if s >= 0 else b.call(max, b.call(operator.add, self._length(b, base, k), s, type=Num("int")), 0,
                                                           type=Num("int")) for k, s in enumerate(starts)]
        for k, dim in enumerate(self.group.dims):
            if dim.one:
                self.lengths.append(Lit(1))
                continue
            found = [(v, at) for v in self.arrays if v in self.elements and (at := self._axis(v, k)) is not None
                     and not (v in self.stretched and self._stretches(v, at))]
            (first, axis), *rest = found
            n = self._length(b, first, axis)
            for v, at in rest:
                if not _surely_equal(first.type, axis, v.type, at):
                    self._check(b, n, self._length(b, v, at))
            self.lengths.append(n)

    def _find_parts(self, b: Builder) -> None:
        """Index rows and columns directly; create views of other parts."""
        known: dict[tuple[Value, int, Operand], Operand] = {}

        def place(base: Value, k: int, i: Operand) -> Operand:
            if (base, k, i) not in known:
                given = self.params[i] if isinstance(i, Value) else i
                known[base, k, i] = b.call(places.place, given, self._length(b, base, k), type=Num("int"), name=getattr(i, "name", None))
            return known[base, k, i]

        def is_place(i: Operand | None) -> bool:
            return i is not None and isinstance(i.type, Num)

        for v, (base, index) in self.group.parts.items():
            at = [place(base, k, i) if i is not None and is_place(i) else i for k, i in enumerate(index)]
            if v in self.elements and not self.group.stretches(v) and v not in self.folds and all(i is None or is_place(i) for i in index):
                self.rows[v] = base, at
                self.arrays[v] = self.params[base]
                continue
            whole = b.call(borrowed, self.params[base], type=base.type)
            at = [Lit(slice(None)) if i is None else self.params.get(i, i) if isinstance(i, Value) else i for i in at]
            self.arrays[v] = self.params[v] = b.call(operator.getitem, whole, _tuple(b, at), type=v.type, name=v.name)

    def _stretch(self, b: Builder) -> list[Value]:
        """Extend arrays that broadcasting may stretch to the size of the loops, and sum the adjoints added to them."""
        for v in self.stretched:
            start = self.n - len(v.type.dims)  # type: ignore[union-attr]
            shape = b.build("tuple", [Lit(1) if d.one else self.lengths[start + k] for k, d in enumerate(v.type.dims)])  # type: ignore[union-attr]
            like = self.folds.get(v)
            self.arrays[v] = b.call(stretched, self.params[v], shape, type=v.type, name=v.name) if like is None else b.call(
                room_for, self.params[v], self.params[like], shape, type=v.type, name=v.name)  # type: ignore[index]
        return list(self.folds)

    def _stretches(self, v: Value, axis: int) -> bool:
        t = v.type
        assert isinstance(t, Arr)
        return is_stretched(t.dims[axis], self.group.dims[self.n - len(t.dims) + axis])

    def _axis(self, v: Value, k: int) -> int | None:
        """The dimension of an array that runs along dimension ``k`` of the loops."""
        if not isinstance(v.type, Arr):
            return None
        axis = k - (self.n - len(v.type.dims))
        return axis if axis >= 0 and not v.type.dims[axis].one else None

    def _length(self, b: Builder, v: Value, axis: int) -> Operand:
        if v in self.rows:
            v, index = self.rows[v]
            axis = [k for k, i in enumerate(index) if i is None][axis]
        t = v.type
        assert isinstance(t, Arr)
        if len(t.dims) == 1:
            return b.call(len, self.params[v], type=Num("int"), name="n")  # type: ignore[no-any-return]
        shape = b.attr(self.params[v], "shape", TupleT(tuple(Num("int") for _ in t.dims)))
        return b.call(operator.getitem, shape, axis, type=Num("int"), name="n")  # type: ignore[no-any-return]

    def _check(self, b: Builder, n: Operand, m: Operand) -> None:
        op = If(b.call(operator.ne, n, m, type=Num("bool")), Block(), Block())
        with b.inside(op.then):
            b.emit(Raise(b.call(ValueError, _MISMATCH)))
        b.emit(op)

    def _refuse_empty(self, b: Builder, m: Reduction) -> None:
        for k in m.axes:
            op = If(b.call(operator.eq, self.lengths[k], 0, type=Num("bool")), Block(), Block())
            with b.inside(op.then):
                b.emit(Raise(b.call(ValueError, f"zero-size array to reduction operation {m.extremum} which has no identity")))
            b.emit(op)

    # -- sums

    def _first_summed(self, m: Reduction) -> int | None:
        """The loop in which a sum is carried as a number: the one that contains all summed axes; None if there is none."""
        first = min(m.axes)
        return first if set(m.axes) == set(range(first, self.n)) and not self.parallel or set(m.axes) == set(range(self.n)) else None

    def _carried(self) -> list[Any]:
        return [m for m in self.sums if self._first_summed(m) == 0] + (["far"] if self.watches else [])

    def _start(self, m: Any) -> Operand:
        if m == "far":
            return Lit(0 if self.parallel else False)
        dtype = self._dtype(m)
        if m.extremum:
            return Lit(-math.inf if m.extremum == "maximum" else math.inf)
        return Lit(0.0 if dtype == "float64" else 0 if dtype == "int64" else 0j)

    def _dtype(self, m: Reduction) -> str:
        """The dtype in which a sum is carried."""
        dtype = str(dtype_of(m.op.result))
        return {"float32": "float64", "complex64": "complex128", "int32": "int64", "bool": "int64"}.get(dtype, dtype)

    def _finished(self, b: Builder, v: Value, totals: dict[Any, Operand]) -> Operand:
        m = next((m for m in self.sums if v in m.op.results), None)
        if m is None or m not in totals:
            out = self.held[v]
            if m is not None and m.mean:
                b.call(operator.itruediv, out, self._count(b, m), type=v.type)
            return out
        total = totals[m]
        if m.mean:
            total = b.call(operator.truediv, total, self._count(b, m), type=Arr(self._dtype(m), (), scalar=True))
        if isinstance(v.type, Arr) and v.type.dims:     # keepdims
            self.held[v] = self._new(b, np.empty, [Lit(1)] * len(v.type.dims), v)
            b.call(operator.setitem, self.held[v], (0,) * len(v.type.dims) if len(v.type.dims) > 1 else 0, total)
            return self.held[v]
        return cast(b, total, str(dtype_of(v)))

    def _count(self, b: Builder, m: Reduction) -> Operand:
        out: Any = self.lengths[m.axes[0]]
        for k in m.axes[1:]:
            out = b.call(operator.mul, out, self.lengths[k], type=Num("int"))
        return out  # type: ignore[no-any-return]

    # -- loops

    def _loop(self, b: Builder, k: int, index: list[Value], read: dict[Any, Operand], carried: dict[Any, Operand],
              members: list[Member]) -> dict[Any, Operand]:
        """The loop over dimension ``k`` and its body; returns its loop-carried values, at its end."""
        if k == self.n:
            return self.element(b, index, read, carried, members)
        if k == self.n - 1 and len(self.group.lines) > 1 and members is self.group.members:
            for line in self.group.lines:       # which carry nothing
                self._loop(b, k, index, read, carried, line)
            return carried
        i = Value(Num("int"), "ijklmn"[k] if k < 6 else "i")
        params = {m: Value(Arr(self._dtype(m), (), scalar=True) if m != "far" else self._start(m).type, _name(m)) for m in carried}
        body = Block([i, *params.values()])
        with b.inside(body):
            index = [*index, i]
            read = dict(read)
            for v in self.arrays:
                if v not in read and v in self.elements and self._last_loop(v) == k and (
                        k < self.n - 1 or not self.group.lines or any(v in operands_of_member(m) for m in members)):
                    read[v] = self._read(b, self.arrays[v], v, index)
            inner: dict[Any, Operand] = dict(params)
            starting = [m for m in self.sums if self._first_summed(m) == k + 1]
            inner.update({m: self._start(m) for m in starting})
            after = self._loop(b, k + 1, index, read, inner, members)
            for m in starting:
                place = self._place(m, index + [Lit(0)] * (self.n - k - 1))
                b.call(operator.setitem, self.held[m.op.result], _tuple(b, place), cast(b, after[m], str(dtype_of(m.op.result))))
        body.yields = [after[m] for m in carried]
        results = {m: Value(p.type, p.name) for m, p in params.items()}
        kind = "prange" if self.parallel and k == 0 else "range"
        b.emit(For([Source(kind, [Lit(0), self.lengths[k], Lit(1)])], list(carried.values()), body, results=list(results.values())))
        return dict(results)

    def _last_loop(self, v: Value) -> int | None:
        """The innermost loop on which the element of an input depends; None for numbers, and for the targets of sinks."""
        if not isinstance(v.type, Arr) or not v.type.dims or any(isinstance(m, Sink) and m.target is v for m in self.group.members):
            return None
        if v in self.group.into.values():
            return None
        return next((k for k in range(self.n - 1, -1, -1) if self._axis(v, k) is not None), 0)

    def _read(self, b: Builder, p: Operand, v: Value, index: list[Any]) -> Operand:
        t = v.type
        assert isinstance(t, Arr)
        array, place = self.at(b, p, v, index)
        return b.call(operator.getitem, array, place, type=Arr(t.dtype, (), scalar=True))  # type: ignore[no-any-return]

    def at(self, b: Builder, p: Operand, v: Value, index: list[Any]) -> tuple[Operand, Any]:
        """Where the element of an input is: an array, and the index into it."""
        t = v.type
        assert isinstance(t, Arr)
        place = self._index(t, index)
        if v in self.rows:
            own = iter(place)
            return p, _tuple(b, [next(own) if i is None else i for i in self.rows[v][1]])
        if v not in self.starts:
            return p, _tuple(b, place)
        shifted = [i if isinstance(s, Lit) and s.value == 0 else b.call(operator.add, i, s, type=Num("int"))
                   for i, s in zip(place, self.starts[v])]
        return self.params[self.group.bases[v][0]], _tuple(b, shifted)

    def _index(self, t: Arr, index: list[Any]) -> list[Any]:
        start = self.n - len(t.dims)
        return [Lit(0) if d.one else index[start + k] for k, d in enumerate(t.dims)]

    def _place(self, m: Reduction, index: list[Any]) -> list[Any]:
        return [Lit(0) if k in m.axes else i for k, i in enumerate(index) if m.keepdims or k not in m.axes]

    def element(self, b: Builder, index: list[Any], read: dict[Any, Operand], carried: dict[Any, Operand],
                 members: list[Member]) -> dict[Any, Operand]:
        """The operations for one element."""
        values: dict[Any, Operand] = dict(read)
        after = dict(carried)
        watched: list[Operand] = []

        for m in members:
            by = m if isinstance(m, Call) else m.op
            b.loc, b.part = by.loc, by.part
            if isinstance(m, Call):
                if self.watches and m.fn in TURNING and (angle := self.value(b, m.args[0], values, index)) not in watched:
                    watched.append(angle)
                    after["far"] = self._far(b, angle, after["far"])
                out = values[m.result] = self.computed(b, m, values, index)
                if m.result in self.held:
                    b.call(operator.setitem, self.held[m.result], _tuple(b, index), out)
            elif isinstance(m, Sink):
                t = m.target.type
                assert isinstance(t, Arr)
                new = cast(b, self.value(b, m.value, values, index), t.dtype)
                if m.target in values:      # computed by this loop
                    if m.fn is not None:
                        new = b.call(m.fn, values[m.target], new, type=Arr(t.dtype, (), scalar=True))
                    values[m.target] = new
                    if m.target in self.held:
                        b.call(operator.setitem, self.held[m.target], _tuple(b, index), new)
                    continue
                array, place = self.at(b, self.arrays[m.target], m.target, index)
                if m.fn is not None:
                    old = b.call(operator.getitem, array, place, type=Arr(t.dtype, (), scalar=True))
                    new = b.call(m.fn, old, new, type=Arr(t.dtype, (), scalar=True))
                b.call(operator.setitem, array, place, new)
            else:
                self._sum(b, m, [self.value(b, t, values, index) for t in m.terms], index, after)
        return after

    def value(self, b: Builder, o: Operand, values: dict[Any, Operand], index: list[Any]) -> Operand:
        """An operand's element, where ``values`` are those that are known."""
        if isinstance(o, Lit) or o in values:
            return values[o] if isinstance(o, Value) else o
        if isinstance(o.type, Arr) and o.type.dims:     # the current value of the target of a sink
            return self._read(b, self.arrays[o], o, index)
        return self.params[o]

    def computed(self, b: Builder, m: Call, values: dict[Any, Operand], index: list[Any]) -> Operand:
        """The element of an operation's result."""
        if m.fn in (np.tril, np.triu):
            return self._in_triangle(b, m, self.value(b, m.args[0], values, index), index)
        return scalar_call(b, m, [self.value(b, a, values, index) for a in m.args], self.precise)

    def _in_triangle(self, b: Builder, m: Call, x: Operand, index: list[Any]) -> Operand:
        """The element if it is in the selected triangle, else zero."""
        (row, column), t = index[-2:], m.result.type
        assert isinstance(t, Arr)
        if (offset := m.args[1].value if len(m.args) > 1 else 0):
            row = b.call(operator.add, row, Lit(offset), type=Num("int"))
        kept = b.call(operator.le if m.fn is np.tril else operator.ge, column, row, type=Num("bool"))
        return b.call(select, kept, x, cast(b, Lit(0), t.dtype), type=Arr(t.dtype, (), scalar=True))  # type: ignore[no-any-return]

    def _far(self, b: Builder, angle: Operand, so_far: Operand) -> Operand:
        size = b.call(abs, cast(b, angle, "float64"), type=Arr("float64", (), scalar=True))
        large = b.call(operator.gt, size, Lit(elementary.TURNS), type=Num("bool"))
        if self.parallel:       # threads add up, which they cannot do with truth
            return b.call(operator.add, so_far, cast(b, large, "int64"), type=Num("int"))  # type: ignore[no-any-return]
        return b.call(operator.or_, so_far, large, type=Num("bool"))  # type: ignore[no-any-return]

    def _sum(self, b: Builder, m: Reduction, terms: list[Operand], index: list[Any], after: dict[Any, Operand]) -> None:
        add = getattr(selection, m.extremum) if m.extremum else operator.add if self.parallel else selection.add_in_any_order
        if m in after:
            dtype = self._dtype(m)
            after[m] = b.call(add, after[m], self._product(b, m, terms, dtype), type=Arr(dtype, (), scalar=True), name=_name(m))
            return
        dtype = str(dtype_of(m.op.result))
        place = _tuple(b, self._place(m, index))
        held = self.held[m.op.result]
        old = b.call(operator.getitem, held, place, type=Arr(dtype, (), scalar=True))
        new = b.call(add if m.extremum else operator.add, old, self._product(b, m, terms, dtype), type=Arr(dtype, (), scalar=True))
        b.call(operator.setitem, held, place, new)

    def _product(self, b: Builder, m: Reduction, terms: list[Operand], dtype: str) -> Operand:
        out, *rest = [cast(b, t, dtype) for t in terms]
        for t in rest:
            out = b.call(operator.mul, out, t, type=Arr(dtype, (), scalar=True))
        return out


def _name(m: Any) -> str:
    return "far" if m == "far" else m.op.result.name or "total"


def _tuple(b: Builder, index: list[Any]) -> Any:
    if len(index) == 1:
        return index[0]
    return b.build("tuple", index)


def _surely_equal(a: Any, i: int, b: Any, j: int) -> bool:
    """Whether two dimensions have the same length by their types."""
    p, q = a.dims[i], b.dims[j]
    return bool(p.sym is not None and (p.sym, p.off) == (q.sym, q.off))
