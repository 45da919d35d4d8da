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

from ...ir.ops import (
    Block,
    Build,
    Call,
    For,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
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
from ...ir.prims import inplace_at, unguarded, unpack
from ...ir.types import Arr, DictT, ListT, Num, Obj, OptT, SetT, TupleT, strip
from ..context import InlineInstead, Lowering, Restart
from ..domain.abstract import UNBOUND, SBound, SFunc, SObj, STuple
from .normal_form import statement_site

__all__ = [
    "BODY", "Target", "catch", "forget_exceptions", "handled_by", "in_normal_form", "insist", "jump", "may_raise", "raised_by",
    "raised_classes", "raises_active", "reaches", "set_args",
]


class Target:
    """A try clause being lowered, and its except clauses; where it is ``precise``, its statements are lowered one by one (see `shielding`).

    A ``barrier`` stands for a finally clause or a context manager, which a raise may not jump out of.
    """

    def __init__(self, frame: Any, clauses: list[Any], site: Any, precise: bool, barrier: bool = False):
        self.frame, self.clauses, self.site, self.precise, self.barrier = frame, clauses, site, precise, barrier
        self.classes = [_classes(c.classes) for c in clauses]
        self.named = [c.name is not None or any(isinstance(n, gast.Raise) and n.exc is None for s in c.body for n in gast.walk(s))
                      for c in clauses]
        self.flags = [(self, f"#x{k}") for k in range(len(clauses))]
        self.met = [False] * len(clauses)
        #: The classes of the exceptions that were met, by clause; several for those that operations raise.
        self.kinds: list[list[type | frozenset[type]]] = [[] for _ in clauses]

    def meet(self, state: dict[Any, Any], k: int, cls: type | frozenset[type], error: Any) -> None:
        """Set the flag of a clause, and what exception it is."""
        self.met[k] = True
        state[self.flags[k]] = Lit(True)
        if self.named[k]:
            kinds = self.kinds[k]
            if cls not in kinds:
                kinds.append(cls)
            state[self, f"#error_kind{k}"] = Lit(kinds.index(cls))
            state[self, f"#error{k}_{kinds.index(cls)}"] = error

    def each(self, ctx: Lowering, k: int, handle: Any) -> None:
        """Lowers the handling of the exceptions of a clause, by their classes."""
        from ..expressions.operations import call
        from .control_flow import branch
        found = [ctx.state.pop((self, f"#error{k}_{j}"), UNBOUND) for j in range(len(self.kinds[k]))] or [UNBOUND]
        kind = ctx.state.pop((self, f"#error_kind{k}"), UNBOUND)
        for error, classes in zip(found, self.kinds[k]):
            if isinstance(error, Value) and isinstance(classes, frozenset):
                ctx.error_classes[error] = classes

        def among(j: int) -> None:
            if j == len(found) - 1 or isinstance(kind, Lit) and kind.value == j:
                handle(found[j])
            elif isinstance(kind, Lit):
                among(j + 1)
            else:
                branch(ctx, call(ctx, operator.eq, [kind, Lit(j)], type=Num("bool")), lambda: handle(found[j]), lambda: among(j + 1))
        among(0)


#: stands for the body of a ``with`` whose context manager is a generator
BODY = Target(None, [], None, False, barrier=True)


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
        if target is None or target.barrier:
            return None
        if not reaches(ctx, target):
            if target.precise:
                in_normal_form(ctx, target)
            return None
        for k, classes in enumerate(target.classes):
            if classes is None:
                return None
            if any(issubclass(cls, c) for c in classes):
                return target, k
    return None


def reaches(ctx: Lowering, target: Target) -> bool:
    """Whether what follows in the statements between here and the try clause can be skipped."""
    frame = ctx.frame
    while frame is not target.frame:
        outer = ctx.whole.get(frame)
        if outer is None:
            return False
        frame = outer
    return True


def in_normal_form(ctx: Lowering, target: Target) -> None:
    """Start again with the calls between here and a try clause as whole statements, if they are not yet."""
    frame, sites = ctx.frame, []
    while frame is not target.frame:
        outer, node = ctx.callers.get(frame, (None, None))
        if outer is None:
            return
        if frame not in ctx.whole and node is not None:
            sites.append(statement_site(ctx, outer, node))
        frame = outer
    if not all(site in ctx.program.sites for site in sites):
        raise Restart(sites)


def insist(ctx: Lowering) -> None:
    """Start again where an exception cannot be an object at run time, so that it is a jump to the try clause around it."""
    sites = []
    for target in reversed(ctx.catchers):
        if target is None or target.site is None:
            break
        if not target.precise:
            sites.append(target.site)
    if sites:
        raise Restart(sites)
    if ctx.variant is not None:
        raise InlineInstead(ctx.variant.func)


def handled_by(ctx: Lowering, found: Any) -> tuple[Any, Any, Any, Any]:
    """The exception that a clause handles: its class, with what arguments it was made, and itself."""
    if isinstance(found, SObj) and found not in ctx.raised and isinstance(found.cls, type):      # one of several, by the path taken
        args = ctx.state.get((found, "args"))
        if isinstance(args, STuple):
            ctx.raised[found] = (found.cls, list(args.items), {})
    return (*ctx.raised.get(found, (None, [], {})), found) if isinstance(found, SObj) else (None, [], {}, found)


def jump(ctx: Lowering, node: Any) -> bool:
    """Lower a raise statement as a jump; return whether it is one."""
    from ..expressions.dispatch import expr
    exc, made = node.exc, None
    if not ctx.catchers or node.cause is not None and not (isinstance(node.cause, gast.Constant) and node.cause.value is None):
        return False
    if exc is None:
        cls, args, kwargs, made = ctx.handling[-1] if ctx.handling else (None, [], {}, None)
    else:
        func = exc.func if isinstance(exc, gast.Call) else exc
        if not isinstance(func, (gast.Name, gast.Attribute)):
            return False
        held = expr(ctx, func)
        if isinstance(held, SObj) and func is exc and handled_by(ctx, held)[0] is not None:
            cls, args, kwargs, made = handled_by(ctx, held)
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
    if not isinstance(made, SObj):
        made = instance(ctx, cls, args, kwargs, node)
    target.meet(ctx.state, k, cls, made)
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


#: what operations on values of the built-in types raise: none of the user's classes
_OF_BUILTINS = (ArithmeticError, AttributeError, BufferError, LookupError, MemoryError, RuntimeError, TypeError, ValueError, StopIteration)
_MODULES = ("builtins", "_operator", "math", "numpy", None)


def _is_data(t: Any) -> bool:
    """Whether a type is that of a number, an array of numbers or a text, or of a container of these."""
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
            caught = [c for h in op.handlers for c in _classes(h.classes) or ()]
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
    return _OF_BUILTINS if all(map(_is_data, types)) and getattr(op.fn, "__module__", None) in _MODULES else _ANY


