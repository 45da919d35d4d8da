"""Replace lists that a loop fills with one item per iteration by arrays, of the length of the loop if it is known."""
from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np

from ...ir.build import Builder
from ...ir.effects import writes
from ...ir.memory import Memory
from ...ir.ops import Block, Build, Call, For, Function, Lit, Op, Operand, Source, Value, While, blocks_of, operands_of, walk
from ...ir.types import ANY, Arr, Dim, ListT, Num, TupleT, Type
from ..analysis.def_use import definitions, definitions_in
from ..rewriting.substitute import substitute_op
from .equal_lengths import Lengths, shape_index
from .growing_arrays import grow
from .loop_lengths import length_of

__all__ = ["Converter", "Filled", "arrays_for_lists", "counter_of", "length_like", "measured", "number_dtype"]

_WHOLE = frozenset((operator.add, operator.sub, operator.mul, max, min, len))


def arrays_for_lists(fn: Function) -> dict[Value, Operand]:
    """Rewrite a function in place; the lengths of the arrays that lists have become."""
    converter = Converter(fn)
    converter.visit(fn.body)
    return converter.lengths


@dataclass(eq=False, slots=True)
class Filled:
    """A list made in ``block`` that ``loop`` fills by ``fill``; ``uses`` are the operations that read it afterwards."""

    block: Block
    made: Build
    loop: For | While
    fill: Call
    uses: list[Op]

    @property
    def item(self) -> Operand:
        item: Operand = self.fill.args[1]
        return item


