"""Lower loops over arrays, lists, zips, enumerations and reversed iterables to loops over one range."""
from __future__ import annotations

import operator
from typing import Any

from ...ir.build import Builder
from ...ir.effects import writes
from ...ir.ops import Block, Call, For, Function, Lit, Op, Operand, Source, Value, blocks_of, walk
from ...ir.types import ANY, Arr, ListT, Num
from ..analysis.def_use import definitions, definitions_in
from ..manager import Property, Stage, optimization
from ..rewriting.substitute import substitute
from .loop_lengths import length_of
from .residual_arrays import arrays_for_lists

__all__ = ["index_loops"]

_LENGTH = Num("int", ANY)


@optimization(Stage.LOWER_NUMBA, requires=(Property.FINAL,))
def index_loops(fn: Function) -> bool:
    """Replace lists of numbers and arrays by arrays, and rewrite loops over sequences as loops over a range of indices."""
    lengths = arrays_for_lists(fn)
    _Loops(lengths, definitions(fn)).block(fn.body)
    return True


class _Loops:
    def __init__(self, lengths: dict[Value, Operand], defs: dict[Value, Op]):
        self.lengths, self.defs = lengths, defs

    def block(self, block: Block) -> None:
        """Rewrite the loops of a block and of the blocks inside of it."""
        ops: list[Op] = []
        for op in block.ops:
            if isinstance(op, For) and all(s.kind in ("range", "count", "seq") for s in op.sources) and not _is_plain(op) and all(
                    _indexable(s, op) for s in op.sources):
                self._by_index(op, ops)
            if isinstance(op, For) and op.sources[0].kind == "range" and op.sources[0].reverse:
                _turned(op.sources[0], op, ops)
            ops.append(op)
            for inner in blocks_of(op):
                self.block(inner)
        block.ops = ops

    def _by_index(self, op: For, before: list[Op]) -> None:
        """One range for all sources; the items are read in the body."""
        block = Block()
        with Builder(block, part=op.part, loc=op.loc) as b:
            lengths = [self.lengths[o] if (o := s.operands[0]) in self.lengths else length_of(b, s) for s in op.sources]
            self.defs.update(definitions_in(block.ops))
            known = [n for n in lengths if n is not None]
            count: Any = known[0]
            for n in known[1:]:
                if not _same(n, count, self.defs):
                    count = b.call(min, count, n, type=_LENGTH)
        before += block.ops
        backwards = all(s.reverse or s.kind == "count" for s in op.sources) and all(s.kind != "count" for s in op.sources)
        names = [v.name for s, v in zip(op.sources, op.body.params) if s.kind in ("range", "count") and v.name]
        k = Value(Num("int"), names[0] if names else "k")
        head = Block()
        mapping: dict[Value, Operand] = {}
        with Builder(head, part=op.part, loc=op.loc) as b:
            for s, v, length in zip(op.sources, op.body.params, lengths):
                place: Any = k
                if s.reverse and not backwards and length is not None:
                    place = b.call(operator.sub, b.call(operator.sub, length, 1), k)
                elif backwards and length is not None and not _same(length, count, self.defs):      # each runs from its own end
                    place = b.call(operator.add, b.call(operator.sub, length, count), k)
                if s.kind == "seq":
                    b.emit(Call(operator.getitem, [s.operands[0], place], results=[v]))
                    continue
                start = s.operands[0]
                step = s.operands[2] if s.kind == "range" else Lit(1)
                mapping[v] = _item(b, start, step, place, v)
        n_sources = len(op.sources)
        op.body.params = [k, *op.body.params[n_sources:]]
        op.body.ops[:0] = head.ops
        substitute(op.body, mapping)
        op.sources = [Source("range", [Lit(0), count, Lit(1)], reverse=backwards)]


def _is_plain(op: For) -> bool:
    """Whether a loop runs over one range, which can be turned round where it runs backwards."""
    s = op.sources[0]
    if len(op.sources) > 1 or s.kind != "range":
        return False
    return not s.reverse or isinstance(s.operands[2], Lit) and s.operands[2].value in (1, -1)


def _turned(s: Source, op: For, before: list[Op]) -> None:
    """A range that runs backwards as one that runs forwards: ``reversed`` is nothing Numba knows."""
    start, stop, step = s.operands
    assert isinstance(step, Lit) and step.value in (1, -1)
    block = Block()
    with Builder(block, part=op.part, loc=op.loc) as b:
        s.operands = [_shifted(b, stop, -step.value), _shifted(b, start, -step.value), Lit(-step.value)]
    s.reverse = False
    before += block.ops


def _shifted(b: Builder, n: Operand, by: int) -> Operand:
    if isinstance(n, Lit):
        return Lit(n.value + by)
    return b.call(operator.add if by > 0 else operator.sub, n, abs(by))  # type: ignore[no-any-return]


def _indexable(s: Source, op: For) -> bool:
    """Whether the items of a source can be read by number: of a list, where the loop does not change it."""
    if s.kind != "seq" or isinstance(s.operands[0].type, Arr):
        return True
    return isinstance(s.operands[0].type, ListT) and not any(s.operands[0] in writes(inner) for inner in walk(op.body))


def _same(a: Operand | None, b: Operand | None, defs: dict[Value, Op]) -> bool:
    """Whether two lengths are the same by how they are computed."""
    if a is b or isinstance(a, Lit) and isinstance(b, Lit) and a.value == b.value:
        return True
    p, q = defs.get(a), defs.get(b)  # type: ignore[arg-type]
    return isinstance(p, Call) and isinstance(q, Call) and p.fn is q.fn and len(p.args) == len(q.args) and all(
        _same(x, y, defs) for x, y in zip(p.args, q.args))


def _item(b: Builder, start: Operand, step: Operand, k: Operand, v: Value) -> Operand:
    """``start + step * k``."""
    unit = isinstance(step, Lit) and step.value == 1
    if unit and isinstance(start, Lit) and start.value == 0:
        return k
    if isinstance(step, Lit) and step.value == -1:
        return b.call(operator.sub, start, k, name=v.name)  # type: ignore[no-any-return]
    scaled = k if unit else b.call(operator.mul, step, k)
    return b.call(operator.add, start, scaled, name=v.name)  # type: ignore[no-any-return]
