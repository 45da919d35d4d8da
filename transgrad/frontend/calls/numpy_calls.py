"""NumPy functions that types answer, that loop over elements, or that are written with others."""
from __future__ import annotations

import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.ops import Lit, Star, Value
from ...ir.types import Arr, ListT, Num, TupleT
from ...rules.einsum import named
from ..containers.iterables import as_list, collect, run_loop, static_items
from ..context import Lowering
from ..domain.abstract import SDict, SIter, SList, SObj, SPartial, STuple, is_lit
from ..expressions.arraylike import as_array
from ..expressions.attributes import ctx_dtype, read_attribute
from ..expressions.operations import call, strip
from ..expressions.subscripts import read_item
from ..statements.generators import assigned_outside
from .dispatch import call_abstract, operation

__all__ = ["HANDLERS"]


def _type(ctx: Lowering, x: Any) -> Any:
    return strip(x.type) if isinstance(x, (Value, Lit)) else None


def _shape(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    t = _type(ctx, args[0])
    if isinstance(t, Num):
        return Lit(())
    return read_attribute(ctx, args[0], "shape", node) if isinstance(t, Arr) else NotImplemented


def _ndim(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    n = _dimensions(ctx, args[0], _type(ctx, args[0]))
    return NotImplemented if n is None else Lit(n)


def _dimensions(ctx: Lowering, x: Any, t: Any) -> int | None:
    """The number of dimensions of a value that is, or becomes, an array; None if it is not known."""
    if isinstance(t, (Num, Arr)):
        return len(t.dims) if isinstance(t, Arr) else 0
    if isinstance(t, ListT):
        inner = _dimensions(ctx, None, strip(t.elem)) if t.elem is not None else None
        return None if inner is None else 1 + inner
    if isinstance(x, (SList, STuple)):
        if isinstance(x, SList) and isinstance(held := ctx.contents(x), Value):
            return _dimensions(ctx, None, strip(held.type))
        items = static_items(ctx, x)
        found = {_dimensions(ctx, i, _type(ctx, i)) for i in items or ()}
        inner = found.pop() if len(found) == 1 else None
        return None if inner is None else 1 + inner
    return None


def _broadcast(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    """np.broadcast(a, b) as far as its attributes describe shapes."""
    counts = [_dimensions(ctx, x, _type(ctx, x)) for x in args]
    shapes = [_shape(ctx, [x], {}, node) for x in args]
    if not args or kwargs or any(n is None for n in counts) or any(s is NotImplemented for s in shapes):
        return NotImplemented
    count = max(n for n in counts if n is not None)
    out = call(ctx, np.broadcast_shapes, shapes, spelling=f"{ctx.bind('np', np)}.broadcast_shapes", node=node,
               type=TupleT((Num("int"),) * count))
    made = SObj(types.SimpleNamespace)
    size = call(ctx, math.prod, [out], spelling=f"{ctx.bind('math', math)}.prod", type=Num("int"), node=node)
    found = {"shape": out, "ndim": Lit(count), "nd": Lit(count), "numiter": Lit(len(args)), "size": size}
    ctx.state.update({(made, name): value for name, value in found.items()})
    return made


def _isscalar(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    t = _type(ctx, args[0])
    if isinstance(t, (Num, ListT, TupleT)) or isinstance(args[0], (STuple, SList, SDict)):
        return Lit(isinstance(t, Num))
    return Lit(t.scalar) if isinstance(t, Arr) else NotImplemented


def _iterable(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    t = _type(ctx, args[0])
    if isinstance(t, (Num, ListT, TupleT)) or isinstance(args[0], (STuple, SList, SDict)):
        return Lit(not isinstance(t, Num))
    return Lit(bool(t.dims)) if isinstance(t, Arr) else NotImplemented


def _on_types(fn: Callable[..., Any]) -> Any:
    """Functions of dtypes, which are known."""
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        values = []
        for a in args:
            t = _type(ctx, a)
            if isinstance(a, Lit) and not isinstance(a.value, np.ndarray):
                values.append(a.value)
            elif isinstance(t, Arr) and isinstance(a, Value):
                values.append(np.empty((1,) * len(t.dims), t.dtype) if not t.scalar else np.dtype(t.dtype).type(1))
            elif isinstance(t, Num):
                values.append({"bool": True, "int": 1, "float": 1.0, "complex": 1j}[t.kind])
            else:
                return NotImplemented
        try:
            out = fn(*values, **{k: v.value for k, v in kwargs.items()})
        except Exception:
            return NotImplemented
        if isinstance(out, np.dtype):
            return Lit(out, ctx_dtype(ctx, out.name)) if out.kind in "biufc" else Lit(out)
        return Lit(bool(out)) if isinstance(out, (bool, np.bool_)) else Lit(out, ctx.bind(getattr(fn, "__name__", "info"), out))
    return handler


def _complex_object(kind: str) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        t = _type(ctx, args[0])
        if isinstance(t, Num):
            return Lit((t.kind == "complex") is (kind == "complex"))
        return Lit((t.dtype[0] == "c") is (kind == "complex")) if isinstance(t, Arr) else NotImplemented
    return handler


def _copyto(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    dst, src = args[0], args[1]
    where = args[3] if len(args) > 3 else kwargs.get("where", Lit(True))
    if not is_lit(where) or where.value is not True:
        src = call(ctx, np.where, [where, src, dst], spelling=f"{ctx.bind('np', np)}.where", node=node)
    call(ctx, operator.setitem, [dst, Lit(Ellipsis), src], node=node)
    return Lit(None)


def _fill_diagonal(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    t = _type(ctx, args[0])
    if not isinstance(t, Arr) or len(t.dims) != 2 or len(args) > 2 or kwargs:
        return NotImplemented
    if not isinstance(v := _type(ctx, args[1]), Num) and not (isinstance(v, Arr) and not v.dims):
        return NotImplemented       # the row of values is repeated cyclically
    np_name = ctx.bind("np", np)
    n = call(
        ctx,
        min,
        [call(ctx, operator.getitem, [_attr(ctx, args[0], "shape", node), Lit(k)], node=node) for k in (0, 1)],
        spelling="min",
        node=node,
    )
    index = call(ctx, np.arange, [n], spelling=f"{np_name}.arange", node=node)
    call(ctx, operator.setitem, [args[0], ctx.tuple([index, index]), args[1]], node=node)
    return Lit(None)


def _attr(ctx: Lowering, x: Any, name: str, node: Any) -> Any:
    return read_attribute(ctx, x, name, node)


def _put(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    if kwargs or len(args) != 3:
        return NotImplemented
    t, value = _type(ctx, args[0]), _type(ctx, args[2])
    if not isinstance(t, Arr) or len(t.dims) != 1 or not (isinstance(value, Num) or isinstance(value, Arr) and not value.dims):
        return NotImplemented       # the values are repeated cyclically, as many as there are places
    call(ctx, operator.setitem, [args[0], args[1], args[2]], node=node)
    return Lit(None)


def _putmask(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    a, mask, values = args
    t = _type(ctx, values)
    if not (isinstance(t, Num) or isinstance(t, Arr) and not t.dims):
        return NotImplemented
    call(ctx, operator.setitem, [a, mask, values], node=node)
    return Lit(None)


def _ndindex(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    sizes = list(args)
    if len(args) == 1:
        items = static_items(ctx, args[0])
        sizes = items if items is not None else [args[0]]

    def run(step: Callable[[Any], None]) -> None:
        def level(k: int, row: list[Any]) -> None:
            if k == len(sizes):
                step(ctx.tuple(row))
                return
            run_loop(ctx, SIter("range", sizes[k]), lambda i: level(k + 1, [*row, i]), node, assigned_outside(ctx))
        level(0, [])
    return SIter("nested", run)


def _ndenumerate(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    shape = _shape(ctx, args, {}, node)
    if shape is NotImplemented:
        return NotImplemented
    inner = _ndindex(ctx, [shape], {}, node)

    def run(step: Callable[[Any], None]) -> None:
        inner.data[0](lambda index: step(ctx.tuple([index, read_item(ctx, args[0], index, node)])))
    return SIter("nested", run)


def _vectorize(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """np.vectorize(f): a loop over the elements when it is called."""
    if kwargs and set(kwargs) - {"otypes"}:
        return NotImplemented
    return SPartial(Lit(_elementwise), [args[0]], {})


def _elementwise(*_: Any) -> None:
    """The call of a vectorized function."""


def _apply_elementwise(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    func, *arrays = args
    arrays = [as_array(ctx, a, node) for a in arrays]
    types = [_type(ctx, a) for a in arrays]
    if kwargs or not all(isinstance(t, (Arr, Num)) for t in types):
        return NotImplemented
    if all(isinstance(t, Num) or not t.dims for t in types):
        return call_abstract(ctx, func, arrays, {}, node)
    np_name = ctx.bind("np", np)
    if len(arrays) > 1:
        both = call(ctx, np.broadcast_arrays, arrays, spelling=f"{np_name}.broadcast_arrays", node=node)
        arrays = (
            list(both.items)
            if isinstance(both, STuple)
            else [call(ctx, operator.getitem, [both, Lit(k)], node=node) for k in range(len(arrays))]
        )
    flat = [call(ctx, np.ravel, [a], spelling=f"{np_name}.ravel", node=node) for a in arrays]
    out = collect(ctx, SIter("map", func, *flat), node)
    made = call(ctx, np.array, [out], spelling=f"{np_name}.array", node=node)
    return call(ctx, np.reshape, [made, _attr(ctx, arrays[0], "shape", node)], spelling=f"{np_name}.reshape", node=node)


def _fromiter(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype", Lit(float))
    return call(ctx, np.array, [as_list(ctx, args[0], node)], {"dtype": dtype}, spelling=f"{ctx.bind('np', np)}.array", node=node)


def _piecewise(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """np.piecewise: each part computed where its condition holds, and written there."""
    x, conditions, functions = args[0], static_items(ctx, args[1]), static_items(ctx, args[2])
    if conditions is None or functions is None or not isinstance(_type(ctx, x), Arr) or kwargs or not _type(ctx, x).dims:
        return NotImplemented
    np_name = ctx.bind("np", np)
    out = call(ctx, np.zeros_like, [x], spelling=f"{np_name}.zeros_like", node=node)
    if len(functions) == len(conditions) + 1:
        rest = conditions[0]
        for c in conditions[1:]:
            rest = call(ctx, operator.or_, [rest, c], node=node)
        conditions = [*conditions, call(ctx, operator.invert, [rest], node=node)]
    for c, f in zip(conditions, functions):
        t = _type(ctx, f)
        value = (
            f if isinstance(t, (Num, Arr)) else call_abstract(ctx, f, [call(ctx, operator.getitem, [x, c], node=node), *args[3:]], {}, node)
        )
        call(ctx, operator.setitem, [out, c, value], node=node)
    return out


def _along_axis(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """np.apply_along_axis: a loop over the lines along the axis."""
    func, axis, a, *more = args
    t = _type(ctx, a)
    if not isinstance(t, Arr) or not t.dims or not is_lit(axis, int):
        return NotImplemented
    np_name = ctx.bind("np", np)
    at = axis.value % len(t.dims)
    moved = call(ctx, np.moveaxis, [a, Lit(at), Lit(-1)], spelling=f"{np_name}.moveaxis", node=node) if at != len(t.dims) - 1 else a
    shape = _attr(ctx, moved, "shape", node)
    length = read_item(ctx, shape, Lit(-1), node)
    lines = call(ctx, np.reshape, [moved, ctx.tuple([Lit(-1), length])], spelling=f"{np_name}.reshape", node=node)

    def one(line: Any) -> Any:
        return call_abstract(ctx, func, [line, *more], kwargs, node)
    out = collect(ctx, SIter("map", one, lines), node)
    made = call(ctx, np.array, [out], spelling=f"{np_name}.array", node=node)
    got = made.type
    if not isinstance(got, Arr) or len(got.dims) > 2:
        return NotImplemented
    outer = read_item(ctx, shape, Lit(slice(0, -1)), node)
    if len(got.dims) == 1:
        return call(ctx, np.reshape, [made, outer], spelling=f"{np_name}.reshape", node=node)
    inner = read_item(ctx, _attr(ctx, made, "shape", node), Lit(slice(1, None)), node)
    made = call(ctx, np.reshape, [made, call(ctx, operator.add, [outer, inner], node=node)], spelling=f"{np_name}.reshape", node=node)
    return call(ctx, np.moveaxis, [made, Lit(-1), Lit(at)], spelling=f"{np_name}.moveaxis", node=node)


def _known(ctx: Lowering, x: Any) -> Any:
    """A literal, or a list or tuple of literals as a tuple; None if not all of it is known."""
    if isinstance(x, Lit) and not isinstance(x.value, np.ndarray):
        return tuple(x.value) if isinstance(x.value, list) else x.value
    if not isinstance(x, (SList, STuple)):
        return None
    items = static_items(ctx, x)
    found = None if items is None else tuple(_known(ctx, i) for i in items)
    return None if found is None or None in found else found


def _einsum(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """np.einsum(a, [0, 1], b, [1, 2]) is np.einsum("ab,bc", a, b)."""
    if not args or isinstance(args[0], Lit) and isinstance(args[0].value, str):
        return NotImplemented
    labels = [_known(ctx, x) for x in (*args[1::2], *(args[-1:] if len(args) % 2 else ()))]
    if None in labels:
        return NotImplemented
    count = len(args) // 2
    text = ",".join(map(named, labels[:count])) + "".join("->" + named(x) for x in labels[count:])
    return operation(ctx, np.einsum, [Lit(text), *args[0:2 * count:2]], kwargs, node, f"{ctx.bind('np', np)}.einsum")


def _tensordot(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """Axes given as lists are known at compile time."""
    axes = args[2] if len(args) > 2 else kwargs.get("axes")
    known = _known(ctx, axes) if isinstance(axes, (SList, STuple)) else None
    if known is None:
        return NotImplemented
    return operation(ctx, np.tensordot, args[:2], {"axes": Lit(known)}, node, f"{ctx.bind('np', np)}.tensordot")


def _each(fn: Callable[..., Any]) -> Any:
    """A function that does the same with each of its arguments."""
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        if len(args) < 2 or any(isinstance(a, Star) for a in args):
            return NotImplemented
        return ctx.tuple([operation(ctx, fn, [a], {}, node, f"{ctx.bind('np', np)}.{fn.__name__}") for a in args])
    return handler


HANDLERS: dict[Any, Any] = {
    **{fn: _each(fn) for fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d)},
    np.einsum: _einsum,
    np.tensordot: _tensordot,
    np.shape: _shape,
    np.ndim: _ndim,
    np.broadcast: _broadcast,
    np.isscalar: _isscalar,
    np.iterable: _iterable,
    np.issubdtype: _on_types(np.issubdtype),
    np.result_type: _on_types(np.result_type),
    np.promote_types: _on_types(np.promote_types),
    np.dtype: _on_types(np.dtype),
    np.can_cast: _on_types(np.can_cast),
    np.finfo: _on_types(np.finfo),
    np.iinfo: _on_types(np.iinfo),
    np.min_scalar_type: _on_types(np.min_scalar_type),
    np.common_type: _on_types(np.common_type),
    np.iscomplexobj: _complex_object("complex"),
    np.isrealobj: _complex_object("real"),
    np.copyto: _copyto,
    np.fill_diagonal: _fill_diagonal,
    np.put: _put,
    np.putmask: _putmask,
    np.place: _putmask,
    np.ndindex: _ndindex,
    np.ndenumerate: _ndenumerate,
    np.vectorize: _vectorize,
    _elementwise: _apply_elementwise,
    np.fromiter: _fromiter,
    np.piecewise: _piecewise,
    np.apply_along_axis: _along_axis,
}
