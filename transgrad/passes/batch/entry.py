"""Arguments and results of a batched function: the axis of the examples in each."""
from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntax
from ...ir.build import Builder
from ...ir.ops import Block, Build, Call, For, Function, GetAttr, Invoke, Lit, Operand, Param, Source, Tree, Value
from ...ir.prims import initializer
from ...ir.types import UNKNOWN, Arr, DictT, Dim, ListT, Num, Obj, OptT, RecordT, TupleT
from ...runtime import axis_moved, repeated, stacked
from ..manager import simplify
from ..rewriting.substitute import substitute
from .driver import batch
from .lanes import batch_type, first_array, is_number
from .unsupported import CannotBatch

__all__ = ["batched"]


def batched(fn: Function, axes: Mapping[str, Sequence[int | None]], types: Mapping[str, Any], out_axes: Any, dim: Dim,
            size: int | None) -> Function:
    """The batched form of a function.

    Parameters
    ----------
    fn : Function
        The function of one example.
    axes : mapping of str to sequence
        For each parameter, the batch axis of every leaf; None for leaves that are the same for all examples.
    types : mapping of str to Type
        The types of the batched arguments, as the caller passes them.
    out_axes : int, None or nested
        The batch axes of the results.
    dim : Dim
        The number of examples.
    size : int, optional
        The same as a number, if no argument determines it.

    Returns
    -------
    Function
        ``attrs.looped`` gives the reason if it runs example by example.
    """
    try:
        return _batched(fn, axes, types, out_axes, dim, size)
    except CannotBatch as reason:       # nor can a loop pick the examples out
        raise UnsupportedSyntax(f"vmap cannot pick the examples out of its arguments: {reason.reason}", reason.loc or fn.loc,
                                "pass arrays, or tuples, lists and dicts of arrays, with the examples along one axis") from None


def _batched(fn: Function, axes: Mapping[str, Sequence[int | None]], types: Mapping[str, Any], out_axes: Any, dim: Dim,
             size: int | None) -> Function:
    differ = {name for name, spread in axes.items() if any(a is not None for a in spread)}
    params = [p.value for p in fn.signature if p.name in differ and isinstance(p.value, Value)]
    count: Any
    try:
        made, facts, count = batch(fn, params, dim)
        flags = [facts.batched(y) for y in fn.body.yields]
    except CannotBatch as reason:
        made, count = _looped(fn, params, dim)
        flags = [True] * len(fn.body.yields)
        made.attrs.looped = str(reason)
    entry = Block()
    count = count if size is None else Lit(size)
    with Builder(entry) as b:
        for p in made.signature:
            if p.name in differ and isinstance(p.value, Value):
                _move(b, made, p, types[p.name], list(axes[p.name]), dim)
    made.body.ops[:0] = entry.ops
    with Builder(made.body) as b:
        made.returns = _results(b, made, fn, flags, out_axes, count, dim)
    made.attrs.keeps_boundaries = True
    simplify(made)
    return made


# arguments

def _move(b: Builder, made: Function, p: Param, t: Any, axes: list[int | None], dim: Dim) -> None:
    """Move the axis of examples of an argument to the front."""
    t = _with_dim(t, axes, dim)
    old = p.value
    assert isinstance(old, Value)
    if all(a == 0 for a in axes):
        return
    if isinstance(t, ListT):
        if len(set(axes)) > 1:
            raise CannotBatch("a list of arrays along different axes")
        axes = axes[:1]
    new = Value(t, old.name, old.varied)
    k = made.body.params.index(old)
    made.body.params[k] = new
    p.value = new
    count = _count(b, new, t, iter(axes)) if None in axes else None
    moved = _rebuilt(b, new, t, iter(axes), dim, count)
    substitute(made.body, {old: moved})


def _with_dim(t: Any, axes: list[int | None], dim: Dim) -> Any:
    """The type of an argument, with the batch's dimension named."""
    left = iter(axes)

    def walk(t: Any) -> Any:
        if isinstance(t, TupleT):
            return TupleT(tuple(map(walk, t.elems)), t.cls)
        if isinstance(t, RecordT):
            return replace(t, elems=tuple(map(walk, t.elems)))
        axis = next(left, None)
        if isinstance(t, Arr) and axis is not None:
            at = axis % len(t.dims)
            return Arr(t.dtype, (*t.dims[:at], dim, *t.dims[at + 1:]))
        return t
    return walk(t)


