"""Banded Jacobians: compute a Jacobian with a few non-zero diagonals as one expression for each diagonal.

Forward mode with diagonals instead of tangents. If a vector ``v`` is computed from the argument ``x`` by slices that remove a known number
of entries and by element-wise operations, then diagonal ``k`` is an array (or one number, if all entries are equal) whose entry ``i`` is
the derivative of ``v[i]`` with respect to ``x[i + k]``. The rules for tangents apply to diagonals, because entries do not mix. Any other
dependence on ``x`` (a sum, a single entry, a loop) raises `NoDiagonals`.

The diagonals of a vector that is assigned piece by piece are sums of pieces, keyed by the number of entries before and after the piece.
"""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import rules
from ...errors import TransgradError
from ...ir.effects import aliases, writes
from ...ir.ops import Block, Build, Call, Function, Lit, Op, Operand, Star, Value, blocks_of, operands_of, walk
from ...ir.prims import inplace_at
from ...ir.types import Arr, Num
from ..algebra.folding_builder import AlgebraBuilder
from ..analysis.activity import Activity, is_constant_op
from ..analysis.alias import AliasClasses
from ..simplify.shapes import is_elementwise
from .reverse.ops import raw

__all__ = ["MOST", "Diagonals", "NoDiagonals", "Pieces", "is_vector", "slice_without"]

#: more diagonals are quicker as many directions at once
MOST = 8
#: the contents of a vector: entries omitted at both ends → the values in between
Pieces = dict[tuple[int, int], Operand]
_COPIES = (np.copy, np.ndarray.copy)
_LIKE = (np.zeros_like, np.ones_like, np.empty_like, np.full_like)
_WHOLE = (0, 0)


class NoDiagonals(Exception):
    """Something depends on the argument in a way that is no matter of a few diagonals."""


def is_vector(t: Any) -> bool:
    """Whether a type is that of a vector of numbers in double precision whose length is not 1."""
    return type(t) is Arr and t.dtype == "float64" and len(t.dims) == 1 and t.dims[0].one is False


