"""Functions of small arrays whose elements are numbers with names: for one call, or for each example of a batch in one loop."""
from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, For, Function, Invoke, Lit, Operand, Param, Source, Tree, Value
from ...ir.types import Arr, Dim, Num
from ..dce import eliminate_dead_code
from .elements import NotSmall, operand_of, run
from .elementwise import dtype_of

__all__ = ["for_each_example", "may_be_small", "on_elements"]

Shape = tuple[int, ...]
#: the most numbers in the arguments of one example, and in one array where there is no batch
_MOST, _MOST_OF_ONE = 64, 16


def for_each_example(fn: Function, shapes: Mapping[str, Shape], types: Mapping[str, Arr], dim: Dim) -> Function:
    """The form of a function for a whole batch, whose examples stand along the first axis of arguments and results.

    Parameters
    ----------
    fn : Function
        Of one example.
    shapes : mapping of str to tuple of int
        The shapes of the arguments of one example that differ between the examples.
    types : mapping of str to Arr
        The types of those arguments of the batch.
    dim : Dim
        How many examples there are.

    Returns
    -------
    Function
        It holds for examples of these shapes, which is among its guards.

    Raises
    ------
    NotSmall
        Where it cannot be written so.
    """
    names = _plain_names(fn)
    _check_small(shapes, types)
    whole = {n: Arr("float64", (dim, *types[n].dims[1:])) for n in shapes}
    given = {p: Value(whole.get(names[p], p.type), p.name, p.varied) for p in fn.params}
    if any(not isinstance(v.type, Num) for p, v in given.items() if names[p] not in shapes):
        raise NotSmall("an array that is the same for all examples")
    made = _around(fn, given, [("shape", name, 1, shape) for name, shape in shapes.items() if shape])
    first = next(v for p, v in given.items() if names[p] in shapes)
    params = {p: Value(v.type, v.name) for p, v in given.items()}
    size, count, i = Value(Num("int", dim), "n_batch"), Value(Num("int", dim), "n_batch"), Value(Num("int"), "i")
    body = Block([i])
    with Builder(body, loc=fn.loc) as b:
        results = run(b, fn, [_elements(b, params[p], shapes[names[p]], i) if names[p] in shapes else params[p] for p in fn.params])
        held = [_held(b, _name(y), np.array(r, dtype=object), i, (dim,)) for y, r in zip(fn.body.yields, results)]
    loop = _inner(f"{fn.name}_examples", [*params.values(), count, *held], fn)
    loop.body.ops = [For([Source("range", [Lit(0), count, Lit(1)])], [], body, loc=fn.loc)]
    eliminate_dead_code(loop)
    with Builder(made.body, loc=fn.loc) as b:
        b.emit(Call(len, [first], results=[size]))
        outs = [_empty(b, v, [size]) for v in held]
        b.emit(Invoke(loop, [*given.values(), size, *outs]))
    made.body.yields = list(outs)
    return made


def on_elements(fn: Function, shapes: Mapping[str, Shape]) -> Function:
    """The form of a function of small arrays in which they are numbers.

    Parameters
    ----------
    fn : Function
        The function.
    shapes : mapping of str to tuple of int
        The shapes of its arguments that are arrays.

    Returns
    -------
    Function
        It holds for arguments of these shapes, which is among its guards.

    Raises
    ------
    NotSmall
        Where it cannot be written so.
    """
    names = _plain_names(fn)
    arrays = {names[p]: p.type for p in fn.params if isinstance(p.type, Arr) and p.type.dims}
    _check_small({n: shapes[n] for n in arrays}, arrays)
    if not may_be_small({n: shapes[n] for n in arrays}) or any(not isinstance(p.type, (Arr, Num)) for p in fn.params):
        raise NotSmall("a large array, or something other than arrays and numbers")
    given = {p: Value(p.type, p.name, p.varied) for p in fn.params}
    made = _around(fn, given, [("shape", n, 0, shapes[n]) for n in arrays])
    params = {p: Value(v.type, v.name) for p, v in given.items()}
    body = Block()
    with Builder(body, loc=fn.loc) as b:
        results = run(b, fn, [_elements(b, params[p], shapes[n]) if (n := names[p]) in arrays else params[p] for p in fn.params])
        whole = {k: _held(b, _name(y), r, None, ()) for k, (y, r) in enumerate(zip(fn.body.yields, results)) if isinstance(r, np.ndarray)}
    inner = _inner(f"{fn.name}_elements", [*params.values(), *whole.values()], fn)
    numbers = {k: operand_of(r) for k, r in enumerate(results) if k not in whole}
    inner.body.ops, inner.body.yields = body.ops, [o for o in numbers.values() if isinstance(o, Value)]
    leaves = [Tree("leaf", index=k) for k in range(len(inner.body.yields))]
    inner.returns = Tree("lit", value=None) if not leaves else leaves[0] if len(leaves) == 1 else Tree("tuple", leaves)
    eliminate_dead_code(inner)
    with Builder(made.body, loc=fn.loc) as b:
        outs: dict[int, Operand] = {k: _empty(b, v, []) for k, v in whole.items()}
        found = {k: Value(o.type, _name(fn.body.yields[k])) for k, o in numbers.items() if isinstance(o, Value)}
        b.emit(Invoke(inner, [*given.values(), *outs.values()], results=list(found.values())))
    made.body.yields = [outs[k] if k in outs else found[k] if k in found else numbers[k] for k in range(len(results))]
    return made


