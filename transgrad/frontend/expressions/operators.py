"""Operators: arithmetic, comparisons, truth.  What is known is computed, what is a user's object calls its method."""
from __future__ import annotations

import operator
import sys
import types
from typing import Any

import gast
import numpy as np

from ...ir.infer import is_foreign
from ...ir.ops import UNDEF, Lit, Value
from ...ir.prims import not_in
from ...ir.types import Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, holds_reference, is_differentiable
from ..context import Lowering
from ..domain import heap
from ..domain.abstract import SBound, SChoice, SClass, SConflict, SDict, SFunc, SIter, SList, SObj, SPartial, STuple, is_lit, is_none
from ..domain.contents import Contents
from ..domain.heap_checks import compares_by_identity
from ..domain.join import BOTTOM
from ..library.foreign import family, is_plain, is_sparse, sparse_as_elements, sparse_product, sparse_result
from ..objects.builtin_bases import data_of
from ..objects.members import class_of, special
from ..refusals import refuse
from ..statements.control_flow import choose
from .arraylike import beside_arrays
from .dispatch import condition, expr
from .operations import call, strip

__all__ = ["binary", "binary_op", "compare", "same_type", "truth", "unary"]

BINARY = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv, gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod, gast.Pow: operator.pow, gast.MatMult: operator.matmul, gast.LShift: operator.lshift,
    gast.RShift: operator.rshift, gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.BitAnd: operator.and_,
}
UNARY = {gast.USub: operator.neg, gast.UAdd: operator.pos, gast.Invert: operator.invert}
COMPARE = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le, gast.Gt: operator.gt, gast.GtE: operator.ge,
    gast.Is: operator.is_, gast.IsNot: operator.is_not, gast.In: operator.contains, gast.NotIn: not_in,
}
SYMBOLS = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//", operator.mod: "%",
    operator.pow: "**", operator.matmul: "@", operator.lshift: "<<", operator.rshift: ">>", operator.or_: "|", operator.xor: "^",
    operator.and_: "&",
}
_METHODS = {
    operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "truediv", operator.floordiv: "floordiv",
    operator.mod: "mod", operator.pow: "pow", operator.matmul: "matmul", operator.lshift: "lshift", operator.rshift: "rshift",
    operator.or_: "or", operator.xor: "xor", operator.and_: "and",
}
_REFLECTED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_PLAIN = (bool, int, float, complex, str, bytes, tuple, type(None), slice, frozenset)
_SHORT = 8      # digits of a float that may stand for an expression of literals


def binary(ctx: Lowering, node: Any) -> Any:
    """``a + b`` and the like."""
    a, b = expr(ctx, node.left), expr(ctx, node.right)
    return binary_op(ctx, BINARY[type(node.op)], a, b, node)