class Diagonals:
    """Rewrites a function in place: ``of`` maps a vector to its diagonals by ``x``, which stand among the operations then."""

    def __init__(self, fn: Function, x: Value):
        self.fn, self.x = fn, x
        self.classes = AliasClasses(fn)
        self.activity = Activity(fn, self.classes, [x], fn.body.yields)
        self.builder = AlgebraBuilder(Block(), part="tangent")
        self.of: dict[Value, dict[int, Pieces]] = {x: {0: {_WHOLE: Lit(1.0)}}}
        #: whether all that meets is known to be equally long; else NumPy is to be asked, by computing the result
        self.sure = True
        self._slices: dict[Value, Build] = {}
        self._owned: set[Value] = set()         # new arrays
        self._views: dict[Value, tuple[Value, int]] = {}        # the viewed array, and its number of writes at that time
        self._written: dict[Value, int] = {}
        self._same: dict[Value, Value] = {}         # other names of new arrays
        self._lengths: dict[Value, tuple[Any, int] | None] = {}      # where the argument tells them, and the type may not
        ops, fn.body.ops = fn.body.ops, []
        try:
            with self.builder.inside(fn.body), self.builder:
                for op in ops:
                    self.builder.loc = op.loc
                    self._op(op)
        except BaseException:
            fn.body.ops = ops
            raise

    def _varied(self, v: Any) -> bool:
        return isinstance(v, Value) and self.activity.varied(v)

    def _op(self, op: Op) -> None:
        inner = [o for block in blocks_of(op) for o in walk(block)]
        if any(map(self._varied, (v for o in (op, *inner) for v in (*operands_of(o), *o.results)))):
            if not isinstance(op, Call) or inner or any(isinstance(a, Star) for a in op.args):
                if not is_constant_op(op):
                    raise NoDiagonals
            elif op.fn is operator.getitem:
                self._part(op)
                return
            elif op.fn in (operator.setitem, inplace_at):
                self.builder.block.ops.append(op)
                if op.fn is operator.setitem and type(getattr(op.args[1], "value", None)) is int and not self._varied(op.args[2]):
                    self._fix(op.args[0], op.args[1])
                else:
                    self._write(op.args[0], self._bounds(op.args[1]), *op.args[2:])
                return
            elif op.fn in (operator.iadd, operator.isub):
                self.builder.block.ops.append(op)
                base, value = op.args
                self._write(base, _WHOLE, value, Lit(op.fn))
                self._same[op.result] = self._same.get(base, base)
                return
            elif writes(op):
                raise NoDiagonals
            elif op.fn in _COPIES:
                self.of[op.result] = {k: dict(pieces) for k, pieces in self.diagonals(op.args[0]).items()}
                self._owned.add(op.result)
                self._lengths[op.result] = self.length(op.args[0])
            elif is_constant_op(op):
                self._owned.update(op.results)
                if op.fn in _LIKE:
                    self._lengths[op.result] = self.length(op.args[0])
            else:
                self.builder.block.ops.append(op)
                self._elementwise(op)
                return
        if isinstance(op, Build) and op.kind == "slice":
            self._slices[op.result] = op
        self.builder.block.ops.append(op)

    def diagonals(self, v: Any) -> dict[int, Pieces]:
        """The diagonals of an operand, as it is now."""
        if not self._varied(v):
            return {}
        v = self._same.get(v, v)
        root, written = self._views.get(v, (v, 0))
        if not is_vector(v.type) or root is not v and self._written.get(root, 0) != written:
            raise NoDiagonals       # the array of which it is a view has changed
        return self.of.setdefault(v, {})

    def length(self, v: Operand) -> tuple[Any, int] | None:
        """The length of a vector as a name and an offset, if it is known."""
        v = self._same.get(v, v) if isinstance(v, Value) else v
        found = self._lengths.get(v) if isinstance(v, Value) else None
        t = v.type
        if found is None and isinstance(t, Arr) and len(t.dims) == 1 and t.dims[0].sym is not None:
            return t.dims[0].sym, t.dims[0].off
        return found

    def _view(self, v: Value, base: Value) -> None:
        """Record that ``v`` shares its memory with another array."""
        base = self._same.get(base, base)
        root, _ = self._views.get(base, (base, 0))
        self._views[v] = root, self._written.get(root, 0)

    def whole(self, v: Value, k: int) -> Operand:
        """Diagonal ``k`` of ``v``, as long as that."""
        found = self.of[self._same.get(v, v)]
        pieces = found[k]
        if pieces.keys() != {_WHOLE}:
            total = self.builder.call(np.zeros_like, v, type=v.type)
            for where, piece in pieces.items():
                self.builder.call(inplace_at, total, slice_without(where), piece, operator.iadd)
            pieces = found[k] = {_WHOLE: total}
        return pieces[_WHOLE]

    # -- operations

    def _bounds(self, index: Any) -> tuple[int, int]:
        """How many entries a slice leaves out, in front and behind."""
        if isinstance(index, Value) and index in self._slices:
            parts = self._slices[index].items
            if all(isinstance(p, Lit) for p in parts):
                return _bounds_of(*(p.value for p in parts))
        if isinstance(index, Lit) and isinstance(index.value, slice):
            return _bounds_of(index.value.start, index.value.stop, index.value.step)
        if isinstance(index, Lit) and index.value is Ellipsis:
            return _WHOLE
        raise NoDiagonals

    def _part(self, op: Call) -> None:
        """A slice of a vector: its entries are offset by the number of entries omitted in front."""
        base, index = op.args
        self.builder.block.ops.append(op)
        if not self._varied(base) or not is_vector(op.result.type):
            raise NoDiagonals
        found: dict[int, Pieces] = {}
        bounds = self._bounds(index)
        for k, pieces in self.diagonals(base).items():
            entries = pieces[bounds] if pieces.keys() == {bounds} else self.whole(base, k)
            if entries is not pieces.get(bounds) and is_vector(entries.type):
                entries = self.builder.call(operator.getitem, entries, index, type=op.result.type)
            found[k + bounds[0]] = {_WHOLE: entries}
        self.of[op.result] = found
        length = self.length(base)
        self._lengths[op.result] = length and (length[0], length[1] - sum(bounds))
        self._view(op.result, base)

    def _elementwise(self, op: Call) -> None:
        rule = rules.lookup(op.fn)
        diagonals = [self.diagonals(a) for a in op.args]
        if rule is None or rule.kind != "elementwise" and not is_elementwise(op.fn):
            raise NoDiagonals
        if op.kwargs or len(op.results) != 1 or not is_vector(op.result.type):
            raise NoDiagonals
        length = next((self.length(a) for a in op.args if self._varied(a)), self.length(op.result))
        self._lengths[op.result] = length
        for a in op.args:
            self._meets(a, length)
        found: dict[int, Pieces] = {}
        for k in sorted({k for one in diagonals for k in one}):
            entries = [self.whole(a, k) if k in one else None for a, one in zip(op.args, diagonals)]
            try:
                args, options = rule.bind([raw(a) for a in op.args], {})
                pushed = rule.pushforward(op.result, args, [*entries, *[None] * (len(args) - len(entries))], options)
            except (TransgradError, TypeError) as error:
                raise NoDiagonals from error
            if pushed is not None:
                found[k] = {_WHOLE: self._checked(pushed)}
        if len(found) > MOST:
            raise NoDiagonals
        self.of[op.result] = found
        if not aliases(op):
            self._owned.add(op.result)
        elif isinstance(op.args[0], Value):
            self._view(op.result, op.args[0])

    def _meets(self, v: Operand, length: Any) -> None:
        """Compare lengths: a value that depends on the argument must be as long as the other operand."""
        if not isinstance(v.type, Arr) or not v.type.dims or v.type.dims[-1].one is True or self.length(v) == length is not None:
            return
        if self._varied(v):
            raise NoDiagonals
        self.sure = False

    def _checked(self, entries: Any) -> Operand:
        """A diagonal must be a vector or a number, and must not change."""
        found: Operand = entries if isinstance(entries, (Value, Lit)) else Lit(entries)
        root = found
        while isinstance(root, Value) and (made := self.builder.maker.get(root)) is not None and aliases(made):
            root = operands_of(made)[0]
        if isinstance(root, Value) and self.classes.is_written(root):
            return self.builder.call(np.copy, found, type=found.type)  # type: ignore[no-any-return]
        if not is_vector(found.type) and not isinstance(found.type, Num) and not (isinstance(found.type, Arr) and not found.type.dims):
            raise NoDiagonals
        return found

    def _write(self, base: Value, where: tuple[int, int], value: Operand, how: Operand | None = None) -> None:
        """A vector that is written to, but for so many entries: its pieces."""
        negative = isinstance(how, Lit) and how.value is operator.isub
        if isinstance(how, Lit) and how.value not in (operator.iadd, operator.isub):
            raise NoDiagonals
        length = self.length(base)
        self._meets(value, length and (length[0], length[1] - sum(where)))
        added = {k - where[0]: self.whole(value, k) for k in self.diagonals(value)}     # type: ignore[arg-type]
        found = self._changing(base)
        if how is None:
            for k, pieces in list(found.items()):
                if where == _WHOLE or pieces.keys() == {where}:
                    del found[k]
                else:
                    self._overwrite(base, k, Lit(slice_without(where)), added.pop(k, Lit(0.0)))
        for k, entries in added.items():
            pieces = found.setdefault(k, {})
            if where in pieces:
                before = pieces[where]
                pieces[where] = self.builder.call(operator.sub, before, entries) if negative else self.builder.accumulate(before, entries)
            else:
                pieces[where] = self.builder.call(operator.neg, entries) if negative else entries
        if len(found) > MOST:
            raise NoDiagonals

    def _fix(self, base: Value, index: Operand) -> None:
        """An entry of a vector that no longer depends on the argument."""
        for k in list(self._changing(base)):
            self._overwrite(base, k, index, Lit(0.0))

    def _changing(self, base: Value) -> dict[int, Pieces]:
        """The diagonals of a new array that is about to be written to; values read through its views are no longer valid."""
        base = self._same.get(base, base)
        found = self.diagonals(base)
        if base not in self._owned or base in self._views:
            raise NoDiagonals
        self._written[base] = self._written.get(base, 0) + 1
        return found

    def _overwrite(self, base: Value, k: int, index: Operand, entries: Operand) -> None:
        """Replace a part of a diagonal by other entries."""
        found = self.of[self._same.get(base, base)]
        pieces = found[k]
        old, shared = self.whole(base, k), pieces.keys() == {_WHOLE}
        total = self.builder.call(np.full_like, base, old, type=base.type) if not is_vector(old.type) else \
            self.builder.call(np.copy, old, type=base.type) if shared else old
        self.builder.call(operator.setitem, total, index, entries)
        found[k] = {_WHOLE: total}


def _bounds_of(start: Any, stop: Any, step: Any) -> tuple[int, int]:
    front = 0 if start is None else start
    behind = 0 if stop is None else -stop if type(stop) is int and stop < 0 else None
    if type(front) is not int or front < 0 or behind is None or step not in (None, 1):
        raise NoDiagonals
    return front, behind


def slice_without(left_out: Sequence[int]) -> slice:
    """The slice that leaves out so many entries in front and behind."""
    return slice(left_out[0] or None, -left_out[1] or None)
