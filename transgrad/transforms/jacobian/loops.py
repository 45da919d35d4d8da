"""Writes Jacobians as loops: a reverse sweep for each entry of the output, or a forward sweep for each entry of the argument."""
from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntax
from ...ir.build import Builder
from ...ir.ops import Block, Build, Call, For, Function, GetAttr, If, Invoke, Lit, Operand, Source, Star, Tree, Value, functions_of, walk
from ...ir.types import ANY, Arr, Num, Obj, Type, is_differentiable
from ...passes import entry_points
from ...passes.ad.residuals.random_state import refuse_draws
from ...passes.ad.split import split_call
from ...passes.analysis.alias import summarize
from ...passes.batch.sign_pushdown import move_signs
from ...passes.pipelines import simplify
from ..structure import Leaf, argument, leaves_of, rebuild, select, select_slots, shell, shift, tree_leaves, tree_of
from ..transformations import Reverse, Target
from .all_directions import Sweep, batched_sweep, chunks, forward_sweep, units, zeros_for_each

__all__ = ["columns", "invoke", "pull", "rows"]


def _is_scalar(t: Type) -> bool:
    return isinstance(t, Num) or (isinstance(t, Arr) and not t.dims)


def _outputs(fn: Function, has_aux: bool) -> tuple[Tree, list[int]]:
    """The differentiated part of the return value, and the results at its leaves."""
    tree = fn.returns.items[0] if has_aux and fn.returns.kind == "tuple" else fn.returns
    indices = [leaf.index for leaf in tree_leaves(tree)]
    for k in indices:
        t = fn.body.yields[k].type
        if not isinstance(t, (Num, Arr)):
            raise UnsupportedSyntax(f"{fn.name} returns a value whose type is not known when compiling ({t}), so its Jacobian has no fixed "
                                    f"form", fn.loc, "return an array, or a tuple of arrays")
        if not is_differentiable(t):
            raise UnsupportedSyntax(f"{fn.name} returns a value of type {t}, for which a compiled Jacobian has no entry", fn.loc,
                                    "return it as a float, or beside the rest with has_aux=True")
    return tree, indices


def _shape(b: Builder, parts: Sequence[Operand]) -> Operand:
    """The concatenated shapes of arrays."""
    items: list[Any] = []
    for part in parts:
        if isinstance(part.type, Arr) and len(part.type.dims) == 1:
            items.append(b.attr(part, "size"))
        elif not _is_scalar(part.type):
            items.append(Star(b.attr(part, "shape", Obj(tuple))))
    if len(items) == 1 and not isinstance(items[0], Star):
        return items[0]  # type: ignore[no-any-return]
    if len(items) == 1:
        return items[0].value  # type: ignore[no-any-return]
    shape = Value(Obj(tuple))
    b.emit(Build("tuple", items, results=[shape]))
    return shape


def _zeros(b: Builder, parts: Sequence[Operand], like: Operand, t: Type, name: str | None = None) -> Operand:
    """An array of zeros of the dtype of ``like``, whose shape is the concatenation of the parts."""
    length = _shape(b, parts)
    if isinstance(like.type, Arr) and like.type.dtype != "float64":
        return b.call(np.zeros, length, b.attr(like, "dtype"), type=t, name=name)  # type: ignore[no-any-return]
    return b.call(np.zeros, length, type=t, name=name)  # type: ignore[no-any-return]


def _unit(b: Builder, like: Operand, i: Value, name: str) -> Operand:
    """An array like ``like`` that is 1 at entry ``i`` and 0 elsewhere."""
    t = like.type
    assert isinstance(t, Arr)
    if len(t.dims) == 1:
        unit = b.call(np.zeros_like, like, type=t, name=name)
        b.call(operator.setitem, unit, i, 1.0)
        return unit  # type: ignore[no-any-return]
    flat = b.call(np.zeros, b.attr(like, "size"), type=Arr(t.dtype, (_length(t),)), name=name) if t.dtype == "float64" else \
        b.call(np.zeros, b.attr(like, "size"), b.attr(like, "dtype"), type=Arr(t.dtype, (_length(t),)), name=name)
    b.call(operator.setitem, flat, i, 1.0)
    return b.call(np.reshape, flat, b.attr(like, "shape"), type=t)  # type: ignore[no-any-return]


