"""Reverse of indexed reads and writes of arrays: both act on the shadow, at the same index."""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import rules
from ....errors import UnsupportedCall, UnsupportedSyntax
from ....ir.build import lift
from ....ir.infer import infer
from ....ir.ops import Build, Call, Function, GetAttr, Lit, Operand, Star, Value, operands_of, walk
from ....ir.prims import inplace_at, unpack
from ....ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, is_differentiable
from ....runtime import gather_written
from ...analysis.alias import adds_axes, copies_on_read
from ...analysis.support import Selection, added_at, cleared_at, narrowed, nonzero
from ...canonicalize.symbolic_shapes import with_names
from .unbroadcast import covers, full, whole

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["ARRAY_OPS", "accumulate_at", "inplace_rule", "stores_constants"]

_PLAIN = {
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul, operator.itruediv: operator.truediv,
    operator.ipow: operator.pow, operator.imatmul: operator.matmul, operator.imod: operator.mod, operator.ifloordiv: operator.floordiv,
}
#: types of an index of which nothing is known
_ANYTHING = (UNKNOWN, Obj(tuple))


def _repeats(r: "Reverse", base: Operand, index: Operand) -> bool:
    """Whether an index may name an element twice: it holds an array of integers, and counts none of the axes up."""
    if not copies_on_read(index) or _counts_up(r, index):
        return isinstance(base.type, Arr) and isinstance(index, Value) and index.type in _ANYTHING
    parts = index.value if isinstance(index, Lit) and isinstance(index.value, tuple) else (index.value,) if isinstance(index, Lit) else None
    if _names_each_once(r, index):
        return False
    if parts is not None:
        return any(isinstance(p, (list, np.ndarray)) and np.asarray(p).dtype != bool for p in parts)
    t = index.type
    return any(isinstance(e, ListT) and e.elem != Num("bool") or isinstance(e, Arr) and e.dims and e.dtype != "bool"
               for e in getattr(t, "elems", (t,)))


def _counts_up(r: "Reverse", index: Operand) -> bool:
    """Whether one of the arrays of an index is ``np.arange(n)``, as in ``p[np.arange(len(labels)), labels]``."""
    made = r.layout.maker.get(index) if isinstance(index, Value) else None
    parts: list[Any] = made.items if isinstance(made, Build) and made.kind == "tuple" else [index]
    if not all(map(_is_plain, parts)):
        return False        # in a broadcast array, each number occurs several times

    def is_stretched(v: Value) -> bool:
        """Whether it may be one number, along which several others are read."""
        assert isinstance(v.type, Arr)
        length = v.type.dims[0]
        return length.one is not False and any(isinstance(p.type, ListT) or isinstance(p.type, Arr) and p.type.dims and (
            p.type.dims[0] != length or length.one is length.sym is None) for p in parts)

    makers = [(p, r.layout.maker.get(p)) for p in parts if isinstance(p, Value)]
    return any(isinstance(m, Call) and m.fn is np.arange and len(m.args) == 1 and not m.kwargs and not r.classes.is_written(p)
               and not is_stretched(p) for p, m in makers)


def _names_each_once(r: "Reverse", index: Operand) -> bool:
    """Whether the only list of numbers in an index is known, and none of them is in it twice: ``u[k, [3, 7]]``."""
    made = r.layout.maker.get(index) if isinstance(index, Value) else None
    parts: list[Any] = (list(made.items) if isinstance(made, Build) and made.kind == "tuple"
                        else [Lit(p) for p in index.value] if isinstance(index, Lit) and isinstance(index.value, tuple) else [index])
    lists = [p for p in parts if not _is_one_or_slice(p)]
    if len(lists) != 1:
        return False
    display = r.layout.maker.get(lists[0]) if isinstance(lists[0], Value) else None
    if isinstance(display, Build) and display.kind == "list" and not r.classes.is_written(display.result):
        numbers = [i.value if isinstance(i, Lit) else None for i in display.items]
    else:
        held = getattr(lists[0], "value", None)
        numbers = held if isinstance(held, list) else []
    return bool(numbers) and all(type(n) is int and n >= 0 for n in numbers) and len(set(numbers)) == len(numbers)


def _is_one_or_slice(p: Any) -> bool:
    if isinstance(p, Lit):
        return type(p.value) in (int, slice)
    return isinstance(p, Value) and (p.type == Num("int") or isinstance(p.type, Obj) and p.type.cls is slice)


def _is_plain(p: Any) -> bool:
    """Whether a part of an index is a number, a slice, or a row of numbers."""
    if isinstance(p, Lit):
        v = p.value
        return v is None or v is Ellipsis or type(v) in (int, slice) or isinstance(v, np.ndarray) and v.ndim < 2
    if isinstance(p, Star):
        return False
    t = p.type
    return isinstance(t, Num) or isinstance(t, Arr) and len(t.dims) < 2 or isinstance(t, ListT) and isinstance(t.elem, Num) or isinstance(
        t, Obj) and t.cls is slice


