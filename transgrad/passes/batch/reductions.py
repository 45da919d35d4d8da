"""Batched reductions and scans: shift the axes by one."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import runtime
from ...ir.ops import Block, Call, For, Lit, Source, Value
from ...ir.types import Arr, Dim, ListT, Num
from .indexing import own
from .lanes import check_truth, is_number
from .rules import handler
from .unsupported import CannotBatch

if TYPE_CHECKING:
    from .driver import Batch

__all__ = ["literal", "shifted_axis"]

_NAMES = ("sum", "prod", "mean", "std", "var", "max", "min", "all", "any", "argmax", "argmin")
_MORE = ("amax", "amin", "ptp", "nansum", "nanprod", "nanmean", "nanstd", "nanvar", "nanmax", "nanmin", "median", "nanmedian",
         "count_nonzero")
_REDUCTIONS = [getattr(np, name) for name in (*_NAMES, *_MORE)]
_METHODS = [getattr(np.ndarray, name) for name in _NAMES]
_SCANS = [np.cumsum, np.cumprod, np.ndarray.cumsum, np.ndarray.cumprod, getattr(np, "nancumsum", None), getattr(np, "nancumprod", None)]
_ONE_AXIS = [np.argmax, np.argmin, np.ndarray.argmax, np.ndarray.argmin, *_SCANS]
_TRAPEZOID = np.trapezoid if hasattr(np, "trapezoid") else None
_ALONG_LAST = [np.sort, np.argsort, np.diff, np.flip, np.roll, np.gradient, _TRAPEZOID, np.unwrap]
#: functions along the last axis → the place of the axis among their arguments
_AXIS_AT: dict[Any, int] = {np.sort: 1, np.argsort: 1, np.diff: 2, np.unwrap: 2, _TRAPEZOID: 3}


def literal(x: Any, what: str) -> Any:
    """A setting that has to be known when compiling."""
    if not isinstance(x, Lit):
        raise CannotBatch(f"{what} that is not known when compiling")
    return x.value


def shifted_axis(axis: Any, n: int) -> Any:
    """An axis of an example, as an axis of the batch."""
    if isinstance(axis, tuple):
        return tuple(shifted_axis(a, n) for a in axis)
    return axis if axis < 0 else axis + 1


def _taken(args: list[Any], kwargs: dict[str, Any], at: int, name: str, default: Any = None) -> tuple[Any, list[Any], dict[str, Any]]:
    """An option, wherever it was passed, and the arguments without it."""
    kwargs = dict(kwargs)
    if name in kwargs:
        return literal(kwargs.pop(name), name), args, kwargs
    if len(args) > at:
        return literal(args[at], name), [*args[:at], *args[at + 1:]], kwargs
    return default, args, kwargs


@handler(*_REDUCTIONS, *_METHODS, *_SCANS)
def _reduce(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x = args[0]
    axis, rest, options = _taken(args, kwargs, 1, "axis")
    if not b.batched(x) or len(rest) > 1 or not isinstance(x.type, Arr) or "where" in options or "out" in options:
        return NotImplemented
    n = len(x.type.dims)
    value = b.operand(x)
    if n == 0:
        return _of_number(b, op, value)
    settings = {k: b.operand(v) for k, v in options.items()}
    if axis is None and op.fn in _ONE_AXIS and n > 1:
        size = b.builder.build("tuple", [b.lanes.size, Lit(-1)])
        value, axis = b.builder.call(np.reshape, value, size, type=Arr(x.type.dtype, (b.lanes.dim, Dim(None)))), 0
    if axis is None:
        axis = 0 if n == 1 else tuple(range(n))
    return b.builder.call(op.fn, value, axis=shifted_axis(axis, n), type=b.type_of(op.result.type), **settings)


def _of_number(b: "Batch", op: Call, value: Any) -> Any:
    """The reduction of a single number."""
    if op.fn in (np.sum, np.prod, np.mean, np.max, np.min, np.amax, np.amin, np.median, np.ndarray.sum, np.ndarray.mean, np.ndarray.max,
                 np.ndarray.min, np.ndarray.prod):
        return value
    return NotImplemented


@handler(*_ALONG_LAST)
def _along(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Functions along an axis, by default the last one (of `roll` and `flip`: all of them)."""
    x = args[0]
    if not b.batched(x) or not isinstance(x.type, Arr) or not x.type.dims or any(map(b.batched, args[1:])):
        return NotImplemented
    n = len(x.type.dims)
    if op.fn in (np.roll, np.flip):
        at = 2 if op.fn is np.roll else 1
        axis, rest, options = _taken(args, kwargs, at, "axis")
        if axis is None:
            if n > 1:
                return NotImplemented
            axis = 0
        settings = {k: b.operand(v) for k, v in options.items()}
        return b.builder.call(op.fn, *(b.operand(a) for a in rest), axis=shifted_axis(axis, n), type=b.type_of(op.result.type), **settings)
    if op.fn is np.gradient or any(map(b.batched, kwargs.values())):
        return NotImplemented
    at = _AXIS_AT[op.fn]
    axis, rest, options = _taken(args, kwargs, at, "axis", -1)
    if axis is None or len(rest) > at or not all(map(_has_one_axis, (*rest[1:], *options.values()))):
        return NotImplemented
    settings = {k: b.operand(v) for k, v in options.items()}
    if axis != -1:
        settings["axis"] = Lit(shifted_axis(axis, n))
    return b.builder.call(op.fn, *(b.operand(a) for a in rest), type=b.type_of(op.result.type), **settings)


