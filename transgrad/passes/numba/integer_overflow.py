"""Detect integer overflow: Python integers are unbounded, so sums and products that may leave 64 bits are computed by functions that
raise."""
from __future__ import annotations

import operator

from ...ir.ops import Block, Call, For, Function, GetAttr, If, Lit, Op, Operand, Value, While, blocks_of
from ...ir.types import Num
from ...runtime.numba import checked
from ..manager import Property, Stage, optimization

__all__ = ["limit_integers"]

_LIMIT = 62
#: Nothing in memory has more elements, and no loop takes more steps.
_LENGTH = 47


@optimization(Stage.LOWER_NUMBA, requires=(Property.FINAL,))
def limit_integers(fn: Function) -> bool:
    """Rewrite the integer arithmetic of a function in place."""
    _Sizes().block(fn.body)
    return True


class _Sizes:
    """The maximum number of bits of each integer; 64 if it is not known."""

    def __init__(self) -> None:
        self.bits: dict[Value, int] = {}

    def of(self, o: Operand) -> int:
        if isinstance(o, Lit):
            return int(o.value).bit_length() if isinstance(o.value, int) else 64
        if isinstance(o.type, Num) and o.type.kind == "bool":
            return 1
        return _LENGTH if isinstance(o.type, Num) and o.type.dim is not None else self.bits.get(o, 64)

    def block(self, block: Block) -> None:
        """Visit a block in order."""
        for op in block.ops:
            if isinstance(op, For):
                self._loop(op)
            for inner in blocks_of(op):
                self.block(inner)
            self._op(op)

    def _loop(self, op: For) -> None:
        """A loop variable stays between the ends of its range, or as far from its start as steps can take it."""
        for s, v in zip(op.sources, op.body.params):
            if s.kind in ("range", "prange"):
                start, stop, step = s.operands
                self.bits[v] = max(self.of(start), min(self.of(stop), _LENGTH + self.of(step)))
            elif s.kind == "count":
                self.bits[v] = max(self.of(s.operands[0]), _LENGTH) + 1

    def _op(self, op: Op) -> None:
        if not op.results or not isinstance(op.results[0].type, Num) or op.results[0].type.kind != "int":
            return
        result = op.results[0]
        match op:
            case GetAttr(name="size" | "ndim"):
                self.bits[result] = _LENGTH
            case If():
                self.bits[result] = max(self.of(op.then.yields[0]), self.of(op.orelse.yields[0]))
            case Call() if not op.kwargs:
                self.bits[result] = self._call(op)
            case While():
                pass

    def _call(self, op: Call) -> int:
        args = op.args
        if op.fn is len:
            return _LENGTH
        if op.fn is operator.getitem and isinstance(op.args[0], Value) and _is_shape(op.args[0]):
            return _LENGTH
        if not all(isinstance(a.type, Num) and a.type.kind in ("int", "bool") for a in args if isinstance(a, (Value, Lit))):
            return 64
        sizes = [self.of(a) for a in args]
        if op.fn in (operator.add, operator.sub):
            bits, fn = max(sizes) + 1, checked.add if op.fn is operator.add else checked.subtract
        elif op.fn is operator.mul:
            bits, fn = sum(sizes), checked.multiply
        elif op.fn in (max, min, abs, operator.neg, operator.abs):
            return max(sizes)
        elif op.fn in (operator.floordiv, checked.floor_divide):
            return sizes[0]
        elif op.fn in (operator.mod, checked.modulo):
            return sizes[1]
        else:
            return 64
        if bits > _LIMIT:
            op.fn, op.spelling = fn, None
            return 63
        return bits


def _is_shape(v: Value) -> bool:
    elems = getattr(v.type, "elems", ())
    return bool(elems) and all(isinstance(e, Num) and e.kind == "int" and e.dim is not None for e in elems)
