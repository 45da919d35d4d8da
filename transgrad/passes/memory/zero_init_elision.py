"""Initialize an accumulator with its first addend instead of zeros, if the addend is a local array of the same shape."""
from __future__ import annotations

import operator

import numpy as np

from ...ir.ops import Block, Call, Function, Operand, Value, blocks_of, operands_of
from ...ir.types import Arr
from ..analysis.program_order import owners_in
from ..manager import Property, Stage, optimization
from ..rewriting.substitute import substitute, uses_of
from ..switches import is_on

__all__ = ["elide_zero_initialization"]

_ZEROS = (np.zeros, np.zeros_like)
#: operations that create a new array of the shape of their result
_MAKES = frozenset((operator.matmul, np.outer, operator.add, operator.sub, operator.mul, operator.truediv, operator.neg))


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,))
def elide_zero_initialization(fn: Function) -> bool:
    """Rewrite the derivative part of a finished function in place: it is not differentiated again."""
    for block in (fn.body, *(b for op in owners_in(fn.body) for b in blocks_of(op))):
        _block(block)
    return True


def _block(block: Block) -> None:
    place: dict[Value, int] = {}
    gone: set[int] = set()
    mapping: dict[Value, Operand] = {}
    for k, op in enumerate(block.ops):
        if type(op) is not Call or op.part != "adjoint" or not op.args:
            continue
        if op.fn in _MAKES or op.fn in _ZEROS:
            place[op.results[0]] = k
            continue
        if op.fn is not operator.iadd or op.args[0] not in place or op.args[1] not in place:
            continue
        total, term = op.args
        assert isinstance(total, Value) and isinstance(term, Value)
        first, made = block.ops[place[total]], block.ops[place[term]]
        if not (first.fn in _ZEROS and made.fn in _MAKES and _fit(total, term) and all(map(_is_sure, made.args))):      # type: ignore[union-attr]
            continue
        if _first_user(block, total, place[total] + 1) == k and _is_only_read(block, term, k) and is_on("simplify"):
            term.name = total.name
            gone |= {place.pop(total), k}
            mapping.update(dict.fromkeys((total, *op.results), term))
            del place[term]
    if gone:
        block.ops = [op for k, op in enumerate(block.ops) if k not in gone]
        substitute(block, mapping)


def _first_user(block: Block, v: Value, start: int) -> int:
    """The place of the first operation from ``start`` on that has to do with a value."""
    for k in range(start, len(block.ops)):
        op = block.ops[k]
        if v in (operands_of(op) if type(op) is Call else uses_of(Block([], [op]))):
            return k
    return len(block.ops)


def _is_only_read(block: Block, v: Value, at: int) -> bool:
    """Whether one operation alone reads a value."""
    return v not in uses_of(Block([], [op for k, op in enumerate(block.ops) if k != at], block.yields))


def _is_sure(x: Operand) -> bool:
    """Whether an operand has the dimensions that its type says: an array that is made of an empty list has one."""
    return not isinstance(x.type, Arr) or all(
        d.one is not None or d.sym is not None and not (isinstance(d.sym, tuple) and d.sym[:1] == ("<fresh>",)) for d in x.type.dims)


def _fit(total: Value, term: Value) -> bool:
    if not _is_array(total) or not _is_array(term):
        return False
    pairs = list(zip(total.type.dims, term.type.dims))      # type: ignore[union-attr]
    return len(total.type.dims) == len(term.type.dims) and all(     # type: ignore[union-attr]
        d == e and d.sym is not None or d.one is e.one is False for d, e in pairs)


def _is_array(x: object) -> bool:
    return isinstance(x, Value) and isinstance(x.type, Arr) and bool(x.type.dims) and x.type.dtype == "float64"
