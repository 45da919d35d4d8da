"""Calls of Python functions: inlined where an argument exists only in the compiler, else lowered once for the types of the
arguments and invoked."""
from __future__ import annotations

import sys
import time
from typing import Any

import gast

from ...errors import NoSourceError, TransgradError
from ...ir.ops import UNDEF, Lit, Value
from ..context import InlineInstead, Lowering
from ..domain.abstract import UNBOUND, InCompiler, SBound, SChoice, SClass, SConflict, SDict, SFunc, SIter, SList, SObj, SPartial, STuple
from ..domain.contents import Contents
from ..domain.heap import reference_type
from ..domain.speculation import Trial
from ..expressions.dispatch import expr
from ..frames import Frame, cells_of, scope_of
from ..objects.function_records import begin_cells, of_closure
from ..objects.generator_records import made_generator
from ..refusals import refuse
from ..source.find import FunctionSource, source_of
from ..source.insertions import has_insertions
from ..statements.assignments import store_name
from ..statements.control_flow import choose, reached_by
from ..statements.dispatch import sequence
from .binding import bind
from .dispatch import call_abstract, varied
from .invocation import invoke_function
from .rule_source_errors import is_declined, text_of_table

__all__ = ["call_function", "call_sfunc", "closure", "define", "inline"]

_DEPTH = 40         # inlined calls inside of each other
_REPEATS = 12       # of which of the same function


def define(ctx: Lowering, node: Any) -> None:
    """A nested ``def``."""
    made: Any = of_closure(ctx, closure(ctx, node, node.name), node)
    for decorator in reversed(node.decorator_list):
        made = call_abstract(ctx, expr(ctx, decorator), [made], {}, decorator)
    store_name(ctx, node.name, made, node)


def closure(ctx: Lowering, node: Any, name: str) -> SFunc:
    """A function made here: defaults are evaluated now."""
    defaults = [expr(ctx, d) for d in node.args.defaults]
    kwdefaults = [None if d is None else expr(ctx, d) for d in node.args.kw_defaults]
    return SFunc(node, ctx.frame.source, ctx.frame, defaults, kwdefaults, name)


def call_sfunc(ctx: Lowering, func: SFunc, args: list[Any], kwargs: dict[str, Any], node: Any, self_: Any = None) -> Any:
    """A call of a function made inside the function being lowered."""
    bound = bind(ctx, func.node.args, func.defaults, func.kwdefaults, args, kwargs, func.name, node)
    if scope_of(func.source, func.node).is_generator:
        return made_generator(ctx, SIter("generator", func.source, func.node, func.frame.globals, func.frame, {}, bound, func.name), node)
    if isinstance(func.node, gast.AsyncFunctionDef):
        refuse("async", ctx.at(node))
    if _recursive(func) and not func.is_record:
        from .lambda_lifting import invoke_lifted
        return invoke_lifted(ctx, func, bound, node)
    frame = Frame(func.source, func.node, func.frame.globals, func.frame, None, None, func.name)
    frame.owner, frame.self, frame.around = func.owner, self_, func.hidden
    if getattr(node, "is_whole", False):
        ctx.whole[frame] = ctx.frame
    return inline(ctx, frame, bound, node)


def _recursive(func: SFunc) -> bool:
    """Whether a nested def mentions its own name."""
    key = (func.node, "recursive")
    found = func.source.notes.get(key)
    if found is None:
        bases = {id(n.value) for n in gast.walk(func.node) if isinstance(n, gast.Attribute)}       # f.calls of itself is no call
        found = not isinstance(func.node, gast.Lambda) and func.owner is None and any(
            isinstance(n, gast.Name) and n.id == func.name and isinstance(n.ctx, gast.Load) and id(n) not in bases
            for n in gast.walk(func.node))
        func.source.notes[key] = found
    return bool(found)


