"""Push a slice of an accumulated sum into the loop, so that only the rows that are read are computed.

If only ``s[:3]`` is read of ``s = s + w * (m @ b)``, the loop computes ``s = s + w * (m[:3] @ b)``. A slice of an element-wise operation is
the operation on slices, and a slice of a matrix product is the product with a slice of the first factor.
"""
from __future__ import annotations

import itertools
import operator
from collections import Counter
from typing import Any

import numpy as np

from ...ir.ops import Block, Call, For, Function, Lit, Op, Operand, Value, blocks_of, count_reads
from ...ir.types import Arr, Dim, Num
from ..ad.reverse.unbroadcast import same_length
from ..analysis.alias import AliasClasses
from ..manager import Stage, analysis, optimization
from ..rewriting.substitute import substitute
from ..simplify.shapes import is_elementwise
from ..switches import is_on

__all__ = ["push_slices_down"]

_COUNT = itertools.count()
_ADDS = (operator.add, np.add)
_PRODUCTS = (operator.matmul, np.matmul)


@optimization(Stage.CANONICALIZE, "rows", analyses=(AliasClasses,))
def push_slices_down(fn: Function) -> bool:
    """Rewrite ``fn`` in place."""
    sums: dict[Value, tuple[For, Block]] = {}
    slices: dict[Value, list[Call]] = {}
    _collect(fn.body, sums, slices)
    if not slices or not is_on("rows"):
        return False
    rows = _Rows(fn)
    gone: set[int] = set()
    for r, reads in slices.items():
        if rows.narrow(*sums[r], r, reads):
            substitute(fn.body, {op.result: r for op in reads})
            gone |= {id(op) for op in reads}
    if gone:
        _remove(fn.body, gone)
        return True
    return False


def _collect(block: Block, sums: dict[Value, tuple[For, Block]], slices: dict[Value, list[Call]]) -> None:
    """The loop-carried values that may be such sums, with their blocks, and the slices of them."""
    for op in block.ops:
        if type(op) is Call:
            if op.fn is operator.getitem and op.args[0] in sums and isinstance(op.args[1], Lit) and isinstance(op.args[1].value, slice):
                slices.setdefault(op.args[0], []).append(op)
            continue
        for inner in blocks_of(op):
            _collect(inner, sums, slices)
        if type(op) is For and not op.stops:
            sums.update((r, (op, block)) for r in op.results if isinstance(r.type, Arr) and len(r.type.dims) > 1)


def _remove(block: Block, gone: set[int]) -> None:
    block.ops = [op for op in block.ops if id(op) not in gone]
    for op in block.ops:
        for inner in blocks_of(op):
            _remove(inner, gone)


