"""Tangents of operations without regions."""
from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import rules
from ....errors import UnsupportedCall, UnsupportedSyntax
from ....ir import effects
from ....ir.build import lift
from ....ir.effects import _INPLACE, aliases
from ....ir.ops import Block, Build, Call, CallValue, GetAttr, Invoke, Lit, Op, SetAttr, Star, Value, operands_of, walk
from ....ir.prims import Boundary, inplace_at, present, unpack
from ....ir.types import Arr, DictT, ListT, Num, Obj, RecordT, SetT, TupleT, is_box, is_instance
from ....runtime import add, add_into, attribute_of, put_back, sorted_like, tangent_of_view
from ...analysis.activity import is_constant_op
from ...rewriting.substitute import uses_of
from ...simplify.shapes import is_elementwise
from ..nan_masking import masked_tangent, unmasked_tangents
from ..reverse.arrays import inplace_rule
from ..reverse.objects import like
from ..reverse.ops import raw
from ..reverse.unbroadcast import ALIASING, covers, narrower, whole
from ..tape_calls import FORWARD
from ..unsupported_calls import located, refuse_call

if TYPE_CHECKING:
    from .driver import Forward

__all__ = ["forward_op"]

#: operations on references whose tangent is the same operation on the tangents: function → places of values
_SAME: dict[Any, tuple[int, ...]] = {
    operator.setitem: (2,), list.append: (1,), list.insert: (2,), list.extend: (1,), list.pop: (), list.reverse: (), operator.delitem: (),
    list.copy: (), dict.copy: (), copy.deepcopy: (), dict: (), list: (), np.ndarray.fill: (1,), np.copyto: (1,),
    np.add.at: (2,), np.subtract.at: (2,), list.clear: (),
    dict.update: (1,), dict.pop: (2,), dict.clear: (), dict.setdefault: (2,), dict.get: (2,), unpack: (), dict.popitem: (),
    add_into: (1,), put_back: (2,), present: (), add: (0, 1),
}


def forward_op(f: "Forward", op: Op) -> None:
    """Append the operation and its tangent."""
    match op:
        case Call(spelling="<record>"):
            f.builder.block.ops.append(op)
        case Call():
            _call(f, op)
        case Build():
            f.builder.block.ops.append(op)
            if op.kind not in ("str", "slice") and f.varied(op.result):
                _build(f, op)
        case GetAttr():
            f.builder.block.ops.append(op)
            if f.varied(op.result) and not is_constant_op(op):
                if isinstance(op.obj, Lit):
                    pass        # values that the function stores in external objects are not read again (`check_untracked`)
                elif isinstance(op.obj.type, Obj):
                    f.set(op.result, f.builder.call(attribute_of, f.object_dot(op.obj, op), op.name, *like(op.result),
                                                    type=op.result.type))
                elif op.name == "base":
                    _refuse_reads(f, op)
                elif (t := f.dot(op.obj)) is not None:
                    f.set(op.result, f.builder.attr(t, op.name, op.result.type))
                elif isinstance(op.result.type, (TupleT, RecordT, DictT)) and isinstance(op.obj.type, RecordT):
                    raise UnsupportedSyntax(f"what the attribute {op.name!r} of an object from outside the function holds is given values "
                                            "that depend on a differentiated input", op.loc, "make the object a local variable")
        case SetAttr():
            f.builder.block.ops.append(op)
            if f.varied(op.obj) and not isinstance(op.obj, Lit) and not is_instance(op.obj.type):     # which is not read again
                f.builder.set_attr(f.object_dot(op.obj, op), op.name, f.dot_or_zero(op.value))
        case Invoke():
            from .invoke import forward_invoke
            forward_invoke(f, op)
        case CallValue():
            f.builder.block.ops.append(op)
            if any(map(f.activity.active, op.results)):
                refuse_call(op)
        case _:
            f.builder.block.ops.append(op)


def _build(f: "Forward", op: Build) -> None:
    items: list[Any] = []
    for k, item in enumerate(op.items):
        if isinstance(item, Star):
            items.append(Star(f.dot_or_zero(item.value)))
        elif op.kind == "dict" and k % 2 == 0:
            items.append(item)
        else:
            items.append(f.dot_or_zero(item))
    result = Value(op.result.type, f.named(op.result))
    f.builder.emit(Build(op.kind, items, op.cls, op.is_cell, results=[result]))
    f.set(op.result, result)


