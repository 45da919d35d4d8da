"""``total += x`` where ``total`` can only be a number is ``total = total + x``, though it is not known which kind of number it is.

A sum that starts as 0.0 and becomes ``np.float32`` has no one type; but numbers are never changed in place, as the arrays may be that
something of an unknown type stands for.
"""
from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ir.ops import Call, For, Function, If, Lit, Operand, Value, While, With, walk
from ...ir.types import UNKNOWN, Arr, Num

__all__ = ["is_real_number", "replace_updates"]

_PLAIN = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul, operator.itruediv: operator.truediv,
          operator.ifloordiv: operator.floordiv, operator.imod: operator.mod, operator.ipow: operator.pow}
#: functions from numbers to numbers
_ARITHMETIC = frozenset((*_PLAIN, *_PLAIN.values(), operator.neg, operator.pos, operator.abs, abs, max, min))


def replace_updates(fn: Function) -> None:
    """Rewrite the in-place operators of a function in place."""
    found = [op for op in walk(fn.body) if type(op) is Call and op.fn in _PLAIN and op.args[0].type == UNKNOWN]
    if not found:
        return
    sources = dict(_sources(fn))
    for op in found:
        if _is_number(op.result, sources):
            op.fn = _PLAIN[op.fn]


def _is_complex(t: Any) -> bool:
    return t.kind == "complex" if isinstance(t, Num) else t.dtype[0] == "c"


def _sources(fn: Function) -> Iterator[tuple[Value, list[Any]]]:
    """The sources of each value: those it is one of, or from which it is computed by arithmetic; other values are absent."""
    for op in walk(fn.body):
        match op:
            case Call() if (op.fn in _ARITHMETIC or isinstance(op.fn, np.ufunc) and op.fn.signature is None) and not op.kwargs and len(
                    op.results) == 1:
                yield op.results[0], op.args
            case If():
                yield from zip(op.results, map(list, zip(op.then.yields, op.orelse.yields)))
            case With():
                yield from zip(op.results, ([y] for y in op.body.yields))
            case For() | While():
                yield from _of_loop(op)


def _of_loop(op: For | While) -> Iterator[tuple[Value, list[Operand]]]:
    """The values of a loop-carried variable: its initial value, and that at the end of an iteration."""
    carried = list(zip(op.inits, op.body.yields[op.stops:]))
    for values in (op.results, op.body.params[len(op.body.params) - len(op.inits):], op.cond.params if isinstance(op, While) else ()):
        yield from zip(values, map(list, carried))


def is_real_number(fn: Function, v: Any) -> bool:
    """Whether a result of a function can only be a number, and no complex one."""
    return _is_number(v, dict(_sources(fn)), real=True)


def _is_number(v: Any, sources: dict[Value, list[Any]], real: bool = False) -> bool:
    """Whether a value can only be a number: all its sources are numbers."""
    seen, todo = {v}, [v]
    for x in todo:
        if isinstance(x, Lit):
            if not isinstance(x.value, (int, float, complex, np.number)) or real and np.iscomplexobj(x.value):
                return False
        elif not isinstance(x, Value):
            return False
        elif x.type == UNKNOWN:
            if x not in sources:
                return False
            new = [s for s in sources[x] if s not in seen]
            seen.update(new)
            todo += new
        elif not (isinstance(x.type, Num) or isinstance(x.type, Arr) and x.type.scalar) or real and _is_complex(x.type):
            return False
    return True
