"""Element-wise calls, and their scalar forms."""
from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.ops import Call, Lit, Op, Operand, Value
from ....ir.types import Arr, Num, is_box

__all__ = ["CALLED", "ELEMENTARY", "NUMBERS", "TURNING", "cast", "dtype_of", "is_elementwise", "is_known", "scalar_call"]

#: The dtypes of elements that loops are written for.
NUMBERS = frozenset(("float64", "float32", "int64", "int32", "bool", "complex128", "complex64"))
_REAL = frozenset(("float64", "float32"))

_ARITHMETIC: dict[Any, Callable[..., Any]] = {
    operator.add: operator.add, np.add: operator.add, operator.sub: operator.sub, np.subtract: operator.sub, operator.mul: operator.mul,
    np.multiply: operator.mul, operator.truediv: operator.truediv, np.divide: operator.truediv, operator.neg: operator.neg,
    np.negative: operator.neg,
}
_COMPARISONS: dict[Any, Callable[..., Any]] = {
    operator.lt: operator.lt, np.less: operator.lt, operator.le: operator.le, np.less_equal: operator.le, operator.gt: operator.gt,
    np.greater: operator.gt, operator.ge: operator.ge, np.greater_equal: operator.ge, operator.eq: operator.eq, np.equal: operator.eq,
    operator.ne: operator.ne, np.not_equal: operator.ne,
}
_TRUTH: dict[Any, Callable[..., Any]] = {
    np.logical_and: operator.and_, np.logical_or: operator.or_, np.logical_xor: operator.xor, operator.and_: operator.and_,
    operator.or_: operator.or_, operator.xor: operator.xor, np.logical_not: operator.not_, operator.invert: operator.not_,
    np.bitwise_and: operator.and_, np.bitwise_or: operator.or_,
}
#: of one real number to one, by the math module, or by NumPy as Numba has it
_LIBRARY: dict[Any, Callable[..., Any]] = {
    np.sqrt: math.sqrt, np.tan: math.tan, np.arcsin: math.asin, np.arccos: math.acos, np.arctan: math.atan, np.sinh: math.sinh,
    np.cosh: math.cosh, np.arcsinh: math.asinh, np.arccosh: math.acosh, np.arctanh: math.atanh, np.log2: math.log2, np.log10: math.log10,
    np.floor: np.floor, np.ceil: np.ceil, np.trunc: np.trunc, np.rint: np.rint, np.exp2: np.exp2, np.cbrt: np.cbrt,
    np.arctan2: math.atan2, np.hypot: math.hypot, np.copysign: math.copysign,
}
_FAST = {np.exp: "exp", np.expm1: "expm1", np.log: "log", np.log1p: "log1p", np.tanh: "tanh", np.sin: "sin", np.cos: "cos",
         np.logaddexp: "logaddexp"}
_SELECTION = {np.maximum: "maximum", np.minimum: "minimum", np.sign: "sign"}
_COPIES: frozenset[Any] = frozenset((np.ndarray.copy, np.copy))
#: Functions that a loop over elements computes for angles that are not too large.
TURNING = frozenset((np.sin, np.cos))
#: Functions that the machine code of a precise text calls a library for, so that no loop over them works on several elements at once.
CALLED: frozenset[Any] = TURNING | _LIBRARY.keys() - {np.sqrt, np.floor, np.ceil, np.trunc, np.rint, np.copysign}
#: Functions that take several times as long as arithmetic.
ELEMENTARY: frozenset[Any] = CALLED | _FAST.keys()
_KNOWN: frozenset[Any] = frozenset((
    *_ARITHMETIC, *_COMPARISONS, *_TRUTH, *_LIBRARY, *_FAST, *_SELECTION, np.square, np.absolute, operator.abs, abs, np.fabs, np.where,
    np.isnan, np.isfinite, np.isinf, operator.pow, np.power, np.reciprocal, *_COPIES,
))


def dtype_of(o: Operand) -> str | None:
    """The dtype of a number or of the elements of an array."""
    t = o.type
    if isinstance(t, Num):
        return {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}[t.kind]
    return t.dtype if isinstance(t, Arr) else None


def is_elementwise(op: Op) -> bool:
    """Whether an operation computes an array of one or more dimensions, each element from those in its place."""
    if not isinstance(op, Call) or op.kwargs or len(op.results) != 1 or not is_known(op.fn):
        return False
    t = op.result.type
    if not isinstance(t, Arr) or not t.dims or t.dtype not in NUMBERS:
        return False
    args: list[Any] = op.args
    if not all(isinstance(a, (Value, Lit)) and dtype_of(a) in NUMBERS and not is_box(a.type) for a in args):
        return False
    dtypes = [dtype_of(a) for a in args]
    if any(str(d).startswith("complex") for d in (*dtypes, t.dtype)) and op.fn not in _COPIES:
        return op.fn in _ARITHMETIC and t.dtype.startswith("complex")
    match op.fn:
        case f if f in _COPIES:
            return len(args) == 1
        case f if f in _ARITHMETIC:
            return t.dtype != "bool"
        case f if f in _TRUTH:
            return t.dtype == "bool" and all(d == "bool" for d in dtypes)
        case f if f is np.where:
            return len(args) == 3 and dtypes[0] == "bool"
        case f if f in (operator.pow, np.power):
            return t.dtype in _REAL and (dtypes[0] in _REAL or t.dtype == "float64")
        case f if f in _COMPARISONS or f in (np.isnan, np.isfinite, np.isinf):
            return t.dtype == "bool"
        case f if f in (np.maximum, np.minimum, np.square, np.absolute, operator.abs, abs, np.sign):
            return t.dtype != "bool"
    return t.dtype in _REAL


