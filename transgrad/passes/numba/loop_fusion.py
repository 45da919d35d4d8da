"""Fuse operations on arrays of one shape into loops.

An operation joins an earlier group if it can be moved up to the group, or the group down to it: no result may be needed in between, and
nothing that is read may be written to.
"""
from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Hashable
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.memory import NOTHING, Memory
from ...ir.ops import Block, Build, Call, For, Function, GetAttr, If, Invoke, Lit, Op, Operand, Value, While, blocks_of, operands_of
from ...ir.prims import inplace_at
from ...ir.types import Arr, Dim, Num
from ..analysis.def_use import definitions
from ..manager import Property, Stage, optimization
from ..rewriting.substitute import substitute, uses_of
from ..scalarize.functions.elementwise import NUMBERS, dtype_of, is_elementwise
from .equal_lengths import Lengths
from .forward_stores import compute_from_stored
from .fuse_unbroadcast import fold_into_writes
from .fused_kernel import write_kernel
from .fusion_group import Group, Member, Reduction, Sink, same_dim
from .fusion_members import is_basic, is_measured, is_triangle, reduction, runs_along, starts_of
from .noalias_loops import set_apart
from .residual_arrays import length_like, measured
from .reuse_views import share_views
from .stencil_rows import COMMUTE, Item, same_shape, share_outer_loops
from .stencils import collect_stencils

__all__ = ["fuse_loops"]

#: How many operations a group may be moved over.
_WINDOW = 200
_INPLACE = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul, operator.itruediv: operator.truediv}


@optimization(Stage.LOWER_NUMBA, requires=(Property.FINAL,))
def fuse_loops(fn: Function, kernels: dict[str, Function], parallel: bool = False) -> bool:
    """Rewrite a function in place: groups become calls of functions of their own; those that do the same are one in ``kernels``."""
    _Fusion(fn, kernels, parallel).block(fn.body)
    return True


