"""Store batches of small arrays as columns: one array over the batch for each element of an example.

NumPy's overhead per row exceeds the arithmetic on short rows: broadcasting ``(n, 1)`` to ``(n, 3)`` or a sum over three entries takes
several times as long as the same on columns. Entries that are known to be 0 are not computed. """
from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ....ir.attributes import Guard
from ....ir.build import Builder
from ....ir.ops import Block, Build, Call, For, Function, If, Invoke, Lit, Operand, Param, Source, Value
from ....ir.types import Arr, Dim, Num, Obj
from ...batch.control import is_total
from ...batch.rules import natural
from ...simplify.dce import eliminate_dead_code
from .boundary import Shape, around, check_small, elements, held, index_of, is_zero, plain_names, write
from .cost import Cost, least, of_rows, ways
from .element import NotSmall, operand_of
from .elementwise import dtype_of
from .interpreter import Step
from .paths import write_paths

__all__ = ["TooFew", "by_columns"]

_ALL = Lit(slice(None))
#: the maximum ratio of the times of columns and rows: if all examples take one path, and if they diverge
_SHARE, _SHARE_APART = 0.7, 1.1
#: a border is crossed by so much before there is another text
_SLACK = 2
#: more examples than so many are computed by parts, whose columns stay in the processor's cache; and how many a part has
_MANY, _PART = 4096, 2048


class TooFew(NotSmall):
    """Rows are about as quick; ``guard`` says how long."""

    def __init__(self, guard: tuple[Any, ...] | None):
        super().__init__("rows are as quick")
        self.guard = guard


