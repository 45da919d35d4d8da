"""Forward parts of adjoints that are accumulated, read and reset in sequence.

``v_bar[i] += g; q = v_bar[i].copy(); v_bar[i] = 0.0`` becomes ``q = v_bar[i] + g; v_bar[i] = 0.0``, and ``v_bar[i] = 0.0; v_bar[i] += h``
becomes ``v_bar[i] = h``.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.effects import writes
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, calls, operands_of, walk
from ...ir.prims import inplace_at
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..manager import Property, Stage, analysis, optimization
from ..rewriting.substitute import substitute, uses_of
from ..simplify.copies import elide_copies
from ..switches import is_on
from .destination_passing import alike

__all__ = ["forward_adjoints"]


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,), analyses=(AliasClasses, definitions))
def forward_adjoints(fn: Function) -> bool:
    """Rewrite the derivative part of a finished function in place: it is not differentiated again."""
    if is_on("simplify") and calls(fn.body, operator.setitem) and any(map(_is_cleared, walk(fn.body))):
        _Parts(fn).block(fn.body)
        elide_copies(fn)        # copies of rows that were zeroed after they were read
        return True
    return False


def _is_cleared(op: Op) -> bool:
    """Whether an operation sets a row of an array to zero."""
    return _writes_row(op, operator.setitem) and isinstance(zero := op.args[2], Lit) and zero.value == 0.0  # type: ignore[union-attr]


def _writes_row(op: Op, fn: Any) -> bool:
    """Whether an operation of the derivative writes to a row of an array of float64 that is itself an array."""
    if type(op) is not Call or op.fn is not fn or op.part == "primal" or not isinstance(op.args[0], Value):
        return False
    t, index = op.args[0].type, op.args[1]
    return isinstance(t, Arr) and t.dtype == "float64" and len(t.dims) > 1 and index.type == Num("int")


def _adds_to_row(op: Op) -> bool:
    return _writes_row(op, inplace_at) and op.args[3].value is operator.iadd  # type: ignore[union-attr]


class _Parts:
    def __init__(self, fn: Function):
        self.classes = analysis(AliasClasses, fn)
        self.makers = analysis(definitions, fn)
        self._touched: dict[int, set[Any]] = {}

    def block(self, block: Block) -> None:
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
        self.ops, self.yields = block.ops, block.yields
        k = 0
        while k < len(self.ops):
            op = self.ops[k]
            if type(op) is Call and op.fn is np.ndarray.copy and op.part != "primal":
                self.copied(k)
            elif _adds_to_row(op):
                self.taken_over(k)
            elif _writes_row(op, operator.setitem):
                self.overwritten(k)
            k += self.ops[k] is op      # or the current operation at this position comes next
        block.ops, block.yields = self.ops, self.yields

    def touched(self, op: Op) -> set[Any]:
        """The alias classes that an operation reads and writes."""
        if id(op) not in self._touched:
            found = {self.classes.find(o) for inner in (op, *(i for b in blocks_of(op) for i in walk(b)))
                     for o in (*operands_of(inner), *inner.results, *(y for b in blocks_of(inner) for y in b.yields)) if type(o) is Value}
            self._touched[id(op)] = found
        return self._touched[id(op)]

    def next(self, k: int, array: Value, index: Operand) -> int | None:
        """The next place in the block where something is done with the memory of an array that may be a row."""
        root = self.classes.find(array)
        for n in range(k + 1, len(self.ops)):
            op = self.ops[n]
            if root in self.touched(op) and not self.is_elsewhere(op, array, index):
                return n
        return None

    def is_elsewhere(self, op: Op, array: Value, index: Operand) -> bool:
        """Whether an operation accesses the memory of an array only in a row adjacent to a given one."""
        if type(op) is not Call or op.kwargs:
            return False
        root, first = self.classes.find(array), op.args[0] if op.args else None
        shared = [o for o in op.args if type(o) is Value and self.classes.find(o) is root]
        if first is array and (_writes_row(op, operator.setitem) or _adds_to_row(op) or op.fn is operator.getitem):
            return len(shared) == 1 and self.are_neighbours(op.args[1], index, array)
        makers = [self.makers.get(o) for o in shared]
        return not writes(op) and not any(self.classes.find(r) is root for r in op.results) and all(
            isinstance(made, Call) and made.fn is operator.getitem and made.args[0] is array and self.are_neighbours(
                made.args[1], index, array) for made in makers)

    def are_neighbours(self, a: Operand, b: Operand, array: Value) -> bool:
        """Whether two numbers say rows next to each other."""
        assert isinstance(array.type, Arr)
        # rows are counted from the end as well, but among two or more rows, adjacent ones are distinct
        return array.type.dims[0].one is False and (self.follows(a, b) or self.follows(b, a))

    def follows(self, a: Operand, b: Operand) -> bool:
        """Whether a number is the next of another one."""
        made = self.makers.get(a) if isinstance(a, Value) else None
        return isinstance(made, Call) and made.fn is operator.add and made.args[0] is b and getattr(made.args[1], "value", None) == 1

    def taken_over(self, k: int) -> None:
        """``v_bar[i] += g; q = v_bar[i].copy()`` where the row is overwritten next."""
        add = self.ops[k]
        assert isinstance(add, Call)
        array, index, term, _ = add.args
        n = self.next(k, array, index)
        read = self.ops[n] if n is not None else None
        if n is None or not isinstance(read, Call) or read.fn is not operator.getitem or not _same(read.args, [array, index]):
            return
        m = self.next(n, array, index)
        copy = self.ops[m] if m is not None else None
        if m is None or not isinstance(copy, Call) or copy.fn is not np.ndarray.copy or copy.args != [read.result]:
            return
        last = self.next(m, array, index)
        cleared = self.ops[last] if last is not None else None
        if cleared is None or not _writes_row(cleared, operator.setitem) or not _same(cleared.args[:2], [array, index]):  # type: ignore[union-attr]
            return
        if not alike(term.type, read.result.type) or read.result in uses_of(Block([], self.ops[m + 1:], self.yields)):
            return
        total = Call(operator.add, [read.result, term], results=copy.results, loc=copy.loc, part=copy.part)
        self.ops = [*self.ops[:k], read, total, *(op for op in self.ops[k + 1:] if op is not read and op is not copy)]

    def copied(self, k: int) -> None:
        """``q = v.copy(); q += w`` is ``q = v + w``."""
        copy = self.ops[k]
        assert isinstance(copy, Call)
        source, own = copy.args[0], copy.result
        n = next((n for n in range(k + 1, len(self.ops)) if own in uses_of(Block([], [self.ops[n]], []))), None)
        add = self.ops[n] if n is not None else None
        if not isinstance(add, Call) or add.fn is not operator.iadd or add.args[0] is not own or not alike(add.args[1].type, own.type):
            return
        if add.args[1] is own or self.classes.is_written(source):
            return
        total = Call(operator.add, [source, add.args[1]], results=[own], loc=add.loc, part=add.part)
        behind = Block([], self.ops[n:], self.yields) if n is not None else Block()
        substitute(behind, dict.fromkeys(add.results, own))
        self.yields = behind.yields
        self.ops = [total if op is add else op for op in self.ops if op is not copy]

    def overwritten(self, k: int) -> None:
        """``v_bar[i] = a; v_bar[i] += b``: the sum is put there."""
        put = self.ops[k]
        assert isinstance(put, Call)
        array, index, value = put.args
        n = self.next(k, array, index)
        add = self.ops[n] if n is not None else None
        if n is None or add is None or not _adds_to_row(add) or not isinstance(add, Call) or not _same(add.args[:2], [array, index]):
            return
        term = add.args[2]
        if not _is_real(term) or self.classes.same(term, array):
            return
        new: list[Op] = []
        if not (isinstance(value, Lit) and value.value == 0.0):
            if not isinstance(value, Value) or not alike(value.type, term.type) or self.classes.is_written(value):
                return
            total = Value(value.type)
            new.append(Call(operator.add, [value, term], results=[total], loc=add.loc, part=add.part))
            term = total
        new.append(Call(operator.setitem, [array, index, term], loc=add.loc, part=add.part))
        self.ops = [*self.ops[:k], *self.ops[k + 1:n], *new, *self.ops[n + 1:]]


def _same(args: list[Any], wanted: list[Any]) -> bool:
    return all(a is b or isinstance(a, Lit) and isinstance(b, Lit) and a.value == b.value for a, b in zip(args, wanted))


def _is_real(x: Operand) -> bool:
    t = x.type
    return isinstance(t, Arr) and t.dtype == "float64" or isinstance(t, Num) and t.kind == "float"