class _Fusion:
    def __init__(self, fn: Function, kernels: dict[str, Function], parallel: bool):
        self.fn, self.kernels, self.parallel = fn, kernels, parallel
        self.targets = share_views(fn)
        self.folds = fold_into_writes(fn, self.targets)
        self.memory = Memory(fn)
        self.alike = Lengths(fn)
        self.made = definitions(fn)
        self.known: dict[Hashable, int] = {(name, k): n for name, shape in fn.attrs.shapes.items() for k, n in enumerate(shape)}

    def block(self, block: Block, around: tuple[tuple[list[Op], list[Value]], ...] = ()) -> None:
        """Fuse the operations of a block, and of its inner blocks.

        For each loop ``around`` it, outermost first, there is a list for the operations to insert before it, and the values available
        there.
        """
        done: list[Op] = []
        there = list(self.fn.params)
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner, (*around, (done, there)) if isinstance(op, (For, While)) else around)
            done.append(op)
            there += op.results
        block.ops = done
        _measure_operands(block)
        items: list[Item] = []
        for op in block.ops:
            self._place(op, items)
        if not any(item.group for item in items):
            return
        if not self.parallel:
            counts = _reads(block)
            if collect_stencils(items, self.memory, self._base, counts):
                self._merge(items)
            compute_from_stored(items, self.memory, counts)
            share_outer_loops(items, self.memory)
        read_after: list[set[Any]] = []
        after = set(block.yields)
        for item in reversed(items):
            read_after.append(after)
            after = after | item.reads
        ops: list[Op] = []
        swap: dict[Value, Operand] = {}
        for item, after in zip(items, reversed(read_after)):
            if item.group is None:
                assert item.op is not None
                ops.append(item.op)
            else:
                item.group.outputs = [v for v in item.group.results() if v in after]
                self._reuse(item.group, block, items, around)
                self._call(item.group, ops, swap, bool(around))
        block.ops = ops
        substitute(block, swap)

    # -- groups

    def _place(self, op: Op, items: list[Item]) -> None:
        """Add an operation to a group, or behind all others."""
        reads = set(operands_of(op))
        for inner in blocks_of(op):
            reads |= uses_of(inner)
        item = Item(op, None, reads, set(op.results), self.memory.effect(op))
        member, dims = self._member(op)
        if member is None:
            items.append(item)
            return
        if isinstance(member, Sink):
            item.reads = {member.target, member.value}
        own = Group(dims, [member])
        at = self._join(own, item, items)
        if at is None:
            item.op, item.group = None, own
            items.append(item)
            at = len(items) - 1
        self._merge_before(items, at)

    def _join(self, own: Group, item: Item, items: list[Item]) -> int | None:
        """Put a group of one into a group before it, if it may; its place."""
        between = Item(None, None, set(), set(), NOTHING)
        can_rise, can_sink_over = True, True
        for at in range(len(items) - 1, max(len(items) - _WINDOW, -1), -1):
            other = items[at]
            if other.group is not None and self._fits(other, item, own):
                rises = can_rise and not (item.reads & between.defines)
                sinks = can_sink_over and not (between.reads & other.defines) and not between.effect.conflicts(other.effect) \
                    and not (other.reads & between.defines)
                if rises or sinks:
                    other.group.members += own.members
                    other.reads |= item.reads
                    other.defines |= item.defines
                    other.effect = other.effect | item.effect
                    if not rises:
                        items.append(items.pop(at))
                        at = len(items) - 1
                    return at
            between.reads |= other.reads
            between.defines |= other.defines
            between.effect = between.effect | other.effect
            can_rise = can_rise and not other.effect.conflicts(item.effect)
            if between.effect.opaque:
                return None
        return None

    def _merge_before(self, items: list[Item], at: int) -> None:
        """Sink an earlier group of the same shape, which the one at ``at`` reads or shares an input with, into it."""
        item = items[at]
        assert item.group is not None
        between = Item(None, None, set(), set(), NOTHING)
        for k in range(at - 1, max(at - _WINDOW, -1), -1):
            other = items[k]
            if other.group is not None and self._fits(other, item, item.group) and not (between.reads & other.defines) \
                    and not (other.reads & between.defines) and not between.effect.conflicts(other.effect):
                item.group.members[:0] = other.group.members
                item.reads |= other.reads
                item.defines |= other.defines
                item.effect = other.effect | item.effect
                del items[k]
                continue
            between.reads |= other.reads
            between.defines |= other.defines
            between.effect = between.effect | other.effect
            if between.effect.opaque:
                return

    def _merge(self, items: list[Item]) -> None:
        """Merge groups that nothing separates any more."""
        at = len(items) - 1
        while at > 0:
            if items[at].group is not None:
                behind = len(items) - at
                self._merge_before(items, at)
                at = len(items) - behind
            at -= 1

    def _fits(self, first: Item, second: Item, group: Group) -> bool:
        """Whether two groups can be one: the same shape, no sum that is read, no write that the other sees."""
        one = first.group
        assert one is not None
        if len(one.dims) != len(group.dims) or one.gathered or group.gathered or not same_shape(one, group):
            return False
        sums = {m.op.result for m in one.members if isinstance(m, Reduction)}
        if sums & second.reads:
            return False
        return self._apart(one, group) and self._apart(group, one)

    def _apart(self, one: Group, other: Group) -> bool:
        """Whether nothing that one of them writes to is in memory that the other reads or writes at another place."""
        def free(m: Sink, k: Sink) -> bool:
            if self._elsewhere(m.target, k.target):
                return True
            if m.fn not in COMMUTE or k.fn not in COMMUTE or m.target is k.target and bool(m.like) != bool(k.like):
                return False
            # additions to overlapping parts remain in sequence: in one loop, each iteration would wait for the previous one
            return m.target is k.target or not (self._is_literal(m.target) and self._is_literal(k.target))

        n, written = len(one.dims), [k for k in other.members if isinstance(k, Sink)]
        return all(self._harmless(m, v, n) for m in one.members if isinstance(m, Sink) for v in other.read()) and all(
            self._harmless(m, k.target, n) or free(m, k) for m in one.members if isinstance(m, Sink) for k in written)

    def _is_literal(self, v: Value) -> bool:
        """Whether it is known at compile time which part of an array this is."""
        taken = self._part(v)
        return taken is None or all(i is None or isinstance(i, Lit) for i in taken[1])

    def _elsewhere(self, v: Value, u: Value) -> bool:
        """Whether two inputs are parts of one array that have no element in common: their numbers along one of its dimensions differ."""
        one, other = self._part(v), self._part(u)
        return one is not None and other is not None and one[0] is other[0] and any(
            isinstance(i, Lit) and isinstance(j, Lit) and type(i.value) is type(j.value) is int
            and i.value != j.value and (i.value < 0) == (j.value < 0) for i, j in zip(one[1], other[1]))

    def _harmless(self, m: Sink, v: Value, n: int) -> bool:
        """Whether a loop may write by ``m`` and read or write ``v`` as well."""
        t = m.target.type
        assert isinstance(t, Arr)
        if not isinstance(v.type, Arr) or not v.type.dims or not self.memory.may_share(m.target, v) or self._elsewhere(m.target, v):
            return True
        return m.target is v and len(t.dims) == n and m.like is None

    def _member(self, op: Op) -> tuple[Member | None, tuple[Dim, ...]]:
        """The role of an operation in a group, and the shape of its iteration space."""
        if not isinstance(op, Call):
            return None, ()
        if is_elementwise(op) or is_triangle(op):
            t = op.result.type
            assert isinstance(t, Arr)
            if all(runs_along(a, t.dims) for a in op.args) and is_measured(op.args, t.dims):
                return op, t.dims
            return None, ()
        found: Reduction | Sink | None = reduction(op)
        if isinstance(found, Reduction):
            t = found.terms[0].type
            assert isinstance(t, Arr)
            return found, t.dims
        found = self._sink(op)
        if found is None:
            return None, ()
        assert isinstance(found.target.type, Arr)
        dims, given = found.target.type.dims, found.value.type.dims if isinstance(found.value.type, Arr) else ()
        start = len(dims) - len(given)      # an operand that is not stretched determines the length of its target
        return found, tuple(given[k - start] if d.one is None and k >= start and given[k - start].one is False else d
                            for k, d in enumerate(dims))

    def _sink(self, op: Call) -> Sink | None:
        """A write to all elements of an array or of a view of it."""
        if op.fn in _INPLACE and len(op.args) == 2 and not (op.results and op.result in self._results_read()):
            target, value, fn = op.args[0], op.args[1], _INPLACE[op.fn]
        elif op.fn is inplace_at and op.args[3].value in _INPLACE and is_basic(op.args[1], op.args[0]):
            target, value, fn = self.targets.get(id(op)), op.args[2], _INPLACE[op.args[3].value]
        elif op.fn is operator.setitem and is_basic(op.args[1], op.args[0]):
            target, value, fn = self.targets.get(id(op)), op.args[2], None
        else:
            return None
        if not isinstance(target, Value) or not isinstance(target.type, Arr) or not target.type.dims or target.type.dtype not in NUMBERS:
            return None
        t = target.type
        kinds = [np.dtype(str(d)).kind for d in (t.dtype, dtype_of(value)) if d is not None]
        if len(kinds) < 2 or kinds[0] in "biu" or kinds[1] not in "fiu" and kinds[0] != kinds[1] or not self._covers(value, t.dims):
            return None
        if isinstance(value.type, Arr) and value.type.dims and value is not target and self.memory.may_share(op.args[0], value):
            return None
        return Sink(op, target, value, fn, self.folds.get(id(op)))

    def _covers(self, value: Operand, dims: tuple[Dim, ...]) -> bool:
        """Whether the mapping from the dimensions of a written value to those of its target is known."""
        if isinstance(value.type, Arr) and len(value.type.dims) <= len(dims):
            own = value.type.dims
            dims = tuple(e if d.one is None and e.one is False else d for d, e in zip(dims[len(dims) - len(own):], own))
        return runs_along(value, dims)

    def _results_read(self) -> set[Any]:
        if not hasattr(self, "_read"):
            self._read = uses_of(self.fn.body)
        return self._read

    def _part(self, v: Value) -> tuple[Value, tuple[Operand | None, ...]] | None:
        """The array that an input is a part of, and the index along each of its dimensions; None if the part is whole."""
        made = self.made.get(v)
        if not isinstance(made, Call) or made.fn is not operator.getitem or not isinstance(made.args[0], Value):
            return None
        base, index = made.args
        if not isinstance(base.type, Arr) or not isinstance(v.type, Arr) or not v.type.dims:
            return None
        listed = self.made.get(index) if isinstance(index, Value) else None
        given = index.value if isinstance(index, Lit) else None
        parts: list[Any] = list(listed.items) if isinstance(listed, Build) and listed.kind == "tuple" else list(
            map(Lit, given)) if isinstance(given, tuple) else [index]
        if not all(isinstance(p, (Value, Lit)) and (_is_slice(p) or isinstance(p.type, Num) and p.type.kind == "int") for p in parts):
            return None
        places = [None if isinstance(p, Lit) and p.value == slice(None) else p for p in parts]
        places += [None] * (len(base.type.dims) - len(places))
        outer = self._part(base)
        if outer is None or any(p is not None and _is_slice(p) for p in outer[1]):
            return base, tuple(places)
        own = iter(places)
        return outer[0], tuple(next(own) if i is None else i for i in outer[1])

    def _base(self, v: Value) -> tuple[Value, tuple[int, ...]] | None:
        """The array that an input is a part of, and where the part begins."""
        made = self.made.get(v)
        t = v.type
        if not isinstance(made, Call) or made.fn is not operator.getitem or not isinstance(t, Arr) or not t.dims:
            return None
        base, index = made.args
        if not isinstance(base, Value) or not isinstance(base.type, Arr) or len(base.type.dims) != len(t.dims):
            return None
        starts = starts_of(self._literal(index), len(t.dims))
        return None if starts is None else (base, starts)

    def _literal(self, index: Operand) -> Any:
        """The value of a literal index; None for others."""
        if isinstance(index, Lit):
            return index.value
        made = self.made.get(index)
        if not isinstance(made, Build) or made.kind not in ("tuple", "slice"):
            return None
        parts = [self._literal(i) for i in made.items]
        if made.kind == "tuple":
            return tuple(parts)
        return slice(*parts) if all(isinstance(i, Lit) for i in made.items[::2]) else None

    # -- calls

    def _call(self, group: Group, ops: list[Op], swap: dict[Value, Operand], repeated: bool) -> None:
        """Call the function of a group where the group stood, in a loop or not."""
        if not group.outputs and not group.into and not any(isinstance(m, Sink) for m in group.members):
            return
        group.bases = {v: found for v in group.inputs() if not group.stretches(v) and (found := self._base(v)) is not None and (
            group.gathered or len(found[1]) > 1)}
        group.parts = {v: taken for v in group.inputs() if v not in group.bases and (taken := self._part(v)) is not None}
        written = any(isinstance(m, Sink) for m in group.members)
        precise = not group.turns or written
        name = f"{self.fn.name.removesuffix('_native')}_loop_{len(self.kernels) + 1}"
        kernel = self._kernel(group, name, precise, repeated)
        first = group.members[0]
        loc, part = (first.loc, first.part) if isinstance(first, Call) else (first.op.loc, first.op.part)
        results = list(group.outputs)
        args: list[Operand] = list(group.inputs())
        swap.update(group.into)
        for m in group.members:
            if isinstance(m, Sink) and m.op.results:
                swap[m.op.result] = m.target
        if precise:
            ops.append(Invoke(kernel, args, results=results, loc=loc, part=part))
            return
        # angles were too large: all of it again, with the C library's functions
        fast = [Value(r.type, r.name) for r in results]
        far = Value(Num("bool"), "far")
        ops.append(Invoke(kernel, args, results=[*fast, far], loc=loc, part=part))
        again = self._kernel(group, f"{kernel.name}_precise", True, repeated=False)
        slow = [Value(r.type, r.name) for r in results]
        then = Block([], [Invoke(again, list(args), results=slow, loc=loc, part=part)], list(slow))
        ops.append(If(far, then, Block([], [], list(fast)), results=results, loc=loc, part=part))

    def _reuse(self, group: Group, block: Block, items: list[Item], around: tuple[tuple[list[Op], list[Value]], ...]) -> None:
        """Keep results that nothing but loops of the same iteration read in arrays made once, before the loop."""
        if group.turns:
            return
        for v in list(group.outputs):
            t = v.type
            summed = any(isinstance(m, Reduction) and v in m.op.results for m in group.members)
            if summed or v in block.yields or not isinstance(t, Arr) or any(item.group is None and v in item.reads for item in items):
                continue
            for before, known in around:
                room = Block()
                with Builder(room) as b:
                    lengths = [self._length(b, v, k, known, block) for k in range(len(t.dims))]
                    if any(n is None for n in lengths):
                        continue
                    shape = lengths[0] if len(lengths) == 1 else b.build("tuple", lengths)
                    dtype = [] if t.dtype == "float64" else [Lit(np.dtype(t.dtype).type)]
                    array = b.call(np.empty, shape, *dtype, type=t, name=v.name or "buffer")
                before += room.ops
                group.into[v] = array
                group.outputs.remove(v)
                break

    def _length(self, b: Builder, v: Value, k: int, known: list[Value], block: Block) -> Operand | None:
        """A length of an array, read from one that has the same by its type, or wherever the block has run."""
        assert isinstance(v.type, Arr)
        found = length_like(b, v.type.dims[k], known)
        return found if found is not None else next((measured(b, u, j) for u in known if isinstance(u.type, Arr)
                                                     for j in range(len(u.type.dims)) if self.alike.same(v, k, u, j, block)), None)

    def _kernel(self, group: Group, name: str, precise: bool, repeated: bool) -> Function:
        """The function of a group; one that was written before, where it does the same."""
        kernel = write_kernel(group, name, precise, self.parallel)
        same = re.sub(r"(%\d+)\.\w+", r"\1", str(kernel).partition("(")[2])
        if self.parallel:
            kernel.attrs.njit = {"parallel": True}
        else:
            apart = set_apart(kernel, group, self.memory, repeated, self.known)
            same += " repeated" * repeated + " apart" * apart
        return self.kernels.setdefault(same, kernel)


