"""Batching rules: how each operation works on a batch, by its family, or else example by example."""
from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import rules
from ...ir.effects import aliases, writes
from ...ir.infer_calls import is_random
from ...ir.opaque import OpaqueCall
from ...ir.ops import Block, Build, Call, CallValue, For, GetAttr, If, Lit, Op, Raise, SetAttr, Source, Star, Value
from ...ir.sharing import passed_on
from ...ir.types import Arr, ListT, Num, Obj, TupleT, strip
from ...runtime import shadow_of_view, tangent_of_view
from .batched_values import STRUCTURE, same_for_all
from .lanes import check_truth, is_number
from .unsupported import CannotBatch

if TYPE_CHECKING:
    from .driver import Batch

__all__ = ["batch_op", "handler", "natural"]

Handler = Callable[["Batch", Call, list[Any], dict[str, Any]], Any]
#: function → the writer of its batched form, which receives the bound operands and returns the batch of the result
_HANDLERS: dict[Any, Handler] = {}

#: functions that create arrays of a shape, whose batched form is as simple
_MAKERS: frozenset[Any] = frozenset((np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like))
#: how long the result is depends on the values
_RAGGED = frozenset((np.flatnonzero, np.nonzero, np.ndarray.nonzero, np.argwhere, np.unique, np.compress, np.extract, np.trim_zeros,
                     np.intersect1d, np.union1d, np.setdiff1d, np.setxor1d))
_COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
_ELEMENTWISE: dict[Any, Any] = {
    **{f: f for f in (*_COMPARISONS, operator.and_, operator.or_, operator.xor, operator.invert, operator.floordiv, operator.mod,
                      operator.lshift, operator.rshift)},
    operator.not_: np.logical_not, builtins.round: np.round, builtins.abs: np.absolute, operator.abs: np.absolute,
}


def handler(*fns: Any) -> Callable[[Handler], Handler]:
    """Register the writer of the batched form of functions (None: not in this NumPy)."""
    def register(write: Handler) -> Handler:
        for fn in fns:
            if fn is not None:
                _HANDLERS[fn] = write
        return write
    return register


def natural(fn: Any) -> Any:
    """The element-wise array function that corresponds to the number function ``fn``; None if there is none."""
    if fn in _ELEMENTWISE:
        return _ELEMENTWISE[fn]
    if isinstance(fn, np.ufunc):
        return fn if fn.signature is None else None
    rule = rules.lookup(fn)
    if rule is None or rule.kind not in ("elementwise", "constant"):
        return None
    if rule.kind == "constant":
        name = getattr(fn, "__name__", "")
        found = getattr(np, name, None)
        return found if getattr(fn, "__module__", "") == "math" and isinstance(found, np.ufunc) else None
    if getattr(fn, "__module__", "") in ("math", "cmath") or fn in (float, complex):
        return next((f for f in rule.fns if isinstance(f, np.ufunc) or f in (np.sinc, np.real, np.imag)), None)
    return fn


def batch_op(b: "Batch", op: Op) -> None:
    """Append the batched form of an operation without blocks."""
    match op:
        case GetAttr():
            _attribute(b, op)
        case SetAttr():
            value = b.whole(op.value, op.value.type) if is_number(op.value.type) else b.operand(op.value)
            b.builder.set_attr(b.operand(op.obj), op.name, value)
        case Build():
            _display(b, op)
        case Call():
            _call(b, op)
        case CallValue() | Raise():
            raise CannotBatch("a call of something that is not known when compiling, on values that differ between the examples", op.loc)
        case _:
            raise CannotBatch(f"{type(op).__name__} on values that differ between the examples", op.loc)


def _attribute(b: "Batch", op: GetAttr) -> None:
    from .shapes import reversed_axes
    x, t = b.operand(op.obj), op.obj.type
    if not isinstance(t, (Arr, Num)):
        b.set(op.result, b.builder.attr(x, op.name, b.type_of(op.result.type)))
        return
    n = len(t.dims) if isinstance(t, Arr) else 0
    if op.name in STRUCTURE:
        b.plain[op.result] = _structure(b, x, op, n)
        if b.batched(op.result):
            b.set(op.result, b.plain[op.result])
        return
    if op.name == "T":
        b.set(op.result, reversed_axes(b, x, n))
    elif op.name in ("real", "imag"):
        b.set(op.result, b.builder.attr(x, op.name, b.type_of(op.result.type)))
    elif op.name == "mT" and n >= 2:
        b.set(op.result, b.builder.attr(x, "mT", b.type_of(op.result.type)))
    else:
        raise CannotBatch(f"the attribute {op.name}", op.loc)


