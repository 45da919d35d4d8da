"""Scalar forms of operations on small arrays and NumPy scalars, in terms of Python floats.

A form computes the result of NumPy, up to the order of additions. If Python raises an exception where NumPy returns NaN or infinity (a
division by zero, the logarithm of 0, an overflow in ``exp``), the form is *risky*: after an exception, the caller runs the variant without
scalar forms.
"""
from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.ops import Block, Call, If, Lit, Operand, Value
from ....ir.prims import unpack
from ....ir.types import Arr, Num, TupleT
from .small_arrays import Lengths, is_scalar

__all__ = ["Form", "form_of"]

#: the representation of a value: itself, or its elements
Unboxed = Any
Get = Callable[[Any], Unboxed]

_FLOAT, _BOOL = Num("float"), Num("bool")
_PLAIN: dict[Any, Callable[..., Any]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.negative: operator.neg, np.positive: operator.pos,
    np.absolute: operator.abs, np.fabs: operator.abs, abs: operator.abs,
    **{f: f for f in (operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.abs)},
}
_TESTS: dict[Any, Callable[..., Any]] = {
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge, np.equal: operator.eq,
    np.not_equal: operator.ne, **{f: f for f in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)},
}
#: NumPy function to the name in ``math``; those that never raise
_SAFE = {np.tanh: "tanh", np.arctan: "atan", np.arcsinh: "asinh", np.arctan2: "atan2", np.copysign: "copysign"}
_RISKY = {
    np.exp: "exp", np.log: "log", np.log10: "log10", np.log2: "log2", np.log1p: "log1p", np.expm1: "expm1", np.sqrt: "sqrt",
    np.sin: "sin", np.cos: "cos", np.tan: "tan", np.arcsin: "asin", np.arccos: "acos", np.sinh: "sinh", np.cosh: "cosh",
    np.arccosh: "acosh", np.arctanh: "atanh", np.hypot: "hypot",
}
_FUNCTIONS: dict[Any, Callable[..., Any]] = {f: getattr(math, name) for f, name in (*_SAFE.items(), *_RISKY.items())}
_DIVIDE = (operator.truediv, np.divide)
_POWER = (operator.pow, np.power, builtins.pow)
_SUM = (np.sum, np.ndarray.sum, np.add.reduce)
_DOT = (np.dot, operator.matmul, np.matmul, np.vdot, np.inner, np.ndarray.dot)
_SAME = (np.copy, np.ndarray.copy, np.array, np.asarray, np.ascontiguousarray, np.ravel, np.ndarray.ravel, np.ndarray.flatten)
_FILLED: dict[Any, float] = {np.zeros_like: 0.0, np.ones_like: 1.0, np.zeros: 0.0, np.ones: 1.0}


#: nanoseconds that reading a row as Python floats takes
_ROW = 45.0


@dataclass(eq=False, slots=True)
class Form:
    """The form of an operation on Python floats.

    ``write`` appends the operations and returns the representation of each result; ``reads`` are the operands it takes as floats;
    ``risky`` says that it may raise where NumPy does not; ``saves`` is the time that it takes less, in nanoseconds.
    """

    write: Callable[[Builder, Get], list[Unboxed]]
    reads: Sequence[Operand]
    saves: float
    risky: bool = False

    @property
    def unboxed(self) -> list[Value]:
        """The NumPy scalars and arrays among its operands."""
        return [o for o in self.reads if type(o) is Value and isinstance(o.type, Arr)]


def form_of(op: Call, lengths: Lengths) -> Form | None:
    """The form of a call; None if it is not one on small arrays or NumPy scalars, or has no form."""
    fn = op.fn
    try:
        maker = _FORMS.get(fn)
    except TypeError:       # unhashable
        return None
    return maker(op, lengths) if maker is not None else None


def _number(x: Any) -> bool:
    """Whether an operand is a number that Python computes with as NumPy does with it as an element."""
    t = x.type
    if isinstance(x, Lit):
        return type(x.value) in (int, float)
    return isinstance(t, Num) and t.kind in ("float", "int", "bool") or is_scalar(t)


