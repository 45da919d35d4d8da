"""Compute the row sums and the column sums of a symmetric or antisymmetric array once, as in pairwise interactions.

``r = x[:, None] - x[None, :]`` is antisymmetric, and an element-wise function of it is symmetric or antisymmetric. The property follows
from the operations alone; floating-point arithmetic preserves it except for the signs of zeros, so it is not used where these matter.
"""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, GetAttr, Lit, Op, Operand, Value, blocks_of
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..analysis.program_order import owners_in
from ..manager import Stage, analysis, optimization
from ..rewriting.substitute import substitute_chains
from ..simplify.shapes import is_elementwise
from ..switches import is_on
from .contraction import summed_axis, without_added_axes

__all__ = ["share_symmetric_sums"]

#: how many operations are followed from a sum to where a symmetry comes from
_DEPTH = 40
_EVEN = (np.square, np.abs, np.absolute, np.cos, np.cosh, operator.abs)


@dataclass(frozen=True, slots=True)
class _Relation:
    """An array is ``sign`` times another one with two axes exchanged; ``exact`` includes the signs of zeros."""

    sign: int
    exact: bool


_SAME = _Relation(1, True)


@optimization(Stage.SIMPLIFY, "symmetric", analyses=(AliasClasses, definitions))
def share_symmetric_sums(fn: Function) -> bool:
    """Rewrite the adjoint part of ``fn`` in place; return whether there was anything to rewrite."""
    if not any(len(_neighbours(block.ops)) for block in _blocks(fn.body)) or not is_on("symmetric"):
        return False
    found = _Symmetric(fn)
    mapping: dict[Value, Operand] = {}
    for block in _blocks(fn.body):
        found.block(block, mapping)
    substitute_chains(fn.body, mapping)
    return bool(found.done)


def _blocks(block: Block) -> list[Block]:
    return [block, *(inner for op in owners_in(block) for inner in blocks_of(op))]


def _neighbours(ops: list[Op]) -> list[tuple[Call, Call, int]]:
    """Pairs of sums, in their order, along an axis and the one after it; and the former."""
    sums: dict[tuple[Any, ...], list[tuple[Call, int]]] = {}
    for op in ops:
        if type(op) is Call and op.kwargs and op.part == "adjoint" and (axis := summed_axis(op)) is not None:
            sums.setdefault(tuple(d.one for d in op.result.type.dims), []).append((op, axis))   # type: ignore[union-attr]
    return [(a, b, min(i, j)) for same in sums.values() for n, (b, j) in enumerate(same) for a, i in same[:n] if abs(i - j) == 1]


