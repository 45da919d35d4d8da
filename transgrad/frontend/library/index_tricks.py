"""Objects of NumPy that take their arguments as a subscript: ``np.mgrid`` and ``np.ogrid``, ``np.r_`` and ``np.c_``."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.ops import Lit, Value
from ...ir.prims import grid
from ...ir.types import ANY, ONE, Arr, Dim, Num, TupleT, ndim_of
from ..context import Lowering
from ..domain.abstract import SList, SSlice, STuple, is_lit, is_none
from ..expressions.operations import call, strip

__all__ = ["by_subscript"]

_GRIDS = (type(np.mgrid), type(np.ogrid))


def by_subscript(ctx: Lowering, obj: Lit, index: Any, node: Any) -> Any:
    """The result of subscripting one of these objects; None for other objects, and if it is only known at run time."""
    if obj.value is np.r_ or obj.value is np.c_:
        return _joined(ctx, obj.value, list(map(_with_parts, _items(index))), node)
    if type(obj.value) in _GRIDS:
        t = _grid_type(type(obj.value) is _GRIDS[1], index)
        return None if t is None else call(ctx, grid, [obj, index], type=t, node=node)
    return None


def _items(index: Any) -> list[Any]:
    if isinstance(index, STuple):
        return list(index.items)
    return list(map(Lit, index.value)) if is_lit(index, tuple) else [index]


def _with_parts(item: Any) -> Any:
    return SSlice(*map(Lit, (item.value.start, item.value.stop, item.value.step))) if is_lit(item, slice) else item


def _joined(ctx: Lowering, joins: Any, items: list[Any], node: Any) -> Any:
    """Rows behind each other, or columns beside each other."""
    made = []
    for item in items:
        if isinstance(item, SSlice):
            item = _stretch(ctx, item, node)
        elif isinstance(item, (SList, STuple)):
            item = call(ctx, np.array, [item], node=node)
        made.append(item)
    found = {ndim_of(strip(i.type)) if isinstance(i, (Value, Lit)) else None for i in made}
    if len(found) == 1 and found.isdisjoint((None, 0, 1)):
        return call(ctx, np.concatenate, [ctx.tuple(made)], {"axis": Lit(0 if joins is np.r_ else -1)}, node=node)
    most = 1 if joins is np.r_ else 2       # of more dimensions they are joined along another axis than here
    if found <= set(range(most + 1)):
        return call(ctx, np.hstack if joins is np.r_ else np.column_stack, [ctx.tuple(made)], node=node)
    return None


def _stretch(ctx: Lowering, part: SSlice, node: Any) -> Any:
    """The numbers that a slice goes over."""
    start = Lit(0) if is_none(part.start) else part.start
    if is_lit(part.step, complex):
        return call(ctx, np.linspace, [start, part.stop, Lit(int(abs(part.step.value)))], node=node)
    if is_none(part.step):
        return call(ctx, np.arange, [part.stop] if is_none(part.start) else [start, part.stop], node=node)
    return call(ctx, np.arange, [start, part.stop, part.step], node=node)


def _grid_type(is_open: bool, index: Any) -> Arr | TupleT | None:
    """The type of ``np.mgrid``, or ``np.ogrid``, for a subscript of plain numbers."""
    parts = list(map(_with_parts, _items(index)))
    numbers = [x for part in parts if isinstance(part, SSlice) for x in (part.start, part.stop, part.step) if not is_none(x)]
    if not parts or not all(isinstance(part, SSlice) for part in parts) or not all(
            isinstance(x, (Value, Lit)) and isinstance(x.type, Num) and not x.varied for x in numbers):
        return None
    dtype = "int64" if all(x.type.kind == "int" for x in numbers) else "float64"
    dims = tuple(map(_length, parts))
    if not isinstance(index, STuple) and not is_lit(index, tuple):
        return Arr(dtype, dims)
    if is_open:
        return TupleT(tuple(Arr(dtype, tuple(dim if n == k else ONE for n in range(len(dims)))) for k, dim in enumerate(dims)))
    return Arr(dtype, (_known(len(dims)), *dims))


def _length(part: SSlice) -> Dim:
    if is_lit(part.step, complex):
        return _known(int(abs(part.step.value)))
    if is_lit(part.start) and part.start.value in (None, 0) and is_lit(part.step) and part.step.value in (None, 1):
        if is_lit(part.stop, int):
            return _known(max(part.stop.value, 0))
        if isinstance(part.stop, Value) and isinstance(part.stop.type, Num) and part.stop.type.dim is not None:
            return part.stop.type.dim
    return ANY


def _known(n: int) -> Dim:
    return ONE if n == 1 else Dim(False, ("<const>", n))
