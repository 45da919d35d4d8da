"""Reverse of operations on lists and dicts: undo their structural changes on the shadows."""
from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import UnsupportedSyntax
from ....ir.ops import Call, Lit, Op, Operand, Value
from ....ir.prims import inplace_at, present, unpack
from ....ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, OptT, RecordT, TupleT, is_differentiable, may_be_no_container, strip
from ....runtime import add, add_into, inserted_at, put_back, sum_repeats, take_items, unsorted, zeros_of
from ...analysis.alias import is_slice
from ..unsupported_calls import Aliased
from .arrays import _inplace_at, _statement, _unpack, accumulate_at
from .unbroadcast import entry_type, full, holds_complex

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["CONTAINER_OPS", "add_container", "add_item", "add_stored"]


def _elem(t: Any) -> Any:
    return t.elem if isinstance(t, ListT) else t.value if isinstance(t, DictT) else None


def add_item(r: "Reverse", shadow: Any, key: Any, g: Any, t: Any) -> None:
    """Add ``g`` to an item of a container's shadow."""
    if isinstance(t, RecordT) and isinstance(g, dict):
        if t.cls is not dict:
            raise UnsupportedSyntax(f"a list of {t.cls.__name__} objects has no derivative here", r.builder.loc,
                                    "use tuples or dicts in the list")
        record = r.builder.call(operator.getitem, shadow, key, type=t)
        for k, part in g.items():
            add_item(r, record, Lit(t.keys[k]), part, t.elems[k])
    elif isinstance(t, (TupleT, RecordT)) or isinstance(g, dict):
        old = r.builder.call(operator.getitem, shadow, key, type=t)
        _statement(r.builder, operator.setitem, shadow, key, _sum(r, old, g, t))
    elif isinstance(t, (ListT, DictT)):
        _statement(r.builder, add_into, r.builder.call(operator.getitem, shadow, key, type=t), g)
    elif isinstance(t, (Obj, OptT)):        # there may be a number without a cotangent, or none at all
        old = r.builder.call(operator.getitem, shadow, key, type=t)
        _statement(r.builder, operator.setitem, shadow, key, r.builder.call(add, old, g, type=t))
    else:
        accumulate_at(r, shadow, key, g)


def _sum(r: "Reverse", old: Any, g: Any, t: Any) -> Any:
    """The sum of a tuple of cotangents and another one, or those of its elements by place."""
    if not isinstance(g, dict):
        return r.builder.accumulate(old, g) if isinstance(t, (Num, Arr)) else r.builder.call(add, old, g, type=t)
    if isinstance(t, RecordT) and t.cls is not dict:
        raise UnsupportedSyntax(f"a {t.cls.__name__} in a tuple in a container has no derivative here", r.builder.loc,
                                "use a tuple or a dict instead of the object")
    keys = t.keys if isinstance(t, RecordT) else range(len(t.elems))
    parts = [r.builder.call(operator.getitem, old, Lit(key), type=e) for key, e in zip(keys, t.elems)]
    sums = [_sum(r, p, g[k], e) if k in g else p for k, (p, e) in enumerate(zip(parts, t.elems))]
    if isinstance(t, RecordT):
        return r.builder.build("dict", [x for key, part in zip(keys, sums) for x in (Lit(key), part)])
    return r.builder.build("tuple", sums)


def add_container(r: "Reverse", v: Value, shadow: Any, g: Any) -> None:
    """Add a container of cotangents to a shadow, item by item."""
    if r.classes.holds_written(v) or r.mirrored(v) and isinstance(_elem(v.type), (ListT, DictT)):      # it holds the shadows of its items
        _statement(r.builder, add_into, shadow, g)
        return
    if isinstance(v.type, (DictT, RecordT)):
        _statement(r.builder, dict.update, shadow, r.builder.call(add, shadow, g, type=v.type))
        return
    _statement(r.builder, operator.setitem, shadow, Lit(slice(None)), r.builder.call(add, shadow, g, type=v.type))


