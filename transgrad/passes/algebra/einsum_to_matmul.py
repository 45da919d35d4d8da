"""Replace contractions of two arrays with matrix products where possible: BLAS is several times as fast as `np.einsum`."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Function, Lit, Operand, calls
from ...ir.types import Arr, Num
from ...rules.einsum import parse
from ..manager import Property, Stage, optimization
from ..rewriting import AnyCall, Match, pattern, rewrite
from ..switches import is_on

__all__ = ["lower_einsum_to_matmul"]

_FLOATS = frozenset(("float64", "float32", "complex128"))


@optimization(Stage.LOWER_NUMPY, "products", requires=(Property.FINAL,))
def lower_einsum_to_matmul(fn: Function) -> bool:
    """Rewrite a finished function in place."""
    return calls(fn.body, np.einsum) and is_on("products") and rewrite(fn, _product)


@pattern(AnyCall(np.einsum))
def _product(m: Match) -> Operand | None:
    """The product that computes a contraction."""
    b, op = m.builder, m.op
    text, *operands = op.args
    result = op.result.type
    two = isinstance(text, Lit) and isinstance(text.value, str) and text.value.count(",") == len(operands) - 1 == 1
    plain = two and op.kwargs.keys() <= {"optimize"}
    types: list[Any] = [x.type for x in operands]
    if not plain or not all(isinstance(t, Arr) and not t.scalar and t.dims and t.dtype in _FLOATS for t in types):
        return None
    if not isinstance(result, Arr) or len({result.dtype, *(t.dtype for t in types)}) > 1:
        return None
    (p, q), out = parse(text.value, [len(t.dims) for t in types])
    if any(len(set(s)) < len(s) for s in (p, q, out)) or not set(p) ^ set(q) <= set(out):
        return None
    if not all(_surely_equal(types[0], p.index(c), types[1], q.index(c)) for c in set(p) & set(q)):
        return None
    summed = "".join(c for c in p if c in q and c not in out)
    both = "".join(c for c in out if c in p and c in q)
    sides = (operands[0], p), (operands[1], q)
    for left, right in (sides, sides[::-1]):
        rows, columns = ("".join(c for c in out if c in own and c not in both) for _, own in (left, right))
        pairs = len(rows) == len(columns) == 1
        if len(summed) == 1 and (pairs or not both and len(columns) < 2) and out == both + rows + columns:
            return m.call(operator.matmul, *_stacks(b, left, right, both, rows, columns, summed))
        if len(summed) > 1 and pairs and not both and out == rows + columns and left[1] == summed + rows and right[1] == summed + columns:
            return m.call(operator.matmul, b.attr(_in_rows(b, left[0]), "T"), _in_rows(b, right[0]))
    if len(summed) == 1 and pairs and both:     # the dimensions of the result are in another order
        order = [(both + rows + columns).index(c) for c in out]
        dims = tuple(result.dims[order.index(k)] for k in range(len(order)))
        product = b.call(operator.matmul, *_stacks(b, left, right, both, rows, columns, summed), type=Arr(result.dtype, dims))
        return m.call(np.transpose, product, Lit(tuple(order)))
    return None


def _stacks(b: Builder, left: tuple[Any, str], right: tuple[Any, str], both: str, rows: str, columns: str, summed: str) -> list[Operand]:
    """The factors of a product of matrices, of each pair of two stacks of them, of a stack and one matrix, or of a matrix and a vector."""
    return [_turned(b, *left, both + rows + summed), _turned(b, *right, both + summed + columns)]


def _in_rows(b: Builder, x: Any) -> Any:
    """An array as a matrix with its last dimension along the rows."""
    shape = b.attr(x, "shape")
    lengths = [b.call(operator.getitem, shape, k, type=Num("int")) for k in range(len(x.type.dims))]
    count = lengths[0]
    for n in lengths[1:-1]:
        count = b.call(operator.mul, count, n, type=Num("int"))
    return b.call(np.reshape, x, b.build("tuple", [count, lengths[-1]]))


def _turned(b: Builder, x: Any, have: str, want: str) -> Operand:
    """An array with its dimensions in another order."""
    if have == want:
        return x    # type: ignore[no-any-return]
    if have == want[:-2] + want[:-3:-1]:
        return b.attr(x, "T" if len(want) == 2 else "mT")       # type: ignore[no-any-return]
    order: Sequence[int] = [have.index(c) for c in want]
    return b.call(np.transpose, x, tuple(order))        # type: ignore[no-any-return]


def _surely_equal(x: Any, i: int, y: Any, k: int) -> bool:
    """Whether two dimensions are of one length, or NumPy would have raised: `np.einsum` stretches those of length 1."""
    d, e = x.dims[i], y.dims[k]
    return d.one is e.one is False or d.one is e.one is True or d.sym is not None and (d.sym, d.off) == (e.sym, e.off)
