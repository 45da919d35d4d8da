"""Evaluate an operation for all iterations at once, on arrays with the iterations along the first axis."""
from __future__ import annotations

import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.clone import clone_op
from ....ir.ops import Block, Build, Call, Function, Lit, Op, Operand, Value, operands_of
from ....ir.types import Arr, Dim, Num, TupleT
from ...analysis.alias import AliasClasses
from ...analysis.elementwise import kind_of
from ...batch.unsupported import CannotBatch
from ...rewriting.substitute import substitute, uses_of

__all__ = ["computes", "has_form_for_all", "stacked", "turns_along"]

_JOINS = (np.concatenate, np.array)


def computes(op: Op) -> bool:
    """Whether an operation takes time: it does more than to look at an array in another way."""
    return isinstance(op, Call) and op.fn not in (operator.getitem, np.ndarray.reshape)


def has_form_for_all(op: Op, classes: AliasClasses) -> bool:
    """Whether an operation only computes a float64 array from others that nothing writes to, and can be computed for all iterations at
    once."""
    if isinstance(op, Build):
        return op.kind == "tuple" and len(op.items) > 0 and all(_is_array(i) and not classes.is_written(i) for i in op.items)
    if type(op) is not Call or op.kwargs or len(op.results) != 1 or not _is_array(op.result) or classes.is_written(op.result):
        return False
    if kind_of(op) is not None:
        return all(isinstance(o, Lit) and isinstance(o.type, Num) or _is_array(o) and not classes.is_written(o) for o in operands_of(op))
    first, *rest = op.args or [None]
    if op.fn in _JOINS:
        return not rest and isinstance(first, Value) and isinstance(first.type, TupleT)
    if not isinstance(first, Value) or not _is_array(first) or classes.is_written(first):
        return False
    if op.fn is operator.getitem:
        return isinstance(rest[0], Lit) and (rest[0].value is None or isinstance(rest[0].value, (int, slice)))
    return op.fn is np.ndarray.reshape and all(isinstance(a, Lit) and type(a.value) is int for a in rest)


def _is_array(x: Any) -> bool:
    t = x.type
    return isinstance(t, Arr) and t.dtype == "float64" and bool(t.dims)


def turns_along(t: Any, turns: Dim) -> Arr:
    """The type of the array of all iterations of arrays of a type."""
    return Arr(t.dtype, (turns, *t.dims))


def stacked(fn: Function, b: Builder, ops: Sequence[Op], given: Mapping[Value, Any], wanted: Collection[Value], turns: Dim,
            same: Mapping[Value, Operand] | None = None) -> list[Any]:
    """Write operations for all iterations at once.

    Parameters
    ----------
    fn : Function
        The function that contains them.
    b : Builder
        Writes them.
    ops : sequence of Op
        The operations of an iteration; they are not modified.
    given : mapping of Value to Value
        For the operands from an iteration, the arrays with the iterations along their first axis.
    wanted : collection of Value
        The requested values.
    turns : Dim
        The trip count.
    same : mapping of Value to Operand, optional
        Replacements for loop-invariant values that are computed in the iterations.

    Returns
    -------
    list of Value
        The arrays of all iterations of the requested values.

    Raises
    ------
    CannotBatch
        If an operation has no such form.
    """
    from ...batch.driver import batch  # which most functions need not load
    copies: dict[Value, Operand] = dict(same or {})
    made_of = [clone_op(op, copies) for op in ops]
    fragment = Block(list(given), made_of, [copies.get(v, v) for v in wanted])
    made, facts, size = batch(Function("turns", fragment, names=fn.names, loc=b.loc), list(given), turns)
    if not all(map(facts.batched, fragment.yields)):
        raise CannotBatch("a loop-invariant value")
    substitute(made.body, dict(zip(made.body.params, given.values())))
    arrays: dict[Any, Any] = dict(zip(made.body.params, given.values()))
    read = uses_of(made.body)
    made.body.ops = [op for op in made.body.ops if size not in op.results or size in read]
    for op in made.body.ops:
        op.part, op.loc = b.part, op.loc or b.loc
    b.block.ops += made.body.ops
    return [arrays.get(y, y) for y in made.body.yields]
