"""The exceptions that operations and blocks may raise."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .ops import (
    Block,
    Build,
    Call,
    For,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Raise,
    SetAttr,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from .prims import inplace_at, unguarded, unpack
from .types import Arr, DictT, ListT, Num, Obj, OptT, SetT, TupleT, strip

__all__ = ["may_raise", "raised_by", "raised_classes", "raises_active"]

_NOTHING: tuple[type, ...] = ()
_ANY = (BaseException,)
_PURE = frozenset((operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.abs, operator.not_, operator.is_,
                   operator.is_not, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.truth,
                   operator.and_, operator.or_, operator.xor, abs, bool, float, operator.iadd, operator.isub, operator.imul, len))
_QUOTIENTS = frozenset((operator.truediv, operator.floordiv, operator.mod, divmod, operator.itruediv))


#: what operations on values of the built-in types raise: none of the user's classes
_OF_BUILTINS = (ArithmeticError, AttributeError, BufferError, LookupError, MemoryError, RuntimeError, TypeError, ValueError, StopIteration)
_MODULES = ("builtins", "_operator", "math", "numpy", None)


def _is_data(t: Any) -> bool:
    """Whether a type is that of a number, an array of numbers, a string, or a container of these."""
    t = strip(t) if t is not None else None
    if isinstance(t, (ListT, SetT)):
        return t.elem is None or _is_data(t.elem)
    if isinstance(t, DictT):
        return all(part is None or _is_data(part) for part in (t.key, t.value))
    if isinstance(t, TupleT):
        return all(map(_is_data, t.elems))
    return t is None or isinstance(t, Num) or isinstance(t, Arr) and t.dtype != "object" or isinstance(t, Obj) and t.cls in (str, slice)


def _stores_attribute(cls: Any, name: str) -> bool:
    """Whether reading or setting an attribute of an instance of a class runs nothing of the user's."""
    if not isinstance(cls, type) or cls is object:
        return False
    hooks = ("__getattr__", "__getattribute__", "__setattr__")
    return all(getattr(cls, h, None) is getattr(object, h, None) for h in hooks) and not any(
        name in c.__dict__ and hasattr(type(c.__dict__[name]), "__get__") for c in cls.__mro__)


_METHODS = frozenset((np.ndarray.sum, np.ndarray.mean, np.ndarray.copy, np.ndarray.ravel, np.ndarray.item))


def _is_number(t: Any) -> bool:
    return isinstance(t, Num) or isinstance(t, Arr) and not t.dims


def _broadcasts(types: list[Any]) -> bool:
    """Whether operands are numbers and arrays of the very same lengths."""
    dims = {t.dims for t in types if isinstance(t, Arr) and t.dims}
    return all(isinstance(t, (Num, Arr)) for t in types) and len(dims) == 1 and all(d.sym is not None or d.one for d in next(iter(dims)))


def _is_inside(t: Arr, index: Any) -> bool:
    """Whether an index is a number that is a place of an array of known length."""
    n = t.dims[0].known if t.dims else None
    return n is not None and isinstance(index, Lit) and type(index.value) is int and -n <= index.value < n


def may_raise(block: Block, classes: tuple[type, ...] | None) -> bool:
    """Whether an operation of a block may raise an exception of some classes, or of any."""
    wanted = _ANY if classes is None else classes
    return any(issubclass(a, b) or issubclass(b, a) for a in raised_classes(block, wanted) for b in wanted)


def raised_classes(block: Block, wanted: tuple[type, ...] = _ANY, handled: frozenset[type] = frozenset(_ANY), error: Any = None,
                   seen: frozenset[int] = frozenset()) -> frozenset[type]:
    """The classes of the exceptions that may leave a block, where it handles an exception ``error`` of the classes ``handled``; only those
    among the ``wanted`` count."""
    out: set[type] = set()
    for op in block.ops:
        if isinstance(op, Raise) and (op.exc is None or error is not None and op.exc is error):
            out |= handled
        elif isinstance(op, Invoke):
            if id(op.func) not in seen:
                out |= raised_classes(op.func.body, wanted, seen=seen | {id(op.func)})
        elif isinstance(op, Try):
            inside = raised_classes(op.body, wanted, handled, error, seen)
            caught = [c for h in op.handlers for c in _handled(h.classes)]
            if not all(any(issubclass(c, base) for base in caught) for c in wanted):
                out.update(c for c in inside if not any(issubclass(c, base) for base in caught))
            for h in op.handlers:
                out |= raised_classes(h.body, wanted, inside, h.body.params[0] if h.body.params else None, seen)
            if op.final is not None:
                out |= raised_classes(op.final, wanted, handled, error, seen)
        else:
            out.update(raised_by(op))
            for inner in blocks_of(op):
                out |= raised_classes(inner, wanted, handled, error, seen)
    return frozenset(out)


def raises_active(block: Block, classes: list[tuple[type, ...] | None], seen: frozenset[int] = frozenset()) -> bool:
    """Whether an exception is raised at run time that holds values which depend on a differentiated input, and may be of some classes."""
    ops = list(walk(block))
    made = {r: op for op in ops for r in op.results}
    for op in ops:
        if isinstance(op, Invoke) and id(op.func) not in seen and raises_active(op.func.body, classes, seen | {id(op.func)}):
            return True
        source = made.get(op.exc) if isinstance(op, Raise) and isinstance(op.exc, Value) else None
        if source is not None and any(isinstance(o, Value) and o.varied for o in operands_of(source)):
            found = raised_by(op)
            if any(c is None or any(issubclass(a, b) or issubclass(b, a) for a in found for b in c) for c in classes):
                return True
    return False


