"""A function of small arrays for each example of a batch: one loop over the examples, in which all arrays are numbers."""
from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, For, Function, Invoke, Lit, Operand, Param, Source, Tree, Value
from ...ir.types import Arr, Dim, Num
from ..dce import eliminate_dead_code
from .elements import NotSmall, operand_of, run
from .elementwise import dtype_of

__all__ = ["for_each_example"]

#: the most numbers in the arguments, and in the results, of one example
_MOST = 64


def for_each_example(fn: Function, shapes: Mapping[str, tuple[int, ...]], types: Mapping[str, Arr], dim: Dim) -> Function:
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
    if not 0 < sum(int(np.prod(s)) for s in shapes.values()) <= _MOST or any(0 in s for s in shapes.values()):
        raise NotSmall("the arguments are too large, or empty")
    if any(t.dtype != "float64" for t in types.values()):
        raise NotSmall("the arguments are not float64")
    places = {p.name: p.value for p in fn.signature if isinstance(p.value, Value)}
    if any(p.kind not in ("ordinary", "positional") for p in fn.signature) or set(places.values()) != set(fn.params):
        raise NotSmall("the arguments are not plain")
    named = {v: name for name, v in places.items()}
    given = {p: Value(_with_dim(types[named[p]], dim) if named[p] in shapes else p.type, p.name, p.varied) for p in fn.params}
    if any(not isinstance(v.type, Num) for p, v in given.items() if named[p] not in shapes):
        raise NotSmall("an array that is the same for all examples")
    made = Function(fn.name, Block(list(given.values())), names=dict(fn.names), loc=fn.loc, doc=fn.doc, attrs={
        k: v for k, v in fn.attrs.items() if k in ("guards", "assumed", "primal", "contiguous")})
    made.signature = [Param(p.name, given[p.value] if isinstance(p.value, Value) else p.value, p.kind) for p in fn.signature]
    made.attrs["guards"] = [*made.attrs.get("guards", ()), *(("shape", name, None, shape) for name, shape in shapes.items() if shape)]
    first = next(v for p, v in given.items() if named[p] in shapes)
    size = Value(Num("int", dim), "n_batch")
    loop, outs = _loop(fn, given, {p: shapes.get(named[p]) for p in fn.params}, size, dim)
    with Builder(made.body, loc=fn.loc) as b:
        b.emit(Call(len, [first], results=[size]))
        for out, inner in zip(outs, loop.params[len(given) + 1:]):
            shape = [Lit(n.sym[1] if n.sym is not None else 1) for n in inner.type.dims[1:]]  # type: ignore[union-attr,index]
            b.emit(Call(np.empty, [b.build("tuple", [size, *shape]) if shape else size], results=[out]))
        b.emit(Invoke(loop, [*given.values(), size, *outs]))
    made.body.yields = list(outs)
    made.returns = fn.returns
    return made


def _with_dim(t: Arr, dim: Dim) -> Arr:
    return Arr(t.dtype, (dim, *t.dims[1:]))


def _loop(fn: Function, given: Mapping[Value, Value], shapes: Mapping[Value, tuple[int, ...] | None], size: Value,
          dim: Dim) -> tuple[Function, list[Value]]:
    """The loop, as a function that is given the arrays of results; and those, for its caller."""
    params = {p: Value(v.type, v.name) for p, v in given.items()}
    count = Value(size.type, size.name)
    i = Value(Num("int"), "i")
    body = Block([i])
    with Builder(body, loc=fn.loc) as b:
        results = run(b, fn, [params[p] if (shape := shapes[p]) is None else _example(b, params[p], i, shape) for p in fn.params])
        held: list[Value] = []
        for y, result in zip(fn.body.yields, results):
            whole = np.array(result, dtype=object)
            name = y.name if isinstance(y, Value) else None
            out = Value(Arr("float64", (dim, *(Dim(n == 1, None if n == 1 else ("const", n)) for n in whole.shape))), name or "out")
            held.append(out)
            for place in np.ndindex(whole.shape):
                x: object = whole[place]
                number = operand_of(float(x) if place and isinstance(x, int) and not isinstance(x, bool) else x)
                if dtype_of(number) != "float64":
                    raise NotSmall("a result that is not float64")
                b.call(operator.setitem, out, b.build("tuple", [i, *place]) if place else i, number)
    loop = Function(f"{fn.name}_examples", Block([*params.values(), count, *held]), Tree("lit", value=None), loc=fn.loc)
    loop.body.ops = [For([Source("range", [Lit(0), count, Lit(1)])], [], body, loc=fn.loc)]
    loop.signature = [Param(v.name or "x", v) for v in loop.body.params]
    # its results are new, and share no memory with its arguments; their lengths are guarded
    loop.attrs.update(native=True, emit=True, kernel=True, apart=True)
    eliminate_dead_code(loop)
    return loop, [Value(v.type, v.name) for v in held]


def _example(b: Builder, x: Value, i: Value, shape: Sequence[int]) -> np.ndarray | Operand:
    """The elements of one example of an argument."""
    number = Arr("float64", (), scalar=True)
    if not shape:
        return b.call(operator.getitem, x, i, type=number)  # type: ignore[no-any-return]
    out = np.empty(tuple(shape), object)
    for place in np.ndindex(out.shape):
        out[place] = b.call(operator.getitem, x, b.build("tuple", [i, *place]), type=number)
    return out