def add_stored(r: "Reverse", value: Operand, g: Any) -> None:
    """Add the cotangent of a stored item to the adjoint of the value; if the value has a shadow from the forward part,
    readers have used that shadow already."""
    if not r.is_active(value) or r.mirrored(value):
        return
    whole = r.refs(value) if isinstance(value.type, (TupleT, RecordT)) else None
    if r.mirrors.of and isinstance(whole, Value) and r.in_parts(whole):
        assert isinstance(whole.type, (TupleT, RecordT))
        keys = whole.type.keys if isinstance(whole.type, RecordT) else range(len(whole.type.elems))
        for key, part in zip(keys, r.refs.parts_of(whole)):
            if r.is_active(part) and not r.mirrored(part):
                add_stored(r, part, r.builder.call(operator.getitem, g, key, type=entry_type(whole.type, part.type)))
        return
    if isinstance(value.type, OptT) and not may_be_no_container(value.type):     # the cotangent of None is None
        g = r.builder.call(add, g, Lit(0.0), type=strip(value.type))
    r.add(value, g, owned=True)


def _by_mirrors(r: "Reverse", container: Value) -> bool:
    """Whether a container holds references with shadows from the forward part, so that no cotangents pass through it."""
    return r.mirrored(container) and r.classes.holds_written(container)


def _stays(r: "Reverse", container: Operand) -> bool:
    """Whether nothing has to be undone in the shadow of a container: there is none, or all that is in it are shadows of its items."""
    if not r.is_active(container) or not r.has_shadow(container):
        return True
    e = _elem(container.type)
    return isinstance(container, Value) and _by_mirrors(r, container) and (
        isinstance(e, (ListT, DictT)) or isinstance(e, Arr) and not e.scalar)


def _getitem(r: "Reverse", op: Call) -> None:
    base, index = op.args
    if len(op.results) != 1:
        g = _taken(r, op)
        if g is not None:
            add_item(r, r.shadow(base), r.keep(index, op), g, TupleT(tuple(v.type for v in op.results)))
        return
    if not r.is_active(op.result) or r.refs(op.result) is not op.result:
        return
    if (isinstance(base.type, (TupleT, RecordT)) and isinstance(op.result.type, (TupleT, ListT))
            and isinstance(index, Lit) and isinstance(index.value, slice)):
        if isinstance(base.type, TupleT) and r.in_parts(op.result) and isinstance(whole := r.refs(base), Value) and r.in_parts(whole):
            r.merge_shadow(op.result)       # whose items are items of the tuple
            return
        raise UnsupportedSyntax("a part of a tuple argument has no derivative here", op.loc, "name the items one by one, or pass an array")
    if isinstance(op.result.type, ListT) and isinstance(base.type, ListT) and is_slice(index):
        g = r.take(op.result)
        if g is not None:
            shadow = r.shadow(base)
            part = r.builder.call(operator.getitem, shadow, index, type=base.type)
            if r.classes.holds_written(base):
                _statement(r.builder, add_into, part, g)
                return
            _statement(r.builder, operator.setitem, shadow, index, r.builder.call(add, part, g, type=base.type))
        return
    view = r.view_base(op.result)
    g = r.take(op.result)
    if view is not None and r.shadowed(op.result) or g is None:
        return
    add_item(r, r.shadow(base), r.keep(index, op), g, op.result.type)


def _taken(r: "Reverse", op: Call) -> dict[int, Any] | None:
    """The cotangents of the elements of a tuple that came out of a container, by place."""
    return {k: g for k, v in enumerate(op.results) if r.refs(v) is v and (g := r.take(v)) is not None} or None


