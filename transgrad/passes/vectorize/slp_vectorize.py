"""Superword-level parallelism (SLP): combine element-wise operations on adjacent parts of a vector into one operation on a matrix.

For short vectors, the cost of a NumPy operation is the cost of the call. As SLP vectorizers pack scalars into vectors, this pass packs
vectors into the rows of a matrix. It runs before differentiation, so that the derivative is that of the matrix.

References: S. Larsen and S. Amarasinghe, "Exploiting superword level parallelism with multimedia instruction sets", PLDI 2000.
"""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.build import Builder
from ...ir.effects import is_unknown
from ...ir.ops import Block, Call, Function, GetAttr, Lit, Op, Operand, Try, Value, blocks_of, operands_of, walk
from ...ir.types import Arr, Dim, Num
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..analysis.elementwise import kind_of, on_other_operands, operations_of
from ..manager import Stage, analysis, optimization
from ..memory.in_place_accumulation import collect_uses, only_reads
from ..rewriting.substitute import uses_of
from ..switches import is_on
from .contiguous_parts import Part, Parts

__all__ = ["pack_contiguous_parts"]

#: how many numbers a matrix has at most: of more, arithmetic takes longer than calling it
_SMALL = 4096
#: how many operations putting vectors into a matrix takes as long as, there and back; and how many are to be saved at least
_GATHER, _WORTH = 3, 3


@optimization(Stage.CANONICALIZE, "pack", analyses=(AliasClasses, definitions))
def pack_contiguous_parts(fn: Function) -> bool:
    """Rewrite ``fn`` in place; how long arguments are at most becomes a guard.  `specialize_contiguous_parts` is done before."""
    if not fn.attrs.shapes or sum(map(_may_be_part, ops := list(walk(fn.body)))) < 2:
        return False
    if any(isinstance(op, Try) for op in ops):
        return False
    parts = Parts(fn)
    found = {op.result: part for op in ops if (part := parts.part(op)) is not None}
    if len(found) > 1 and is_on("pack") and is_on("parts"):
        state = _Packer(fn, parts, found)
        state.block(fn.body)
        if state.guards:
            fn.attrs.add_guards(state.guards)
        return True
    return False


def _may_be_part(op: Op) -> bool:
    return type(op) is Call and op.fn is operator.getitem and type(op.result.type) is Arr and len(op.result.type.dims) == 1


@dataclass(eq=False)
class _Pack:
    """Vectors that are the rows of a matrix: parts of a vector, stored rows, or computed rows.

    ``args`` are the operands of computed rows: a pack with the range of its rows, or an operand that is the same for all of them.
    """

    lanes: list[Any]
    part: Part | None = None
    #: the operations combined into one, and its position in their block
    members: list[Op] = field(default_factory=list)
    at: int = -1
    args: list[Any] = field(default_factory=list)
    #: of parts that are read several times, the values of the other times
    again: list[list[Any]] = field(default_factory=list)
    matrix: Any = None


