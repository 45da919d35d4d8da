"""Destination passing: compute returned arrays in buffers that the caller provides, where possible by the operation that defines them."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Call, Function, Lit, Op, Operand, Value, blocks_of, operands_of, walk
from ...ir.types import Arr
from ..analysis.def_use import definitions_in
from ..rewriting.substitute import substitute

__all__ = ["UFUNC", "alike", "write_into"]

UFUNC: dict[Any, Any] = {
    operator.mul: np.multiply, operator.add: np.add, operator.sub: np.subtract, operator.truediv: np.divide, operator.neg: np.negative,
    operator.matmul: np.matmul,
}
_FILLED = {np.zeros_like: 0.0, np.zeros: 0.0, np.ones_like: 1.0}
_INPLACE = {operator.add: operator.iadd, operator.sub: operator.isub, operator.mul: operator.imul, operator.truediv: operator.itruediv}
_SAME_OBJECT = (operator.iadd, operator.isub, operator.imul, operator.itruediv)


def write_into(fn: Function, buffers: dict[int, Value]) -> None:
    """Rewrite ``fn`` in place.

    Parameters
    ----------
    fn : Function
        A derivative; ``buffers`` are among its parameters already.
    buffers : dict of int to Value
        For some of its results the buffer, which has the result's shape and dtype and shares memory with nothing else.
    """
    state = _Redirect(fn)
    done: set[Value] = set()
    for k, buffer in buffers.items():
        y = fn.body.yields[k]
        made = state.origin(y)
        result = made.result if made is not None else None
        shared = result in done or sum(z is y for z in fn.body.yields) > 1
        if made is None or made.part != "adjoint" or shared or not state.into(made, buffer):
            with Builder(fn.body, part="adjoint") as b:
                b.emit(Call(operator.setitem, [buffer, Lit(Ellipsis), y]))
        elif result is not None:
            done.add(result)
        fn.body.yields = [buffer if n == k else z for n, z in enumerate(fn.body.yields)]


class _Redirect:
    """Moves the computation of arrays into buffers."""

    def __init__(self, fn: Function):
        self.fn = fn
        self.makers: dict[Value, Op] = definitions_in(fn.body.ops)

    def origin(self, y: Operand) -> Call | None:
        """The call that creates the array ``y``, before in-place operations on it."""
        made = self.makers.get(y) if isinstance(y, Value) else None
        while isinstance(made, Call) and made.fn in _SAME_OBJECT and isinstance(made.args[0], Value):
            made = self.makers.get(made.args[0])
        return made if isinstance(made, Call) and made.results else None

    def into(self, made: Call, buffer: Value, depth: int = 8) -> bool:
        """Let a call write into a buffer; return whether it can."""
        have, want = made.result.type, buffer.type
        if not alike(have, want):
            return False
        fill = _FILLED.get(made.fn)
        if made.fn is operator.pow and isinstance(made.args[1], Lit) and made.args[1].value == 2:
            made = self.squared(made)       # np.power does not know of it, ** does
        ufunc = UFUNC.get(made.fn) or (made.fn if isinstance(made.fn, np.ufunc) or made.fn in (np.sum, np.matmul) else None)
        if fill is not None:
            self.replace(made, Call(np.ndarray.fill, [buffer, Lit(fill)]), buffer)
        elif made.fn is np.ndarray.copy:
            self.replace(made, Call(np.copyto, [buffer, made.args[0]]), buffer)
        elif ufunc is None or "out" in made.kwargs or not _gives(ufunc, made, have):
            return False
        elif made.fn in _INPLACE and depth and (inner := self.operand(made, want)) is not None and self.into(inner, buffer, depth - 1):
            first, second = made.args
            if first is buffer:
                self.replace(made, Call(_INPLACE[made.fn], [buffer, second]), buffer)
            elif made.fn in (operator.add, operator.mul):
                self.replace(made, Call(_INPLACE[made.fn], [buffer, first]), buffer)
            else:
                self.replace(made, Call(ufunc, [first, second], {"out": buffer}), buffer)
        else:
            self.replace(made, Call(ufunc, made.args, {**made.kwargs, "out": buffer}), buffer)
        return True

    def squared(self, made: Call) -> Call:
        """``x ** 2`` as a call of a ufunc."""
        made.fn, made.args = np.square, made.args[:1]
        return made

    def operand(self, made: Call, want: Any) -> Call | None:
        """The call that makes an operand nothing else reads, and could make it in the buffer."""
        for a in made.args:
            inner = self.makers.get(a) if isinstance(a, Value) else None
            if isinstance(inner, Call) and inner.part == "adjoint" and made.args.count(a) == 1 and alike(a.type, want):
                fn = UFUNC.get(inner.fn) or inner.fn
                if inner.results == [a] and isinstance(fn, np.ufunc) and _gives(fn, inner, a.type) and self.reads(a) == 1:
                    return inner
        return None

    def reads(self, v: Value) -> int:
        """How often a value is read."""
        count = sum(o is v for op in walk(self.fn.body) for o in operands_of(op)) + sum(y is v for y in self.fn.body.yields)
        return count + sum(y is v for op in walk(self.fn.body) for b in blocks_of(op) for y in b.yields)

    def replace(self, old: Call, new: Call, buffer: Value) -> None:
        """Replace one call by another, whose result is the buffer from then on."""
        new.loc, new.part = old.loc, old.part
        self.fn.body.ops[self.fn.body.ops.index(old)] = new
        substitute(self.fn.body, {old.result: buffer})


def alike(have: Any, want: Any) -> bool:
    """Whether two arrays have one dtype and the same dimensions."""
    return isinstance(have, Arr) and isinstance(want, Arr) and not have.scalar and have.dtype == want.dtype and len(
        have.dims) == len(want.dims) and all(a == b or a.one is b.one is not None for a, b in zip(have.dims, want.dims))


def _gives(ufunc: Any, made: Call, want: Any) -> bool:
    """Whether the operation is one of arrays, as large as its result."""
    arrays = [a.type for a in made.args if isinstance(a.type, Arr)]
    if ufunc is np.matmul:
        return len(want.dims) == 2 and all(len(t.dims) == 2 for t in arrays)
    if ufunc is np.sum:
        return len(arrays) == 1 and len(arrays[0].dims) > len(want.dims) > 0
    return bool(arrays) and ufunc.signature is None
