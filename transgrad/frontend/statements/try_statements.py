"""try statements."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ...errors import TransgradError
from ...ir.effects import is_unknown, writes_anything
from ...ir.exceptions import may_raise, raises_active
from ...ir.ops import UNDEF, Block, Call, CallValue, Handler, Lit, Raise, Try, Value, operands_of, walk
from ...ir.prims import unguarded
from ...ir.types import UNKNOWN
from ..context import Lowering, Restart
from ..domain.abstract import UNBOUND, SClass, SObj, STuple
from ..domain.join import merge_states, state_get
from ..domain.speculation import Trial
from ..expressions.dispatch import expr
from ..frames import assigned_in
from ..refusals import refuse
from .control_flow import branch, reached_by
from .dispatch import sequence
from .interrupted import cell_site, interrupted, is_precise, make_cells, mirrored, precise_site, splice, writes_active
from .loops import run_unless_exited
from .raises import BODY, Target, forget_exceptions, handled_by

__all__ = ["Clause", "caught", "guarded", "try_star", "try_statement"]


def try_star(ctx: Lowering, node: Any) -> None:
    refuse("except_star", ctx.loc)


def try_statement(ctx: Lowering, node: Any) -> None:
    """``try / except / else / finally``."""
    if not node.finalbody:
        handled(ctx, node)
        return

    def inner() -> Any:
        if node.handlers:
            handled(ctx, node)
            return None
        return _leading(ctx, node.body)
    if any(isinstance(n, (gast.Return, gast.Break, gast.Continue)) for s in node.finalbody for n in gast.walk(s)):
        refuse("finally", ctx.at(node.finalbody[0]), "return, break or continue")
    guarded(ctx, inner, lambda: sequence(ctx, node.finalbody), touches(ctx, node), node)


def touches(ctx: Lowering, node: Any) -> bool:
    """Whether a finally clause assigns names, or reads names that the rest of the statement assigns."""
    if assigned_in(ctx.frame.source, node.finalbody):
        return True
    names = assigned_in(ctx.frame.source, [*node.body, *node.handlers, *node.orelse])
    return any(isinstance(n, gast.Name) and n.id in names for s in node.finalbody for n in gast.walk(s))


def guarded(ctx: Lowering, inner: Callable[[], Any], final: Callable[[], None], shared: bool, node: Any,
            caught: Callable[[Value], Any] | None = None) -> None:
    """``try: inner  finally: final``.

    Where the two share variables, the clause is written twice: after the statement, and in a handler that raises again.  With
    ``caught``, the handler calls that instead, with the exception, and raises again only where the result is false.
    """
    handled = (object(), "handled")
    loc = ctx.loc
    entry = ctx.state
    block = Block()
    site = precise_site(ctx, node)
    clause_ = Clause(None, "error", [], node)
    precise = is_precise(ctx, site)
    target = Target(ctx.frame, [clause_], site, precise, barrier=not precise)
    cells = {} if not ctx.catchers and _names_only(getattr(node, "finalbody", None)) else make_cells(ctx, node)
    ctx.state = dict(entry)
    outer, ctx.left_behind = ctx.left_behind, set()
    ctx.guarded += 1
    ctx.catchers.append(target)
    exits, ctx.exits = ctx.exits, [*ctx.exits, *([] if target.barrier else target.flags)]
    with ctx.inside(block), mirrored(ctx, cells):
        before = inner()
    ctx.exits = exits
    ctx.catchers.pop()
    ctx.guarded -= 1
    body_state = ctx.state
    ctx.loc = loc
    unseen = not may_raise(block, None) or all(t is BODY for t in ctx.catchers) and caught is None and (
        _names_only(getattr(node, "finalbody", None)) or _has_no_effect(ctx, block, final))
    if unseen or target.met[0] and not may_raise(block, None):
        splice(ctx, block)
        ctx.left_behind |= outer
        _left_by_exception(ctx, target, final, caught, node)
        _behind(ctx, lambda: _normally(ctx, target, final))
        return
    if target.barrier and (writes_active(block) or raises_active(block, target.classes)):
        raise Restart([site])
    last: Block | None = None
    handlers: list[Handler] = []
    clause = Block()
    error = Value(UNKNOWN, "error")
    with ctx.inside(clause):
        ctx.state = interrupted(ctx, node, entry, body_state, before, cells, guarded=True)
        ctx.left_behind |= outer
        start = dict(ctx.state)
        if caught is None:
            final()
            shared = shared or writes_anything(clause) or any(v is not start.get(k) for k, v in ctx.state.items())
            if shared and not ctx.dead:
                ctx.emit(Raise(None))
        else:
            swallowed = caught(error)
            if isinstance(swallowed, Lit) and not swallowed.value:
                ctx.emit(Raise(None))
                ctx.state["#dead"] = ("raise",)
            else:
                if not isinstance(swallowed, Lit):
                    branch(ctx, swallowed, lambda: None, lambda: _raise_again(ctx))
                ctx.state[handled] = Lit(True)
                body_state[handled] = Lit(False)
    clause_state = ctx.state
    ctx.loc = loc
    if caught is not None:
        shared = True
        handlers.append(_handler_of(ctx, clause, error))
        sides = [(body_state, block, None), (clause_state, clause, None)]
    elif shared:
        handlers.append(Handler(None, clause))
        sides = [(body_state, block, None), ({"#dead": ("raise",)}, clause, None)]
    else:
        last = clause
        sides = [(body_state, block, None), ({"#dead": ("raise",)}, Block(), None)]
    op = Try(block, handlers, last)
    ctx.state = entry
    ctx.emit(op)
    merge_states(ctx, entry, sides, op.results)
    _left_by_exception(ctx, target, final, caught, node)

    def finish() -> None:
        _normally(ctx, target, final)
    if shared:
        done = ctx.state.pop(handled, Lit(False))
        if isinstance(done, Lit):
            _behind(ctx, finish if not done.value else lambda: None)
        else:
            _behind(ctx, lambda: branch(ctx, done, lambda: None, finish))
    ctx.loc = loc


def _left_by_exception(ctx: Lowering, target: Target, final: Callable[[], None], caught: Callable[[Any], Any] | None, node: Any) -> None:
    """The finally clause, or the end of the context manager, where a raise has jumped to it; the exception goes on unless it is
    swallowed."""
    flag = target.flags[0]
    if not target.met[0]:
        return
    cond = state_get(ctx.state, flag)
    reached_by(ctx, flag, ("mixed", None))
    if ctx.dead or isinstance(cond, Lit) and cond.value is not True:
        return

    def again(found: Any) -> None:
        ctx.handling.append(handled_by(ctx, found))
        sequence(ctx, [gast.copy_location(gast.Raise(None, None), node)])
        ctx.handling.pop()

    def leave(found: Any) -> None:
        if caught is None:
            final()
            swallowed: Any = Lit(False)
        else:
            swallowed = caught(found)
        if ctx.dead:
            return
        if isinstance(swallowed, Lit):
            if not swallowed.value:
                again(found)
        else:
            branch(ctx, swallowed, lambda: None, lambda: again(found))
    if isinstance(cond, Lit):
        target.each(ctx, 0, leave)
    else:
        branch(ctx, cond, lambda: target.each(ctx, 0, leave), lambda: None)
    forget_exceptions(ctx)


def _normally(ctx: Lowering, target: Target, final: Callable[[], None]) -> None:
    """The code after a guarded statement on the paths without a raise."""
    cond = state_get(ctx.state, target.flags[0]) if target.met[0] else Lit(False)
    ctx.state.pop(target.flags[0], None)
    if not isinstance(cond, Lit):
        branch(ctx, cond, lambda: None, final)
    elif not cond.value:
        final()


def _has_no_effect(ctx: Lowering, block: Block, final: Callable[[], None]) -> bool:
    """Whether a finally clause has no visible effect if an exception leaves the function: it only computes, and changes only objects
    created in the function."""
    if ctx.variant is not None:
        return False
    trial = Trial(ctx)
    try:
        ctx.state = dict(ctx.state)
        ctx.state.pop("#dead", None)
        final()
        kept = set(map(id, trial.ops))
        clause = Block([], [op for op in ctx.block.ops if id(op) not in kept])
        return not any(isinstance(op, (Raise, CallValue)) or is_unknown(op) for op in walk(clause)) and not writes_anything(clause)
    except TransgradError:
        return False
    finally:
        trial.undo()


def _names_only(body: list[Any] | None) -> bool:
    """Whether statements compute variables and do nothing else: nothing sees that they ran where an exception leaves the function."""
    if not body:
        return False
    plain = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Pass, gast.If)
    calls = (gast.Call, gast.Await, gast.Yield, gast.YieldFrom)
    return all(isinstance(n, plain) for s in body for n in gast.walk(s) if isinstance(n, gast.stmt)) and not any(
        isinstance(n, calls) or isinstance(n, (gast.Attribute, gast.Subscript)) and not isinstance(n.ctx, gast.Load)
        for s in body for n in gast.walk(s))


def _behind(ctx: Lowering, final: Callable[[], Any]) -> None:
    """Lower a finally clause after the statements that it belongs to, for all their exits."""
    dead = ctx.state.pop("#dead", None)
    flags = {k: ctx.state[k] for k in ctx.exits if k in ctx.state}
    for k in flags:
        ctx.state[k] = Lit(False)
    final()
    ctx.state.update(flags)
    if dead is not None and not ctx.dead:
        ctx.state["#dead"] = dead


def _raise_again(ctx: Lowering) -> None:
    ctx.emit(Raise(None))
    ctx.state["#dead"] = ("raise",)


def _handler_of(ctx: Lowering, clause: Block, error: Value) -> Handler:
    """The handler of all exceptions; it binds a name where the clause reads it."""
    ops = walk(clause)
    read = {o for op in ops for o in operands_of(op) if isinstance(o, Value)}
    about = [op for op in clause.ops if op.results and any(o is error for o in operands_of(op)) and not read.intersection(op.results)]
    clause.ops[:] = [op for op in clause.ops if op not in about]       # its class and traceback, which nothing reads
    if not any(o is error for op in walk(clause) for o in operands_of(op)):
        return Handler(None, clause)
    ctx.bind("BaseException", BaseException)
    clause.params.append(error)
    return Handler(Lit(BaseException, "BaseException"), clause, "error")


class Clause:
    """An except clause: its classes as an operand (None: all), the name it binds, its statements, its place."""

    def __init__(self, classes: Any, name: str | None, body: list[Any], node: Any):
        self.classes, self.name, self.body, self.node = classes, name, body, node


def handled(ctx: Lowering, node: Any) -> None:
    """``try: … except: … else: …``."""
    clauses = []
    for h in node.handlers:
        name = h.name.id if isinstance(h.name, gast.Name) else h.name
        classes = None if h.type is None else _caught_classes(ctx, h.type)
        # a class expression that may raise itself, such as a name that a newer NumPy lacks, is evaluated only if there is an exception to
        # match
        clauses.append(Clause(classes, name, h.body, h) if classes is not UNDEF else
                       Clause(None, None, [gast.copy_location(gast.Expr(h.type), h.type)], h))
    caught(ctx, node, clauses, node.orelse)


def _caught_classes(ctx: Lowering, node: Any) -> Any:
    """The classes of an except clause; UNDEF where they cannot be evaluated without an exception."""
    trial = Trial(ctx)
    found = exception_classes(ctx, node)
    if not ctx.dead:
        return found
    trial.undo()
    return UNDEF


def caught(ctx: Lowering, node: Any, clauses: list[Clause], orelse: list[Any]) -> None:
    """The body of ``node``, with except clauses."""
    parts = None if is_precise(ctx, precise_site(ctx, node)) else steps(ctx, node)
    if parts is not None:
        attempt(ctx, node, parts, clauses, orelse, {})
    else:
        attempt(ctx, node, [node.body], clauses, orelse, make_cells(ctx, node))


def steps(ctx: Lowering, node: Any) -> list[list[Any]] | None:
    """The statements of a try clause, cut behind the assignments of variables that an earlier attempt found to be read after
    an interrupted one: each part becomes a try of its own, in the else clause of the one before, with the same handlers.

    None if such a variable is assigned inside of another statement.
    """
    source = ctx.frame.source
    names = {n for n in assigned_in(source, node.body) if cell_site(ctx, node, n) in ctx.program.sites}
    parts: list[list[Any]] = [[]]
    for stmt in node.body:
        parts[-1].append(stmt)
        if names.isdisjoint(assigned_in(source, [stmt])):
            continue
        if not isinstance(stmt, (gast.Assign, gast.AugAssign, gast.AnnAssign)):
            return None
        parts.append([])
    return parts if parts[-1] else parts[:-1]


def attempt(ctx: Lowering, node: Any, parts: list[list[Any]], clauses: list[Clause], orelse: list[Any], cells: dict[Any, Value]) -> None:
    """A try of the first part, with the other parts and the else clause behind it."""
    loc = ctx.loc
    entry = ctx.state
    block = Block()
    ctx.state = dict(entry)
    outer, ctx.left_behind = ctx.left_behind, set()
    asks = any(map(_asks, clauses))
    ctx.asking += asks
    site = precise_site(ctx, node)
    target = Target(ctx.frame, clauses, site, is_precise(ctx, site))
    if not ctx.program.asks and (asks or any(_catches(c, (KeyError,)) for c in clauses)):
        ctx.program.asks = ctx.program.heap.changed = True
    ctx.catchers.append(None if ctx.repeats and _makes_lists(node) else target)
    exits, ctx.exits = ctx.exits, [*ctx.exits, *target.flags]
    with ctx.inside(block), mirrored(ctx, cells):
        before = _leading(ctx, parts[0])
    ctx.catchers.pop()
    ctx.asking -= asks
    tried = dict(ctx.state)

    def rest() -> None:
        if len(parts) > 1:
            ctx.loc = loc
            attempt(ctx, node, parts[1:], clauses, orelse, cells)
        else:
            sequence(ctx, orelse)
    further = (orelse or len(parts) > 1) and not ctx.dead
    if not block.ops or not asks and not any(may_raise(block, classes) for classes in target.classes):      # nothing is left that is caught
        splice(ctx, block)
        ctx.left_behind |= outer
        if further:
            run_unless_exited(ctx, rest)
        ctx.exits = exits
        jumped(ctx, target, clauses)
        return
    if not target.precise and (writes_active(block) or raises_active(block, target.classes)):
        raise Restart([site])       # which writes took place, only the flags tell
    if further:
        with ctx.inside(block):
            ctx.emit(Call(unguarded, []))
            run_unless_exited(ctx, rest)
    ctx.exits = exits
    sides: list[tuple[dict[Any, Any], Block, Any]] = [(ctx.state, block, None)]
    handlers = []
    for clause in clauses:
        ctx.loc = ctx.frame.source.loc(clause.node)
        body = Block()
        with ctx.inside(body):
            ctx.state = interrupted(ctx, node, entry, tried, before, cells)
        home = None if clause.name is None else ctx.frame.home_of(clause.name) or (ctx.frame, clause.name)
        if home is not None:
            found = Value(UNKNOWN, clause.name)       # the class that is named may be a base of that of the exception
            body.params.append(found)
            ctx.state[home] = found
        handling, ctx.handling = ctx.handling, []
        with ctx.inside(body):
            sequence(ctx, clause.body)
        ctx.handling = handling
        if home is not None and not ctx.dead:
            ctx.state[home] = UNBOUND
        handlers.append(Handler(clause.classes, body, clause.name))
        sides.append((ctx.state, body, None))
    ctx.left_behind |= outer
    ctx.loc = loc
    op = Try(block, handlers)
    ctx.state = entry
    ctx.emit(op)
    ctx.exits = [*exits, *target.flags]
    merge_states(ctx, entry, sides, op.results)
    ctx.exits = exits
    jumped(ctx, target, clauses)


def _makes_lists(node: Any) -> bool:
    """Whether a try statement assigns lists or dicts: in a loop, Try alone makes the shadow of one that a path may have left unassigned."""
    displays = (gast.List, gast.ListComp, gast.Dict, gast.DictComp)
    body = [*node.body, *node.handlers] if isinstance(node, gast.Try) else list(node.body)
    return any(isinstance(n, gast.Assign) and (isinstance(n.value, displays) or any(isinstance(m, gast.Starred) for m in gast.walk(n)))
               for n in gast.walk(gast.Module(body, [])))


def jumped(ctx: Lowering, target: Target, clauses: list[Clause]) -> None:
    """The except clauses, where a raise of the try clause has jumped to them."""
    for k, (flag, clause, met) in enumerate(zip(target.flags, clauses, target.met)):
        if not met:
            continue
        cond = state_get(ctx.state, flag)
        reached_by(ctx, flag, ("mixed", None))
        ctx.state.pop(flag, None)
        if ctx.dead or isinstance(cond, Lit) and cond.value is not True:
            continue
        home = None if clause.name is None else ctx.frame.home_of(clause.name) or (ctx.frame, clause.name)

        def handle(found: Any, home: Any = home, clause: Clause = clause) -> None:
            loc, ctx.loc = ctx.loc, ctx.frame.source.loc(clause.node)
            if home is not None:
                ctx.state[home] = found
            ctx.handling.append(handled_by(ctx, found))
            sequence(ctx, clause.body)
            ctx.handling.pop()
            if home is not None and not ctx.dead:
                ctx.state[home] = UNBOUND
            ctx.loc = loc
        if isinstance(cond, Lit):
            target.each(ctx, k, handle)
        else:
            branch(ctx, cond, lambda k=k, handle=handle: target.each(ctx, k, handle), lambda: None)     # type: ignore[misc]
        forget_exceptions(ctx)


def _asks(clause: Clause) -> bool:
    """Whether a clause catches that a name or an attribute is not there."""
    return _catches(clause, (NameError, AttributeError))


def _catches(clause: Clause, exceptions: tuple[type, ...]) -> bool:
    """Whether an except clause names one of some classes of exceptions, or one that derives from them."""
    found = clause.classes
    classes = found.items if isinstance(found, STuple) else (found,)
    caught = [c for x in classes if isinstance(x, Lit) for c in (x.value if isinstance(x.value, tuple) else (x.value,))]
    return any(isinstance(c, type) and issubclass(c, exceptions) for c in caught)


def _leading(ctx: Lowering, body: list[Any]) -> dict[Any, Any] | None:
    """Lower a try clause. If its last statement is a plain assignment, return the state before it, because the assignment is not made if
    the statement raises; else return None."""
    last = body[-1]
    simple = isinstance(last, (gast.Assign, gast.AnnAssign, gast.AugAssign)) and all(
        isinstance(t, (gast.Name, gast.Tuple)) for t in (last.targets if isinstance(last, gast.Assign) else [last.target]))
    if not simple:
        sequence(ctx, body)
        return None
    sequence(ctx, body[:-1])
    before = dict(ctx.state)
    if not ctx.dead:
        run_unless_exited(ctx, lambda: sequence(ctx, [last]))
    return before


def exception_classes(ctx: Lowering, node: Any) -> Any:
    """The classes of an except clause as an operand."""
    held = expr(ctx, node)
    if isinstance(held, (SClass, SObj)):
        refuse("class_body", ctx.at(node), "an exception class made inside the function is caught")
    return ctx.operand(held, node)