def whole_tuple(r: "Reverse", v: Value, g: Any, keyed: bool = False) -> Any:
    """The cotangents of the elements of a tuple or record, which `Reverse.take` gives by place, as one tuple.

    In the shadow of a container, an item that is a dict has its keys (``keyed``).
    """
    if not isinstance(g, dict):
        return full(r.builder, g, r.primal(v, r.builder)) if g is not None and isinstance(v.type, Arr) else g
    items: list[Any] = []
    for k, part in enumerate(r.refs.parts_of(v)):
        found = g.get(k)
        if found is None and isinstance(part, Value) and is_differentiable(part.type) and r.in_parts(part):
            found = {}
        if found is None:
            items.append(r.zero(part) if isinstance(part, Value) and is_differentiable(part.type) else Lit(None))
        else:
            items.append(whole_tuple(r, part, found, keyed) if isinstance(part, Value) else found)
    if keyed and isinstance(v.type, RecordT) and v.type.cls is dict:
        return r.builder.build("dict", [x for key, item in zip(v.type.keys, items) for x in (Lit(key), item)])
    return r.builder.build("tuple", items)


def whole_of_optional(r: "Reverse", v: Value, g: Any) -> Any:
    """The cotangent of a container, from that of the same thing where it may be None: which is None if nothing was added to it."""
    zeros = whole_tuple(r, v, {}) if r.in_parts(v) else r.zero(v)
    return r.builder.call(add, zeros, g, type=UNKNOWN if isinstance(zeros.type, TupleT) else zeros.type)     # one value in either case


def _present(r: "Reverse", op: Call) -> None:
    g = r.take(op.result)
    if g is not None:
        r.add(op.args[0], whole_tuple(r, op.result, g), owned=True)


def _zero_item(r: "Reverse", base: Value, like: Operand) -> Any:
    t = like.type
    if isinstance(t, (Arr, TupleT, ListT, RecordT, DictT)) and not (isinstance(t, Arr) and t.scalar):
        return r.builder.call(zeros_of, like, type=t)
    return Lit(0.0)


def _setitem(r: "Reverse", op: Call) -> None:
    base, index, value = op.args
    if _stays(r, base):
        return
    if r.mirrored(value) and (not is_slice(index) or r.classes.holds_written(base)):
        return      # whoever read it has met its shadow
    shadow, like = r.shadow(base), value
    if isinstance(base.type, ListT) and is_slice(index) and not _keeps_length(r, base, index, value):
        if not (isinstance(index, Lit) and index.value == slice(None)):
            raise UnsupportedSyntax("an assignment to a part of a list may change its length, which has no derivative here", op.loc,
                                    "assign the items one by one")
        like = r.keep(base, op)     # all of it is replaced: by then it has the structure it had before
    elif not is_slice(index) and isinstance(base.type, (ListT, DictT)) and not _same_form(_elem(base.type), value.type):
        like = _replaced(r, op, base, index, value)
    index = r.keep(index, op)
    if r.is_active(value):
        g = r.builder.call(operator.getitem, shadow, index, type=entry_type(base.type, value.type))
        _statement(r.builder, operator.setitem, shadow, index, _zero_item(r, base, like))
        if is_slice(index):
            r.add(value, g, owned=True)
        else:
            add_stored(r, value, g)
    else:
        _statement(r.builder, operator.setitem, shadow, index, _zero_item(r, base, like))


def _replaced(r: "Reverse", op: Call, base: Value, index: Operand, value: Operand) -> Value:
    """The replaced item, which may have another form; for a new key of a dict None, or the new item if that is a tuple."""
    item = _elem(base.type)
    old = Value(item, "replaced")
    read = dict.get if isinstance(base.type, DictT) else operator.getitem
    default = [value] if read is dict.get and isinstance(item, (TupleT, RecordT)) else []
    r.remember(old, Call(read, [base, index, *default], results=[old], loc=op.loc), base, op, after=False, forced=True)
    return old


def _same_form(old: Any, new: Any) -> bool:
    """Whether the new item of a container has as many entries as the one that it replaces."""
    if isinstance(old, (Num, Obj, OptT)) or isinstance(old, Arr) and old.scalar:
        return True     # a number, or something whose cotangent starts as a number
    if isinstance(old, (TupleT, RecordT)) and type(old) is type(new):
        return len(old.elems) == len(new.elems) and all(map(_same_form, old.elems, new.elems))
    return isinstance(old, Arr) and isinstance(new, Arr) and old.dims == new.dims and all(d.one or d.sym is not None for d in old.dims)


