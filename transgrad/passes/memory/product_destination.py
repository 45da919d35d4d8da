"""Compute a matrix product directly in the rows of an array of zeros.

``w = a @ b; v = np.zeros((n, *w.shape[1:])); v[i:k] = w`` becomes ``v = np.zeros((n, len(a), b.shape[2])); np.matmul(a, b, out=v[i:k])``,
where ``b`` has as many matrices as there are rows. The rows are contiguous, so that NumPy needs no temporary buffer.
"""
from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.effects import is_pure
from ...ir.ops import Block, Build, Call, Function, GetAttr, Lit, Op, Operand, Star, Value, blocks_of, count_reads, walk
from ...ir.types import Arr, Num
from ..ad.reverse.unbroadcast import same_length
from ..analysis.def_use import definitions_in
from ..batch.lanes import of_directions
from ..manager import Property, Stage, optimization
from ..switches import is_on

__all__ = ["multiply_into_destination"]

_PRODUCTS = (operator.matmul, np.matmul)


@optimization(Stage.LOWER_NUMPY, "reuse", requires=(Property.FINAL,))
def multiply_into_destination(fn: Function) -> bool:
    """Rewrite a finished function in place if it is a forward sweep for many directions."""
    if not fn.attrs.spans or not is_on("reuse"):
        return False
    blocks = [fn.body, *(inner for op in walk(fn.body) for inner in blocks_of(op))]
    reads: Counter[Operand] | None = None
    for block in blocks:
        for op in [op for op in block.ops if _is_laid(op)]:
            reads = count_reads(fn) if reads is None else reads
            _there(block, op, reads)
    return True


def _is_laid(op: Op) -> bool:
    """Whether an operation puts an array into rows, of which there are as many as it has."""
    if type(op) is not Call or op.fn is not operator.setitem:
        return False
    whole, part = op.args[0].type, op.args[2].type
    return (type(whole) is type(part) is Arr and whole.dtype == part.dtype == "float64" and 1 < len(whole.dims) == len(part.dims)
            and of_directions(part.dims[0]) and all(map(same_length, whole.dims[1:], part.dims[1:])))


def _there(block: Block, put: Any, reads: Counter[Operand]) -> None:
    """Compute the product that an operation stores into rows in place, if it has no other readers."""
    place = {r: k for k, op in enumerate(block.ops) for r in op.results}
    base, rows, product = put.args
    at, end = place.get(product), next(k for k, op in enumerate(block.ops) if op is put)
    made, zeros = (block.ops[place[v]] if v in place else None for v in (product, base))
    if at is None or not isinstance(made, Call) or made.fn not in _PRODUCTS or made.kwargs or not isinstance(zeros, Call):
        return
    makers = definitions_in(block.ops[at:end])
    asking = _asking(zeros, product, makers)
    if asking is None or any(reads[op.result] != 1 for op in asking) or reads[product] != 2 or not _is_range(makers.get(rows)) or (
            not all(map(is_pure, block.ops[at + 1:end]))):
        return
    lengths = _lengths(made)
    if lengths is None:
        return
    shape, gone = asking[-1], {id(made), *map(id, asking)}
    instead: dict[int, list[Op]] = {id(zeros): [], id(put): []}
    with Builder(Block([], instead[id(zeros)]), zeros.part, zeros.loc) as b:
        sizes = [b.call(len, x, type=Num("int")) if axis == 0 else b.call(operator.getitem, b.attr(x, "shape"), axis, type=Num("int"))
                 for x, axis in lengths]
        zeros.args = [b.build("tuple", [shape.items[0], *sizes])]
        instead[id(zeros)].append(zeros)
    with Builder(Block([], instead[id(put)]), put.part, put.loc) as b:
        view = b.call(operator.getitem, base, rows, type=product.type)
        b.emit(Call(np.matmul, made.args, {"out": view}))
    block.ops = [new for op in block.ops if id(op) not in gone for new in instead.get(id(op), [op])]


def _asking(zeros: Call, product: Value, makers: dict[Value, Op]) -> tuple[GetAttr, Call, Build] | None:
    """The operations that ask a product for the size of its matrices, if an array of zeros has the same; the last one makes its shape."""
    shape = makers.get(zeros.args[0]) if zeros.fn is np.zeros and len(zeros.args) == 1 and not zeros.kwargs else None
    if not isinstance(shape, Build) or shape.kind != "tuple" or len(shape.items) != 2 or not isinstance(shape.items[1], Star):
        return None
    rest: Any = makers.get(shape.items[1].value)    # type: ignore[arg-type]
    if not isinstance(rest, Call) or rest.fn is not operator.getitem:
        return None
    if not isinstance(at := rest.args[1], Lit) or at.value != slice(1, None):
        return None
    asked = makers.get(rest.args[0])
    if not isinstance(asked, GetAttr) or asked.obj is not product or asked.name != "shape":
        return None
    return asked, rest, shape


def _is_range(rows: Op | None) -> bool:
    """Whether an index is a slice of rows side by side."""
    return isinstance(rows, Build) and rows.kind == "slice" and isinstance(step := rows.items[2], Lit) and step.value in (None, 1)


def _lengths(made: Call) -> list[tuple[Operand, int]] | None:
    """Which axes of its operands are those of each row of a product; None for other products."""
    if not all(isinstance(a, Value) and type(a.type) is Arr and a.type.dtype == "float64" for a in made.args):
        return None
    x, y = made.args
    found = {(1, 3): [(y, 2)], (2, 2): [(y, 1)], (2, 3): [(x, 0), (y, 2)], (3, 1): [(x, 1)], (3, 2): [(x, 1), (y, 1)],
             (3, 3): [(x, 1), (y, 2)]}
    return found.get((len(x.type.dims), len(y.type.dims)))
