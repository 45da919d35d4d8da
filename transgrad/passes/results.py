"""The adjoints of arguments as a derivative returns them: in the structure, shapes and dtypes of the arguments.

Every leaf is memory of its own: no argument, no value found outside the function, no read-only view, and no memory of another leaf.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.build import Builder
from ..ir.effects import aliases
from ..ir.ops import Build, Call, Lit, Op, Operand, Tree, Value
from ..ir.types import Arr, DictT, ListT, Num, OptT, RecordT, SetT, TupleT, Type, is_box, is_differentiable
from ..runtime import gradient_like
from .algebra.builder import AlgebraBuilder
from .reverse.fit import covers, whole
from .split import _zero_for

__all__ = ["conjugate", "structured"]

#: what makes an array that repeats its elements, or that NumPy lets nobody write to
_REPEATS = frozenset((np.broadcast_to, np.diagonal, np.ndarray.diagonal, np.diag, np.lib.stride_tricks.sliding_window_view))


def conjugate(b: Builder, x: Any) -> Any:
    """A complex cotangent as a gradient, or the other way round: rules pair cotangents and tangents without a conjugate."""
    t = x.type
    if isinstance(x, Lit):
        return x
    if isinstance(t, Num) and t.kind == "complex" or isinstance(t, Arr) and t.dtype.startswith("complex"):
        return b.call(np.conj, x, type=t)
    return x


def structured(b: AlgebraBuilder, v: Any, t: Type, entry: Any, flat: list[Operand], computed: dict[Value, Op], paired: bool = False) -> Tree:
    """Append the leaves of a gradient to ``flat`` and return its structure.

    ``v`` is the argument, of type ``t``, ``entry`` its adjoint (None: zero; a dict: the adjoints of items by their places), ``computed``
    are the values of the reverse part; ``paired`` leaves the conjugate of complex leaves out.
    """
    if isinstance(t, (TupleT, RecordT)) and (entry is None or isinstance(entry, dict)):
        keys = list(t.keys) if isinstance(t, RecordT) else list(range(len(t.elems)))
        items = []
        for k, (key, e) in enumerate(zip(keys, t.elems)):
            if not is_differentiable(e):
                items.append(Tree("lit", value=None))
                continue
            sub = entry.get(k) if entry else None
            # the item is asked for its shape, that of a part of it, or its dtype
            asked = sub is None or isinstance(sub, dict) or not covers(sub.type, e) or _looked_at(e)
            items.append(structured(b, _part(b, v, t, key) if asked else None, e, sub, flat, computed, paired))
        if isinstance(t, RecordT):
            return Tree("dict" if t.cls is dict else "object", items, keys=keys, cls=None if t.cls is dict else t.cls)
        if t.cls is list:
            return Tree("list", items)
        return Tree("tuple", items, cls=t.cls)
    if entry is None:
        entry = _zero_for(b, v, ()) if isinstance(v, Value) else Lit(0.0)
    entry = entry if v is None else whole(b, entry, v)
    if isinstance(v, Value) and _looked_at(t):
        entry = b.call(gradient_like, entry, v, not paired, type=t)
    else:
        entry = _of_dtype(b, entry if paired else conjugate(b, entry), t)
    if _needs_copy(b, entry, flat, computed):
        entry = b.call(np.ndarray.copy, entry, name=f"{v.name}_bar" if isinstance(v, Value) and v.name else None, type=entry.type)
    flat.append(entry)
    return Tree("leaf", index=len(flat) - 1)


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
        return item is not None and (not isinstance(item, (Num, Arr)) or _is_complex(item))
    return isinstance(t, (OptT, SetT)) and is_differentiable(t)


def _is_complex(t: Type) -> bool:
    return isinstance(t, Num) and t.kind == "complex" or isinstance(t, Arr) and t.dtype.startswith("complex")


def _of_dtype(b: AlgebraBuilder, entry: Any, t: Type) -> Any:
    """A leaf in the dtype of its argument."""
    have = entry.type
    if is_box(have) and (isinstance(t, Num) or isinstance(t, Arr) and t.scalar):
        entry = b.call(operator.getitem, entry, Lit(()), type=Arr(have.dtype, (), True))
        have = entry.type
    if isinstance(t, Num) and t.kind == "complex" and isinstance(have, (Num, Arr)) and not _is_complex(have):
        return Lit(complex(entry.value)) if isinstance(entry, Lit) and entry.text is None else b.call(complex, entry)
    if not isinstance(t, Arr) or t.dtype[0] not in "fc" or not isinstance(have, (Num, Arr)):
        return entry
    dtype = have.dtype if isinstance(have, Arr) else "complex128" if have.kind == "complex" else "float64"
    if dtype == t.dtype:
        return entry
    cls = getattr(np, t.dtype)
    if isinstance(have, Arr) and have.dims:
        return b.call(np.ndarray.astype, entry, Lit(cls, f"np.{t.dtype}"), type=Arr(t.dtype, have.dims))
    return b.call(cls, entry, type=Arr(t.dtype, (), True))


def _needs_copy(b: AlgebraBuilder, entry: Any, flat: list[Operand], computed: dict[Value, Op]) -> bool:
    """Whether a leaf is memory of somebody else's: an argument or an array found outside, a read-only array, or memory of another leaf."""
    if isinstance(entry, Lit):
        return isinstance(entry.value, np.ndarray)
    if not isinstance(entry.type, Arr) or not entry.type.dims:
        return False
    made_by = {**computed, **b.maker}
    root, repeats = _root(made_by, entry)
    if repeats or root not in made_by or entry in flat:
        return True
    return any(isinstance(y, Value) and isinstance(y.type, Arr) and _root(made_by, y)[0] is root and not _disjoint(made_by, entry, y, flat)
               for y in flat)


