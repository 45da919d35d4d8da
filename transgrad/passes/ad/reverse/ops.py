"""Reverse of operations without regions: calls by their rules, displays, attributes."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import rules
from ....errors import UnsupportedCall, UnsupportedSyntax
from ....ir.effects import MAY_RETURN, VIEWS, only_computes, writes
from ....ir.infer import without_none
from ....ir.libraries import is_array
from ....ir.ops import (
    Build,
    Call,
    CallValue,
    For,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    SetAttr,
    Star,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from ....ir.prims import RECORD, present
from ....ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, RecordT, SetT, TupleT
from ....runtime import cofactor, give_back
from ...analysis.activity import is_constant_op
from ...analysis.memory_order import MAYBE_VIEWS
from ...analysis.support import Selection, nonzero
from ...analysis.support_conditions import masked_operands
from ..nan_masking import masked_entries, reverse_mask, unmasked
from ..tape_calls import REVERSE
from ..unsupported_calls import located, refuse_call
from . import control, invoke
from .arrays import ARRAY_OPS
from .composites import reverse_composite
from .containers import CONTAINER_OPS, add_stored
from .square_rule import PRODUCTS, SQUARES, is_square
from .unbroadcast import covers, dims_of, entry_type, full, is_fresh

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["entries_of", "raw", "reverse_op"]


def reverse_op(r: "Reverse", op: Op) -> None:
    """Append the adjoint of one operation."""
    if isinstance(op, Call) and op.spelling == RECORD:
        return
    if isinstance(op, (GetAttr, SetAttr)) and isinstance(op.obj, Lit):
        for v in op.results:
            r.take(v)       # a global object: it is not read again (see `frontend.objects.attribute_rereads`)
        return
    if r.activity.varies_outside:
        for o in operands_of(op):
            if isinstance(o, Lit) and r.activity.active(o):
                raise UnsupportedSyntax(f"{o.text or 'an object'} from outside the function is given values that depend on a "
                                        "differentiated input, and is read again", op.loc, "make it an argument, or a local variable")
    if (masked := masked_operands(op, r.layout.maker.get)) is not None:
        reverse_mask(r, op, masked)
        return
    match op:
        case Call():
            _reverse_call(r, op)
        case If() | For() | While() | Try() | With():
            if isinstance(op, If):
                control.reverse_if(r, op)
            elif isinstance(op, (For, While)):
                control.reverse_loop(r, op)
            else:
                control.reverse_guard(r, op)
            _note_cleared(r, op)
        case Invoke():
            invoke.reverse_invoke(r, op)
        case Build():
            _reverse_build(r, op)
        case GetAttr():
            _reverse_getattr(r, op)
        case SetAttr():
            from .objects import reverse_setattr
            reverse_setattr(r, op)
        case CallValue():
            if any(map(r.is_active, op.results)):
                refuse_call(op)


def _note_cleared(r: "Reverse", op: Op) -> None:
    """Record the arrays of which something in a block has overwritten elements with constants: their cotangents are zero now."""
    inner = [o for block in blocks_of(op) for o in walk(block)]
    inside = {v for o in inner for v in o.results} | {p for o in (op, *inner) for block in blocks_of(o) for p in block.params}
    for base in dict.fromkeys(o.args[0] for o in inner if type(o) is Call and o.fn is operator.setitem and isinstance(o.args[0].type, Arr)
                              and not r.is_active(o.args[2])):
        if base not in inside and r.is_active(base) and r.in_own_block(base) and r.has_shadow(base):
            r.buffers.after(r, r.shadow(base), nonzero(r, r.shadow(base), Selection.OVERWRITTEN))


def raw(operand: Any) -> Any:
    """An operand as a rule receives it: plain literals as Python values, arrays as operands, whose operators append to the IR."""
    if isinstance(operand, Lit) and (operand.text is None or not isinstance(operand.value, (float, complex, np.ndarray))):
        return operand if isinstance(operand.value, np.ndarray) or is_array(operand.value) else operand.value
    return operand


def _argument(r: "Reverse", op: Op, a: Any) -> Any:
    """An argument for a rule; a display that nothing writes to is given as a Python list of its items."""
    a = a.value if isinstance(a, Star) else a
    if isinstance(a, Value):
        made = r.layout.maker.get(a)
        if (isinstance(made, Build) and made.kind in ("list", "tuple") and not r.classes.is_written(a)
                and not any(isinstance(i, Star) for i in made.items)):
            items = [_argument(r, op, i) for i in made.items]
            return items if made.kind == "list" else tuple(items)
        kept = r.keep(a, op, deep=True)
        if not isinstance(a.type, TupleT) or not r.is_active(a):
            return kept
        source = r.copy_of.get(a, a)
        return _items(r, r.refs(source), kept, a.type)
    return raw(a)


def _items(r: "Reverse", whole: Any, kept: Any, t: TupleT) -> Any:
    """The items of a tuple or mixed list, for a rule that takes a sequence of arrays, or the array that a sequence stands for.

    ``whole`` is the container as a name with an adjoint, ``kept`` the same as it was when it was read.
    """
    parts = r.refs.parts_of(whole) if isinstance(whole, Value) and r.in_parts(whole) else None
    items = []
    for k, e in enumerate(t.elems):
        item: Any = kept[k] if isinstance(kept, tuple) else r.builder.call(operator.getitem, kept, k, type=e)
        if isinstance(e, TupleT) and parts is not None:
            item = _items(r, parts[k], item, e)
        elif isinstance(item, Value):
            part = whole if parts is None else parts[k]
            r.item_read[item] = (whole, k) if parts is None else part
            if isinstance(part, Value):
                r.copy_of[item] = part
        items.append(item)
    return items if t.cls is list else tuple(items)


def _reverse_call(r: "Reverse", op: Call) -> None:
    fn, results = op.fn, op.results
    special = _special(r, op)
    if special is not None:
        special(r, op)
        return
    if not only_computes(op) and any(r.is_active(w) and r.has_shadow(w) for w in writes(op)):
        refuse_call(op)     # it changes an operand in a way that cannot be reversed here
    if not any(map(r.is_active, results)) or is_constant_op(op):
        return
    if (fn in MAYBE_VIEWS or fn in MAY_RETURN) and r.mirrored(op.result) and op.result not in r.mirrors.fresh:
        r.builder.call(give_back, r.shadow(op.args[0]), r.shadow(op.result), type=Obj(type(None)))
        r.builder.block.ops[-1].results = []
        return
    if fn in VIEWS and len(results) == 1 and r.shadowed(op.result) and r.view_base(op.result) is not None:
        r.take(op.result)       # its shadow is a view of the shadow
        return
    gs = list(map(r.take, results))
    if gs.count(None) == len(gs) or len(gs) == 1 and reverse_composite(r, op, gs[0]):
        return
    rule = rules.lookup(fn)
    if rule is None or Star in map(type, op.args):
        refuse_call(op)
        return
    args = [_argument(r, op, a) for a in op.args]
    kwargs = {k: _argument(r, op, v) for k, v in op.kwargs.items()} if op.kwargs else {}
    y: Any
    g: Any
    if len(results) == 1:
        y, g = r.keep(results[0], op, after=True), gs[0]
        if isinstance(g, dict) and isinstance(results[0].type, TupleT):     # a tuple of one item, or one whose parts are read by name
            elems = results[0].type.elems
            y, g = [r.builder.call(operator.getitem, y, k, type=e) for k, e in enumerate(elems)], list(map(g.get, range(len(elems))))
    else:
        y, g = [r.keep(v, op, after=True) for v in results], gs
    before = len(r.builder.block.ops)
    doubled = fn in SQUARES and is_square(r, op)
    if doubled and fn not in PRODUCTS:
        g = r.builder.call(operator.mul, Lit(2.0), g)
    g, mask = unmasked(r, op, rule.kind, g)
    entries, args = entries_of(r, op, rule, g, y, args, kwargs)
    if doubled and entries[0] is not None:      # x * x: once, twice as large
        entries = [r.builder.call(operator.mul, Lit(2.0), entries[0]) if fn in PRODUCTS else entries[0], None]
    if fn is operator.mul and any(type(a) is Value and type(a.type) is Obj for a in args):
        entries = [_of_factor(r, k, e, g, args) for k, e in enumerate(entries)]
    entries = masked_entries(r, op, rule.kind, g, mask, entries)
    given = list(map(id, entries))
    for a, e in zip(args, entries):
        if e is not None:
            if rule.lazy and isinstance(a, Value) and isinstance(a.type, (Obj, ListT, TupleT)) and isinstance(e, (Value, Lit)) and (
                    not isinstance(e.type, (ListT, TupleT))):
                # nothing will tell later that it stands for its broadcast
                e = r.builder.call(np.broadcast_to, e, r.builder.call(np.shape, a))
            was_owned = isinstance(e, Value) and (e in r.owned if e is g else is_fresh(r.builder, e, before))
            r.add(a, e, broadcasts=rule.broadcasts, owned=was_owned and given.count(id(e)) == 1)


def entries_of(
    r: "Reverse", op: Op, rule: "rules.Rule", g: Any, y: Any, args: list[Any], kwargs: dict[str, Any],
) -> tuple[list[Any], list[Any]]:
    """The cotangents a rule gives to the arguments, and the arguments as the rule orders them."""
    try:
        args, kwargs = rule.bind(args, kwargs)
    except TypeError as error:
        raise UnsupportedCall(str(error), op.loc, "omit the option, or define a rule for the function with @tg.rule") from None
    wanted = list(map(r.is_active, args))
    if not isinstance(g, (list, tuple)) and not covers(g.type, y.type):
        like = [a for a, w in zip(args, wanted) if w]
        if rule.kind != "elementwise" or not all(isinstance(a, Value) and covers(y.type, a.type) and covers(a.type, y.type) for a in like):
            g = full(r.builder, g, y)
    elif isinstance(g, (list, tuple)):
        g = tuple(None if e is None else full(r.builder, e, v) for e, v in zip(g, y))
    with located(op):
        return rule.pullback(g, y, args, kwargs, wanted), args


def _of_factor(r: "Reverse", k: int, entry: Any, g: Any, args: list[Any]) -> Any:
    """The cotangent of a factor, if it is only known at run time whether the product is element-wise."""
    other = args[1 - k]
    if entry is None or not isinstance(other, Value) or type(other.type) is not Obj or other.type != UNKNOWN or r.is_active(other):
        return entry
    return r.builder.call(cofactor, other, g, *([] if k else [False]))


_ARITHMETIC = frozenset((operator.add, operator.mul))
_CONTAINERS = frozenset((ListT, DictT, SetT, TupleT, RecordT))
#: functions that make a list of a container, or return it
_SEQUENCES = frozenset((list, sorted, present))


def _special(r: "Reverse", op: Call) -> Callable[["Reverse", Call], None] | None:
    fn, args = op.fn, op.args
    if fn in REVERSE:
        return REVERSE[fn]
    base = args[0] if args else None
    if fn in _ARITHMETIC and len(args) == 2 and isinstance(args[1].type, ListT):
        base = args[1]      # n * [x]
    t = base.type if isinstance(base, (Value, Lit)) else None
    if type(t) not in _CONTAINERS and fn not in _SEQUENCES:
        return ARRAY_OPS.get(fn) if isinstance(t, (Arr, Obj)) else None
    if isinstance(t, ListT) and fn in _ARITHMETIC and all(isinstance(x.type, (ListT, Obj)) for x in args) and isinstance(
            op.result.type, Obj):
        refuse_call(op)     # beside something unknown: is it a list, or an array?
    if isinstance(t, (ListT, DictT, SetT)) or fn in _SEQUENCES or isinstance(t, (TupleT, RecordT)) and fn in CONTAINER_OPS:
        # a list beside an array is an array: [1.0, 2.0] * x
        found = CONTAINER_OPS.get(fn) if fn not in _ARITHMETIC or isinstance(op.result.type, ListT) else None
        if found is not None:
            return found
    return ARRAY_OPS.get(fn) if isinstance(t, (Arr, Obj)) else None


def _reverse_build(r: "Reverse", op: Build) -> None:
    if op.kind in ("tuple", "namedtuple") and r.in_parts(op.result) and r.is_active(op.result):
        r.merge_shadow(op.result)
    of_parts = op.kind in ("tuple", "namedtuple") and not isinstance(op.result.type, Obj)      # a tuple of residuals has one adjoint
    if of_parts or op.kind in ("slice", "str") or not r.is_active(op.result):
        return
    g = r.take(op.result)
    keys: list[Any] = list(range(len(op.items)))
    items = op.items
    if op.kind == "dict":
        keys, items = op.items[::2], op.items[1::2]
    if r.mirrored(op.result) and r.classes.holds_written(op.result):        # its shadow holds the shadows of its items
        for key, item in zip(keys, items):
            if r.is_active(item) and not r.mirrored(item):
                entry = r.builder.call(operator.getitem, r.shadow(op.result), key, type=entry_type(op.result.type, item.type))
                add_stored(r, item, entry)
        return
    if g is None or r.by_reference(op.result):
        return
    if isinstance(g, dict):     # of a record: the cotangents of its items, by position
        for k, item in enumerate(items):
            if k in g and g[k] is not None and r.is_active(item):
                r.add(item, g[k])
        return
    if op.kind == "set" or any(isinstance(i, Star) for i in items):
        raise UnsupportedCall("a display that unpacks or discards its items has no derivative", op.loc,
                              "build a list with append or a comprehension")
    for key, item in zip(keys, items):
        if r.is_active(item) and not (r.mirrored(op.result) and r.mirrored(item)):      # whose shadow is in that of the list
            entry = r.builder.call(operator.getitem, g, key, type=entry_type(op.result.type, item.type))
            r.add(item, entry, owned=r.classes.is_written(item))


def _reverse_getattr(r: "Reverse", op: GetAttr) -> None:
    if not r.is_active(op.result) or is_constant_op(op):
        return
    t = without_none(op.obj).type if op.name in ("T", "mT") else op.obj.type      # of None or a number, only running tells
    if isinstance(t, (Arr, Num)):
        view = r.view_base(op.result)
        if view is not None and r.shadowed(op.result):
            r.take(op.result)       # the shadow of a view is a view of the shadow: nothing to add
            return
        g = r.take(op.result)
        if g is None:
            return
        if op.name in ("T", "mT"):
            dims = dims_of(g.type)
            # one number stands for its broadcast, which looks the same from all sides
            r.add(op.obj, g if dims == () else r.builder.attr(full(r.builder, g, op.result), op.name))
        elif op.name == "real":
            r.add(op.obj, g)
        elif op.name == "imag":
            dtype = t.dtype if isinstance(t, Arr) else t.kind
            if dtype.startswith("complex"):
                r.add(op.obj, r.builder.call(operator.mul, Lit(-1j), g))
        else:
            raise UnsupportedCall(f"the attribute {op.name!r} of an array has no derivative", op.loc, "write it with NumPy functions")
        return
    from .objects import reverse_getattr
    reverse_getattr(r, op)


