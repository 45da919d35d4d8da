"""Build an array from its rows instead of accumulating each row into zeros.

``s_bar = np.zeros_like(s); s_bar[0] += a; s_bar[1] += b`` becomes ``s_bar = np.array((a, b))``.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, Lit, Op, Value, blocks_of, calls_of
from ...ir.prims import inplace_at
from ...ir.types import ONE, Arr
from ..analysis.alias import AliasClasses
from ..manager import Stage, analysis, optimization
from .in_place_accumulation import collect_uses

__all__ = ["stack_rows"]

#: so many rows are put together at most
_MANY = 10


@optimization(Stage.SIMPLIFY, "simplify", analyses=(AliasClasses,))
def stack_rows(fn: Function) -> bool:
    """Rewrite the derivative part of ``fn`` in place."""
    if any(map(_is_candidate, calls_of(fn.body, np.zeros_like))):
        _block(fn.body, analysis(AliasClasses, fn))
        return True
    return False


def _is_candidate(op: Op) -> bool:
    """Whether an operation makes zeros with a known number of rows."""
    return type(op) is Call and op.fn is np.zeros_like and op.part != "primal" and not op.kwargs and 2 <= _rows(op.result.type) <= _MANY


def _rows(t: Any) -> int:
    """The number of rows of a float64 matrix; 0 if it is not known."""
    if not isinstance(t, Arr) or t.dtype != "float64" or len(t.dims) != 2:
        return 0
    return t.dims[0].known or 0


def _block(block: Block, classes: AliasClasses) -> None:
    for op in block.ops:
        for inner in blocks_of(op):
            _block(inner, classes)
    made = list(filter(_is_candidate, block.ops))
    if not made:
        return
    uses = collect_uses(block.ops, {op.results[0] for op in made})
    for op in made:
        pieces = _pieces(op.result, uses.get(op.result, []), classes)
        if pieces is not None:
            _replace(block, op, pieces)


def _pieces(zeros: Value, uses: list[Op], classes: AliasClasses) -> dict[int, Call] | None:
    """The first uses of zeros, by the first row that they add to, where these are additions to each of the rows once."""
    rows, found, covered = _rows(zeros.type), dict[int, Call](), 0
    for op in uses:
        span = _span(op, zeros, rows)
        if span is None or not isinstance(op, Call):
            return None
        value = op.args[2]
        if not isinstance(value, Value) or classes.is_written(value) or not _fits(value.type, zeros.type, op.args[1], len(span)):
            return None
        if any(first in span or span[0] in range(first, first + _count(other, rows)) for first, other in found.items()):
            return None     # to one of them for the second time
        found[span[0]] = op
        covered += len(span)
        if covered == rows:
            return found
    return None


def _span(op: Op, zeros: Value, rows: int) -> range | None:
    """Which rows an operation adds to; None if it does something else."""
    if type(op) is not Call or op.fn is not inplace_at or op.args[0] is not zeros or op.args[2] is zeros or not isinstance(op.args[1], Lit):
        return None
    place = op.args[1].value
    if op.args[3].value is not operator.iadd:
        return None
    if type(place) is int and -rows <= place < rows:
        return range(place % rows, place % rows + 1)
    span = range(rows)[place] if isinstance(place, slice) and place.step in (None, 1) else None
    return span if span else None


def _count(op: Call, rows: int) -> int:
    span = _span(op, op.args[0], rows)
    return len(span) if span is not None else 0


def _fits(t: Any, whole: Any, place: Lit, count: int) -> bool:
    """Whether a value is as large as the rows that it is added to, so that nothing is broadcast."""
    if not isinstance(t, Arr) or t.dtype != "float64" or not t.dims:
        return False
    have, want = t.dims[-1], whole.dims[1]
    if not (have.one is want.one is not None or have == want and have.sym is not None):
        return False
    if isinstance(place.value, slice):
        return len(t.dims) == 2 and _rows(t) == count or count == 1 and len(t.dims) == 2 and t.dims[0].one is True
    return len(t.dims) == 1


def _replace(block: Block, made: Op, pieces: dict[int, Call]) -> None:
    """Join the rows at the position of the last addition."""
    gone = {id(made), *map(id, pieces.values())}
    last = max(k for k, op in enumerate(block.ops) if id(op) in gone)
    new = Block()
    with Builder(new, block.ops[last].part, block.ops[last].loc) as b:
        ordered = [pieces[k] for k in sorted(pieces)]
        if all(not isinstance(op.args[1].value, slice) for op in ordered):
            b.emit(Call(np.array, [b.build("tuple", [op.args[2] for op in ordered])], results=made.results))
        else:
            parts = [op.args[2] if isinstance(op.args[1].value, slice) else _as_row(b, op.args[2]) for op in ordered]
            b.emit(Call(np.concatenate, [b.build("tuple", parts)], results=made.results))
    block.ops = [op for k, op in enumerate(block.ops) for op in ((*new.ops,) if k == last else () if id(op) in gone else (op,))]


def _as_row(b: Builder, v: Value) -> Any:
    assert isinstance(v.type, Arr)
    return b.call(operator.getitem, v, Lit(None), type=Arr(v.type.dtype, (ONE, *v.type.dims)))
