"""Replace a sum of products along an axis with a contraction (``np.einsum`` or a matrix product), so that no array of products is created.

NumPy also calls its inner loop once per entry of the result, which dominates if the summed axis is short.
"""
from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.effects import is_pure, writes
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, calls_of, operands_of, walk
from ...ir.types import Arr, Dim
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..manager import Property, Stage, analysis, optimization
from ..switches import is_on

__all__ = ["contract_sums", "sum_rows_first", "summed_axis", "without_added_axes"]

_SUMS = (np.sum, np.ndarray.sum)
_LETTERS = "ijklmnop"
#: how many sums of the same products read them again rather than have them made
_MOST = 2


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,), analyses=(AliasClasses, definitions))
def contract_sums(fn: Function) -> bool:
    """Rewrite a finished function in place."""
    if _has_sums(fn):
        _Contract(fn).block(fn.body)
        return True
    return False


@optimization(Stage.LOWER_NUMBA, "simplify", requires=(Property.FINAL,), analyses=(AliasClasses, definitions))
def sum_rows_first(fn: Function) -> bool:
    """Rewrite a function for machine code in place: sums of the rows of products alone, as its loops make no arrays of other products."""
    if _has_sums(fn):
        _Contract(fn, rows_alone=True).block(fn.body)
        return True
    return False


def _has_sums(fn: Function) -> bool:
    return is_on("simplify") and any(summed_axis(op) is not None for op in calls_of(fn.body, *_SUMS))


class _Contract:
    def __init__(self, fn: Function, rows_alone: bool = False):
        self.rows_alone = rows_alone
        self.classes = analysis(AliasClasses, fn)
        self.makers: dict[Value, Op] = analysis(definitions, fn)
        self.reads = Counter(id(o) for op in walk(fn.body) for o in operands_of(op))
        self.reads.update(id(y) for op in walk(fn.body) for b in blocks_of(op) for y in b.yields)
        self.reads.update(map(id, fn.body.yields))

    def block(self, block: Block) -> None:
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
        here = {v for op in block.ops for v in op.results}
        sums: dict[Value, list[Call]] = {}
        for op in block.ops:
            if isinstance(op, Call) and summed_axis(op) is not None and op.args[0] in here:
                sums.setdefault(op.args[0], []).append(op)
        for x, found in sums.items():
            if self.reads[id(x)] == len(found) <= _MOST:
                self.products(block, x, found)

    def products(self, block: Block, x: Value, sums: list[Call]) -> None:
        """Write the sums of ``x``, all of its uses, as contractions of its factors, if it is a product."""
        factors = None if self.rows_alone else self.factors(x)
        if factors is None:
            self.rows(block, x, sums)
            return
        made = self.makers[x]
        whole = all(len(o.type.dims) == len(x.type.dims) for o in operands_of(made) if isinstance(o, Value))    # type: ignore[union-attr]
        written = [w for op in sums if (w := _contraction(op, factors, whole)) is not None]
        if len(written) < len(sums):
            return
        for old, new in zip(sums, written):
            at = block.ops.index(old)
            block.ops[at:at + 1] = new
            self.reads.update(id(o) for op in new for o in operands_of(op))
        block.ops.remove(made)
        for part in set(operands_of(made)):
            self.reads[id(part)] -= 1
            stretched = self.makers.get(part) if isinstance(part, Value) else None
            if stretched is not None and part not in {f for f, _ in factors} and not self.reads[id(part)] and stretched in block.ops:
                block.ops.remove(stretched)

    def rows(self, block: Block, x: Value, sums: list[Call]) -> None:
        """Write the sum of the rows of a product of matrices, or of each of a stack of them, as the product of the sum of rows."""
        made = self.makers.get(x)
        if len(sums) > 1 or not isinstance(made, Call) or made.fn is not operator.matmul or made.part == "primal" or made not in block.ops:
            return
        a, b = (o.type for o in made.args)
        n = len(x.type.dims)        # type: ignore[union-attr]
        stacks = all(isinstance(t, Arr) and t.dtype == "float64" and len(t.dims) == n for t in (a, b))
        if not stacks or n > 3 or summed_axis(sums[0]) != n - 2:
            return
        same = n < 3 or a.dims[0].one is b.dims[0].one is False or a.dims[0] == b.dims[0] and a.dims[0].sym is not None
        if not same:
            return
        between = block.ops[block.ops.index(made):block.ops.index(sums[0])]
        if any(map(self.classes.is_written, made.args)) and any(self.may_change(op, made.args) for op in between):
            return      # the product would be computed after a change of its operands
        new = Block()
        with Builder(new, sums[0].part, sums[0].loc) as builder:
            total = builder.call(np.sum, made.args[0], axis=Lit(n - 2), type=Arr("float64", (*a.dims[:-2], a.dims[-1])))
            if n == 2:
                builder.emit(Call(operator.matmul, [total, made.args[1]], results=sums[0].results))
            else:
                everything = slice(None)
                row = builder.call(np.expand_dims, total, Lit(1)) if self.rows_alone else builder.call(
                    operator.getitem, total, Lit((everything, None, everything)))
                builder.emit(Call(operator.getitem, [builder.call(operator.matmul, row, made.args[1]), Lit((everything, 0))],
                                  results=sums[0].results))
        at = block.ops.index(sums[0])
        block.ops[at:at + 1] = new.ops
        block.ops.remove(made)
        self.reads.update(id(o) for op in new.ops for o in operands_of(op))
        self.reads.subtract(map(id, operands_of(made)))

    def may_change(self, op: Op, values: list[Any]) -> bool:
        """Whether an operation may write to one of some arrays."""
        known = is_pure(op) or isinstance(op, Call) and bool(writes(op))
        return not known or any(self.classes.same(w, v) for w in writes(op) for v in values)

    def factors(self, x: Value) -> list[tuple[Operand, str]] | None:
        """Two arrays of floats, with a letter for each of their dimensions, whose product is ``x``; None if it is not such a product."""
        made = self.makers.get(x)
        if not isinstance(made, Call) or made.kwargs or made.part == "primal" and x.name:
            return None
        if made.fn in (operator.mul, np.multiply):
            parts: Sequence[Any] = made.args
        elif made.fn is np.square or made.fn is operator.pow and isinstance(made.args[1], Lit) and type(
                made.args[1].value) in (int, float) and made.args[1].value == 2:
            parts = [made.args[0]] * 2
        else:
            return None
        assert isinstance(x.type, Arr)
        n = len(x.type.dims)
        found = [self.with_letters(p, n) for p in parts]
        if None in found or any(self.classes.is_written(p) for p in parts):
            return None
        lengths: dict[str, set[Dim]] = {}
        for base, letters in found:  # type: ignore[misc]
            for letter, d in zip(letters, base.type.dims):
                lengths.setdefault(letter, set()).add(d)
        known = all(len(dims) == 1 and next(iter(dims)).sym is not None or all(d.one is False for d in dims) for dims in lengths.values())
        return found if known and len(lengths) == n else None  # type: ignore[return-value]

    def with_letters(self, x: Any, n: int) -> tuple[Any, str] | None:
        """An array with a letter for each of its dimensions; if dimensions of length 1 were added to an array, the original array."""
        if not isinstance(x.type, Arr) or x.type.scalar or x.type.dtype != "float64" or not 0 < len(x.type.dims) <= n <= len(_LETTERS):
            return None
        base, axes = without_added_axes(self.makers, x, n)
        return base, "".join(_LETTERS[k] for k in axes)


