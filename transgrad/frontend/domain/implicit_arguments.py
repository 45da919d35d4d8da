"""Containers, arrays and instances from outside that the function writes differentiated values to, as arguments of the function.

    RATES = {"eur": 1.1}                      def exchange(a, rate, *, rates):
    def exchange(a, rate):              →         rates["chf"] = rate
        RATES["chf"] = rate                       return a * rates["chf"]
        return a * RATES["chf"]

A global, the content of a closure cell or an attribute of a class is a constant of the generated code while the function only reads it.
Where a differentiated value is written to it, lowering starts again with the object as a parameter, so that the passes give it a shadow
as they do for an argument that is not differentiated. When the derivative is finished, the parameter is the object again: the generated
code writes to the user's own, as the function itself does.
"""
from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...ir.ops import Lit, Param, Value
from ...ir.types import holds_instance
from ...runtime.fields import is_tree_of_records
from ..context import CHANGED_DICTS, FIELDS, OBJECTS, Attribute, InlineInstead, Lowering, Restart
from ..specialize.argument_types import argument_type, remember
from .shape_assumptions import with_known_lengths

__all__ = ["begin", "held", "want"]

_NO_STATE = (type, types.ModuleType, types.CellType, types.FunctionType, types.MethodType, types.BuiltinFunctionType, str, bytes,
             int, float, complex,
             tuple, frozenset, np.ufunc, np.generic)


def _site(ctx: Lowering, obj: Any) -> Any:
    return next((s for s in ctx.program.sites if isinstance(s, tuple) and s[0] == "#implicit" and s[1].obj is obj), None)


def want(ctx: Lowering, x: Any) -> None:
    """Lower again with the object that ``x`` is, or is a part of, as an argument, if it can be one."""
    group: Iterable[Any] = (x, *ctx.sharing.all(x)) if isinstance(x, Value) else (x,)
    for o in group:
        found, name = (o.value, o.text) if isinstance(o, Lit) else ctx.program.outside.get(o, (None, None))
        if found is None or isinstance(found, _NO_STATE) or _site(ctx, found) is not None:
            continue
        name = (name or type(found).__name__.lower()).rpartition(".")[2]
        taken = {p.name for p in ctx.function.signature} | set(ctx.function.names)
        root, k = name, 1
        while name in taken and ctx.function.names.get(name) is not found:
            k += 1
            name = f"{root}_{k}"
        raise Restart([("#implicit", Attribute(found), name)])


def begin(ctx: Lowering) -> None:
    """Makes the parameters, at the entry of the function."""
    for site in [s for s in ctx.program.sites if isinstance(s, tuple) and s[0] == "#implicit"]:
        obj, name = site[1].obj, site[2]
        if not isinstance(obj, (np.ndarray, list, dict)) and is_tree_of_records(obj):
            ctx.program.objects.add(name)
        by_fields = OBJECTS in ctx.program.sites and name in ctx.program.objects
        t = argument_type(obj, name, by_fields, CHANGED_DICTS in ctx.program.sites, FIELDS in ctx.program.sites)
        value = Value(with_known_lengths(ctx.program, t, obj), name)
        ctx.bind(name, obj)
        ctx.program.guard("argattr", name, None, argument_type(obj, None))
        remember(ctx, value, obj, name)
        if by_fields and holds_instance(t):
            from ...ir.keys import fields_key
            ctx.program.guard("fields", name, None, fields_key(obj))
        ctx.function.body.params.append(value)
        ctx.function.signature.append(Param(name, value, "keyword"))
        ctx.function.attrs.implicit[name] = obj
        from .written_arguments import split
        ctx.program.implicit[id(obj)] = split(ctx, value, obj)


def held(ctx: Lowering, obj: Any) -> Any:
    """The parameter that stands for an object from outside; None where none does."""
    if not ctx.program.implicit or (found := ctx.program.implicit.get(id(obj))) is None:
        return None
    if ctx.variant is not None:     # the parameter belongs to the function that is differentiated
        raise InlineInstead(ctx.variant.func)
    return found