def may_be_small(shapes: Mapping[str, Shape]) -> bool:
    """Whether arguments of these shapes are few enough numbers for `on_elements`."""
    return 0 < sum(int(np.prod(s)) for s in shapes.values()) <= _MOST and all(0 < np.prod(s) <= _MOST_OF_ONE for s in shapes.values())


def _plain_names(fn: Function) -> dict[Value, str]:
    """The names of the parameters, which are given one by one."""
    names = {p.value: p.name for p in fn.signature if isinstance(p.value, Value)}
    if any(p.kind not in ("ordinary", "positional") for p in fn.signature) or set(names) != set(fn.params):
        raise NotSmall("the arguments are not plain")
    return names


def _check_small(shapes: Mapping[str, Shape], types: Mapping[str, Arr]) -> None:
    if not 0 < sum(int(np.prod(s)) for s in shapes.values()) <= _MOST or any(0 in s for s in shapes.values()):
        raise NotSmall("the arguments are too large, or empty")
    if any(t.dtype != "float64" for t in types.values()):
        raise NotSmall("the arguments are not float64")


def _around(fn: Function, given: Mapping[Value, Value], guards: Sequence[tuple[Any, ...]]) -> Function:
    """The function that is called, as yet without a body."""
    made = Function(fn.name, Block(list(given.values())), fn.returns, names=dict(fn.names), origin=fn.origin, loc=fn.loc, doc=fn.doc,
                    attrs=dict(fn.attrs))
    made.signature = [Param(p.name, given[p.value] if isinstance(p.value, Value) else p.value, p.kind) for p in fn.signature]
    made.attrs["guards"] = [*fn.attrs.get("guards", ()), *guards]
    return made


def _inner(name: str, params: Sequence[Value], fn: Function) -> Function:
    """The function that computes: its results are new, and share no memory with its arguments; their lengths are guarded."""
    inner = Function(name, Block(list(params)), Tree("lit", value=None), loc=fn.loc)
    inner.signature = [Param(v.name or "x", v) for v in params]
    inner.attrs.update(native=True, emit=True, kernel=True, apart=True)
    return inner


def _name(y: Operand) -> str | None:
    return y.name if isinstance(y, Value) else None


def _elements(b: Builder, x: Value, shape: Shape, *example: Value) -> np.ndarray | Operand:
    """The elements of an argument, or of one example of it."""
    number = Arr("float64", (), scalar=True)
    if not shape:
        return b.call(operator.getitem, x, *example, type=number)  # type: ignore[no-any-return]
    out = np.empty(shape, object)
    for place in np.ndindex(out.shape):
        out[place] = b.call(operator.getitem, x, _index(b, [*example, *place]), type=number)
    return out


def _index(b: Builder, places: Sequence[Any]) -> Any:
    return places[0] if len(places) == 1 else b.build("tuple", places)


def _held(b: Builder, name: str | None, whole: np.ndarray, example: Value | None, dims: tuple[Dim, ...]) -> Value:
    """Writes a result to an array of results, which is returned."""
    out = Value(Arr("float64", (*dims, *(Dim(n == 1, ("const", n)) for n in whole.shape))), name or "out")
    for place in np.ndindex(whole.shape):
        x: object = whole[place]
        number = operand_of(float(x) if place and isinstance(x, int) and not isinstance(x, bool) else x)
        if dtype_of(number) != "float64":
            raise NotSmall("a result that is not float64")
        b.call(operator.setitem, out, _index(b, [*([] if example is None else [example]), *place]), number)
    return out


def _empty(b: Builder, held: Value, lengths: Sequence[Operand]) -> Value:
    """An array of results."""
    dims = held.type.dims[len(lengths):]  # type: ignore[union-attr]
    out = Value(held.type, held.name)
    b.emit(Call(np.empty, [_index(b, [*lengths, *(Lit(d.sym[1]) for d in dims)])], results=[out]))  # type: ignore[index]
    return out
