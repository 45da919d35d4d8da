"""SciPy objects constructed from constants: a call of a method with a differentiated argument uses the equivalent object of the rule table.
"""
from __future__ import annotations

import operator
import types
from typing import Any

from ...ir.infer import type_of
from ...ir.ops import Call, Lit, Value
from ...ir.types import TupleT
from ...rules import definition_of, view_of
from ...rules.views import is_number, numbers_of, view_key
from ..context import Lowering
from ..domain.abstract import SBound
from ..expressions.attributes import read_attribute
from ..expressions.operations import call

__all__ = ["makes_object", "remember", "stand_in"]


def makes_object(obj: Any) -> bool:
    """Whether calls of something of SciPy with a definition make objects: classes, and distributions."""
    return not isinstance(obj, (types.FunctionType, types.MethodType, types.BuiltinFunctionType)) and definition_of(obj) is not None


def remember(ctx: Lowering, made: Any, obj: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Record the arguments with which an object that exists only at run time was constructed."""
    if isinstance(made, Value) and (_stands_for(ctx, obj.self) if isinstance(obj, SBound) else makes_object(obj)):
        ctx.made[made] = obj, args, kwargs
    return made


def _stands_for(ctx: Lowering, held: Any) -> bool:
    """Whether the table has an object for one of SciPy's."""
    return isinstance(held, Value) and (held in ctx.made or _argument(ctx, held) is not None) \
        or isinstance(held, Lit) and view_of(held.value) is not None


def stand_in(ctx: Lowering, func: Any, node: Any) -> Any:
    """The replacement to call instead of an object created by SciPy, or one of its methods; None if there is none."""
    if isinstance(func, SBound):
        name = func.func if isinstance(func.func, str) else getattr(func.func, "__name__", None)
        held = _other(ctx, func.self, node) if isinstance(name, str) else None
        if held is None:
            return None
        return read_attribute(ctx, held, str(name), node)
    return _other(ctx, func, node)


def _other(ctx: Lowering, held: Any, node: Any) -> Any:
    """The object of the rule table that replaces SciPy's."""
    if isinstance(held, Value) and held in ctx.made:
        from ..calls.dispatch import call_abstract
        from ..calls.functions import call_function
        obj, args, kwargs = ctx.made[held]
        if isinstance(obj, SBound):     # the result of a method of another object
            return call_abstract(ctx, stand_in(ctx, obj, node), args, kwargs, node)
        return call_function(ctx, definition_of(obj), args, kwargs, node)
    if isinstance(held, Lit) and (found := view_of(held.value)) is not None:
        from ..calls.dispatch import object_value
        from ..calls.functions import call_function
        text, *args = found
        return call_function(ctx, text, [object_value(ctx, a, f"{text.__name__}_part") for a in args], {}, node)
    if isinstance(held, Value) and (found := _argument(ctx, held)) is not None:
        from ..calls.functions import call_function
        text, *args = found
        return call_function(ctx, text, _parts(ctx, held, args), {}, node)
    return None


def _argument(ctx: Lowering, held: Value) -> tuple[Any, ...] | None:
    """The replacement of an object that is an argument, or part of one."""
    example, _ = ctx.examples.get(held, (None, None))
    return None if example is None or id(example) in ctx.program.stale else view_of(example)


def _parts(ctx: Lowering, held: Value, args: list[Any]) -> list[Any]:
    """The parts of an argument: its settings are known, with a guard, its numbers are read at run time."""
    example, path = ctx.examples[held]
    ctx.program.guard("view", path, None, view_key(example))
    numbers = numbers_of(example)
    read = Value(TupleT(tuple(map(type_of, numbers))))
    ctx.emit(Call(numbers_of, [held], {}, ctx.bind("numbers_of", numbers_of), results=[read]))
    ctx.sharing.foreign(read)
    places = iter(range(len(numbers)))

    def part(x: Any) -> Any:
        if isinstance(x, (tuple, list)):
            return ctx.tuple([part(each) for each in x])
        return call(ctx, operator.getitem, [read, Lit(next(places))]) if is_number(x) else Lit(x)
    return [part(x) for x in args]