class _Packer:
    def __init__(self, fn: Function, parts: Parts, found: dict[Value, Part]):
        self.fn, self.parts, self.found = fn, parts, found
        self.classes = analysis(AliasClasses, fn)
        self.guards: list[Guard] = []

    def block(self, block: Block) -> None:
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
        seeds = self.seeds(block)
        if not seeds:
            return
        plan = _Plan(block, seeds, self.classes)
        plan.grow()
        plan.prune()
        while needless := [p for group in plan.groups() if not self.is_worth(plan, group) for p in group]:
            plan.give_up(needless)
            plan.prune()
        for group in plan.groups():
            unit, most = self.size(group)
            self.guards.append(Guard("narrow", *unit, most))
            plan.carry_out(group)
        plan.finish()

    def is_worth(self, plan: _Plan, group: list[_Pack]) -> bool:
        """Whether packing saves time."""
        unit, most = self.size(group)
        return plan.saved(group) >= _WORTH and self.parts.lengths[unit] <= most

    def size(self, group: list[_Pack]) -> tuple[tuple[str, int], int]:
        """A length that the matrices are multiples of, and how much of it is little."""
        found = [p.part for p in group if p.part is not None]
        most = max(found, key=lambda part: part.rows * part.long)
        return most.unit, _SMALL // (most.rows * most.long)

    def seeds(self, block: Block) -> list[_Pack]:
        """The parts of vectors that a block reads, as packs of adjacent parts."""
        vectors: dict[Any, dict[int, list[Value]]] = {}
        for op in block.ops:
            part = self.found.get(op.result) if type(op) is Call and op.results else None
            if part is not None and not self.classes.is_written(op.result):
                vectors.setdefault((part.base, part.rows, part.unit), {}).setdefault(part.row, []).append(op.result)
        return [_Pack([rows[k][0] for k in run], self.found[rows[run[0]][0]], again=[
            [rows[k][n] if n < len(rows[k]) else None for k in run] for n in range(1, max(len(rows[k]) for k in run))])
            for rows in vectors.values() for run in _runs(sorted(rows))]


def _runs(rows: Sequence[int]) -> list[list[int]]:
    """Numbers that follow each other, two or more."""
    found: list[list[int]] = []
    for k in rows:
        if found and found[-1][-1] == k - 1:
            found[-1].append(k)
        else:
            found.append([k])
    return [run for run in found if len(run) > 1]


