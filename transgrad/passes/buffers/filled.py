"""A large array of zeros whose first use is to be written to in part: the result is computed there, and zeros are put in the rest only."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.effects import writes
from ...ir.ops import Block, Call, Lit, Op, Operand, Value, blocks_of, operands_of, walk
from ...ir.types import Arr, Num
from .into import UFUNC, alike

__all__ = ["fill_at_once"]


def fill_at_once(block: Block, is_large: Callable[[Value], bool]) -> None:
    """Rewrites a block in place; ``is_large`` tells of which arrays it is worth it."""
    pieces = {id(op) for op in block.ops if type(op) is Call and op.fn is operator.setitem and _is_piece(op)}
    if not pieces:
        return
    place = {r: k for k, op in enumerate(block.ops) for r in op.results}
    uses: dict[Operand, list[int]] = {}
    for k, op in enumerate(block.ops):
        inside = [o for b in blocks_of(op) for inner in walk(b) for o in operands_of(inner)]
        for o in (*operands_of(op), *inside, *(y for b in blocks_of(op) for y in b.yields)):
            if isinstance(o, Value) and uses.setdefault(o, [k])[-1] != k:
                uses[o].append(k)
    instead: dict[int, list[Op]] = {}
    for k, op in enumerate(block.ops):
        if not isinstance(op, Call) or id(op) not in pieces:
            continue
        base, index, total = op.args
        if base not in place or not is_large(base):
            continue
        zeros = block.ops[place[base]]
        if isinstance(zeros, Call) and uses[base][0] == k and _are_zeros(zeros) and (rest := _rest(index.value)) is not None:
            made: list[Op] = []
            with Builder(Block([], made), zeros.part, zeros.loc) as b:
                zeros.fn, zeros.args, zeros.spelling = np.empty, [b.call(len, zeros.args[0], type=Num("int"))], None
            instead[place[base]] = [*made, zeros]
            instead[k] = [op, Call(operator.setitem, [base, Lit(rest), Lit(0.0)], loc=op.loc, part=op.part)]
        if uses[total] == [k] and total not in block.yields and total in place and (
                not any(writes(other) or blocks_of(other) for other in block.ops[place[total] + 1:k])):
            inside_of = _computed_there(op, block.ops[place[total]])
            if inside_of:
                instead[place[total]] = []
                instead[k] = [*inside_of, *instead.get(k, [op])[1:]]
    block.ops = [made for k, op in enumerate(block.ops) for made in instead.get(k, [op])]


def _is_piece(op: Call) -> bool:
    """Whether what is put into an array is an array, and goes to a slice, known when compiling, of one dimension."""
    if op.part == "primal":
        return False
    base, index, total = op.args
    return all(isinstance(x, Value) and type(x.type) is Arr and len(x.type.dims) == 1 and x.type.dtype == "float64"
               for x in (base, total)) and isinstance(index, Lit) and isinstance(index.value, slice)


def _are_zeros(op: Call) -> bool:
    return op.fn is np.zeros_like and len(op.args) == 1 and not op.kwargs


def _rest(piece: slice) -> slice | None:
    """What of an array a slice leaves out; None where that is no slice."""
    start, stop = piece.start, piece.stop
    if piece.step not in (None, 1):
        return None
    if start in (None, 0) and type(stop) is int and stop < 0:
        return slice(stop, None)
    return slice(None, start) if stop is None and type(start) is int and start > 0 else None


def _computed_there(op: Call, made: Op) -> list[Op] | None:
    """What computes the array that ``op`` puts into a slice there; None where it cannot be."""
    base, index, total = op.args
    ufunc: Any = UFUNC.get(made.fn, made.fn) if isinstance(made, Call) else None
    if not isinstance(made, Call) or made.kwargs or not isinstance(ufunc, np.ufunc) or ufunc.signature is not None or ufunc.nout != 1:
        return None
    ops: list[Op] = []
    with Builder(Block([], ops), op.part, op.loc) as b:
        there = b.call(operator.getitem, base, index)
        if not alike(there.type, total.type):
            return None
        b.emit(Call(ufunc, made.args, {"out": there}))
    return ops
