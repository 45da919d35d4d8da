"""Analysis: select the values that become Python floats, by the time saved less the cost of conversions."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

from ....ir.ops import Block, Build, Call, For, Function, GetAttr, If, Lit, Op, Value, While, blocks_of, operands_of, walk
from ....ir.types import Arr, Num
from ...ad.residuals.undefined import undefined_values
from .boundary import takes
from .forms import Form, form_of
from .loop_lists import KeptLists, perhaps_nothing
from .small_arrays import SHAPE, Lengths, Place, is_scalar

__all__ = ["Choice"]

#: how often the body of a loop is taken to run
_TRIPS = 8.0
#: the required gain if only NumPy scalars are unboxed
_ALONE = 0.0
#: nanoseconds: taking an array or a NumPy scalar apart, building one, writing an element or a whole row
_APART, _BUILD, _FLOAT, _SCALAR, _WRITE, _ROW = 45.0, 214.0, 26.0, 56.0, 31.0, 93.0


class Choice:
    """``chosen`` are the values that become Python floats, ``forms`` says how an operation (by id) is done on them; ``rows`` are the
    writes of a small array into a row, ``absorbed`` the lists of which only arrays are made that go."""

    def __init__(self, fn: Function, lengths: Lengths, risky: bool, kept: KeptLists | None = None):
        self.fn, self.lengths, self.risk = fn, lengths, risky
        #: where numbers that are part of no small array are worth it, too, the lists that keep them
        self.kept = kept
        self.forms: dict[int, Form] = {}
        self.rows: set[int] = set()
        #: candidates for unboxing, and those of them that turned out to stay boxed
        self._able: set[object] = set()
        #: of displays
        self._users: dict[Value, list[Op]] = {}
        self._ops: dict[int, Op] = {}
        self._note_able(fn.params)
        for op in walk(fn.body):
            self._ops[id(op)] = op
            self._note_able(op.results)
            if self._users and not self._users.keys().isdisjoint(operands_of(op)):
                for o in operands_of(op):
                    if o in self._users:
                        self._users[o].append(op)
            if type(op) is Call:
                if (form := form_of(op, lengths)) is not None and (risky or not form.risky):
                    self.forms[id(op)] = form
                continue
            if isinstance(op, Build):
                self._users[op.result] = []
            for block in blocks_of(op):
                self._note_able(block.params)
        self._fixed: set[Value] = set()
        self._fix([v for v in perhaps_nothing(fn.body) if not self._is_kept(v)])
        self._undefined = undefined_values(fn.body)
        self._gradients = set(filter(self._made_in_reverse, fn.body.yields))
        listed = {v for items in kept.items.values() for v in items}.union(kept.lists_of) if kept is not None else set()
        known: tuple[int, int] | None = None
        # a value that stays boxed may keep others from being unboxed
        while known != (now := (len(self._able), len(listed & self._fixed))):
            known = now
            self._analyse()
        self._decide()

    def is_gradient(self, y: Any) -> bool:
        """Whether a result is a number that the reverse part made: there, a Python float does as well."""
        return y in self._gradients

    def _made_in_reverse(self, y: Any) -> bool:
        made = self.lengths.makers.get(y) if type(y) is Value else None
        while isinstance(made, (For, While)) and made.part != "adjoint":       # a sum of derivatives, perhaps
            y = made.body.yields[made.stops + made.results.index(y)]
            made = self.lengths.makers.get(y)
        return made is not None and made.part == "adjoint" and is_scalar(y.type)

    def place_of(self, v: Value) -> Place | None:
        """Where the elements of a small array are in a matrix, if nothing reads the array as one before the derivative is taken: the
        cotangent of an element is then added to an element."""
        return None if self.kept is not None or v in self._boxed else self.lengths.place(v)

    def _note_able(self, values: Iterable[Value]) -> None:
        for v in values:
            if type(v.type) is Arr and (is_scalar(v.type) or self.lengths.of(v) is not None):
                self._able.add(v)

    def candidate(self, x: Any) -> bool:
        """Whether a value could become Python floats."""
        return x in self._able

    def _fix(self, values: Iterable[Value]) -> None:
        self._fixed.update(values)
        self._able.difference_update(values)

    def _analyse(self) -> None:
        self._parent: dict[Value, Value] = {}
        self._gain: dict[Value, float] = {}
        self._arrays: set[Value] = set()
        self._computed: set[Value] = set()
        #: loop variables that iterate over values stored as Python floats
        self.stored: set[Value] = set()
        self._boxed: dict[Value, float] = {}
        for p in self.fn.params:
            self._leaf(p, 1.0)
        self._block(self.fn.body, 1.0)
        for y in self.fn.body.yields:
            if not self.is_gradient(y):
                self._box(y, 1.0)
        for root, items in (self.kept.items if self.kept is not None else {}).items():
            self._keep(items, self.kept.stored[root])  # type: ignore[union-attr]
        self._fix([v for v in self._boxed if v in self._undefined and self.candidate(v)])      # undefined values cannot be unboxed
        for v, times in self._boxed.items():
            if self.candidate(v) and v in self._computed:
                self._add(v, -(_SCALAR if self.lengths.of(v) is None else _BUILD) * times)

    def _decide(self) -> None:
        total: dict[Value, float] = {}
        for v, gain in self._gain.items():
            root = self._find(v)
            total[root] = total.get(root, 0.0) + gain
        arrays = {self._find(v) for v in self._arrays}
        least = {root: 0.0 if root in arrays else _ALONE if self.kept is not None else math.inf for root in total}
        good = {root for root, gain in total.items() if gain > least[root]}
        self.chosen = {v for v in self._parent if self._find(v) in good}
        self.forms = {k: f for k, f in self.forms.items() if not self.chosen.isdisjoint((*self._ops[k].results, *f.reads))}
        self.rows = {k for k in self.rows if not self.chosen.isdisjoint(operands_of(self._ops[k]))}
        self.absorbed = {id(op) for op in self._ops.values() if isinstance(op, Build) and self._is_absorbed(op)}
        self.risky = any(f.risky for f in self.forms.values())

    def _keep(self, items: list[Value], stored: list[Any]) -> None:
        """Decide whether the sources of loops are unboxed together with the lists stored by other loops."""
        if all(map(self.candidate, items)) and all(self._fits(s, items[0]) for s in stored):
            self._join([*items, *stored])
            self._computed.update(items)
            self.stored.update(items)
        else:
            self._fix(items)
            self.stored.difference_update(items)

    # components: values that are unboxed together

    def _find(self, v: Value) -> Value:
        parent = self._parent
        up = parent.setdefault(v, v)
        while up is not v:
            parent[v] = parent[up]
            v, up = up, parent[up]
        return v

    def _join(self, values: Iterable[Any], gain: float = 0.0) -> None:
        first: Value | None = None
        for v in filter(self.candidate, values):
            root = self._find(v)
            if first is None:
                first = root
            elif root is not first:
                self._parent[root] = first
        if first is not None:
            self._add(first, gain)

    def _add(self, v: Value, gain: float) -> None:
        self._gain[v] = self._gain.get(v, 0.0) + gain

    # the walk

    def _block(self, block: Block, times: float) -> None:
        for op in block.ops:
            if type(op) is Call:
                self._call(op, times)
            elif isinstance(op, If):
                self._if(op, times)
            elif isinstance(op, (For, While)):
                self._loop(op, times)
            else:
                self._other(op, times)

    def _call(self, op: Call, times: float) -> None:
        form = self.forms.get(id(op))
        if form is not None and self._able.issuperset(op.results) and self._able.issuperset(form.unboxed):
            touched = (*op.results, *form.reads)
            self._join(touched, form.saves * times)
            self._computed.update(op.results)
            if any(map(self.lengths.of, touched)):
                self._arrays.update(filter(self.candidate, touched))  # type: ignore[arg-type]
            return
        if form is not None:
            del self.forms[id(op)]
        if op.fn is operator.setitem and self._is_row(op):
            self.rows.add(id(op))
            self._add(op.args[2], (_ROW - _WRITE * (self.lengths.of(op.args[2]) or 0)) * times)
            return
        self.rows.discard(id(op))
        for o in operands_of(op):
            if o in self._able and not takes(op, o) and not self.keeps(op, o):
                self._box(o, times)
        for v in op.results:
            self._leaf(v, times)

    def keeps(self, op: Op, operand: Any) -> bool:
        """Whether an operation only keeps a number in a list that has Python floats in it."""
        if self.kept is None or not isinstance(op, Call) or op.fn is not list.append or operand is not op.args[1]:
            return False
        roots = self.kept.lists_of.get(operand, ())
        return any(self._fixed.isdisjoint(self.kept.items.get(root, [operand])) for root in roots)

    def _is_row(self, op: Call) -> bool:
        """Whether a call writes a small array into a row of an array."""
        base, index, value = op.args
        if not self.candidate(value) or self.lengths.of(value) is None or not isinstance(base.type, Arr):
            return False
        dims, n = base.type.dims, self.lengths.of(value)
        plain = isinstance(index.type, Num) and index.type.kind == "int"
        return plain and base.type.dtype == "float64" and len(dims) == 2 and dims[1].known == n

    def _if(self, op: If, times: float) -> None:
        if not is_scalar(op.cond.type):
            self._box(op.cond, times)
        for k, r in enumerate(op.results):
            self._merge([r], [op.then.yields[k], op.orelse.yields[k]], times)
        self._block(op.then, times)
        self._block(op.orelse, times)

    def _loop(self, op: For | While, times: float) -> None:
        first = len(op.body.params) - len(op.inits)
        if isinstance(op, For):
            for o in (o for s in op.sources for o in s.operands):
                self._box(o, times)
        for k, r in enumerate(op.results):
            tested = [op.cond.params[k]] if isinstance(op, While) else []
            self._merge([r, op.body.params[first + k], *tested], [op.inits[k], op.body.yields[op.stops + k]], times * _TRIPS)
        for p in op.body.params[:first]:
            if not self._is_kept(p):
                self._leaf(p, times * _TRIPS)
        for inner in blocks_of(op):
            self._block(inner, times * _TRIPS)

    def _is_kept(self, p: Value) -> bool:
        return self.kept is not None and p in self.kept.variables

    def _merge(self, values: list[Value], sources: list[Any], times: float) -> None:
        """Joined values are boxed or unboxed together."""
        if all(map(self.candidate, values)) and all(self._fits(s, values[0]) for s in sources):
            self._join([*values, *sources])
            self._computed.update(values)
        else:
            self._fix(values)
            for s in sources:
                self._box(s, times)

    def _fits(self, source: Any, target: Value) -> bool:
        if isinstance(source, Lit) and source.text == "undef":
            return True
        n = self.lengths.of(target)
        if self.candidate(source):
            return self.lengths.of(source) == n and (n is not None or source.type == target.type)
        return n is None and isinstance(source.type, Num) and source.type.kind == ("bool" if target.type.dtype == "bool" else "float")  # type: ignore[union-attr]

    def _other(self, op: Op, times: float) -> None:
        if isinstance(op, Build) and self._is_absorbed(op):
            return
        for o in operands_of(op):
            if not (isinstance(op, GetAttr) and op.name in SHAPE):
                self._box(o, times)
        self._fix(op.results if blocks_of(op) else ())
        for inner in blocks_of(op):
            self._block(inner, times)
            for y in inner.yields:
                self._box(y, times)
        for v in op.results:
            self._leaf(v, times)

    def _is_absorbed(self, op: Build) -> bool:
        """Whether of a display only arrays are made that become their elements."""
        users = self._users.get(op.result, [])
        return op.kind in ("list", "tuple") and bool(users) and all(id(u) in self.forms for u in users)

    def _leaf(self, v: Value, times: float) -> None:
        """A value that is made by something else, and taken apart there."""
        if self.candidate(v):
            self._find(v)
            self._add(v, -(_FLOAT if self.lengths.of(v) is None else _APART) * times)

    def _box(self, x: Any, times: float) -> None:
        """Box a value for other uses; a value that is unpacked after its creation is still available."""
        if self.candidate(x):
            self._boxed[x] = max(times, self._boxed.get(x, 0.0))
