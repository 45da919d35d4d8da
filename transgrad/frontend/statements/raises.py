"""Exceptions that the same function raises and catches are jumps.

``raise ValueError`` inside of a try clause that catches it goes to the except clause, as ``break`` goes behind a loop: a flag says that it
was met, the statements that follow are skipped, and the clause runs where the flag is set. Variables then hold what they held at the raise,
arrays and containers what was written to them, and the instance is an object of the compiler, whose attributes are differentiated.

This holds where the class is known when compiling, in the function of the try clause itself or in one that is inlined as a whole statement
of it (``f(x)``, ``y = f(x)``), and where no ``finally`` or ``with`` stands in between. The try statement itself remains for the exceptions
that operations raise, unless none of them can be caught (`may_raise`).
"""
from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from ...ir.ops import Block, Build, Call, For, GetAttr, If, Invoke, Lit, Op, Raise, Try, While, With, blocks_of, walk
from ...ir.prims import inplace_at, unguarded, unpack
from ...ir.types import Arr, DictT, ListT, Num, Obj, OptT, TupleT, strip
from ..context import Lowering
from ..domain.abstract import SBound, SFunc, SObj, STuple

__all__ = ["Target", "catch", "forget_exceptions", "jump", "may_raise", "set_args"]


class Target:
    """A try clause being lowered, and its except clauses."""

    def __init__(self, frame: Any, clauses: list[Any]):
        self.frame = frame
        self.classes = [_classes(c.classes) for c in clauses]
        self.named = [c.name is not None for c in clauses]
        self.flags = [(self, f"#x{k}") for k in range(len(clauses))]
        self.errors = [(self, f"#error{k}") for k in range(len(clauses))]
        self.met = [False] * len(clauses)


def _classes(held: Any) -> tuple[type, ...] | None:
    """The classes of an except clause; None where they are not known when compiling."""
    if held is None:
        return (BaseException,)
    if isinstance(held, STuple):
        parts = [_classes(i) for i in held.items]
        return None if None in parts else tuple(c for p in parts if p for c in p)
    if isinstance(held, Lit):
        value = held.value if isinstance(held.value, tuple) else (held.value,)
        return value if all(isinstance(c, type) for c in value) else None
    return None


def catch(ctx: Lowering, cls: type) -> tuple[Target, int] | None:
    """The try clause that catches an exception raised here, and which of its except clauses; None where a jump does not do."""
    for target in reversed(ctx.catchers):
        if target is None or not _reaches(ctx, target):
            return None
        for k, classes in enumerate(target.classes):
            if classes is None:
                return None
            if any(issubclass(cls, c) for c in classes):
                return target, k
    return None


def _reaches(ctx: Lowering, target: Target) -> bool:
    """Whether what follows in the statements between here and the try clause can be skipped."""
    frame = ctx.frame
    while frame is not target.frame:
        outer = ctx.whole.get(frame)
        if outer is None:
            return False
        frame = outer
    return True


def jump(ctx: Lowering, node: Any) -> bool:
    """Lower a raise statement as a jump; return whether it is one."""
    from ..expressions.dispatch import expr
    exc = node.exc
    if not ctx.catchers or node.cause is not None and not (isinstance(node.cause, gast.Constant) and node.cause.value is None):
        return False
    if exc is None:
        found, args, kwargs = ctx.handling[-1] if ctx.handling else (None, [], {})
        cls = found
    else:
        func = exc.func if isinstance(exc, gast.Call) else exc
        if not isinstance(func, (gast.Name, gast.Attribute)):
            return False
        held = expr(ctx, func)
        if isinstance(held, SObj) and held in ctx.raised and func is exc:
            cls, args, kwargs = ctx.raised[held]
        else:
            cls, args, kwargs = held.value if isinstance(held, Lit) else None, None, None
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        return False
    caught = catch(ctx, cls)
    if caught is None:
        return False
    target, k = caught
    if args is None:
        from ..calls.binding import call_arguments
        args, kwargs = call_arguments(ctx, exc) if isinstance(exc, gast.Call) else ([], {})
        if ctx.dead:
            return True
    made = instance(ctx, cls, args, kwargs, node)
    target.met[k] = True
    ctx.state[target.flags[k]] = Lit(True)
    ctx.state[target.errors[k]] = made
    ctx.state["#dead"] = ("mixed",)
    return True


