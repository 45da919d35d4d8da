"""Append operations with their types, and maintain alias sets and effects."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ... import rules
from ...ir import infer as inference
from ...ir.build import attr_type
from ...ir.effects import WRITES_FIRST, aliases, holds_mutable, is_mutable, only_computes, writes
from ...ir.infer import Typed, without_none
from ...ir.ops import UNDEF, Call, CallValue, GetAttr, Invoke, Lit, Operand, SetAttr, Star, Value
from ...ir.prims import RECORD, inplace_at, not_in, unpack
from ...ir.types import (
    UNKNOWN,
    Arr,
    DictT,
    ListT,
    Num,
    Obj,
    OptT,
    RecordT,
    SetT,
    TupleT,
    Type,
    disturbed,
    is_differentiable,
    is_mixed,
    join,
    ndim_of,
    strip,
)
from ..context import CHANGED_DICTS, FIELDS, OBJECTS, Lowering, Restart, elem_of, join_all
from ..describe import describe
from ..domain.abstract import SIter
from ..domain.escape import forget_contents
from ..domain.external_state import LIVE, live
from ..domain.join import BOTTOM, join_types
from ..library.foreign import check_classes, is_plain, method_result
from ..refusals import refuse, refuse_function
from ..specialize.static_arguments import keep_inputs, need_settings
from ..statements.appended_records import recorded
from .indices import INDEXED, tuples_as_lists

__all__ = ["call", "call_value", "get_attr", "invoke", "set_attr", "strip"]

#: Calls that change containers and return nothing.
NO_RESULT = frozenset((
    operator.setitem, operator.delitem, inplace_at, list.append, list.extend, list.insert, list.remove, list.clear, list.reverse,
    list.sort, dict.update, dict.clear, set.add, set.discard, set.remove, set.update, set.clear, set.difference_update,
    set.intersection_update, set.symmetric_difference_update, np.ndarray.fill, np.ndarray.sort, np.fill_diagonal, np.put, np.copyto,
    np.place, np.putmask, np.put_along_axis, np.add.at, np.subtract.at, np.multiply.at, np.divide.at,
))
_TESTS = frozenset((operator.is_, operator.is_not, operator.not_, operator.contains, not_in, operator.truth))
#: The structure of Python itself: the passes know these without a rule.
STRUCTURAL = NO_RESULT | _TESTS | frozenset((
    operator.getitem, unpack, list.pop, list.copy, list.index, list.count, dict.get, dict.pop, dict.setdefault, dict.copy, dict.popitem,
    len, list, tuple, dict, set, frozenset, sorted, reversed, zip, enumerate, range, isinstance, type, id, hash, repr, str, format, bool,
    print, set.pop, dict.keys, dict.values, dict.items, int, slice, operator.index, hasattr, callable,
))
#: Calls that put all items of other containers into a list or set.
_ADD_ALL = frozenset((
    list.extend, operator.iadd, operator.iconcat, set.update, set.symmetric_difference_update, operator.ior, operator.ixor))
_varied = operator.attrgetter("varied")


#: Calls that take one item out of a container: a tuple among them stays one value.
_ITEMS = frozenset((operator.getitem, list.pop, dict.get, dict.pop, dict.setdefault))
#: Calls that return items of their arguments, one by one or in a new container.
_HANDING_OUT = _ITEMS | {list, tuple, dict, sorted, reversed, list.copy, dict.copy, dict.values, dict.items, operator.add, operator.mul}


def result_type(ctx: Lowering, fn: Any, args: Sequence[Any], kwargs: dict[str, Any], plain: bool = False) -> Type:
    """The type of a call's result; with ``plain``, all arguments are numbers and arrays."""
    if fn in _TESTS:
        return Num("bool")
    if not plain and not all(map(is_plain, args)):
        if any(type(a) is Star for a in args):
            return UNKNOWN
        if any(type(a.type) is Obj and a.type == BOTTOM for a in args):
            return BOTTOM
        args = list(map(without_none, args))
    if kwargs and any(v.type == BOTTOM for v in kwargs.values()):
        return BOTTOM
    special = _STRUCTURE_TYPES.get(fn)
    if special is not None:
        found: Type | None = special(*args, **kwargs)
        if found is not None:
            return found
    return inference.infer(fn, args, kwargs)