def by_columns(fn: Function, shapes: Mapping[str, Shape], types: Mapping[str, Arr], dim: Dim, count: int,
               shared: Mapping[str, Shape]) -> Function:
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
    count : int
        The number of examples in the call for which it is compiled.
    shared : mapping of str to tuple of int
        The shapes of the arrays that are the same for all examples.

    Returns
    -------
    Function
        It is valid for examples of these shapes, according to its guards.

    Raises
    ------
    NotSmall
        If the function is not supported.
    TooFew
        If the row form is about as fast.
    """
    names = plain_names(fn)
    check_small({**shapes, **shared}, {**types, **{names[p]: p.type for p in fn.params if names[p] in shared and isinstance(p.type, Arr)}})
    whole = {n: Arr("float64", (dim, *types[n].dims[1:])) for n in shapes}
    given = {p: Value(whole.get(names[p], p.type), p.name, p.varied) for p in fn.params}
    if any(not isinstance(v.type, Num) for p, v in given.items() if names[p] not in shapes and names[p] not in shared):
        raise NotSmall("something other than arrays and numbers")
    made = around(fn, given, [*(Guard("shape", name, 1, shape) for name, shape in shapes.items() if shape),
                              *(Guard("shape", name, 0, shape) for name, shape in shared.items())])
    made.attrs = made.attrs.of_arguments()
    column = _Column(made, [v for p, v in given.items() if names[p] in shapes], dim)
    args: list[Any] = []
    with Builder(made.body, loc=fn.loc) as b:
        for p, v in given.items():
            if names[p] in shapes:
                shape = shapes[names[p]]
                args.append(elements(b, v, shape, _ALL, dims=(dim,)) if shape else v)
            else:
                args.append(elements(b, v, shared[names[p]]) if shared.get(names[p]) else v)
        write_paths(b, fn, args, column, lambda results, steps: column.finish(b, fn, results, steps))
    with Builder(entry := Block(), loc=fn.loc) as b:
        b.emit(Call(len, [column.batched[0]], results=[column.size]))
        _made(b, column.outs, column.size, column.zeros)
    made.body.ops[:0] = entry.ops
    made.body.yields = list(column.outs)
    eliminate_dead_code(made)
    border = _border(ways(made.body), max(column.rows, key=lambda cost: cost.once))
    name = next(iter(shapes))
    if count < border:
        raise TooFew(None if border == math.inf else Guard("narrow", name, 0, int(border * _SLACK)))
    if border > 1.0:
        made.attrs.guards.append(Guard("many", name, 0, int(border / _SLACK)))
    if count > _MANY:
        return _in_parts(made, column)
    made.attrs.guards.append(Guard("narrow", name, 0, _MANY * _SLACK))
    return made


def _border(columns: Sequence[Cost], rows: Cost) -> float:
    """From how many examples on columns are quicker."""
    longest = max(columns, key=lambda cost: cost.once)
    alike = least(longest, rows, _SHARE)
    if len(columns) == 1:
        return alike
    return max(alike, least(Cost(sum(cost.once for cost in columns), 2.0 * longest.each), rows, _SHARE_APART))


def _in_parts(fn: Function, column: _Column) -> Function:
    """The function that computes one part after the other."""
    given = {p: Value(p.type, p.name, p.varied) for p in fn.params}
    made = around(fn, given, [])
    size, i, part = Value(Num("int", column.dim), "n_batch"), Value(Num("int"), "i"), Value(Obj(slice), "part")
    outs = [Value(out.type, out.name) for out in column.outs]
    with Builder(made.body, loc=fn.loc) as b:
        b.emit(Call(len, [given[column.batched[0]]], results=[size]))
        _made(b, outs, size)
        body = Block([i])
        with b.inside(body):
            b.emit(Build("slice", [i, b.call(operator.add, i, _PART), Lit(None)], results=[part]))
            column.call_for(b, part, given, outs)
        b.emit(For([Source("range", [Lit(0), size, Lit(_PART)])], [], body))
    made.body.yields = list(outs)
    fn.name, fn.origin, fn.attrs.emit = f"{fn.name}_part", None, True
    fn.signature = [Param(v.name or "x", v) for v in fn.params]
    return made


def _made(b: Builder, outs: Sequence[Value], size: Operand, zeros: Collection[Value] = ()) -> None:
    """Make arrays for results, some of them of zeros."""
    for out in outs:
        b.emit(Call(np.zeros if out in zeros else np.empty, [index_of(b, [size, *(d.sym[1] for d in out.type.dims[1:])])], results=[out]))  # type: ignore[union-attr,index]


class _Column:
    """A column with one number of each example."""

    def __init__(self, fn: Function, batched: Sequence[Value], dim: Dim):
        self.fn, self.batched, self.dim = fn, batched, dim
        self.size = Value(Num("int", dim), "n_batch")
        self.outs: list[Any] = []
        #: those with many zeros, which are made of zeros
        self.zeros: set[Value] = set()
        #: the cost of each path by rows
        self.rows: list[Cost] = []

    def finish(self, b: Builder, fn: Function, results: list[Any], steps: list[Step]) -> None:
        """Write the results to arrays."""
        self.rows.append(of_rows(steps))
        arrays = [np.array(r, dtype=object) for r in results]
        if not self.outs:
            self.outs = [held(y, r.shape, (self.dim,)) for y, r in zip(fn.body.yields, arrays)]
            self.zeros = {out for out, r in zip(self.outs, arrays) if 4 * sum(is_zero(operand_of(x)) for x in r.flat) > r.size}
        for out, r in zip(self.outs, arrays):
            write(b, out, r, _ALL, out in self.zeros)

    def call(self, b: Builder, fn: Callable[..., object], args: Sequence[Operand], dtype: str) -> Operand:
        if not any(isinstance(a.type, Arr) and a.type.dims for a in args):
            return b.call(fn, *args, type=Arr(dtype, (), scalar=True))  # type: ignore[no-any-return]
        found = natural(fn)
        if found is None:
            raise NotSmall("an operation that is not done element by element")
        return b.call(found, *args, type=Arr(dtype, (self.dim,)))  # type: ignore[no-any-return]

    def plain(self, b: Builder, op: Call, args: Sequence[Operand], kwargs: dict[str, Operand]) -> Operand:
        if any(isinstance(a.type, Arr) and a.type.dims for a in (*args, *kwargs.values())):
            dtype = dtype_of(op.result)
            if kwargs or dtype not in ("float64", "bool"):
                raise NotSmall("an operation that is not done element by element")
            return self.call(b, op.fn, args, dtype)
        made = Value(op.result.type, op.result.name)
        b.emit(Call(op.fn, list(args), kwargs, op.spelling, results=[made], loc=op.loc))
        return made

    def either(self, b: Builder, test: Operand, x: Operand, y: Operand, dtype: str) -> Operand:
        return b.call(np.where, test, x, y, type=Arr(dtype, (self.dim,)))  # type: ignore[no-any-return]

    def parts(self, op: If) -> bool:
        return not (is_total(op.then) and is_total(op.orelse))

    def part(self, b: Builder, test: Value, then: Block, orelse: Block) -> None:
        """Where the examples part, the function is called again for those that go each way."""
        if not (isinstance(test.type, Arr) and test.type.dims):
            b.emit(If(test, then, orelse))
            return
        with b.inside(Block()) as rest:
            some = b.call(np.any, test, type=Arr("bool", (), scalar=True))
            with b.inside(Block()) as apart:
                self._apart(b, test)
            b.emit(If(some, apart, orelse))
        b.emit(If(b.call(np.all, test, type=Arr("bool", (), scalar=True)), then, rest))

    def _apart(self, b: Builder, test: Value) -> None:
        places = Arr("int64", (Dim(None),))
        others = b.call(np.logical_not, test, type=test.type)
        sides = b.build("tuple", [b.call(np.flatnonzero, side, type=places) for side in (test, others)])
        part = Value(places, "part")
        with b.inside(Block([part])) as body:
            self.call_for(b, part, {p: p for p in self.fn.params}, self.outs)
        b.emit(For([Source("seq", [sides])], [], body))

    def call_for(self, b: Builder, part: Value, given: Mapping[Value, Value], outs: Sequence[Value]) -> None:
        """Call the function for some of the examples."""
        args = [b.call(operator.getitem, given[p], part, type=p.type) if p in self.batched else given[p] for p in self.fn.params]
        results = [Value(out.type, out.name) for out in outs]
        b.emit(Invoke(self.fn, args, results=results))
        for out, result in zip(outs, results):
            b.call(operator.setitem, out, part, result)
