"""Replace calls that Numba does not support, or interprets differently, with calls that it does."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedByNumba
from ...ir.build import Builder
from ...ir.memory import Memory
from ...ir.opaque import OpaqueCall
from ...ir.ops import Block, Call, Function, GetAttr, Lit, Op, Operand, Value, With, blocks_of
from ...ir.prims import inplace_at
from ...ir.types import Arr, ListT, Num, TupleT, Type
from ...rules.stop import stop_gradient
from ...runtime import add_at, gather_written, scatter, stretched
from ...runtime.numba import checked
from ...runtime.numba.products import matrix_by_stack, product, stack_by_matrix, stack_by_vector, stacked_matmul
from ..manager import Property, Stage, optimization
from ..rewriting.substitute import substitute
from ..scalarize.functions.elementwise import NUMBERS, cast
from .interpreted import in_interpreter

__all__ = ["rewrite_calls"]

_DTYPES: dict[Any, Any] = {float: np.float64, int: np.int64, bool: np.bool_, complex: np.complex128}
_WEAK = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.floordiv, operator.mod, np.add,
                   np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum, np.where, np.clip, np.hypot, np.arctan2))
_INPLACE = frozenset((operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow))
_WAY_OUT = "remove backend='numba' to use the NumPy back end"


@optimization(Stage.LOWER_NUMBA, requires=(Property.FINAL,))
def rewrite_calls(fn: Function) -> bool:
    """Rewrite the calls of a function in place."""
    _Rewriter(fn).block(fn.body)
    return True


class _Rewriter:
    def __init__(self, fn: Function):
        self.memory = Memory(fn)
        self.makers: dict[Value, Op] = {}

    def block(self, block: Block) -> None:
        """Rewrite a block and the blocks inside of it."""
        ops: list[Op] = []
        swap: dict[Value, Operand] = {}
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
            if isinstance(op, With) and _is_about_warnings(op.ctx, ops):
                ops += op.body.ops
                swap.update(zip(op.results, op.body.yields))
                continue
            if isinstance(op, GetAttr) and op.name == "mT" and isinstance(op.obj.type, Arr) and len(op.obj.type.dims) > 1:
                n = len(op.obj.type.dims)
                op = Call(np.swapaxes, [op.obj, Lit(n - 2), Lit(n - 1)], results=op.results, loc=op.loc, part=op.part)
            if isinstance(op, Call):
                if op.fn is _stop_gradient():
                    swap[op.result] = op.args[0]
                    continue
                before = Block()
                with Builder(before, part=op.part, loc=op.loc) as b:
                    self.call(b, op)
                ops += before.ops
            ops.append(op)
            self.makers.update(dict.fromkeys(op.results, op))
        block.ops = ops
        substitute(block, swap)

    def call(self, b: Builder, op: Call) -> None:
        """Rewrite a call in place; write the operations that it requires to the builder."""
        _refuse_draws(op)
        if isinstance(op.fn, OpaqueCall):
            raise UnsupportedByNumba(f"{op.fn.__name__} is a primitive, and Numba cannot call Python functions", op.loc,
                                     "remove backend='numba' to use the NumPy back end")
        if op.fn in (operator.matmul, np.matmul) and not op.kwargs and isinstance(op.result.type, Arr):
            _product(op, op.result.type.dtype)
        if op.fn is np.full_like and not op.kwargs and isinstance(op.args[1].type, Arr):
            like, fill = op.args
            alike = isinstance(like.type, Arr) and like.type.dtype == fill.type.dtype and len(like.type.dims) == len(fill.type.dims)
            if fill.type.dims and alike:
                shape = b.attr(like, "shape", TupleT(tuple(Num("int", d) for d in like.type.dims)))
                op.fn, op.args, op.spelling = np.ndarray.copy, [b.call(stretched, fill, shape, type=like.type)], None
            elif not fill.type.dims and not fill.type.scalar:
                op.args[1] = b.call(operator.getitem, fill, Lit(()), type=Arr(fill.type.dtype, (), True))
        if op.fn is np.size and len(op.args) == 2 and isinstance(op.args[0].type, Arr) and isinstance(op.args[1], Lit):
            shape = b.attr(op.args[0], "shape", TupleT(tuple(Num("int", d) for d in op.args[0].type.dims)))
            op.fn, op.args, op.spelling = operator.getitem, [shape, op.args[1]], None
        if op.fn in (np.argsort, np.ndarray.argsort) and getattr(op.kwargs.get("kind"), "value", None) == "stable":
            op.kwargs["kind"] = Lit("mergesort")        # the name that Numba knows the stable one by
        if op.fn == np.add.at:
            op.fn, op.spelling = add_at, None
        _name_dtypes(op)
        fn: Any = op.fn
        if fn in (operator.getitem, operator.setitem, inplace_at, add_at, scatter, gather_written) and len(op.args) > 1:
            op.args[1] = _index(b, op.args[1])
        if op.fn in (operator.getitem, operator.setitem) and getattr(op.args[1], "value", None) is Ellipsis and op.args[0].type.dims:
            op.args[1] = Lit(slice(None))
        if in_interpreter(b, op, self.makers):
            return
        if op.fn in _INPLACE or op.fn is inplace_at:
            self._keep_apart(b, op)
        types = [a.type for a in op.args if isinstance(a, (Value, Lit))]
        if len(types) == len(op.args) and op.results and not op.kwargs:
            if types and all(isinstance(t, Num) for t in types):
                _python_arithmetic(op, types)
            elif op.fn in _WEAK:
                _adapt_numbers(b, op)

    def _keep_apart(self, b: Builder, op: Call) -> None:
        """Copy the operand of an in-place addition that may overlap its target: Numba reads it while it writes."""
        at = 2 if op.fn is inplace_at else 1
        target, value = op.args[0], op.args[at]
        if isinstance(target.type, Arr) and target.type.dims and isinstance(value.type, Arr) and value.type.dims and (
                self.memory.may_share(target, value)):
            op.args[at] = b.call(np.ndarray.copy, value, type=value.type)


def _product(op: Call, dtype: str) -> None:
    """Use our own function to multiply small matrices and stacks of them, of which Numba has no product."""
    x, y = (a.type for a in op.args)
    if isinstance(x, Arr) and isinstance(y, Arr) and x.dtype == y.dtype == dtype and dtype[0] in "fc":
        dims = len(x.dims), len(y.dims)
        found = {(2, 2): product, (2, 3): matrix_by_stack, (3, 1): stack_by_vector, (3, 2): stack_by_matrix,
                 (3, 3): stacked_matmul}.get(dims)
        if found is not None:
            op.fn, op.spelling = found, None


def _is_about_warnings(ctx: Operand, before: list[Op]) -> bool:
    """Whether a context only configures NumPy's warnings, which machine code does not emit."""
    made = next((op for op in before if isinstance(op, Call) and op.results and op.result is ctx), None)
    if made is None or made.fn is not np.errstate or any(not isinstance(k, Lit) or k.value == "raise" for k in made.kwargs.values()):
        return False
    before.remove(made)
    return True