def _refuse_reads(f: "Forward", op: GetAttr) -> None:
    """Refuse the array whose memory another one shares, unless it is only compared by identity."""
    for o in walk(f.fn.body):
        if op.result in operands_of(o) and not (type(o) is Call and o.fn in (operator.is_, operator.is_not)):
            raise UnsupportedCall(f"the attribute {op.name!r} of an array has no derivative", op.loc, "write it with NumPy functions")


def _call(f: "Forward", op: Call) -> None:
    if op.fn in FORWARD and any(map(f.varied, op.results)):
        FORWARD[op.fn](f, op)
        return
    base = op.args[0] if op.args and not isinstance(op.args[0], Star) else None
    t = base.type if isinstance(base, (Value, Lit)) else None
    container = isinstance(t, (ListT, DictT, SetT, TupleT, RecordT))
    if op.fn is operator.mul and isinstance(op.result.type, ListT) and isinstance(op.args[1].type, ListT):      # 2 * [x]
        f.builder.block.ops.append(op)
        f.set(op.result, f.builder.call(operator.mul, f.dot_or_zero(op.args[1]), op.args[0], type=op.result.type))
        return
    writes = op.fn in (operator.setitem, inplace_at, np.add.at, np.subtract.at, np.ndarray.fill, np.copyto)
    if (container or writes or op.fn in (unpack, present, add)) and (op.fn in _SAME or op.fn is inplace_at or op.fn is operator.getitem
                                                     or container and op.fn in (operator.iadd, operator.add, operator.mul)
                                                     and isinstance(op.result.type if op.results else t, ListT)):
        if op.fn is inplace_at and op.args[3].value not in (operator.iadd, operator.isub) and f.varied(base):
            _scaled_at(f, op)
        elif f.varied(base) or any(map(f.varied, op.results)) or container and any(map(f.varied, op.args)):
            _same(f, op)
        else:
            f.builder.block.ops.append(op)
        return
    if op.fn in _INPLACE and isinstance(t, Arr) and not t.scalar:
        _inplace(f, op)
        return
    if op.fn is sorted and base is not None and isinstance(t, ListT) and f.varied(op.result) and "key" not in op.kwargs:
        f.builder.block.ops.append(op)
        tangents = f.builder.call(sorted_like, base, f.dot_or_zero(base), op.kwargs.get("reverse", False), type=op.result.type)
        f.set(op.result, tangents)
        return
    if any(map(f.varied, effects.writes(op))):
        refuse_call(op)     # it changes an operand in a way that is not supported here
    if is_constant_op(op) or not any(map(f.varied, op.results)) or f.among is None and _is_unread(f, op):
        f.builder.block.ops.append(op)
        return
    _by_rule(f, op)


def _is_unread(f: "Forward", op: Call) -> bool:
    """Whether no tangent of a result of the function depends on those of a call, which may have no derivative."""
    return all(isinstance(r.type, Num) or isinstance(r.type, Arr) and r.type.scalar for r in op.results) and \
        not f.activity.varies_outside and effects.is_pure(op) and not any(map(f.activity.active, op.results))


def _same(f: "Forward", op: Call) -> None:
    """The operation on the tangents, before the operation itself (which may change an index it depends on)."""
    values = _SAME.get(op.fn, ())
    if op.fn is inplace_at:
        values = (2,)
    elif op.fn in (operator.iadd, operator.add):
        values = (1,)
    base = op.args[0]
    key = op.args[1] if len(op.args) > 1 else None
    # an item of a mapping, or a field or row of a structured array
    named = op.fn is operator.setitem and (isinstance(key, Lit) and isinstance(key.value, str) or isinstance(op.args[2].type, TupleT))
    if isinstance(base.type, Obj) and (named or f.dot(base) is None) and any(f.varied(op.args[k]) for k in values if k < len(op.args)):
        raise UnsupportedCall("a differentiated value is stored in an object of unknown type, which has no tangent", op.loc,
                              "convert it explicitly, for example with np.asarray(x), or store the value in an array, a list or a dict")
    args: list[Any] = []
    for k, a in enumerate(op.args):
        args.append(f.dot_or_zero(a) if k == 0 or k in values else a)
    results = [Value(r.type, f"{r.name}_dot" if r.name else None) for r in op.results]
    f.builder.emit(Call(op.fn, args, dict(op.kwargs), results=results))
    f.builder.block.ops.append(op)
    if op.fn is operator.iadd:
        results = [args[0]]
    for r, t in zip(op.results, results):
        if f.varied(r):
            f._dot[r] = t


