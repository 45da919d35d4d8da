"""Analysis: references that certainly denote the same object (must-alias), and so share an adjoint."""
from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from ....errors import UnsupportedSyntax
from ....ir.effects import _INPLACE, VIEWS, aliases
from ....ir.ops import UNDEF, Block, Build, Call, For, Function, GetAttr, If, Invoke, Lit, Op, Operand, Try, Value, While, With, blocks_of
from ....ir.prims import unpack
from ....ir.types import Arr, Num, RecordT, TupleT, is_differentiable, is_instance
from ...analysis.alias import AliasClasses, summarize
from ...analysis.program_order import Layout
from ..unsupported_calls import Aliased

__all__ = ["References", "returned_params"]


def returned_params(fn: Function) -> dict[int, int]:
    """Which results of a function are certainly one of its parameters: result → parameter."""
    if returned_params not in fn.analyses:
        fn.analyses[returned_params] = {}        # the initial assumption for a recursive call
        refs = References(fn, AliasClasses(fn), Layout(fn))
        same = [refs(y) for y in fn.body.yields]
        fn.analyses[returned_params] = {j: k for j, v in enumerate(same) for k, p in enumerate(fn.params) if v is p}
    found: dict[int, int] = fn.analyses[returned_params]
    return found


class References:
    """Maps each value to the one whose adjoint it shares.

    ``u += v`` gives a second name to ``u``; a loop that carries a reference without replacing it carries nothing; an element
    of a tuple is the item it was built from, or a *part* of the tuple: a stand-in value with an adjoint of its own.
    """

    def __init__(self, fn: Function, classes: AliasClasses, layout: Layout, known: Mapping[Value, list[Operand]] | None = None):
        """``known`` are parts of tuples that an earlier look at the function has named."""
        self.fn, self.classes, self.layout, self.known = fn, classes, layout, known or {}
        self._same: dict[Value, Operand] = {}
        self.parts: dict[Value, list[Operand]] = {}
        #: a part's tuple and its place in it
        self.whole: dict[Value, tuple[Value, int]] = {}
        self._scan(fn.body)

    def __call__(self, v: Operand) -> Operand:
        """The value whose adjoint ``v`` shares."""
        same: dict[Any, Operand] = self._same
        while v in same:
            v = same[v]
        return v

    def parts_of(self, v: Value) -> list[Operand]:
        """The elements of a tuple or record, as operands with adjoints."""
        if v not in self.parts:
            assert isinstance(v.type, (TupleT, RecordT))
            keys = v.type.keys if isinstance(v.type, RecordT) else range(len(v.type.elems))
            parts: list[Operand] = []
            for k, (key, t) in enumerate(zip(keys, v.type.elems)):
                part: Any = self.known[v][k] if v in self.known else Value(t, f"{v.name}_{key}" if v.name else None)
                self.layout.home[part] = self.layout.home[v]
                self.classes.stands_for_item(part, v)
                self.whole[part] = (v, k)
                parts.append(part)
            self.parts[v] = parts
        return self.parts[v]

    def separate(self, mirrored: Mapping[Value, object]) -> None:
        """Separate values with a shadow of the forward part from those identified with them that have none: parts of a tuple."""
        for v in [v for v, same in self._same.items() if v in mirrored and same in self.whole and same not in mirrored]:
            del self._same[v]

    def _scan(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case Call():
                    self._call(op)
                case GetAttr(obj=obj, name=name) if isinstance(obj.type, (TupleT, RecordT)):
                    self._element(op, op.results, obj, name)
                case Build(kind="tuple" | "namedtuple", items=items):
                    if isinstance(op.result.type, TupleT) and len(items) == len(op.result.type.elems):
                        self.parts[op.result] = list(items)
                case For() | While():
                    self._loop(op)
                case Invoke():
                    self._returned(op)
                case If():
                    self._scan(op.then)
                    self._scan(op.orelse)
                    for r, a, b in zip(op.results, op.then.yields, op.orelse.yields):
                        if self._reference(r) and self(a) is self(b) and isinstance(self(a), Value):
                            self._same[r] = a
                        elif self._reference(r) and UNDEF in (a, b) and self._around(op, self(a if b is UNDEF else b)):
                            self._same[r] = a if b is UNDEF else b
                case Try() | With():
                    for inner in blocks_of(op):
                        self._scan(inner)
                    if isinstance(op, With):
                        for r, y in zip(op.results, op.body.yields):
                            if self._reference(r):
                                self._same[r] = y
                case _:
                    pass

    def _call(self, op: Call) -> None:
        if op.fn in _INPLACE:
            if op.results and not isinstance(op.args[0].type, Num):
                self._same[op.result] = op.args[0]
        elif op.fn is operator.getitem:
            base, index = op.args
            if isinstance(index, Lit) and isinstance(base.type, (TupleT, RecordT)):
                self._element(op, op.results, base, index.value)
        elif op.fn is unpack and isinstance(op.args[0].type, TupleT):
            for k, r in enumerate(op.results):
                self._element(op, [r], op.args[0], k)

    def _loop(self, op: For | While) -> None:
        """Assume that carried references are never replaced; where the body replaces one, starts again without assuming it."""
        params = op.body.params[len(op.body.params) - len(op.inits):]
        yields = op.body.yields[op.stops:]
        # (an initial number is replaced by the first array that is added to it)
        kept = [k for k, p in enumerate(params) if self._reference(p) and isinstance(op.inits[k], Value)]
        before = dict(self._same)
        while True:
            self._same.update((params[k], op.inits[k]) for k in kept)
            self._scan(op.body)
            held = [k for k in kept if self(yields[k]) is self(params[k]) or yields[k] is params[k]]
            if len(held) == len(kept):
                break
            kept, self._same = held, dict(before)       # discard the conclusions drawn from it as well
        for k in kept:
            self._same[op.results[k]] = op.inits[k]
            if isinstance(op, While):
                self._same[op.cond.params[k]] = op.inits[k]

    def _around(self, op: If, v: Operand) -> bool:
        """Whether a value was there before a branch."""
        return isinstance(v, Value) and not {id(op.then), id(op.orelse)} & set(map(id, self.layout.chain(self.layout.home[v])))

    def _returned(self, op: Invoke) -> None:
        """Results of a call that are one of its arguments, or share memory with one, where something writes to it."""
        exact = returned_params(op.func)
        for k, b in summarize(op.func).joined:
            if k < 0 or b >= 0 or not self._reference(op.results[-1 - b]):
                continue
            result, arg = op.results[-1 - b], op.args[k]
            if exact.get(-1 - b) == k:
                self._same[result] = arg
            elif not isinstance(result.type, (TupleT, RecordT)) and (type(result.type) is type(arg.type) or not isinstance(result.type, Arr)
                                                                    or self.classes.holds_written(arg)):
                raise Aliased(f"{op.func.name} returns an array that may share memory with its argument, and that is written to "
                                        "in place", op.loc, "return a copy, or write to the argument itself")

    def _reference(self, v: Value) -> bool:
        return not isinstance(v.type, Num) and not (isinstance(v.type, Arr) and v.type.scalar) and self.classes.is_written(v)

    def _element(self, op: Op, results: list[Value], base: Operand, key: object) -> None:
        """``results`` are an element of ``base``; if the element is a tuple, they may be its elements."""
        whole = self(base)
        if not isinstance(whole, Value) or self.classes.is_written(whole) and not is_instance(whole.type):
            return
        t = whole.type
        if isinstance(key, slice) and isinstance(t, TupleT):
            chosen = self.parts_of(whole)[key]
            if len(results) == 1 and isinstance(results[0].type, TupleT):
                self.parts[results[0]] = chosen
            elif len(results) > 1:
                self._same.update(zip(results, chosen))
            return
        if self.classes.is_written(whole) and not is_instance(t) and not (isinstance(t, TupleT) and t.cls is not list):
            raise UnsupportedSyntax(f"{whole.name or 'a container'} holds values of different types and is written to", op.loc,
                                    "write to a container made inside the function instead")
        if isinstance(t, RecordT):
            k = t.keys.index(key)
        elif isinstance(t, TupleT) and isinstance(key, str):
            k = t.cls._fields.index(key)  # type: ignore[union-attr]
        elif isinstance(t, TupleT) and isinstance(key, int):
            k = range(len(t.elems))[key]
        elif not is_differentiable(t):      # part of a shape
            return
        else:
            raise UnsupportedSyntax(f"an element of {t} chosen by {key!r}")
        part = self.parts_of(whole)[k]
        if len(results) == 1:
            self._same[results[0]] = part
        elif isinstance(part, Value):
            self._same.update(zip(results, self.parts_of(part)))

    def root(self, v: Operand) -> Operand:
        """The allocation a view was taken of, through any number of views."""
        while True:
            v = self(v)
            op = self.layout.maker.get(v) if isinstance(v, Value) else None
            if op is None or not isinstance(v.type, Arr):
                return v
            if isinstance(op, GetAttr) or (
                    isinstance(op, Call) and (op.fn in VIEWS or op.fn is operator.getitem) and isinstance(op.args[0].type, Arr)):
                bases = aliases(op)
                if not bases:
                    return v
                v = bases[0]
            else:
                return v