def _index(b: Builder, index: Operand) -> Operand:
    """An index in which lists are arrays."""
    if not isinstance(index, Lit):
        whole = isinstance(index.type, ListT) and isinstance(index.type.elem, Num) and index.type.elem.kind in ("int", "bool")
        return b.call(np.array, index) if whole else index
    if isinstance(index.value, list) and index.value and all(type(i) in (int, bool) for i in index.value):
        return b.call(np.array, index)  # type: ignore[no-any-return]
    if isinstance(index.value, tuple) and any(isinstance(i, list) for i in index.value):
        return b.build("tuple", [_index(b, Lit(i)) for i in index.value])
    return index


def _stop_gradient() -> Callable[..., Any]:
    return stop_gradient


def _refuse_draws(op: Call) -> None:
    """Refuse NumPy's global generator: Numba has one of its own, and draws other numbers."""
    owner = getattr(op.fn, "__self__", None)
    if isinstance(owner, np.random.RandomState) or getattr(op.fn, "__module__", "") == "numpy.random":
        raise UnsupportedByNumba(f"np.random.{op.fn.__name__} draws different numbers on Numba, which has its own random state", op.loc,
                                 "draw the numbers outside, and pass them as an argument")


def _name_dtypes(op: Call) -> None:
    """Replace Python's number types by NumPy's if they are dtypes."""
    if getattr(op.fn, "__module__", None) not in ("numpy", None) and not isinstance(op.fn, type(np.ndarray.astype)):
        return
    if "dtype" in op.kwargs:
        op.kwargs["dtype"] = _dtype(op.kwargs["dtype"])
    op.args = [_dtype(a) if isinstance(a, Lit) and isinstance(a.value, type) and a.value in _DTYPES else a for a in op.args]


def _dtype(a: Operand) -> Operand:
    if not isinstance(a, Lit):
        return a
    try:
        return Lit(_DTYPES.get(a.value) or np.dtype(a.value).type) if a.value is not None else a
    except TypeError:
        return a


def _python_arithmetic(op: Call, types: list[Type]) -> None:
    """Give Python numbers Python's semantics: a division by zero raises, an integer does not wrap around."""
    kinds = [t.kind for t in types if isinstance(t, Num)]
    if "complex" in kinds:
        return
    whole = all(k in ("int", "bool") for k in kinds)
    divisions = {operator.truediv: checked.divide, operator.floordiv: checked.floor_divide, operator.mod: checked.modulo}
    if op.fn in divisions and not (isinstance(op.args[1], Lit) and op.args[1].value):
        op.fn, op.spelling = divisions[op.fn], None
    elif op.fn is operator.pow:
        exponent = op.args[1]
        if isinstance(exponent, Lit) and type(exponent.value) is int and exponent.value >= 0 and not whole:
            return
        op.fn, op.spelling = checked.int_power if whole else checked.power, None
    elif op.fn in checked.library:
        op.fn, op.spelling = checked.library[op.fn], None


def _adapt_numbers(b: Builder, op: Call) -> None:
    """Cast numbers of Python to the dtype that they take on beside an array: Numba would take the result to theirs."""
    t = op.result.type
    if not isinstance(t, Arr) or t.dtype not in NUMBERS or t.dtype in ("float64", "complex128", "bool"):
        return
    first = 1 if op.fn is np.where else 0
    op.args = [cast(b, a, t.dtype) if k >= first and isinstance(a.type, Num) else a for k, a in enumerate(op.args)]