def _structure(b: "Batch", x: Any, op: GetAttr, n: int) -> Any:
    """The shape and the like of one example."""
    if op.name in ("dtype", "itemsize"):
        return b.builder.attr(x, op.name, op.result.type)
    if op.name == "ndim":
        return Lit(n)
    if n == 0:
        return Lit(()) if op.name == "shape" else Lit(1) if op.name == "size" else b.builder.attr(x, "itemsize")
    shape = b.builder.attr(x, "shape")
    if op.name == "shape":
        if n > 1:
            return b.one(operator.getitem, shape, Lit(slice(1, None)), type=op.result.type, name=op.result.name)
        length = Num("int", op.obj.type.dims[0] if isinstance(op.obj.type, Arr) else None)
        return b.builder.build("tuple", [b.builder.call(operator.getitem, shape, Lit(1), type=length)])
    if op.name == "size" and n == 1:
        return b.builder.call(operator.getitem, shape, Lit(1), type=op.result.type)
    whole = b.builder.attr(x, op.name)
    return b.builder.call(operator.floordiv, whole, b.lanes.size, type=op.result.type)


def _display(b: "Batch", op: Build) -> None:
    if op.kind in ("str", "slice", "set", "dict") or any(isinstance(i, Star) for i in op.items):
        if op.kind == "dict" and not any(isinstance(i, Star) for i in op.items):
            items = [b.operand(k) if n % 2 == 0 else _item(b, k) for n, k in enumerate(op.items)]
            b.set(op.result, b.builder.build("dict", items, name=op.result.name))
            return
        raise CannotBatch("a slice, string or set made of values that differ between the examples", op.loc)
    made = Value(b.type_of(op.result.type), op.result.name, op.result.varied)
    b.builder.emit(Build(op.kind, [_item(b, x) for x in op.items], op.cls, op.is_cell, results=[made], loc=op.loc))
    b.set(op.result, made)


def _item(b: "Batch", x: Any) -> Any:
    return b.whole(x, x.type) if is_number(x.type) else b.operand(x)


def _call(b: "Batch", op: Call) -> None:
    found = _HANDLERS.get(op.fn)
    if same_for_all(op):
        _same(b, op)
        return
    if passed_on(op) and any(map(b.changes, op.results)):
        raise CannotBatch(f"{getattr(op.fn, '__name__', op.fn)} may return its argument, which is written to", op.loc)
    if any(isinstance(a, Star) for a in op.args) or any(isinstance(a, (list, tuple)) for a in op.args):
        raise CannotBatch("a call with a sequence of arguments that differ between the examples", op.loc)
    same = not any(map(b.batched, (*op.args, *op.kwargs.values()))) and not is_random(op.fn)
    if same and op.fn not in _MAKERS and not writes(op) and all(is_number(r.type) for r in op.results):
        _once(b, op)
        return
    if found is not None:
        out = found(b, op, list(op.args), dict(op.kwargs))
        if out is not NotImplemented:
            if op.results and out is not None:
                b.set(op.result, out)
            return
    elif (fn := natural(op.fn)) is not None and len(op.results) == 1 and is_number(op.result.type) and not writes(op):
        _elementwise(b, op, fn)
        return
    if op.fn in _INPLACE:
        elementwise_inplace(b, op)
    elif not (isinstance(op.fn, OpaqueCall) and _opaque(b, op, op.fn)):
        each(b, op)


def _opaque(b: "Batch", op: Call, fn: OpaqueCall) -> bool:
    """Append a call of a function that is not read for all examples at once; return whether it has such a form."""
    found = fn.batched([b.batched(a) for a in op.args])
    if found is None or not all(is_number(r.type) for r in op.results):
        return False
    call, with_axis = found
    args = [b.whole(a, a.type) if has_axis else b.operand(a) for a, has_axis in zip(op.args, with_axis)]
    results = [Value(b.type_of(r.type), r.name, r.varied) for r in op.results]
    b.builder.emit(Call(call, args, spelling=op.spelling, results=results, loc=op.loc, part=op.part))
    for r, v in zip(op.results, results):
        b.set(r, v)
    return True