class Converter:
    """Converts the lists of a function."""

    def __init__(self, fn: Function):
        self.fn = fn
        self.memory = Memory(fn)
        self.lengths: dict[Value, Operand] = {}
        #: All lengths of the arrays that lists have become.
        self.shapes: dict[Value, list[Operand]] = {}
        self.alike = Lengths(fn)
        #: How often a loop runs, by its identity, once that was written before it.
        self.counts: dict[int, Operand] = {}
        self.written = [w for op in walk(fn.body) if not (isinstance(op, Call) and op.fn is list.append) for w in writes(op)]
        self.defs = definitions(fn)

    def visit(self, block: Block, owner: For | None = None, around: Block | None = None) -> None:
        """Convert the lists created in a block (the body of ``owner``, an operation of ``around``), those of inner blocks first."""
        for op in block.ops:
            for inner in blocks_of(op):
                self.visit(inner, op if isinstance(op, For) else None, block)
        growing: dict[int, list[Filled]] = {}
        for op in list(block.ops):
            if isinstance(op, Build) and op.kind == "list" and not op.items and (found := self.filled(block, op)) is not None:
                if _is_counted(found.loop):
                    self._fixed(found)
                elif number_dtype(found.item.type) is not None:
                    growing.setdefault(id(found.loop), []).append(found)
        for lists in growing.values():
            grow(self, lists, owner, around)

    def filled(self, block: Block, made: Build) -> Filled | None:
        """How a list is filled: by one loop beside it, and only read after that."""
        items = made.result
        uses = [op for op in walk(self.fn.body) if any(o is items for o in operands_of(op))]
        fills = [op for op in uses if isinstance(op, Call) and op.fn is list.append and op.args[0] is items]
        if len(fills) != 1 or not all(_reads(op, items) for op in uses if op is not fills[0]) or not self.only_read(items):
            return None
        loop = next((op for op in block.ops if isinstance(op, (For, While)) and any(o is fills[0] for o in op.body.ops)), None)
        if loop is None:
            return None
        after = {id(op) for op in walk(Block([], block.ops[block.ops.index(loop) + 1:]))}
        others = [op for op in uses if op is not fills[0]]
        return Filled(block, made, loop, fills[0], others) if all(id(op) in after for op in others) else None

    # -- as long as a loop

    def _fixed(self, found: Filled) -> None:
        block, made, loop, fill, uses = found.block, found.made, found.loop, found.fill, found.uses
        assert isinstance(loop, For)
        item, items = found.item, made.result
        dtype = item.type.dtype if isinstance(item.type, Arr) else number_dtype(item.type)
        if dtype is None or dtype[0] not in "biufc":
            return
        before = Block()
        with Builder(before, part=made.part, loc=made.loc) as b:
            count = self.counts[id(loop)] if id(loop) in self.counts else self.trip_count(b, loop)
            lengths = self._item_lengths(b, block, loop, item)
            if lengths is None:
                return
            shape = count if not lengths else b.build("tuple", [count, *lengths])
            t = Arr(dtype, (ANY, *(item.type.dims if isinstance(item.type, Arr) else ())))
            array = Value(t, items.name)
            b.emit(Call(np.empty, [shape] if dtype == "float64" else [shape, Lit(np.dtype(dtype).type)], results=[array]))
        self.lengths[array] = self.counts[id(loop)] = count
        self.shapes[array] = [count, *lengths]
        at = block.ops.index(loop)
        block.ops[at:at] = before.ops
        block.ops.remove(made)
        self.defs.update(definitions_in(before.ops))
        k = counter_of(loop)
        if item in self.shapes:        # the array of an inner loop is a row of this one
            row = next(op for op in loop.body.ops if item in op.results)
            loop.body.ops[loop.body.ops.index(row)] = Call(operator.getitem, [array, k], results=[item], loc=row.loc, part=row.part)
            loop.body.ops.remove(fill)
        else:
            place = loop.body.ops.index(fill)
            loop.body.ops[place] = Call(operator.setitem, [array, k, item], loc=fill.loc, part=fill.part)
        self.retype(uses, items, item.type, lengths)
        for op in uses:
            substitute_op(op, {items: array})

    def only_read(self, items: Value, seen: frozenset[Value] = frozenset()) -> bool:
        """Whether a list, the lists that contain it and its items are only read one element at a time.

        Other operations may have another meaning for arrays, such as the sum of two lists.
        """
        if items in seen:
            return True
        seen |= {items}
        for op in walk(self.fn.body):
            if not any(o is items for o in operands_of(op)):
                continue
            if isinstance(op, Call) and op.fn is list.append:
                if op.args[1] is items and not self.only_read(op.args[0], seen):
                    return False
                continue
            if not _reads(op, items):
                return False
            taken = [v for s, v in zip(op.sources, op.body.params) if s.operands[0] is items] if isinstance(op, For) else op.results
            if not all(self.only_read(v, seen) for v in taken if isinstance(v.type, ListT)):
                return False
        return not _yielded(self.fn.body, items)

    def _item_lengths(self, b: Builder, block: Block, loop: For, item: Operand) -> list[Operand] | None:
        """The lengths of the items of a list, known before the loop; None if they are not."""
        if number_dtype(item.type) is not None:
            return []
        if not isinstance(item.type, Arr) or not item.type.dims or not isinstance(item, Value):
            return None
        inside = {r for op in walk(loop.body) for r in op.results} | set(loop.body.params)
        if item in self.shapes:
            lengths = [self._outside(b, n, inside) for n in self.shapes[item]]
            return None if self.defs.get(item) not in loop.body.ops or None in lengths else lengths  # type: ignore[return-value]
        if any(self.memory.may_share(item, w) for w in self.written):
            return None
        known = [*self.fn.params, *(r for op in block.ops[:block.ops.index(loop)] for r in op.results)]
        found = [self._length_like(b, item, k, known, loop.body) for k in range(len(item.type.dims))]
        return None if None in found else found  # type: ignore[return-value]

    def _length_like(self, b: Builder, item: Value, k: int, known: list[Value], body: Block) -> Operand | None:
        """The length of an item of a list, read from an array available before the loop."""
        assert isinstance(item.type, Arr)
        found = length_like(b, item.type.dims[k], known)
        if found is not None:
            return found
        return next((measured(b, v, j) for v in known if isinstance(v.type, Arr) for j in range(len(v.type.dims))
                     if self.alike.same(item, k, v, j, body)), None)

    def _outside(self, b: Builder, o: Operand, inside: set[Value]) -> Operand | None:
        """A whole number computed in a loop, computed before it instead; None if it depends on the loop."""
        if isinstance(o, Lit) or o not in inside:
            return o
        made = self.defs.get(o)
        of = shape_index(o, self.defs)
        if of is not None and of[0] not in inside:
            return measured(b, *of)
        if not isinstance(made, Call) or made.fn not in _WHOLE or made.kwargs:
            return None
        args = [self._outside(b, a, inside) for a in made.args]
        return None if any(a is None for a in args) else b.call(made.fn, *args, type=Num("int", ANY), name=o.name)

    def trip_count(self, b: Builder, loop: For) -> Operand:
        """How often a loop runs, written before it."""
        counts = [c for s in loop.sources if (c := length_of(b, s)) is not None]
        out = counts[0]
        for c in counts[1:]:
            if c is not out:
                out = b.call(min, out, c, type=Num("int", ANY))
        return out

    def retype(self, uses: list[Op], items: Value, t: Type, lengths: list[Operand]) -> None:
        """Update the types of the loops that iterate over a list."""
        if not isinstance(t, Arr) or not t.dims:
            return
        for op in uses:
            read = [v for s, v in zip(op.sources, op.body.params) if s.operands[0] is items] if isinstance(op, For) else [
                op.result] if isinstance(op, Call) and op.fn is operator.getitem else []
            for v in read:
                v.type = t
                self.lengths[v], self.shapes[v] = lengths[0], lengths