def raised_by(op: Op) -> tuple[type, ...]:
    """The classes of exceptions that an operation may raise by itself."""
    if isinstance(op, (If, Try, While)) or isinstance(op, Build) and op.kind != "set" or isinstance(op, Invoke):
        return _NOTHING
    if isinstance(op, For):
        return _NOTHING if all(s.kind in ("range", "count") or all(isinstance(o.type, (Arr, ListT, DictT, TupleT)) for o in s.operands)
                               for s in op.sources) else _ANY
    if isinstance(op, Raise):
        if op.classes is not None:
            return tuple(op.classes)
        t = op.exc.type if op.exc is not None else None
        return (t.cls,) if isinstance(t, Obj) and isinstance(t.cls, type) and issubclass(t.cls, BaseException) else _ANY
    if isinstance(op, (GetAttr, SetAttr)):
        if isinstance(op, GetAttr) and isinstance(op.obj.type, Arr):
            return _NOTHING
        return (AttributeError,) if _stores_attribute(getattr(strip(op.obj.type), "cls", None), op.name) else _ANY
    if isinstance(op, With) and getattr(op.ctx.type, "cls", None) is np.errstate:
        return (FloatingPointError,)
    if not isinstance(op, Call) or blocks_of(op):
        return _ANY
    if op.fn in (np.errstate, unguarded) or isinstance(op.fn, type) and issubclass(op.fn, BaseException) and op.fn.__module__ == "builtins":
        return _NOTHING
    if op.fn in (operator.is_, operator.is_not, operator.not_) or getattr(op.fn, "__module__", None) == "transgrad.rules.stop":
        return _NOTHING
    types = [getattr(a, "type", None) for a in (*op.args, *op.kwargs.values())]
    numbers = all(isinstance(t, Num) or isinstance(t, Arr) and not t.dims for t in types)
    if isinstance(op.fn, np.ufunc) or op.fn in _PURE:
        if op.fn is len or numbers or _broadcasts(types):
            return _NOTHING
        if all(_is_number(strip(t)) for t in types if t is not None):
            return (TypeError,)     # None
        return (ValueError, TypeError) if all(isinstance(strip(t), (Num, Arr, ListT)) for t in types if t is not None) else _ANY
    if op.fn in _QUOTIENTS and numbers:
        d = op.args[1]
        return _NOTHING if isinstance(d, Lit) and d.value != 0 else (ZeroDivisionError, OverflowError)
    if op.fn in (operator.pow, pow) and numbers:
        return (ZeroDivisionError, OverflowError)
    if getattr(op.fn, "__module__", None) == "math" and numbers:
        return (ValueError, OverflowError)
    if op.fn in (int, round) and numbers:
        return (ValueError, OverflowError)
    base = types[0] if types else None
    if op.fn in (operator.getitem, operator.setitem, inplace_at, operator.delitem):
        if isinstance(base, DictT):
            return _NOTHING if op.fn is operator.setitem else (KeyError, TypeError)
        if isinstance(base, Arr) and _is_inside(base, op.args[1]):
            return _NOTHING
        if isinstance(base, ListT) and not (isinstance(op.args[1], Lit) and isinstance(op.args[1].value, slice)):
            place = op.args[1].value if isinstance(op.args[1], Lit) else None
            inside = type(place) is int and base.length is not None and -base.length <= place < base.length
            return _NOTHING if inside else (IndexError, TypeError)
        return (IndexError, ValueError, TypeError) if isinstance(base, (ListT, Arr)) else _ANY
    if op.fn in (list.append, dict.get, list.copy, dict.copy, list.clear, list.insert, list.reverse) and isinstance(base, (ListT, DictT)):
        return _NOTHING
    if op.fn in (list.pop, dict.pop):
        return (IndexError, KeyError)
    of_numbers = isinstance(base, ListT) and base.elem is not None and _is_number(strip(base.elem))
    if op.fn is sum and of_numbers and not isinstance(getattr(base, "elem", None), OptT) or op.fn in (np.array, np.asarray) and (
            of_numbers or isinstance(base, Arr)) or op.fn in _METHODS and isinstance(base, Arr):
        return _NOTHING
    if op.fn is unpack and isinstance(base, Arr) and len(base.dims) > 0 and base.dims[0].known == len(op.results):
        return _NOTHING
    if op.fn is sum or getattr(op.fn, "__module__", "") == "numpy" and all(
            isinstance(strip(t), (Num, Arr, ListT, TupleT)) for t in types if t is not None):
        return (ValueError, TypeError, IndexError)
    if op.fn in (max, min):
        return (ValueError, TypeError)
    if op.fn is unpack:
        return (ValueError, TypeError)
    return _OF_BUILTINS if all(map(_is_data, types)) and getattr(op.fn, "__module__", None) in _MODULES else _ANY


def _handled(held: Operand | None) -> tuple[type, ...]:
    """The classes that an except clause is known to handle."""
    if held is None:
        return (BaseException,)
    value = held.value if isinstance(held, Lit) else ()
    classes = value if isinstance(value, tuple) else (value,)
    return classes if all(isinstance(c, type) for c in classes) else ()