def _getitem_type(a: Any, index: Any) -> Type | None:
    t = a.type
    key = index.value if isinstance(index, Lit) else None
    if isinstance(t, TupleT) and isinstance(key, slice):
        return TupleT(t.elems[key], list if t.cls is list else None)
    if isinstance(t, TupleT) and isinstance(index, Lit) and isinstance(key, (int, np.integer)) and not -len(t.elems) <= key < len(t.elems):
        return UNKNOWN
    if isinstance(t, RecordT):
        if isinstance(index, Lit):
            return t.elems[t.keys.index(key)] if key in t.keys else UNKNOWN
        return join_all(t.elems) or UNKNOWN
    if isinstance(t, (ListT, DictT)) and (t.elem if isinstance(t, ListT) else t.value) is None:
        return BOTTOM if not isinstance(key, slice) else ListT(None)
    if isinstance(t, Obj):
        return Obj(str) if t.cls is str else UNKNOWN
    return None


def _add_type(a: Any, b: Any) -> Type | None:
    ta, tb = a.type, b.type
    if isinstance(ta, TupleT) and isinstance(tb, TupleT) and list not in (ta.cls, tb.cls):
        return TupleT(ta.elems + tb.elems)
    if Obj in (type(ta), type(tb)) and Obj(str) in (ta, tb):
        return Obj(str)
    return None


def _list_of(a: Any = None) -> Type | None:
    if a is None:
        return ListT(None)
    if isinstance(a.type, ListT) and a.type.elem is None:
        return ListT(None)
    return ListT(elem_of(a.type))


def _dict_value(d: Any, key: Any, default: Any = None) -> Type:
    t = d.type
    found = _getitem_type(d, key) if isinstance(t, RecordT) else getattr(t, "value", None)
    if found is None:
        return UNKNOWN if default is None or default.type == Obj(type(None)) else default.type
    return join_types(found, default.type if default is not None else Obj(type(None)))


def _popped(t: Any, default: Any = None) -> Type:
    """The type of ``d.pop(key)``; of a dict that nothing has been put into yet, no value at all."""
    if not isinstance(t, DictT):
        return UNKNOWN
    if t.value is None:
        return BOTTOM if default is None else default.type
    return t.value if default is None else join_types(t.value, default.type)


_STRUCTURE_TYPES: dict[Any, Any] = {
    operator.getitem: _getitem_type,
    operator.add: _add_type,
    operator.iadd: lambda a, b: _add_type(a, b) if not isinstance(a.type, (ListT, Arr)) else None,
    list: _list_of, sorted: lambda a, **_: _list_of(a), set: lambda a=None: SetT(elem_of(a.type) if a is not None else None),
    list.pop: lambda a, *_: elem_of(a.type) if not isinstance(a.type, ListT) or a.type.elem is not None else BOTTOM,
    list.copy: lambda a: ListT(elem_of(a.type)) if isinstance(a.type, ListT) and a.type.elem is not None else a.type,
    dict.get: _dict_value, dict.pop: lambda d, k, *r: _popped(d.type, *r),
    dict.setdefault: _dict_value,
    dict.copy: lambda d: d.type,
    dict.keys: lambda d: ListT(elem_of(d.type)), str: lambda *_: Obj(str), repr: lambda *_: Obj(str), format: lambda *_: Obj(str),
    int: lambda *_, **__: Num("int"), bool: lambda *_: Num("bool"), float: lambda *_: Num("float"),
    print: lambda *_, **__: Obj(type(None)),
    id: lambda *_: Num("int"), hash: lambda *_: Num("int"), operator.index: lambda *_: Num("int"),
}