def length_like(b: Builder, dim: Dim, known: list[Value]) -> Operand | None:
    """A length, read from an array that is known to have it."""
    if dim.known is not None:
        return Lit(dim.known)
    for v in known:
        for k, d in enumerate(v.type.dims if isinstance(v.type, Arr) else ()):
            if dim.sym is not None and d.sym == dim.sym and not d.one:
                n = measured(b, v, k)
                change = dim.off - d.off
                return n if not change else b.call(operator.add if change > 0 else operator.sub, n, abs(change))
    return None


def measured(b: Builder, v: Value, k: int) -> Operand:
    """The length of an array along one dimension."""
    assert isinstance(v.type, Arr)
    if len(v.type.dims) == 1:
        return b.call(len, v, type=Num("int", v.type.dims[0]), name="n")  # type: ignore[no-any-return]
    shape = b.attr(v, "shape", TupleT(tuple(Num("int", d) for d in v.type.dims)))
    return b.call(operator.getitem, shape, k, type=Num("int", v.type.dims[k]), name="n")  # type: ignore[no-any-return]


def number_dtype(t: Type) -> str | None:
    """The dtype of an array for numbers of a type."""
    if isinstance(t, Num):
        return {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}[t.kind]
    if isinstance(t, Arr) and t.scalar and t.dtype[0] in "biufc":
        return t.dtype
    return None


def _reads(op: Op, items: Value) -> bool:
    """Whether an operation only reads items of a list, or puts the list itself into another."""
    if isinstance(op, For):
        return all(s.kind == "seq" or items not in s.operands for s in op.sources) and items not in op.inits
    if not isinstance(op, Call):
        return False
    if op.fn is list.append:
        return op.args[1] is items and op.args[0] is not items
    return op.fn is len or op.fn is operator.getitem and op.args[0] is items


def _is_counted(loop: For | While) -> bool:
    """Whether it is known before a loop how often it runs."""
    return isinstance(loop, For) and not loop.stops and all(s.kind in ("range", "count", "seq") for s in loop.sources)


def _yielded(block: Block, v: Value) -> bool:
    return any(y is v for y in block.yields) or any(_yielded(inner, v) for op in block.ops for inner in blocks_of(op))


def counter_of(loop: For) -> Value:
    """The number of the iteration, in the body of a loop."""
    for s, v in zip(loop.sources, loop.body.params):
        start = s.operands[0]
        if s.kind in ("range", "count") and not s.reverse and isinstance(start, Lit) and start.value == 0 and (
                s.kind == "count" or isinstance(s.operands[2], Lit) and s.operands[2].value == 1):
            return v
    k = Value(Num("int"), "k")
    loop.sources.insert(0, Source("count", [Lit(0)]))
    loop.body.params.insert(0, k)
    return k