def _items(b: Builder, x: Value, t: TupleT | RecordT) -> list[tuple[Any, Any]]:
    """The items of a tuple or dict, with their types."""
    keys = range(len(t.elems)) if isinstance(t, TupleT) else t.keys
    return [(b.call(operator.getitem, x, Lit(k), type=e), e) for k, e in zip(keys, t.elems)]


def _count(b: Builder, x: Value, t: Any, axes: Any) -> Any:
    """How many examples there are, as a leaf of an argument has them; None if none has."""
    if isinstance(t, TupleT) or isinstance(t, RecordT) and t.cls is dict:
        found = [_count(b, item, e, axes) for item, e in _items(b, x, t)]
        return next((n for n in found if n is not None), None)
    axis = next(axes)
    if axis is None or not isinstance(t, Arr):
        return None
    return b.call(len, x) if axis == 0 else b.call(operator.getitem, b.attr(x, "shape"), Lit(axis), type=Num("int"))


def _rebuilt(b: Builder, x: Value, t: Any, axes: Any, dim: Dim, count: Any) -> Any:
    """An argument with the examples along the first axis of each leaf; values that are the same for all of them are repeated."""
    if isinstance(t, TupleT):
        items = [_rebuilt(b, item, e, axes, dim, count) for item, e in _items(b, x, t)]
        return b.build("list" if t.cls is list else "namedtuple" if t.cls else "tuple", items, None if t.cls is list else t.cls)
    if isinstance(t, RecordT) and t.cls is dict:
        items = [_rebuilt(b, item, e, axes, dim, count) for item, e in _items(b, x, t)]
        return b.build("dict", [y for pair in zip(map(Lit, t.keys), items) for y in pair])
    axis = next(axes)
    if axis is None and isinstance(t, (Arr, Num)):
        if count is None:
            raise CannotBatch("an argument of which some parts are the same for all examples")
        many = batch_type(t, dim)
        return b.call(np.full, count, x, type=many) if isinstance(t, Num) or not t.dims else b.call(
            np.repeat, b.call(operator.getitem, x, Lit(None)), count, axis=0, type=many)
    if axis == 0 or not isinstance(t, Arr):
        return x
    at = axis % len(t.dims)
    to = Arr(t.dtype, (t.dims[at], *t.dims[:at], *t.dims[at + 1:]))
    return b.attr(x, "T", to) if len(t.dims) == 2 else b.call(np.moveaxis, x, axis, 0, type=to)


# results

def _may_hold_numbers(t: Any) -> bool:
    """Whether a value that is no number may be a container of numbers, or turn out to be a number."""
    return t == UNKNOWN or isinstance(t, (OptT, ListT, DictT, TupleT, RecordT))


def _results(b: Builder, made: Function, fn: Function, flags: Sequence[bool], out_axes: Any, size: Any, dim: Dim) -> Tree:
    """Move the axis of examples of each result to the requested position."""

    def leaf(tree: Tree, axis: Any) -> None:
        y: Any = made.body.yields[tree.index]
        t = fn.body.yields[tree.index].type
        if not is_number(t):
            if not flags[tree.index] and axis is not None and _may_hold_numbers(t):
                lifted = y if isinstance(y, (Value, Lit)) else Lit(y)
                made.body.yields[tree.index] = b.call(repeated, lifted, size, Lit(axis), type=batch_type(t, dim) if axis == 0 else UNKNOWN)
            elif flags[tree.index] and axis != 0 and _may_hold_numbers(t):
                made.body.yields[tree.index] = b.call(axis_moved, y, Lit(axis), type=UNKNOWN)
            return
        if not flags[tree.index]:
            if axis is None:
                return
            lifted = y if isinstance(y, (Value, Lit)) else Lit(y)
            y = b.call(np.full, size, lifted) if not getattr(t, "dims", ()) else b.call(
                np.repeat, b.call(operator.getitem, lifted, None), size, axis=0)
        elif axis is None:
            raise ValueError("vmap has a result that differs between the examples, but out_axes is None for it")
        n = len(t.dims) if isinstance(t, Arr) else 0
        if not -n - 1 <= axis <= n:
            raise ValueError(f"vmap out_axes={axis} is out of range for a result with {n} dimensions")
        at = axis % (n + 1)
        if at:
            dims = y.type.dims
            to = Arr(y.type.dtype, (*dims[1:at + 1], dims[0], *dims[at + 1:]))
            y = b.attr(y, "T", to) if n == 1 else b.call(np.moveaxis, y, 0, at, type=to)
        made.body.yields[tree.index] = y

    seen: set[int] = set()

    def walk(tree: Tree, axis: Any) -> None:
        if tree.kind == "leaf":
            if tree.index not in seen:
                seen.add(tree.index)
                leaf(tree, axis)
            return
        for k, item in enumerate(tree.items):
            inner = axis
            if isinstance(axis, dict):
                inner = axis[tree.keys[k]]
            elif isinstance(axis, (tuple, list)):
                if len(axis) != len(tree.items):
                    raise ValueError(f"vmap out_axes has {len(axis)} entries, {fn.name} returns {len(tree.items)} values")
                inner = axis[k]
            walk(item, inner)

    walk(fn.returns, out_axes)
    return fn.returns


