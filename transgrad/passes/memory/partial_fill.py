"""Compute the first update of a part of a large array of zeros in place, and fill only the rest with zeros.

If large allocations are mapped anew at each call, an operand without other uses is computed in that part beforehand. If the array is
returned, it is allocated first, so that the memory of temporaries can be reused by the next call.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.effects import writes
from ...ir.ops import Block, Call, Lit, Op, Operand, Value, blocks_of, operands_of, walk
from ...ir.types import Arr, Num
from ..rewriting.substitute import substitute
from .destination_passing import UFUNC, alike
from .in_place_accumulation import collect_uses, makes_own, only_reads

__all__ = ["fill_at_once"]


def fill_at_once(block: Block, is_large: Callable[[Value], bool], is_asked_for: Callable[[Value], bool]) -> None:
    """Rewrite a block in place; ``is_large`` tells of which arrays it is worth it, ``is_asked_for`` which are asked of the system."""
    pieces = [(k, op) for k, op in enumerate(block.ops) if type(op) is Call and op.fn is operator.setitem and _is_piece(op)]
    if not pieces:
        return
    state = _Filling(block)
    for k, op in pieces:
        base = op.args[0]
        if base in state.place and is_large(base):
            rest = state.leave_out(k, op)
            view = state.compute_there(k, op)
            if rest and view is not None and is_asked_for(base):
                state.begin_there(k, base, view)
    block.ops = [*state.first, *(made for k, op in enumerate(block.ops) for made in state.instead.get(k, [op]))]
    substitute(block, state.swap)


class _Filling:
    """The positions of operations in a block, and their replacements."""

    def __init__(self, block: Block):
        self.block = block
        self.place: dict[Operand, int] = {r: k for k, op in enumerate(block.ops) for r in op.results}
        self.uses: dict[Operand, list[int]] = {}
        for k, op in enumerate(block.ops):
            inside = [o for b in blocks_of(op) for inner in walk(b) for o in operands_of(inner)]
            for o in (*operands_of(op), *inside, *(y for b in blocks_of(op) for y in b.yields)):
                if isinstance(o, Value) and self.uses.setdefault(o, [k])[-1] != k:
                    self.uses[o].append(k)
        self.instead: dict[int, list[Op]] = {}
        self.swap: dict[Value, Operand] = {}
        self.first: list[Op] = []

    def leave_out(self, k: int, op: Call) -> bool:
        """Fill with zeros only the part outside of the piece ``op``, at ``k``; return whether that is possible."""
        base, index, _ = op.args
        zeros = self.block.ops[self.place[base]]
        if not isinstance(zeros, Call) or self.uses[base][0] != k or not _are_zeros(zeros) or (rest := _rest(index.value)) is None:
            return False
        made: list[Op] = []
        with Builder(Block([], made), zeros.part, zeros.loc) as b:
            zeros.fn, zeros.args, zeros.spelling = np.empty, [b.call(len, zeros.args[0], type=Num("int"))], None
        self.instead[self.place[base]] = [*made, zeros]
        self.instead[k] = [op, Call(operator.setitem, [base, Lit(rest), Lit(0.0)], loc=op.loc, part=op.part)]
        return True

    def compute_there(self, k: int, op: Call) -> Value | None:
        """Compute the value of the piece ``op``, at ``k``, in place; return its view, or None if that is not possible."""
        total = op.args[2]
        made = self.place.get(total)
        if made is None or self.uses[total] != [k] or total in self.block.yields or any(
                writes(other) or blocks_of(other) for other in self.block.ops[made + 1:k]):
            return None
        found = _computed_there(op, self.block.ops[made])
        if found is None:
            return None
        self.instead[made] = []
        self.instead[k] = [*found, *self.instead.get(k, [op])[1:]]
        return found[0].result

    def begin_there(self, k: int, base: Value, there: Value) -> None:
        """Compute an operand of a value computed ``there``, at ``k``, in the same memory, if it is dead afterwards."""
        view, computed, *_ = self.instead[k]
        room = self.instead[self.place[base]]
        assert isinstance(computed, Call)
        early = next((made for a in computed.args if (made := self.free(a, k, there)) is not None), None)
        if early is None or early.result in self.swap or not self.are_known(room, at := self.place[early.result]):
            return
        there.name = early.result.name
        self.swap[early.result] = there
        self.instead[self.place[base]] = []
        self.instead[k].remove(view)
        if base in self.block.yields and self.are_known(room, 0):
            for op in room:       # no part of the reverse sweep any more
                op.part = "primal"
            self.first += room
            room = []
        begun = Call(UFUNC.get(early.fn, early.fn), early.args, {"out": there}, loc=early.loc, part=early.part)
        self.instead[at] = [*room, view, begun]

    def free(self, a: Operand, k: int, there: Value) -> Call | None:
        """The operation that makes an array as large as ``there``, element by element, and is dead from ``k`` on; None for other values."""
        made = self.block.ops[self.place[a]] if a in self.place and self.uses[a][-1] < k and a not in self.block.yields else None
        if not isinstance(made, Call) or not makes_own(made, made.results[0]) or made.kwargs or not alike(made.result.type, there.type):
            return None
        ufunc = UFUNC.get(made.fn, made.fn)
        plain = isinstance(ufunc, np.ufunc) and ufunc.signature is None and ufunc.nout == 1
        return made if plain and all(map(only_reads, collect_uses(self.block.ops, {a})[made.result])) else None

    def are_known(self, ops: list[Op], at: int) -> bool:
        """Whether operations read only values available at a position in the block, and each other's results."""
        return all(self.place.get(o, -1) < at for op in ops for o in operands_of(op))


def _is_piece(op: Call) -> bool:
    """Whether the value stored into an array is an array, and its destination a slice of one dimension known at compile time."""
    if op.part == "primal":
        return False
    base, index, total = op.args
    return all(isinstance(x, Value) and type(x.type) is Arr and len(x.type.dims) == 1 and x.type.dtype == "float64"
               for x in (base, total)) and isinstance(index, Lit) and isinstance(index.value, slice)


def _are_zeros(op: Call) -> bool:
    return op.fn is np.zeros_like and len(op.args) == 1 and not op.kwargs


def _rest(piece: slice) -> slice | None:
    """The part of an array outside of a slice; None for other indices."""
    start, stop = piece.start, piece.stop
    if piece.step not in (None, 1):
        return None
    if start in (None, 0) and type(stop) is int and stop < 0:
        return slice(stop, None)
    return slice(None, start) if stop is None and type(start) is int and start > 0 else None


def _computed_there(op: Call, made: Op) -> tuple[Call, Call] | None:
    """The operations that can compute the array for the slice of ``op`` in place; None if that is not possible."""
    base, index, total = op.args
    ufunc: Any = UFUNC.get(made.fn, made.fn) if isinstance(made, Call) else None
    if not isinstance(made, Call) or made.kwargs or not isinstance(ufunc, np.ufunc) or ufunc.signature is not None or ufunc.nout != 1:
        return None
    ops: list[Any] = []
    with Builder(Block([], ops), op.part, op.loc) as b:
        there = b.call(operator.getitem, base, index)
        if not alike(there.type, total.type):
            return None
        b.emit(Call(ufunc, made.args, {"out": there}))
    view, computed = ops
    return view, computed
