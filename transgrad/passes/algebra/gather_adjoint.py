"""Avoid dense adjoints of one-element-per-row gathers such as ``p[np.arange(len(y)), y]``.

The adjoint is zero except for one number in each row. Its row sums are these numbers; if it is added to another term, the numbers are added
to that term in place, and no array of zeros is created.
"""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.effects import writes
from ...ir.ops import Block, Build, Call, Function, GetAttr, Lit, Op, Operand, Value, blocks_of, operands_of, walk
from ...ir.prims import inplace_at, unpack
from ...ir.types import Arr, Dim, Num, TupleT
from ..analysis.def_use import definitions_in
from ..manager import Stage, optimization
from ..rewriting.substitute import substitute_chains, substitute_op
from ..simplify.shapes import is_elementwise
from ..switches import is_on

__all__ = ["scatter_gathered_adjoints"]

_ADD, _SUB, _NEG = (operator.add, np.add), (operator.sub, np.subtract), (operator.neg, np.negative)
_INPLACE = (operator.iadd, operator.isub)
_FACTORS = (operator.mul, np.multiply, operator.truediv, np.divide)


@dataclass(frozen=True)
class _Pick:
    """``zeros`` made, and ``put``: ``zeros[np.arange(n), columns] += number``; ``rows`` is how many those are."""

    zeros: Call
    put: Call
    rows: Dim

    @property
    def number(self) -> Operand:
        return self.put.args[2]  # type: ignore[no-any-return]

    @property
    def is_negative(self) -> bool:
        """Whether the number is subtracted."""
        return self.put.args[3].value is operator.isub


@optimization(Stage.SIMPLIFY, "picked")
def scatter_gathered_adjoints(fn: Function) -> bool:
    """Rewrite the adjoint part of ``fn`` in place; its assumptions become guards of ``fn``."""
    ops = list(walk(fn.body))
    puts = [op for op in ops if type(op) is Call and op.fn is inplace_at and op.part == "adjoint" and type(op.args[1].type) is TupleT]
    if puts:
        _Picked(fn, ops).run(puts)
        return True
    return False


