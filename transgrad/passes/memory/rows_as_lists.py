"""Keep arrays with few rows that loops access row by row in lists of rows, which avoids copies into and out of the array.

A row of an array is a view and a store copies, while an item of a list is an array of its own. The pass therefore requires that rows are
only replaced as a whole, and that no row is read after a later write to the array.
"""
from __future__ import annotations

import operator
from typing import Any, cast

import numpy as np

from ...ir.attributes import Guard
from ...ir.ops import Block, Call, For, Function, Op, Value, While, blocks_of, operands_of
from ...ir.types import Arr, ListT, Num
from ..analysis.alias import AliasClasses
from ..analysis.live_views import LiveViews
from ..manager import Property, Stage, analysis, optimization
from ..rewriting.substitute import substitute
from ..switches import is_on
from .in_place_accumulation import makes_own

__all__ = ["keep_rows_as_lists"]

#: how many rows a list has at most: making it takes a view for each
_FEW = 64
_LIKE = (np.zeros_like, np.ones_like, np.empty_like, len)


@optimization(Stage.LOWER_NUMPY, "lists", requires=(Property.FINAL,), analyses=(AliasClasses,))
def keep_rows_as_lists(fn: Function) -> bool:
    """Rewrite a finished function in place; how many rows an argument has at most becomes a guard."""
    shapes: dict[Any, tuple[int, ...]] = fn.attrs.shapes
    if not shapes:
        return False
    made = {op.result: op for op in fn.body.ops if type(op) is Call and len(op.results) == 1 and _has_few_rows(op.result.type, shapes)
            and makes_own(op, op.result)}
    if made and any(isinstance(op, (For, While)) for op in fn.body.ops) and is_on("lists"):
        found = _Rows(fn, made)
        found.block(fn.body, [])
        found.rewrite()
    return True


def _has_few_rows(t: Any, shapes: dict[Any, tuple[int, ...]]) -> bool:
    """Whether an array is a matrix of float64 with the rows of an argument, which has few."""
    if not isinstance(t, Arr) or t.dtype != "float64" or len(t.dims) != 2 or not isinstance(sym := t.dims[0].sym, tuple):
        return False
    rows = t.dims[0].known
    if rows is None:
        rows = shapes[sym[0]][sym[1]] if sym[0] in shapes and len(sym) == 2 and not t.dims[0].off else _FEW + 1
    return 0 < rows <= _FEW and t.dims[1].sym is not None


class _Rows:
    def __init__(self, fn: Function, made: dict[Value, Call]):
        self.fn = fn
        self.classes = analysis(AliasClasses, fn)
        self.live = LiveViews(self.classes)
        self.arrays = {v: op for v, op in made.items() if v not in fn.body.yields}
        #: the reads and writes of rows of an array, and the reads of its shape alone
        self.reads: dict[Value, list[Call]] = {v: [] for v in self.arrays}
        self.writes: dict[Value, list[Call]] = {v: [] for v in self.arrays}
        self.asks: dict[Value, list[Call]] = {v: [] for v in self.arrays}
        self.copies: list[Call] = []
        self.looped: set[Value] = set()

    def block(self, block: Block, outer: list[tuple[Block, Op]]) -> None:
        """Record the uses of the arrays, and drop those with unsupported uses."""
        for k, op in enumerate(block.ops):
            if type(op) is Call and op.fn is np.ndarray.copy:
                self.copies.append(op)
            for v in dict.fromkeys(o for o in operands_of(op) if o in self.arrays):
                if not isinstance(op, Call) or not self.note(op, v, block, k, outer):
                    del self.arrays[v]
            for inner in blocks_of(op):
                for y in inner.yields:
                    self.arrays.pop(y, None)  # type: ignore[arg-type]
                self.block(inner, [*outer, (block, op)])

    def note(self, op: Call, v: Value, block: Block, k: int, outer: list[tuple[Block, Op]]) -> bool:
        """Whether all that an operation does with an array may be done with a list of its rows."""
        if op.fn in _LIKE and not op.kwargs and op.args == [v]:
            self.asks[v].append(op)
            return True
        if op.kwargs or len(op.args) < 2 or op.args[0] is not v or op.args[1].type != Num("int") or sum(a is v for a in op.args) != 1:
            return False
        assert isinstance(v.type, Arr)
        row = op.args[2].type if op.fn is operator.setitem else op.result.type if op.fn is operator.getitem else None
        if not isinstance(row, Arr) or row.dtype != "float64" or row.dims != v.type.dims[1:]:
            return False
        if op.fn is operator.setitem:
            self.writes[v].append(op)
            return isinstance(op.args[2], Value) and not self.classes.is_written(op.args[2])
        self.reads[v].append(op)
        if any(isinstance(owner, (For, While)) for _, owner in outer):
            self.looped.add(v)
        return self.live.are_done(op.result, block, k, outer)

    def rewrite(self) -> None:
        """Make lists of the arrays that are left."""
        found = [v for v in self.arrays if self.is_list(v)]
        mapping: dict[Value, Any] = {}
        guards = []
        for v in found:
            items = Value(ListT(Arr("float64", v.type.dims[1:])), v.name)  # type: ignore[union-attr]
            made = self.arrays[v]
            array, k = Value(v.type), next(k for k, op in enumerate(self.fn.body.ops) if op is made)
            made.results = [array]
            self.fn.body.ops.insert(k + 1, Call(list, [array], results=[items], loc=made.loc, part=made.part))
            for op in (*self.reads[v], *self.writes[v]):
                op.args[0] = items
            for op in self.asks[v]:
                op.args[0] = array
            if (rows := v.type.dims[0]).known is None:  # type: ignore[union-attr]
                guards.append(Guard("narrow", *cast("tuple[Any, Any]", rows.sym), _FEW))
            rows = {op.result for op in self.reads[v]}
            mapping |= {op.result: op.args[0] for op in self.copies if op.args[0] in rows and not self.classes.is_written(op.result)}
        if found:
            _drop(self.fn.body, set(mapping))
            substitute(self.fn.body, mapping)
            self.fn.attrs.add_guards(guards)

    def is_list(self, v: Value) -> bool:
        """Whether rows are read and written in loops, and nothing else writes to the array or to a row."""
        writers = self.classes.writers.get(self.classes.find(v), [])
        own = set(map(id, self.writes[v]))
        return v in self.looped and bool(self.writes[v]) and all(id(op) in own for op in writers)


def _drop(block: Block, results: set[Value]) -> None:
    block.ops = [op for op in block.ops if not (op.results and op.results[0] in results)]
    for op in block.ops:
        for inner in blocks_of(op):
            _drop(inner, results)
