"""If only the shape of an array is read, read it from an operand with the same shape, so that the array need not be computed."""
from __future__ import annotations

import operator
from collections import Counter
from typing import Any, TypeGuard

import numpy as np

from ...ir.ops import Build, Call, Function, GetAttr, Lit, Op, Operand, Value, count_reads, walk
from ...ir.types import Arr
from ...runtime import unbroadcast
from ..analysis.def_use import definitions_in
from ..manager import Stage, optimization
from ..memory.destination_passing import UFUNC
from ..rewriting.substitute import substitute_op

__all__ = ["read_shapes_from_operands", "is_elementwise"]

_LIKE = (np.zeros_like, np.ones_like, np.empty_like)
#: element-wise operations that are not ufuncs, and those that select elements
_PICKING = (operator.pow, operator.getitem)
_ASKING = frozenset((*_LIKE, len, unbroadcast))


@optimization(Stage.SIMPLIFY, "simplify")
def read_shapes_from_operands(fn: Function) -> bool:
    """Rewrite ``fn`` in place."""
    ops = list(walk(fn.body))
    asking = [op for op in ops if type(op) is GetAttr or type(op) is Call and op.fn in _ASKING]
    queries = {op: array for op in asking if (array := _asked(op)) is not None}
    if not queries:
        return False
    shapes = {op.result: op for op in queries if isinstance(op, GetAttr)}
    if shapes:
        _flatten(ops, shapes)
    arrays = set(queries.values())
    if not any(not arrays.isdisjoint(op.results) and _is_source(op) for op in ops):
        return bool(shapes)
    makers: dict[Value, Op] = definitions_in(ops)
    reads = count_reads(fn)
    reads.subtract(queries.values())        # a value of which only the shape is used is not read
    for op, array in queries.items():
        found = _twin(array, makers, reads, like=isinstance(op, Call) and op.fn in _LIKE)
        if found is not array:
            substitute_op(op, {array: found})
    return True


def _flatten(ops: list[Op], queries: dict[Value, GetAttr]) -> None:
    """``np.reshape(g, v.shape)`` of a derivative is ``g.reshape(-1)`` where ``v`` is a vector."""
    for op in ops:
        if type(op) is Call and op.fn is np.reshape and op.part != "primal" and not op.kwargs and len(op.args) == 2:
            t, asked = op.args[0].type, queries.get(op.args[1])
            of = asked.obj.type if asked is not None and asked.name == "shape" else None
            if isinstance(of, Arr) and len(of.dims) == 1 and isinstance(t, Arr) and len(t.dims) > 1:
                op.fn, op.args[1], op.spelling = np.ndarray.reshape, Lit(-1), None


def _asked(op: Op) -> Value | None:
    """The array that an operation asks for its shape alone."""
    found: Any
    if type(op) is GetAttr:
        if op.name not in ("shape", "size", "ndim"):
            return None
        found = op.obj
    elif type(op) is not Call or op.kwargs:
        return None
    elif op.fn is unbroadcast:
        if len(op.args) != 2 or op.args[0] is op.args[1]:
            return None
        found = op.args[1]
    elif len(op.args) == 1:
        found = op.args[0]
    else:
        return None
    return found if type(found) is Value and type(found.type) is Arr and found.type.dims else None


def _is_source(op: Op | None) -> TypeGuard[Call]:
    """Whether an operation computes an array element by element, or picks elements."""
    return type(op) is Call and not op.kwargs and (op.fn in _PICKING or is_elementwise(op.fn))


def _sources(op: Op | None, makers: dict[Value, Op]) -> list[Any]:
    """Values that may have the shape of the array that an operation creates: operands, or the integer arrays that index it."""
    if not _is_source(op):
        return []
    if op.fn is not operator.getitem:
        return op.args
    if type(op.args[1]) is not Value or len(getattr(op.result.type, "dims", ())) != 1:
        return []
    made = makers.get(op.args[1])
    indices = made.items if type(made) is Build and made.kind == "tuple" else [op.args[1]]
    base = op.args[0].type
    integers = all(type(i) is Value and type(i.type) is Arr and i.type.dtype.lstrip("u").startswith("int") for i in indices)
    return indices if integers and type(base) is Arr and len(base.dims) == len(indices) else []


def _twin(v: Value, makers: dict[Value, Op], reads: Counter[Operand], like: bool) -> Value:
    """An array with the shape (and for ``like``, the type) of one that is computed element by element, or picked."""
    for a in _sources(makers.get(v), makers):
        if isinstance(a, Value) and _as_large(a.type, v.type) and (not like or a.type.dtype == v.type.dtype):  # type: ignore[union-attr]
            if not reads.get(v):
                reads[a] -= 1       # reads by a dead operation
                return _twin(a, makers, reads, like)
            if a not in makers or reads[a] > 1:     # it is there anyway
                return a
    return v


def is_elementwise(fn: Any) -> bool:
    """Whether a function is one of NumPy's that work element by element."""
    fn = UFUNC.get(fn, fn) if fn.__hash__ is not None else fn
    return isinstance(fn, np.ufunc) and fn.signature is None and fn.nout == 1


def _as_large(a: Any, b: Any) -> bool:
    """Whether an operand is as long as the result in every dimension."""
    return isinstance(a, Arr) and isinstance(b, Arr) and not a.scalar and len(a.dims) == len(b.dims) and all(
        p.one is q.one is not None or p == q and p.sym is not None for p, q in zip(a.dims, b.dims))