def _keeps_length(r: "Reverse", base: Value, index: Operand, value: Operand) -> bool:
    """Whether an assignment to a part of a list certainly keeps its length."""
    assert isinstance(base.type, ListT)
    length = value.type.length if isinstance(value.type, ListT) else None
    s = index.value if isinstance(index, Lit) else None
    if (s is not None and type(s.stop) is int and s.stop >= 0 and (s.start or 0) >= 0 and s.step in (None, 1)
            and length == s.stop - (s.start or 0)):
        return True
    if s is not None and s == slice(None) and length is not None and base.type.length == length:
        return True
    made = isinstance(value, Value) and r.layout.maker.get(value)
    return isinstance(made, Call) and made.fn in (add, unsorted)      # item by item, so of the same length


def _append(r: "Reverse", op: Call) -> None:
    base, value = op.args
    if _stays(r, base):
        return
    g = r.builder.call(list.pop, r.shadow(base), type=entry_type(base.type, value.type))
    add_stored(r, value, g)


def _whole_item(r: "Reverse", op: Call) -> Any:
    """The cotangent of an item that an operation takes from a container, in the container's shadow; None for zero."""
    if len(op.results) == 1:
        return whole_tuple(r, op.result, r.take(op.result), keyed=True)
    found = _taken(r, op)
    return found and r.builder.build("tuple", [whole_tuple(r, v, found[k], keyed=True) if k in found else _zero_part(r, v)
                                               for k, v in enumerate(op.results)])


def _zero_items(r: "Reverse", op: Call) -> Any:
    """Zeros in place of it."""
    one = len(op.results) == 1
    return _zero_item(r, op.args[0], op.result) if one else r.builder.build("tuple", [_zero_part(r, v) for v in op.results])


def _zero_part(r: "Reverse", v: Value) -> Any:
    return _zero_item(r, v, v) if is_differentiable(v.type) else Lit(None)


def _pop(r: "Reverse", op: Call) -> None:
    base = op.args[0]
    if not r.is_active(base) or r.mirrored(base) and _stays(r, base):
        return
    index = op.args[1] if len(op.args) > 1 else Lit(-1)
    g = _whole_item(r, op)
    if g is None and not r.has_shadow(base):
        return
    shadow = r.shadow(base)
    if g is None:
        g = _zero_items(r, op)
    if isinstance(index, Lit) and index.value == -1:
        _statement(r.builder, list.append, shadow, g)
    elif isinstance(index, Lit) and index.value >= 0:
        _statement(r.builder, list.insert, shadow, index, g)
    else:
        _statement(r.builder, put_back, shadow, r.keep(index, op), g)


def _insert(r: "Reverse", op: Call) -> None:
    base, index, value = op.args
    if _stays(r, base):
        return
    shadow = r.shadow(base)
    if not isinstance(index, Lit) or index.value != 0:
        rest = r.builder.call(operator.sub, r.builder.call(len, shadow), 1)
        index = r.builder.call(inserted_at, index, rest, type=Num("int"))
    g = r.builder.call(list.pop, shadow, index, type=entry_type(base.type, value.type))
    add_stored(r, value, g)


def _extend(r: "Reverse", op: Call) -> None:
    base, value = op.args
    if _stays(r, base):
        return
    shadow = r.shadow(base)
    count = _length(r, value, op)
    tail = r.builder.build("slice", [r.builder.call(operator.sub, r.builder.call(len, shadow), count), None, None])
    if r.is_active(value) and not _by_mirrors(r, base):
        _check_numbers(base, value, op)
        if isinstance(value.type, (ListT, TupleT)):
            g = r.builder.call(operator.getitem, shadow, tail, type=value.type)
        else:       # the rows of an array
            rows = r.builder.call(operator.getitem, shadow, tail, type=ListT(base.type.elem if isinstance(base.type, ListT) else None))
            g = r.builder.call(np.array, rows, type=value.type)
        _statement(r.builder, operator.delitem, shadow, tail)
        r.add(value, g, owned=True)
    else:
        _statement(r.builder, operator.delitem, shadow, tail)