def _length(t: Arr) -> Any:
    return ANY if len(t.dims) != 1 else t.dims[0]


def _zero(b: Builder, like: Operand) -> Operand:
    return Lit(0.0) if _is_scalar(like.type) else b.call(np.zeros_like, like, type=like.type)


def _one(b: Builder, t: Type) -> Operand:
    """The tangent 1 of a number, in its precision: beside Python's numbers alone, one of Python's would make a double of it."""
    if not isinstance(t, Arr) or t.dtype in ("float64", "complex128") or not hasattr(np, t.dtype):
        return Lit(1.0)
    return b.call(getattr(np, t.dtype), 1.0, type=t)  # type: ignore[no-any-return]


def _reads_as_array(forward: Function) -> bool:
    """Whether a forward derivative indexes a number, reads an attribute of it, or calls a method of it, which Python's numbers have not."""
    def is_number(x: Operand) -> bool:
        return isinstance(x.type, Arr) and not x.type.dims

    return any(isinstance(op, GetAttr) and is_number(op.obj) or type(op) is Call and op.args and is_number(op.args[0]) and (
        op.fn is operator.getitem or getattr(op.fn, "__objclass__", None) is np.ndarray) for inner in functions_of(forward)
        for op in walk(inner.body))


def _as_array(b: Builder, x: Operand, t: Type) -> Operand:
    """A tangent as an array without dimensions, or as a number of NumPy's."""
    if not isinstance(t, Arr) or t.dims or not isinstance(x, Lit):
        return x
    number = x if t.dtype == "float64" and not t.scalar else b.call(getattr(np, t.dtype), x, type=t)
    return number if t.scalar else b.call(np.array, number, type=t)


def invoke(b: Builder, fn: Function, args: Sequence[Operand]) -> list[Value]:
    """Call a function written here; its flat results."""
    fn.attrs.emit = True
    results = [Value(y.type, y.name if isinstance(y, Value) else None) for y in fn.body.yields]
    b.emit(Invoke(fn, list(args), results=results))
    return results


def _loop(b: Builder, count: Operand) -> tuple[Value, Block]:
    """A loop over ``range(count)``: its variable and its body."""
    i = Value(Num("int"), "i")
    body = Block([i])
    b.emit(For([Source("range", [Lit(0), count, Lit(1)])], [], body))
    return i, body


def _jacobian_type(out: Type, x: Type) -> Arr:
    dtype = x.dtype if isinstance(x, Arr) else "complex128" if isinstance(x, Num) and x.kind == "complex" else "float64"
    return Arr(dtype, tuple(d for t in (out, x) if isinstance(t, Arr) for d in t.dims))


class _Entries:
    """The entries of a Jacobian, one for each output leaf and argument leaf, and the structure they make up."""

    def __init__(self) -> None:
        self.flat: list[Operand] = []
        self.at: dict[tuple[int, str, tuple[Any, ...]], int] = {}

    def put(self, result: int, name: str, path: tuple[Any, ...], value: Operand) -> None:
        self.at[result, name, path] = len(self.flat)
        self.flat.append(value)

    def finish(self, new: Function, fn: Function, outputs: Tree, aux: Tree | None, target: Target, results: Sequence[Operand]) -> Function:
        def one(leaf: Tree) -> Tree:
            trees = [tree_of(argument(fn, name).type, lambda path, n=name: Tree("leaf", index=self.at[leaf.index, n, path]))  # type: ignore[misc]
                     for name in target.names]
            return select_slots(trees, target.names, target.slots, target.single)
        tree = shift(outputs, one)
        if aux is not None:
            start = len(self.flat)
            self.flat += results
            tree = Tree("tuple", [tree, shift(aux, lambda leaf: Tree("leaf", index=start + leaf.index))])
        new.body.yields = self.flat
        new.returns = tree
        return new