def accumulate_at(r: "Reverse", shadow: Any, index: Any, g: Any, may_repeat: bool = False) -> None:
    """``shadow[index] += g``."""
    b = r.builder
    before = r.buffers.before(r, shadow)
    mask = added_at(r, before, shadow, index)
    if may_repeat:
        b.call(np.add.at, shadow, index, g, type=Obj(type(None)))
        b.block.ops[-1].results = []
    else:
        positive = b.without_sign(g)
        op, g = (operator.iadd, g) if positive is None else (operator.isub, positive)
        _statement(b, inplace_at, shadow, index, g, Lit(op))
    if mask is None and before is not None and copies_on_read(index) and not isinstance(index.type, Num):
        mask = nonzero(r, shadow, Selection.PLACES)
    r.buffers.after(r, shadow, mask)


def stores_constants(func: Function, base: int, active: Sequence[int]) -> bool:
    """Whether a function overwrites elements of the array that is parameter ``base`` with something that is not differentiated: that
    depends on none of the ``active`` parameters, but for the shape of the array."""
    varied = {func.params[k] for k in active if k != base}
    stored = False
    for op in walk(func.body):
        if type(op) is Call and op.fn is operator.setitem and isinstance(op.args[0].type, Arr):
            stored = True
            if op.args[2] in varied or op.args[2] is func.params[base]:
                return False
        elif any(o in varied for o in operands_of(op)):
            varied.update(op.results)
    return stored


def _statement(b: Any, fn: Callable[..., Any], *args: Any) -> None:
    b.call(fn, *args, type=Obj(type(None)))
    b.block.ops[-1].results = []


def _read(r: "Reverse", shadow: Any, index: Any) -> Any:
    """The part of a shadow at ``index``, safe from later writes to the shadow."""
    b = r.builder
    made = b.maker.get(shadow)
    if isinstance(made, GetAttr) and made.name == "flat":       # an iterator, which has no derivatives of its own
        shadow = b.call(np.ravel, made.obj)
    if _repeats(r, shadow, index):
        return b.call(gather_written, shadow, index, type=infer(operator.getitem, [shadow, lift(index)]))
    g = b.call(operator.getitem, shadow, index)
    if isinstance(g.type, Arr) and g.type.dims:
        g.type = with_names(r.fn, shadow, index, g.type, r.layout.maker)
    if not copies_on_read(index) and not (isinstance(g.type, Arr) and g.type.scalar) and not isinstance(g.type, Num):
        g = b.call(np.ndarray.copy if isinstance(g.type, Arr) else np.copy, g, type=g.type)
    return g


def _getitem(r: "Reverse", op: Call) -> None:
    base, index = op.args
    if not r.is_active(op.result) or r.refs(op.result) is not op.result:
        return
    if isinstance(base.type, Obj):
        raise UnsupportedSyntax("a part of something whose type is not known when compiling has no derivative here", op.loc,
                                "make it a list or an array first: list(x), np.asarray(x)")
    view = r.view_base(op.result)
    g = r.take(op.result)
    if view is not None and r.shadowed(op.result) or g is None:
        return
    if isinstance(base.type, Arr) and base.type.scalar:     # s[()], s[s > 0], s[None]: of a NumPy scalar
        if isinstance(op.result.type, Arr) and any(not d.one for d in op.result.type.dims):      # none or one of it
            g = whole(r.builder, g, r.primal(op.result, r.builder))
        r.add(base, r.builder.call(np.sum, g) if isinstance(g.type, Arr) and g.type.dims else g)
        return
    if adds_axes(index) and not r.shadowed(base):
        r.add(base, _without_axes(r, g, op))
        return
    accumulate_at(r, r.shadow(base), r.keep(index, op), g, _repeats(r, base, index))


def _without_axes(r: "Reverse", g: Any, op: Call) -> Any:
    """A cotangent without the dimensions that an index has added; its sums are taken without them."""
    b, t, whole_type, index = r.builder, op.args[0].type, op.result.type, op.args[1]
    if isinstance(g.type, Num) or isinstance(g.type, Arr) and not g.type.dims:
        return g
    assert isinstance(t, Arr) and isinstance(whole_type, Arr) and isinstance(index, Lit)
    g = g if isinstance(g.type, Arr) and len(g.type.dims) == len(whole_type.dims) else whole(b, g, r.primal(op.result, b))
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    axes = [k for k, p in enumerate(parts) if p is None]
    positive = b.without_sign(g)
    if positive is not None:
        return b.call(operator.neg, _without_axes(r, positive, op))
    made = b.maker.get(g)
    if isinstance(made, Call) and made.fn is np.sum and made.kwargs.keys() == {"axis", "keepdims"} and getattr(
            made.kwargs["axis"], "value", None) in (axes[0] if len(axes) == 1 else tuple(axes),) and b.retract(made):
        return b.call(np.sum, made.args[0], axis=made.kwargs["axis"], type=Arr(g.type.dtype, t.dims))
    dims = tuple(d for k, d in enumerate(g.type.dims) if k not in axes)
    return b.call(operator.getitem, g, tuple(0 if p is None else p for p in parts), type=Arr(g.type.dtype, dims))