def _length(r: "Reverse", v: Operand, op: Op) -> Operand:
    """How long a sequence was when ``op`` ran."""
    if not isinstance(v, Value) or not isinstance(v.type, (ListT, DictT)) or r.stability.stable(v, op, before=True):
        return r.builder.call(len, v)  # type: ignore[no-any-return]
    count = Value(Num("int"), "count")
    r.remember(count, Call(len, [v], results=[count], loc=op.loc), v, op, after=False, forced=True)
    return count


def _concatenate(r: "Reverse", op: Call) -> None:
    g = r.take(op.result)
    if g is None:
        return
    left, right = op.args
    n = _length(r, left, op)
    for v, part in ((left, (None, n, None)), (right, (n, None, None))):
        if r.is_active(v):
            _check_numbers(op.result, v, op)
            r.add(v, r.builder.call(operator.getitem, g, r.builder.build("slice", list(part)), type=v.type), owned=True)


def _check_numbers(whole: Operand, part: Operand, op: Op) -> None:
    if holds_complex(whole.type) and not holds_complex(part.type):
        raise UnsupportedSyntax("several real numbers at once are stored in a list that holds complex numbers", op.loc,
                                "make them complex, or append them one by one")


def _copy(r: "Reverse", op: Call) -> None:
    g = r.take(op.result)
    if g is not None:
        base = op.args[0]
        t = base.type
        r.add(base, r.builder.call(list, g, type=ListT(t.elem if isinstance(t, ListT) else None)) if not isinstance(t, Arr) else g)


def _copy_whole(r: "Reverse", op: Call) -> None:
    g = r.take(op.result)
    if g is not None:
        r.add(op.args[0], g)


def _reverse_in_place(r: "Reverse", op: Call) -> None:
    base = op.args[0]
    if not _stays(r, base):
        _statement(r.builder, list.reverse, r.shadow(base))


def _refuse(r: "Reverse", op: Call) -> None:
    base = op.args[0]
    if r.is_active(base):
        name = getattr(op.fn, "__name__", "this operation")
        raise UnsupportedSyntax(f"{name!r} on a container of differentiated values has no derivative", op.loc,
                                "build a new container instead")


def _put_back(r: "Reverse", op: Call) -> None:
    base, index, value = op.args
    if not _stays(r, base):
        g = r.builder.call(list.pop, r.shadow(base), r.keep(index, op), type=entry_type(base.type, value.type))
        if r.is_active(value) and not r.mirrored(value):
            r.add(value, g, owned=True)


def _delete(r: "Reverse", op: Call) -> None:
    base, index = op.args
    if _stays(r, base):
        return
    if is_slice(index) or not isinstance(base.type, (ListT, DictT)):
        _refuse(r, op)
    t = _elem(base.type)
    zero: Any = Lit(0.0)
    if not isinstance(t, Num) and not (isinstance(t, Arr) and t.scalar):     # it has the structure of the deleted item
        gone = Value(t or Obj(None), "gone")
        r.remember(gone, Call(operator.getitem, [base, index], results=[gone], loc=op.loc), base, op, after=False, forced=True)
        zero = r.builder.call(zeros_of, gone, type=gone.type)
    if isinstance(base.type, DictT):
        _statement(r.builder, operator.setitem, r.shadow(base), index, zero)
    elif isinstance(index, Lit) and index.value == -1:
        _statement(r.builder, list.append, r.shadow(base), zero)
    else:
        _statement(r.builder, put_back, r.shadow(base), r.keep(index, op), zero)


def _sorted(r: "Reverse", op: Call) -> None:
    _refuse_key(op)
    g = r.take(op.result)
    if g is not None:
        base = op.args[0]
        back = r.builder.call(unsorted, r.keep(base, op), g, op.kwargs.get("reverse", False), type=ListT(_elem(op.result.type)))
        r.add(base, back, owned=True)


def _sort(r: "Reverse", op: Call) -> None:
    _refuse_key(op)
    base = op.args[0]
    if r.is_active(base):
        shadow = r.shadow(base)
        back = r.builder.call(unsorted, r.keep(base, op), shadow, op.kwargs.get("reverse", False), type=base.type)
        _statement(r.builder, operator.setitem, shadow, Lit(slice(None)), back)


