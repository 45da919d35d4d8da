"""Calls of functions without a rule and without source."""
from __future__ import annotations

import sys
from typing import Any

from ...errors import TransgradError
from ...ir.effects import WRITES_FIRST, is_known_pure
from ...ir.ops import Call, Lit, Star, Value
from ...ir.types import ANY, UNKNOWN, Arr, Num, Type
from ...rules import definition_of
from ..containers.iterables import as_list
from ..context import Lowering
from ..describe import describe
from ..domain.abstract import SIter
from ..domain.speculation import Trial
from ..expressions.operations import call
from ..library.scipy_objects import makes_object
from ..refusals import refuse_function
from ..specialize.random_types import random_type
from . import dispatch as calls

__all__ = ["opaque"]


def opaque(ctx: Lowering, func: Lit, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call of something without rule or source: allowed where nothing differentiated goes in."""
    obj = func.value
    text = func.text or ctx.bind(calls.name_of(obj), obj)
    args = [as_list(ctx, a, node) if isinstance(a, SIter) else a for a in args]
    if calls.varied(ctx, *args, *kwargs.values()):
        if obj is print or getattr(obj, "__module__", None) in ("logging", "builtins") and obj in (print,):
            pass
        else:
            refuse_function(obj, ctx.at(node) if hasattr(node, "lineno") else ctx.loc, f"{func.text or describe(func)}()")
    pure = calls.hashable(obj) and is_known_pure(obj) and not _impure(obj)
    make = ctx.operand if pure and obj not in WRITES_FIRST else ctx.escape
    a = [Star(make(x.value, node)) if isinstance(x, Star) else make(x, node) for x in args]
    k = {n: make(v, node) for n, v in kwargs.items()}
    t = random_type(obj, a, k)
    if t is None and pure and not any(isinstance(x, Star) for x in a):
        out = call(ctx, obj, a, k, spelling=text, node=node)
        if isinstance(out, Value) and out.type == UNKNOWN:
            out.type = _type_by_definition(ctx, obj, args, kwargs, node)
        return out
    result = Value(t or _type_by_definition(ctx, obj, args, kwargs, node))
    op = Call(obj, a, k, text, results=[result])
    ctx.emit(op)
    if not pure and t is None:
        for o in (*a, *k.values()):
            ctx.sharing.link(result, o.value if isinstance(o, Star) else o)
        if not _of_library(obj):
            ctx.sharing.foreign(result)     # it may be an object that others hold
    return result


def _type_by_definition(ctx: Lowering, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Type:
    """The dtype and dimensions of the result of a SciPy function, derived from its definition, whose operations are then discarded."""
    text = definition_of(obj) if calls.hashable(obj) and not makes_object(obj) else None
    if text is None:
        return UNKNOWN
    from .functions import call_function
    trial = Trial(ctx)
    try:
        made = call_function(ctx, text, args, kwargs, node)
        t = made.type if isinstance(made, (Value, Lit)) else UNKNOWN
    except (TransgradError, TypeError, AttributeError):
        t = UNKNOWN
    trial.undo()
    return Arr(t.dtype, (ANY,) * len(t.dims), scalar=t.scalar) if isinstance(t, Arr) else t if isinstance(t, Num) else UNKNOWN


def _of_library(obj: Any) -> bool:
    """Whether a function is one of Python's own, which returns nothing that its arguments do not hold."""
    root = (getattr(obj, "__module__", None) or "").partition(".")[0]
    return root in sys.stdlib_module_names and root != "__main__"


def _impure(obj: Any) -> bool:
    return (getattr(obj, "__module__", None) or "").startswith(("numpy.random", "numpy.lib._npyio", "numpy.testing", "scipy.io"))