def _unpack(r: "Reverse", op: Call) -> None:
    base = op.args[0]
    if isinstance(base.type, Obj):
        _unpack_residuals(r, op)
        return
    from .containers import add_item
    if all(isinstance(v.type, Num) for v in op.results) and not r.shadowed(base):
        gs = [r.take(v) for v in op.results]        # an array taken apart has a cotangent that is put together
        if any(g is not None for g in gs):
            parts = [Lit(0.0) if g is None else g for g in gs]
            r.add(base, r.builder.call(np.array, r.builder.build("list", parts), type=base.type), owned=True)
        return
    row = _row(r, base)
    for k, v in reversed(list(enumerate(op.results))):
        if r.refs(v) is v and (g := r.take(v)) is not None:
            if row is not None:        # where the row stands
                accumulate_at(r, r.shadow(row.args[0]), r.builder.build("tuple", [r.keep(row.args[1], row), k]), g)
            else:
                add_item(r, r.shadow(base), Lit(k), g, v.type)


def _row(r: "Reverse", v: Operand) -> Call | None:
    """The read of a row of an array, at a number, that made a view."""
    view = r.view_base(v) if isinstance(v, Value) else None
    if view is None or not isinstance(view[1], Call) or view[1].fn is not operator.getitem:
        return None
    base, index = view[1].args
    return view[1] if isinstance(base.type, Arr) and isinstance(index.type, Num) else None


def _unpack_residuals(r: "Reverse", op: Call) -> None:
    """A tuple of residuals has a tuple of cotangents."""
    gs = [r.take(v) if r.refs(v) is v else None for v in op.results]
    if all(g is None for g in gs):
        return
    items = [(r.zero(v) if is_differentiable(v.type) else Lit(None)) if g is None else g for v, g in zip(op.results, gs)]
    packed = r.builder.build("tuple", items)
    if isinstance(packed, Value):
        packed.type = op.args[0].type
    r.add(op.args[0], packed, owned=True)


def _setitem(r: "Reverse", op: Call) -> None:
    base, index, value = op.args
    if not r.is_active(base) or not r.has_shadow(base):
        return
    shadow, index = r.shadow(base), r.keep(index, op)
    g = _read(r, shadow, index) if r.is_active(value) else None
    if isinstance(g, Value) and value.type == Num("float") and g.type == Arr("float64", (), scalar=True):
        g.type = value.type     # an array to which a Python float was written is read as a float
    mask = r.buffers.before(r, shadow)
    _statement(r.builder, operator.setitem, shadow, index, Lit(0.0))
    if r.in_own_block(base):
        mask = narrowed(mask, cleared_at(r, shadow, index))
        r.buffers.after(r, shadow, nonzero(r, shadow, Selection.OVERWRITTEN) if mask is None and g is None else mask)
    if g is not None:
        r.add(value, g, broadcasts=True, owned=True)


def _inplace_at(r: "Reverse", op: Call) -> None:
    base, index, value, how = op.args
    if not r.is_active(base) or not r.has_shadow(base):
        return
    shadow, kept = r.shadow(base), r.keep(index, op)
    if how.value in (operator.iadd, operator.isub) and not _repeats(r, base, index):
        if r.is_active(value):
            g = _read(r, shadow, kept)
            r.add(value, r.builder.call(operator.neg, g) if how.value is operator.isub else g, broadcasts=True, owned=True)
        return
    rule = inplace_rule(how.value, op)
    if rule.kind == "constant":
        _statement(r.builder, operator.setitem, shadow, kept, Lit(0.0))
        return
    g = _read(r, shadow, kept)
    old, new = _contents(r, op, after=False), _contents(r, op, after=True)
    entries, _ = entries_of_inplace(r, op, rule, g, new, [old, r.keep(value, op)], [True, r.is_active(value)])
    if isinstance(base.type, (ListT, DictT)) and isinstance(g.type, Arr) and not g.type.scalar:     # the item stays the array it is
        shadow, kept = r.builder.call(operator.getitem, shadow, kept, type=g.type), Lit(Ellipsis)
    _statement(r.builder, operator.setitem, shadow, kept, Lit(0.0) if _repeats(r, base, index) else entries[0])
    if _repeats(r, base, index):
        accumulate_at(r, shadow, kept, entries[0], True)
    if entries[1] is not None:
        r.add(value, entries[1], broadcasts=True, owned=True)