def binary_op(ctx: Lowering, fn: Any, a: Any, b: Any, node: Any) -> Any:
    """The value of a binary operator."""
    if isinstance(a, Lit) and isinstance(b, Lit):
        folded = fold(fn, a, b)
        if folded is not None:
            return folded
    if is_plain(a) and is_plain(b):
        return call(ctx, fn, [a, b], node=node)
    a, b = beside_arrays(ctx, fn, a, b, node)
    sparse = is_sparse(ctx, a) or is_sparse(ctx, b)
    if sparse:
        fn = sparse_product(ctx, fn, a, b)
        a, b = sparse_as_elements(ctx, fn, a, b, node)
    if any(isinstance(x, (SObj, SChoice)) or _user(ctx, x) for x in (a, b)):
        name = _METHODS[fn]
        found = special(ctx, a, f"__{name}__", [b], node) if _overloads(ctx, a) else None
        if found is None and _overloads(ctx, b):
            found = special(ctx, b, f"__r{name}__", [a], node)
        if found is not None:
            return found
    if fn is operator.matmul and (is_sparse(ctx, a) or is_sparse(ctx, b)):
        from ...rules.scipy.sparse.systems import after, before
        if not (is_sparse(ctx, a) and is_sparse(ctx, b)):
            return call(ctx, *((before, [a, b]) if is_sparse(ctx, a) else (after, [a, b])), node=node)
    if fn is operator.add:
        if isinstance(a, STuple) and isinstance(b, STuple):
            return ctx.tuple(a.items + b.items)
        joined = _tuples(ctx, a, b)
        if joined is not None:
            return joined
        if any(isinstance(x, Value) and isinstance(x.type, ListT) for x in (a, b)):     # a tuple of unknown length is a list here
            from ..containers.displays import new_list
            a, b = (new_list(ctx, x.items, node) if isinstance(x, STuple) else x for x in (a, b))
        if isinstance(a, SList) and isinstance(b, SList):
            x, y = ctx.contents(a), ctx.contents(b)
            if isinstance(x, Contents) and isinstance(y, Contents):
                from ..containers.displays import new_list
                return new_list(ctx, [*x.items, *y.items], node)
    if fn is operator.mul:
        for x, n in ((a, b), (b, a)):
            if isinstance(x, (STuple, SList)) and is_lit(n, int) and isinstance(n.value, int):
                items = x.items if isinstance(x, STuple) else getattr(ctx.contents(x), "items", None)
                if items is not None and len(items) * n.value <= 64:
                    from ..containers.displays import new_list
                    return ctx.tuple(items * n.value) if isinstance(x, STuple) else new_list(ctx, items * n.value, node)
    if fn in (operator.add, operator.mul) and any(map(_is_differentiated_tuple, (a, b))):
        repeated = _repeated(ctx, a, b, node) if fn is operator.mul else None
        if repeated is not None:
            return repeated
        types = [strip(x.type) for x in (a, b) if isinstance(x, (Value, Lit))]
        if not any(isinstance(t, Arr) and t.dims for t in types):
            refuse("undecided", ctx.at(node), f"the length of the result of {SYMBOLS[fn]} on a tuple is not known when compiling")
    if fn is operator.mod and (is_lit(a, str) or getattr(a, "type", None) == Obj(str)):
        return call(ctx, fn, [a, b], type=Obj(str), node=node)
    if fn is operator.or_ and isinstance(a, SDict) and isinstance(b, SDict):
        from ..containers.displays import merge_dicts
        return merge_dicts(ctx, [a, b], node)
    return call(ctx, fn, [a, b], type=sparse_result(ctx, fn, a, b) if sparse else None, node=node)


def _is_differentiated_tuple(x: Any) -> bool:
    """Whether a value is a tuple, or a list whose items have types of their own, that something is differentiated by."""
    return isinstance(x, Value) and isinstance(x.type, TupleT) and x.varied and is_differentiable(x.type)


def _repeated(ctx: Lowering, a: Any, b: Any, node: Any) -> Any:
    """``p * 2`` of a tuple or mixed list, item by item; None where the number is not known when compiling."""
    from ..containers.displays import new_list
    from ..containers.iterables import static_items
    for x, n in ((a, b), (b, a)):
        items = static_items(ctx, x) if _is_differentiated_tuple(x) and is_lit(n, int) else None
        if items is not None and len(items) * n.value <= 64:
            return new_list(ctx, [*items] * n.value, node) if x.type.cls is list else ctx.tuple([*items] * n.value)
    return None


def _tuples(ctx: Lowering, a: Any, b: Any) -> Any:
    """A static tuple next to a literal one, and tuples at run time of known length that hold what is differentiated; a sum of others
    (``x.shape[:-1] + (3,)``) stays one."""
    kinds = [_tuple_kind(x) for x in (a, b)]
    if None in kinds or kinds == ["literal", "literal"] or "plain" in kinds:
        return None
    from ..containers.iterables import static_items
    x, y = static_items(ctx, a), static_items(ctx, b)
    return ctx.tuple([*x, *y]) if x is not None and y is not None else None