def rows(fn: Function, target: Target, has_aux: bool = False, holomorphic: bool = False) -> Function:
    """The Jacobian, a row at a time.  Of a function with one scalar result it is the gradient."""
    outputs, indices = _outputs(fn, has_aux)
    if outputs.kind == "leaf" and _is_scalar(fn.body.yields[indices[0]].type):
        return Reverse(has_aux=has_aux, holomorphic=holomorphic).transform(fn, target)
    new, params = shell(fn)
    wrt = [argument(fn, name) for name in target.names]
    active = tuple(fn.params.index(v) for v in wrt if isinstance(v, Value))
    diff = tuple(k for k in dict.fromkeys(indices) if is_differentiable(fn.body.yields[k].type))
    pair = split_call(fn, active, diff)
    entries = _Entries()
    with Builder(new.body, part="adjoint") as b:
        found = invoke(b, pair.forward, params)
        outs, residuals = found[:len(fn.body.yields)], found[len(fn.body.yields):]
        for v in outs:
            v.name = v.name or "out"
        for k in diff:
            _rows_of(b, k, outs, residuals, pair, params, {fn.params[a]: name for a, name in zip(active, target.names)}, fn, entries)
    aux = fn.returns.items[1] if has_aux else None
    new = entries.finish(new, fn, outputs, aux, target, outs)
    simplify(new)
    return new


def _rows_of(b: Builder, k: int, outs: Sequence[Value], residuals: Sequence[Value], pair: Any, params: Sequence[Value],
             names: dict[Value, str], fn: Function, entries: _Entries) -> None:
    """The rows for one output: a call of the backward half for each entry."""
    out = outs[k]
    inputs: list[tuple[str, Leaf]] = []
    for p, name in names.items():
        inputs += [(name, leaf) for leaf in leaves_of(b, params[fn.params.index(p)])]
    if _is_scalar(out.type):
        for (name, leaf), entry in zip(inputs, pull(b, {k: Lit(1.0)}, outs, residuals, pair, params)):
            entries.put(k, name, leaf.path, entry)
        return
    held = [_zeros(b, [out, leaf.value], leaf.value, _jacobian_type(out.type, leaf.type), f"jac_{name}") for name, leaf in inputs]
    several = isinstance(out.type, Arr) and len(out.type.dims) > 1
    flat = held if not several else [_flat_rows(b, h, out, leaf) for h, (_, leaf) in zip(held, inputs)]
    bar = f"{out.name or 'out'}_bar"
    sweep = _all_rows(pair, k, params)
    if sweep is not None:
        count = b.attr(out, "size")
        i, end, body = chunks(b, count)
        with b.inside(body):
            unit = units(b, out, count, i, end, bar)
            place = b.build("slice", [i, end, None])
            for row, entry in zip(flat, pull(b, {k: unit}, outs, residuals, pair, params, sweep)):
                b.call(operator.setitem, row, place, entry)
    else:
        i, body = _loop(b, b.attr(out, "size"))
        with b.inside(body):
            for row, entry in zip(flat, pull(b, {k: _unit(b, out, i, bar)}, outs, residuals, pair, params)):
                b.call(operator.setitem, row, i, entry)
    for (name, leaf), h in zip(inputs, held):
        entries.put(k, name, leaf.path, h)


def _all_rows(pair: Any, k: int, params: Sequence[Value]) -> Sweep | None:
    """The backward half for several cotangents of its result ``k`` at once."""
    if not all(isinstance(params[n].type, Arr) for part, n in pair.inputs if part == "shadow"):
        return None
    return batched_sweep(pair.backward, [part == "shadow" or (part, n) == ("cotangent", k) for part, n in pair.inputs])


def _flat_rows(b: Builder, jac: Operand, out: Operand, leaf: Leaf) -> Operand:
    """A view of a Jacobian with all dimensions of the output in one."""
    dims = leaf.type.dims if isinstance(leaf.type, Arr) else ()
    assert isinstance(jac.type, Arr)
    items: list[Any] = [b.attr(out, "size")]
    if dims:
        items.append(Star(b.attr(leaf.value, "shape", Obj(tuple))))
    return _reshape(b, jac, items, Arr(jac.type.dtype, (ANY, *dims)), "rows")


