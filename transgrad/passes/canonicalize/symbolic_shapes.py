"""Name the lengths of arrays that depend on how the array was made, so that ``x[::2]`` and ``x[::2] ** 2`` are known to have the same
length.

Loop-carried values and results of branches get no name: their length may differ each time, and a name denotes one length.
"""
from __future__ import annotations

import itertools
import operator
from collections.abc import Mapping
from typing import Any

from ...ir.infer import Typed, infer
from ...ir.ops import Block, Build, Call, Function, Invoke, Lit, Op, Star, Value, blocks_of
from ...ir.types import Arr, Dim, Num
from ..manager import Stage, optimization

__all__ = ["name_symbolic_lengths", "with_names"]

_COUNT = itertools.count()
_SHIFTS = (operator.add, operator.sub)


@optimization(Stage.DIFFERENTIATE)
def name_symbolic_lengths(fn: Function) -> bool:
    """Change the types of values of ``fn`` in place, and record the names of parts of arrays for reads of their shadows."""
    parts: dict[Any, Dim] = {}
    _block(fn.body, {}, parts)
    fn.attrs.parts = parts
    return True


def with_names(fn: Function, base: Any, index: Any, found: Arr, makers: Mapping[Value, Op]) -> Arr:
    """The type of ``base[index]``, which has been found to be ``found``, with the names that such parts of arrays have in ``fn``."""
    parts: dict[Any, Dim] = fn.attrs.parts
    keys = _parts(base, index, makers) if any(map(_is_open, found.dims)) else None
    if not keys:
        return found
    known = [k if type(k) is Dim else parts.get(k) for k in keys]
    dims = [k if k is not None and _is_open(d) else d for k, d in zip([*known, *[None] * len(found.dims)], found.dims)]
    return Arr(found.dtype, tuple(dims), found.scalar)


def _is_open(d: Dim) -> bool:
    """Whether nothing is known of a length but that it is one, maybe of a name that nothing else has."""
    return d.one is None and (d.sym is None or isinstance(d.sym, tuple) and d.sym[:1] == ("<fresh>",))


def _block(block: Block, makers: dict[Value, Op], parts: dict[Any, Dim]) -> None:
    for op in block.ops:
        if type(op) is Call or type(op) is Invoke:
            if any(map(_has_nameless, op.results)):
                _name(op, makers, parts)
            elif op.results and type(op.results[0].type) is Num and type(op) is Call and op.fn in _SHIFTS:
                makers[op.results[0]] = op
            continue
        if type(op) is Build:
            makers[op.result] = op
        for inner in blocks_of(op):
            _block(inner, makers, parts)


def _has_nameless(v: Value) -> bool:
    if type(v.type) is Arr:
        return any(_is_nameless(d) for d in v.type.dims)
    return False


def _is_nameless(d: Dim) -> bool:
    return d.sym is None and d.one is not True


def _name(op: Call | Invoke, makers: dict[Value, Op], parts: dict[Any, Dim]) -> None:
    """Infer types again from operands whose lengths have names now, and name the remaining lengths."""
    if isinstance(op, Call) and len(op.results) == 1 and not any(isinstance(a, Star) for a in op.args):
        found, t = infer(op.fn, op.args, op.kwargs), op.result.type
        assert isinstance(t, Arr)
        if isinstance(found, Arr) and (found.dtype, len(found.dims)) == (t.dtype, len(t.dims)):
            dims = [n if _is_nameless(d) and d.one in (None, n.one) else d for n, d in zip(found.dims, t.dims)]
            op.result.type = Arr(t.dtype, tuple(dims), t.scalar)
    for v in filter(_has_nameless, op.results):
        assert isinstance(v.type, Arr)
        keys = _parts(op.args[0], op.args[1], makers) if isinstance(op, Call) and op.fn is operator.getitem else None
        dims = [_named(d, parts, keys[k] if keys is not None and k < len(keys) else None) for k, d in enumerate(v.type.dims)]
        v.type = Arr(v.type.dtype, tuple(dims), v.type.scalar)


def _named(d: Dim, parts: dict[Any, Dim], key: Any) -> Dim:
    if not _is_nameless(d):
        return d
    if type(key) is Dim and d.one in (None, key.one):
        return key
    made = Dim(d.one, ("<made>", next(_COUNT)))
    return made if type(key) is Dim or key is None else parts.setdefault(key, made)


def _parts(whole: Any, index: Any, makers: Mapping[Value, Op]) -> list[Any] | None:
    """For each dimension of a part of an array, the operands that determine its length: the length of the array, and the slice; or
    the length itself, if the slice determines it."""
    base = whole.type
    if not isinstance(base, Arr):
        return None
    made = makers.get(index) if isinstance(index, Value) else None
    items: Any = (made.items if isinstance(made, Build) and made.kind == "tuple"
                  else map(Lit, index.value) if isinstance(index, Lit) and isinstance(index.value, tuple) else [index])
    found: list[Any] = []
    for d, item in zip(base.dims, items):
        if isinstance(item, (Lit, Value)) and isinstance(item.type, Num) and item.type.kind == "int":
            continue        # this dimension goes
        bounds = _bounds(item, makers)
        if bounds is None:
            return found or None
        told = infer(operator.getitem, [Typed(Arr("float64", (d,))), Lit(item.value)]) if isinstance(item, Lit) else None
        if isinstance(told, Arr) and (told.dims[0].sym is not None or told.dims[0].one is not None):
            found.append(told.dims[0])
        else:
            found.append((d.sym, d.off, *bounds) if d.sym is not None else None)
    return found


def _bounds(index: Any, makers: Mapping[Value, Op]) -> tuple[Any, ...] | None:
    """The extent of a slice; for those that omit a number of elements at the ends, these numbers."""
    made = makers.get(index) if isinstance(index, Value) else None
    if isinstance(index, Lit) and isinstance(index.value, slice):
        start, stop, step = index.value.start, index.value.stop, index.value.step
    elif isinstance(made, Build) and made.kind == "slice":
        start, stop, step = (_number(i, makers) for i in made.items)
    else:
        return None
    before, after = 0 if start is None else start, 0 if stop is None else stop
    if type(before) is type(after) is int and before >= 0 and (after < 0 or stop is None) and step in (None, 1):
        return (before - after,)
    return start, stop, step


def _number(x: Any, makers: Mapping[Value, Op]) -> Any:
    """A bound of a slice: a literal, a value, or the sum of a value and an offset."""
    made = makers.get(x) if isinstance(x, Value) else None
    if isinstance(made, Call) and made.fn in _SHIFTS and isinstance(made.args[1], Lit):
        return made.fn, made.args[0], made.args[1].value
    return x.value if isinstance(x, Lit) else x
