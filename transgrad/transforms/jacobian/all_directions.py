"""All directions of a Jacobian at once: the batched form of a sweep, for as many units at a time as keep its arrays small."""
from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Build, For, Function, If, Invoke, Lit, Op, Operand, Source, Star, Value, While, blocks_of
from ...ir.types import Arr, Dim, Num, Obj
from ...passes.ad.block_sparse_forward import spanned
from ...passes.batch.batched_values import Facts
from ...passes.batch.driver import batched_callee, facts_of
from ...passes.batch.unsupported import CannotBatch
from ...passes.switches import is_on

__all__ = ["Sweep", "batched_sweep", "chunks", "forward_sweep", "units", "zeros_for_each"]

#: the number of elements of the unit vectors in one iteration
_NUMBERS = 2 ** 16
#: how many operations on numbers cost as much as one on a small array, and the assumed trip count of a loop
_CHEAPER, _TURNS = 8, 8


class Sweep:
    """A sweep for several directions: the function, which of its results differ between them, and whether it is told where they
    begin, as its last argument."""

    def __init__(self, function: Function, differ: Sequence[bool], told: bool = False):
        self.function, self.differ, self.told = function, differ, told


def batched_sweep(fn: Function, flags: Sequence[bool]) -> Sweep | None:
    """Batch a sweep over several directions; None if that is impossible, or if the sweep works mostly on scalars, for which a loop over
    the directions is faster.

    ``flags`` says which parameters differ between the directions.
    """
    if not is_on("directions"):
        return None
    try:
        if _is_of_numbers(fn, flags):
            return None
        made, facts = batched_callee(fn, flags)
    except CannotBatch:
        return None
    return Sweep(made, [facts.batched(y) for y in fn.body.yields])


def forward_sweep(fn: Function) -> Sweep | None:
    """Batch a forward derivative over several unit vectors, its last argument; each value is computed only for the unit vectors
    that affect it, if these are known."""
    flags, seed = [False] * (len(fn.params) - 1) + [True], fn.params[-1]
    try:
        on = is_on("spans") and isinstance(seed.type, Arr) and len(seed.type.dims) == 1
        found = spanned(fn, seed) if on and not _is_of_numbers(fn, flags) else None
        if found is not None:
            return Sweep(*found, told=True)
    except CannotBatch:
        pass
    return batched_sweep(fn, flags)


def _is_of_numbers(fn: Function, flags: Sequence[bool]) -> bool:
    numbers, arrays = _cost(fn.body.ops, facts_of(fn, flags))
    return numbers > _CHEAPER * arrays


def _cost(ops: Sequence[Op], facts: Facts) -> tuple[int, int]:
    """How many operations that differ between the directions are on numbers, and how many on arrays."""
    numbers = arrays = 0
    for op in ops:
        times = _TURNS if isinstance(op, (For, While)) else 1
        inner = [op for block in blocks_of(op) for op in block.ops]
        n, a = _cost(inner, facts)
        if isinstance(op, Invoke) and any(flags := tuple(map(facts.batched, op.args))):
            n, a = _cost(op.func.body.ops, facts_of(op.func, flags))
        numbers, arrays = numbers + times * n, arrays + times * a
        if not isinstance(op, (For, While, If, Invoke)) and any(map(facts.batched, op.results)):
            number = all(isinstance(r.type, Num) or isinstance(r.type, Arr) and not r.type.dims for r in op.results)
            numbers, arrays = numbers + number, arrays + (not number)
    return numbers, arrays


def chunks(b: Builder, count: Operand) -> tuple[Value, Operand, Block]:
    """A loop over parts of ``range(count)``: where a part starts, where it ends, and the body."""
    step = b.call(operator.add, b.call(operator.floordiv, _NUMBERS, b.call(operator.add, count, 1)), 1, name="step")
    i = Value(Num("int"), "i")
    body = Block([i])
    b.emit(For([Source("range", [Lit(0), count, step])], [], body))
    with b.inside(body):
        end = b.call(min, b.call(operator.add, i, step), count, type=Num("int"), name="end")
    return i, end, body


def units(b: Builder, like: Operand, count: Operand, i: Value, end: Operand, name: str) -> Operand:
    """The units for the entries of ``like`` from ``i`` to ``end``, along a first axis."""
    t = like.type
    assert isinstance(t, Arr)
    number = b.call(operator.sub, end, i)
    kind = {} if t.dtype == "float64" else {"dtype": b.attr(like, "dtype")}
    flat = Arr(t.dtype, (Dim(None), Dim(None) if len(t.dims) > 1 else t.dims[0]))
    eye: Operand = b.call(np.eye, number, count, i, type=flat, name=name, **kind)
    if len(t.dims) > 1:
        shape = Value(Obj(tuple))
        b.emit(Build("tuple", [number, Star(b.attr(like, "shape", Obj(tuple)))], results=[shape]))
        eye = b.call(np.reshape, eye, shape, type=Arr(t.dtype, (Dim(None), *t.dims)), name=name)
    return eye


def zeros_for_each(b: Builder, like: Operand, unit: Operand, name: str | None = None) -> Operand:
    """Zeros like a number or an array, for each of several units."""
    t, n = like.type, b.call(len, unit)
    if not isinstance(t, Arr) or not t.dims:
        return b.call(np.zeros, n, type=Arr("float64", (Dim(None),)), name=name)  # type: ignore[no-any-return]
    shape = Value(Obj(tuple))
    b.emit(Build("tuple", [n, Star(b.attr(like, "shape", Obj(tuple)))], results=[shape]))
    kind = {} if t.dtype == "float64" else {"dtype": b.attr(like, "dtype")}
    return b.call(np.zeros, shape, type=Arr(t.dtype, (Dim(None), *t.dims)), name=name, **kind)  # type: ignore[no-any-return]