class _Symmetric:
    def __init__(self, fn: Function):
        self.classes = analysis(AliasClasses, fn)
        self.makers: dict[Value, Op] = analysis(definitions, fn)
        self.known: dict[tuple[Any, ...], _Relation | None] = {}
        self.done: set[int] = set()

    def block(self, block: Block, mapping: dict[Value, Operand]) -> None:
        for first, second, axis in _neighbours(block.ops):
            u, v = first.args[0], second.args[0]
            if id(first) in self.done or id(second) in self.done:
                continue
            found = self.relation(u, v, axis, len(u.type.dims))
            if found is None or found.sign > 0 and (first.result in block.yields or second.result in block.yields):
                continue
            self.replace(block, first, second, found.sign, mapping)

    def replace(self, block: Block, first: Call, second: Call, sign: int, mapping: dict[Value, Operand]) -> None:
        """Replace both sums by the one along the later axis, whose elements are closer in memory, if it is available in time."""
        self.done |= {id(first), id(second)}
        old, kept = second, first
        if first.args[0] is second.args[0] and summed_axis(first) < summed_axis(second):    # type: ignore[operator]
            block.ops.remove(second)
            block.ops.insert(block.ops.index(first), second)
            old, kept = first, second
        if sign > 0:
            mapping[old.result] = kept.result
            block.ops.remove(old)
            return
        made = Block()
        with Builder(made, old.part, old.loc) as b:
            b.emit(Call(operator.neg, [kept.result], results=old.results))
        at = block.ops.index(old)
        block.ops[at:at + 1] = made.ops

    def relation(self, u: Any, v: Any, axis: int, n: int, depth: int = _DEPTH) -> _Relation | None:
        """The relation between ``u`` and ``v`` with axes ``axis`` and ``axis + 1`` exchanged, as arrays of ``n`` dimensions; None if it is
        not known."""
        key = u if isinstance(u, Value) else id(u), v if isinstance(v, Value) else id(v), axis, n
        if key not in self.known:
            self.known[key] = None if depth == 0 else self._relation(u, v, axis, n, depth - 1)
        return self.known[key]

    def _relation(self, u: Any, v: Any, axis: int, n: int, depth: int) -> _Relation | None:
        if isinstance(u, Lit) or isinstance(v, Lit):
            numbers = isinstance(u, Lit) and isinstance(v, Lit) and type(u.value) is type(v.value) in (bool, int, float)
            return _SAME if numbers and repr(u.value) == repr(v.value) else None
        if self.classes.is_written(u) or self.classes.is_written(v):
            return None
        (a, first), (b, second) = (without_added_axes(self.makers, x, n) for x in (u, v))
        if a is b:
            if self.classes.is_written(a):
                return None
            exchanged = tuple({axis: axis + 1, axis + 1: axis}.get(k, k) for k in first)
            if exchanged == second:
                return _SAME
        if first != second:
            return None
        if a is not u or b is not v or len(first) < n:      # axes were added behind those that are exchanged, or before
            inner = (axis in first) + 2 * (axis + 1 in first)
            return self.relation(a, b, first.index(axis), len(first), depth) if inner == 3 else None
        return self.made(u, v, axis, n, depth)

    def made(self, u: Value, v: Value, axis: int, n: int, depth: int) -> _Relation | None:
        """The relation of two arrays by the operations that make them."""
        p, q = self.makers.get(u), self.makers.get(v)
        for x, other in ((p, v), (q, u)):
            if isinstance(x, GetAttr) and x.name in ("T", "mT") and x.obj is other and (n == 2 or x.name == "mT" and axis == n - 2):
                return _SAME
        if not isinstance(p, Call) or not isinstance(q, Call) or p.fn is not q.fn or len(p.args) != len(q.args):
            return None
        if (along := summed_axis(p)) is not None:
            found = self.relation(p.args[0], q.args[0], axis, n + 1, depth) if along == summed_axis(q) and along > axis + 1 else None
            return found and _Relation(found.sign, found.exact and found.sign > 0)
        if p.kwargs or q.kwargs or not is_elementwise(p.fn) and p.fn is not operator.pow or not _is_float(u) or not _is_float(v):
            return None
        each = [self.relation(a, b, axis, n, depth) for a, b in zip(p.args, q.args)]
        return _combined(p, q, each) or self.commuted(p, q, axis, n, depth)

    def commuted(self, p: Call, q: Call, axis: int, n: int, depth: int) -> _Relation | None:
        """The relation of ``a + b`` and ``c + d`` where ``a`` belongs to ``d`` and ``b`` to ``c``, and so of differences and products."""
        name = _NAMES.get(p.fn)
        if name not in ("add", "sub", "mul"):
            return None
        x = self.relation(p.args[0], q.args[1], axis, n, depth)
        y = self.relation(p.args[1], q.args[0], axis, n, depth) if x is not None else None
        if x is None or y is None:
            return None
        return _Relation(-x.sign, False) if name == "sub" and x.sign == y.sign else None if name == "sub" else _of_terms(name, x, y)


_NAMES = {operator.add: "add", np.add: "add", operator.sub: "sub", np.subtract: "sub", operator.mul: "mul", np.multiply: "mul",
          operator.truediv: "div", np.divide: "div", operator.neg: "neg", np.negative: "neg"}


def _combined(p: Call, q: Call, each: list[_Relation | None]) -> _Relation | None:
    """The relation between the results of an operation, from those of its operands."""
    if None in each:
        return None
    known: list[_Relation] = each  # type: ignore[assignment]
    x = known[0]
    name = _NAMES.get(p.fn)
    square = name == "mul" and p.args[0] is p.args[1] and q.args[0] is q.args[1]
    if square or p.fn in _EVEN or p.fn is operator.pow and _is_even(p.args[1]):
        return _SAME
    if name == "neg":
        return x
    if name == "div":
        return _Relation(x.sign, x.exact) if known[1] == _SAME else None
    if name is not None:
        return _of_terms(name, x, known[1])
    return _SAME if all(r == _SAME for r in known) else None


def _of_terms(name: str, x: _Relation, y: _Relation) -> _Relation | None:
    exact = x.exact and y.exact
    if name == "mul":
        return _Relation(x.sign * y.sign, exact)
    return _Relation(x.sign, exact and x.sign > 0) if x.sign == y.sign else None


def _is_even(x: Operand) -> bool:
    return isinstance(x, Lit) and type(x.value) in (int, float) and x.value % 2 == 0


def _is_float(v: Value) -> bool:
    return isinstance(v.type, Arr) and v.type.dtype == "float64" or isinstance(v.type, Num) and v.type.kind == "float"