def _reshape(b: Builder, jac: Operand, items: list[Any], t: Arr, name: str) -> Operand:
    if len(items) == 1:
        return b.call(np.reshape, jac, items[0], type=t, name=name)  # type: ignore[no-any-return]
    shape = Value(Obj(tuple))
    b.emit(Build("tuple", items, results=[shape]))
    return b.call(np.reshape, jac, shape, type=t, name=name)  # type: ignore[no-any-return]


def pull(b: Builder, bars: Mapping[int, Operand], outs: Sequence[Value], residuals: Sequence[Value], pair: Any,
         params: Sequence[Value], sweep: Sweep | None = None) -> list[Operand]:
    """Call the backward half with the cotangents ``bars`` of some results; one entry for each leaf of the arguments.

    With ``sweep``, its form for several directions, the cotangents have a first axis for these.
    """
    args: list[Operand] = []
    shadows: dict[int, Operand] = {}
    for kind, n in pair.inputs:
        if kind == "residual":
            args.append(residuals[n])
        elif kind == "param":
            args.append(params[n])
        elif kind == "result":
            args.append(outs[n])
        elif kind == "cotangent":
            args.append(bars[n] if n in bars else _zero(b, outs[n]))
        else:
            like, name = params[n], f"{params[n].name}_bar"
            shadows[n] = (zeros_for_each(b, like, next(iter(bars.values())), name) if sweep else
                          b.call(np.zeros_like, like, type=like.type, name=name))
            args.append(shadows[n])
    results = invoke(b, sweep.function if sweep else pair.backward, args)
    found: dict[int, list[Operand]] = {n: [s] for n, s in shadows.items()}
    for (n, _), r in zip(pair.outputs, results):
        found.setdefault(n, []).append(r)
    return [entry for n in sorted(found) for entry in found[n]]


def columns(fn: Function, target: Target, has_aux: bool = False) -> Function:
    """The Jacobian, a column at a time."""
    outputs, indices = _outputs(fn, has_aux)
    new, params = shell(fn)
    entries = _Entries()
    results: list[Operand] = []
    diff = [k for k in dict.fromkeys(indices) if is_differentiable(fn.body.yields[k].type)]
    refuse_draws(fn)
    written = [k for k in summarize(fn).written if isinstance(fn.params[k].type, Arr)]
    if len(written) < len(summarize(fn).written):
        raise UnsupportedSyntax(f"{fn.name} changes a container that it receives, so that each sweep would see the changes of the last one",
                                fn.loc, "work on a copy of it")
    several = Block()
    with Builder(new.body, part="tangent") as b:
        with b.inside(several):
            first = {k: b.call(np.ndarray.copy, params[k], type=params[k].type) for k in written}       # each sweep starts from there
            if written or has_aux or any(not _is_scalar(fn.body.yields[k].type) for k in diff):
                results = list(_primal(b, fn, params))
            for name in target.names:
                at = fn.params.index(argument(fn, name))  # type: ignore[arg-type]
                forward = _forward(fn, name)
                for leaf in leaves_of(b, params[at]):
                    start = [first.get(k, p) for k, p in enumerate(params)]
                    sweep = _columns_of(b, fn, forward, start, at, name, leaf, diff, results, entries, written)
                _take_guards(new, forward)
        if sweep is None or not all(sweep.differ) or has_aux or not results or len(target.names) > 1 or not _is_vector(leaf):
            new.body.ops += several.ops
        else:
            _as_found(b, leaf.value, params, sweep, several, entries)
    aux = fn.returns.items[1] if has_aux else None
    new = entries.finish(new, fn, outputs, aux, target, results)
    simplify(new)
    return new


