"""``with`` statements."""
from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

from ...ir.ops import Block, Call, Lit, Value, With
from ...ir.types import UNKNOWN, Obj
from ..calls.dispatch import call_abstract
from ..calls.hooks import with_handler_of
from ..context import Lowering
from ..domain.abstract import SBound, SIter, SObj
from ..domain.join import merge_states
from ..expressions.dispatch import expr
from ..expressions.operations import call, get_attr
from ..expressions.operators import truth
from ..objects.members import class_of, find, has_special
from ..refusals import refuse
from ..source.insertions import names_of
from .assignments import assign_to
from .dispatch import sequence
from .generators import run_inlined
from .loop_fixpoint import Loop
from .raises import BODY
from .try_statements import Clause, caught, guarded

__all__ = ["with_statement"]


def with_statement(ctx: Lowering, node: Any) -> None:
    """``with a as b, c: …``."""
    names = names_of(node)
    if names is not None:
        handler = with_handler_of(getattr(expr(ctx, node.items[0].context_expr.func), "value", None))
        if handler is not None:
            handler(ctx, node, names)
            return
        node.items[0].optional_vars = node.items[0].optional_vars.elts[0]       # another class of that name
    _items(ctx, node, list(node.items), lambda: sequence(ctx, node.body))


def _items(ctx: Lowering, node: Any, items: list[Any], body: Callable[[], None]) -> None:
    if not items:
        body()
        return
    item, rest = items[0], items[1:]
    held = expr(ctx, item.context_expr)
    enter(ctx, held, item, node, lambda: _items(ctx, node, rest, body))


def enter(ctx: Lowering, held: Any, item: Any, outer: Any, body: Callable[[], None]) -> None:
    """Lower a body inside of one context manager."""
    node = item.context_expr

    def bind(value: Any) -> None:
        if item.optional_vars is not None:
            assign_to(ctx, item.optional_vars, value)
    if isinstance(held, SIter) and held.kind == "nullcontext":
        bind(held.data[0])
        body()
        return
    if isinstance(held, SIter) and held.kind == "suppress":
        if len(outer.items) > 1:
            refuse("context", ctx.at(node), "contextlib.suppress stands beside other context managers (nest the with statements)")
        caught(ctx, outer, [Clause(held.data[0], None, [], node)], [])
        return
    if isinstance(held, SIter) and held.kind == "contextmanager":
        _generated(ctx, held.data[0], node, bind, body)
        return
    if isinstance(held, SIter):
        refuse("context", ctx.at(node), "a generator is not a context manager")
    if has_special(ctx, held, "__enter__") and not _of_library(class_of(ctx, held)):
        cls = class_of(ctx, held)
        owner, method = find(cls, "__exit__")
        owner_in, method_in = find(cls, "__enter__")
        bind(call_abstract(ctx, SBound(held, method_in, owner_in), [], {}, node))

        def leave() -> None:
            call_abstract(ctx, SBound(held, method, owner), [Lit(None)] * 3, {}, node)

        def swallows(error: Any) -> Any:
            if isinstance(error, SObj):         # it jumps here, as an object of the compiler
                given = [Lit(error.cls, ctx.bind(error.cls.__name__, error.cls)), error, Lit(None)]
                return truth(ctx, call_abstract(ctx, SBound(held, method, owner), given, {}, node), node)
            kind = call(ctx, type, [error], spelling="type", type=Obj(type), node=node)
            if error in ctx.error_classes:
                ctx.error_classes[kind] = ctx.error_classes[error]
            trace = get_attr(ctx, error, "__traceback__", UNKNOWN, node)
            return truth(ctx, call_abstract(ctx, SBound(held, method, owner), [kind, error, trace], {}, node), node)
        guarded(ctx, body, leave, True, outer, swallows)
        return
    loc, entry = ctx.loc, ctx.state
    manager = ctx.operand(held, node)
    if _may_swallow(ctx, manager):
        refuse("context", ctx.at(node), "this context manager may swallow exceptions, of which the compiler sees nothing")
    block = Block()
    ctx.state = dict(entry)
    with ctx.inside(block):
        if item.optional_vars is not None:
            entered = Value(UNKNOWN)
            block.params.append(entered)
            ctx.sharing.link(entered, manager)
            bind(entered)
        body()
    state, ctx.state, ctx.loc = ctx.state, entry, loc
    op = With(manager, block)
    ctx.emit(op)
    merge_states(ctx, entry, [(state, block, None), ({"#dead": ("raise",)}, Block(), None)], op.results)


def _of_library(cls: Any) -> bool:
    """Whether a context manager of NumPy or the standard library, which is entered as it is."""
    root = (getattr(cls, "__module__", None) or "").partition(".")[0]
    return root == "numpy" or root in sys.stdlib_module_names


#: classes of the standard library whose instances may end exceptions, and modules whose functions may return such
_SWALLOWING = (contextlib.suppress, contextlib.ExitStack, type(contextlib.contextmanager(iter)(())))
_SWALLOWERS = ("unittest", "contextlib", "numpy.testing")


def _may_swallow(ctx: Lowering, manager: Any) -> bool:
    """Whether a context manager that is entered as it is may end an exception, after which the function goes on."""
    cls = class_of(ctx, manager)
    made = next((op.fn for op in reversed(ctx.block.ops) if isinstance(op, Call) and manager in op.results), None)
    if made is not None and not isinstance(made, type) and _of_library(made):
        return made.__module__.startswith(_SWALLOWERS)
    cls = made if cls is None else cls
    return not isinstance(cls, type) or issubclass(cls, _SWALLOWING) or cls.__module__.startswith("unittest")


def _generated(ctx: Lowering, generator: Any, node: Any, bind: Callable[[Any], None], body: Callable[[], None]) -> None:
    """A function decorated with contextlib.contextmanager: its yield is replaced by the body of the with statement."""
    loop = Loop(ctx.frame)
    frame, loops = ctx.frame, ctx.loops
    ctx.catchers.append(BODY)

    def step(value: Any) -> None:
        outer = ctx.frame, ctx.loops
        ctx.frame, ctx.loops = frame, loops
        try:
            bind(value)
            body()
        finally:
            ctx.frame, ctx.loops = outer
    run_inlined(ctx, generator, step, node, loop, [])
    ctx.catchers.pop()
    ctx.state.pop(loop.brk, None)
