"""Masks of cotangents by bits: `np.where` branches for each element.

>>> show("x = np.where(a < b, 0.0, np.where(a == b, 0.5 * g, g))", select_by_bitmasks, arrays="a b g")
x = share_of_larger(a, b, g)
>>> show("x = np.where(a > 0.0, g, 0.0)", select_by_bitmasks, arrays="a g")
x = kept_where(a > 0.0, g)

The first is the cotangent of ``np.maximum(a, b)``, which is halved at ties. Arrays that are known to be small are not
rewritten.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.ops import Call, Function, Operand, Value, calls
from ...ir.types import Arr
from ...runtime import kept_where, share_of_larger, share_of_smaller
from ..analysis.alias import AliasClasses
from ..manager import Property, Stage, optimization
from ..rewriting import Apply, Const, Match, Mul, Var, Where, pattern, rewrite
from ..switches import is_on

__all__ = ["select_by_bitmasks"]

#: for so few elements, calling three functions takes longer
_SMALL = 1024
_LESS = (operator.lt, np.less)
_MORE = (operator.gt, np.greater)
_SAME = (operator.eq, np.equal)
_TIMES = (operator.mul, np.multiply)


@optimization(Stage.LOWER_NUMPY, "choices", requires=(Property.FINAL,), analyses=(AliasClasses,))
def select_by_bitmasks(fn: Function) -> bool:
    """Rewrite the adjoint part of a finished function in place."""
    if not calls(fn.body, np.where) or not is_on("choices"):
        return False
    sizes = _Sizes({(name, k): n for name, shape in fn.attrs.shapes.items() for k, n in enumerate(shape)})
    changed = rewrite(fn, _kept, _share, among=lambda op: op.part == "adjoint" and sizes.is_many(op.result))
    fn.attrs.add_guards(sizes.guards.values())
    return changed or bool(sizes.guards)


_a, _b, _g = Var("a"), Var("b"), Var("g")


@pattern(Where(Var("condition"), _g, Const(0.0)))
def _kept(m: Match) -> Operand | None:
    return m.call(kept_where, m.condition, m.g) if _alike(m.g, m.result) and _alike(m.condition, m.result, "bool") else None


@pattern(Where(Apply((*_LESS, *_MORE), _a, _b), Const(0.0), Where(Apply(_SAME, _a, _b), Mul(Const(0.5), _g), _g)))
def _share(m: Match) -> Operand | None:
    condition = m.maker(m.op.args[0])
    if type(condition) is not Call or not _alike(m.g, m.result) or not _alike(condition.result, m.result, "bool"):
        return None
    return m.call(share_of_larger if condition.fn in _LESS else share_of_smaller, m.a, m.b, m.g)


class _Sizes:
    """Sizes of arrays, by the lengths of the arguments of the first call; code for small arrays has guards."""

    def __init__(self, lengths: dict[Any, int]):
        self.lengths = lengths
        self.guards: dict[Any, Guard] = {}

    def is_many(self, v: Value) -> bool:
        """Whether an array is not known to be small."""
        t = v.type
        if not isinstance(t, Arr) or not t.dims or t.dtype != "float64":
            return False
        size = 1
        for d in t.dims:
            known = d.known if d.known is not None else self.lengths.get(d.sym)
            if known is None:
                return True
            size *= known + d.off
        found: list[Any] = [d.sym for d in t.dims if d.sym in self.lengths]
        if 0 < size < _SMALL and found:
            longest = max(found, key=self.lengths.__getitem__)
            most = int(self.lengths[longest] * (_SMALL / size) ** (1.0 / found.count(longest)))
            self.guards[longest] = Guard("narrow", longest[0], longest[1], most)
        return size >= _SMALL


def _alike(x: Operand, y: Value, dtype: str = "float64") -> bool:
    """Whether an array has the dimensions of another one."""
    a, b = x.type, y.type
    return isinstance(a, Arr) and isinstance(b, Arr) and not a.scalar and a.dtype == dtype and len(a.dims) == len(b.dims) and all(
        d == e or d.one is e.one is False for d, e in zip(a.dims, b.dims))