def _as_found(b: Builder, x: Operand, params: Sequence[Value], sweep: Sweep, without: Block, entries: _Entries) -> None:
    """Columns part by part, where the first part tells how long they are; there is none of an empty argument, of which the function
    has to be asked."""
    count, held = b.attr(x, "size"), [jac for jac in entries.flat if isinstance(jac, Value)]
    without.ops = [op for op in without.ops if not isinstance(op, For)]     # a loop over no parts
    without.yields = list(held)
    choice = If(b.call(operator.gt, count, 0), Block(), without, results=[Value(jac.type, jac.name) for jac in held])
    with b.inside(choice.then):
        none = [_unwritten(b, [Lit(0)] * (len(jac.type.dims) - 1), count, x, jac) for jac in held]  # type: ignore[union-attr]
        i, end, body = chunks(b, count)
        loop = next(op for op in reversed(choice.then.ops) if isinstance(op, For))
        carried = [Value(jac.type, jac.name) for jac in held]
        loop.inits, loop.results = list(none), [Value(jac.type, jac.name) for jac in held]
        body.params += carried
        with b.inside(body):
            unit = units(b, x, count, i, end, f"{x.name}_dot" if isinstance(x, Value) else "dot")
            found = invoke(b, sweep.function, [*params, unit, i] if sweep.told else [*params, unit])
            first = If(b.call(operator.eq, i, 0), Block(), Block([], [], list(carried)))
            first.results = [Value(jac.type, jac.name) for jac in held]
            with b.inside(first.then):
                first.then.yields = [_unwritten(b, _lengths(b, entry), count, x, jac) for entry, jac in zip(found, held)]
            b.emit(first)
            for jac, entry in zip(first.results, found):
                _put_columns(b, jac, b.build("slice", [i, end, None]), entry, True)
            body.yields = list(first.results)
        choice.then.yields = list(loop.results)
    b.emit(choice)
    entries.flat[:] = choice.results


def _lengths(b: Builder, entry: Value) -> list[Any]:
    """The lengths of a result, from its derivatives along several directions."""
    shape = b.attr(entry, "shape", Obj(tuple))
    if isinstance(entry.type, Arr) and len(entry.type.dims) == 2:
        return [b.call(operator.getitem, shape, 1, type=Num("int"))]
    rest = Value(Obj(tuple))
    b.emit(Call(operator.getitem, [shape, Lit(slice(1, None))], results=[rest]))
    return [Star(rest)]


def _unwritten(b: Builder, lengths: list[Any], count: Operand, x: Operand, jac: Value) -> Value:
    """A Jacobian by ``x``, all of which is still to be written."""
    assert isinstance(jac.type, Arr)
    shape = Value(Obj(tuple))
    b.emit(Build("tuple", [*lengths, count], results=[shape]))
    kind = {} if jac.type.dtype == "float64" else {"dtype": b.attr(x, "dtype")}
    return b.call(np.empty, shape, type=jac.type, name=jac.name, **kind)  # type: ignore[no-any-return]


def _take_guards(new: Function, forward: Function) -> None:
    """Give the Jacobian the guards of the forward derivative."""
    new.attrs.guards = list({id(g): g for g in (*new.attrs.guards, *forward.attrs.guards)}.values())


def _is_vector(leaf: Leaf) -> bool:
    """Return whether a leaf is a whole argument with one dimension."""
    return not leaf.path and isinstance(leaf.type, Arr) and len(leaf.type.dims) == 1


def _forward(fn: Function, name: str) -> Function:
    """The tangents of the results by those of one argument."""
    forward = entry_points.forward(fn, [name])
    select(forward, forward.returns.items[1])
    simplify(forward)
    forward.name = f"jvp_{fn.name}"
    forward.signature = [p for p in forward.signature if isinstance(p.value, Value)]      # the others are known, and not passed
    move_signs(forward, forward.params[-1])
    return forward


def _primal(b: Builder, fn: Function, params: Sequence[Value]) -> list[Value]:
    """Call the function itself."""
    results = [Value(y.type, (y.name if isinstance(y, Value) else None) or "out") for y in fn.body.yields]
    if fn.origin is None:
        fn.attrs.emit = True
    b.emit(Invoke(fn, list(params), results=results))
    return results


