"""Reassociate products so that factors known before the loop form one factor.

``(a * x) * b`` with invariant ``a`` and ``b`` becomes ``x * (a * b)``, and ``np.concatenate((x * a, y * b))`` becomes
``np.concatenate((x, y)) * np.concatenate((a, b))``.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.ops import Block, Build, Call, Op, Value
from ....ir.types import Arr
from ...analysis.def_use import definitions_in
from ...memory.destination_passing import alike
from ...memory.in_place_accumulation import collect_uses

__all__ = ["gather_factors"]

#: tells some values from others
Known = Callable[[Any], bool]


def gather_factors(block: Block, known: Known, written: Known) -> bool:
    """Rewrite the products of a block in place; return whether there were any. ``known`` tells which values are known in advance,
    ``written`` which are written to, and may change later."""
    state = _Factors(block, known, written)
    ops: list[Op] = []
    changed = False
    for op in block.ops:
        made = state.rewritten(op) if type(op) is Call and op.results and not known(op.result) else None
        if made is not None:
            state.makers.update((v, new) for new in made for v in new.results)
            changed = True
        ops += made or [op]
    if changed:
        block.ops = [op for op in ops if id(op) not in state.gone]
    return changed


class _Factors:
    def __init__(self, block: Block, known: Known, written: Known):
        self.written = written
        self.known: Known = lambda x: known(x) or x in self.products
        #: products of known values
        self.products: set[Any] = set()
        self.makers: dict[Any, Op] = definitions_in(block.ops)
        self.uses = collect_uses(block.ops)
        self.yields = set(block.yields)
        #: operations for a value that is now computed in another way
        self.gone: set[int] = set()

    def rewritten(self, op: Call) -> list[Op] | None:
        """What stands for an operation; None if it stays."""
        made = Block()
        with Builder(made, op.part, op.loc) as b:
            if op.fn is operator.mul:
                found = self.nested(b, op)
            else:
                found = self.joined(b, op) if op.fn is np.concatenate and not op.kwargs and len(op.args) == 1 else None
            if found is None:
                return None
            b.emit(Call(operator.mul, found, results=op.results))
        self.products.add(found[1])
        self.uses.setdefault(found[0], [op])
        self.uses[found[1]] = [op]
        return made.ops

    def split(self, x: Any, want: Any) -> tuple[Any, Any] | None:
        """The factors of a product that nothing else reads, first the one that is not known beforehand; neither is broadcast."""
        op = self.makers.get(x) if isinstance(x, Value) else None
        if type(op) is not Call or op.fn is not operator.mul or op.kwargs or not self.is_alone(x):
            return None
        a, b = op.args
        if self.known(a):
            a, b = b, a
        if self.known(a) or not self.known(b) or self.written(a) or not alike(a.type, want) or not alike(b.type, want):
            return None
        return a, b

    def is_alone(self, v: Any) -> bool:
        """Whether a value is read once."""
        return len(self.uses.get(v, ())) == 1 and v not in self.yields

    def nested(self, b: Builder, op: Call) -> list[Any] | None:
        """``(a * x) * b`` as ``x`` and ``a * b``."""
        x, known = op.args
        if self.known(x):
            x, known = known, x
        if not self.known(known) or self.known(x) or not alike(known.type, op.result.type):
            return None
        factors = self.split(x, op.result.type)
        if factors is None:
            return None
        self.gone.add(id(self.makers[x]))
        return [factors[0], b.call(operator.mul, factors[1], known, type=op.result.type)]

    def joined(self, b: Builder, op: Call) -> list[Any] | None:
        """Rows that are products, put together, as those of their factors."""
        display = self.makers.get(op.args[0])
        if not isinstance(display, Build) or display.kind != "tuple" or not self.is_alone(display.result):
            return None
        rows: list[Any] = []
        factors: list[Any] = []
        gone: list[Any] = [display]
        for item in display.items:
            if not isinstance(item, Value) or not isinstance(item.type, Arr) or len(item.type.dims) != 2 or not self.is_alone(item):
                return None
            made: Any = self.makers.get(item)
            single = type(made) is Call and made.fn is operator.getitem and _adds_row(made)
            product = made.args[0] if single else item
            found = self.split(product, product.type)
            if found is None:
                return None
            whole: Any = self.makers.get(found[0])
            listed = [found[0]] if single else self.listed(found[0])
            if listed is None:
                return None
            rows += listed
            factors.append(b.call(operator.getitem, found[1], None, type=item.type) if single else found[1])
            gone += [made, self.makers[product], *(() if single else (whole, self.makers[whole.args[0]]))]
        self.gone.update(map(id, gone))
        t = op.result.type
        return [b.call(np.array, b.build("tuple", rows), type=t), b.call(np.concatenate, b.build("tuple", factors), type=t)]

    def listed(self, x: Any) -> list[Any] | None:
        """The rows that a matrix is put together of, for nothing but this."""
        made = self.makers.get(x)
        if type(made) is not Call or made.fn is not np.array or made.kwargs or len(made.args) != 1 or not self.is_alone(x):
            return None
        display = self.makers.get(made.args[0])
        if not isinstance(display, Build) or display.kind != "tuple" or not self.is_alone(display.result):
            return None
        return list(display.items) if all(
            isinstance(i.type, Arr) and len(i.type.dims) == 1 and not self.written(i) for i in display.items) else None


def _adds_row(op: Call) -> bool:
    """Whether a vector becomes a matrix of one row."""
    index, t = op.args[1], op.args[0].type
    return getattr(index, "value", 0) is None and isinstance(t, Arr) and len(t.dims) == 1
