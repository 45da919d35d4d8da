"""Reuse the buffers of dead arrays.

A new array costs an allocation, and for a large array the kernel maps new pages at each call. Sizes are those of the arguments for which
code is generated, under a guard. NumPy itself reuses the buffers of large temporaries in some operators; these are left alone.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.effects import aliases, only_computes, writes
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Try, Value, blocks_of, operands_of
from ...ir.prims import unpack
from ...ir.types import Arr, Dim
from ..analysis.def_use import definitions_in
from ..analysis.program_order import owners_in
from ..manager import Property, Stage, optimization
from ..rewriting.substitute import substitute
from ..switches import is_on
from .destination_passing import UFUNC, alike
from .in_place_accumulation import MASKS, collect_uses, makes_own, only_reads
from .partial_fill import fill_at_once
from .product_order import multiply_by_factors
from .schedule_reads import read_before_written_over
from .sink_definitions import compute_late

__all__ = ["reuse_buffers"]

#: how many numbers an array has at least that is worth writing over (NumPy keeps the memory of smaller ones for the next); whose memory
#: is asked of the system; and that NumPy writes over by itself
_WORTH, _LARGE, _ELIDED = 1 << 9, 1 << 14, 1 << 15
#: how many arrays a function makes at least for it to matter when it lets go of them
_MANY = 4
_INPLACE = {operator.add: operator.iadd, operator.sub: operator.isub, operator.mul: operator.imul, operator.truediv: operator.itruediv}
#: the number of operands that NumPy overwrites if they are temporaries
_BY_ITSELF = {operator.add: 2, operator.mul: 2, operator.sub: 1, operator.truediv: 1, operator.neg: 1, operator.pow: 1}


@optimization(Stage.LOWER_NUMPY, "reuse", requires=(Property.FINAL,))
def reuse_buffers(fn: Function) -> bool:
    """Rewrite a finished function in place.

    If the code would differ for larger arguments, a guard restricts it to arguments that are no larger.
    """
    shapes: dict[Any, tuple[int, ...]] = fn.attrs.shapes
    if not is_on("reuse") or not shapes or any(isinstance(op, Try) for op in owners_in(fn.body)):
        return False
    state = _Reuse(fn, shapes)
    state.block(fn.body)
    fn.attrs.large = state.large(fn)
    if state.guards:
        fn.attrs.add_guards(state.guards.values())
    return True


class _Reuse:
    def __init__(self, fn: Function, shapes: dict[Any, tuple[int, ...]]):
        self.fn = fn
        self.lengths: dict[Any, int] = {(name, k): n for name, shape in shapes.items() for k, n in enumerate(shape)}
        self.guards: dict[Any, Guard] = {}
        #: by the identity of the dimensions, which are held beside: arrays have them from each other
        self._sizes: dict[int, tuple[tuple[Dim, ...], int]] = {}
        self._guarded: set[tuple[int, int]] = set()

    def size(self, v: Operand) -> int:
        """The number of elements of an array in the first call; 0 if it is not known."""
        assert isinstance(v.type, Arr)
        dims = v.type.dims
        found = self._sizes.get(id(dims))
        if found is not None:
            return found[1]
        size = 1
        for d in dims:
            if not d.one:
                known, first = d.known, self.lengths.get(d.sym, 0)
                size *= max(known if known is not None else first + d.off if first else 0, 0)
        self._sizes[id(dims)] = dims, size
        return size

    def is_large(self, v: Operand, least: int | None = None) -> bool:
        """Whether an array is large; of one that is not, it is checked at each call that no length alone makes it so."""
        least = _WORTH if least is None else least
        assert isinstance(v.type, Arr)
        size, asked = self.size(v), (id(v.type.dims), least)
        if 0 < size < least and asked not in self._guarded:
            self._guarded.add(asked)
            found: list[Any] = [d.sym for d in v.type.dims if d.sym in self.lengths]
            for sym in found:
                most = int(self.lengths[sym] * (least / size) ** (1.0 / found.count(sym)))
                known = self.guards.get(sym)
                self.guards[sym] = Guard("narrow", sym[0], sym[1], most if known is None else min(most, known.expected))
        return size >= least

    def large(self, fn: Function) -> dict[Value, int]:
        """How large the arrays are, of those that are large; 0 for a view of another one."""
        arrays = {v: op for op in fn.body.ops for v in op.results if type(v.type) is Arr and not v.type.scalar and self.size(v)}
        if len(arrays) < _MANY:
            return {}
        views = {v for v, op in arrays.items()
                 if type(op) is Call and op.fn is unpack or not only_computes(op) and aliases(op) and not writes(op)}
        if len(arrays) - len(views) < _MANY:
            return {}
        return {v: 0 if v in views else self.size(v) for v in arrays
                if (self.size(v) >= _LARGE if v in views else self.is_large(v, _LARGE))}

    def block(self, block: Block) -> None:
        for op in block.ops:
            if type(op) is not Call:
                for inner in blocks_of(op):
                    self.block(inner)
        compute_late(self.fn, block, lambda v: type(v.type) is Arr and self.size(v) >= _LARGE)
        fill_at_once(block, lambda v: self.size(v) > 0 and self.is_large(v), lambda v: self.is_large(v, _LARGE))
        makers = definitions_in(block.ops)
        candidates = self.candidates(block, makers)
        shapes = {id(getattr(op.result.type, "dims", ())): op.result for op in candidates}      # many have the same
        if not [v for v in shapes.values() if self.is_large(v)]:
            return
        if multiply_by_factors(block, self.size, lambda v: self.is_large(v, _LARGE)):
            makers = definitions_in(block.ops)
            candidates = self.candidates(block, makers)
        read_before_written_over(block, candidates, makers, lambda v: type(v.type) is Arr and self.size(v) >= _LARGE)
        uses = collect_uses(block.ops, {o for op in candidates for o in (*operands_of(op), *op.results)})
        kept = set(block.yields)
        now: dict[Value, Value] = {}        # the array that a value is in by now
        done: set[int] = set()
        own: set[Value] = set()             # results stored in memory that no other code reads any more
        for op in candidates:
            for place, a in enumerate(op.args):
                if op.fn in MASKS and place < len(op.args) - 1:
                    continue        # looked at again when the first numbers have been written
                old = now.get(a, a) if isinstance(a, Value) else None
                if old is None or old in kept or op.args.count(a) > 1 or not alike(a.type, op.result.type):
                    continue
                if uses[old][-1] is not op or not (old in own or makes_own(makers.get(old), old)) or not all(
                        id(user) in done or only_reads(user) for user in uses[old]):
                    continue
                names = {old.name, op.result.name} - {None}
                if not self.is_large(op.result):
                    continue
                # a value that was read without a name does not get the name of another value
                read = old.name is None and any(user is not op and id(user) not in done for user in uses[old])
                if len(names) > 1 or names and (read or makers[old].part != op.part):
                    if op.part == "adjoint" and op.fn is not operator.pow:      # under its own name, in the other one's memory
                        op.fn, op.kwargs = UFUNC.get(op.fn, op.fn), {"out": old}
                        done.add(id(op))
                        own.add(op.result)
                        break
                    continue
                written = self.over(op, place, len(uses[old]) == 1 and old.name is None and old is a)
                if written is None:
                    continue
                block.ops[block.ops.index(op)] = written
                done.add(id(written))
                old.name = old.name or op.result.name
                now[op.result] = old
                for x in operands_of(op):
                    if isinstance(x, Value):
                        found = uses[now.get(x, x)]
                        found[found.index(op)] = written
                uses[old] = [*uses[old], *uses.pop(op.result, [])]
                if op.result in kept:
                    kept.add(old)
                break
        substitute(block, dict(now))

    def candidates(self, block: Block, makers: dict[Value, Op]) -> list[Call]:
        """The operations that compute an array element by element, from one that was made in the same block."""
        return [op for op in block.ops if type(op) is Call and len(op.results) == 1 and type(op.results[0].type) is Arr
                and self.is_candidate(op, makers)]

    def is_candidate(self, op: Call, makers: dict[Value, Op]) -> bool:
        """Whether a call is one of them."""
        t = op.result.type
        if op.kwargs or not isinstance(t, Arr) or not t.dims or t.dtype != "float64":
            return False
        if not (op.fn in UFUNC or op.fn in MASKS or isinstance(op.fn, np.ufunc) or op.fn is operator.pow and _is_two(op.args[1])):
            return False
        if not any(type(a) is Value and makes_own(makers.get(a), a) for a in op.args):
            return False
        ufunc = UFUNC.get(op.fn, op.fn)
        return op.fn is operator.pow or op.fn in MASKS or ufunc.signature is None and ufunc.nout == 1

    def over(self, op: Call, place: int, nameless: bool) -> Call | None:
        """The operation, written over one of its operands; None if NumPy does so by itself."""
        if nameless and self.size(op.result) >= _ELIDED and _BY_ITSELF.get(op.fn, 0) > place:
            return None
        a, rest = op.args[place], [*op.args[:place], *op.args[place + 1:]]
        if op.fn is operator.pow:
            return Call(operator.imul, [a, a], loc=op.loc, part=op.part)
        if op.fn in _INPLACE and (place == 0 or op.fn in (operator.add, operator.mul)):
            return Call(_INPLACE[op.fn], [a, *rest], loc=op.loc, part=op.part)
        return Call(UFUNC.get(op.fn, op.fn), op.args, {"out": a}, loc=op.loc, part=op.part)


def _is_two(x: Operand) -> bool:
    return isinstance(x, Lit) and type(x.value) in (int, float) and x.value == 2