class _Picked:
    def __init__(self, fn: Function, ops: list[Op]):
        self.fn = fn
        #: of the arguments in the first call
        self.shapes: dict[Any, tuple[int, ...]] = fn.attrs.shapes
        self.maker: dict[Value, Op] = definitions_in(ops)
        self.readers: dict[Value, list[Op | None]] = {}
        for op in ops:
            for o in operands_of(op):
                if isinstance(o, Value):
                    self.readers.setdefault(o, []).append(op)
        #: where an operation stands
        self.home: dict[int, Block] = {}
        for block in (fn.body, *(b for op in ops if type(op) is not Call for b in blocks_of(op))):
            self.home |= {id(op): block for op in block.ops}
            for y in block.yields:
                if isinstance(y, Value):
                    self.readers.setdefault(y, []).append(None)
        self.mapping: dict[Value, Operand] = {}

    def run(self, puts: list[Call]) -> None:
        for put in puts:
            pick = self.pick(put)
            if pick is None or self.readers[pick.zeros.result][0] is not put or not is_on("picked"):
                continue
            block, z = self.home[id(put)], pick.zeros.result
            users = self.readers[z][1:]
            # in-place additions are the last uses considered here: from there on, the sum replaces the zeros
            last = next((k for k, u in enumerate(users) if type(u) is Call and u.fn in _INPLACE and u.args[0] is z), len(users))
            if not all(self.is_plain(u, z, block) for u in users[:last]):
                continue        # somebody else writes to it, or has a view of it
            sums = [u for u in users[:last] if isinstance(u, Call) and self.is_along_rows(u)]
            if sums and self.is_one_a_row(pick):
                for op in sums:
                    self.replace_sum(block, op, pick)
                users = [u for u in users if u not in sums]
                last -= len(sums)
            if users and isinstance(users[0], Call) and self.home[id(users[0])] is block and (last == 0 or last == len(users) == 1):
                self.put_into_other(block, users[0], pick)
        substitute_chains(self.fn.body, self.mapping)

    def is_plain(self, user: Op | None, z: Value, block: Block) -> bool:
        """Whether an operation of a block computes something of an array, which it leaves as it is."""
        return type(user) is Call and self.home[id(user)] is block and z not in user.kwargs.values() and (
            user.fn is np.sum or is_elementwise(user.fn))

    def pick(self, put: Call) -> _Pick | None:
        """The form of an addition to elements of zeros whose indices select one element per row."""
        z, index, number, op = put.args
        zeros, made = self.maker.get(z), self.maker.get(index)
        if not isinstance(zeros, Call) or zeros.fn is not np.zeros_like or self.home[id(zeros)] is not self.home[id(put)]:
            return None
        if not isinstance(z.type, Arr) or len(z.type.dims) != 2 or z.type.dtype[0] != "f" or op.value not in (operator.iadd, operator.isub):
            return None
        if not isinstance(made, Build) or made.kind != "tuple" or len(made.items) != 2:
            return None
        rows, columns = made.items
        counts = self.maker.get(rows) if isinstance(rows, Value) else None
        if not isinstance(counts, Call) or counts.fn is not np.arange or len(counts.args) != 1 or counts.kwargs:
            return None
        a, b = rows.type, columns.type
        if not isinstance(a, Arr) or not isinstance(b, Arr) or len(b.dims) != 1 or not b.dtype.lstrip("u").startswith("int"):
            return None
        t = number.type
        if t != Num("float") and not (isinstance(t, Arr) and t.dtype == z.type.dtype and len(t.dims) < 2):
            return None
        # a single row would be stretched along the columns
        return _Pick(zeros, put, a.dims[0]) if a.dims[0].one is False or _same(a.dims, b.dims) else None

    def is_along_rows(self, op: Call) -> bool:
        """Whether an operation is a sum along the rows, and those who read it do not need its shape."""
        axis = getattr(op.kwargs.get("axis"), "value", None)
        if op.fn is not np.sum or axis not in (1, -1) or not op.kwargs.keys() <= {"axis", "keepdims"} or len(op.args) != 1:
            return False
        return all(type(u) is Call and is_elementwise(u.fn) and not u.kwargs and any(
            a is not op.result and self.is_whole(a, getattr(u.result.type, "dims", ())) for a in u.args)
            for u in self.readers.get(op.result, [None]))

    def is_whole(self, x: Operand, dims: tuple[Dim, ...]) -> bool:
        """Whether an array is of a shape for sure: a cotangent may be a number that stands for many."""
        if not isinstance(x, Value) or not isinstance(x.type, Arr) or not _same(x.type.dims, dims):
            return False
        made = self.maker.get(x)
        if made is None:
            return x in self.fn.params and x.name in self.shapes
        if made.part == "primal" or isinstance(made, Call) and made.fn in (unpack, operator.matmul):
            return True
        return isinstance(made, Call) and is_elementwise(made.fn) and any(self.is_whole(a, dims) for a in made.args)

    def is_one_a_row(self, pick: _Pick) -> bool:
        """Whether there are as many numbers as rows."""
        of = [pick.zeros.result.type.dims[0], *getattr(pick.number.type, "dims", ())]  # type: ignore[union-attr]
        return all(self.is_as_long(pick.rows, d) for d in of)

    def is_as_long(self, a: Dim, b: Dim) -> bool:
        """Whether lengths are equal; a fact derived from the arguments is checked at each call."""
        if a == b and a.sym is not None:
            return True
        places = [d.sym for d in (a, b) if isinstance(d.sym, tuple) and len(d.sym) == 2 and d.sym[0] in self.shapes and d.off == 0]
        if len(places) < 2 or self.shapes[places[0][0]][places[0][1]] != self.shapes[places[1][0]][places[1][1]]:
            return False
        guard = Guard("times", *places[0], (*places[1], 1))
        self.fn.attrs.add_guards([guard])
        return True

    def replace_sum(self, block: Block, op: Call, pick: _Pick) -> None:
        number, t = pick.number, op.result.type
        if getattr(number.type, "dims", ()) and len(t.dims) == 2:  # type: ignore[union-attr]
            column = Call(operator.getitem, [number, Lit((slice(None), None))], results=[Value(t)], part=op.part, loc=op.loc)
            block.ops.insert(block.ops.index(op), column)
            self.maker[column.result], self.home[id(column)], number = column, block, column.result
        if pick.is_negative:
            op.fn, op.args, op.kwargs, op.spelling = operator.neg, [number], {}, None
            op.result.type = number.type
        else:
            self.replace(block, op, number)

    def replace(self, block: Block, op: Op, by: Operand) -> None:
        """Let all readers of an operation's result, which are operations, read another value."""
        block.ops.remove(op)
        users = self.readers.pop(op.results[0], [])
        for user in users:
            if user is not None:
                substitute_op(user, {op.results[0]: by})
        if isinstance(by, Value):
            self.readers[by] = [u for u in self.readers.get(by, []) if u is not op] + users

    def put_into_other(self, block: Block, op: Call, pick: _Pick) -> None:
        """Put the numbers into the addend of the zeros, or into the minuend, if it can be written to."""
        z = pick.zeros.result
        other = next((a for a in op.args if a is not z), None)
        is_difference, is_inplace = op.fn in (*_SUB, operator.isub), op.fn in _INPLACE
        if len(op.args) != 2 or not (is_difference or is_inplace or op.fn in _ADD) or not isinstance(other, Value):
            return
        made = self.maker.get(other)
        if not isinstance(z.type, Arr) or not self.is_whole(other, z.type.dims) or other.type.dtype != z.type.dtype:  # type: ignore[union-attr]
            return
        if not isinstance(made, Call) or made.kwargs or not is_elementwise(made.fn) or self.home[id(made)] is not block or (
                len(self.readers[other]) > 1):
            return      # not an array of its own
        first, last = block.ops.index(pick.put), block.ops.index(op)
        if not all(type(o) in (Call, Build, GetAttr) and not list(writes(o)) for o in block.ops[first + 1:last]):
            return      # the places may be others by now
        is_added, target = pick.is_negative is (is_difference and op.args[1] is z), other
        if is_difference and op.args[0] is z and not self.negate(other, block):
            op.fn, op.args, target = operator.neg, [other], op.result
        block.ops.remove(pick.put)
        block.ops.insert(block.ops.index(op) + 1, pick.put)
        pick.put.args[0], pick.put.args[3] = target, Lit(operator.iadd if is_added else operator.isub)
        if is_inplace:
            self.mapping[z] = target
        if target is other:
            other.name = op.result.name or other.name
            block.ops.remove(op)
            self.mapping[op.result] = other

    def negate(self, v: Value, block: Block) -> bool:
        """Whether a product that one operation reads has become its negative, by one of its factors."""
        op = self.maker.get(v)
        if not isinstance(op, Call) or len(self.readers[v]) > 1 or op.part != "adjoint" or self.home[id(op)] is not block:
            return False
        if op.fn in _NEG:
            self.replace(block, op, op.args[0])
            return True
        if op.fn not in _FACTORS:
            return False
        for k, a in enumerate(op.args):
            if isinstance(a, Value) and self.negate(a, block):
                return True
            if isinstance(a, Lit) and type(a.value) in (int, float) and a.text is None:
                op.args[k] = Lit(-a.value)
                return True
        return False


def _same(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> bool:
    """Whether arrays have the same shape."""
    return len(a) == len(b) and all(p == q and (p.sym is not None or p.one is True) or p.one is q.one is True for p, q in zip(a, b))