def _columns_of(b: Builder, fn: Function, forward: Function, params: Sequence[Value], at: int, name: str, leaf: Leaf, diff: Sequence[int],
                results: Sequence[Operand], entries: _Entries, written: Sequence[int]) -> Sweep | None:
    """The columns for one leaf of an argument: a call of the forward derivative for each entry, or for several; the latter's form."""
    as_arrays = _reads_as_array(forward)

    def push(unit: Operand) -> list[Operand]:
        def tangent(path: Any, value: Operand) -> Operand:
            dot = unit if path == leaf.path else _zero(b, value)
            return _as_array(b, dot, value.type) if as_arrays else dot
        dot = rebuild(b, params[at], tangent)
        given = [b.call(np.ndarray.copy, p, type=p.type) if k in written else p for k, p in enumerate(params)]
        return list(invoke(b, forward, [*given, dot]))

    if _is_scalar(leaf.type):
        for k, entry in zip(diff, push(_one(b, leaf.type))):
            entries.put(k, name, leaf.path, entry)
        return None
    held = []
    for k in diff:
        out_type = fn.body.yields[k].type
        shape = [leaf.value] if _is_scalar(out_type) else [results[k], leaf.value]
        held.append(_zeros(b, shape, leaf.value, _jacobian_type(out_type, leaf.type), f"jac_{name}"))
    flat = held
    if isinstance(leaf.type, Arr) and len(leaf.type.dims) > 1:
        flat = [_flat_columns(b, h, results[k] if results else None, leaf) for h, k in zip(held, diff)]
    sweep = forward_sweep(forward) if not written else None
    if sweep is not None:
        count = b.attr(leaf.value, "size")
        i, end, body = chunks(b, count)
        with b.inside(body):
            unit = units(b, leaf.value, count, i, end, f"{name}_dot")
            dot = rebuild(b, params[at], lambda path, value: unit if path == leaf.path else zeros_for_each(b, value, unit))
            found = invoke(b, sweep.function, [*params, dot, i] if sweep.told else [*params, dot])
            for column, entry, differs in zip(flat, found, sweep.differ):
                _put_columns(b, column, b.build("slice", [i, end, None]), entry, differs)
    else:
        i, body = _loop(b, b.attr(leaf.value, "size"))
        with b.inside(body):
            for k, column, entry in zip(diff, flat, push(_unit(b, leaf.value, i, f"{name}_dot"))):
                index: Any = i if _is_scalar(fn.body.yields[k].type) else b.build("tuple", [Ellipsis, i])
                b.call(operator.setitem, column, index, entry)
    for k, h in zip(diff, held):
        entries.put(k, name, leaf.path, h)
    return sweep


def _put_columns(b: Builder, jac: Operand, place: Operand, entry: Value, differs: bool) -> None:
    """Write the derivatives along several directions into the last dimension of a Jacobian."""
    assert isinstance(jac.type, Arr)
    t = entry.type
    if len(jac.type.dims) == 1 or not isinstance(t, Arr):
        b.call(operator.setitem, jac, place if len(jac.type.dims) == 1 else b.build("tuple", [Ellipsis, place]), entry)
        return
    moved: Operand = entry
    if not differs:
        moved = b.call(operator.getitem, entry, b.build("tuple", [Ellipsis, None]))
    elif len(t.dims) > 1:
        to = Arr(t.dtype, (*t.dims[1:], t.dims[0]))
        moved = b.attr(entry, "T", to) if len(t.dims) == 2 else b.call(np.moveaxis, entry, 0, -1, type=to)
    b.call(operator.setitem, jac, b.build("tuple", [slice(None) if len(jac.type.dims) == 2 else Ellipsis, place]), moved)


def _flat_columns(b: Builder, jac: Operand, out: Operand | None, leaf: Leaf) -> Operand:
    """A view of a Jacobian with all dimensions of the argument in one."""
    assert isinstance(jac.type, Arr)
    dims = out.type.dims if out is not None and isinstance(out.type, Arr) else ()
    items: list[Any] = [Star(b.attr(out, "shape", Obj(tuple)))] if dims else []
    items.append(b.attr(leaf.value, "size"))
    return _reshape(b, jac, items, Arr(jac.type.dtype, (*dims, ANY)), "columns")