def _contents(r: "Reverse", op: Call, after: bool) -> Value:
    """``base[index]`` as it was before or after the operation: read in the forward part, at that place."""
    base, index = op.args[:2]
    value = Value(infer(operator.getitem, [base, index]), base.name)
    r.remember(value, Call(operator.getitem, [base, index], results=[value], loc=op.loc), base, op, after, forced=True)
    if not copies_on_read(index) and isinstance(value.type, Arr) and not value.type.scalar:
        copy = Value(value.type, base.name)
        r.remember(copy, Call(np.ndarray.copy, [value], results=[copy], loc=op.loc), base, op, after, forced=True)
        return copy
    return value


def inplace_rule(how: Any, op: Call) -> "rules.Rule":
    """The rule of the operator behind an in-place one."""
    rule = rules.lookup(_PLAIN.get(how))
    if rule is None:
        raise UnsupportedCall(f"the in-place {how.__name__} has no derivative", op.loc, "write it as an assignment of a new array")
    return rule


def entries_of_inplace(
    r: "Reverse", op: Call, rule: "rules.Rule", g: Any, y: Any, args: list[Any], wanted: list[bool],
) -> tuple[list[Any], list[Any]]:
    """The cotangents of ``a op b`` where ``a`` is overwritten by the result."""
    if not covers(g.type, y.type):
        g = full(r.builder, g, y)
    return rule.pullback(g, y, args, {}, wanted), args


def _inplace(r: "Reverse", op: Call) -> None:
    """``u += v`` and the like on a whole array."""
    base, value = op.args
    if not r.is_active(base) or not r.has_shadow(base):
        return
    shadow = r.shadow(base)
    if op.fn in (operator.iadd, operator.isub):
        if r.is_active(value):
            g = r.builder.call(np.ndarray.copy, shadow, type=base.type)
            r.add(value, r.builder.call(operator.neg, g) if op.fn is operator.isub else g, broadcasts=True, owned=True)
        return
    rule = inplace_rule(op.fn, op)
    if rule.kind == "constant":
        _statement(r.builder, operator.setitem, shadow, Lit(Ellipsis), Lit(0.0))
        return
    g = r.builder.call(np.ndarray.copy, shadow, type=base.type)
    old, new = r.keep(base, op), r.keep(op.result, op, after=True)
    entries, _ = entries_of_inplace(r, op, rule, g, new, [old, r.keep(value, op)], [True, r.is_active(value)])
    _statement(r.builder, operator.setitem, shadow, Lit(Ellipsis), entries[0])
    if entries[1] is not None:
        r.add(value, entries[1], broadcasts=True, owned=True)


def _add_at(r: "Reverse", op: Call) -> None:
    base, index, value = op.args
    if r.is_active(base) and r.has_shadow(base) and r.is_active(value):
        g = r.builder.call(operator.getitem, r.shadow(base), r.keep(index, op))
        if not copies_on_read(index) and isinstance(g.type, Arr) and not g.type.scalar:
            g = r.builder.call(np.ndarray.copy, g, type=g.type)
        r.add(value, r.builder.call(operator.neg, g) if op.fn == np.subtract.at else g, broadcasts=True, owned=True)


def _fill(r: "Reverse", op: Call) -> None:
    base, value = op.args
    if r.is_active(base) and r.has_shadow(base):
        shadow = r.shadow(base)
        if r.is_active(value):
            r.add(value, r.builder.call(np.sum, shadow))
        _statement(r.builder, operator.setitem, shadow, Lit(Ellipsis), Lit(0.0))


def _copyto(r: "Reverse", op: Call) -> None:
    if op.kwargs:
        raise UnsupportedCall("np.copyto with options has no derivative", op.loc, "write target[...] = value, or np.where")
    whole = Call(operator.setitem, [op.args[0], Lit(Ellipsis), op.args[1]], loc=op.loc)
    r.layout.inside[id(whole)] = r.layout.inside[id(op)]
    _setitem(r, whole)


ARRAY_OPS: dict[Any, Callable[["Reverse", Call], None]] = {
    operator.getitem: _getitem, operator.setitem: _setitem, inplace_at: _inplace_at, unpack: _unpack, np.add.at: _add_at,
    np.subtract.at: _add_at, np.ndarray.fill: _fill, np.copyto: _copyto,
    **dict.fromkeys(_PLAIN, _inplace),
}