def _elementwise(b: "Batch", op: Call, fn: Any) -> None:
    """Functions that broadcast: shorter examples get dimensions after the first."""
    options = {k: b.operand(v) for k, v in op.kwargs.items()}
    if any(map(b.batched, op.kwargs.values())) or "out" in op.kwargs and getattr(op.kwargs["out"], "value", 0) is not None:
        raise CannotBatch(f"options of {getattr(op.fn, '__name__', op.fn)} that differ between the examples", op.loc)
    if op.fn is operator.not_:
        check_truth(op.args[0], op)
    k = max((len(t.dims) for a in op.args if isinstance(t := strip(a.type), Arr)), default=0)
    args = [b.spread(a, k) for a in op.args]
    b.emit(op, fn, *args, spelling=op.spelling if fn is op.fn else None, **options)


@handler(shadow_of_view, tangent_of_view)
def _(b: "Batch", op: Call, args: list[Any], options: dict[str, Any]) -> Any:
    """The parts of a batch are views of it, or none is."""
    return b.builder.call(op.fn, *map(b.operand, op.args), type=b.type_of(op.result.type))


_INPLACE = {
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul, operator.itruediv: operator.truediv,
    operator.ipow: operator.pow, operator.imod: operator.mod, operator.ifloordiv: operator.floordiv, operator.iand: operator.and_,
    operator.ior: operator.or_, operator.ixor: operator.xor,
}


def elementwise_inplace(b: "Batch", op: Call) -> None:
    """``a += x``: in place where ``a`` is an array."""
    a, x = op.args
    if isinstance(a.type, (ListT, TupleT)):
        made = b.builder.call(op.fn, b.operand(a), b.operand(x), type=b.type_of(a.type))
        if op.results:
            b.set(op.result, made)
        else:
            b.builder.block.ops[-1].results = []
        return
    if not is_number(a.type) or not is_number(x.type):
        raise CannotBatch("an operation in place on an object that is not an array", op.loc)
    if isinstance(a.type, Num) or a.type.scalar:
        _elementwise(b, op, _INPLACE[op.fn])
        return
    n = len(a.type.dims)
    b.emit(op, op.fn, b.operand(a), b.spread(x, n))


def _same(b: "Batch", op: Call) -> None:
    """Lengths and the like, asked of a batch."""
    x = op.args[0] if op.args else None
    if op.fn in (operator.is_, operator.is_not) and all(isinstance(a, Value) for a in op.args) and any(map(b.batched, op.args)):
        raise CannotBatch("whether two names refer to one object, which a batch may have duplicated", op.loc)
    if isinstance(x, Value) and b.batched(x) and isinstance(x.type, (Arr, Num)):
        n = len(x.type.dims) if isinstance(x.type, Arr) else 0
        name = {len: "length", np.shape: "shape", np.ndim: "ndim", np.size: "size"}.get(op.fn)
        if name == "length":
            shape = b.builder.attr(b.operand(x), "shape")
            b.plain[op.result] = b.builder.call(operator.getitem, shape, Lit(1), type=op.result.type, name=op.result.name)
            return
        if name == "shape" and len(op.results) > 1:     # unpacked at once
            shape = b.builder.attr(b.operand(x), "shape")
            for k, length in enumerate(op.results, 1):
                b.plain[length] = b.builder.call(operator.getitem, shape, Lit(k), type=length.type, name=length.name)
            return
        if name is not None and len(op.args) == 1:
            b.plain[op.result] = _structure(b, b.operand(x), GetAttr(x, name, results=[op.result]), n)
            return
        if op.fn in (operator.is_, operator.is_not):
            b.plain[op.result] = Lit(op.fn is operator.is_not)
            return
    elif not isinstance(x, Value) or not b.batched(x) or op.fn not in (np.shape, np.ndim, np.size):
        b.plain[op.result] = b.builder.call(op.fn, *(b.operand(a) for a in op.args), type=op.result.type,
                                            **{k: b.operand(v) for k, v in op.kwargs.items()})
        return
    raise CannotBatch(f"{getattr(op.fn, '__name__', op.fn)} of a value that differs between the examples", op.loc)


def _once(b: "Batch", op: Call) -> None:
    """A value that is the same for all examples at its creation, and receives different values later."""
    made = [Value(r.type, r.name, r.varied) for r in op.results]
    b.builder.emit(Call(op.fn, [b.operand(a) for a in op.args], {k: b.operand(v) for k, v in op.kwargs.items()}, op.spelling,
                        results=made, loc=op.loc))
    for r, v in zip(op.results, made):
        b.set(r, b.promote(v, r.type))