def rule_kind(fn: Any) -> str | None:
    """The kind of derivative of a callable: 'structural', a rule's kind, or None if there is no rule."""
    try:
        if fn in STRUCTURAL:
            return "structural"
    except TypeError:
        return None
    rule = rules.lookup(fn)
    return getattr(rule, "kind", "general") if rule is not None else None


def call(ctx: Lowering, fn: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None, *, spelling: str | None = None,
         type: Type | None = None, node: Any = None, keep: bool = False) -> Any:
    """Append a call of a known callable and returns its result; ``keep`` says the callee may keep or change its arguments."""
    if any(x is UNDEF for x in args):
        return UNDEF        # an operand raised: this is not reached
    kwargs = kwargs or {}
    if fn is list.append and (constant := recorded(ctx, args[0], args[1], node)) is not None:
        args, spelling = [args[0], constant], RECORD
    if fn in INDEXED and len(args) > 1:
        args = [args[0], tuples_as_lists(ctx, args[0], args[1], node), *args[2:]]
    if fn in _KEEPING and any(isinstance(x, SIter) for x in args[1:]):
        from ..objects.generator_records import held_in_container
        args = [args[0], *(held_in_container(ctx, x, node) for x in args[1:])]
    if ctx.program.function_classes and fn in _KEEPING and isinstance(args[0], Value) and not ctx.sharing.is_foreign(args[0]):
        from ..objects.function_records import beside_records
        args = [args[0], *(beside_records(ctx, x, node) for x in args[1:])]
    make = ctx.escape if keep or fn in NO_RESULT or fn in WRITES_FIRST else ctx.shared if fn in _HANDING_OUT else ctx.operand
    a: list[Any] = [x if isinstance(x, (Value, Lit)) else Star(make(x.value, node)) if isinstance(x, Star) else make(x, node) for x in args]
    k = {n: make(v, node) for n, v in kwargs.items()} if kwargs else {}
    if LIVE in ctx.program.sites:
        a = [x if n == 0 and fn in WRITES_FIRST else live(ctx, x) for n, x in enumerate(a)]
        k = {n: live(ctx, v) for n, v in k.items()}
    plain = not k and all(map(is_plain, a))
    flat: list[Operand] = a if plain else [*(x.value if isinstance(x, Star) else x for x in a), *k.values()]
    varied = any(map(_varied, flat))
    if varied:
        keep_inputs(fn, a, k)
    t = type if type is not None else Obj(None.__class__) if fn in NO_RESULT else result_type(ctx, fn, a, k, plain)
    if fn in _OF_CLASS and isinstance(t, (Num, Arr)) and not t.mixed and _may_mix(fn, flat, t):
        t = replace(t, mixed=True)
    if type is None and fn in _ITEMS and a and isinstance(a[0], Lit) and id(a[0].value) in ctx.program.stale:
        t = UNKNOWN     # the function has put something into it
    differentiable = is_differentiable(t)
    if varied and (not plain or isinstance(t, Obj)):
        check_classes(ctx, fn, flat, t, node)
    if varied and differentiable:
        kind = rule_kind(fn)
        if kind is None:
            refuse_function(fn, ctx.at(node) if node is not None else ctx.loc, f"{spelling or describe(Lit(fn))}()")
        varied = kind != "constant"
        if varied and kind not in ("structural", "elementwise"):
            need_settings(ctx, fn, a, k)
    op = Call(fn, a, k, spelling)
    if fn in NO_RESULT:
        ctx.emit(op)
        _wrote(ctx, op, a, k)
        return Lit(None)
    if isinstance(t, TupleT) and t.cls is not list and (len(t.elems) > 1 or fn is unpack) and fn not in _ITEMS:
        several = True
        op.results = [Value(e, None, varied and is_differentiable(e)) for e in t.elems]
    else:
        several = False
        op.results = [Value(t, None, varied and differentiable)]
    ctx.emit(op)
    if not several and only_computes(op):
        return op.results[0]
    _wrote(ctx, op, a, k)
    for source in aliases(op):
        for r in op.results:
            if isinstance(source, Lit):
                ctx.sharing.foreign(r)
                ctx.program.outside[r] = source.value, source.text
            ctx.sharing.link(r, source)
    items = fn in _ITEMS or fn is unpack
    if any(isinstance(o, Lit) and isinstance(o.value, (list, dict, set, tuple)) and holds_mutable(o.value)
           for o in (flat[:1] if items else flat)):
        for r in op.results:
            if items or _holds_objects(r.type):      # an item of a container from outside, or another container of its items
                ctx.sharing.foreign(r)
    if fn in _ITEMS:
        _taken(ctx, op.results, a[0], a[1] if len(a) > 1 else None)
    else:
        for r in op.results:        # list(xs), sorted(xs), np.where(…): the items may be shared
            if isinstance(r.type, (ListT, DictT, SetT, Obj, OptT)) and any(
                    isinstance(o.type, (ListT, DictT, TupleT, RecordT, SetT)) for o in flat):
                for o in flat:
                    ctx.sharing.link(r, o)
    if isinstance(t, TupleT) and several:
        return ctx.tuple(op.results, t.cls)
    return op.results[0]