def _each(op: Call, lengths: Lengths, compute: Callable[..., Any], risky: bool = False, result: Num = _FLOAT,
          args: Sequence[Any] | None = None) -> Form | None:
    """Element by element."""
    made = op.results[0]
    length = lengths.of(made) if type(made.type) is Arr else None
    if length is None and not is_scalar(made.type):
        return None
    args = op.args if args is None else args
    sizes: list[int | None] = []
    for a in args:
        if _number(a):
            sizes.append(None)
        elif (size := lengths.of(a) or lengths.readable(a)) is not None:
            sizes.append(size)
        else:
            return None
    known = [n for n in sizes if n is not None]
    if not known:
        if length is not None:
            return None

        def write_one(b: Builder, get: Get) -> list[Unboxed]:
            return [_call(b, compute, [get(a) for a in args], result)]
        return Form(write_one, [*args], 60.0 if op.fn in _FUNCTIONS else 25.0, risky)
    rows = [a for a, n in zip(args, sizes) if n is not None and lengths.of(a) is None]
    reads = [a for a in args if a not in rows]
    n = max(known)
    if result is not _FLOAT or any(k not in (1, n) for k in known) or length != n:
        return None

    def write(b: Builder, get: Get) -> list[Unboxed]:
        parts = [get(a) for a in args]
        return [[_call(b, compute, [_part(p, k) for p in parts], result) for k in range(n)]]
    return Form(write, reads, max(250.0 - (40.0 if op.fn in _FUNCTIONS else 14.0) * n, 0.0) - _ROW * len(rows), risky)


def _part(x: Unboxed, k: int) -> Any:
    return (x[k] if len(x) > 1 else x[0]) if isinstance(x, list) else x


def _call(b: Builder, fn: Callable[..., Any], args: Sequence[Any], t: Num = _FLOAT) -> Any:
    if fn is _square:
        return b.call(operator.mul, args[0], args[0], type=t)
    if fn is _one_over:
        return b.call(operator.truediv, Lit(1.0), args[0], type=t)
    return b.call(fn, *args, type=t)


def _square(x: Any) -> Any:
    return x * x


def _one_over(x: Any) -> Any:
    return 1.0 / x


def _plain(op: Call, lengths: Lengths) -> Form | None:
    return None if op.kwargs else _each(op, lengths, _PLAIN[op.fn])


def _test(op: Call, lengths: Lengths) -> Form | None:
    return None if op.kwargs else _each(op, lengths, _TESTS[op.fn], result=_BOOL)


def _function(op: Call, lengths: Lengths) -> Form | None:
    return None if op.kwargs else _each(op, lengths, _FUNCTIONS[op.fn], op.fn in _RISKY)


def _divide(op: Call, lengths: Lengths) -> Form | None:
    divisor = op.args[1]
    known = isinstance(divisor, Lit) and type(divisor.value) in (int, float) and divisor.value != 0
    return None if op.kwargs else _each(op, lengths, operator.truediv, not known)


def _power(op: Call, lengths: Lengths) -> Form | None:
    """NumPy squares arrays, and takes their roots and reciprocals, for the exponents 2, 0.5 and -1."""
    if op.kwargs or len(op.args) != 2:
        return None
    n = op.args[1]
    value = n.value if isinstance(n, Lit) and type(n.value) in (int, float) else None
    if lengths.of(op.result) is not None and value in (2, 0.5, -1):
        compute = {2: _square, 0.5: math.sqrt, -1: _one_over}[value]
        return _each(op, lengths, compute, value != 2, args=op.args[:1])
    whole = value is not None and float(value).is_integer()
    return _each(op, lengths, operator.pow if whole else math.pow, True)


def _sign(op: Call, lengths: Lengths) -> Form | None:
    """1, -1, or the number itself if it is 0 or nan."""
    x = op.args[0]
    if op.kwargs or lengths.of(x) is not None or not is_scalar(op.result.type) or not _number(x):
        return None

    def write(b: Builder, get: Get) -> list[Unboxed]:
        inner, result = Value(_FLOAT), Value(_FLOAT)
        other = Block(yields=[inner])
        with b.inside(other):
            below = b.call(operator.lt, get(x), 0.0, type=_BOOL)
            b.emit(If(below, Block(yields=[Lit(-1.0)]), Block(yields=[get(x)]), results=[inner]))
        above = b.call(operator.gt, get(x), 0.0, type=_BOOL)
        b.emit(If(above, Block(yields=[Lit(1.0)]), other, results=[result]))
        return [result]
    return Form(write, op.args, 60.0)


