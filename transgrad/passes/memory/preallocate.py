"""Preallocate arrays that are built from lists.

``rows.append(np.tanh(x))`` in a loop followed by ``np.array(rows)`` allocates one array per iteration and copies all of them. With
``rows = np.empty((n, k))``, each iteration computes ``np.tanh(x, out=rows[t])``.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.build import Builder
from ...ir.ops import Block, Build, Call, For, Function, Lit, Op, Operand, Star, Value, blocks_of, calls, operands_of, walk
from ...ir.types import Arr, Dim, ListT, Num, Obj, TupleT
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..analysis.program_order import defined_in
from ..analysis.trip_counts import Count, Counts, counter_of
from ..manager import Property, Stage, analysis, optimization
from ..rewriting.substitute import substitute
from ..switches import is_on
from .destination_passing import UFUNC, alike

__all__ = ["preallocate_arrays"]

#: up to this many gathered arrays are stored individually: NumPy's checks of a tuple of arrays take longer
_SINGLY = 6


@optimization(Stage.LOWER_NUMPY, "placed", requires=(Property.FINAL,), analyses=(AliasClasses, definitions))
def preallocate_arrays(fn: Function) -> bool:
    """Rewrite a finished function in place; how often loops turn at least, and how large arrays are at most, becomes a guard."""
    if not fn.attrs.shapes or not calls(fn.body, np.array):
        return False
    found = [op.args[0] for op in walk(fn.body) if type(op) is Call and op.fn is np.array and isinstance(op.args[0].type, ListT)]
    if found and is_on("placed"):
        state = _FromStart(fn)
        state.block(fn.body, [])
        for items in dict.fromkeys(found):
            state.convert(items)
        if state.guards:
            fn.attrs.add_guards(state.guards)
        return True
    return False


class _FromStart:
    def __init__(self, fn: Function):
        self.fn = fn
        self.classes, self.counts = analysis(AliasClasses, fn), Counts(fn)
        self.makers = self.counts.lengths.makers
        self.params = {p.name: p.value for p in fn.signature if isinstance(p.value, Value)}
        self.guards: list[Guard] = []
        #: for each operation the block that it is in, and the loops around it
        self.places: dict[int, tuple[Block, list[For]]] = {}
        self.readers: dict[Any, list[Op]] = {}
        self.yielded: set[Any] = set(fn.body.yields)

    def block(self, block: Block, loops: list[For]) -> None:
        """Record the positions of operations, and the readers of lists."""
        for op in block.ops:
            self.places[id(op)] = block, loops
            for o in operands_of(op):
                if isinstance(o, Value):
                    self.readers.setdefault(o, []).append(op)
            for inner in blocks_of(op):
                self.yielded.update(inner.yields)
                self.block(inner, [*loops, op] if isinstance(op, For) else [*loops, None])   # type: ignore[list-item]

    def convert(self, items: Value) -> None:
        """Replace a list to which each iteration of a loop or loop nest appends by an array."""
        made, readers = self.makers.get(items), self.readers.get(items, [])
        filled = [op for op in readers if isinstance(op, Call) and op.fn is list.append and op.args[0] is items]
        arrays = [op for op in readers if isinstance(op, Call) and op.fn is np.array and not op.kwargs and len(op.args) == 1]
        if isinstance(made, Call) and made.fn is operator.getitem and len(arrays) == len(readers) == 1:
            self.numbered(made, arrays[0])
        if not isinstance(made, Build) or made.kind != "list" or made.items or items in self.yielded:
            return
        if len(filled) != 1 or len(arrays) != 1 or len(readers) != 2:
            return
        loops = self.loops(made, filled[0], arrays[0])
        turns = [_turn(loop, loops[0]) for loop in loops]
        guards = self.guards_of(loops, turns, filled[0].args[1]) if loops else None
        if guards is None:
            return
        self.guards += guards
        self.write(made, loops, turns, filled[0], items)
        self.read(arrays[0], items, [down for _, _, down in turns])

    def numbered(self, read: Call, array: Call) -> None:
        """Replace a list of lists, one for each iteration number of the innermost loop, by an array."""
        lists, number = read.args
        made, readers = self.makers.get(lists), self.readers.get(lists, [])
        rows = [op for op in readers if isinstance(op, Call) and op.fn is operator.getitem and op is not read]
        empty = [op for op in readers if isinstance(op, Call) and op.fn is list.append and op.args[0] is lists]
        if not isinstance(made, Build) or made.kind != "list" or made.items or lists in self.yielded:
            return
        if len(rows) != 1 or len(empty) != 1 or len(readers) != 3:
            return
        row, fresh = rows[0].result, self.makers.get(empty[0].args[1])
        filled = [op for op in self.readers.get(row, []) if isinstance(op, Call) and op.fn is list.append and op.args[0] is row]
        filler = self.loops(made, empty[0], None)
        if len(filled) != 1 or len(self.readers[row]) != 1 or len(filler) != 1:
            return
        if not isinstance(fresh, Build) or fresh.kind != "list" or fresh.items or len(self.readers[fresh.result]) != 1:
            return
        loops = self.loops(made, filled[0], array)
        turns = [_turn(loop, loops[0]) for loop in loops]
        filling = _turn(filler[0], filler[0])
        if len(loops) < 2 or not all(turns) or filling is None or turns[-1][0] is not rows[0].args[1] or filling[1] is not turns[-1][1]:
            return
        guards = self.guards_of(loops, turns, filled[0].args[1])
        if guards is None or not self.runs_over(number, turns[-1][1]):
            return
        self.guards += guards
        body, of_filler = loops[-1].body, filler[0].body
        self.write(made, loops, [turns[-1], *turns[:-1]], filled[0], lists)
        body.ops.remove(rows[0])
        of_filler.ops = [op for op in of_filler.ops if op is not empty[0] and op is not fresh]
        if not of_filler.ops:
            self.places[id(filler[0])][0].ops.remove(filler[0])
        block = self.places[id(read)][0]
        read.result.type = Arr("float64", lists.type.dims[1:])
        assert read in block.ops
        self.read(array, read.result, [down for _, _, down in turns[:-1]])

    def runs_over(self, number: Any, stop: Operand) -> bool:
        """Whether something counts from zero to a number."""
        return any(type(loop) is For and number in loop.body.params and (turn := _turn(loop, loop)) is not None
                   and turn[0] is number and turn[1] is stop for _, loops in self.places.values() for loop in loops)

    def loops(self, made: Op, filled: Call, array: Call | None) -> list[For]:
        """The loops that fill a list created before them; none if it is filled in another way, or the array is written to."""
        (block, around), (body, within) = self.places[id(made)], self.places[id(filled)]
        loops = within[len(around):]
        if filled.args[1] is filled.args[0] or within[:len(around)] != around or not loops or not all(type(loop) is For for loop in loops):
            return []
        if loops[0] not in block.ops or body is not loops[-1].body or array is not None and self.classes.is_written(array.result):
            return []
        return loops

    def guards_of(self, loops: list[For], turns: list[Any], v: Any) -> list[Guard] | None:
        """The guards under which a value can be stored to its own position in each iteration; None if it cannot."""
        maker = self.makers.get(v)
        if maker is None or not _can_write(maker) or maker not in loops[-1].body.ops or v in self.yielded or self.classes.is_written(v):
            return None
        root = self.classes.find(v)
        if any(self.classes.find(y) is root or root in self.classes.inner(y) for y in self.fn.body.yields if isinstance(y, Value)):
            return None     # a returned value is an array of its own
        return self.counts.guards(loops, [v.type]) if all(turns) and self.counts.is_small(v.type) else None

    def write(self, made: Build, loops: list[For], turns: list[Any], filled: Call, items: Value) -> None:
        """Create the array instead of the list, and let each iteration store a row."""
        v, block, body = filled.args[1], self.places[id(made)][0], loops[-1].body
        maker = self.makers[v]
        items.type = Arr("float64", (*(self.dim(stop) for _, stop, _ in turns), *v.type.dims))
        ahead = Block()
        with Builder(ahead, made.part, made.loc) as b:
            shape = b.build("tuple", [*(stop for _, stop, _ in turns), *(self.length(b, d) for d in v.type.dims)])
            b.emit(Call(np.empty, [shape], results=[items]))
        block.ops.remove(made)
        at = block.ops.index(loops[0])
        block.ops[at:at] = ahead.ops
        assert isinstance(maker, Call)
        counted = [p for p, _, _ in turns]
        parts = maker if maker.fn is np.array else self.gathered(maker, body)
        if parts is not None:
            self.put_there(parts, items, counted, body)
        if parts is not maker:
            turn = Block()
            with Builder(turn, maker.part, maker.loc) as b:
                row = parts.result if parts is not None else b.call(operator.getitem, items, _place(b, counted), type=v.type)
                b.emit(Call(UFUNC.get(maker.fn, maker.fn), maker.args, {"out": row}, results=[v]))
            at = body.ops.index(maker)
            body.ops[at:at + 1] = turn.ops
        body.ops.remove(filled)

    def gathered(self, maker: Call, body: Block) -> Call | None:
        """An operand that gathers arrays for one operation alone: they can be written where its result belongs."""
        for a in maker.args:
            made = self.makers.get(a) if isinstance(a, Value) else None
            if isinstance(made, Call) and made.fn is np.array and _can_write(made) and made in body.ops and maker.args.count(a) == 1 and (
                    alike(a.type, maker.result.type) and self.readers[a] == [maker] and a not in self.yielded):
                return made
        return None

    def put_there(self, parts: Call, items: Value, counted: list[Value], body: Block) -> None:
        """Store gathered arrays to their positions in the array of all iterations, individually if their lengths are known to be equal."""
        v, (gathered,), made = parts.result, parts.args, Block()
        display = self.makers.get(gathered)
        each = display.items if isinstance(display, Build) and not any(isinstance(x, Star) for x in display.items) else []
        assert isinstance(v.type, Arr)
        row = Arr(v.type.dtype, v.type.dims[1:])
        singly = 0 < len(each) <= _SINGLY and all(alike(x.type, row) for x in each)
        with Builder(made, parts.part, parts.loc) as b:
            b.emit(Call(operator.getitem, [items, _place(b, counted)], results=[v]))
            for place, x in enumerate(each) if singly else [(slice(None), gathered)]:
                b.emit(Call(operator.setitem, [v, Lit(place), x], results=[Value(Obj(type(None)))]))
        at = body.ops.index(parts)
        body.ops[at:at + 1] = made.ops
        if singly and display in body.ops and len(self.readers[gathered]) == 1:
            body.ops.remove(display)

    def read(self, array: Call, items: Any, down: list[bool]) -> None:
        """Read the rows instead of an array made of the list; for loops that count down, from last to first."""
        block, t = self.places[id(array)][0], array.result.type
        made = Block()
        assert isinstance(t, Arr)
        with Builder(made, array.part, array.loc) as b:
            found = items
            if any(down):
                index = tuple(slice(None, None, -1 if backwards else None) for backwards in down)
                found = b.call(operator.getitem, found, Lit(index if len(index) > 1 else index[0]), type=items.type)
            if len(down) > 1:
                found = b.call(np.ndarray.reshape, found, Lit(-1), *(self.length(b, d) for d in t.dims[1:]), type=t)
        at = block.ops.index(array)
        block.ops[at:at + 1] = made.ops
        substitute(self.fn.body, {array.result: found})

    def length(self, b: Builder, d: Any) -> Operand:
        """How long a dimension is."""
        found = self.counts.of_dim(d)
        if not isinstance(found, Count):
            return Lit(found)
        name, axis = found.unit
        of = b.call(operator.getitem, b.attr(self.params[name], "shape"), axis, type=Num("int"))
        n: Operand = of if found.times == 1 else b.call(operator.mul, Lit(found.times), of, type=Num("int"))
        return n if not found.more else b.call(operator.add, n, Lit(found.more), type=Num("int"))

    def dim(self, stop: Operand) -> Any:
        """The dimension that stands for a number of turns."""
        return Dim(None, ("<turns>", id(stop)))


def _place(b: Builder, counted: list[Value]) -> Operand:
    """The index that the numbers of turns are."""
    return counted[0] if len(counted) == 1 else b.build("tuple", counted)


def _turn(loop: For, outermost: For) -> Any:
    """The induction variable of a loop that counts from zero, the trip count, and the direction; None if the trip count changes in an outer
    loop."""
    found = counter_of(loop)
    return found if found is not None and found[1] not in defined_in(outermost) else None



def _can_write(op: Op) -> bool:
    """Whether an operation can write its result to a place of its own."""
    if type(op) is not Call or op.kwargs or len(op.results) != 1:
        return False
    types = [a.type for a in op.args]
    if op.fn is np.array:
        return len(types) == 1 and isinstance(types[0], TupleT) and all(isinstance(e, Arr) for e in types[0].elems)
    fn = UFUNC.get(op.fn, op.fn)
    return isinstance(fn, np.ufunc) and fn.signature is None and fn.nout == 1 and any(isinstance(t, Arr) and t.dims for t in types)
