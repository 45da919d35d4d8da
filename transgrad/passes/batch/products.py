"""Batched matrix products and linear algebra, by NumPy's stacked matrices or by einsum."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Call, Lit
from ...ir.types import Arr, Dim, Num
from .lanes import ndim
from .reductions import literal
from .rules import handler
from .unsupported import CannotBatch

if TYPE_CHECKING:
    from .driver import Batch

__all__: list[str] = []


def _ndim(x: Any) -> int:
    return ndim(x.type)


def _einsum(b: "Batch", op: Call, spelling: str, *args: Any) -> Any:
    """An einsum over examples; a batched operand's letters get the batch's in front."""
    ins, out = spelling.split("->")
    letter = next((c for c in "zyxwvutsrqponmlkjihgfedcba" if c not in spelling), None)
    if letter is None:
        raise CannotBatch("an einsum of all letters", op.loc)
    terms = [letter + term if b.batched(a) else term for term, a in zip(ins.split(","), args)]
    return b.builder.call(np.einsum, f"{','.join(terms)}->{letter}{out}", *map(b.operand, args), type=b.type_of(op.result.type))


@handler(operator.matmul, np.matmul, np.dot, np.ndarray.dot, np.inner, np.vdot)
def _matmul(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs or len(args) != 2:
        return NotImplemented
    x, y = args
    m, n = _ndim(x), _ndim(y)
    if op.fn is np.vdot:
        if (m, n) != (1, 1) or x.type.dtype[0] == "c":
            return NotImplemented
    if m == 0 or n == 0:
        k = max(m, n)
        sides = [b.spread(a, k) for a in (x, y)]
        return b.builder.call(operator.mul, *sides, type=b.type_of(op.result.type)) if op.fn is not operator.matmul else NotImplemented
    if m > 2 or n > 2:      # stacks in each example
        if op.fn not in (operator.matmul, np.matmul) or m < 2 or n < 2:
            return NotImplemented
        return b.builder.call(operator.matmul, *(b.spread(a, max(m, n)) for a in args), type=b.type_of(op.result.type))
    if op.fn is np.inner and n == 2:
        return _einsum(b, op, "i,ji->j" if m == 1 else "ki,ji->kj", x, y)
    t = b.type_of(op.result.type)
    if (m, n) == (1, 1):
        if b.batched(x) != b.batched(y):
            rows, vector = (x, y) if b.batched(x) else (y, x)
            return b.builder.call(operator.matmul, b.operand(rows), b.operand(vector), type=t)
        return _einsum(b, op, "i,i->", x, y)
    if (m, n) == (2, 1):
        if not b.batched(x):        # a @ v for every v: the rows of v @ a.T
            return b.builder.call(operator.matmul, b.operand(y), b.builder.attr(b.operand(x), "T"), type=t)
        return b.builder.call(operator.matmul, b.operand(x), b.operand(y), type=t) if not b.batched(y) else _einsum(b, op, "ij,j->i", x, y)
    if (m, n) == (1, 2):
        if not b.batched(y) or not b.batched(x):
            return b.builder.call(operator.matmul, b.operand(x), b.operand(y), type=t)
        return _einsum(b, op, "i,ij->j", x, y)
    if b.batched(x) and not b.batched(y) and _is_laid_out(b, x):
        return _rows_of_all(b, x, y, t)
    return b.builder.call(operator.matmul, b.operand(x), b.operand(y), type=t)


def _is_laid_out(b: "Batch", x: Any) -> bool:
    """Whether an array is made in the function to be filled: its rows in all examples are those of one matrix, without a copy."""
    found = b.__dict__.get("_laid_out")
    if found is None:
        found = b.__dict__["_laid_out"] = {op.result for op in b.fn.body.ops if isinstance(op, Call) and op.fn is np.empty}
    return x in found


def _rows_of_all(b: "Batch", x: Any, y: Any, t: Any) -> Any:
    """The products of many matrices with one, as one product."""
    w, held, right = b.builder, b.operand(x), b.operand(y)
    height, width = (w.call(operator.getitem, w.attr(held, "shape"), k, type=Num("int")) for k in (1, 2))
    length = w.call(operator.getitem, w.attr(right, "shape"), 1, type=Num("int"))
    count = w.call(operator.mul, b.lanes.size, height, type=Num("int"))
    rows = w.call(np.reshape, held, w.build("tuple", [count, width]), type=Arr(held.type.dtype, (Dim(None), held.type.dims[2])))
    product = w.call(operator.matmul, rows, right, type=Arr(t.dtype, (rows.type.dims[0], t.dims[2])))
    return w.call(np.reshape, product, w.build("tuple", [b.lanes.size, height, length]), type=t)


@handler(np.outer)
def _outer(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x, y = args[:2]
    if kwargs or len(args) > 2 or _ndim(x) != 1 or _ndim(y) != 1:
        return NotImplemented
    left: tuple[Any, ...] = (slice(None), slice(None), None) if b.batched(x) else (slice(None), None)
    right: tuple[Any, ...] = (slice(None), None, slice(None)) if b.batched(y) else (None, slice(None))
    column, row = b.builder.call(operator.getitem, b.operand(x), left), b.builder.call(operator.getitem, b.operand(y), right)
    return b.builder.call(operator.mul, column, row, type=b.type_of(op.result.type))


@handler(np.cross)
def _cross(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs or len(args) != 2:
        return NotImplemented
    k = max(map(_ndim, args))
    return b.builder.call(np.cross, *(b.spread(a, k) for a in args), type=b.type_of(op.result.type))


@handler(np.einsum)
def _einsum_rule(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    spelling = literal(args[0], "an einsum")
    if kwargs or not isinstance(spelling, str) or "..." in spelling or "->" not in spelling:
        return NotImplemented
    return _einsum(b, op, spelling.replace(" ", ""), *args[1:])


@handler(np.tensordot)
def _tensordot(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    axes = literal(kwargs.get("axes", args[2] if len(args) > 2 else Lit(2)), "axes")
    x, y = args[:2]
    m, n = _ndim(x), _ndim(y)
    if isinstance(axes, int):
        axes = list(range(m - axes, m)), list(range(axes))
    left, right = ([a] if isinstance(a, int) else list(a) for a in axes)
    letters = "abcdefghijklmnop"
    first = list(letters[:m])
    second = list(letters[m:m + n])
    for i, j in zip(left, right):
        second[j % n] = first[i % m]
    out = [c for k, c in enumerate(first) if k not in {i % m for i in left}]
    out += [c for k, c in enumerate(second) if k not in {j % n for j in right}]
    return _einsum(b, op, f"{''.join(first)},{''.join(second)}->{''.join(out)}", x, y)


@handler(np.linalg.inv, np.linalg.det, np.linalg.cholesky)
def _stacked(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs or len(args) != 1:
        return NotImplemented
    return b.builder.call(op.fn, b.operand(args[0]), type=b.type_of(op.result.type))


@handler(np.linalg.solve)
def _solve(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    a, x = args
    n = _ndim(x)
    if n > 2 or _ndim(a) != 2:
        return NotImplemented
    if n == 2:
        return b.builder.call(np.linalg.solve, b.operand(a), b.operand(x), type=b.type_of(op.result.type))
    if not b.batched(a):        # the right-hand sides are the columns of one matrix
        columns = b.builder.call(np.linalg.solve, b.operand(a), b.builder.attr(b.operand(x), "T"))
        return b.builder.attr(columns, "T", b.type_of(op.result.type))
    column = b.builder.call(operator.getitem, b.operand(x), (..., None))
    solved = b.builder.call(np.linalg.solve, b.operand(a), column)
    return b.builder.call(operator.getitem, solved, (..., 0), type=b.type_of(op.result.type))


