"""Batched array creation and rearrangement: the first axis stays in place."""
from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Call, For, Lit, Value, walk
from ...ir.prims import present
from ...ir.types import Arr, ListT, Num, Obj, TupleT
from ..analysis.memory_order import allocated_in_order, origin
from ..analysis.program_order import Layout
from .array_displays import from_nested
from .indexing import own
from .lanes import is_number, ndim
from .reductions import literal, shifted_axis
from .rules import handler
from .unsupported import CannotBatch

if TYPE_CHECKING:
    from .driver import Batch

__all__ = ["along_examples", "reversed_axes"]


def _ndim(x: Any) -> int:
    return ndim(x.type)


def reversed_axes(b: "Batch", x: Any, n: int) -> Any:
    """The transpose of every example."""
    if n < 2:
        return x
    t = x.type
    to = Arr(t.dtype, (t.dims[0], *t.dims[:0:-1]))
    return b.builder.call(np.transpose, x, (0, *range(n, 0, -1)), type=to) if n > 2 else b.builder.attr(x, "mT", to)


def _shape(b: "Batch", shape: Any, x: Any = None) -> Any:
    """The shape of a batch of arrays of a shape, if it is given to the elements of ``x``."""
    if isinstance(shape, Lit):
        rest = shape.value if isinstance(shape.value, tuple) else (shape.value,)
        return b.builder.build("tuple", [b.lanes.size, *_lengths(b, rest, x)])
    if isinstance(shape.type, Num):
        return b.builder.build("tuple", [b.lanes.size, shape])
    known = TupleT((Num("int"), *shape.type.elems)) if isinstance(shape.type, TupleT) else Obj(tuple)
    return b.one(operator.add, b.builder.build("tuple", [b.lanes.size]), shape, type=known)


def _lengths(b: "Batch", lengths: Sequence[Any], x: Any) -> Sequence[Any]:
    """The lengths of a shape.  One that is left to NumPy is said where there may be no example, from which it could not be told."""
    known = [n.value if isinstance(n, Lit) else n for n in lengths]
    if x is None or b.lanes.parent is None or -1 not in [n for n in known if type(n) is int] or any(type(n) is not int for n in known):
        return lengths
    whole = b.one(math.prod, b.one(operator.getitem, b.builder.attr(x, "shape"), Lit(slice(1, None)), type=Obj(tuple)), type=Num("int"))
    left = whole if math.prod(known) == -1 else b.one(operator.floordiv, whole, -math.prod(known), type=Num("int"))
    return [left if n == -1 else n for n in known]


