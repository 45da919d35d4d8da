"""Lower contractions and outer products to products, sums and transpositions, from which loops are generated."""
from __future__ import annotations

import operator
import string
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of
from ...ir.types import Arr
from ..manager import Property, Stage, optimization
from ..rewriting.substitute import substitute_chains

__all__ = ["write_contractions"]


@optimization(Stage.LOWER_NUMBA, requires=(Property.FINAL,))
def write_contractions(fn: Function) -> bool:
    """Rewrite a function in place; contractions with repeated letters in one operand, or an ellipsis, remain."""
    _visit(fn.body)
    return True


def _visit(block: Block) -> None:
    ops: list[Op] = []
    swap: dict[Value, Operand] = {}
    for op in block.ops:
        for inner in blocks_of(op):
            _visit(inner)
        written = Block()
        with Builder(written, part=op.part, loc=op.loc) as b:
            found = _written(b, op) if isinstance(op, Call) else None
        if found is None:
            ops.append(op)
        else:
            ops += written.ops
            swap[op.results[0]] = found
    block.ops = ops
    substitute_chains(block, swap)


def _written(b: Builder, op: Call) -> Operand | None:
    """The replacement of a call; None if it remains."""
    if op.fn is np.moveaxis and not op.kwargs and len(op.args) == 3:
        x, *axes = op.args
        if isinstance(x.type, Arr) and all(isinstance(a, Lit) and isinstance(a.value, int) for a in axes):
            n = len(x.type.dims)
            order = list(range(n))
            order.insert(axes[1].value % n, order.pop(axes[0].value % n))
            return _transposed(b, x, order)
    if op.fn is np.outer and not op.kwargs and [len(x.type.dims) if isinstance(x.type, Arr) else 0 for x in op.args] == [1, 1]:
        column, row = (b.call(operator.getitem, x, at) for x, at in zip(op.args, ((slice(None), None), (None, slice(None)))))
        return b.call(operator.mul, column, row)  # type: ignore[no-any-return]
    if op.fn is np.einsum and not op.kwargs and isinstance(op.args[0], Lit) and isinstance(op.args[0].value, str):
        return _contracted(b, op, op.args[0].value.replace(" ", ""), op.args[1:])
    if op.fn is np.tensordot and not op.kwargs and (subscripts := _of_tensordot(*op.args)) is not None:
        return _contracted(b, op, subscripts, op.args[:2])
    return None


def _of_tensordot(x: Any, y: Any, count: Any = None) -> str | None:
    """The subscripts of a product summed over so many last axes of ``x`` and first ones of ``y``."""
    n = count.value if isinstance(count, Lit) else None
    if type(n) is not int or not isinstance(x.type, Arr) or not isinstance(y.type, Arr):
        return None
    left = string.ascii_letters[:len(x.type.dims)]
    kept = len(left) - n
    right = left[kept:] + string.ascii_letters[len(left):len(left) + len(y.type.dims) - n]
    return f"{left},{right}->{left[:kept]}{right[n:]}"


def _transposed(b: Builder, x: Operand, order: list[int]) -> Operand:
    if order == list(range(len(order))):
        return x
    return b.call(np.transpose, x, tuple(order))  # type: ignore[no-any-return]


def _contracted(b: Builder, op: Call, subscripts: str, operands: list[Any]) -> Operand | None:
    inputs, arrow, out = subscripts.partition("->")
    given = inputs.split(",")
    plain = arrow and len(given) == len(operands) and all(
        isinstance(x.type, Arr) and len(x.type.dims) == len(s) == len(set(s)) and s.isalpha() for x, s in zip(operands, given))
    if not plain or len(set(out)) < len(out) or not isinstance(op.result.type, Arr):
        return None
    summed = sorted(set("".join(given)) - set(out))
    letters = [*out, *summed]
    product: Any = None
    for x, s in zip(operands, given):
        present = [c for c in letters if c in s]
        x = _transposed(b, x, [s.index(c) for c in present])
        if len(present) < len(letters):
            x = b.call(operator.getitem, x, tuple(slice(None) if c in s else None for c in letters))
        product = x if product is None else b.call(operator.mul, product, x)
    if not summed:
        return product if len(operands) > 1 else b.call(np.ndarray.copy, product)  # type: ignore[no-any-return]
    axes = tuple(range(len(out), len(letters)))
    total: Operand = b.call(np.sum, product) if not out else b.call(np.sum, product, axis=axes if len(axes) > 1 else axes[0])
    return total if isinstance(total.type, Arr) and total.type.dtype == op.result.type.dtype else None