def _choose(op: Call, lengths: Lengths) -> Form | None:
    """Python's own ``min`` and ``max`` of scalars."""
    if op.kwargs or len(op.args) < 2 or not is_scalar(op.result.type):
        return None
    return _each(op, lengths, op.fn)


def _both(op: Call, lengths: Lengths) -> Form | None:
    """``a & b`` of truth values."""
    return _each(op, lengths, op.fn, result=_BOOL) if op.result.type == Arr("bool", (), scalar=True) else None


def _total(op: Call, lengths: Lengths) -> Form | None:
    n = lengths.of(op.args[0]) if len(op.args) == 1 and not op.kwargs else None
    if n is None:
        return None

    def write(b: Builder, get: Get) -> list[Unboxed]:
        return [_first_and_rest(b, get(op.args[0]))]
    return Form(write, op.args, 1000.0)


def _first_and_rest(b: Builder, parts: Sequence[Any]) -> Any:
    """The sum in NumPy's order: the others are added up first."""
    return parts[0] if len(parts) == 1 else b.call(operator.add, parts[0], _running(b, parts[1:]), type=_FLOAT)


def _running(b: Builder, parts: Sequence[Any]) -> Any:
    total = parts[0]
    for p in parts[1:]:
        total = b.call(operator.add, total, p, type=_FLOAT)
    return total


def _products(b: Builder, x: Sequence[Any], y: Sequence[Any]) -> Any:
    return _running(b, [b.call(operator.mul, p, q, type=_FLOAT) for p, q in zip(x, y)])


def _dot(op: Call, lengths: Lengths) -> Form | None:
    if op.kwargs or len(op.args) != 2 or lengths.of(op.args[0]) is None or lengths.of(op.args[0]) != lengths.of(op.args[1]):
        return None

    def write(b: Builder, get: Get) -> list[Unboxed]:
        return [_products(b, get(op.args[0]), get(op.args[1]))]
    return Form(write, op.args, 400.0)


def _cross(op: Call, lengths: Lengths) -> Form | None:
    if op.kwargs or len(op.args) != 2 or any(lengths.of(x) != 3 for x in (*op.args, op.result)):
        return None

    def write(b: Builder, get: Get) -> list[Unboxed]:
        x, y = get(op.args[0]), get(op.args[1])
        return [[b.call(operator.sub, *(b.call(operator.mul, x[i], y[j], type=_FLOAT) for i, j in ((k - 2, k - 1), (k - 1, k - 2))),
                        type=_FLOAT) for k in range(3)]]
    return Form(write, op.args, 4000.0)


def _norm(op: Call, lengths: Lengths) -> Form | None:
    if op.kwargs or len(op.args) != 1 or lengths.of(op.args[0]) is None:
        return None

    def write(b: Builder, get: Get) -> list[Unboxed]:
        x = get(op.args[0])
        return [b.call(math.sqrt, _products(b, x, x), type=_FLOAT)]
    return Form(write, op.args, 800.0, risky=True)      # its derivative at 0 is


def _item(op: Call, lengths: Lengths) -> Form | None:
    """An element at a place, or a slice, that is known."""
    base, index = op.args
    n = lengths.of(base)
    if n is None:
        return _element(op, lengths)
    if not isinstance(index, Lit):
        return None
    inside = type(index.value) is int and -n <= index.value < n
    if not inside and not (isinstance(index.value, slice) and lengths.of(op.result) is not None):
        return None

    def write(b: Builder, get: Get) -> list[Unboxed]:
        return [get(base)[index.value]]
    return Form(write, [base], 30.0 if type(index.value) is int else 100.0)


