"""Find values that some examples leave unbound and that are read all the same.

A variable that is assigned in one branch only has no value for the examples that take the other one. A selection of both branches gives
these examples the value of the first, so a later read would not raise UnboundLocalError::

    if x > 0:
        m = np.sin(x)
    return m * x

Reads under the same condition (``if x > 0: y = m * x``) are safe, and so are reads under a flag that is set together with the variable, as
early returns from a loop have it. Such values are followed through the results of branches and loops.
"""
from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import cached_property

from ...ir.effects import only_computes
from ...ir.ops import UNDEF, Block, Call, For, Function, If, Lit, Op, Operand, Try, Value, While, blocks_of, operands_of, walk
from ..analysis.alias import AliasClasses
from ..analysis.program_order import Layout

__all__ = ["UnboundValues"]

#: conditions of which each implies, by its truth, that a value is bound
_Known = dict[Operand, bool]


class UnboundValues:
    """The values of a function that have no value on some path."""

    def __init__(self, fn: Function, classes: AliasClasses):
        self.fn, self.classes = fn, classes

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self.fn)

    @cached_property
    def _yielding(self) -> dict[Value, list[tuple[Op, Block, int]]]:
        """The operations whose results a value becomes, with the block that yields it and its place."""
        found: dict[Value, list[tuple[Op, Block, int]]] = {}
        for op in walk(self.fn.body):
            for block in blocks_of(op):
                if isinstance(op, While) and block is op.cond:
                    continue
                skip = op.stops if isinstance(op, (For, While)) else 0
                for k, y in enumerate(block.yields[skip:]):
                    if isinstance(y, Value):
                        found.setdefault(y, []).append((op, block, k))
        return found

    def is_read(self, op: If, k: int) -> bool:
        """Whether the result ``k`` of a branch, which one side leaves unbound, may be read after that side."""
        bound, unbound = (op.then, op.orelse) if op.orelse.yields[k] is UNDEF else (op.orelse, op.then)
        known: _Known = {op.cond: bound is op.then}
        for v, x, y in zip(op.results, bound.yields, unbound.yields):
            if isinstance(x, Lit) and isinstance(y, Lit) and UNDEF not in (x, y) and bool(x.value) is not bool(y.value):
                known[v] = bool(x.value)
        return self._is_read(op.results[k], known, set())

    def _is_read(self, v: Value, known: _Known, seen: set[Value]) -> bool:
        if v in seen:
            return False
        seen.add(v)
        if v in self.fn.body.yields or any(
                v in _read_itself(user) and not self._is_guarded(self._layout.inside[id(user)], known)
                for user in self._layout.users.get(v, ())):
            return True
        for op, block, k in self._yielding.get(v, ()):
            if not self._is_guarded(block, known) and any(
                    self._is_read(target, flags, seen) for target, flags in _moved(op, block, k, known)):
                return True
        return False

    def _is_guarded(self, block: Block, known: _Known) -> bool:
        """Whether a block runs only where the value is bound."""
        layout = self._layout
        while id(block) in layout.outer:
            owner = layout.owner[id(block)]
            if isinstance(owner, If) and self._implies(owner.cond, block is owner.then, known):
                return True
            block = layout.outer[id(block)]
        return False

    def _implies(self, cond: Operand, holds: bool, known: _Known) -> bool:
        if known.get(cond) is holds:
            return True
        made = self._layout.maker.get(cond) if isinstance(cond, Value) else None
        if not isinstance(made, Call):
            return False
        if made.fn is operator.not_:
            return self._implies(made.args[0], not holds, known)
        return any(truth is holds and self._is_same(made, flag) for flag, truth in known.items())

    def _is_same(self, made: Call, flag: Operand) -> bool:
        """Whether a condition is computed as another one is, from the same operands."""
        other = self._layout.maker.get(flag) if isinstance(flag, Value) else None
        return isinstance(other, Call) and other.fn is made.fn and not made.kwargs and not other.kwargs and only_computes(made) and len(
            made.args) == len(other.args) and all(
            x is y or isinstance(x, Lit) and isinstance(y, Lit) and type(x.value) is type(y.value) and isinstance(x.value, (int, float))
            and x.value == y.value for x, y in zip(made.args, other.args)) and not self.classes.any_written(made.args)


def _read_itself(op: Op) -> list[Operand]:
    """The operands that an operation computes with; loops carry their initial values."""
    if isinstance(op, If):
        return [op.cond]
    if isinstance(op, For):
        return [o for s in op.sources for o in s.operands]
    return [] if isinstance(op, (While, Try)) else operands_of(op)


def _moved(op: Op, block: Block, k: int, known: _Known) -> Iterator[tuple[Value, _Known]]:
    """The values that the ``k``-th yield of a block becomes, with the conditions that imply that each is bound."""
    if isinstance(op, (For, While)):
        yields, others = block.yields[op.stops:], op.inits
        bound = others[k] is not UNDEF
    elif isinstance(op, If):
        yields, others = block.yields, (op.orelse if block is op.then else op.then).yields
        bound = others[k] is not UNDEF and others[k] is not yields[k]
    else:
        yield op.results[k], {}
        return
    flags: dict[int, bool] = {}
    for place, (y, other) in enumerate(zip(yields, others)):
        truth = known.get(y)
        if truth is not None and (bound or isinstance(other, Lit) and other is not UNDEF and bool(other.value) is not truth):
            flags[place] = truth
    if isinstance(op, If):
        found: _Known = {op.results[place]: truth for place, truth in flags.items()}
        if bound:
            found |= known | {op.cond: block is not op.then}
        yield op.results[k], found
        return
    for targets in (op.results, op.body.params[-len(op.inits):], *([op.cond.params] if isinstance(op, While) else [])):
        yield targets[k], {targets[place]: truth for place, truth in flags.items()}