def _holds_objects(t: Type) -> bool:
    """Whether a value may be an object, or a container of objects, which others hold as well."""
    match strip(t):
        case Obj(cls=cls):
            return cls is not str
        case ListT(elem) | SetT(elem) | DictT(_, elem):
            return elem is not None and elem != Obj(str) and is_mutable(elem)
        case TupleT(elems) | RecordT(_, elems):
            return any(elem != Obj(str) and is_mutable(elem) for elem in elems)
    return False


#: What puts a value into a container.
_KEEPING = frozenset((list.append, list.insert, operator.setitem, dict.setdefault, set.add))
#: Calls of Python's whose result has the class of an operand, or the wider of them.
_OF_CLASS = frozenset((
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.neg, operator.pos,
    operator.abs, operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow,
    abs, max, min, sum, pow, divmod, round,
))


def _may_mix(fn: Any, operands: Sequence[Operand], t: Num | Arr) -> bool:
    """Whether the class of a result without dimensions is not known."""
    if isinstance(t, Arr) and t.dims:
        return False
    if fn in (max, min, sum):
        types = [o.type if isinstance(o.type, (Num, Arr)) and ndim_of(o.type) == 0 else elem_of(o.type) for o in operands]
        if fn is sum:       # of nothing it is the integer that it starts with
            types.append(Num("int"))
        return any(x != types[0] or is_mixed(x) for x in types)
    return any(is_mixed(o.type) for o in operands)


def _taken(ctx: Lowering, results: list[Value], container: Any, key: Any) -> None:
    """An item was taken out of a container."""
    at = key.value if isinstance(key, Lit) and isinstance(key.value, (int, str)) else None
    known = isinstance(container.type, (TupleT, RecordT))
    if isinstance(at, int) and at < 0 and isinstance(container.type, TupleT):
        at += len(container.type.elems)
    for r in results:
        if (known or isinstance(container.type, (ListT, DictT, OptT))) and not (isinstance(key, Lit) and isinstance(key.value, slice)):
            ctx.sharing.contain(container, r, at)


def _is_of_object(ctx: Lowering, target: Any) -> bool:
    """Whether an array, or a container that may be the attribute of an instance, belongs to an argument that is one."""
    def path(v: Any) -> Any:
        return ctx.examples[v][1] if isinstance(v, Value) and v in ctx.examples else None
    own = path(target)
    if isinstance(strip(target.type), (ListT, DictT, SetT, RecordT)):
        roots = (p[0] if isinstance(p, tuple) else p for p in map(path, ctx.sharing.all(target)))
        return any(p in ctx.program.objects for p in roots)
    return isinstance(own, tuple) and own[0] in ctx.program.objects and isinstance(target.type, Arr)


