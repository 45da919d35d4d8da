"""Known lengths of rows: the last axis of an argument with several dimensions, if it is short.

A row of such an argument is a small array of known length, for example the three coordinates of a point. Lengths are not part of a type,
so the types do not include them. Here the lengths of the arguments of the call that is compiled are written into the types, and the
types of all results are inferred again. A guard checks the lengths at each call.
"""
from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ....ir.attributes import Guard
from ....ir.infer import infer
from ....ir.ops import Block, Call, Function, Lit, Star, blocks_of, walk
from ....ir.types import Arr, Dim, ListT, RecordT, TupleT, Type

__all__ = ["WIDEST", "know_rows", "short_rows", "short_vectors"]

#: Longer rows are taken apart in no function.
WIDEST = 16


def short_rows(fn: Function) -> dict[Any, int]:
    """The lengths of short rows of arguments, by the symbol of the dimension."""
    return {(place, len(shape) - 1): shape[-1] for place, shape in fn.attrs.shapes.items() if len(shape) > 1 and 1 < shape[-1] <= WIDEST}


def short_vectors(fn: Function, lengths: Mapping[str, int]) -> dict[Any, int]:
    """The lengths of short vectors among the arguments that parts are taken of, by the symbol of the dimension."""
    parted = {op.args[0] for op in walk(fn.body) if type(op) is Call and op.fn is operator.getitem
              and isinstance(index := op.args[1], Lit) and isinstance(index.value, slice)}
    return {(p.name, 0): n for p in fn.signature if p.value in parted and 1 < (n := lengths.get(p.name, 0)) <= WIDEST}


def know_rows(fn: Function, lengths: dict[Any, int]) -> list[Guard]:
    """Write lengths into the types of a function, in place; return the guards for those that occur."""
    found: set[Any] = set()

    def known(t: Type) -> Type:
        if type(t) is Arr:
            if not any(d.sym in lengths for d in t.dims):
                return t
            found.update(d.sym for d in t.dims if d.sym in lengths)
            return Arr(t.dtype, tuple(_known(d, lengths) for d in t.dims), t.scalar)
        if type(t) is ListT and t.elem is not None:
            return t if (elem := known(t.elem)) is t.elem else replace(t, elem=elem)
        if isinstance(t, (TupleT, RecordT)):
            elems = tuple(map(known, t.elems))
            return t if all(a is b for a, b in zip(elems, t.elems)) else replace(t, elems=elems)
        return t

    def visit(block: Block) -> None:
        for p in block.params:
            p.type = known(p.type)
        for op in block.ops:
            for v in op.results:
                v.type = known(v.type)
            if type(op) is Call and len(op.results) == 1 and _is_open(op.results[0].type) and not any(type(a) is Star for a in op.args):
                _infer_again(op)
            for inner in blocks_of(op):
                visit(inner)

    visit(fn.body)
    return [Guard("alike", place, axis, lengths[place, axis]) for place, axis in sorted(found, key=repr)]


def _known(d: Dim, lengths: dict[Any, int]) -> Dim:
    n = lengths.get(d.sym)
    return d if n is None or n + d.off < 0 else Dim(n + d.off == 1, ("<const>", n), d.off)


def _is_open(t: Type) -> bool:
    return isinstance(t, Arr) and not t.scalar and any(d.known is None for d in t.dims)


def _infer_again(op: Call) -> None:
    """Give a result a type that says more of its lengths."""
    t = op.results[0].type
    assert isinstance(t, Arr)
    now = infer(op.fn, op.args, op.kwargs)
    if isinstance(now, Arr) and (now.dtype, len(now.dims), now.scalar) == (t.dtype, len(t.dims), t.scalar):
        dims = tuple(new if new.known is not None else old for new, old in zip(now.dims, t.dims))
        if dims != t.dims:
            op.results[0].type = Arr(t.dtype, dims, t.scalar)