def _arguments(f: "Forward", a: Any) -> tuple[Any, Any]:
    """An argument and its tangent as a rule receives them: displays as Python lists."""
    if isinstance(a, Star):
        raise UnsupportedCall("a call with unpacked arguments has no forward derivative", None, "pass the arguments one by one")
    if isinstance(a, Value):
        made = f.builder.maker.get(a) or f.makers.get(a)
        if (isinstance(made, Build) and made.kind in ("list", "tuple") and not f.classes.is_written(a)
                and not any(isinstance(i, Star) for i in made.items)):
            pairs = [_arguments(f, i) for i in made.items]
            make: Callable[[Any], Any] = list if made.kind == "list" else tuple
            return make(p for p, _ in pairs), make(raw(t) for _, t in pairs)
    return raw(a), f.dot(a)


def _by_rule(f: "Forward", op: Call) -> None:
    rule = rules.lookup(op.fn)
    if rule is None:
        refuse_call(op)
    each = op.fn is operator.pow or is_elementwise(op.fn)
    pairs = [(raw(a), f.dot_of_elements(a)) if each and not isinstance(a, Star) else _arguments(f, a) for a in op.args]
    named = {k: _arguments(f, v) for k, v in op.kwargs.items()}
    try:
        args, kwargs = rule.bind([p for p, _ in pairs], {k: p for k, (p, _) in named.items()})
    except TypeError as error:
        raise UnsupportedCall(str(error), op.loc, "omit the option, or define a rule for the function with @tg.rule") from None
    tangents = {id(p): t for p, t in (*pairs, *named.values())}
    dots = [tangents.get(id(a)) if isinstance(a, (Value, list, tuple)) else None for a in args]
    y: Any = op.results[0] if len(op.results) == 1 else tuple(op.results)
    scratch = Block()
    with f.builder.inside(scratch), located(op):
        if op.fn is operator.truediv and isinstance(op.args[0].type, Arr) and isinstance(op.args[1].type, Num):
            dots[0] = _as_numpy(f, dots[0])
        x, mask = f.squares.get(id(op)), None
        if each and x is None:
            dots, mask = unmasked_tangents(f, op, rule.kind, dots)
        if x is None or f.dot_of_elements(x) is None:
            t = rule.pushforward(y, args, dots, kwargs)
        else:
            t = 2.0 * rule.pushforward(y, args, [x * f.dot_of_elements(x), *dots[1:]], kwargs)
        if len(op.results) == 1:
            t = masked_tangent(f, op, rule.kind, t, mask)
        if len(op.results) == 1:
            _shape_of_view(f, op, t)
            if type(t) not in (Lit, float):
                t = _own(f, op, op.result, f.whole(t, op.result), scratch)
            elif not each or f.classes.is_written(op.result):
                t = whole(f.builder, lift(t), op.result)
            if id(op) in f.unsettled and t is not None:
                t = f.builder.call(tangent_of_view, t, f.dot_or_zero(op.args[0]), op.result, op.args[0], type=op.result.type)
        elif t is not None:
            t = [_own(f, op, r, f.whole(part, r), scratch) for r, part in zip(op.results, t)]
    uses_result = bool(uses_of(scratch) & set(op.results))
    if uses_result:
        f.builder.block.ops.append(op)
    f.builder.block.ops += f.builder.moved(scratch, f.builder.block)
    if not uses_result:
        f.builder.block.ops.append(op)
    if len(op.results) == 1:
        f.set(op.result, lift(t) if type(t) is float else t)
    elif t is not None:
        for r, part in zip(op.results, t):
            f.set(r, part)


def _as_numpy(f: "Forward", t: Any) -> Any:
    """The tangent of a NumPy dividend as a NumPy number: Python's raises an exception for division by 0."""
    if t is None or not isinstance(t.type, Num):
        return t
    return f.builder.call(np.complex128 if t.type.kind == "complex" else np.float64, t)


def _shape_of_view(f: "Forward", op: Call, t: Any) -> None:
    """If a tangent has the shape of its value, like that of a written array, the same view of it has the shape of the view."""
    y = op.results[0]
    made = f.builder.maker.get(t) if isinstance(t, Value) else None
    if not isinstance(made, Call) or getattr(made.fn, "__name__", made.fn) != getattr(op.fn, "__name__", op.fn):    # function or method
        return
    if aliases(op) and isinstance(y.type, Arr) and isinstance(t, Value):
        base = op.args[0].type
        if f.classes.is_written(y) or isinstance(base, Arr) and covers(made.args[0].type, base):
            t.type = y.type