def is_known(fn: Any) -> bool:
    try:
        return fn in _KNOWN
    except TypeError:
        return False


_CASTS: dict[str, Any] = {"float64": float, "float32": np.float32, "int64": int, "int32": np.int32, "bool": bool,
                          "complex128": complex, "complex64": np.complex64}


def cast(b: Builder, x: Operand, dtype: str) -> Operand:
    """A number as one of a dtype."""
    if dtype_of(x) == dtype:
        return x
    if isinstance(x, Lit) and dtype in ("float64", "int64", "complex128"):
        return Lit(_CASTS[dtype](x.value))
    if dtype_of(x) == "bool":
        from ....runtime.numba.selection import select  # it needs Numba
        return b.call(select, x, *(cast(b, Lit(n), dtype) for n in (1, 0)), type=Arr(dtype, (), scalar=True))  # type: ignore[no-any-return]
    return b.call(_CASTS[dtype], x, type=Arr(dtype, (), scalar=True))  # type: ignore[no-any-return]


def scalar_call(b: Builder, op: Call, args: Sequence[Operand], precise: bool) -> Operand:
    """Apply an operation to elements.

    Parameters
    ----------
    b : Builder
        The builder of the scalar code.
    op : Call
        The operation on arrays.
    args : sequence of Operand
        The elements.
    precise : bool
        Whether angles may have any magnitude.
    """
    from ....runtime.numba import elementary, selection  # they need Numba, which batches on NumPy do without
    t = op.result.type
    assert isinstance(t, Arr)
    dtype, fn = t.dtype, op.fn

    def made(f: Callable[..., Any], *given: Operand, of: str = dtype) -> Operand:
        return b.call(f, *given, type=Arr(of, (), scalar=True))  # type: ignore[no-any-return]

    def same(*given: Operand) -> list[Operand]:
        return [cast(b, x, dtype) for x in given]

    if fn in _COPIES:
        return cast(b, args[0], dtype)
    if fn in _ARITHMETIC:
        return made(_ARITHMETIC[fn], *same(*args))
    if fn in _COMPARISONS:
        common = _common(op.args)
        return made(_COMPARISONS[fn], *(cast(b, x, common) for x in args))
    if fn in _TRUTH:
        return made(_TRUTH[fn], *args)
    if fn is np.where:
        return made(selection.select, args[0], *same(*args[1:]))
    if fn in _SELECTION:
        return made(getattr(selection, _SELECTION[fn]), *same(*args))
    if fn is np.square:
        x, = same(*args)
        return made(operator.mul, x, x)
    if fn in (np.absolute, operator.abs, abs, np.fabs):
        return made(abs, *same(*args))
    if fn in (np.isnan, np.isfinite, np.isinf):
        return made(fn, cast(b, args[0], "float64") if dtype_of(args[0]) not in _REAL else args[0])
    if fn is np.reciprocal:
        return made(operator.truediv, *same(Lit(1.0), args[0]))
    # the rest is computed in double precision
    wide = [cast(b, x, "float64") for x in args]
    if fn in (operator.pow, np.power):
        out = made(*_power(wide[0], wide[1]), of="float64")
    elif fn in _FAST:
        f = getattr(math, _FAST[fn]) if precise and fn in TURNING else getattr(elementary, _FAST[fn])
        out = made(f, *wide, of="float64")
    else:
        out = made(_LIBRARY[fn], *wide, of="float64")
    return cast(b, out, dtype)


def _power(x: Operand, y: Operand) -> tuple[Any, ...]:
    """A power; by multiplication, where the exponent is a small integer known at compile time."""
    if isinstance(y, Lit) and float(y.value).is_integer() and abs(y.value) <= 64:
        return operator.pow, x, Lit(int(y.value))
    if isinstance(y, Lit) and y.value == 0.5:
        return math.sqrt, x
    return operator.pow, x, y


def _common(args: Sequence[Any]) -> str:
    """The dtype in which NumPy compares: numbers of Python adapt to arrays."""
    arrays = [np.dtype(a.type.dtype) for a in args if isinstance(a.type, Arr)]
    if not arrays:
        return str(np.result_type(*(np.dtype(str(dtype_of(a))) for a in args)))
    weak = [{"bool": False, "int": 0, "float": 0.0, "complex": 0j}[a.type.kind] for a in args if isinstance(a.type, Num)]
    return str(np.result_type(*arrays, *weak))