def _has_one_axis(x: Any) -> bool:
    """Whether an argument is no array of several axes, which lie beside those of the batch."""
    return len(x.type.dims) <= 1 if isinstance(x.type, Arr) else isinstance(x, Lit) or isinstance(x.type, Num)


@handler(np.linalg.norm)
def _norm(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    axis, rest, options = _taken(args, kwargs, 2, "axis")
    order, rest, options = _taken(rest, options, 1, "ord")
    x = args[0]
    if not isinstance(x.type, Arr) or not x.type.dims or len(rest) > 1:
        return NotImplemented
    n = len(x.type.dims)
    if axis is None:
        if n > 2 or n == 2 and order is None and "keepdims" in options:
            return NotImplemented
        axis = 0 if n == 1 else (0, 1)
    settings: dict[str, Any] = {k: b.operand(v) for k, v in options.items()}
    if order is not None:
        settings["ord"] = order
    return b.builder.call(np.linalg.norm, b.operand(x), axis=shifted_axis(axis, n), type=b.type_of(op.result.type), **settings)


@handler(max, min)
def _extreme(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Python's ``max`` and ``min`` of numbers, which keep the first of equals, and what NaN is not less than."""
    if not kwargs and len(args) == 1 and isinstance(args[0].type, ListT) and is_number(op.result.type):
        return _extreme_item(b, op, b.operand(args[0]))
    if kwargs or len(args) < 2 or any(not hasattr(a, "type") or getattr(a.type, "dims", ()) for a in args):
        return NotImplemented
    best = b.operand(args[0])
    less = operator.gt if op.fn is max else operator.lt
    t = b.type_of(op.result.type)
    for a in args[1:]:
        x = b.operand(a)
        better = b.builder.call(less, x, best)
        best = b.builder.call(np.where, better, x, best, type=t)
    return best if isinstance(best, Value) else NotImplemented


def _extreme_item(b: "Batch", op: Call, items: Any) -> Any:
    """The largest or smallest item of a list of batches of numbers: a loop over the items."""
    t = b.type_of(op.result.type)
    first = b.builder.call(operator.getitem, items, 0, type=t)
    rest = b.builder.call(operator.getitem, items, Lit(slice(1, None)), type=ListT(t))
    x, best, result = Value(t), Value(t, op.result.name), Value(t, op.result.name)
    body = Block([x, best])
    with b.builder.inside(body):
        better = b.builder.call(operator.gt if op.fn is max else operator.lt, x, best)
        body.yields = [b.builder.call(np.where, better, x, best, type=t)]
    b.builder.emit(For([Source("seq", [rest])], [first], body, results=[result]))
    return result


@handler(int, np.int64, np.trunc)
def _whole_number(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if op.fn is np.trunc:
        return b.builder.call(np.trunc, b.operand(args[0]), type=b.type_of(op.result.type))
    return b.builder.call(np.ndarray.astype, b.operand(args[0]), Lit(np.int64, "np.int64"), type=b.type_of(op.result.type))


@handler(float, np.float64)
def _float(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x = b.operand(args[0])
    if isinstance(x.type, Arr) and x.type.dtype == "float64" and len(x.type.dims) == 1:
        return own(b, x, args[0], op.result)
    if op.fn is float and isinstance(x.type, Arr) and len(x.type.dims) > 1:
        x = b.builder.call(np.reshape, x, b.builder.build("tuple", [b.lanes.size]), type=b.type_of(op.result.type))
    return b.builder.call(np.ndarray.astype, x, Lit(np.float64, "np.float64"), type=b.type_of(op.result.type))


@handler(bool)
def _bool(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    check_truth(args[0], op)
    x = b.operand(args[0])
    return x if x.type.dtype == "bool" else b.builder.call(operator.ne, x, 0, type=b.type_of(op.result.type))


@handler(sum)
def _sum_of_items(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Python's ``sum``: of a list of batches as it is; of the entries of each example along their axis."""
    if kwargs:
        return NotImplemented
    x = args[0]
    if isinstance(x.type, Arr):
        if len(x.type.dims) != 1 or not b.batched(x):
            return NotImplemented
        total = b.builder.call(np.sum, b.operand(x), axis=1, type=b.type_of(op.result.type))
        return b.builder.call(operator.add, b.operand(args[1]), total, type=b.type_of(op.result.type)) if len(args) > 1 else total
    return b.builder.call(sum, *(b.operand(a) for a in args), type=b.type_of(op.result.type))


@handler(runtime.unbroadcast, runtime.fit)
def _unbroadcast(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Both sides begin with the examples, which are as many on both: what is summed are axes of each example."""
    g, like = args
    if not is_number(g.type) or not is_number(like.type):
        return NotImplemented
    rank, wanted = (len(x.type.dims) if isinstance(x.type, Arr) else 0 for x in args)
    total = b.whole(g, g.type)
    if rank > wanted:
        extra = tuple(range(1, 1 + rank - wanted))
        total = b.builder.call(np.sum, total, axis=extra if len(extra) > 1 else 1)
    elif rank < wanted and op.fn is runtime.fit:
        total = b.aligned(total, rank, wanted)
    return b.builder.call(op.fn, total, b.whole(like, like.type), type=b.type_of(op.result.type))
