"""Lowers expressions: a table by node type from syntax to abstract values."""
from __future__ import annotations

from typing import Any

import gast

from ...ir.observed import is_changing
from ...ir.ops import UNDEF, Build, Lit, Value
from ...ir.types import Obj
from ..calls.rule_source_errors import in_definition
from ..context import Lowering
from ..describe import describe
from ..domain.abstract import UNBOUND, SBound, SCell, SClass, SConflict, SFunc, SObj, SPartial, SSlice, is_lit
from ..domain.external_state import changing_number, holder_of, known_outside
from ..domain.narrowing import narrowed
from ..refusals import refuse
from ..statements.control_flow import choose
from ..statements.normal_form import Held
from .operations import call

__all__ = ["condition", "expr", "name_value", "read_key"]



def expr(ctx: Lowering, node: Any) -> Any:
    """The abstract value of an expression."""
    handler = (_TABLE or _table()).get(type(node))
    if handler is None:
        refuse("syntax", ctx.at(node), f"the expression {type(node).__name__}")
    return handler(ctx, node)


def _constant(ctx: Lowering, node: Any) -> Any:
    return Lit(node.value)


def _name(ctx: Lowering, node: Any) -> Any:
    return name_value(ctx, node.id, node)


def _held(ctx: Lowering, node: Any) -> Any:
    return ctx.state.get((ctx.frame, node.name), UNDEF)


def name_value(ctx: Lowering, name: str, node: Any) -> Any:
    """What a name holds."""
    home = ctx.frame.home_of(name)
    if home is not None:
        return read_key(ctx, home, name, node)
    try:
        kind, container, found = ctx.frame.outside(name)
    except NameError:
        ctx.program.guard("contains", ctx.frame.globals, name, False)
        return _unbound(ctx, name, node, "NameError", f"name '{name}' is not defined")
    if kind == "builtin":
        return Lit(found, name)
    from ..objects.access import own_variable
    holder = holder_of(ctx, name) if ctx.program.writes_variables else None
    if holder is not None and (held := own_variable(ctx, *holder)) is not UNBOUND:
        return held
    written = ctx.state.get(("#global", id(container), name))
    if written is not None:
        return written
    if kind == "cell" and in_definition(ctx):
        return setting(ctx, found, name)
    if type(found) in (int, float, complex) and is_changing(kind, container, None if kind == "cell" else name):
        return changing_number(ctx, kind, container, name, found, node)
    known_outside(ctx, kind, container, None if kind == "cell" else name, found)
    return outside_value(ctx, found, name)


def outside_value(ctx: Lowering, found: Any, name: str) -> Any:
    """An object from outside of the function, under a name of the emitted text."""
    if found is None or isinstance(found, (bool, str)) or found is Ellipsis:
        return Lit(found)
    if ctx.program.implicit:
        from ..domain.implicit_arguments import held as implicit_argument
        if (held := implicit_argument(ctx, found)) is not None:
            return held
    return Lit(found, ctx.bind(name, found))


def setting(ctx: Lowering, found: Any, name: str) -> Any:
    """What a definition of the table was registered with, which does not change: numbers, and tuples of them, are known."""
    if isinstance(found, (int, float)):
        return Lit(found)
    if type(found) is tuple:
        return ctx.tuple([setting(ctx, item, name) for item in found])
    return outside_value(ctx, found, name)


def read_key(ctx: Lowering, home: Any, name: str, node: Any) -> Any:
    """A variable of the function or of one around it."""
    held = ctx.state.get(home, UNBOUND)
    if held is UNBOUND and ctx.capture is not None:
        held = ctx.capture(home, name)
    if held is UNBOUND or held is UNDEF:
        if home[0] is not ctx.frame and isinstance(getattr(home[0], "cells", None), dict) and name in home[0].cells:
            return outside_value(ctx, home[0].cells[name].cell_contents, name)
        if ctx.repeats:
            ctx.partial.add(home)       # a turn before this one may have assigned it
        return _unbound(ctx, name, node, "UnboundLocalError",
                        f"cannot access local variable '{name}' where it is not associated with a value")
    if isinstance(held, SConflict):
        ctx.conflict(held, node)
    if isinstance(held, SCell):
        from ..objects.function_records import read_cell
        return read_cell(ctx, held, node)
    if ctx.asking:
        ctx.looked_for(home, node)
    return held


def _unbound(ctx: Lowering, name: str, node: Any, error: str, message: str) -> Any:
    """Reading a name that has no value raises when the code runs, as it does for the user."""
    import builtins

    from ..statements.dispatch import raised
    cls = getattr(builtins, error)
    ctx.bind(error, cls)
    raised(ctx, call(ctx, cls, [Lit(message)], spelling=error, node=node))
    return UNDEF


def _slice(ctx: Lowering, node: Any) -> Any:
    parts = [Lit(None) if p is None else expr(ctx, p) for p in (node.lower, node.upper, node.step)]
    if all(isinstance(p, Lit) and p.text is None for p in parts):
        return Lit(slice(*(p.value for p in parts)))
    return SSlice(*parts)


