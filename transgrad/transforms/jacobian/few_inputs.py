"""Jacobians with respect to numbers, and to vectors of which a function reads a few entries by constant indices: one forward sweep with
one tangent for each entry, so that common subexpressions are computed once and zero tangents are eliminated."""
from __future__ import annotations

import operator
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import TransgradError
from ...ir.attributes import Guard
from ...ir.build import Builder, lift
from ...ir.clone import clone_function
from ...ir.ops import Block, Build, Call, Function, Invoke, Lit, Op, Star, Tree, Value, blocks_of, operands_of, walk
from ...ir.prims import unpack
from ...ir.types import ANY, Arr, Num, Obj
from ...passes.ad.forward.driver import forward_body
from ...passes.ad.reverse.unbroadcast import covers
from ...passes.analysis.activity import is_constant_op
from ...passes.canonicalize.inline import TooLarge, inline_calls
from ...passes.pipelines import prepare, simplify
from ...passes.switches import is_on
from ..structure import argument, select_slots
from ..transformations import Target

__all__ = ["by_entries"]

#: how many tangents are carried at most, and how large a function may become by them
_MOST, _LIMIT = 8, 600


def by_entries(fn: Function, target: Target, values: Mapping[str, Any]) -> Function | None:
    """The Jacobian of a function with one array as its result; None if the arguments are not read entry by entry, or have many.
    Those of the call are ``values``.

    ``fn`` is left as it is.
    """
    if not all(slot.key is None for slot in target.slots) or fn.returns.kind != "leaf":
        return None
    y = fn.body.yields[fn.returns.index]
    if not isinstance(y.type, Arr) or not y.type.dims or y.type.dtype != "float64":
        return None
    new = clone_function(fn)
    try:
        inline_calls(new, lambda op: True, _LIMIT)
    except TooLarge:
        return None
    prepare(new)
    found = [entries for name in target.names if (entries := _entries_of(new, name, values[name])) is not None]
    many = sum(len(entries.places) for entries in found)
    if len(found) < len(target.names) or not many <= _MOST or many * sum(1 for _ in walk(new.body)) > _LIMIT:
        return None
    if any(isinstance(op, Invoke) for op in walk(new.body)) or not is_on("entries"):
        return None
    try:
        return _one_sweep(new, fn, found, target)
    except TransgradError:      # separate sweeps may work, and report errors better
        return None


def _one_sweep(new: Function, fn: Function, found: Sequence[_Entries], target: Target) -> Function:
    """Carries a tangent for each entry, and puts those of the result into Jacobians."""
    y = new.body.yields[fn.returns.index]
    own = _own(new, {op for entries in found for op in entries.reads})
    sweeps = [[forward_body(new, values, dict.fromkeys(values, Lit(1.0)), among=own, suffix=f"dot_{values[0].name}")
               for values in entries.places.values()] for entries in found]
    assert isinstance(y, Value)
    with sweeps[0][0].builder as b, b.inside(new.body):
        b.part = "tangent"
        new.body.yields = [entries.jacobian(b, y, [sweep.dot_of_elements(y) for sweep in row]) for entries, row in zip(found, sweeps)]
    new.returns = select_slots([Tree("leaf", index=k) for k in range(len(found))], target.names, target.slots, target.single)
    new.attrs.primal = new.attrs.primal or fn.origin
    new.origin = None
    simplify(new)
    return new


def _own(fn: Function, others: Container[Op]) -> set[object]:
    """The operations of a function but for some, and all of its values."""
    def inside(block: Block) -> Iterator[object]:
        yield from block.params
        for op in block.ops:
            yield from op.results
            yield from (o for o in operands_of(op) if isinstance(o, Lit))
            if op not in others:
                yield op
            for inner in blocks_of(op):
                yield from inside(inner)
    return set(inside(fn.body))


