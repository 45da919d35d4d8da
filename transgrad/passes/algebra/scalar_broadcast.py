"""Replace an array with equal entries by the number, and keep its shape.

The cotangent of a sum is ``np.broadcast_to(a, x.shape)`` or ``np.ones_like(x)``. Its product with ``x`` is ``a * x`` or ``x``, and the sum
of that product is ``a * np.sum(x)``.
"""
from __future__ import annotations

import operator
from typing import Any, TypeGuard

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, calls
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..manager import Stage, analysis, optimization
from ..rewriting.substitute import substitute

__all__ = ["broadcast_scalars"]

#: operations whose result has the entries of the first operand, in another shape or order
_REARRANGES = frozenset((
    operator.getitem, np.expand_dims, np.reshape, np.ndarray.reshape, np.transpose, np.swapaxes, np.ravel, np.roll, np.flip,
))
_BINARY = (operator.add, operator.sub, operator.mul, operator.truediv)
_IN_PLACE = (operator.iadd, operator.isub, operator.imul, operator.itruediv)


@optimization(Stage.SIMPLIFY, "simplify", analyses=(AliasClasses,))
def broadcast_scalars(fn: Function) -> bool:
    """Rewrite the adjoint part of ``fn`` in place; arrays that nothing reads any more are left to be removed."""
    if calls(fn.body, np.broadcast_to, np.ones_like):
        _Uniform(fn).block(fn.body)
        return True
    return False


class _Uniform:
    def __init__(self, fn: Function):
        self.classes = analysis(AliasClasses, fn)
        #: the number that each entry of an array is
        self.numbers: dict[Operand, Operand] = {}

    def block(self, block: Block) -> None:
        ops: list[Op] = []
        swap: dict[Value, Operand] = {}
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
            ops.append(op)
            if type(op) is not Call or op.part == "primal" or not op.args:
                continue
            if op.fn is np.broadcast_to and _is_number(op.args[0]) and _is_array(op.result):
                self.numbers[op.result] = op.args[0]
            elif op.fn is np.ones_like and len(op.args) == 1 and not op.kwargs and _is_array(op.result) and _is_array(op.args[0]):
                if not self.classes.is_written(op.result):
                    self.numbers[op.result] = Lit(1.0)
            elif op.fn in _REARRANGES and op.args[0] in self.numbers and len(op.results) == 1 and _is_array(op.result):
                self.numbers[op.result] = self.numbers[op.args[0]]
            elif op.fn in _IN_PLACE and op.args[1] in self.numbers and _fits(op.args[1], op.args[0]):
                op.args[1] = self.numbers[op.args[1]]
            elif not op.kwargs and len(op.results) == 1 and not self.numbers.keys().isdisjoint(op.args):
                with Builder(Block([], ops), op.part, op.loc) as b:
                    self.rewrite(b, op, ops, swap)
        block.ops = ops
        substitute(block, swap)

    def rewrite(self, b: Builder, op: Call, ops: list[Op], swap: dict[Value, Operand]) -> None:
        """Let an operation on arrays of one repeated number use the number, or return the number that its own result repeats."""
        numbers = [self.numbers.get(a, a if _is_number(a) else None) for a in op.args]
        if op.fn is np.vdot and len(op.args) == 2:
            k = 0 if op.args[0] in self.numbers else 1
            x = op.args[1 - k]
            if _fits(op.args[k], x) and _fits(x, op.args[k]):
                ops.pop()
                total = b.call(np.sum, x, type=op.result.type)
                swap[op.result] = product = _product(b, self.numbers[op.args[k]], total, op.result.type)
                product.name = op.result.name
        elif op.fn in (operator.neg, *_BINARY[:3]) and None not in numbers and _is_array(op.result):
            if not self.classes.is_written(op.result):
                args: Any = numbers
                self.numbers[op.result] = _product(b, *args) if op.fn is operator.mul else b.call(op.fn, *args)
        elif op.fn in _BINARY and len(op.args) == 2:
            k = 0 if op.args[0] in self.numbers else 1
            number = self.numbers[op.args[k]]
            if _fits(op.args[k], op.args[1 - k]) and _is_array(op.result):
                op.args[k] = number
                other = op.args[1 - k]
                if op.fn is operator.mul and _is_one(number) and isinstance(other, Value) and other.type == op.result.type:
                    op.fn, op.args, op.spelling = np.ndarray.copy, [other], None      # an array of its own, if that matters


def _is_one(x: Any) -> bool:
    return isinstance(x, Lit) and type(x.value) is float and x.value == 1.0


def _product(b: Builder, x: Any, y: Any, t: Any = None) -> Any:
    """The product of two numbers."""
    if _is_one(x) or _is_one(y):
        return y if _is_one(x) else x
    return b.call(operator.mul, x, y) if t is None else b.call(operator.mul, x, y, type=t)


def _fits(uniform: Operand, x: Operand) -> bool:
    """Whether an array of one number stretches no other one, of its precision."""
    if not _is_array(x) or not _is_array(uniform) or len(uniform.type.dims) > len(x.type.dims):
        return False
    return all(p.one is True or p.one is q.one is False or p.sym is not None and (p.sym, p.off) == (q.sym, q.off)
               for p, q in zip(uniform.type.dims[::-1], x.type.dims[::-1]))


def _is_number(x: Any) -> bool:
    """Whether something is a real number of double precision, or one that adapts to that."""
    t = x.type
    if isinstance(x, Lit):
        return type(x.value) in (int, float)
    return isinstance(t, Num) and t.kind == "float" or isinstance(t, Arr) and t.scalar and t.dtype == "float64"


def _is_array(x: Any) -> TypeGuard[Any]:
    return isinstance(x, Value) and type(x.type) is Arr and bool(x.type.dims) and x.type.dtype == "float64"
