"""What may be done with instances on the heap as a whole: they are stored, compared by identity and handed on.

An instance on the heap is a number at run time (see `heap`), so that any other operation on it would be done with the number.
"""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ...ir.effects import writes
from ...ir.ops import Build, Call, CallValue, GetAttr, Lit, Op, Raise, SetAttr, Star, Value, With, operands_of
from ...ir.prims import not_in, present, unpack
from ...ir.types import DictT, ListT, OptT, RefT, SetT, TupleT, holds_reference, reference
from ..refusals import refuse

if TYPE_CHECKING:
    from ..context import Lowering

__all__ = ["KEEPS_ITEM", "TAKES", "check", "check_results", "compares_by_identity"]


def compares_by_identity(t: Any) -> bool:
    """Whether instances in a type are equal only to themselves."""
    match t:
        case RefT():
            plain: Any = object.__eq__
            return all(c.__eq__ is plain for c in t.classes)
        case TupleT(elems):
            return all(map(compares_by_identity, elems))
        case ListT(elem) | SetT(elem) | OptT(elem):
            return compares_by_identity(elem)
        case DictT(key, value):
            return compares_by_identity(key) and compares_by_identity(value)
    return True


STORES = frozenset((
    operator.getitem, operator.setitem, operator.delitem, list.append, list.insert, list.pop, list.extend, list.copy, list.clear,
    list.reverse, list, tuple, dict, set, frozenset, len, dict.get, dict.pop,
    dict.setdefault, dict.update, dict.copy, dict.clear, dict.keys, dict.values,
    dict.items, set.add, set.discard, set.remove, set.copy, set.clear, set.update, unpack, present, operator.is_, operator.is_not, reversed,
    dict.popitem, enumerate, zip,
))
_COMPARES = frozenset((operator.contains, not_in, list.index, list.remove, list.count, operator.eq, operator.ne, set.add, set.discard,
                       set.remove))
#: what takes an instance, or a function that becomes one, as it is
TAKES = STORES | _COMPARES
#: methods that put an argument into a container
KEEPS_ITEM = frozenset((list.append, list.insert, set.add, set.discard, set.remove, list.remove, list.index, list.count, dict.setdefault,
                        dict.get, dict.pop, dict.__setitem__, list.__setitem__))
#: what goes through an operand, item by item
_GOES_THROUGH = frozenset((list.extend, list, tuple, dict, set, frozenset, len, dict.update, set.update, reversed, enumerate, zip, unpack,
                           operator.iadd, operator.add, operator.mul))
_OF_CONTAINERS = frozenset((operator.add, operator.iadd, operator.mul, operator.not_, operator.truth, bool))


def check(ctx: Lowering, op: Op) -> None:
    """Refuses an operation that would do something else with the number of an instance than with the instance."""
    operands = [o for o in operands_of(op) if isinstance(o, Value) and holds_reference(o.type)]
    if not operands:
        return
    if isinstance(op, (GetAttr, SetAttr, CallValue, Raise, With)) or isinstance(op, Build) and op.kind in ("str", "slice"):
        _refuse(ctx, operands[0])
    if isinstance(op, Build) and op.kind in ("dict", "set"):
        keys = op.items[::2] if op.kind == "dict" else op.items
        _check_keys(ctx, [k.value if isinstance(k, Star) else k for k in keys])
    if not isinstance(op, Call):
        return
    if op.fn in (operator.setitem, operator.getitem, operator.contains) and any(
            op.args[0] is known for known in (ctx.tables if ctx.variant is not None else ctx.program.heap.tables).values()):
        return      # the attributes of a class
    direct = any(map(_is_reference, operands))
    if op.fn in _COMPARES:
        if not all(compares_by_identity(o.type) for o in operands):
            _refuse(ctx, operands[0])
    elif not (op.fn in STORES or op.fn in _OF_CONTAINERS and not direct):
        _refuse(ctx, operands[0])
    if direct and (op.fn in _GOES_THROUGH or op.fn in (operator.contains, not_in) and _is_reference(op.args[op.fn is not_in])):
        _refuse(ctx, operands[0])
    if any(isinstance(a, Star) for a in op.args) or op.results and op.result.type == reference():
        _refuse(ctx, operands[0])
    if op.fn in (operator.setitem, dict.setdefault, dict.get, dict.pop, operator.getitem) and isinstance(op.args[0].type, DictT):
        _check_keys(ctx, [op.args[1]])
    for target in writes(op):
        if isinstance(target, Lit) or ctx.sharing.is_foreign(target) or target in ctx.sharing.given_away or any(
                v in ctx.examples for v in ctx.sharing.all(target)):
            refuse("static", ctx.loc, "an instance that is created inside the function is stored in a container from outside, where it")


def _is_reference(x: Any) -> bool:
    """Whether an operand is an instance itself, or None in its place, rather than a container of instances."""
    t = getattr(x, "type", None)
    return isinstance(t.elem if isinstance(t, OptT) else t, RefT)


def _check_keys(ctx: Lowering, keys: list[Any]) -> None:
    for k in keys:
        if isinstance(k, Value) and holds_reference(k.type) and not compares_by_identity(k.type):
            _refuse(ctx, k)


def _refuse(ctx: Lowering, x: Value) -> None:
    what = "an instance that is made inside the function"
    if x.name:
        what = f"'{x.name}', which is or holds an instance made inside the function,"
    refuse("static", ctx.loc, f"{what} is used as a whole in a way that is not supported: only its attributes and methods are")


def check_results(ctx: Lowering) -> None:
    """Refuses instances among the results of the differentiated function, and in containers from outside."""
    for v in (*ctx.function.body.yields, *ctx.examples, *ctx.function.body.params):
        if isinstance(v, Value) and holds_reference(v.type):
            refuse("static", ctx.function.attrs.return_loc or ctx.loc, "an instance that is made inside the function leaves it, and")
