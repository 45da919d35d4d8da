"""Descriptors of the user's: class attributes with a ``__get__`` or ``__set__`` method."""
from __future__ import annotations

import functools
import types
from typing import Any

from ...ir.ops import Lit
from ..context import Lowering
from ..domain.abstract import UNBOUND, SBound, SPartial
from .members import find

__all__ = ["get", "is_data_descriptor", "partial_method", "set_by_descriptor"]


def _method(found: Any, name: str) -> tuple[Any, Any]:
    """A method of a descriptor's class that has Python source; (None, UNBOUND) for others."""
    if found is UNBOUND or isinstance(found, (Lit, types.FunctionType, property, functools.cached_property)):
        return None, UNBOUND
    owner, method = find(type(found), name)
    return (owner, method) if isinstance(method, types.FunctionType) and not method.__module__.startswith(("functools", "enum")) else \
        (None, UNBOUND)


def is_data_descriptor(found: Any) -> bool:
    """Whether a member of a class is looked up before the attributes of an instance."""
    return isinstance(found, property) or _method(found, "__set__")[1] is not UNBOUND


def _literal(ctx: Lowering, found: Any, name: str) -> Lit:
    return Lit(found, ctx.bind(f"{name}_descriptor", found))


def get(ctx: Lowering, obj: Any, owner: Any, found: Any, name: str, node: Any) -> Any:
    """The value of a descriptor with a ``__get__`` in Python; NotImplemented for anything else."""
    from ..calls.dispatch import call_abstract
    from .access import class_literal
    at, method = _method(found, "__get__")
    if method is UNBOUND:
        return NotImplemented
    return call_abstract(ctx, SBound(_literal(ctx, found, name), method, at), [obj, class_literal(ctx, obj)], {}, node)


def set_by_descriptor(ctx: Lowering, obj: Any, found: Any, name: str, value: Any, node: Any) -> bool:
    """Call the ``__set__`` of a descriptor; return whether it has one."""
    from ..calls.dispatch import call_abstract
    at, method = _method(found, "__set__")
    if method is UNBOUND:
        return False
    call_abstract(ctx, SBound(_literal(ctx, found, name), method, at), [obj, value], {}, node)
    return True


def partial_method(ctx: Lowering, obj: Any, owner: Any, found: functools.partialmethod[Any], name: str, node: Any) -> Any:
    """A method with some of its arguments given."""
    from ..calls.dispatch import object_value
    from .access import bound
    fixed = [object_value(ctx, a, "argument") for a in found.args]
    named = {k: object_value(ctx, v, k) for k, v in found.keywords.items()}
    return SPartial(bound(ctx, obj, owner, found.func, name, node), fixed, named)