class _Plan:
    """The candidate packs of one block."""

    def __init__(self, block: Block, seeds: list[_Pack], classes: AliasClasses):
        self.ops, self.outer, self.classes = block.ops, block, classes
        self.place = {id(op): k for k, op in enumerate(block.ops)}
        self.uses = collect_uses(block.ops)
        self.yields = set(block.yields)
        self.packs = list(seeds)
        self.row_of: dict[Any, tuple[_Pack, int]] = {v: (p, k) for p in seeds for lanes in (p.lanes, *p.again)
                                                         for k, v in enumerate(lanes) if v is not None}
        self.gathered: dict[tuple[Any, ...], _Pack] = {}
        #: vectors that nothing but a pack reads any more
        self.taken: set[Any] = set()
        self.gone: set[int] = set()
        self.behind: dict[int, list[Op]] = {}
        #: the pack that an operation became part of
        self.packed: dict[int, _Pack] = {}

    def grow(self) -> None:
        """Packs the operations on packed vectors, the first of them first, as far as it goes."""
        tried: set[tuple[int, ...]] = set()
        while True:
            found = (run for p in self.packs for lanes in (p.lanes, *p.again) for run in self.users(lanes))
            runs = [run for run in found if tuple(map(id, run)) not in tried]
            if not runs:
                return
            run = min(runs, key=lambda run: max(self.place[id(op)] for op in run))
            tried.add(tuple(map(id, run)))
            args = self.operands(run)
            if args is None:
                continue
            at = max(*(self.place[id(op)] for op in run), *(a[0].at for a in args if isinstance(a, tuple)))
            if self.may_move(run, at):
                pack = _Pack([op.result for op in run], None, run, at, args)
                self.packs.append(pack)
                self.row_of.update((v, (pack, k)) for k, v in enumerate(pack.lanes))
                self.packed.update((id(op), pack) for op in run)

    def prune(self) -> None:
        """Drop packs of which a row is read before all of them are available, and the packs computed from these."""
        while True:
            bad = next((p for p in self.packs if p.members and any(
                self.time(user) <= p.at and not self.takes(user, v) for v in p.lanes for user in self.uses.get(v, ()))), None)
            if bad is None:
                break
            self.give_up([bad])
        self.taken = {v for v in self.row_of if v not in self.yields and all(self.takes(user, v) for user in self.uses.get(v, ()))}

    def give_up(self, packs: list[_Pack]) -> None:
        """Drop packs, and those computed from them."""
        gone = set(map(id, packs))
        for p in self.packs:        # packs are in order of definition
            if any(isinstance(a, tuple) and id(a[0]) in gone for a in p.args):
                gone.add(id(p))
        self.packs = [p for p in self.packs if id(p) not in gone]
        self.packed = {k: p for k, p in self.packed.items() if id(p) not in gone}

    def time(self, op: Op) -> int:
        """Where an operation will be done."""
        pack = self.packed.get(id(op))
        return self.place[id(op)] if pack is None else pack.at

    def takes(self, user: Op, v: Value) -> bool:
        """Whether an operation reads a vector as a row of its matrix, and only so."""
        pack = self.packed.get(id(user))
        return pack is not None and all(isinstance(a, tuple) and a[0] is self.row_of[v][0]
                                        for a, o in zip(pack.args, operands_of(user)) if o is v)

    def users(self, lanes: list[Any]) -> list[list[Op]]:
        """The only readers of adjacent rows of a pack, if they are the same operation."""
        found: list[list[Op]] = []
        last: Any = None
        for v in lanes:
            users = {id(op): op for op in self.uses.get(v, ())}
            op = next(iter(users.values())) if len(users) == 1 and v not in self.yields else None
            kind = None if op is None or v not in operands_of(op) else kind_of(op)
            if kind is not None and op is not None:
                kind = kind, operands_of(op).index(v)
                if kind == last:
                    found[-1].append(op)
                else:
                    found.append([op])
            last = kind
        return [run for run in found if len(run) > 1]

    def operands(self, run: list[Op]) -> list[Any] | None:
        """The combined operands of operations; None if they cannot be combined."""
        found: list[Any] = []
        for column in zip(*map(operands_of, run)):
            rows = [self.row_of.get(v) for v in column]
            first = column[0]
            if rows[0] is not None and all(r == (rows[0][0], rows[0][1] + k) for k, r in enumerate(rows)):
                found.append((rows[0][0], rows[0][1], rows[0][1] + len(rows)))
            elif isinstance(first, Lit) and all(isinstance(x, Lit) and (type(x.value), repr(x.value)) == (
                    type(first.value), repr(first.value)) for x in column) and isinstance(first.type, Num):
                found.append(first)
            elif (_is_number(first) or _is_vector(first)) and all(x is first for x in column):
                found.append(first)
            elif all(map(_is_vector, column)):
                key = tuple(column)
                if key not in self.gathered:
                    self.gathered[key] = _Pack(list(column))
                found.append((self.gathered[key], 0, len(key)))
            else:
                return None
        return found

    def may_move(self, run: list[Op], last: int) -> bool:
        """Whether some operations may be done at a later place, and nothing needs their results to be arrays of their own."""
        first = min(self.place[id(op)] for op in run)
        own = set(map(id, run))
        classes = self.classes
        read = {classes.find(o) for op in run for o in operands_of(op) if isinstance(o, Value)}
        for op in self.ops[first:last]:
            if id(op) in own:
                continue
            for inner in _with_inner(op):
                if is_unknown(inner) or not read.isdisjoint(map(classes.find, classes.changed_by(inner))):
                    return False
        for op in run:
            v = op.result
            if not _is_vector(v) or v in self.yields or self.classes.is_written(v) or v in self.row_of:
                return False
            if not all(_lets_go(user, v) for user in self.uses.get(v, ())):
                return False
        return True

    def groups(self) -> list[list[_Pack]]:
        """The packs that are computed from each other."""
        group: dict[int, list[_Pack]] = {id(p): [p] for p in self.packs}
        for p in self.packs:
            for arg in p.args:
                if isinstance(arg, tuple) and (other := group.get(id(arg[0]))) is not None and other is not group[id(p)]:
                    merged = other + group[id(p)]
                    group.update((id(q), merged) for q in merged)
        found = {id(g): g for g in group.values()}
        order = {id(p): k for k, p in enumerate(self.packs)}
        return [sorted(g, key=lambda p: (p.at, order[id(p)])) for g in found.values() if any(p.members for p in g)]

    def saved(self, group: list[_Pack]) -> int:
        """How many operations are saved."""
        own = {id(p) for p in self.packs}
        gathered = {id(a[0]) for p in group for a in p.args if isinstance(a, tuple)} - own
        return sum((len(p.members) - 1) * operations_of(p.members[0]) for p in group if p.members) - _GATHER * len(gathered)

    def carry_out(self, group: list[_Pack]) -> None:
        """Write the operations of a group."""
        for p in group:
            if not p.members:
                continue
            last = self.ops[p.at]
            made = Block()
            with Builder(made, last.part, last.loc) as b:
                p.matrix = on_other_operands(b, p.members[0], [self.matrix(b, *a) if isinstance(a, tuple) else a for a in p.args])
                for k, v in enumerate(p.lanes):
                    if v not in self.taken:
                        b.emit(Call(operator.getitem, [p.matrix, Lit(k)], results=[v]))
            self.behind.setdefault(p.at, []).extend(made.ops)
            self.gone.update(map(id, p.members))

    def matrix(self, b: Builder, pack: _Pack, start: int, stop: int) -> Any:
        """Rows of the matrix of a pack."""
        if pack.matrix is None or pack.part is not None:
            length = pack.part.dim if pack.part is not None else _length(pack.lanes)
            if pack.part is not None:
                count, part = pack.part.rows, pack.part
                t = Arr("float64", (Dim(False, ("<const>", count)), length))
                pack.matrix = b.call(np.ndarray.reshape, part.base, count, -1, type=t)
                start, stop = start + part.row, stop + part.row
            else:
                count = len(pack.lanes)
                t = Arr("float64", (Dim(False, ("<const>", count)), length))
                pack.matrix = b.call(np.array, b.build("tuple", pack.lanes), type=t)
        t = pack.matrix.type
        if (start, stop) == (0, t.dims[0].sym[1]):
            return pack.matrix
        rows = Arr(t.dtype, (Dim(False, ("<const>", stop - start)), t.dims[1]))
        return b.call(operator.getitem, pack.matrix, slice(start or None, stop if stop < t.dims[0].sym[1] else None), type=rows)

    def finish(self) -> None:
        """Insert the generated operations into the block, in place of the combined ones."""
        if not self.behind:
            return
        ops: list[Op] = []
        for k, op in enumerate(self.ops):
            if id(op) not in self.gone:
                ops.append(op)
            ops += self.behind.get(k, [])
        read = uses_of(Block([], ops, self.outer.yields))
        self.outer.ops = [op for op in ops if not (op.results and op.results[0] in self.taken and op.results[0] not in read)]