def inline(ctx: Lowering, frame: Frame, bound: dict[str, Any], node: Any) -> Any:
    """Lowers a function's body in place of its call."""
    if len(ctx.inlining) > _DEPTH or ctx.inlining.count(frame.node) > _REPEATS:
        refuse("recursion", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, f"{frame.name}()")
    outer = ctx.frame, ctx.loc, ctx.exits, ctx.loops
    for name, value in bound.items():
        ctx.keep(value)
        ctx.state[frame, name] = value
    begin_cells(ctx, frame, node)
    if ctx.catchers:
        ctx.callers[frame] = ctx.frame, ctx.frame.statement
    ctx.frame = frame
    ctx.exits = [*ctx.exits, (frame, "#ret")]
    ctx.loops = []
    ctx.inlining.append(frame.node)
    try:
        if isinstance(frame.node, gast.Lambda) and not ctx.catchers:
            result = expr(ctx, frame.node.body)
        elif isinstance(frame.node, gast.Lambda):       # a raise may jump out of it
            sequence(ctx, [_return_of(frame)])
            result = returned(ctx, frame)
        else:
            sequence(ctx, frame.node.body)
            result = returned(ctx, frame)
    finally:
        ctx.inlining.pop()
        ctx.frame, ctx.loc, ctx.exits, ctx.loops = outer
    reached_by(ctx, (frame, "#ret"), ("return", frame))
    if not frame.captured():
        for key in [k for k in ctx.state if k[0] is frame]:
            del ctx.state[key]
    else:
        ctx.state.pop((frame, "#ret"), None)
        ctx.state.pop((frame, "#val"), None)
    return result


def _return_of(frame: Frame) -> Any:
    """The body of a lambda as a statement."""
    notes, node = frame.source.notes, frame.node
    found = notes.get((node, "return"))
    if found is None:
        found = notes[node, "return"] = gast.copy_location(gast.Return(node.body), node.body)
    return found


def returned(ctx: Lowering, frame: Frame) -> Any:
    """What the function whose body was just lowered returns; None where it can fall off its end."""
    flag = ctx.state.get((frame, "#ret"), Lit(False))
    value = ctx.state.get((frame, "#val"), UNDEF)
    if ctx.dead:
        return value if ctx.dead[0] != "raise" or isinstance(flag, Value) else UNDEF
    if isinstance(flag, Lit):
        return value if flag.value is True else Lit(None)
    if _none(value):
        return Lit(None)
    return choose(ctx, flag, lambda: value, lambda: Lit(None))


def _in_compiler(x: Any) -> bool:
    return isinstance(x, Lit) and isinstance(x.value, InCompiler)


def _none(value: Any) -> bool:
    return isinstance(value, Lit) and value.value is None


def compiler_only(ctx: Lowering, x: Any) -> bool:
    """Whether ``x`` cannot be an argument at run time."""
    if isinstance(x, (SFunc, SBound, SPartial, SClass, SObj, SIter, SChoice, SConflict)) or x is UNBOUND or _in_compiler(x):
        return True
    if isinstance(x, STuple):
        return any(compiler_only(ctx, i) or _setting(i) for i in x.items)
    if isinstance(x, (SList, SDict)):
        held = ctx.contents(x)
        if isinstance(held, Contents):
            return any(compiler_only(ctx, v) or _setting(v) for i in held.items for v in ([i[1]] if isinstance(i, tuple) else [i]))
    return False


def no_value(ctx: Lowering, x: Any) -> bool:
    """Whether a result exists only in the compiler (an instance of a dataclass can be made again by the caller)."""
    import dataclasses
    if isinstance(x, SObj):
        return not (isinstance(x.cls, type) and dataclasses.is_dataclass(x.cls) and all(f.init for f in dataclasses.fields(x.cls)))
    if isinstance(x, STuple):
        return any(no_value(ctx, i) for i in x.items)
    if isinstance(x, (SList, SDict)):
        held = ctx.contents(x)
        return isinstance(held, Contents) and any(no_value(ctx, i[1] if isinstance(i, tuple) else i) for i in held.items)
    return (
        isinstance(x, (SFunc, SBound, SPartial, SClass, SChoice))
        or _in_compiler(x)
        or isinstance(x, SIter)
        and x.kind in ("generator", "genexp", "contextmanager")
    )


def _setting(x: Any) -> bool:
    """Whether a literal inside of a container is worth knowing in the callee (a function, a string)."""
    return isinstance(x, Lit) and (callable(x.value) or isinstance(x.value, (str, type(None), bool)))


def function_parts(ctx: Lowering, func: Any) -> tuple[FunctionSource, list[Any], list[Any]]:
    """The source of a Python function, and its defaults as abstract values."""
    source = source_of(func)
    spec = source.node.args
    names = [a.id for a in (*spec.posonlyargs, *spec.args)]
    defaults = [default_value(ctx, d, n) for d, n in zip(func.__defaults__ or (), names[len(names) - len(func.__defaults__ or ()):])]
    kw = func.__kwdefaults__ or {}
    kwdefaults = [default_value(ctx, kw[a.id], a.id) if a.id in kw else None for a in spec.kwonlyargs]
    return source, defaults, kwdefaults