@handler(np.reshape, np.ndarray.reshape)
def _reshape(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs or not b.batched(args[0]) or op.fn is np.reshape and len(args) > 2:      # in an order
        return NotImplemented
    x, sizes = b.operand(args[0]), [b.operand(a) for a in args[1:]]
    shape = _shape(b, sizes[0], x) if len(sizes) == 1 else b.builder.build("tuple", [b.lanes.size, *_lengths(b, sizes, x)])
    return b.builder.call(np.reshape, x, shape, type=b.type_of(op.result.type))


@handler(np.ravel, np.ndarray.ravel, np.ndarray.flatten)
def _ravel(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs or len(args) > 1:
        return NotImplemented
    x, n = b.operand(args[0]), _ndim(args[0])
    copies = op.fn is np.ndarray.flatten
    apart = b.changes(args[0]) or b.changes(op.result)
    if apart and not copies:
        makers = Layout(b.fn).maker
        root = origin(args[0], makers)
        # of a part, ravel() makes a copy that reshape() does not need
        if not (root in b.fn.params or allocated_in_order(root, makers)):
            raise CannotBatch("whether ravel() makes a view depends on how an array lies in memory, and it is written to", op.loc)
    if n == 1:
        return b.builder.call(np.ndarray.copy, x, type=x.type) if copies else x
    shape = b.builder.build("tuple", [b.lanes.size, *_lengths(b, (-1,), x)])
    flat = b.builder.call(np.reshape, x, shape, type=b.type_of(op.result.type))
    return b.builder.call(np.ndarray.copy, flat, type=flat.type) if copies and apart else flat


@handler(np.transpose, np.ndarray.transpose, np.permute_dims if hasattr(np, "permute_dims") else None)
def _transpose(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x, n = b.operand(args[0]), _ndim(args[0])
    axes = kwargs.get("axes", args[1] if len(args) == 2 else None)
    if axes is None and len(args) > 2:
        order = tuple(literal(a, "axes") for a in args[1:])
    else:
        order = () if axes is None else literal(axes, "axes")
    if not order:
        return reversed_axes(b, x, n)
    return b.builder.call(np.transpose, x, (0, *(1 + a % n for a in order)), type=b.type_of(op.result.type))


@handler(np.swapaxes, np.ndarray.swapaxes, np.moveaxis, np.expand_dims, np.squeeze, np.ndarray.squeeze, np.repeat, np.ndarray.repeat,
         np.take, np.ndarray.take)
def _with_axes(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x, n = b.operand(args[0]), _ndim(args[0])
    t = b.type_of(op.result.type)
    if not b.batched(args[0]) or any(map(b.batched, (*args[1:], *kwargs.values()))):
        return NotImplemented
    rest = [literal(a, "an axis") if k or op.fn not in (np.repeat, np.ndarray.repeat, np.take, np.ndarray.take) else b.operand(a)
            for k, a in enumerate(args[1:])]
    options = {k: literal(v, k) for k, v in kwargs.items()}
    if op.fn in (np.swapaxes, np.ndarray.swapaxes, np.moveaxis) and len(rest) == 2 and not options:
        return b.builder.call(op.fn, x, *(shifted_axis(a, n) for a in rest), type=t)
    if op.fn is np.expand_dims:
        axis = options.get("axis", rest[0] if rest else 0)
        return b.builder.call(np.expand_dims, x, shifted_axis(axis, n), type=t)
    if op.fn in (np.squeeze, np.ndarray.squeeze):
        axis = options.get("axis", rest[0] if rest else None)
        if axis is None:
            if any(d.one is None for d in args[0].type.dims):
                return NotImplemented
            axis = tuple(k for k, d in enumerate(args[0].type.dims) if d.one)
            if not axis:
                return x
        return b.builder.call(np.squeeze, x, axis=shifted_axis(axis, n), type=t)
    axis = options.pop("axis", rest[1] if len(rest) > 1 else None)
    if axis is None:
        if n != 1:
            return NotImplemented
        axis = 0
    return b.builder.call(op.fn, x, rest[0], axis=shifted_axis(axis, n), type=t, **options)


_OF_SHAPE = {np.zeros_like: np.zeros, np.ones_like: np.ones, np.empty_like: np.empty}


@handler(np.zeros_like, np.ones_like, np.empty_like, np.full_like)
def _like(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if not is_number(args[0].type) or any(map(b.batched, kwargs.values())):
        return NotImplemented
    t = op.result.type
    if op.fn in _OF_SHAPE and not kwargs and not b.batched(args[0]) and isinstance(t, Arr) and isinstance(args[0].type, Arr):
        kind = {} if t.dtype == "float64" else {"dtype": b.builder.attr(b.operand(args[0]), "dtype")}
        shape = _shape(b, b.builder.attr(b.operand(args[0]), "shape"))
        return b.builder.call(_OF_SHAPE[op.fn], shape, type=b.type_of(t), **kind)
    rest = [b.spread(a, _ndim(args[0])) for a in args[1:]]
    like = b.whole(args[0], args[0].type) if not b.batched(args[0]) else b.operand(args[0])
    return b.builder.call(op.fn, like, *rest, type=b.type_of(op.result.type), **{k: b.operand(v) for k, v in kwargs.items()})


@handler(np.zeros, np.ones, np.empty)
def _made(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if not isinstance(op.result.type, Arr):
        return NotImplemented
    options = {k: b.operand(v) for k, v in kwargs.items() if k != "shape"}
    shape = kwargs["shape"] if "shape" in kwargs else args[0]
    return b.builder.call(op.fn, _shape(b, b.operand(shape)), *map(b.operand, args[1:]), type=b.type_of(op.result.type), **options)


@handler(np.full)
def _full(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if b.batched(args[0]) or len(args) > 2 or any(map(b.batched, kwargs.values())):
        return NotImplemented
    value = b.spread(args[1], _ndim(op.result))
    return b.builder.call(np.full, _shape(b, b.operand(args[0])), value, type=b.type_of(op.result.type),
                          **{k: b.operand(v) for k, v in kwargs.items()})


@handler(np.broadcast_to)
def _broadcast_to(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs or not b.batched(args[0]):
        return NotImplemented
    x = b.aligned(b.operand(args[0]), _ndim(args[0]), _ndim(op.result))
    return b.builder.call(np.broadcast_to, x, _shape(b, b.operand(args[1])), type=b.type_of(op.result.type))


@handler(np.copy, np.ndarray.copy, np.asarray, np.array, np.ascontiguousarray, np.asanyarray)
def _copy(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x = args[0]
    if isinstance(x.type, (ListT, TupleT)):
        return from_items(b, op, args, kwargs)
    if _ndim(x) == 0 and op.fn is np.ascontiguousarray:
        return NotImplemented       # which makes a dimension
    if isinstance(x.type, Num) or isinstance(x.type, Arr) and x.type.scalar:        # of which an array is made
        plain = not args[1:] and not kwargs
        return b.builder.call(np.ndarray.copy, b.operand(x), type=b.type_of(op.result.type)) if plain else NotImplemented
    options = {k: b.operand(v) for k, v in kwargs.items()}
    rest = [b.operand(a) for a in args[1:]]
    return b.builder.call(op.fn, b.operand(x), *rest, type=b.type_of(op.result.type), **options)


def from_items(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``np.array([a, b])``: the items of every example along a new axis."""
    n = _ndim(op.result)
    if kwargs.keys() - {"dtype"} or len(args) > 1 or not isinstance(op.result.type, Arr):
        return NotImplemented
    if not kwargs and not _holds_numbers(args[0]):
        return from_nested(b, op)
    out = b.builder.call(np.stack, _whole_items(b, args[0]), axis=1, type=b.type_of(op.result.type))
    if n < 1:
        return NotImplemented
    if "dtype" in kwargs:
        out = b.builder.call(np.ndarray.astype, out, b.operand(kwargs["dtype"]), type=out.type)
    return out


def _holds_numbers(x: Any) -> bool:
    elems = x.type.elems if isinstance(x.type, TupleT) else (x.type.elem,)
    return all(e is not None and is_number(e) for e in elems)


def _whole_items(b: "Batch", x: Any) -> Any:
    """A display of arrays, whose batches it holds (of numbers or arrays only)."""
    if not _holds_numbers(x):
        raise CannotBatch("an array made of nested displays of values that differ between the examples")
    return b.operand(x)


@handler(np.ndarray.astype)
def _astype(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return b.builder.call(np.ndarray.astype, *(b.operand(a) for a in args), type=b.type_of(op.result.type),
                          **{k: b.operand(v) for k, v in kwargs.items()})


@handler(np.concatenate, np.stack, np.hstack, np.vstack)
def _join(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    axis = literal(kwargs.get("axis", args[1] if len(args) > 1 else Lit(0)), "axis")
    if kwargs.keys() - {"axis"} or axis is None:
        return NotImplemented
    items = _whole_items(b, args[0])
    t = args[0].type
    counts = {len(e.dims) if isinstance(e, Arr) else 0 for e in (t.elems if isinstance(t, TupleT) else (t.elem,))}
    if len(counts) > 1:
        raise CannotBatch("arrays of different numbers of dimensions are joined")
    n = counts.pop()
    if op.fn in (np.hstack, np.vstack):
        if n == 0 or n == 1 and op.fn is np.vstack:
            return b.builder.call(np.stack, items, axis=1, type=b.type_of(op.result.type))
        axis = 0 if op.fn is np.vstack or n == 1 else 1
    fn = np.stack if op.fn is np.stack else np.concatenate
    return b.builder.call(fn, items, axis=shifted_axis(axis, n), type=b.type_of(op.result.type))


@handler(np.tril, np.triu)
def _triangle(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if _ndim(args[0]) < 2 or any(map(b.batched, (*args[1:], *kwargs.values()))):
        return NotImplemented
    return b.builder.call(op.fn, b.operand(args[0]), *map(b.operand, args[1:]), type=b.type_of(op.result.type),
                          **{k: b.operand(v) for k, v in kwargs.items()})


@handler(np.diagonal, np.ndarray.diagonal, np.trace, np.ndarray.trace, np.diag)
def _diagonal(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs or len(args) > 2 or _ndim(args[0]) != 2 or len(args) == 2 and not isinstance(args[1], Lit):
        return NotImplemented
    fn: Any = np.trace if op.fn in (np.trace, np.ndarray.trace) else np.diagonal
    offset = {"offset": args[1]} if len(args) == 2 else {}
    return b.builder.call(fn, b.operand(args[0]), axis1=1, axis2=2, type=b.type_of(op.result.type), **offset)


@handler(np.ndarray.item)
def _item(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    x = b.operand(args[0])
    if len(args) > 1:
        return NotImplemented
    shape = b.builder.build("tuple", [b.lanes.size])
    flat = x if _ndim(args[0]) == 0 else b.builder.call(np.reshape, x, shape, type=b.type_of(op.result.type))
    return own(b, flat, args[0], op.result)


def along_examples(b: "Batch", x: Any, item: Value | None = None) -> Any:
    """A batch of arrays with the first axis of the arrays in front: the items of an iteration over each of them, in order."""
    t = b.type_of(x.type)
    to = Arr(t.dtype, (t.dims[1], t.dims[0], *t.dims[2:]))
    if len(t.dims) > 2:
        return b.builder.call(np.swapaxes, b.operand(x), 0, 1, type=to)
    turned = b.builder.attr(b.operand(x), "T", to)
    return b.builder.call(np.ndarray.copy, turned, type=to) if item is not None and b.changes(x) else turned


def _check_lists_in_lists(b: "Batch", op: Call) -> None:
    """The cotangents of lists in a list are rows of an array, whose items are of one example; taken out, they are read as lists, whose
    items are of all."""
    for other in walk(b.fn.body) if _ndim(op.args[0]) > 1 else ():
        taken: Sequence[Value] = ()
        if isinstance(other, Call) and other.fn in (list.pop, operator.getitem):
            taken = other.results
        elif isinstance(other, For):
            taken = other.body.params[:len(other.body.params) - len(other.inits)]
        if any(isinstance(v.type, (ListT, TupleT)) and b.batched(v) for v in taken):
            raise CannotBatch("rows of an array represent lists", op.loc)


@handler(list.append, list.insert, list.extend, list.pop, list.reverse, list.copy, list, dict.get, dict.pop, list.clear, tuple, present)
def _of_container(b: "Batch", op: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Containers hold batches: stored items are batched."""
    items = [b.whole(a, a.type) if k and is_number(a.type) and op.fn in (list.append, list.insert) and k == len(args) - 1 else b.operand(a)
             for k, a in enumerate(args)]
    if op.fn in (list.insert, list.pop, dict.get, dict.pop) and any(map(b.batched, args[1:2] if op.fn is not list.insert else args[1:2])):
        return NotImplemented
    if op.fn in (list, tuple) and args and isinstance(args[0].type, Arr):
        _check_lists_in_lists(b, op)
        items = [along_examples(b, args[0], op.result)]
    if op.fn is list.extend:
        if not b.batched(args[1]) or not isinstance(args[1].type, (Arr, ListT)):
            raise CannotBatch("a value that is the same for all examples, or of unknown type, is added to a list of values that differ",
                              op.loc)
        if isinstance(args[1].type, Arr):
            items[1] = along_examples(b, args[1])
    if b.lanes.parent is not None and op.fn is not present:
        raise CannotBatch("a container is changed where the examples part", op.loc)
    return b.one(op.fn, *items, type=b.type_of(op.result.type) if op.results else Obj(type(None)))
