"""Exceptions that the same function raises and catches are jumps.

``raise ValueError`` inside of a try clause that catches it goes to the except clause, as ``break`` goes behind a loop: a flag says that it
was met, the statements that follow are skipped, and the clause runs where the flag is set. Variables then hold what they held at the raise,
arrays and containers what was written to them, and the instance is an object of the compiler, whose attributes are differentiated.

This holds where the class is known when compiling, in the function of the try clause itself or in one that is inlined as a whole statement
of it (``f(x)``, ``y = f(x)``), and where no ``finally`` or ``with`` stands in between. The try statement itself remains for the exceptions
that operations raise, unless none of them can be caught (`ir.exceptions.may_raise`).
"""
from __future__ import annotations

import operator
from typing import Any

import gast

from ...ir.ops import (
    Lit,
    Value,
)
from ...ir.types import Num
from ..context import InlineInstead, Lowering, Restart
from ..domain.abstract import UNBOUND, SBound, SFunc, SObj, STuple
from .normal_form import statement_site

__all__ = [
    "BODY", "Target", "catch", "forget_exceptions", "handled_by", "in_normal_form", "insist", "jump", "reaches", "set_args",
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
    if not ctx.catchers:
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
    if node.cause is not None:
        ctx.state[made, "__cause__"] = expr(ctx, node.cause)
    target.meet(ctx.state, k, cls, made)
    ctx.state["#dead"] = ("mixed",)
    return True


def instance(ctx: Lowering, cls: type, args: list[Any], kwargs: dict[str, Any], node: Any) -> SObj:
    """An instance of an exception class, as an object of the compiler."""
    from ..calls.dispatch import call_abstract
    from ..objects.members import find
    made = SObj(cls, ctx.block)
    set_args(ctx, made, args)
    ctx.state[made, "__cause__"] = Lit(None)
    ctx.raised[made] = (cls, args, kwargs)
    owner, init = find(cls, "__init__")
    if hasattr(init, "__code__") or isinstance(init, SFunc):
        call_abstract(ctx, SBound(made, init, owner), args, kwargs, node)
    return made


def set_args(ctx: Lowering, x: Any, args: list[Any]) -> Lit:
    """What ``__init__`` of the built-in exceptions does."""
    if isinstance(x, SObj):
        ctx.state[x, "args"] = ctx.tuple(args)
        if isinstance(x.cls, type) and issubclass(x.cls, StopIteration):
            ctx.state[x, "value"] = args[0] if args else Lit(None)
    return Lit(None)


def forget_exceptions(ctx: Lowering) -> None:
    """Drops the attributes of exceptions that nothing refers to any more, so that no loop carries them."""
    held = {id(v) for v in ctx.state.values()}
    gone = [k for k in ctx.state if isinstance(k[0], SObj) and isinstance(k[0].cls, type) and issubclass(k[0].cls, BaseException)
            and id(k[0]) not in held]
    for key in gone:
        del ctx.state[key]
