"""Replace accumulation into a fresh part of an array of zeros with a store.

``xs_bar[t] += q`` loads the row, adds, and stores it; ``xs_bar[t] = q`` only stores it. In a loop, the iterations must access distinct
rows. """
from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from typing import Any, TypeGuard

import numpy as np

from ...ir.ops import Block, Build, Call, For, Function, Lit, Op, Operand, Value, blocks_of, calls, operands_of, walk
from ...ir.prims import inplace_at
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..manager import Property, Stage, analysis, optimization
from ..rewriting.substitute import uses_of
from ..switches import is_on

__all__ = ["store_first_additions"]

_ZEROS = (np.zeros, np.zeros_like)


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,), analyses=(AliasClasses,))
def store_first_additions(fn: Function) -> bool:
    """Rewrite the derivative part of a finished function in place: it is not differentiated again."""
    if is_on("simplify") and calls(fn.body, *_ZEROS) and calls(fn.body, inplace_at):
        _First(fn).block(fn.body)
        return True
    return False


def _is_number(x: Operand) -> bool:
    return isinstance(x.type, Num) or isinstance(x.type, Arr) and x.type.scalar


def _adds(op: Op, how: Any = operator.iadd) -> TypeGuard[Call]:
    """Whether an adjoint operation adds to a part of an array in a way that a store can replace."""
    if type(op) is not Call or op.fn is not inplace_at or op.part != "adjoint" or op.args[3].value is not how:
        return False
    whole, term = op.args[0].type, op.args[2].type
    if not isinstance(op.args[0], Value) or not isinstance(whole, Arr) or not whole.dims or not whole.dtype.startswith("float"):
        return False
    return term.dtype == whole.dtype if isinstance(term, Arr) else isinstance(term, Num) and term.kind == "float"


class _First:
    def __init__(self, fn: Function):
        self.classes = analysis(AliasClasses, fn)
        #: values that may share memory with an array that is added to
        self.shared = self.classes.shared()
        #: of tuple displays, the first items
        self.heads: dict[Operand, Operand] = {
            op.result: op.items[0] for op in walk(fn.body) if isinstance(op, Build) and op.kind == "tuple" and op.items}

    def block(self, block: Block) -> None:
        """Look for loops before which there are zeros in the same block."""
        self.straight(block, {op.result for op in block.ops if type(op) is Call and op.fn in _ZEROS})
        zeros = {op.result: k for k, op in enumerate(block.ops) if type(op) is Call and op.fn in _ZEROS}
        for k, op in enumerate(block.ops):
            if zeros and type(op) is For:
                for add in filter(_adds, op.body.ops):
                    assert isinstance(add, Call)
                    base, index, term, _ = add.args
                    if base in zeros and zeros[base] < k and self.is_own(op, index) and not self.same(base, term) and (
                            not self.is_read(base, block.ops[zeros[base] + 1:k])
                            and not self.is_carried(base, op) and not self.is_read(base, op.body.ops, add)):
                        add.fn, add.args = operator.setitem, [base, index, term]
            if type(op) is not Call:
                for inner in blocks_of(op):
                    self.block(inner)

    def straight(self, block: Block, zeros: Collection[Value]) -> None:
        """Replace additions of the block itself to parts of arrays of zeros by stores, if the parts have not been read or written before.
        """
        written: dict[Value, set[Any]] = {}
        ops: list[Op] = []
        for op in block.ops:
            if written:
                found = (*operands_of(op), *op.results) if type(op) is Call else tuple(uses_of(Block(ops=[op])))
                for base in [base for base in written if not self.shared.isdisjoint(found) and self.is_among(base, found)]:
                    place = self.place(op, base, written[base])
                    if place is None:
                        del written[base]
                    elif place not in written[base]:
                        written[base].add(place)
                        self.put(op, ops)
            if op.results and op.results[0] in zeros:
                written[op.results[0]] = set()
            ops.append(op)
        block.ops = ops

    def place(self, op: Op, base: Value, written: set[Any]) -> Any:
        """The indices of the element that an operation adds to, or -1 for the first part; None for any other operation."""
        if -1 in written or not (_adds(op) or _adds(op, operator.isub) and _is_number(op.args[2])) or (
                op.args[0] is not base or self.same(base, op.args[2])):
            return None
        index = op.args[1].value if isinstance(op.args[1], Lit) else None
        whole = op.args[0].type
        at = index if isinstance(index, tuple) else (index,)
        if all(type(k) is int and k >= 0 for k in at) and isinstance(whole, Arr) and len(at) == len(whole.dims):
            return at
        return None if written else -1

    @staticmethod
    def put(op: Any, ops: list[Op]) -> None:
        """Turn an addition into a store."""
        base, index, term, how = op.args
        if how.value is operator.isub:
            if isinstance(term, Lit):
                term = Lit(-term.value)
            else:
                sign = Value(term.type, None, True)
                ops.append(Call(operator.neg, [term], results=[sign], part=op.part, loc=op.loc))
                term = sign
        op.fn, op.args = operator.setitem, [base, index, term]

    def is_own(self, loop: For, index: Operand) -> bool:
        """Whether each iteration of a loop has its own part of the array."""
        index = self.heads.get(index, index)
        for p, s in zip(loop.body.params, loop.sources):
            if s.kind == "items":
                return False        # which takes two
            if p is index and s.kind == "range":
                start, _, step = s.operands
                return all(isinstance(o, Lit) and type(o.value) is int for o in (start, step)) and start.value >= 0 < step.value  # type: ignore[union-attr]
        return False

    def is_carried(self, base: Value, loop: For) -> bool:
        """Whether a loop carries an array, or a value that shares memory with it."""
        return any(self.same(base, o) for o in (*loop.body.yields, *loop.inits))

    def is_read(self, base: Value, ops: list[Op], but: Op | None = None) -> bool:
        """Whether operations, except one, read an array, or a value that shares memory with it."""
        for op in ops:      # to the first that does: there are many, and often the next loop does
            if op is but:
                continue
            if self.is_among(base, (*operands_of(op), *op.results)):
                return True
            if type(op) is not Call:
                for inner in blocks_of(op):
                    if self.is_among(base, inner.yields) or self.is_read(base, inner.ops):
                        return True
        return False

    def is_among(self, base: Value, found: Sequence[Operand]) -> bool:
        """Whether something may share memory with an array, or hold it."""
        return not self.shared.isdisjoint(found) and any(self.same(base, o) for o in found)

    def same(self, base: Value, o: Any) -> bool:
        """The same of one thing."""
        if type(o) is not Value:
            return False
        root = self.classes.find(base)
        return self.classes.find(o) is root or root in self.classes.inner(o)