def _refuse_key(op: Call) -> None:
    key = op.kwargs.get("key")
    if key is not None and not (isinstance(key, Lit) and key.value is None):
        raise UnsupportedSyntax("sorting by a key has no derivative", op.loc,
                                "sort indices instead: order = sorted(range(len(x)), key=...)")


def _dict_get(r: "Reverse", op: Call) -> None:
    g = r.take(op.result)
    if g is None:
        return
    base, key = op.args[:2]
    default = op.args[2] if len(op.args) > 2 else Lit(None)
    found = Value(Num("bool"), "found")
    r.remember(found, Call(operator.contains, [base, key], results=[found], loc=op.loc), base, op, after=False, forced=True)
    from .control import choose
    if not r.is_active(base):
        choose(r, found, (lambda: None, lambda: r.add(default, g)), op.loc)
        return
    shadow = r.shadow(base)
    choose(r, found, (lambda: add_item(r, shadow, key, g, op.result.type), lambda: r.add(default, g)), op.loc)


def _dict_pop(r: "Reverse", op: Call) -> None:
    base, key = op.args[:2]
    if len(op.args) > 2:
        _refuse(r, op)
    if r.is_active(base) and not (r.mirrored(base) and _stays(r, base)):
        g = _whole_item(r, op)
        _statement(r.builder, operator.setitem, r.shadow(base), key, _zero_items(r, op) if g is None else g)


def _dict_update(r: "Reverse", op: Call) -> None:
    base = op.args[0]
    if len(op.args) != 2 or op.kwargs or not isinstance(op.args[1].type, DictT):
        _refuse(r, op)
        return
    if r.is_active(base) and not _by_mirrors(r, base):
        g = r.builder.call(take_items, r.shadow(base), r.keep(op.args[1], op), type=op.args[1].type)
        if r.is_active(op.args[1]):
            r.add(op.args[1], g, owned=True)


def _add_into(r: "Reverse", op: Call) -> None:
    base, value = op.args
    if r.is_active(base) and r.has_shadow(base):
        r.add(value, r.shadow(base))


def _repeat(r: "Reverse", op: Call) -> None:
    """``[x] * n``: every repetition gives back to its item."""
    base = op.args[0] if isinstance(op.args[0].type, ListT) else op.args[1]
    written = r.classes.holds_written(op.result) or r.stability.is_frozen(op.result)
    if written and r.is_active(op.result) and not _by_mirrors(r, op.result) and not _of_numbers(base.type):
        raise Aliased("an item that occurs in this list several times is written to in place", op.loc, "make a new one for each place: "
                      "[np.zeros(n) for _ in range(m)]")
    g = r.take(op.result)
    if g is None:
        return
    repeated = _length(r, base, op) if _of_numbers(base.type) else r.keep(base, op)
    r.add(base, r.builder.call(sum_repeats, g, repeated, type=base.type), owned=True)


def _of_numbers(t: Any) -> bool:
    """Whether a list holds nothing that could be written to."""
    e = t.elem
    return e is None or isinstance(e, Num) or isinstance(e, Arr) and e.scalar or e == Obj(type(None))


CONTAINER_OPS: dict[Any, Callable[["Reverse", Call], None]] = {
    operator.getitem: _getitem, operator.setitem: _setitem, inplace_at: _inplace_at, unpack: _unpack, list.append: _append, list.pop: _pop,
    list.insert: _insert, list.extend: _extend, operator.iadd: _extend, operator.add: _concatenate, list: _copy, list.copy: _copy,
    list.reverse: _reverse_in_place, operator.delitem: _delete, list.sort: _sort, list.remove: _refuse, dict.pop: _dict_pop,
    dict.update: _dict_update, dict.setdefault: _refuse, dict.popitem: _refuse, operator.mul: _repeat, sorted: _sorted,
    dict.get: _dict_get, dict.copy: _copy_whole, copy.deepcopy: _copy_whole, add_into: _add_into, put_back: _put_back, present: _present,
}