def _tuple_kind(x: Any) -> str | None:
    """What is known of a tuple; None for what is none."""
    if isinstance(x, STuple):
        return "static"
    t = getattr(x, "type", None)
    if is_lit(x, tuple):
        return "literal"
    if isinstance(x, Value) and isinstance(t, TupleT) and t.cls is not list:
        return "differentiated" if is_differentiable(t) else "plain"
    return None


def _user(ctx: Lowering, x: Any) -> bool:
    """Whether ``x`` is an instance of a user's class that was passed in, or is known when compiling."""
    if isinstance(x, Lit):
        cls = type(x.value)
        return _overloads(ctx, x) and not is_foreign(cls) and cls.__module__.split(".")[0] not in sys.stdlib_module_names - {"__main__"}
    if isinstance(x, STuple):       # a named tuple with operators of its own
        return _overloads(ctx, x)
    return isinstance(x, Value) and isinstance(strip(x.type), (Obj, RecordT)) and _overloads(ctx, x)


def _overloads(ctx: Lowering, x: Any) -> bool:
    cls = class_of(ctx, x)
    return cls is not None and not _builtin_class(cls)


def _builtin_class(cls: Any) -> bool:
    return isinstance(cls, type) and cls.__module__.split(".")[0] in ("builtins", "numpy", "scipy")


def fold(fn: Any, *args: Lit) -> Lit | None:
    """The value of an operator on literals, where it is worth having: not for floats with many digits."""
    values = [a.value for a in args]
    if fn is operator.or_ and values != [None, None] and all(isinstance(v, (type, types.UnionType, type(None))) for v in values):
        texts = [a.text or repr(a.value) for a in args]
        return Lit(fn(*values), f"({texts[0]} | {texts[1]})")
    if not all(isinstance(v, _PLAIN) for v in values) or any(a is UNDEF for a in args):
        return None
    if any(isinstance(v, tuple) and not all(isinstance(i, _PLAIN) for i in v) for v in values):
        return None
    if fn is operator.pow and isinstance(values[1], int) and abs(values[1]) > 64:
        return None
    if fn is operator.lshift and values[1] > 64 or fn is operator.mul and _long(values):
        return None
    try:
        out = fn(*values)
    except Exception:
        return None
    named = any(a.text for a in args)
    if isinstance(out, (float, complex)) and (named or len(repr(out)) > _SHORT):
        return None
    if not named or isinstance(out, (bool, str)):
        return Lit(out)
    symbol = SYMBOLS.get(fn)
    texts = [a.text or repr(a.value) for a in args]
    return Lit(out, f"({texts[0]} {symbol} {texts[1]})" if symbol and len(texts) == 2 else None)


def _long(values: list[Any]) -> bool:
    return any(isinstance(v, (str, bytes, tuple)) for v in values) and any(isinstance(v, int) and v > 64 for v in values)


def unary(ctx: Lowering, node: Any) -> Any:
    """``-a``, ``not a``."""
    if isinstance(node.op, gast.Not):
        cond = condition(ctx, node.operand)
        return Lit(not cond.value) if isinstance(cond, Lit) else call(ctx, operator.not_, [cond], node=node)
    a = expr(ctx, node.operand)
    fn: Any = UNARY[type(node.op)]
    if isinstance(a, Lit) and a.text is None and isinstance(a.value, (int, float, complex)) and not isinstance(a.value, bool):
        return Lit(fn(a.value))
    if isinstance(a, SObj) or _user(ctx, a):
        found = special(ctx, a, f"__{fn.__name__}__", [], node)
        if found is not None:
            return found
    return call(ctx, fn, [a], type=family(ctx, a) if is_sparse(ctx, a) else None, node=node)


def compare(ctx: Lowering, node: Any) -> Any:
    """``a < b <= c``."""
    return _chain(ctx, node, expr(ctx, node.left), list(node.ops), list(node.comparators))


