"""Common-subexpression elimination: replace a pure operation by an earlier one on the same operands that dominates it."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.effects import is_known_pure, is_mutable, only_computes, writes
from ...ir.ops import Block, Build, Call, Function, GetAttr, Lit, Op, Operand, Value, blocks_of, operands_of
from ...ir.types import Arr, Num, Obj
from ..analysis.alias import AliasClasses
from ..analysis.support_conditions import ZERO
from ..manager import Stage, analysis, optimization
from ..rewriting.substitute import substitute_op

__all__ = ["eliminate_common_subexpressions"]


@optimization(Stage.SIMPLIFY, "simplify", analyses=(AliasClasses,))
def eliminate_common_subexpressions(fn: Function) -> bool:
    """Rewrites ``fn`` in place.

    Assignments of the user's stay; operations that read memory which is written to, or whose result is a new array or container that
    may be written to, stay, and so do two of which both results are returned: whoever gets these may write to one of them.
    """
    returned = {y for y in fn.body.yields if is_mutable(y.type)}
    _block(fn.body, {}, {}, analysis(AliasClasses, fn), returned)
    return True


def _block(block: Block, seen: dict[Any, Op], mapping: dict[Value, Operand], classes: AliasClasses, returned: set[Operand]) -> None:
    kept: list[Op] = []
    hidden: list[tuple[Any, Op | None]] = []
    replaced = mapping.keys()
    for op in block.ops:
        if mapping and not replaced.isdisjoint(operands_of(op)):
            substitute_op(op, mapping)
        key = _key(op, classes)
        if key is not None:
            earlier = seen.get(key)
            if earlier is not None and not (op.part == "primal" and op.result.name) and not (
                    op.result in returned and earlier.result in returned):
                mapping[op.result] = earlier.result
                if earlier.result.name is None:
                    earlier.result.name = op.result.name
                continue
            hidden.append((key, earlier))
            seen[key] = op
        if type(op) is not Call:
            for inner in blocks_of(op):
                _block(inner, seen, mapping, classes, returned)
        kept.append(op)
    block.ops = kept
    for key, outer in reversed(hidden):     # what is computed in a block is not in sight behind it
        if outer is None:
            del seen[key]
        else:
            seen[key] = outer
    block.yields = [mapping.get(y, y) if isinstance(y, Value) else y for y in block.yields]


#: functions that make arrays, also those that stand for results that are not computed, whose types say more than their arguments
_PLACEHOLDERS = (np.zeros, np.full)


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
    if len(op.results) != 1 or type((made := op.results[0]).type) is not Num and _is_fresh_reference(made, op, classes):
        return None
    try:
        if isinstance(op, Call):
            if not only_computes(op) and (writes(op) or not is_known_pure(op.fn)):
                return None
            options = sorted(op.kwargs) if op.kwargs else ()
            key = [op.fn, *options, made.type] if op.fn in _PLACEHOLDERS else [op.fn, *options]
            for a in [*op.args, *(op.kwargs[k] for k in options)] if options else op.args:
                if type(a) is Lit:
                    key.append(a if a is ZERO else _literal(a.value))
                elif type(a) is Value and (type(a.type) is Num or type(a.type) is Arr and not classes.is_written(a)):
                    key.append(a)
                else:
                    return None
            return tuple(key)
        if isinstance(op, GetAttr) and isinstance(op.obj.type, Arr) and not classes.is_written(op.obj):
            return "attribute", op.name, _operand(op.obj)
        if isinstance(op, Build) and op.kind == "slice":
            return "slice", *map(_operand, op.items)
    except TypeError:
        return None
    return None


def _is_fresh_reference(v: Value, op: Op, classes: AliasClasses) -> bool:
    """Whether it matters which of two equal objects a value is."""
    if isinstance(v.type, Obj) and isinstance(op, Call) and isinstance(op.fn, type) and op.fn not in (slice, range):
        return True     # a context manager, a generator of random numbers…
    return is_mutable(v.type) and classes.is_written(v)