def without_added_axes(makers: dict[Value, Op], x: Any, n: int) -> tuple[Any, tuple[int, ...]]:
    """An array combined with others of ``n`` dimensions, and which of these are its own; if dimensions of length 1 were added to an array,
    the original array."""
    m = len(x.type.dims) if isinstance(x.type, Arr) else 0
    axes = tuple(range(n - m, n))
    made = makers.get(x)
    if not isinstance(made, Call) or not m or not isinstance(made.args[0].type, Arr):
        return x, axes
    if made.fn is np.expand_dims and not made.kwargs and isinstance(made.args[1], Lit) and type(made.args[1].value) is int:
        k = made.args[1].value % m
        return made.args[0], axes[:k] + axes[k + 1:]
    if made.fn is operator.getitem and isinstance(made.args[1], Lit) and isinstance(made.args[1].value, tuple):
        index = made.args[1].value
        if len(index) == m and all(i is None or isinstance(i, slice) and i == slice(None) for i in index):
            return made.args[0], tuple(k for k, i in zip(axes, index) if i is not None)
    return x, axes


def summed_axis(op: Call) -> int | None:
    """The one axis that a call sums an array along; None for any other call."""
    if op.fn not in _SUMS or len(op.args) != 1 or list(op.kwargs) != ["axis"] or not isinstance(op.args[0].type, Arr):
        return None
    axis, result = op.kwargs["axis"], op.result.type
    floats = isinstance(result, Arr) and not result.scalar and result.dtype == "float64"
    plain = isinstance(axis, Lit) and type(axis.value) is int and floats
    return axis.value % len(op.args[0].type.dims) if plain and len(op.args[0].type.dims) > 1 else None  # type: ignore[union-attr]


def _contraction(op: Call, factors: list[tuple[Any, str]], whole: bool) -> list[Op] | None:
    """The replacement of a sum along an axis of a product; ``whole`` says whether both factors have all dimensions, and not only the last.
    """
    axis = summed_axis(op)
    assert axis is not None and isinstance(op.args[0].type, Arr)
    summed = _LETTERS[axis]
    out = _LETTERS[:len(op.args[0].type.dims)].replace(summed, "")
    (a, first), (b, second) = factors
    if set(first + second) < set(out + summed):
        return None
    if first == second == out + summed and len(out) == 1:
        return [Call(np.vecdot, [a, b], results=op.results, loc=op.loc, part=op.part)]
    for x, p, y, q in ((a, first, b, second), (b, second, a, first)):
        if len(p) <= 2 and len(q) <= 2 and len(p + q) > 2 and p[-1] == summed == q[0] and p[:-1] + q[1:] == out:
            return [Call(operator.matmul, [x, y], results=op.results, loc=op.loc, part=op.part)]
        if len(p) == 2 and len(q) == 3 and set(p) == set(q[:2]) and summed in p:
            return _stacked(op, x, y, turned=p[0] == summed, swapped=q[0] == summed)
    return None if not whole else [Call(np.einsum, [Lit(f"{first},{second}->{out}"), a, b], results=op.results, loc=op.loc, part=op.part)]


def _stacked(op: Call, x: Operand, y: Operand, turned: bool, swapped: bool) -> list[Op]:
    """A product of rows with matrices, pair by pair: BLAS multiplies faster than `np.einsum` does."""
    everything = slice(None)
    t, stack = y.type, op.result.type
    assert isinstance(t, Arr) and isinstance(stack, Arr)
    made = Block()
    with Builder(made, op.part, op.loc) as b:
        rows = b.attr(x, "T", x.type) if turned else x
        matrices = b.call(np.swapaxes, y, 0, 1) if swapped else y
        products = b.call(operator.matmul, b.call(operator.getitem, rows, Lit((everything, None, everything))), matrices)
        b.emit(Call(operator.getitem, [products, Lit((everything, 0))], results=op.results))
    return made.ops