def _conditional(ctx: Lowering, node: Any) -> Any:
    cond = condition(ctx, node.test)
    if isinstance(cond, Lit):
        return expr(ctx, node.body if cond.value else node.orelse)
    return choose(ctx, cond, lambda: narrowed(ctx, node.test, True, lambda: expr(ctx, node.body)),
                  lambda: narrowed(ctx, node.test, False, lambda: expr(ctx, node.orelse)))


def condition(ctx: Lowering, node: Any) -> Any:
    """The truth of an expression: a bool literal, or an operand whose truth is tested at run time."""
    from .operators import truth
    if isinstance(node, gast.BoolOp):
        return _boolean(ctx, node, as_truth=True)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        inner = condition(ctx, node.operand)
        if isinstance(inner, Lit):
            return Lit(not inner.value)
        from ..statements.dispatch import negated
        return negated(ctx, inner)
    return truth(ctx, expr(ctx, node), node)


def _boolean(ctx: Lowering, node: Any, as_truth: bool = False) -> Any:
    """``a and b``, ``a or b``: the value of the last operand that is looked at."""
    return _chain(ctx, node, list(node.values), isinstance(node.op, gast.And), as_truth)


def _chain(ctx: Lowering, node: Any, values: list[Any], conjunction: bool, as_truth: bool) -> Any:
    from .operators import truth
    first = values[0]
    if len(values) == 1:
        return condition(ctx, first) if as_truth else expr(ctx, first)
    if as_truth:
        x = cond = condition(ctx, first)
    else:
        x = expr(ctx, first)
        cond = truth(ctx, x, first)
    if isinstance(cond, Lit):
        return _chain(ctx, node, values[1:], conjunction, as_truth) if bool(cond.value) is conjunction else x

    def rest() -> Any:
        return narrowed(ctx, first, conjunction, lambda: _chain(ctx, node, values[1:], conjunction, as_truth))

    def stay() -> Any:
        return x
    return choose(ctx, cond, rest, stay) if conjunction else choose(ctx, cond, stay, rest)


def _walrus(ctx: Lowering, node: Any) -> Any:
    from ..statements.assignments import store_name
    value = expr(ctx, node.value)
    store_name(ctx, node.target.id, value, node)
    return value


def _fstring(ctx: Lowering, node: Any) -> Any:
    """An f-string: its text is not differentiated, but its parts are evaluated."""
    parts: list[Any] = []
    for value in node.values:
        if isinstance(value, gast.Constant):
            parts.append(Lit(value.value))
            continue
        held = expr(ctx, value.value)
        spec = _fstring(ctx, value.format_spec) if value.format_spec is not None else Lit("")
        if value.conversion in (114, 115, 97):
            fn: Any = {114: repr, 115: str, 97: ascii}[value.conversion]
            held = call(ctx, fn, [_printable(ctx, held, node)], spelling=fn.__name__, type=Obj(str), node=node)
        if is_lit(held, str, int) and is_lit(spec) and held.text is None:
            parts.append(Lit(format(held.value, spec.value)))
        else:
            parts.append(call(ctx, format, [_printable(ctx, held, node), spec], spelling="format", type=Obj(str), node=node))
    if all(isinstance(p, Lit) for p in parts):
        return Lit("".join(p.value for p in parts))
    result = Value(Obj(str))
    ctx.emit(Build("str", parts, results=[result]))
    return result


def _printable(ctx: Lowering, x: Any, node: Any) -> Any:
    """What formatting shows of an object that exists only in the compiler: its description."""
    if isinstance(x, (SFunc, SBound, SPartial, SClass)):
        return Lit(f"<{describe(x)}>")
    if isinstance(x, SObj):
        from ..objects.instances import formatted
        return formatted(ctx, x, node)
    return x


def _lambda(ctx: Lowering, node: Any) -> Any:
    from ..calls.functions import closure
    from ..objects.function_records import of_closure
    return of_closure(ctx, closure(ctx, node, "<lambda>"), node)


def _await(ctx: Lowering, node: Any) -> Any:
    refuse("async", ctx.at(node))


def _starred(ctx: Lowering, node: Any) -> Any:
    refuse("syntax", ctx.at(node), "a starred expression here")


_TABLE: dict[type, Any] = {}


def _table() -> dict[type, Any]:
    if not _TABLE:
        from ..calls import dispatch as calls
        from ..containers import displays
        from ..statements import generators
        from . import attributes, comprehensions, operators, subscripts
        _TABLE.update({
            gast.Constant: _constant, gast.Name: _name, gast.Tuple: displays.tuple_display, gast.Slice: _slice, gast.IfExp: _conditional,
            gast.BoolOp: _boolean, gast.NamedExpr: _walrus, gast.JoinedStr: _fstring, gast.Lambda: _lambda, gast.Await: _await,
            gast.Starred: _starred, Held: _held,
            gast.BinOp: operators.binary, gast.UnaryOp: operators.unary, gast.Compare: operators.compare,
            gast.Subscript: subscripts.read, gast.Attribute: attributes.read, gast.Call: calls.lower_call,
            gast.List: displays.list_display, gast.Dict: displays.dict_display, gast.Set: displays.set_display,
            gast.ListComp: comprehensions.list_comp, gast.SetComp: comprehensions.set_comp, gast.DictComp: comprehensions.dict_comp,
            gast.GeneratorExp: comprehensions.generator, gast.Yield: generators.yield_, gast.YieldFrom: generators.yield_from,
        })
    return _TABLE