def _with_inner(op: Op) -> list[Op]:
    return [op, *(inner for block in blocks_of(op) for inner in walk(block))]


def _is_number(x: Operand) -> bool:
    t = x.type
    return isinstance(t, Num) and t.kind in ("int", "float") or isinstance(t, Arr) and t.scalar and t.dtype == "float64"


def _is_vector(x: Operand) -> bool:
    """Whether an operand is a vector of float64 that is not one of a single number."""
    t = x.type
    return isinstance(x, Value) and isinstance(t, Arr) and t.dtype == "float64" and len(t.dims) == 1 and t.dims[0].one is False


def _length(vectors: Sequence[Any]) -> Dim:
    """How long vectors of one length are."""
    dims: list[Dim] = [v.type.dims[0] for v in vectors]
    return next((d for d in dims if d.sym is not None), dims[0])


def _lets_go(user: Op, v: Value) -> bool:
    """Whether an operation, with those in its blocks, keeps no reference to an array that it reads."""
    for op in _with_inner(user):
        if any(v in block.yields for block in blocks_of(op)):
            return False
        if v in operands_of(op) and not (only_reads(op) or isinstance(op, GetAttr) or kind_of(op) is not None or isinstance(op, Call) and (
                op.fn is operator.setitem and isinstance(op.args[0].type, Arr) and op.args[0] is not v)):
            return False
    return True
