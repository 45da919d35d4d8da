"""Placeholders for values that are undefined on a path, with the type of the value, because a Numba variable has one type."""
from __future__ import annotations

import numpy as np

from ...ir.build import Builder
from ...ir.ops import UNDEF, Block, For, Function, If, Lit, Op, Operand, Try, Value, While, With, blocks_of
from ...ir.types import Arr, ListT, Num, TupleT, Type
from ..manager import Property, Stage, optimization

__all__ = ["fill_in"]


@optimization(Stage.LOWER_NUMBA, requires=(Property.FINAL,))
def fill_in(fn: Function) -> bool:
    """Rewrite a function in place: literals that stand for nothing become zeros, and empty arrays, of the type that is expected."""
    _visit(fn.body)
    return True


def _visit(block: Block) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in blocks_of(op):
            _visit(inner)
        if isinstance(op, (For, While)):
            before = Block()
            op.inits = [_filler(before, o, v.type) for o, v in zip(op.inits, op.results)]
            ops += before.ops
            op.body.yields = [*op.body.yields[:op.stops], *(_filler(op.body, o, v.type)
                                                            for o, v in zip(op.body.yields[op.stops:], op.results))]
        elif isinstance(op, (If, Try, With)):
            bodies = [op.then, op.orelse] if isinstance(op, If) else [op.body]
            for inner in bodies:
                # a store that is dead before a break keeps Numba from finding the type of the variable
                inner.yields = [o if o is UNDEF and isinstance(v.type, Num) else _filler(inner, o, v.type)
                                for o, v in zip(inner.yields, op.results)]
        ops.append(op)
    block.ops = ops


def _filler(block: Block, o: Operand, t: Type) -> Operand:
    """The operand, or a placeholder of its type if it is undefined."""
    if isinstance(o, Value) or not (o is UNDEF or o.filler or o.value is None or type(o.value) is float and o.value == 0.0):
        return o
    if isinstance(t, Num) or isinstance(t, Arr) and t.scalar:
        kind = t.kind if isinstance(t, Num) else np.dtype(t.dtype).kind
        zero = {"bool": False, "b": False, "int": 0, "i": 0, "complex": 0j, "c": 0j}.get(kind, 0.0)
        return Lit(zero) if not isinstance(o.value, float) or kind in ("complex", "c") else o
    if isinstance(t, Arr) and t.dims:
        with Builder(block) as b:
            dtype = [] if t.dtype == "float64" else [Lit(np.dtype(t.dtype).type)]
            return b.call(np.empty, 0 if len(t.dims) == 1 else (0,) * len(t.dims), *dtype, type=t)  # type: ignore[no-any-return]
    if isinstance(t, TupleT) and t.elems or isinstance(t, ListT) and t.elem is not None:
        items = [_filler(block, Lit(None), e) for e in (t.elems if isinstance(t, TupleT) else [t.elem]) if e is not None]
        with Builder(block) as b:
            return b.build("list", items) if isinstance(t, ListT) else b.build("tuple" if t.cls is None else "namedtuple", items, t.cls)
    return o
