"""Convert the adjoints of arguments to the results of a derivative: in the structure, shapes and dtypes of the arguments.

Each leaf owns its memory: it is no argument, no value found outside the function, no read-only view, and shares no memory with another
leaf.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.effects import aliases
from ...ir.ops import (
    Block,
    Build,
    Call,
    For,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Tree,
    Try,
    Value,
    While,
    With,
    blocks_of,
    walk,
)
from ...ir.prims import unpack
from ...ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, Type, is_differentiable
from ...runtime import conjugated, gradient_like, own_items
from ..algebra.folding_builder import AlgebraBuilder
from ..analysis.alias import summarize
from ..analysis.def_use import definitions
from .reverse.unbroadcast import covers, is_complex_type, of_dtype, whole
from .split import _zero_for

__all__ = ["conjugate", "own_results", "structured"]

#: what makes an array that repeats its elements, or that NumPy lets nobody write to
_REPEATS = frozenset((np.broadcast_to, np.diagonal, np.ndarray.diagonal, np.diag, np.lib.stride_tricks.sliding_window_view))


def conjugate(b: Builder, x: Any) -> Any:
    """A complex cotangent as a gradient, or the other way round: rules pair cotangents and tangents without a conjugate."""
    t = x.type
    if isinstance(x, Lit):
        return Lit(x.value.conjugate()) if isinstance(x.value, complex) and x.text is None else x
    if isinstance(t, (Obj, OptT)) or isinstance(t, (ListT, DictT)) and _may_hold_complex(t):
        return b.call(conjugated, x, type=t)
    if isinstance(t, Num) and t.kind == "complex" or isinstance(t, Arr) and t.dtype.startswith("complex"):
        return b.call(np.conj, x, type=t)
    return x


def _may_hold_complex(t: Type | None) -> bool:
    """Whether a list or dict may contain complex numbers."""
    if isinstance(t, (ListT, DictT)):
        return _may_hold_complex(t.elem if isinstance(t, ListT) else t.value)
    return t is not None and not (isinstance(t, Num) and t.kind != "complex" or isinstance(t, Arr) and t.dtype[0] != "c")


def structured(b: AlgebraBuilder, v: Any, t: Type, entry: Any, flat: list[Operand], paired: bool = False) -> Tree:
    """Append the leaves of a gradient to ``flat`` and return its structure.

    ``v`` is the argument, of type ``t``, ``entry`` its adjoint (None: zero; a dict: the adjoints of items by their places); ``paired``
    leaves the conjugate of complex leaves out.
    """
    if isinstance(t, (TupleT, RecordT)) and (entry is None or isinstance(entry, dict)):
        keys = list(t.keys) if isinstance(t, RecordT) else list(range(len(t.elems)))
        items = []
        for k, (key, e) in enumerate(zip(keys, t.elems)):
            if not is_differentiable(e) and not isinstance(e, (ListT, DictT)):
                items.append(_without_leaves(e))
                continue
            sub = entry.get(k) if entry else None
            # the item is asked for its shape, that of a part of it, or its dtype
            asked = sub is None or isinstance(sub, dict) or not covers(sub.type, e) or _looked_at(e)
            items.append(structured(b, _part(b, v, t, key) if asked else None, e, sub, flat, paired))
        if isinstance(t, RecordT):
            return Tree("dict" if t.cls is dict else "object", items, keys=keys, cls=t.form if t.cls is dict else t.cls)
        if t.cls is list:
            return Tree("list", items)
        return Tree("tuple", items, cls=t.cls)
    if entry is None:
        entry = _zero_for(b, v, ()) if isinstance(v, Value) else Lit(0.0)
    entry = entry if v is None else whole(b, entry, v)
    if isinstance(v, Value) and (_looked_at(t) or entry.type == UNKNOWN and isinstance(t, (Num, Arr))):
        entry = b.call(gradient_like, entry, v, not paired, type=t)
    else:
        entry = of_dtype(b, entry if paired else conjugate(b, entry), t)
    if isinstance(entry, Value) and entry.name is None and isinstance(v, Value) and v.name:
        entry.name = f"{v.name}_bar"
    flat.append(entry)
    return Tree("leaf", index=len(flat) - 1)


def _without_leaves(t: Type) -> Tree:
    """The structure of an item in which nothing is differentiated, with None for each leaf."""
    if not isinstance(t, (TupleT, RecordT)):
        return Tree("lit", value=None)
    items = [_without_leaves(e) for e in t.elems]
    if isinstance(t, RecordT):
        return Tree("dict" if t.cls is dict else "object", items, keys=list(t.keys), cls=t.form if t.cls is dict else t.cls)
    return Tree("list", items) if t.cls is list else Tree("tuple", items, cls=t.cls)


def _part(b: AlgebraBuilder, v: Any, t: TupleT | RecordT, key: Any) -> Any:
    """An item of a tuple or record; what the builder unpacked already is a tuple of values."""
    if isinstance(v, tuple):
        return v[key]
    if not isinstance(t, RecordT):
        return b.call(operator.getitem, v, key, type=t.elems[key])
    e = t.elems[t.keys.index(key)]
    return b.call(operator.getitem, v, key, type=e) if t.cls is dict else b.attr(v, str(key), e)


def _looked_at(t: Type) -> bool:
    """Whether only running tells which leaves a container has, or whether they are complex."""
    if isinstance(t, (ListT, DictT)):
        item = t.elem if isinstance(t, ListT) else t.value
        return item is not None and (not isinstance(item, (Num, Arr)) or is_complex_type(item))
    return isinstance(t, (OptT, SetT)) and is_differentiable(t)


def own_results(fn: Function, places: Iterable[int]) -> None:
    """Copy those results at ``places`` that are memory of somebody else: of an argument, of a residual, of an array found outside, of
    another result; or that nobody may write to."""
    made = definitions(fn)
    owners = {id(block): op for op in walk(fn.body) for block in blocks_of(op)}
    params = {p: (owners[id(block)], block) for op in walk(fn.body) for block in blocks_of(op) for p in block.params}
    memory = Memory(made, params)
    yields = fn.body.yields
    found = {k: memory.roots(y) for k, y in enumerate(yields) if _is_array(y)}
    for k in places:
        y = yields[k]
        if isinstance(y, Value) and _holds_arrays(y.type):
            own = Value(y.type, y.name, y.varied)
            given = [p for p in fn.params if isinstance(p.type, (Arr, TupleT, RecordT)) or _holds_arrays(p.type)]
            fn.body.ops.append(Call(own_items, [y, *given], results=[own], part="adjoint", loc=fn.attrs.return_loc or fn.loc))
            yields[k] = own
        if k not in found and not (isinstance(y, Lit) and isinstance(y.value, np.ndarray)):
            continue
        roots = found.get(k, {})
        others = [n for n in found if n != k and not found[n].keys().isdisjoint(roots) and not memory.disjoint(y, yields[n], yields)]
        if isinstance(y, Lit) or others or any(repeats or not memory.is_fresh(root) for root, repeats in roots.items()):
            copy = Value(y.type, y.name if isinstance(y, Value) else None, y.varied)
            method = np.ndarray.copy if isinstance(y.type, Arr) and y.type.dims else np.copy      # a tangent of a 0-d array may be a number
            fn.body.ops.append(Call(method, [y], results=[copy], part="adjoint", loc=fn.attrs.return_loc or fn.loc))
            yields[k] = copy
            found[k] = {copy: False}
            memory.made[copy] = fn.body.ops[-1]


def _holds_arrays(t: Type) -> bool:
    """Whether a value is a list or dict with arrays, of which it is not known when compiling what they are."""
    return isinstance(t, (ListT, DictT)) and (item := t.elem if isinstance(t, ListT) else t.value) is not None and (
        isinstance(item, Arr) and not item.scalar or isinstance(item, (TupleT, RecordT)) and any(
            isinstance(e, Arr) and not e.scalar for e in item.elems) or _holds_arrays(item))


def _is_array(y: Operand) -> bool:
    return isinstance(y, Value) and isinstance(y.type, Arr) and not y.type.scalar


class Memory:
    """Where the arrays of a function come from: ``made`` maps values to their operations, ``params`` parameters of blocks to theirs."""

    def __init__(self, made: dict[Value, Op], params: dict[Value, tuple[Op, Block]]):
        self.made, self.params = made, params

    def is_fresh(self, root: Operand) -> bool:
        """Whether an array is made by the function."""
        op = self.made.get(root) if isinstance(root, Value) else None
        return op is not None and not (isinstance(op, Call) and op.fn is unpack)

    def roots(self, v: Operand) -> dict[Operand, bool]:
        """The arrays that a value may be a view of; with each, whether a view on the way repeats elements or is read-only."""
        found: dict[Operand, bool] = {}
        todo, seen = [(v, False)], {v}
        while todo:
            x, repeats = todo.pop()
            op = self.made.get(x) if isinstance(x, Value) else None
            bases = self._bases(x, op)
            repeats = repeats or isinstance(op, Call) and op.fn in _REPEATS
            if not bases:
                found[x] = found.get(x, False) or repeats
            for base in bases:
                if base not in seen:
                    seen.add(base)
                    todo.append((base, repeats))
        return found

    def _bases(self, x: Operand, op: Op | None) -> list[Operand]:
        """What a value is, or is a part of."""
        if isinstance(x, Value) and x in self.params:
            owner, block = self.params[x]
            if isinstance(owner, (For, While)):
                n = len(block.params) - len(owner.inits)
                k = block.params.index(x) - n
                return [owner.inits[k], owner.body.yields[owner.stops + k]] if k >= 0 else []
            return []
        if op is None or isinstance(op, Call) and op.fn is unpack:
            return []
        if isinstance(op, Invoke):
            place = -1 - op.results.index(x)  # type: ignore[arg-type]
            return [op.args[a] for pair in summarize(op.func).joined if place in pair for a in pair if a >= 0]
        if isinstance(op, (For, While)):
            k = op.results.index(x)  # type: ignore[arg-type]
            return [op.inits[k], op.body.yields[op.stops + k]]
        if isinstance(op, (If, Try, With)):
            k = op.results.index(x)  # type: ignore[arg-type]
            return [block.yields[k] for block in blocks_of(op) if k < len(block.yields)]
        return [o for o in aliases(op) if isinstance(o.type, (Arr, Obj, OptT, ListT, DictT, TupleT, RecordT))]

    def disjoint(self, x: Operand, y: Operand, among: Sequence[Operand]) -> bool:
        """Whether two values are certainly different parts of one array: different rows, or pieces of which one ends where the next
        begins (with other pieces ``among`` some values between them)."""
        cuts = [self.made.get(v) for v in (x, y) if isinstance(v, Value)]
        if len(cuts) < 2 or not all(isinstance(c, Call) and c.fn is operator.getitem and isinstance(c.args[0].type, Arr) for c in cuts):
            return False
        first, second = (c for c in cuts if isinstance(c, Call))
        base = first.args[0]
        if second.args[0] is not base:
            return False
        p, q = first.args[1], second.args[1]
        if isinstance(p, Lit) and isinstance(q, Lit):
            m, n = (i.value if isinstance(i.value, tuple) else (i.value,) for i in (p, q))
            if type(m[-1]) is type(n[-1]) is int:
                return m[:-1] == n[:-1] and m[-1] != n[-1] and min(m[-1], n[-1]) >= 0
        made = [self.made.get(v) for v in among if isinstance(v, Value)]
        spans = [self._span(c.args[1]) for c in made if isinstance(c, Call) and c.fn is operator.getitem and c.args[0] is base]
        u, v = self._span(p), self._span(q)
        return u is not None and v is not None and u[0] == v[0] and (_before(u, v, spans) or _before(v, u, spans))

    def _span(self, index: Any) -> tuple[int, Any, Any] | None:
        """The axis, start and stop of a slice without a step along one axis; None for any other index."""
        made = self.made.get(index) if isinstance(index, Value) else None
        if isinstance(made, Build) and made.kind == "slice":
            start, stop, step = made.items
            return (0, _bound(start), _bound(stop)) if isinstance(step, Lit) and step.value is None else None
        items: Any = made.items if isinstance(made, Build) and made.kind == "tuple" else ()
        if items and all(isinstance(i, Lit) and i.value == slice(None) for i in items[:-1]) and (found := self._span(items[-1])):
            return len(items) - 1, *found[1:]
        if isinstance(index, Lit) and isinstance(index.value, slice) and index.value.step is None:
            return 0, index.value.start, index.value.stop
        return None


def _bound(x: Any) -> Any:
    return x.value if isinstance(x, Lit) else x


def _before(x: Any, y: Any, spans: list[Any]) -> bool:
    """Whether a piece ends where a chain of pieces begins that leads to another."""
    at = x[2]
    for _ in range(len(spans) + 1):
        if at is None:
            return False
        if at is y[1] or isinstance(at, int) and at == y[1]:
            return True
        at = next((s[2] for s in spans if s is not None and s[0] == x[0] and (s[1] is at or isinstance(at, int) and s[1] == at)), None)
    return False