def each(b: "Batch", op: Call) -> None:
    """Call a function for one example after the other, and stack the results."""
    if writes(op) or not op.results and not is_random(op.fn):
        raise CannotBatch(f"{getattr(op.fn, '__name__', op.fn)} changes what differs between the examples", op.loc)
    if aliases(op) and any(map(b.changes, op.results)):      # which share no memory with the stacked arrays
        raise CannotBatch(f"{getattr(op.fn, '__name__', op.fn)} creates a view of an array that is written to", op.loc)
    operands = [*op.args, *op.kwargs.values()]
    if op.fn in _RAGGED:
        raise CannotBatch(f"how many entries {op.fn.__name__} finds differs between the examples", op.loc)
    if not all(is_number(r.type) for r in op.results) or any(b.batched(o) and not is_number(o.type) for o in operands):
        raise CannotBatch(f"{getattr(op.fn, '__name__', op.fn)} takes or returns containers that differ between the examples", op.loc)
    if b.lanes.index is not None and any(isinstance(r.type, Arr) and r.type.dims for r in op.results):
        raise CannotBatch(f"{getattr(op.fn, '__name__', op.fn)} has no form for a batch, and stands where perhaps no example comes, so "
                          "that the shape of its result is not known", op.loc)
    lists = [b.builder.build("list", [], name=r.name) for r in op.results]
    i = Value(Num("int"), "i")
    body = Block([i])
    with b.builder.inside(body):
        def one(o: Any) -> Any:
            x = b.operand(o)
            return b.builder.call(operator.getitem, x, i, type=o.type) if b.batched(o) else x
        rows = [Value(r.type, r.name, r.varied) for r in op.results]
        given, options = [one(a) for a in op.args], {k: one(v) for k, v in op.kwargs.items()}
        b.builder.emit(Call(op.fn, given, options, op.spelling, results=rows, loc=op.loc))
        for out, row in zip(lists, rows):
            b.builder.emit(Call(list.append, [out, row], results=[Value(Obj(type(None)))]))
    for out, r in zip(lists, op.results):
        if isinstance(out, Value):
            out.type = ListT(r.type)
    b.builder.block.ops.append(For([Source("range", [Lit(0), b.lanes.size, Lit(1)])], [], body, loc=op.loc, part=op.part))
    for out, r in zip(lists, op.results):
        stack = np.stack if isinstance(r.type, Arr) and r.type.dims else np.array
        opaque = r.type if stack is np.stack and isinstance(op.fn, OpaqueCall) else None
        lengths = _lengths(b, op, opaque) if isinstance(opaque, Arr) else None
        if not isinstance(opaque, Arr) or lengths is None:
            if opaque is not None:
                _check_examples(b, op.fn.__name__, op)
            b.set(r, b.builder.call(stack, out, type=b.type_of(r.type)))
            continue
        whole = b.type_of(opaque)       # also of a batch without examples
        options = {} if opaque.dtype == "float64" else {"dtype": Lit(np.dtype(opaque.dtype).type)}
        b.set(r, b.builder.call(np.reshape, b.builder.call(np.array, out, type=whole, **options),
                                b.builder.build("tuple", [b.lanes.size, *lengths]), type=whole))


def _check_examples(b: "Batch", name: str, op: Call) -> None:
    """Raise an error for a batch without examples, of whose results the lengths are not known."""
    fails = Block()
    with b.builder.inside(fails):
        b.builder.emit(Raise(b.builder.call(ValueError, f"the shape of the results of {name} is not known for a batch without examples. "
                                                        "Hint: declare the lengths with result=", type=Obj(ValueError))))
    b.builder.emit(If(b.builder.call(operator.eq, b.lanes.size, 0, type=Num("bool")), fails, Block(), loc=op.loc, part=op.part))


def _lengths(b: "Batch", op: Call, t: Arr) -> list[Any] | None:
    """The lengths of the axes of a result, from those of the operands; None if one is not known."""
    found: list[Any] = []
    for d in t.dims:
        if d.known is not None:
            found.append(Lit(d.known))
            continue
        at = next(((o, k, e) for o in op.args if isinstance(o, Value) and isinstance(o.type, Arr)
                   for k, e in enumerate(o.type.dims) if d.sym is not None and e.sym == d.sym), None)
        if at is None:
            return None
        o, k, e = at
        n = b.builder.call(operator.getitem, b.builder.attr(b.operand(o), "shape"), Lit(k + b.batched(o)), type=Num("int"))
        found.append(n if d.off == e.off else b.builder.call(operator.add, n, Lit(d.off - e.off), type=Num("int")))
    return found