def _measure_operands(block: Block) -> None:
    """Read lengths from operands instead of results, which then need not be there as arrays."""
    made: dict[Value, Value] = {}
    for op in block.ops:
        if isinstance(op, Call) and is_elementwise(op):
            t: Any = op.result.type
            like = next((a for a in op.args if isinstance(a, Value) and isinstance(a.type, Arr) and len(a.type.dims) == len(t.dims) and all(
                same_dim(d, e) or d.one and e.one for d, e in zip(a.type.dims, t.dims))), None)
            if like is not None:
                made[op.result] = made.get(like, like)
        elif isinstance(op, GetAttr) and op.name in ("size", "shape", "ndim") and op.obj in made:
            op.obj = made[op.obj]
        elif isinstance(op, Call) and op.fn is len and op.args[0] in made:
            op.args = [made[op.args[0]]]


def _reads(block: Block) -> Counter[Any]:
    """The number of reads of each value in a block; a read in an inner block counts more than once."""
    counts: Counter[Any] = Counter(block.yields)
    for op in block.ops:
        counts.update(operands_of(op))
        for inner in blocks_of(op):
            counts.update([*uses_of(inner)] * 2)
    return counts


def _is_slice(o: Operand) -> bool:
    return isinstance(o.value, slice) if isinstance(o, Lit) else getattr(o.type, "cls", None) is slice
