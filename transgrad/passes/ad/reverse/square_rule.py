"""Products of a value with itself, whose derivative is one term with the factor 2."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.ops import Build, Call, Lit, Value
from ....ir.types import Arr, ListT

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["PRODUCTS", "SQUARES", "is_square"]

PRODUCTS = (operator.mul, np.multiply)
#: of two vectors, a number
_INNER = frozenset((operator.matmul, np.matmul, np.dot, np.ndarray.dot, np.inner, np.vdot))
SQUARES = _INNER.union(PRODUCTS)


def is_square(r: "Reverse", op: Call) -> bool:
    """Whether an operation multiplies a value, or a vector, with itself."""
    if op.fn in PRODUCTS:
        return len(op.args) == 2 and not op.kwargs and not isinstance(op.args[0].type, ListT) and _is_same(r, *op.args)
    return op.fn in _INNER and len(op.args) == 2 and not op.kwargs and all(map(_is_vector, op.args)) and _is_same(r, *op.args)


def _is_vector(x: Any) -> bool:
    return isinstance(x.type, Arr) and x.type.dtype == "float64" and len(x.type.dims) == 1


def _is_same(r: "Reverse", x: Any, y: Any) -> bool:
    """Whether two operands are one value, or the same part of an array, read twice with no write in between."""
    if x is y:
        return isinstance(x, Value)
    first, second = r.layout.maker.get(x), r.layout.maker.get(y)
    if type(first) is not Call or type(second) is not Call or not first.fn is second.fn is operator.getitem:
        return False
    base, where = first.args
    if base is not second.args[0] or not isinstance(base.type, Arr) or _index(r, where) != _index(r, second.args[1]):
        return False
    place = r.layout.position
    start, end = sorted((place[id(first)], place[id(second)]))
    return r.layout.inside[id(first)] is r.layout.inside[id(second)] and not any(
        start < place[id(w)] < end for w in r.classes.writers.get(r.classes.find(base), ()))


def _index(r: "Reverse", x: Any) -> Any:
    """A comparable representation of an index."""
    made = r.layout.maker.get(x) if isinstance(x, Value) else None
    if isinstance(made, Build) and made.kind in ("tuple", "slice"):
        return made.kind, *(_index(r, i) for i in made.items)
    if isinstance(made, Call) and made.fn in (operator.add, operator.sub):
        return made.fn, *(_index(r, i) for i in made.args)
    return repr(x.value) if isinstance(x, Lit) else x
