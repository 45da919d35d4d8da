"""Reverse of attribute reads and writes: the shadow of an object has the attributes that carry derivatives."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import UnsupportedSyntax
from ....ir.ops import Call, GetAttr, Lit, SetAttr, Value
from ....ir.types import UNKNOWN, Arr, DictT, ListT, Num, RecordT, SetT, TupleT, is_instance
from ....runtime import add, attribute_of, clear_attribute, fit
from .unbroadcast import whole

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["reverse_getattr", "reverse_setattr"]


def _refuse_shared(r: "Reverse", v: Any, op: GetAttr | SetAttr) -> None:
    holds = isinstance(getattr(v, "type", None), (ListT, DictT, TupleT, RecordT)) and r.classes.holds_written(v)
    if isinstance(v, Value) and (isinstance(v.type, (Arr, ListT, DictT, SetT, RecordT)) and r.classes.is_written(v) or holds):
        what = "array" if holds or isinstance(v.type, Arr) else "list" if isinstance(v.type, ListT) else "container"
        raise UnsupportedSyntax(f"the {what} in the attribute {op.name!r} is written to in place, so that it is not known which {what} is "
                                "meant", op.loc, "work on a local copy and assign it to the attribute at the end")


def _refuse_chosen(r: "Reverse", op: GetAttr | SetAttr) -> None:
    """Refuse an object that is chosen from a tuple at run time: the objects in it have shadows of their own."""
    root = r.refs(op.obj)
    made = r.layout.maker.get(root) if isinstance(root, Value) else None
    if type(made) is Call and made.fn is operator.getitem and not isinstance(made.args[1], Lit) and isinstance(made.args[0], Value) and (
            r.in_parts(made.args[0])):
        raise UnsupportedSyntax(f"the attribute {op.name!r} of an object is written to, and which object of a tuple it is depends on the "
                                "path taken", op.loc, "use an if statement, or a list")


#: Operators that return numbers and arrays, and arbitrary objects for operands with operators of their own.
_OPERATORS = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
                        operator.matmul, operator.neg, operator.pos, operator.abs))
#: Attributes of numbers and arrays, whose shadows are no objects.
_OF_NUMBERS = frozenset(("real", "imag", "T", "mT", "flat"))


def like(v: Any) -> tuple[Any, ...]:
    """A value whose zeros represent an absent cotangent of a value that is not a number."""
    return () if isinstance(v.type, Num) or isinstance(v.type, Arr) and v.type.scalar else (v,)


def reverse_getattr(r: "Reverse", op: GetAttr) -> None:
    """``y = obj.name``: adds to the attribute of the shadow."""
    if r.refs(op.result) is not op.result:
        return
    _refuse_shared(r, op.result, op)
    g = r.take(op.result)
    if g is None:
        return
    if op.name == "real" and op.obj.type == UNKNOWN:        # of a number or an array, of which it is a part
        r.add(op.obj, r.builder.call(fit, g, r.keep(op.obj, op), type=op.obj.type))
        return
    if op.name in _OF_NUMBERS and getattr(op.obj.type, "cls", None) is None:
        raise UnsupportedSyntax(f"the type of what has the attribute {op.name!r} is not known when compiling: it may be a number",
                                op.loc, "convert it explicitly: float(x), np.asarray(x)")
    if r.in_parts(op.result):
        from .containers import whole_tuple
        g = whole_tuple(r, op.result, g)
    root = r.refs(op.obj)
    made = r.layout.maker.get(root) if isinstance(root, Value) else None
    if type(made) is Call and (isinstance(made.fn, np.ufunc) or made.fn in _OPERATORS):
        raise UnsupportedSyntax(f"the attribute {op.name!r} is read of the result of an operator whose operands are of a type that is not "
                                "known when compiling: its cotangent is a number", op.loc, "make the object in the function")
    _refuse_chosen(r, op)
    shadow = r.shadow(op.obj)
    known = isinstance(op.result.type, (Arr, Num))
    old = r.builder.call(attribute_of, shadow, op.name, *(() if known else like(op.result)), type=op.result.type)
    g = whole(r.builder, g, op.result) if known else r.builder.call(fit, g, op.result, type=op.result.type)
    total = operator.add if known else add
    r.builder.set_attr(shadow, op.name, r.builder.call(total, old, g, type=op.result.type))


def reverse_setattr(r: "Reverse", op: SetAttr) -> None:
    """``obj.name = value``: the attribute of the shadow is the cotangent of the value."""
    if is_instance(op.obj.type):
        return      # a field of an argument, which the function does not read again (see `transgrad.frontend.domain.written_arguments`)
    if not r.is_active(op.obj):
        return
    if r.is_active(op.value):
        _refuse_chosen(r, op)
    if not r.has_shadow(op.obj):
        return
    _refuse_shared(r, op.value, op)
    shadow = r.shadow(op.obj)
    if r.is_active(op.value):
        g = r.builder.call(attribute_of, shadow, op.name, *like(op.value), type=op.value.type)
        r.builder.call(clear_attribute, shadow, op.name)
        r.builder.block.ops[-1].results = []
        r.add(op.value, g)
    else:
        r.builder.call(clear_attribute, shadow, op.name)
        r.builder.block.ops[-1].results = []

