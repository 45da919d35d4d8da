"""Calls of SciPy's functions that take a function: the function is lowered into one of its own, and named in the call."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from ...ir.ops import Function, Lit, Value
from ...ir.types import Arr, ListT, Num, Obj, TupleT, Type, strip
from ...rules.scipy.arrays import as_array_of
from ..containers.iterables import static_items
from ..context import Lowering
from ..domain.abstract import SFunc, SList, SObj, SPartial, STuple
from ..expressions.operations import call, get_attr
from ..expressions.subscripts import read_item
from ..refusals import refuse
from ..source.find import source_of
from .dispatch import varied
from .hooks import register
from .outline import Outlined, invoke

__all__ = ["number", "register_solver", "solution", "solver_function"]

#: the abstract arguments of the call to the types of the variables that the solver gives the function
Variables = Callable[[Lowering, dict[str, Any]], Sequence[Type]]


def solver_function(ctx: Lowering, f: Any, types: Sequence[Type], args: Any, node: Any) -> tuple[Function, list[Any]]:
    """The function that a solver calls with variables of some types and ``args``, and the variables that it captures."""
    further = [] if args is None else static_items(ctx, args)
    if further is None:
        further = _spread(ctx, f, len(types), args, node)
    variables = [Value(t, None, True) for t in types]
    outlined = Outlined(ctx, f, [*variables, *further], {}, range(len(variables)), node)
    returns = outlined.function.returns
    if returns.kind != "leaf" or isinstance(outlined.function.body.yields[returns.index].type, ListT):      # a list of numbers is an array
        outlined = Outlined(ctx, SPartial(Lit(as_array_of), [f], {}), [*variables, *further], {}, range(len(variables)), node)
    function = outlined.function
    function.attrs.emit = True
    captured = list(outlined.operands[len(variables):])
    for o in captured:
        if isinstance(o, Value) and o.varied and isinstance(strip(o.type), Obj):
            refuse("undecided", ctx.at(node) if hasattr(node, "lineno") else ctx.loc,
                   f"'{o.name or 'an object'}', from which the function that is passed reads differentiated attributes, may hold anything")
    return function, captured


def _spread(ctx: Lowering, f: Any, count: int, args: Any, node: Any) -> list[Any]:
    """The items of ``args`` of unknown length (``tuple(theta)``), of which the function takes as many as it has parameters left."""
    source = f if isinstance(f, SFunc) else source_of(f.value) if isinstance(getattr(f, "value", None), FunctionType) else None
    if source is None or not isinstance(args, Value) or not isinstance(args.type, (ListT, Arr)):
        return [args]
    spec = source.node.args
    if spec.vararg and isinstance(args.type, ListT):
        refuse("unpack", ctx.at(node), "args, which are passed on to a function that takes any number of arguments,")
    left = len(spec.args) + len(spec.posonlyargs) - len(spec.defaults) - count
    if left < 2:
        return [args]
    return [read_item(ctx, args, Lit(k), node) for k in range(left)]


def register_solver(fn: Any, variables: Variables, *, function: str = "f", refused: Sequence[str] = (), prepared: Any = None,
                    primitive: Callable[..., Any] | None = None, named: bool = False,
                    result: Callable[..., Any] | None = None, elsewhere: Sequence[str] = (), fixed: Sequence[str] = ()) -> None:
    """Lower calls of ``fn``: its parameter ``function`` takes variables of the types that ``variables`` finds, and ``args``.

    Options in ``refused`` must have their defaults. With an option in ``elsewhere``, the error refers to the function's definition. Options
    in ``fixed`` may not be differentiated. The call is one of ``primitive``, if given, with the
    function as ``prepared`` makes it, after ``fn`` itself if ``named``; ``result`` converts its value to the result of the call.
    """
    signature = inspect.signature(fn)

    def handler(ctx: Lowering, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        bound = dict(signature.bind(*args, **kwargs).arguments)
        bound.update(bound.pop("options", None) or {} if signature.parameters.get("options", _NONE).kind is _NONE.kind else {})
        if any(_is_given(bound.get(name), signature.parameters[name].default) for name in elsewhere):
            return NotImplemented
        for name in (*refused, *elsewhere):
            if _is_given(bound.pop(name, None), signature.parameters[name].default):
                refuse("static", ctx.at(node), f"the option {name!r} of {fn.__name__}()")
        for name in fixed:
            if name in bound and varied(ctx, bound[name]):
                refuse("static", ctx.at(node), f"{fn.__name__}() has no derivative by its {name}, which are differentiated here")
        for name in ("x0", "y0", "xin", "t"):       # a list of numbers is an array
            if isinstance(bound.get(name), (SList, STuple)) or isinstance(getattr(bound.get(name), "type", None), (ListT, TupleT)):
                bound[name] = call(ctx, np.asarray, [bound[name], Lit(float)], node=node)
        extra = bound.pop("args", None)
        extra = None if isinstance(extra, Lit) and extra.value is None else extra
        made, captured = solver_function(ctx, bound.pop(function), variables(ctx, bound), extra, node)
        made = made if prepared is None else prepared(ctx, made, bound)
        positional = [] if primitive is None or not named else [Lit(fn, ctx.bind(fn.__name__, fn))]
        for name, parameter in signature.parameters.items():
            if name == function:
                positional.append(Lit(made))
            elif name in bound and parameter.default is inspect.Parameter.empty:
                positional.append(bound.pop(name))
        options = bound
        if captured:
            options["args"] = ctx.tuple(captured)
        out = call(ctx, primitive or obj, positional, options, node=node)
        return out if result is None else result(ctx, out, made, captured)

    register(fn, handler)


def _is_given(option: Any, default: Any) -> bool:
    """Whether an option is there and differs from its default."""
    if isinstance(option, STuple) and not option.items and default == ():
        return False
    return option is not None and not (isinstance(option, Lit) and type(option.value) is type(default) and option.value == default)


_NONE = inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)


def solution(name: str, further: Sequence[str], value: str | None = None) -> Callable[..., Any]:
    """The result if SciPy returns an object: the first item of the result is its attribute ``name``, and ``value`` the attribute with the
    objective; the other attributes are copied from the solver's result."""
    def made_of(ctx: Lowering, out: Any, function: Function, captured: list[Any]) -> Any:
        found, *_, said = out.items
        held = SObj(Solution)
        ctx.state[held, name] = found
        for other in further:
            ctx.state[held, other] = get_attr(ctx, said, other)
        if value is not None:
            ctx.state[held, value] = invoke(ctx, function, [found, *captured])[0]
        return held
    return made_of


class Solution:
    """The result of a solver."""


def number(ctx: Lowering, bound: dict[str, Any]) -> Sequence[Type]:
    """One number."""
    return [Num("float")]
