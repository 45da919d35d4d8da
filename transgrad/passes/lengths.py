"""Names the lengths of arrays of which only their making tells: that of ``x[::2]`` is then known to be that of ``x[::2] ** 2``.

What loops carry and branches choose between gets no name: it may be of another length each time, and a name stands for one length
at a time.
"""
from __future__ import annotations

import itertools
import operator
from typing import Any

from ..ir.infer import infer
from ..ir.ops import Block, Build, Call, Function, Invoke, Lit, Op, Star, Value, blocks_of
from ..ir.types import Arr, Dim

__all__ = ["name_lengths"]

_COUNT = itertools.count()


def name_lengths(fn: Function) -> None:
    """Changes the types of values of ``fn`` in place."""
    _block(fn.body, {}, {})


def _block(block: Block, makers: dict[Value, Op], parts: dict[Any, Dim]) -> None:
    for op in block.ops:
        if type(op) is Call or type(op) is Invoke:
            if any(map(_has_nameless, op.results)):
                _name(op, makers, parts)
            continue
        if type(op) is Build:
            makers[op.result] = op
        for inner in blocks_of(op):
            _block(inner, makers, parts)


def _has_nameless(v: Value) -> bool:
    if type(v.type) is Arr:
        for d in v.type.dims:
            if d.one is None and d.sym is None:
                return True
    return False


def _name(op: Call | Invoke, makers: dict[Value, Op], parts: dict[Any, Dim]) -> None:
    """Infers again from operands whose lengths have names now, and makes a name for what is left."""
    if isinstance(op, Call) and len(op.results) == 1 and not any(isinstance(a, Star) for a in op.args):
        found, t = infer(op.fn, op.args, op.kwargs), op.result.type
        assert isinstance(t, Arr)
        if isinstance(found, Arr) and (found.dtype, len(found.dims)) == (t.dtype, len(t.dims)):
            op.result.type = Arr(t.dtype, tuple(n if d.one is None and d.sym is None else d for n, d in zip(found.dims, t.dims)), t.scalar)
    for v in filter(_has_nameless, op.results):
        assert isinstance(v.type, Arr)
        key = _part(op, makers) if isinstance(op, Call) and len(v.type.dims) == 1 else None
        dims = [Dim(None, ("<made>", next(_COUNT))) if d.one is None and d.sym is None else d for d in v.type.dims]
        if key is not None:
            dims = [parts.setdefault(key, dims[0])]
        v.type = Arr(v.type.dtype, tuple(dims), v.type.scalar)


def _part(op: Call, makers: dict[Value, Op]) -> Any:
    """What makes two parts of arrays equally long: the length of the array, and the slice."""
    base = op.args[0].type if op.fn is operator.getitem else None
    if not isinstance(base, Arr) or len(base.dims) != 1 or base.dims[0].sym is None:
        return None
    index = op.args[1]
    made = makers.get(index) if isinstance(index, Value) else None
    if isinstance(index, Lit) and isinstance(index.value, slice):
        bounds: tuple[Any, ...] = index.value.start, index.value.stop, index.value.step
    elif isinstance(made, Build) and made.kind == "slice":
        bounds = tuple(i.value if isinstance(i, Lit) else i for i in made.items)
    else:
        return None
    return base.dims[0].sym, base.dims[0].off, *bounds
