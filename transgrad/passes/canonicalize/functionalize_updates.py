"""Rewrite in-place updates of whole arrays without aliases as new values: ``e /= e.sum()`` becomes ``e = e / e.sum()``.

Arrays that are written to need snapshots, and their adjoints are shadows; the adjoint of a value is a sum of terms. Code generation
updates in place again where the old array is dead (`accumulate_in_place`).
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ...ir.effects import aliases, is_known_pure, only_computes, writes
from ...ir.infer import infer
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Try, Value, blocks_of
from ...ir.types import ONE, Arr, Dim, Num
from ..analysis.program_order import owners_in
from ..manager import Stage, optimization
from ..rewriting.substitute import substitute, substitute_op, uses_of
from ..switches import is_on

__all__ = ["functionalize_updates"]

_PLAIN: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul, operator.itruediv: operator.truediv,
    operator.ipow: operator.pow,
}


@optimization(Stage.CANONICALIZE, "simplify")
def functionalize_updates(fn: Function) -> bool:
    """Rewrite a function that is to be differentiated, in place."""
    owners = owners_in(fn.body)
    if any(isinstance(op, Try) for op in owners):
        return False      # a handler sees the changes made so far
    for block in (fn.body, *(b for op in owners for b in blocks_of(op))):
        changed = [op.args[0] for op in block.ops if type(op) is Call and (op.fn in _PLAIN or op.fn is operator.setitem and _is_filled(op))]
        if changed and not {r for op in block.ops for r in op.results}.isdisjoint(changed):
            _block(block)
    return True


def _is_filled(op: Call) -> bool:
    """Whether an operation puts another array into a whole array, as ``np.exp(x, out=x)`` does."""
    return op.fn is operator.setitem and isinstance(op.args[1], Lit) and op.args[1].value is Ellipsis


def _block(block: Block) -> None:
    #: arrays made here that nothing else has been told of
    own: set[Operand] = set()
    mapping: dict[Value, Operand] = {}
    gone: list[Op] = []
    for op in block.ops:
        if mapping:
            substitute_op(op, mapping)
            for inner in blocks_of(op):
                substitute(inner, mapping)
        changes = isinstance(op, Call) and (op.fn in _PLAIN or _is_filled(op))
        if changes and isinstance(op, Call) and op.args[0] in own and _fits(op) and is_on("simplify"):
            base = op.args[0]
            assert isinstance(base, Value)
            if op.fn in _PLAIN:
                new: Operand = Value(base.type, base.name, base.varied or op.args[1].varied)
                names = [*op.results]
                op.fn, op.results, op.spelling = _PLAIN[op.fn], [new], None     # type: ignore[list-item]
            elif op.args[2] in own and _is_read_once(block, op.args[2]):
                new, names = op.args[2], []
                gone.append(op)
            else:
                own -= {*op.args}
                continue
            mapping.update(dict.fromkeys((*(v for v, x in mapping.items() if x is base), base, *names), new))
            own.add(new)
        elif isinstance(op, Call) and is_known_pure(op.fn) and not aliases(op) and not writes(op) and all(
                isinstance(v.type, (Arr, Num)) for v in op.results):
            if only_computes(op):
                own.update(v for v in op.results if isinstance(v.type, Arr))
        elif own:
            own -= uses_of(Block([], [op]))
    if gone:
        block.ops = [op for op in block.ops if op not in gone]
    if mapping:
        block.yields = [mapping.get(y, y) if isinstance(y, Value) else y for y in block.yields]


def _is_read_once(block: Block, v: Operand) -> bool:
    readers = [op for op in block.ops if v in uses_of(Block([], [op]))]
    return len(readers) == 1 and v not in block.yields


def _fits(op: Call) -> bool:
    """Whether the computed value has the type and shape of the array to which it is assigned, as far as their types show."""
    t, other = op.args[0].type, op.args[-1].type
    found = infer(_PLAIN[op.fn], op.args) if op.fn in _PLAIN else other
    if not (isinstance(t, Arr) and isinstance(found, Arr) and t.dims and t.dtype == found.dtype == "float64"):
        return False
    dims = other.dims if isinstance(other, Arr) else ()
    return _stretches(dims, t.dims) if op.fn in _PLAIN else len(dims) == len(t.dims) and ONE not in dims and _stretches(dims, t.dims)


def _stretches(dims: Sequence[Dim], whole: Sequence[Dim]) -> bool:
    return len(dims) <= len(whole) and all(
        d == ONE or d == e and e.sym is not None or d.one is e.one is False for d, e in zip(reversed(dims), reversed(whole)))