def _root(made_by: dict[Value, Op], v: Operand) -> tuple[Operand, bool]:
    """The array that a value is a view of, as far as the reverse part made the views, and whether a view on the way repeats elements."""
    repeats = False
    while isinstance(v, Value) and (made := made_by.get(v)) is not None:
        repeats = repeats or isinstance(made, Call) and made.fn in _REPEATS
        bases = aliases(made)
        if len(bases) != 1 or not isinstance(bases[0].type, Arr):
            break
        v = bases[0]
    return v, repeats


def _disjoint(made_by: dict[Value, Op], x: Value, y: Value, flat: list[Operand]) -> bool:
    """Whether two leaves are certainly different parts of one array: different rows, or pieces of which one ends where the next begins."""
    cuts = [made_by.get(v) for v in (x, y)]
    if not all(isinstance(c, Call) and c.fn is operator.getitem for c in cuts) or cuts[0].args[0] is not cuts[1].args[0]:  # type: ignore[union-attr]
        return False
    p, q = (c.args[1] for c in cuts)  # type: ignore[union-attr]
    if isinstance(p, Lit) and isinstance(q, Lit):
        m, n = (x.value if isinstance(x.value, tuple) else (x.value,) for x in (p, q))
        return m[:-1] == n[:-1] and type(m[-1]) is type(n[-1]) is int and m[-1] != n[-1] and min(m[-1], n[-1]) >= 0
    base = cuts[0].args[0]  # type: ignore[union-attr]
    made = [made_by.get(v) for v in flat if isinstance(v, Value)] + cuts
    spans = [_span(made_by, c.args[1]) for c in made if isinstance(c, Call) and c.fn is operator.getitem and c.args[0] is base]
    first, second = _span(made_by, p), _span(made_by, q)
    return first is not None and second is not None and first[0] == second[0] and (
        _before(first, second, spans) or _before(second, first, spans))


def _span(made_by: dict[Value, Op], index: Any) -> tuple[int, Any, Any] | None:
    """The axis, start and stop of a slice without a step along one axis; None for any other index."""
    made = made_by.get(index) if isinstance(index, Value) else None
    if isinstance(made, Build) and made.kind == "slice":
        start, stop, step = made.items
        return (0, _same(start), _same(stop)) if isinstance(step, Lit) and step.value is None else None
    if isinstance(made, Build) and made.kind == "tuple":
        *front, last = made.items
        if all(isinstance(i, Lit) and i.value == slice(None) for i in front) and (found := _span(made_by, last)) is not None:
            return len(front), *found[1:]
    if isinstance(index, Lit) and isinstance(index.value, slice) and index.value.step is None:
        return 0, index.value.start, index.value.stop
    return None


def _same(bound: Any) -> Any:
    return bound.value if isinstance(bound, Lit) else bound


def _before(x: Any, y: Any, spans: list[Any]) -> bool:
    """Whether a piece ends where a chain of pieces begins that leads to another."""
    at, seen = x[2], 0
    while at is not None and seen <= len(spans):
        if at is y[1] or isinstance(at, int) and at == y[1]:
            return True
        following = [s[2] for s in spans if s is not None and s[0] == x[0] and (s[1] is at or isinstance(at, int) and s[1] == at)]
        if not following:
            return False
        at, seen = following[0], seen + 1
    return False