def instance(ctx: Lowering, cls: type, args: list[Any], kwargs: dict[str, Any], node: Any) -> SObj:
    """An instance of an exception class, as an object of the compiler."""
    from ..calls.dispatch import call_abstract
    from ..objects.members import find
    made = SObj(cls, ctx.block)
    ctx.state[made, "args"] = ctx.tuple(args)
    ctx.raised[made] = (cls, args, kwargs)
    owner, init = find(cls, "__init__")
    if hasattr(init, "__code__") or isinstance(init, SFunc):
        call_abstract(ctx, SBound(made, init, owner), args, kwargs, node)
    return made


def set_args(ctx: Lowering, x: Any, args: list[Any]) -> Lit:
    """What ``__init__`` of the built-in exceptions does."""
    if isinstance(x, SObj):
        ctx.state[x, "args"] = ctx.tuple(args)
    return Lit(None)


def forget_exceptions(ctx: Lowering) -> None:
    """Drops the attributes of exceptions that nothing refers to any more, so that no loop carries them."""
    held = {id(v) for v in ctx.state.values()}
    gone = [k for k in ctx.state if isinstance(k[0], SObj) and isinstance(k[0].cls, type) and issubclass(k[0].cls, BaseException)
            and id(k[0]) not in held]
    for key in gone:
        del ctx.state[key]


_NOTHING: tuple[type, ...] = ()
_ANY = (BaseException,)
_PURE = frozenset((operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.abs, operator.not_, operator.is_,
                   operator.is_not, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.truth,
                   operator.and_, operator.or_, operator.xor, abs, bool, float, operator.iadd, operator.isub, operator.imul, len))
_QUOTIENTS = frozenset((operator.truediv, operator.floordiv, operator.mod, divmod, operator.itruediv))


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


def may_raise(block: Block, classes: tuple[type, ...] | None, seen: frozenset[int] = frozenset()) -> bool:
    """Whether an operation of a block may raise an exception of some classes."""
    for op in walk(block):
        found = _raised_by(op)
        if isinstance(op, Invoke):
            if id(op.func) not in seen and may_raise(op.func.body, classes, seen | {id(op.func)}):
                return True
        elif found and (classes is None or any(issubclass(a, b) or issubclass(b, a) for a in found for b in classes)):
            return True
    return False


def _raised_by(op: Op) -> tuple[type, ...]:
    """The classes of exceptions that an operation may raise by itself."""
    if isinstance(op, (If, Try, While)) or isinstance(op, Build) and op.kind != "set" or isinstance(op, Invoke):
        return _NOTHING
    if isinstance(op, For):
        return _NOTHING if all(s.kind in ("range", "count") or all(isinstance(o.type, (Arr, ListT, DictT, TupleT)) for o in s.operands)
                               for s in op.sources) else _ANY
    if isinstance(op, Raise):
        t = op.exc.type if op.exc is not None else None
        return (t.cls,) if isinstance(t, Obj) and isinstance(t.cls, type) and issubclass(t.cls, BaseException) else _ANY
    if isinstance(op, GetAttr):
        return _NOTHING if isinstance(op.obj.type, Arr) else _ANY
    if isinstance(op, With) and getattr(op.ctx.type, "cls", None) is np.errstate:
        return (FloatingPointError,)
    if not isinstance(op, Call) or blocks_of(op):
        return _ANY
    if op.fn in (np.errstate, unguarded) or isinstance(op.fn, type) and issubclass(op.fn, BaseException) and op.fn.__module__ == "builtins":
        return _NOTHING
    if op.fn in (operator.is_, operator.is_not, operator.not_):
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
    return _ANY