def default_value(ctx: Lowering, value: Any, name: str) -> Any:
    """A default value as the callee sees it."""
    if isinstance(value, (int, float, complex, str, bytes, type(None), tuple, type(Ellipsis))):
        return Lit(value)
    return Lit(value, ctx.bind(getattr(value, "__name__", None) or f"default_{name}", value))


def call_function(ctx: Lowering, func: Any, args: list[Any], kwargs: dict[str, Any], node: Any, spelling: str | None = None,
                  self_: Any = None) -> Any:
    """A call of a function of some module."""
    with ctx.program.budget.call(func, ctx.at(node) if hasattr(node, "lineno") else ctx.loc):
        return _call_function(ctx, func, args, kwargs, node, spelling, self_)


def _call_function(ctx: Lowering, func: Any, args: list[Any], kwargs: dict[str, Any], node: Any, spelling: str | None, self_: Any) -> Any:
    source, defaults, kwdefaults = function_parts(ctx, func)
    if isinstance(source.node, gast.AsyncFunctionDef):
        refuse("async", ctx.at(node) if hasattr(node, "lineno") else ctx.loc)
    bound = bind(ctx, source.node.args, defaults, kwdefaults, args, kwargs, func.__name__, node)
    if scope_of(source, source.node).is_generator:
        made = SIter("generator", source, source.node, func.__globals__, None, cells_of(func), bound, func.__name__)
        return made if func.__module__.startswith("transgrad.frontend.library.") else made_generator(ctx, made, node)
    spec = source.node.args
    of_instance = self_ is not None and not _calls_itself(ctx, source, self_)
    if not (isinstance(source.node, gast.Lambda) or spec.vararg or spec.kwarg or of_instance or func in ctx.program.inlined
            or has_insertions(source) or _jumps_out(ctx, source) or any(compiler_only(ctx, v) for v in bound.values())
            or _of_settings(ctx, func, bound)):
        try:
            with text_of_table(ctx, func.__module__ or "", node):
                return invoke_function(ctx, func, source, bound, node, spelling)
        except InlineInstead as found:
            ctx.program.inlined.add(found.func)
            if found.func is not func:
                raise
    frame = Frame(source, source.node, func.__globals__, None, cells_of(func), func, func.__name__)
    frame.owner, frame.self = _owner(func), self_
    if getattr(node, "is_whole", False):
        ctx.whole[frame] = ctx.frame
    with text_of_table(ctx, func.__module__ or "", node):
        return inline(ctx, frame, bound, node)


def _jumps_out(ctx: Lowering, source: FunctionSource) -> bool:
    """Whether a function is inlined so that its exceptions are jumps to a try clause around the call."""
    return any(target is not None and target.precise for target in ctx.catchers) and source.node not in ctx.inlining


def _calls_itself(ctx: Lowering, source: FunctionSource, self_: Any) -> bool:
    """Whether a method of an instance on the heap is called while it is lowered: of how many instances is not known."""
    return source.node in ctx.inlining and reference_type(ctx, self_) is not None


def _of_settings(ctx: Lowering, func: Any, bound: dict[str, Any]) -> bool:
    """Whether a helper of a definition is given settings only, which decide the text around its call."""
    return (func.__module__ or "").startswith("transgrad.rules.") and not varied(ctx, *bound.values())


def _owner(func: Any) -> Any:
    """The class of a method, as super() finds it."""
    cell = cells_of(func).get("__class__")
    return cell.cell_contents if cell is not None else None


def try_function(ctx: Lowering, func: Any, args: list[Any], kwargs: dict[str, Any], node: Any, spelling: str | None, varied: bool,
                 self_: Any = None) -> Any:
    """`call_function`; NotImplemented where it is refused and nothing differentiated goes in, so that it may stay opaque."""
    if varied:
        return call_function(ctx, func, args, kwargs, node, spelling, self_)
    trial, budget = Trial(ctx), ctx.program.budget
    count, start = budget.count, time.monotonic()
    try:
        return call_function(ctx, func, args, kwargs, node, spelling, self_)
    except (TransgradError, NoSourceError) as error:
        if is_declined(ctx, error):
            raise
        trial.undo()
        budget.refund(count, start)
        return NotImplemented


def is_stdlib(obj: Any) -> bool:
    """Whether an object comes with Python."""
    return (getattr(obj, "__module__", None) or "").split(".")[0] in sys.stdlib_module_names
