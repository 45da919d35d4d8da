"""Functions that the standard library wraps: context managers made of generators, and single dispatch."""
from __future__ import annotations

import types
from typing import Any

from ...ir.ops import Lit
from ..context import Lowering
from ..domain.abstract import SIter

__all__ = ["context_manager", "dispatched"]


def context_manager(ctx: Lowering, func: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> SIter:
    """A call of a function decorated with `contextlib.contextmanager`."""
    from .dispatch import call_abstract
    ctx.program.inlined_generators = True
    try:
        return SIter("contextmanager", call_abstract(ctx, Lit(func, ctx.bind(func.__name__, func)), args, kwargs, node))
    finally:
        ctx.program.inlined_generators = False


def dispatched(ctx: Lowering, obj: Any, first: Any) -> Any:
    """The function that one of `functools.singledispatch` calls for the class of an argument; None for other functions."""
    registry = getattr(obj, "registry", None)
    if not isinstance(registry, types.MappingProxyType) or not hasattr(obj, "dispatch"):
        return None
    from .builtins import python_class
    cls = python_class(ctx, first)
    if not isinstance(cls, type):
        return None
    found = obj.dispatch(cls)
    base = next((c for c in cls.__mro__ if c in registry), None)
    if base is None:
        return None
    ctx.program.guard("item", registry, base, found)
    return found