# example by example

def _looped(fn: Function, params: Sequence[Value], dim: Dim) -> tuple[Function, Value]:
    """Call the function for one example after the other."""
    made = Function(fn.name, Block(), names=dict(fn.names), loc=fn.loc, doc=fn.doc, attrs=fn.attrs.of_arguments())
    fn.attrs.emit = True
    fn.name = f"{fn.name}_example"
    new = {p: Value(batch_type(p.type, dim) if p in params else p.type, p.name, p.varied) for p in fn.params}
    made.body.params = list(new.values())
    made.signature = [Param(p.name, new.get(p.value, p.value) if isinstance(p.value, Value) else p.value, p.kind) for p in fn.signature]
    with Builder(made.body) as b:
        size = Value(Num("int", dim), "n_batch")
        b.emit(Call(len, [first_array(b, new[params[0]])], results=[size]))
        lists = [Value(ListT(y.type), y.name if isinstance(y, Value) else None) for y in fn.body.yields]
        for out in lists:
            b.emit(Build("list", [], results=[out]))
        i = Value(Num("int"), "i")
        body = Block([i])
        with b.inside(body):
            args = [_entry(b, new[p], p.type, i) if p in params else new[p] for p in fn.params]
            rows = [Value(y.type, y.name if isinstance(y, Value) else None, y.varied) for y in fn.body.yields]
            b.emit(Invoke(fn, args, results=rows))
            for out, row in zip(lists, rows):
                b.emit(Call(list.append, [out, row], results=[Value(Obj(type(None)))]))
        b.emit(For([Source("range", [Lit(0), size, Lit(1)])], [], body))
        for out, y in zip(lists, fn.body.yields):
            t = y.type
            stack: Any = stacked if not is_number(t) else np.stack if isinstance(t, Arr) and t.dims else np.array
            made.body.yields.append(b.call(stack, out, type=batch_type(t, dim) if is_number(t) else None))
    made.returns = fn.returns
    return made, size


def _typed(x: Operand, t: Any) -> Operand:
    """A display of an example, with the type that the function of one example expects: keys and lengths are known."""
    if isinstance(x, Value):
        x.type = t
    return x


def _entry(b: Builder, x: Value, t: Any, i: Value) -> Any:
    """One example of an argument."""
    if is_number(t):
        return b.call(operator.getitem, x, i, type=t)
    held: Any = x.type

    def part(key: Any, e: Any, s: Any) -> Any:
        read = Value(e)
        b.emit(Call(operator.getitem, [x, Lit(key)], results=[read]) if not isinstance(t, RecordT) or t.cls is dict else
               GetAttr(x, str(key), results=[read]))
        return _entry(b, read, s, i)
    if isinstance(t, TupleT):
        items = [part(k, e, s) for k, (e, s) in enumerate(zip(held.elems, t.elems))]
        return _typed(b.build("list" if t.cls is list else "namedtuple" if t.cls else "tuple", items, None if t.cls is list else t.cls), t)
    if isinstance(t, RecordT):
        parts = {str(key): part(key, e, s) for key, e, s in zip(t.keys, held.elems, t.elems)}
        if t.cls is dict:
            return _typed(b.build("dict", [y for pair in zip(map(Lit, t.keys), parts.values()) for y in pair]), t)
        made = Value(t)
        b.emit(Call(initializer(t.cls), [], parts, results=[made]))
        return made
    if isinstance(t, ListT) and t.elem is not None:
        out, item = Value(t, x.name), Value(held.elem)
        b.emit(Build("list", [], results=[out]))
        body = Block([item])
        with b.inside(body):
            b.emit(Call(list.append, [out, _entry(b, item, t.elem, i)], results=[Value(Obj(type(None)))]))
        b.emit(For([Source("seq", [x])], [], body))
        return out
    raise UnsupportedSyntax("vmap cannot pick the examples out of a dict whose keys are not known when compiling", b.loc,
                            "pass an array, a tuple, or a list")