def _chain(ctx: Lowering, node: Any, a: Any, ops: list[Any], rest: list[Any]) -> Any:
    b = expr(ctx, rest[0])
    first = compare_op(ctx, COMPARE[type(ops[0])], a, b, node)
    if len(ops) == 1:
        return first
    cond = truth(ctx, first, node)
    if isinstance(cond, Lit):
        return _chain(ctx, node, b, ops[1:], rest[1:]) if cond.value else first
    return choose(ctx, cond, lambda: _chain(ctx, node, b, ops[1:], rest[1:]), lambda: first)


def compare_op(ctx: Lowering, fn: Any, a: Any, b: Any, node: Any) -> Any:
    """The value of one comparison."""
    ref = next((t for x in (a, b) if (t := heap.reference_type(ctx, x)) is not None), None)
    if ref is not None and (fn in (operator.is_, operator.is_not) or fn in (operator.eq, operator.ne) and compares_by_identity(ref)):
        return heap.same_instance(ctx, fn, a, b, node)
    if fn in (operator.is_, operator.is_not):
        known = identical(ctx, a, b)
        if known is not None:
            return Lit(known is (fn is operator.is_))
        return call(ctx, fn, [a, b], node=node)
    if fn in (operator.contains, not_in):
        from ..containers.displays import membership
        return membership(ctx, fn, a, b, node)
    if isinstance(a, Lit) and isinstance(b, Lit):
        folded = _fold_comparison(fn, a, b)
        if folded is not None:
            return folded
    a, b = beside_arrays(ctx, fn, a, b, node)
    known = _by_type(ctx, fn, a, b)
    if known is not None:
        return Lit(known)
    if any(isinstance(x, (SObj, SChoice)) or _user(ctx, x) for x in (a, b)):
        name = fn.__name__
        found = special(ctx, a, f"__{name}__", [b], node) if _overloads(ctx, a) else None
        if found is None and _overloads(ctx, b):
            found = special(ctx, b, f"__{_REFLECTED[name]}__", [a], node)
        if found is None:
            from ..objects.instances import by_fields
            found = by_fields(ctx, fn, a, b, node)
        if found is not None:
            return found
        if isinstance(a, SObj) and isinstance(b, SObj) and fn in (operator.eq, operator.ne):
            from ..objects.instances import equal_dataclasses
            return equal_dataclasses(ctx, fn, a, b, node)
    if fn in _ORDER and any(isinstance(t := getattr(x, "type", None), TupleT) and holds_reference(t) for x in (a, b)):
        from ..containers.iterables import static_items
        items = [static_items(ctx, x) for x in (a, b)]
        if items[0] is not None and items[1] is not None:
            return _lexicographic(ctx, fn, items[0], items[1], node)
    if fn in (operator.eq, operator.ne) and _sequence_class(a) and _sequence_class(b) and (known := equal(ctx, a, b)) is not None:
        return Lit(known is (fn is operator.eq))
    return call(ctx, fn, [a, b], node=node)


_ORDER = frozenset((operator.lt, operator.le, operator.gt, operator.ge))


def _lexicographic(ctx: Lowering, fn: Any, a: list[Any], b: list[Any], node: Any) -> Any:
    """The order of two tuples, item by item: the first items that differ decide, and no item behind them is compared."""
    if not a or not b:
        return Lit(bool(fn(len(a), len(b))))
    same = truth(ctx, compare_op(ctx, operator.eq, a[0], b[0], node), node)
    if isinstance(same, Lit):
        return _lexicographic(ctx, fn, a[1:], b[1:], node) if same.value else compare_op(ctx, fn, a[0], b[0], node)
    return choose(ctx, same, lambda: _lexicographic(ctx, fn, a[1:], b[1:], node), lambda: _first_items(ctx, fn, a[0], b[0], node))