def _own(f: "Forward", op: Call, y: Value, t: Any, scratch: Block) -> Any:
    """Give a new array a tangent of its own if the array or one of its operands is written to later."""
    if isinstance(t, Value) and is_box(t.type) and not is_box(y.type) and not getattr(y.type, "dims", ()):
        return f.builder.call(operator.getitem, t, (), type=y.type)      # of a number, which no write reaches
    of_user = type(op.fn) is Boundary and not getattr(op.fn.rule, "passes_through", False)
    if not isinstance(t, Value) or aliases(op) and not of_user or not isinstance(y.type, Arr):
        return t
    if f.classes.is_written(y) and isinstance(t.type, Arr) and narrower(t.type.dtype, y.type.dtype):    # the written value does not fit
        return f.builder.call(np.ndarray.astype, t, Lit(getattr(np, y.type.dtype), f"np.{y.type.dtype}"))
    root = t
    while (made := f.builder.maker.get(root)) in scratch.ops and isinstance(made, Call) and (made.fn in ALIASING or aliases(made)):
        if not isinstance(made.args[0], Value):
            return t
        root = made.args[0]
    copy = np.ndarray.copy if op.fn is np.ndarray.copy and isinstance(t.type, Arr) and t.type.dims else np.copy    # in C order, or as t
    if isinstance(made, Invoke):        # a derivative of the user's, which may return the tangent that it is given
        written = f.classes.is_written(y) or any(isinstance(o, Value) and f.classes.is_written(o) for o in operands_of(op))
        return f.builder.call(copy, t, type=t.type) if written else t
    if made in scratch.ops:
        if isinstance(made, Call) and made.fn is np.copy and root is t:
            made.fn = copy
        return t if root is t or not f.classes.is_written(y) else f.builder.call(copy, t, type=t.type)
    shared = [o for o in operands_of(op) if isinstance(o, Value) and f.dot(o) is root]
    if f.classes.is_written(y) or any(map(f.classes.is_written, shared)):
        return f.builder.call(copy, t, type=t.type)
    return t


def _inplace(f: "Forward", op: Call) -> None:
    """``u += v`` and the like on a whole array: the tangent is changed in place too."""
    base, value = op.args
    if not f.varied(base):
        f.builder.block.ops.append(op)
        return
    b = f.builder
    shadow = f.dot_or_zero(base)
    if op.fn in (operator.iadd, operator.isub):
        t = f.dot(value)
        if t is not None:
            b.call(op.fn, shadow, t, type=base.type)
        b.block.ops.append(op)
    else:
        rule = inplace_rule(op.fn, op)
        args, kwargs = rule.bind([base, raw(value)], {})
        old = b.call(np.ndarray.copy, base, type=base.type)
        args[0] = old
        if len(args) > 1 and f.classes.same(base, value):
            args[1] = b.call(np.ndarray.copy, value, type=value.type)
        b.block.ops.append(op)
        with located(op):
            t = rule.pushforward(op.result, args, [shadow, f.dot(value)], kwargs)
        b.call(operator.setitem, shadow, Lit(Ellipsis), Lit(0.0) if t is None else t)
        b.block.ops[-1].results = []
    f._dot[op.result] = shadow


def _scaled_at(f: "Forward", op: Call) -> None:
    """``u[i] *= v`` and the like."""
    base, index, value, how = op.args
    b = f.builder
    rule = inplace_rule(how.value, op)
    shadow = f.dot_or_zero(base)
    old = b.call(operator.getitem, base, index)
    is_array = isinstance(old.type, Arr) and not old.type.scalar
    if is_array:
        old = b.call(np.ndarray.copy, old, type=old.type)
    old_dot = b.call(operator.getitem, shadow, index)
    value_dot = f.dot(value)
    if f.classes.same(base, value) or isinstance(value, Value) and f.classes.find(value) in f.classes.inner(base):
        value = b.call(np.ndarray.copy, value, type=value.type)
    b.block.ops.append(op)
    new = b.call(operator.getitem, base, index)
    args, kwargs = rule.bind([old, raw(value)], {})
    with located(op):
        t = rule.pushforward(new, args, [old_dot, value_dot], kwargs)
    if is_array and not isinstance(base.type, Arr):
        shadow, index = b.call(operator.getitem, shadow, index, type=old.type), Lit(Ellipsis)
    b.call(operator.setitem, shadow, index, Lit(0.0) if t is None else t)
    b.block.ops[-1].results = []


