"""Computes equal expressions once: a pure operation on the same operands as an earlier one in sight is replaced by it."""
from __future__ import annotations

from typing import Any

from ...ir.effects import is_known_pure, only_computes, writes
from ...ir.ops import Block, Build, Call, Function, GetAttr, Lit, Op, Operand, Star, Value, blocks_of
from ...ir.types import Arr, Num, Obj
from ..analysis.alias import AliasClasses
from ..substitute import substitute_op

__all__ = ["eliminate_common_subexpressions"]


def eliminate_common_subexpressions(fn: Function) -> None:
    """Rewrites ``fn`` in place.

    Assignments of the user's stay; operations that read memory which is written to, or whose result is a new array that may be
    written to, stay.
    """
    _block(fn.body, {}, {}, AliasClasses(fn))


def _block(block: Block, seen: dict[Any, Op], mapping: dict[Value, Operand], classes: AliasClasses) -> None:
    kept: list[Op] = []
    hidden: list[tuple[Any, Op | None]] = []
    for op in block.ops:
        substitute_op(op, mapping)
        key = _key(op, classes)
        if key is not None and key in seen and not (op.part == "primal" and op.result.name):
            earlier = seen[key]
            for old, new in zip(op.results, earlier.results):
                mapping[old] = new
                if new.name is None:
                    new.name = old.name
            continue
        if key is not None:
            hidden.append((key, seen.get(key)))
            seen[key] = op
        if type(op) is not Call:
            for inner in blocks_of(op):
                _block(inner, seen, mapping, classes)
        kept.append(op)
    block.ops = kept
    for key, outer in reversed(hidden):     # what is computed in a block is not in sight behind it
        if outer is None:
            del seen[key]
        else:
            seen[key] = outer
    block.yields = [mapping.get(y, y) if isinstance(y, Value) else y for y in block.yields]


def _operand(x: Any) -> Any:
    if isinstance(x, Value):
        return x
    if isinstance(x, Lit):
        v = x.value
        if isinstance(v, slice):
            return "slice", _literal(v.start), _literal(v.stop), _literal(v.step)
        return _literal(v)
    raise TypeError


def _literal(v: Any) -> Any:
    if isinstance(v, slice):
        return "slice", _literal(v.start), _literal(v.stop), _literal(v.step)
    if isinstance(v, tuple):
        return "tuple", *map(_literal, v)
    hash(v)
    return type(v), (str(v) if isinstance(v, float) else v)


def _key(op: Op, classes: AliasClasses) -> Any:
    """What an operation computes, where computing it once is enough."""
    if len(op.results) != 1 or _is_fresh_reference(op.result, op, classes):
        return None
    try:
        if isinstance(op, Call):
            if not only_computes(op) and (writes(op) or not is_known_pure(op.fn)):
                return None
            for a in (*op.args, *op.kwargs.values()) if op.kwargs else op.args:
                if type(a) is Star or type(a) is Value and type(a.type) is not Num and (type(a.type) is not Arr or classes.is_written(a)):
                    return None
            key = op.fn, *[a if type(a) is Value else _operand(a) for a in op.args]
            return (*key, *[(k, _operand(v)) for k, v in sorted(op.kwargs.items())]) if op.kwargs else key
        if isinstance(op, GetAttr) and isinstance(op.obj.type, Arr) and not classes.is_written(op.obj):
            return "attribute", op.name, _operand(op.obj)
        if isinstance(op, Build) and op.kind == "slice":
            return "slice", *map(_operand, op.items)
    except TypeError:
        return None
    return None


def _is_fresh_reference(v: Value, op: Op, classes: AliasClasses) -> bool:
    """Whether it matters which of two equal objects a value is."""
    if type(v.type) is Arr:
        return not v.type.scalar and classes.is_written(v)
    if isinstance(v.type, Obj) and isinstance(op, Call) and isinstance(op.fn, type):
        return op.fn not in (slice, range)      # a context manager, a generator of random numbers…
    return False