def _first_items(ctx: Lowering, fn: Any, a: Any, b: Any, node: Any) -> Any:
    """The order of two items that differ; of instances without an order, the TypeError that Python raises."""
    from ..statements.dispatch import raised
    ref = heap.reference_type(ctx, a)
    if ref is None or any(f"__{fn.__name__}__" in vars(c) for cls in ref.classes for c in cls.__mro__[:-1]):
        return compare_op(ctx, fn, a, b, node)
    sign = {operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">="}[fn]
    name = ref.classes[0].__name__ if ref.classes else "object"
    message = f"'{sign}' not supported between instances of '{name}' and '{name}'"
    raised(ctx, call(ctx, TypeError, [Lit(message)], spelling="TypeError", type=Obj(TypeError), node=node))
    return UNDEF


def _fold_comparison(fn: Any, a: Lit, b: Lit) -> Lit | None:
    if a is UNDEF or b is UNDEF:
        return None
    plain = isinstance(a.value, _PLAIN) and isinstance(b.value, _PLAIN)
    if not plain and not (fn in (operator.eq, operator.ne) and all(isinstance(x.value, (type, np.dtype)) or callable(x.value) or
                                                                   isinstance(x.value, _PLAIN) for x in (a, b))):
        return None
    try:
        return Lit(bool(fn(a.value, b.value)))
    except Exception:
        return None


def _by_type(ctx: Lowering, fn: Any, a: Any, b: Any) -> bool | None:
    """Comparisons that the types decide: a length that is 1, values that cannot be equal."""
    if fn not in (operator.eq, operator.ne, operator.gt, operator.le):
        return None
    for x, y, swapped in ((a, b, False), (b, a, True)):
        t = getattr(x, "type", None)
        if (
            isinstance(x, Value)
            and isinstance(t, Num)
            and t.dim is not None
            and is_lit(y, int)
            and y.value == 1
            and fn in (operator.eq, operator.ne)
        ):
            if t.dim.one is not None and (t.dim.one or not t.dim.off):
                return t.dim.one is (fn is operator.eq)
        if (
            fn in (operator.eq, operator.ne)
            and isinstance(x, Value)
            and (is_lit(y, str) or is_none(y))
            and isinstance(t, (Num, ListT, DictT))
        ):
            return fn is operator.ne
        del swapped
    return None


def identical(ctx: Lowering, a: Any, b: Any) -> bool | None:
    """Whether two things are the same object, where that is known."""
    if a is b and not isinstance(a, Value):
        return True
    if isinstance(a, Lit) and isinstance(b, Lit):
        return a.value is b.value or (type(a.value) is type(b.value) and isinstance(a.value, (int, str, type(None))) and a.value == b.value)
    for x, y in ((a, b), (b, a)):
        if isinstance(y, Lit) and y is not UNDEF:
            if not isinstance(x, (Value, Lit, SConflict, SChoice)):
                return False
            if isinstance(x, Value) and y.value is None and x.type == Obj(type(None)):
                return True
            if isinstance(x, Value) and _cannot_be(x, y.value):
                return False
    if isinstance(a, Value) and isinstance(b, Value):
        return None
    if isinstance(a, (SObj, SFunc, SList, SDict, SClass, SBound)) and isinstance(b, (SObj, SFunc, SList, SDict, SClass, SBound)):
        return a is b
    return None


def equal(ctx: Lowering, a: Any, b: Any) -> bool | None:
    """Whether two things are equal, where that is known; tuples and lists are equal item by item."""
    same = identical(ctx, a, b)
    if same or a is UNDEF or b is UNDEF:
        return same
    if isinstance(a, Lit) and isinstance(b, Lit):
        folded = _fold_comparison(operator.eq, a, b)
        return bool(folded.value) if folded is not None else same if _by_identity(type(a.value), type(b.value)) else None
    if isinstance(a, (SObj, Lit)) and isinstance(b, (SObj, Lit)):
        return same if _by_identity(*(x.cls if isinstance(x, SObj) else type(x.value) for x in (a, b))) else None
    from ..containers.iterables import static_items
    kinds = [_sequence_class(x) for x in (a, b)]
    if None not in kinds:
        if kinds[0] is not kinds[1]:
            return False
        items = [static_items(ctx, x) for x in (a, b)]
        if items[0] is None or items[1] is None:
            return None
        if len(items[0]) != len(items[1]):
            return False
        each = [equal(ctx, x, y) for x, y in zip(*items)]
        return False if False in each else None if None in each else True
    for x, y in ((a, b), (b, a)):
        if isinstance(x, (STuple, SList, SDict)) and (isinstance(y, Lit) and isinstance(y.value, _PLAIN) or isinstance(
                y, (SFunc, SClass, SBound))):
            return False
        if isinstance(x, (SFunc, SClass, SBound)) and not isinstance(y, (Value, SObj, SConflict, SChoice)):
            return False
    return _by_type(ctx, operator.eq, a, b)


