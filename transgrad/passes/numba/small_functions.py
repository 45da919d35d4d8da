"""Scalar replacement in functions of small arrays: for one call, or for each example of a batch in one loop."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.build import Builder
from ...ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Param, Source, Tree, Value, functions_of, walk
from ...ir.types import Arr, Dim, Num
from ...runtime.numba.selection import select
from ..scalarize.functions import NotSmall, Step, operand_of, write_paths
from ..scalarize.functions.boundary import Shape, around, check_small, elements, held, index_of, name_of, plain_names, write
from ..scalarize.functions.elementwise import CALLED, is_known, scalar_call
from ..simplify.dce import eliminate_dead_code

__all__ = ["for_each_example", "may_be_small", "on_elements"]

#: the maximum number of elements of all arguments, and of one array, without a batch
_MOST, _MOST_OF_ONE = 64, 16


def for_each_example(fn: Function, shapes: Mapping[str, Shape], types: Mapping[str, Arr], dim: Dim) -> Function:
    """The batched form of a function, with the examples along the first axis of arguments and results.

    Parameters
    ----------
    fn : Function
        The function of one example.
    shapes : mapping of str to tuple of int
        The shapes of the batched arguments in one example.
    types : mapping of str to Arr
        The types of those arguments in the batch.
    dim : Dim
        The number of examples.

    Returns
    -------
    Function
        It is valid for examples of these shapes, according to its guards.

    Raises
    ------
    NotSmall
        If the function is not supported.
    """
    names = plain_names(fn)
    check_small(shapes, types)
    whole = {n: Arr("float64", (dim, *types[n].dims[1:])) for n in shapes}
    given = {p: Value(whole.get(names[p], p.type), p.name, p.varied) for p in fn.params}
    if any(not isinstance(v.type, Num) for p, v in given.items() if names[p] not in shapes):
        raise NotSmall("an array that is the same for all examples")
    made = around(fn, given, [Guard("shape", name, 1, shape) for name, shape in shapes.items() if shape])
    first = next(v for p, v in given.items() if names[p] in shapes)
    params = {p: Value(v.type, v.name) for p, v in given.items()}
    size, count, i = Value(Num("int", dim), "n_batch"), Value(Num("int", dim), "n_batch"), Value(Num("int"), "i")
    body = Block([i])
    with Builder(body, loc=fn.loc) as b:
        args = [elements(b, params[p], shapes[names[p]], i) if names[p] in shapes else params[p] for p in fn.params]
        written = _followed(b, fn, args, i, (dim,))
    loop = _inner(f"{fn.name}_examples", [*params.values(), count, *written], fn)
    loop.body.ops = [For([Source("range", [Lit(0), count, Lit(1)])], [], body, loc=fn.loc)]
    eliminate_dead_code(loop)
    with Builder(made.body, loc=fn.loc) as b:
        b.emit(Call(len, [first], results=[size]))
        outs = [_empty(b, v, [size]) for v in written]
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
    names = plain_names(fn)
    arrays = {names[p]: p.type for p in fn.params if isinstance(p.type, Arr) and p.type.dims}
    check_small({n: shapes[n] for n in arrays}, arrays)
    if not may_be_small({n: shapes[n] for n in arrays}) or any(not isinstance(p.type, (Arr, Num)) for p in fn.params):
        raise NotSmall("a large array, or something other than arrays and numbers")
    given = {p: Value(p.type, p.name, p.varied) for p in fn.params}
    made = around(fn, given, [Guard("shape", n, 0, shapes[n]) for n in arrays])
    params = {p: Value(v.type, v.name) for p, v in given.items()}
    body = Block()
    with Builder(body, loc=fn.loc) as b:
        args = [elements(b, params[p], shapes[n]) if (n := names[p]) in arrays else params[p] for p in fn.params]
        results: list[Any] = []
        write_paths(b, fn, args, _Number(parting=False), lambda found, _: results.extend(found))
        whole = {k: held(y, r.shape, ()) for k, (y, r) in enumerate(zip(fn.body.yields, results)) if isinstance(r, np.ndarray)}
        for k, out in whole.items():
            write(b, out, results[k], None)
    inner = _inner(f"{fn.name}_elements", [*params.values(), *whole.values()], fn)
    numbers = {k: operand_of(r) for k, r in enumerate(results) if k not in whole}
    inner.body.ops, inner.body.yields = body.ops, [o for o in numbers.values() if isinstance(o, Value)]
    leaves = [Tree("leaf", index=k) for k in range(len(inner.body.yields))]
    inner.returns = Tree("lit", value=None) if not leaves else leaves[0] if len(leaves) == 1 else Tree("tuple", leaves)
    eliminate_dead_code(inner)
    with Builder(made.body, loc=fn.loc) as b:
        outs: dict[int, Operand] = {k: _empty(b, v, []) for k, v in whole.items()}
        found = {k: Value(o.type, name_of(fn.body.yields[k])) for k, o in numbers.items() if isinstance(o, Value)}
        b.emit(Invoke(inner, [*given.values(), *outs.values()], results=list(found.values())))
    made.body.yields = [outs[k] if k in outs else found[k] if k in found else numbers[k] for k in range(len(results))]
    return made


def may_be_small(shapes: Mapping[str, Shape]) -> bool:
    """Whether arguments of these shapes are few enough numbers for `on_elements`."""
    return 0 < sum(int(np.prod(s)) for s in shapes.values()) <= _MOST and all(0 < np.prod(s) <= _MOST_OF_ONE for s in shapes.values())


def _inner(name: str, params: Sequence[Value], fn: Function) -> Function:
    """The function that computes: its results are new, and share no memory with its arguments; their lengths are guarded."""
    inner = Function(name, Block(list(params)), Tree("lit", value=None), loc=fn.loc)
    inner.signature = [Param(v.name or "x", v) for v in params]
    inner.attrs.native = inner.attrs.emit = inner.attrs.kernel = inner.attrs.apart = True
    return inner


def _followed(b: Builder, fn: Function, args: Sequence[Any], example: Value, dims: tuple[Dim, ...]) -> list[Value]:
    """Write a function for one example that stores its results into arrays, which are returned.

    If a loop works on several examples at once, both sides of a branch are computed for all; if it calls a library,
    each example takes its own path.
    """
    outs: list[Value] = []

    def finish(results: list[Any], _: list[Step]) -> None:
        arrays = [np.array(r, dtype=object) for r in results]
        if not outs:
            outs.extend(held(y, r.shape, dims) for y, r in zip(fn.body.yields, arrays))
        for out, r in zip(outs, arrays):
            write(b, out, r, example)

    parting = any(_calls_library(op) for f in functions_of(fn) for op in walk(f.body))
    if parting:
        block = Block()
        try:
            with b.inside(block):
                write_paths(b, fn, args, _Number(parting), finish)
            b.block.ops += block.ops
            return outs
        except NotSmall:        # too many ways
            outs.clear()
    write_paths(b, fn, args, _Number(parting=False), finish)
    return outs


def _calls_library(op: Op) -> bool:
    return isinstance(op, Call) and (op.fn in CALLED if is_known(op.fn) else getattr(op.fn, "__module__", None) == "math")


class _Number:
    """A number of machine code."""

    def __init__(self, parting: bool):
        self.parting = parting

    def call(self, b: Builder, fn: Callable[..., object], args: Sequence[Operand], dtype: str) -> Operand:
        call = Call(fn, list(args), results=[Value(Arr(dtype, (), scalar=True))])
        return scalar_call(b, call, args, precise=True)

    def plain(self, b: Builder, op: Call, args: Sequence[Operand], kwargs: dict[str, Operand]) -> Operand:
        made = Value(op.result.type, op.result.name)
        b.emit(Call(op.fn, list(args), kwargs, op.spelling, results=[made], loc=op.loc))
        return made

    def either(self, b: Builder, test: Operand, x: Operand, y: Operand, dtype: str) -> Operand:
        return b.call(select, test, x, y, type=Arr(dtype, (), scalar=True))  # type: ignore[no-any-return]

    def parts(self, op: If) -> bool:
        return self.parting

    def part(self, b: Builder, test: Value, then: Block, orelse: Block) -> None:
        b.emit(If(test, then, orelse))


def _empty(b: Builder, held: Value, lengths: Sequence[Operand]) -> Value:
    """An array of results."""
    dims = held.type.dims[len(lengths):]  # type: ignore[union-attr]
    out = Value(held.type, held.name)
    b.emit(Call(np.empty, [index_of(b, [*lengths, *(Lit(d.sym[1]) for d in dims)])], results=[out]))  # type: ignore[index]
    return out
