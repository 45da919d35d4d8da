"""Analysis: lengths of small arrays that are never written to."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....ir.ops import Build, Call, For, Function, If, Lit, Op, Operand, Star, Value, While, blocks_of
from ....ir.prims import unpack
from ....ir.types import Arr, Num, Type
from ...analysis.alias import AliasClasses
from ...analysis.def_use import definitions
from ...switches import is_on

__all__ = ["LONGEST", "Lengths", "Place", "SHAPE", "fixed_length", "is_scalar", "is_vector"]

#: An array with more elements stays one: its elements would be many lines, and cost as much.
LONGEST = 8
#: Properties of an array that are known without the array.
SHAPE = ("shape", "size", "ndim")

_EACH = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg, operator.pos, operator.abs,
                   *(f for f in vars(np).values() if isinstance(f, np.ufunc) and f.nin <= 2 and f.nout == 1)))
_KEEPS = frozenset((np.copy, np.ndarray.copy, np.array, np.asarray, np.ascontiguousarray, np.ravel, np.ndarray.ravel,
                    np.ndarray.flatten, np.zeros_like, np.ones_like))


def is_scalar(t: Type) -> bool:
    """Whether a value is a NumPy scalar with the precision of Python's floats, or a truth value of NumPy's."""
    return type(t) is Arr and t.scalar and t.dtype in ("float64", "bool")


def is_vector(t: Type) -> bool:
    """Whether a value is a one-dimensional array of float64."""
    return type(t) is Arr and len(t.dims) == 1 and not t.scalar and t.dtype == "float64"


@dataclass(frozen=True)
class Place:
    """Elements of a row of a matrix.

    Attributes
    ----------
    base : Value
        The matrix.
    row : Operand
        The number of the row.
    columns : range
        The columns of the elements.
    """

    base: Value
    row: Operand
    columns: range


class Lengths:
    """The lengths of one-dimensional arrays of float64 that are small, fixed by the code, and not written to.

    ``given`` are the lengths of arguments, of these but not of all that have their types; one that is unpacked, or is an operand
    together with an array of a known length, is added to ``relied``.
    """

    def __init__(self, fn: Function, classes: AliasClasses, given: Mapping[Value, int]):
        self.fn, self.classes, self.given = fn, classes, given
        self.makers: dict[Value, Op] = definitions(fn)
        self.relied: dict[Value, int] = {}
        #: a number, or the parameter that is as long
        self._of: dict[Value, int | Value | None] = {}
        while self._sweep():
            pass
        #: the length of an array; None for other values and unknown lengths
        self.of: Callable[[Any], int | None] = {v: n for v, n in self._of.items() if type(n) is int}.get

    def readable(self, x: Any) -> int | None:
        """The length of an array whose elements may be read at some place, though others write to it elsewhere: a row."""
        if type(x) is not Value or not is_vector(x.type):
            return None
        n = fixed_length(x.type)
        return n if n is not None and 0 < n <= LONGEST else None

    def place(self, x: Any) -> Place | None:
        """Where the elements of a row of a matrix, or of a slice of a row, are; None for any other array."""
        made = self.makers.get(x) if type(x) is Value else None
        if type(made) is not Call or made.fn is not operator.getitem or made.kwargs or not is_on("lengths"):
            return None
        base, index = made.args
        t = base.type
        if type(base) is not Value or type(t) is not Arr or t.dtype != "float64":
            return None
        if len(t.dims) == 2 and isinstance(index.type, Num) and index.type.kind == "int" and (n := t.dims[1].known) is not None:
            return Place(base, index, range(n))
        if len(t.dims) == 1 and isinstance(index, Lit) and isinstance(index.value, slice) and (inner := self.place(base)) is not None:
            return Place(inner.base, inner.row, inner.columns[index.value])
        return None

    def _known(self, x: Any) -> int | Value | None:
        return self._of.get(x)

    def _number(self, x: Any) -> int | None:
        n = self._of.get(x)
        return n if type(n) is int else None

    def items(self, x: Any) -> list[Operand] | None:
        """The items of a list or tuple that is displayed and not changed; None for anything else."""
        made = self.makers.get(x) if type(x) is Value else None
        if not isinstance(made, Build) or made.kind not in ("list", "tuple") or self.classes.is_written(x):
            return None
        return None if any(isinstance(i, Star) for i in made.items) else made.items

    def _set(self, v: Value, n: int | Value | None) -> None:
        small = 0 < n <= LONGEST if isinstance(n, int) else n is not None
        self._of[v] = n if small and is_vector(v.type) and not self.classes.is_written(v) else None

    def _fix(self, p: Value, n: int) -> None:
        """The code assumes the actual length of an argument."""
        if p not in self.relied and self.given[p] == n:
            self.relied[p] = n
            self._again = True

    def _sweep(self) -> bool:
        """Visit the function once; return whether an assumption turned out wrong."""
        self._again = False
        for p in self.fn.params:
            self._set(p, self.relied.get(p, p if p in self.given else None))
        known = len(self.relied)
        self._walk(self.fn.body.ops)
        if len(self.relied) > known:        # unknown lengths may be known now
            self._of.clear()
        return self._again

    def _walk(self, ops: list[Op]) -> None:
        for op in ops:
            if type(op) is Call:
                if op.fn is unpack and isinstance(p := self._known(op.args[0]), Value):
                    self._fix(p, len(op.results))
                elif op.results and is_vector((made := op.results[0]).type):
                    self._set(made, self._call(op))
                continue
            if isinstance(op, (For, While)):
                self._loop(op)
                continue
            for inner in blocks_of(op):
                self._walk(inner.ops)
            if isinstance(op, If):
                for r, x, y in zip(op.results, op.then.yields, op.orelse.yields):
                    self._set(r, self._known(x) if self._known(x) == self._known(y) else None)

    def _loop(self, op: For | While) -> None:
        params = op.body.params[len(op.body.params) - len(op.inits):]
        for p, init in zip(params, op.inits):
            if p not in self._of:       # the first time: as if the iterations kept it
                self._set(p, self._known(init))
        if isinstance(op, While):
            for q, p in zip(op.cond.params, params):
                self._of[q] = self._of[p]
        for inner in blocks_of(op):
            self._walk(inner.ops)
        for p, init, y in zip(params, op.inits, op.body.yields[op.stops:]):
            if self._of[p] is not None and not self._known(init) == self._known(y) == self._of[p]:
                self._of[p] = None
                self._again = True
        for r, p in zip(op.results, params):
            self._of[r] = self._of[p]

    def _call(self, op: Call) -> int | Value | None:
        fn, args = op.fn, op.args
        try:
            each, keeps = fn in _EACH, fn in _KEEPS
        except TypeError:       # unhashable
            return None
        if each:
            lengths: list[int | Value] = []
            for a in args:
                if type(a) is not Star and type(a.type) is Arr and a.type.dims:
                    n = self._of.get(a)
                    if n is None and (n := self.readable(a)) is None:
                        return None
                    lengths.append(n)
            return self._broadcast(lengths)
        if keeps and args:
            items = self.items(args[0])
            return self._known(args[0]) if items is None else len(items)
        if fn is operator.getitem and isinstance(args[1], Lit) and isinstance(args[1].value, slice):
            size = self._number(args[0])
            return fixed_length(op.result.type) if size is None else len(range(size)[args[1].value])
        if fn in (np.concatenate, np.hstack):
            items = self.items(args[0])
            each_length = [self._number(i) for i in items] if items else [None]
            return None if None in each_length else sum(n for n in each_length if n is not None)
        return fixed_length(op.result.type)

    def _broadcast(self, lengths: list[int | Value]) -> int | Value | None:
        if not lengths:
            return None
        numbers = [n for n in lengths if isinstance(n, int)]
        others = [n for n in lengths if isinstance(n, Value)]
        if not numbers:
            return others[0] if len(set(others)) == 1 else None
        longest = max(numbers)
        for p in others if longest > 1 else ():
            self._fix(p, longest)
        return longest if not others and all(n in (1, longest) for n in numbers) else None


def fixed_length(t: Type) -> int | None:
    """The length of a one-dimensional array given by a literal."""
    assert isinstance(t, Arr)
    return t.dims[0].known