def _by_identity(*classes: Any) -> bool:
    """Whether instances of classes are equal only to themselves."""
    return all(getattr(cls, "__eq__", None) in (object.__eq__, type.__eq__) or cls in _PLAIN for cls in classes)


def _sequence_class(x: Any) -> type | None:
    """Tuple or list, for something whose items are known."""
    value = x.value if isinstance(x, Lit) else None
    return tuple if isinstance(x, STuple) or isinstance(value, tuple) else list if isinstance(x, SList) or isinstance(value, list) else None


def _cannot_be(x: Value, value: Any) -> bool:
    t = x.type
    if isinstance(t, OptT) or t == Obj(None) or t == BOTTOM:
        return False
    if isinstance(t, Obj) and t.cls is not None:
        return not isinstance(value, t.cls)
    if value is None or isinstance(value, (str, type)) or callable(value):
        return True
    if isinstance(value, bool):
        return not (isinstance(t, Num) and t.kind == "bool")
    return False


def truth(ctx: Lowering, x: Any, node: Any = None) -> Any:
    """Whether ``x`` is true: a literal, or an operand whose truth is tested at run time."""
    if isinstance(x, Lit):
        if x is UNDEF:
            return Lit(False)
        if isinstance(x.value, (np.ndarray, list, dict, set)):
            return call(ctx, operator.truth, [x], node=node)
        try:
            return Lit(bool(x.value)) if isinstance(x.value, (*_PLAIN, type, np.generic)) or callable(x.value) or _no_truth(type(x.value)) \
                else call(ctx, operator.truth, [x], node=node)
        except Exception:
            return call(ctx, operator.truth, [x], node=node)
    if isinstance(x, STuple):
        return Lit(bool(x.items))
    if isinstance(x, (SList, SDict)):
        held = ctx.contents(x)
        return Lit(bool(held.items)) if isinstance(held, Contents) else ctx.operand(x, node)
    if isinstance(x, SObj):
        for method in ("__bool__", "__len__"):
            found = special(ctx, x, method, [], node)
            if found is not None:
                return truth(ctx, found, node)
        data = data_of(ctx, x, node)
        return Lit(True) if data is None else truth(ctx, data, node)
    if isinstance(x, (SFunc, SBound, SClass, SPartial, SIter)):
        return Lit(True)
    if isinstance(x, SChoice):
        return choose(ctx, x.cond, lambda: truth(ctx, x.then, node), lambda: truth(ctx, x.orelse, node))
    if isinstance(x, Value):
        t = x.type
        if heap.reference_type(ctx, x) is not None:
            return heap.truth(ctx, x, node)
        if isinstance(t, TupleT):
            return Lit(bool(t.elems))
        if isinstance(t, RecordT) and t.cls is dict:
            return Lit(bool(t.keys))
        if isinstance(t, (Obj, RecordT)) and t.cls is not None and not _builtin_class(t.cls):
            for method in ("__bool__", "__len__"):
                found = special(ctx, x, method, [], node)
                if found is not None:
                    return truth(ctx, found, node)
            return Lit(True) if _no_truth(t.cls) else x
        return x
    return ctx.operand(x, node)


def _no_truth(cls: type) -> bool:
    return not hasattr(cls, "__bool__") and not hasattr(cls, "__len__")


def same_type(a: Any, b: Any) -> bool:
    return isinstance(a, (Arr, SetT)) and a == b