def _element(op: Call, lengths: Lengths) -> Form | None:
    """An element of an array that stays one."""
    base, index = op.args
    place = lengths.place(base)
    if place is not None and isinstance(index, Lit) and type(index.value) is int and is_scalar(op.result.type) and \
            -len(place.columns) <= index.value < len(place.columns):
        column = place.columns[index.value]

        def write(b: Builder, get: Get) -> list[Unboxed]:
            return [b.call(operator.getitem, place.base, b.build("tuple", [place.row, column]), type=_FLOAT)]
        return Form(write, [], 20.0)
    t, places = base.type, index.type.elems if isinstance(index.type, TupleT) else (index.type,)
    if not isinstance(t, Arr) or t.scalar or t.dtype != "float64" or not is_scalar(op.result.type) or not all(
            isinstance(p, Num) and p.kind == "int" for p in places):
        return None
    return Form(lambda b, get: [b.call(operator.getitem, base, index, type=_FLOAT)], [], 20.0)


def _unpack(op: Call, lengths: Lengths) -> Form | None:
    base = op.args[0]
    n = lengths.of(base)
    if (n or lengths.readable(base)) != len(op.results):
        return None
    return Form(lambda b, get: list(get(base)), [base] if n else [], 200.0)


def _same(op: Call, lengths: Lengths) -> Form | None:
    """A copy; an array of a display."""
    if op.kwargs and (list(op.kwargs) != ["dtype"] or getattr(op.kwargs["dtype"], "value", None) not in (float, np.float64)):
        return None
    if len(op.args) != 1:
        return None
    items = lengths.items(op.args[0])
    if items is None:
        if lengths.of(op.args[0]) is None or lengths.of(op.result) is None:
            return None
        return Form(lambda b, get: [get(op.args[0])], op.args, 200.0)
    if lengths.of(op.result) != len(items) or not all(_number(i) or _narrow(i) for i in items):
        return None

    def write(b: Builder, get: Get) -> list[Unboxed]:
        return [[_as_float(b, get(i)) for i in items]]
    return Form(write, [i for i in items if not _narrow(i) or is_scalar(i.type)], 214.0)


def _narrow(x: Any) -> bool:
    """Whether an operand is a NumPy scalar whose value is representable as a float64."""
    t = x.type
    return isinstance(t, Arr) and t.scalar and t.dtype[0] in "fiub"


def _as_float(b: Builder, x: Any) -> Any:
    if isinstance(x, Lit):
        return Lit(float(x.value)) if x.text is None and type(x.value) is not float else x
    return x if isinstance(x, Value) and x.type == _FLOAT else b.call(float, x, type=_FLOAT)


def _joined(op: Call, lengths: Lengths) -> Form | None:
    """``np.concatenate`` of small arrays."""
    items = lengths.items(op.args[0]) if len(op.args) == 1 and not op.kwargs else None
    if not items or any(lengths.of(i) is None for i in items) or lengths.of(op.result) is None:
        return None
    return Form(lambda b, get: [[e for i in items for e in get(i)]], items, 400.0)


def _filled(op: Call, lengths: Lengths) -> Form | None:
    n = lengths.of(op.result)
    if n is None or op.kwargs or len(op.args) != 1:
        return None
    reads = op.args if op.fn in (np.zeros_like, np.ones_like) else []
    return Form(lambda b, get: [[Lit(_FILLED[op.fn])] * n], reads, 80.0)


_FORMS: dict[Any, Callable[[Call, Lengths], Form | None]] = {
    **dict.fromkeys(_PLAIN, _plain), **dict.fromkeys(_TESTS, _test), **dict.fromkeys(_FUNCTIONS, _function),
    **dict.fromkeys(_DIVIDE, _divide), **dict.fromkeys(_POWER, _power), **dict.fromkeys((builtins.min, builtins.max), _choose),
    **dict.fromkeys((operator.and_, operator.or_), _both), **dict.fromkeys(_SUM, _total), **dict.fromkeys(_DOT, _dot),
    np.sign: _sign, np.cross: _cross, np.linalg.norm: _norm, operator.getitem: _item, unpack: _unpack, **dict.fromkeys(_SAME, _same),
    **dict.fromkeys((np.concatenate, np.hstack), _joined), **dict.fromkeys(_FILLED, _filled), np.square: lambda op, lengths: (
        None if op.kwargs else _each(op, lengths, _square)),
}