def _has_active_key(op: Call) -> bool:
    """Whether an operation writes to a dict or set under a key that depends on a differentiated input."""
    keyed = op.fn in (operator.setitem, dict.setdefault, set.add) and not isinstance(strip(op.args[0].type), (Arr, ListT))
    return keyed and len(op.args) > 1 and op.args[1].varied


def _wrote(ctx: Lowering, op: Call, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Record the effects of a call on its operands."""
    targets = writes(op)
    if not targets:
        return
    sharing = ctx.sharing
    target = targets[0]
    if isinstance(target.type, RecordT) and target.type.cls is dict and CHANGED_DICTS not in ctx.program.sites:
        raise Restart([CHANGED_DICTS])
    others = [x.value if isinstance(x, Star) else x for x in (*args, *kwargs.values()) if x is not target]
    if OBJECTS not in ctx.program.sites and (target.varied or any(o.varied for o in others)) and _is_of_object(ctx, target):
        raise Restart([OBJECTS, FIELDS])
    for x in targets:
        if isinstance(x.type, OptT) and isinstance(x.type.elem, Arr) and x.varied:
            refuse("write_to_none", ctx.loc, "")
        if any(o.varied for o in others) and not (ctx.program.logging and (isinstance(x, Lit) or sharing.is_foreign(x))):
            if isinstance(x, Lit) or sharing.is_foreign(x):
                from ..domain.implicit_arguments import want
                if not _has_active_key(op):     # a later call would find what this one has computed
                    want(ctx, x)
                refuse("global_write", ctx.loc, f"{describe(x)}, which is not an argument,")
            if isinstance(x.type, OptT):
                refuse("write_to_none", ctx.loc, "")
            sharing.vary(x)
        if isinstance(x, Lit):
            ctx.program.stale.add(id(x.value))
    fn = op.fn
    if fn in (list.append, list.insert, set.add):
        item = args[-1]
        sharing.widen(target, SetT(item.type) if fn is set.add else ListT(item.type))
        sharing.contain(target, item)
    elif fn in _ADD_ALL and isinstance(strip(target.type), (ListT, SetT)):
        for more in others:
            sharing.widen(target, SetT(elem_of(more.type)) if isinstance(strip(target.type), SetT) else ListT(elem_of(more.type)))
            sharing.link(target, more)
    elif fn in (operator.setitem, dict.setdefault) and len(args) == 3:
        if isinstance(target.type, DictT):
            sharing.widen(target, DictT(args[1].type, args[2].type))
        elif isinstance(target.type, RecordT):
            sharing.retype(target, _with_key(target.type, args[1], args[2].type))
        elif isinstance(target.type, ListT) and not (isinstance(args[1], Lit) and isinstance(args[1].value, slice)):
            sharing.widen(target, ListT(args[2].type))
        elif isinstance(target.type, ListT):        # a slice copies the items of the list
            sharing.widen(target, ListT(elem_of(args[2].type)))
            sharing.link(target, args[2])
            args = args[:2]
        if not isinstance(target.type, Arr) and len(args) == 3:
            sharing.contain(target, args[2])
    elif fn is inplace_at and isinstance(target.type, (ListT, DictT)):
        t = result_type(ctx, getattr(operator, args[3].value.__name__[1:]), [Typed(elem_of(target.type) if isinstance(target.type, ListT)
                        else target.type.value or UNKNOWN), args[2]], {})
        sharing.widen(target, ListT(t) if isinstance(target.type, ListT) else DictT(target.type.key, t))
    elif fn in (dict.update, operator.ior) and isinstance(strip(target.type), DictT):
        for more in others:
            t = strip(more.type)
            sharing.widen(target, t if isinstance(t, DictT) else DictT(elem_of(t), join_all(t.elems)) if isinstance(t, RecordT)
                          else disturbed(strip(target.type)))
            sharing.link(target, more)
    for x in targets:
        if isinstance(x.type, Obj):     # regardless of its class and contents
            forget_contents(ctx, x)
        sharing.changed(x)
        if x in ctx.examples:
            ctx.program.stale.add(id(ctx.examples[x][0]))


def _with_key(t: RecordT, key: Operand, value: Type) -> Type:
    """The type of a dict with known keys after ``d[key] = value``."""
    if isinstance(key, Lit) and key.value in t.keys:
        at = t.keys.index(key.value)
        return RecordT(t.keys, (*t.elems[:at], join(t.elems[at], value), *t.elems[at + 1:]), t.cls)
    if isinstance(key, Lit) and isinstance(key.value, str):
        return RecordT((*t.keys, key.value), (*t.elems, value), t.cls)
    return DictT(join(Obj(str), key.type), join_all([*t.elems, value]))


def call_value(
    ctx: Lowering, callee: Any, args: Sequence[Any], kwargs: dict[str, Any], method: str | None = None, node: Any = None
) -> Value:
    """Append a call of an unknown callee; refuse it if an argument is varied."""
    c = ctx.operand(callee, node)
    a = [Star(ctx.escape(x.value, node)) if isinstance(x, Star) else ctx.escape(x, node) for x in args]
    k = {n: ctx.escape(v, node) for n, v in kwargs.items()}
    flat = [c, *(x.value if isinstance(x, Star) else x for x in a), *k.values()]
    if any(o.varied for o in flat) and method not in _HARMLESS:
        name = f"{describe(c)}.{method}" if method else describe(c)
        refuse("opaque_value", ctx.at(node) if node is not None else ctx.loc, f"{name}()")
    result = Value(BOTTOM if any(o.type == BOTTOM for o in flat) else method_result(ctx, callee, method))
    ctx.emit(CallValue(c, a, k, method, results=[result]))
    if isinstance(strip(result.type), Obj):     # it may be an object that others hold
        ctx.sharing.foreign(result)
    for o in flat:
        ctx.sharing.link(result, o)
    return result


_HARMLESS = frozenset(("format", "write", "info", "debug", "warning", "error", "log", "exception", "critical"))


def get_attr(ctx: Lowering, obj: Any, name: str, type: Type | None = None, node: Any = None) -> Value:
    """Append ``obj.name``."""
    o = ctx.operand(obj, node)
    t = type if type is not None else attr_type(strip(o.type), name)
    varied = o.varied and is_differentiable(t)
    result = Value(t, None, varied)
    ctx.emit(GetAttr(o, name, results=[result]))
    if not isinstance(o.type, Num) and name not in ("shape", "ndim", "size", "dtype"):
        ctx.sharing.link(result, o)
        if isinstance(o, Lit):
            ctx.sharing.foreign(result)
            ctx.program.outside[result] = o.value, o.text
        elif o in ctx.program.outside:
            ctx.program.outside[result] = ctx.program.outside[o]
    return result


def set_attr(ctx: Lowering, obj: Any, name: str, value: Any, node: Any = None, outside: bool = False) -> None:
    """Append ``obj.name = value``; ``outside`` says that the attribute of a record is never read again."""
    o, v = ctx.operand(obj, node), ctx.escape(value, node)
    if isinstance(o.type, RecordT) and not outside and (o.varied or v.varied):
        if FIELDS not in ctx.program.sites:
            raise Restart([FIELDS])
        refuse("attribute_write", ctx.at(node) if node is not None else ctx.loc,
               f"a {o.type.cls.__name__} in a container of unknown length, or one of several by the path taken,")
    if v.varied and isinstance(o, Value) and o not in ctx.function.body.params and ctx.sharing.is_foreign(o) and not ctx.program.logging:
        refuse("global_write", ctx.at(node) if node is not None else ctx.loc, f"the attribute '{name}' of {describe(o)}, which is not an "
               f"argument,")
    ctx.emit(SetAttr(o, name, v))
    if v.varied:
        ctx.sharing.vary(o)
    ctx.sharing.link(o, v)


def invoke(ctx: Lowering, func: Any, args: list[Operand], results: list[Value]) -> None:
    """Append a call of a lowered function."""
    ctx.emit(Invoke(func, args, results=results))
