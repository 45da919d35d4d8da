"""Tuples inside an array index are equivalent to lists: ``x[(0, 0, 1), :]`` reads three rows."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.ops import Lit, Value
from ...ir.prims import inplace_at
from ...ir.types import Arr, Obj, TupleT, strip
from ..context import Lowering
from ..domain.abstract import STuple, is_lit

__all__ = ["INDEXED", "tuples_as_lists"]

#: functions that take an array and an index first
INDEXED = frozenset((operator.getitem, operator.setitem, inplace_at, np.add.at, np.subtract.at, np.multiply.at, np.divide.at))


def tuples_as_lists(ctx: Lowering, array: Any, index: Any, node: Any) -> Any:
    """The index of an array, with tuples of more than one part replaced by lists."""
    if isinstance(index, STuple):
        if not any(map(_is_tuple, index.items)) or not _is_array(array):
            return index
        return ctx.tuple([_listed(ctx, i, node) if _is_tuple(i) else i for i in index.items])
    if not _is_tuple(index) or not _is_array(array):
        return index
    if isinstance(index, Lit):
        return Lit(tuple(map(_as_list, index.value))) if any(isinstance(i, tuple) for i in index.value) else index
    if not any(isinstance(e, TupleT) for e in index.type.elems):
        return index
    from .subscripts import read_item
    items = [read_item(ctx, index, Lit(k), node) for k in range(len(index.type.elems))]
    return ctx.tuple([_listed(ctx, i, node) if _is_tuple(i) else i for i in items])


def _is_array(x: Any) -> bool:
    return isinstance(x, Value) and isinstance(strip(x.type), Arr) or is_lit(x, np.ndarray)


def _is_tuple(x: Any) -> bool:
    return isinstance(x, STuple) or is_lit(x, tuple) or isinstance(x, Value) and (
        isinstance(x.type, TupleT) and x.type.cls is not list or x.type == Obj(tuple))


def _as_list(x: Any) -> Any:
    return [_as_list(i) for i in x] if isinstance(x, tuple) else x


def _listed(ctx: Lowering, x: Any, node: Any) -> Any:
    """A list of the items of a tuple, and of tuples in it."""
    if isinstance(x, Lit):
        return Lit(_as_list(x.value))
    from ..containers.displays import new_list
    if isinstance(x, Value) and isinstance(x.type, TupleT):
        from .subscripts import read_item
        x = STuple([read_item(ctx, x, Lit(k), node) for k in range(len(x.type.elems))])
    if isinstance(x, Value):
        from .operations import call
        return call(ctx, list, [x], node=node)
    return new_list(ctx, [_listed(ctx, i, node) if _is_tuple(i) else i for i in x.items], node)
