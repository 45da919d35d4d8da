"""Batched indexing: reads and writes of parts of arrays."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.infer import infer
from ...ir.ops import Build, Call, Lit, Value, walk
from ...ir.prims import inplace_at, unpack
from ...ir.types import Arr, Num, Obj, TupleT, is_box
from ...runtime import add_at
from .lanes import is_number, ndim
from .rules import handler
from .unsupported import CannotBatch

if TYPE_CHECKING:
    from .driver import Batch

__all__: list[str] = []


class _Display:
    """The parts of an index, as written in the function: the operands of the tuple and slices that made it."""

    def __init__(self, b: "Batch"):
        self.made = {op.results[0]: op for op in _all_ops(b) if isinstance(op, Build) and op.kind in ("tuple", "slice") and op.results}

    def parts(self, index: Any) -> list[Any]:
        if isinstance(index, Lit):
            return [Lit(p) for p in index.value] if isinstance(index.value, tuple) else [index]
        op = self.made.get(index)
        if op is not None and op.kind == "tuple":
            return list(op.items)
        if isinstance(index.type, TupleT):
            raise CannotBatch("an index whose parts are not known when compiling")
        return [index]


def _all_ops(b: "Batch") -> Any:
    return walk(b.fn.body)


def _display(b: "Batch") -> _Display:
    found = b.__dict__.get("_displays")
    if found is None:
        found = b.__dict__["_displays"] = _Display(b)
    return found


def _is_mask(p: Any) -> bool:
    return isinstance(p, Value) and isinstance(p.type, Arr) and p.type.dtype == "bool"


def _is_array(p: Any) -> bool:
    if isinstance(p, Lit):
        return isinstance(p.value, (list, np.ndarray))
    return isinstance(p.type, Arr) and bool(p.type.dims)


def _is_number(p: Any) -> bool:
    if isinstance(p, Lit):
        return isinstance(p.value, (int, np.integer)) and not isinstance(p.value, bool)
    return isinstance(p.type, Num) or isinstance(p.type, Arr) and not p.type.dims


def _index(b: "Batch", x: Any, index: Any) -> tuple[Any, Any]:
    """The batch an index of every example is applied to, and the index of the batch."""
    if any(_is_mask(p) and b.batched(p) for p in _display(b).parts(index)):
        raise CannotBatch("a mask that differs between the examples picks different numbers of entries")
    parts = _display(b).parts(index)
    differ = [p for p in parts if b.batched(p)]
    if not differ:
        arrays = [k for k, p in enumerate(parts) if _is_array(p) or arrays_and_number(parts, p)]
        if arrays and arrays[-1] - arrays[0] >= len(arrays):
            raise CannotBatch("an index whose arrays are not adjacent")
        return b.operand(x), b.builder.build("tuple", [slice(None), *(_part(b, p) for p in parts)])
    if any(isinstance(p, Lit) and p.value is None for p in parts) or any(isinstance(p, Value) and isinstance(p.type, Obj) for p in differ):
        raise CannotBatch("a slice whose bounds differ between the examples")
    k = max((len(p.type.dims) if isinstance(p.type, Arr) else 0) for p in parts if isinstance(p, Value))
    advanced = [k for k, p in enumerate(parts) if _is_array(p) or _is_number(p)]
    first = bool(advanced) and advanced[0] == 0 and advanced[-1] < len(advanced)
    if k and advanced and not first:
        raise CannotBatch("an index whose arrays do not stand first")
    if first and not b.batched(x):      # picked from the one array
        items = [b.spread(p, k) for p in parts]
        return b.operand(x), items[0] if len(items) == 1 else b.builder.build("tuple", items)
    rows = b.aligned(b.rows(), 0, k)
    whole = b.operand(x) if b.batched(x) else _repeated(b, x)
    return whole, b.builder.build("tuple", [rows, *(b.spread(p, k) for p in parts)])


def arrays_and_number(parts: list[Any], p: Any) -> bool:
    """Whether a number is broadcast against arrays in the same index."""
    return _is_number(p) and any(map(_is_array, parts))


def _part(b: "Batch", p: Any) -> Any:
    return b.operand(p)


def _repeated(b: "Batch", x: Any) -> Any:
    """A view that has the same array for every example."""
    held = b.operand(x)
    shape = b.one(operator.add, b.builder.build("tuple", [b.lanes.size]), b.builder.attr(held, "shape"), type=Obj(tuple))
    return b.builder.call(np.broadcast_to, held, shape, type=b.type_of(x.type))


@handler(operator.getitem)
def _getitem(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x, index = args
    if not isinstance(x.type, Arr):
        if b.batched(index):
            raise CannotBatch("which item of a container is read differs between the examples", op.loc)
        return b.one(operator.getitem, b.operand(x), b.operand(index), type=b.type_of(op.result.type))
    picks = any(b.batched(p) for p in _display(b).parts(index))
    if picks and b.changes(op.result) and isinstance(op.result.type, Arr) and op.result.type.dims:
        raise CannotBatch("a part that differs between the examples is written to", op.loc)
    whole, at = _index(b, x, index)
    part = b.builder.call(operator.getitem, whole, at, type=b.type_of(op.result.type))
    return own(b, part, x, op.result) if not picks else part


def own(b: "Batch", part: Any, x: Any, result: Value) -> Any:
    """A number that is read from an array is a value: its batch is no view of an array that is written to."""
    if b.changes(x) and not getattr(result.type, "dims", ()) and not is_box(result.type):      # which is a view
        return b.builder.call(np.ndarray.copy, part, type=part.type)
    return part


def _fitted(b: "Batch", x: Any, index: Any, value: Any) -> Any:
    """A value as it is written into the part of each example."""
    if not b.batched(value):
        return b.operand(value)
    slot = infer(operator.getitem, [x, index])
    k = len(slot.dims) if isinstance(slot, Arr) else 0
    if not isinstance(slot, (Arr, Num)):
        raise CannotBatch("a part of unknown shape is written to")
    if not is_number(value.type):       # a display, which becomes an array when it is written
        from .shapes import from_items
        t = infer(np.array, [value])
        made = Call(np.array, [value], results=[Value(t)])
        held = from_items(b, made, made.args, {}) if isinstance(t, Arr) else NotImplemented
        if held is NotImplemented or not isinstance(t, Arr):
            raise CannotBatch("a list of values that differ between the examples is written to a part of an array")
        return b.aligned(held, len(t.dims), k)
    return b.aligned(b.operand(value), ndim(value.type), k)


def _check_array(x: Any, op: Call) -> None:
    """An example that is a number cannot be written to; called one by one, the function says so itself."""
    if isinstance(x.type, Arr) and x.type.scalar:
        raise CannotBatch("a number is written to", op.loc)


@handler(operator.setitem)
def _setitem(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x, index, value = args
    _check_array(x, op)
    if not isinstance(x.type, Arr):
        if b.batched(index) or b.lanes.parent is not None:
            raise CannotBatch("which item of a container is changed differs between the examples", op.loc)
        item = b.whole(value, value.type) if is_number(value.type) else b.operand(value)
        b.builder.call(operator.setitem, b.operand(x), b.operand(index), item)
        return None
    mask = _display(b).parts(index)
    if len(mask) == 1 and _is_mask(mask[0]) and b.batched(mask[0]):
        if getattr(value.type, "dims", ()) or len(mask[0].type.dims) != len(x.type.dims):
            raise CannotBatch("a mask that differs between the examples picks different numbers of entries", op.loc)
        held, n = b.operand(x), len(x.type.dims)
        new = b.spread(value, n)
        chosen = b.builder.call(np.where, b.operand(mask[0]), new, held, type=held.type)
        b.builder.call(operator.setitem, held, Lit(...), chosen)
        return None
    whole, at = _index(b, x, index)
    b.builder.call(operator.setitem, whole, at, _fitted(b, x, index, value))
    return None


@handler(inplace_at)
def _inplace_at(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x, index, value, how = args
    _check_array(x, op)
    if not isinstance(x.type, Arr):
        raise CannotBatch("an item of a container is changed in place", op.loc)
    whole, at = _index(b, x, index)
    b.builder.call(inplace_at, whole, at, _fitted(b, x, index, value), how)
    return None


@handler(np.add.at, np.subtract.at, add_at)
def _at(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x, index, value = args
    _check_array(x, op)
    if not isinstance(x.type, Arr):
        return NotImplemented
    whole, at = _index(b, x, index)
    b.builder.call(np.add.at if op.fn is add_at else op.fn, whole, at, _fitted(b, x, index, value))
    return None


@handler(np.copyto, np.ndarray.fill)
def _copyto(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x, value = args
    _check_array(x, op)
    if kwargs:
        return NotImplemented
    new = b.spread(value, len(x.type.dims))
    b.builder.call(operator.setitem, b.operand(x), Lit(...), new)
    return None


@handler(unpack)
def _unpack(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The entries of every example, along its axis."""
    x = args[0]
    from .shapes import along_examples
    held = along_examples(b, x) if isinstance(x.type, Arr) else b.operand(x)
    results = [Value(b.type_of(r.type), r.name, r.varied) for r in op.results]
    b.builder.emit(Call(unpack, [held, args[1]], results=results, loc=op.loc))
    for r, v in zip(op.results, results):
        b.lanes.values[r] = own(b, v, x, r)
    return None