class _Entries:
    """The entries that a function reads from an argument; the argument itself if it is a number.

    Attributes
    ----------
    places : dict of int to list of Value
        The values that were read from each index.
    reads : set of Op
        The operations that do so.
    size : int or None
        The number of entries, if it is known.
    """

    def __init__(self, x: Value):
        self.x = x
        self.places: dict[int, list[Value]] = {}
        self.reads: set[Op] = set()
        self.size: int | None = None

    def add(self, op: Op, places: Sequence[int]) -> None:
        """Record what an operation reads."""
        self.reads.add(op)
        for place, r in zip(places, op.results):
            r.name = r.name or f"{self.x.name}_{place}"
            self.places.setdefault(place, []).append(r)

    def jacobian(self, b: Builder, y: Value, tangents: Sequence[Any]) -> Value:
        """The derivatives of ``y``, of which those by the entries are ``tangents``."""
        assert isinstance(y.type, Arr)
        like = next((t for t in tangents if isinstance(t, Value) and covers(t.type, y.type)), y)
        name, flat = f"jac_{self.x.name}", len(y.type.dims) == 1
        if not isinstance(self.x.type, Arr) or not self.x.type.dims:
            t = Lit(0.0) if tangents[0] is None else lift(tangents[0])
            if covers(t.type, y.type):
                return b.call(np.ndarray.copy, t, type=y.type, name=name)  # type: ignore[no-any-return]
            same = {0.0: np.zeros_like, 1.0: np.ones_like}.get(t.value) if isinstance(t, Lit) else None
            if same is not None:
                return b.call(same, like, type=y.type, name=name)  # type: ignore[no-any-return]
            return b.call(np.full_like, like, t, type=y.type, name=name)  # type: ignore[no-any-return]
        shape = Value(Obj(tuple))
        lengths: list[Any] = [b.call(len, like)] if flat else [Star(b.attr(like, "shape", Obj(tuple)))]
        b.emit(Build("tuple", [*lengths, b.attr(self.x, "size")], results=[shape]))
        all_written = len(self.places) == self.size and all(t is not None for t in tangents)
        jac = b.call(np.empty if all_written else np.zeros, shape, type=Arr("float64", (*y.type.dims, ANY)), name=name)
        for place, t in zip(self.places, tangents):
            if t is not None:
                b.call(operator.setitem, jac, b.build("tuple", [slice(None) if flat else Ellipsis, place]), lift(t))
        return jac  # type: ignore[no-any-return]


def _entries_of(fn: Function, name: str, value: Any) -> _Entries | None:
    """The entries that are read from an argument like ``value``; None if it is used in another way."""
    x = argument(fn, name)
    if not isinstance(x, Value):
        return None
    found = _Entries(x)
    if not isinstance(x.type, Arr) or not x.type.dims:
        found.places[0], found.size = [x], 1
        return found if x.type == Num("float") or x.type == Arr("float64", (), scalar=True) else None
    if x.type.dtype != "float64" or len(x.type.dims) != 1 or x in fn.body.yields:
        return None
    listed: set[Value] = set()
    always, sure = set(fn.body.ops), -1         # others may be out of range for some lengths
    for op in walk(fn.body):
        if any(x in block.yields or not listed.isdisjoint(block.yields) for block in blocks_of(op)):
            return None
        asked = {x, *listed}.intersection(o for o in operands_of(op) if isinstance(o, Value))
        if not asked or is_constant_op(op):
            continue
        if isinstance(op, Call) and op.fn is np.ndarray.tolist and op in always:
            listed.add(op.result)
            found.reads.add(op)
            continue
        places = _places(op)
        if not places:
            return None
        found.add(op, places)
        if op in always:
            sure = max(sure, *places)
            found.size = len(places) if isinstance(op, Call) and op.fn is unpack else found.size
    if not found.places or max(found.places) >= np.size(value):
        return None
    found.places = dict(sorted(found.places.items()))
    if max(found.places) > sure:
        fn.attrs.guards.append(Guard("many", name, 0, max(found.places) + 1))
    return found


def _places(op: Op) -> Sequence[int]:
    """Which entries of a sequence an operation reads, where it does nothing else."""
    match op:
        case Call(fn=f) if f is unpack:
            return range(len(op.results))
        case Call(fn=f, args=[Value(), Lit(value=int(place))]) if f is operator.getitem and place >= 0:
            return [place]
    return []
