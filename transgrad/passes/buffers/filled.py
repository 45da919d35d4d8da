"""A large array of zeros whose first use is to be written to in part: the result is computed there, and zeros are put in the rest only.

Where memory is asked of the system for each such array, an operand that nothing else needs is computed there before.
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
from ..substitute import substitute
from .accumulate import collect_uses, makes_own, only_reads
from .into import UFUNC, alike

__all__ = ["fill_at_once"]


def fill_at_once(block: Block, is_large: Callable[[Value], bool], is_asked_for: Callable[[Value], bool]) -> None:
    """Rewrites a block in place; ``is_large`` tells of which arrays it is worth it, ``is_asked_for`` which are asked of the system."""
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
    swap: dict[Value, Operand] = {}
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
                view, computed = inside_of
                instead[place[total]] = []
                instead[k] = [*inside_of, *instead.get(k, [op])[1:]]
                early = None
                if place[base] in instead and is_asked_for(base):
                    early = _free_operand(block, computed, place, {a for a in computed.args if isinstance(a, Value) and uses[a][-1] < k})
                if early is not None and early.result not in swap and _are_known(instead[place[base]], place, at := place[early.result]):
                    there = view.result
                    there.name = early.result.name
                    swap[early.result] = there
                    first = Call(UFUNC.get(early.fn, early.fn), early.args, {"out": there}, loc=early.loc, part=early.part)
                    instead[at] = [*instead[place[base]], view, first]
                    instead[k].remove(view)
                    instead[place[base]] = []
    block.ops = [made for k, op in enumerate(block.ops) for made in instead.get(k, [op])]
    substitute(block, swap)


def _free_operand(block: Block, op: Call, place: dict[Value, int], free: set[Value]) -> Call | None:
    """What makes an operand, as large as the result, that is among those which nothing reads again; None where there is none."""
    there = op.kwargs["out"]
    for a in op.args:
        made = block.ops[place[a]] if a in free and a in place else None
        if not isinstance(made, Call) or a in block.yields or not makes_own(made, a) or made.kwargs or not alike(a.type, there.type):
            continue
        ufunc = UFUNC.get(made.fn, made.fn)
        if isinstance(ufunc, np.ufunc) and ufunc.signature is None and ufunc.nout == 1 and all(
                only_reads(user) for user in collect_uses(block.ops, {a})[a]):
            return made
    return None


def _are_known(ops: list[Op], place: dict[Value, int], at: int) -> bool:
    """Whether operations read only what there is before a place in a block, beside each other's results."""
    return all(place.get(o, -1) < at for op in ops for o in operands_of(op) if isinstance(o, Value))


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


def _computed_there(op: Call, made: Op) -> tuple[Call, Call] | None:
    """What computes the array that ``op`` puts into a slice there; None where it cannot be."""
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