class _Rows:
    def __init__(self, fn: Function):
        self.reads: Counter[Operand] = count_reads(fn)
        self.classes = analysis(AliasClasses, fn)

    def narrow(self, loop: For, block: Block, r: Value, slices: list[Call]) -> bool:
        """Let a loop accumulate a slice of its result ``r``, if nothing else of it is read; return whether it does."""
        at = slices[0].args[1]
        if self.reads[r] != len(slices) or any(op.args[1].value != at.value for op in slices) or self.classes.is_written(r):
            return False
        k = loop.results.index(r)
        found = self.sum(loop, k)
        if found is None:
            return False
        carried, body, op, term = found
        init = loop.inits[k]
        if not all(_as_long(r.type, v.type) for v in (init, term, *carried)) or not self.pays(term, body):
            return False
        dim = _length(r.type.dims[0], at.value)  # type: ignore[union-attr]
        loop.inits[k] = self.sliced(init, block, loop, at, dim)
        op.args[op.args.index(term)] = self.sliced(term, body, op, at, dim)
        for v in (r, *carried):
            v.type = _with_rows(v.type, dim)
        return True

    def sum(self, loop: For, k: int) -> tuple[list[Value], Block, Call, Value] | None:
        """The accumulation of the loop-carried value ``k``, also in an inner loop: the loop-carried value, and the innermost block, sum and
        term."""
        p, y = loop.body.params[len(loop.body.params) - len(loop.inits) + k], loop.body.yields[loop.stops + k]
        made: Any = next((op for op in reversed(loop.body.ops) if y in op.results), None)
        if loop.stops or self.reads[p] != 1 or self.reads[y] != 1:
            return None
        if isinstance(made, For):
            at = made.results.index(y)      # type: ignore[arg-type]
            found = self.sum(made, at) if made.inits[at] is p else None
            return found and ([p, y, *found[0]], *found[1:])    # type: ignore[list-item]
        if type(made) is not Call or made.fn not in _ADDS or made.kwargs or p not in made.args:
            return None
        term = made.args[1] if made.args[0] is p else made.args[0]
        return ([p, y], loop.body, made, term) if isinstance(term, Value) else None     # type: ignore[list-item]

    def pays(self, v: Operand, block: Block) -> bool:
        """Whether a slice of ``v`` saves a part of a product of matrices."""
        op = self.maker(v, block)
        return op is not None and (op.fn in _PRODUCTS or any(self.pays(a, block) for a in _rows_of(op)))

    def maker(self, v: Operand, block: Block) -> Call | None:
        """The operation of a block that makes ``v`` row by row, for one reader alone."""
        if not isinstance(v, Value) or self.reads[v] != 1 or self.classes.is_written(v):
            return None
        op = next((op for op in block.ops if v in op.results), None)
        return op if type(op) is Call and not op.kwargs and len(op.results) == 1 and _rows_of(op) else None

    def sliced(self, v: Operand, block: Block, before: Op, at: Lit, dim: Dim) -> Value:
        """The slice of an operand, which is made in ``block`` ahead of an operation."""
        op = self.maker(v, block)
        if op is not None:
            own = _rows_of(op)
            made = {a: self.sliced(a, block, op, at, dim) for a in own}
            op.args = [made.get(a, a) for a in op.args]
            op.result.type = _with_rows(op.result.type, dim)
            return op.result
        part = Value(_with_rows(v.type, dim), None, v.varied)
        place = next(k for k, other in enumerate(block.ops) if other is before)
        block.ops.insert(place, Call(operator.getitem, [v, at], results=[part], loc=before.loc, part=before.part))
        return part


def _as_long(a: Any, b: Any) -> bool:
    """Whether two arrays have as many dimensions and rows, and rows of one length each."""
    return isinstance(b, Arr) and len(a.dims) == len(b.dims) and _is_same(a.dims[0], b.dims[0]) and all(map(same_length, a.dims, b.dims))


def _is_same(a: Dim, b: Dim) -> bool:
    """Whether two dimensions are known to have one length: of others, a slice may have it where the whole does not."""
    return a.sym is not None and (a.sym, a.off) == (b.sym, b.off)


def _rows_of(op: Call) -> list[Value]:
    """The operands whose slices make the slice of a result; none if there are no such operands."""
    t = op.result.type
    if not isinstance(t, Arr) or not t.dims or t.dims[0].one is True:
        return []
    if op.fn in _PRODUCTS:
        x, y = (a.type for a in op.args)
        known = isinstance(x, Arr) and isinstance(y, Arr) and len(x.dims) == 2 and len(y.dims) in (1, 2)
        return [op.args[0]] if known and isinstance(op.args[0], Value) and _is_same(x.dims[0], t.dims[0]) else []
    if not is_elementwise(op.fn):
        return []
    found = []
    for a in op.args:
        if not isinstance(a.type, Arr) or len(a.type.dims) < len(t.dims):
            if not isinstance(a.type, (Num, Arr)):
                return []
        elif a.type.dims[0].one is not True:
            if not isinstance(a, Value) or not _is_same(a.type.dims[0], t.dims[0]):
                return []
            found.append(a)
    return found


def _length(d: Dim, at: slice) -> Dim:
    """The number of rows of a slice of an array with ``d`` rows."""
    several = d.one is False and at.start in (None, 0) and at.step in (None, 1) and type(at.stop) is int and at.stop > 1
    return Dim(False if several else None, ("<rows>", next(_COUNT)))


def _with_rows(t: Any, dim: Dim) -> Arr:
    return Arr(t.dtype, (dim, *t.dims[1:]))
