"""Subclasses of dict and list: the methods of the built-in class operate on a dict or list stored in the instance."""
from __future__ import annotations

import operator
import types
from typing import TYPE_CHECKING, Any

from ...ir.ops import Lit, Value
from ..domain.abstract import UNBOUND, SFunc, SObj

if TYPE_CHECKING:
    from ..context import Lowering

__all__ = ["BASES", "data_of", "has_data", "method_of_base", "plain_data", "read_data", "write_data"]

BASES = (dict, list)
#: the attribute that the dict or list stands under
DATA = "builtin_data"


def has_data(cls: Any) -> bool:
    """Whether instances of a class are dicts or lists of a class of the user's."""
    return isinstance(cls, type) and issubclass(cls, BASES)


def make_data(ctx: Lowering, made: Any, cls: type, node: Any) -> None:
    """Create the dict or list of a new instance."""
    from ..containers.displays import new_dict, new_list
    data = new_dict(ctx, [], node) if issubclass(cls, dict) else new_list(ctx, [], node)
    if isinstance(made, SObj):
        ctx.state[made, DATA] = data
    else:
        from ..domain import heap
        heap.store(ctx, made, DATA, data, node)


def data_of(ctx: Lowering, x: Any, node: Any) -> Any:
    """The dict or list of an instance; None for anything else."""
    from ..domain import heap
    if isinstance(x, SObj):
        return ctx.state.get((x, DATA))
    if isinstance(x, Value) and (t := heap.reference_type(ctx, x)) is not None and t.classes and all(map(has_data, t.classes)):
        return heap.read(ctx, x, DATA, node)
    return None


def _own(ctx: Lowering, x: Any, name: str) -> bool:
    """Whether the class of an instance has a method of its own in front of that of dict or list."""
    from .members import class_of, find
    found = find(class_of(ctx, x), name)[1]
    return found is not UNBOUND and isinstance(found, (types.FunctionType, SFunc))


def plain_data(ctx: Lowering, x: Any, node: Any, method: str) -> Any:
    """The dict or list of an instance whose class has no ``method`` of its own; None for anything else."""
    data = data_of(ctx, x, node)
    return None if data is None or _own(ctx, x, method) else data


def read_data(ctx: Lowering, x: Any, data: Any, key: Any, node: Any) -> Any:
    """``x[key]`` as dict and list read it."""
    from ..containers.displays import membership
    from ..expressions.operators import truth
    from ..expressions.subscripts import read_item
    from ..statements.control_flow import choose
    from .members import special
    if not _own(ctx, x, "__missing__"):
        return read_item(ctx, data, key, node)
    there = truth(ctx, membership(ctx, operator.contains, key, data, node), node)
    if isinstance(there, Lit):
        return read_item(ctx, data, key, node) if there.value else special(ctx, x, "__missing__", [key], node)
    return choose(ctx, there, lambda: read_item(ctx, data, key, node), lambda: special(ctx, x, "__missing__", [key], node))


def write_data(ctx: Lowering, data: Any, key: Any, value: Any, node: Any) -> None:
    """``x[key] = value`` as dict and list write it."""
    from ..expressions.subscripts import write
    write(ctx, data, key, value, node)


def method_of_base(ctx: Lowering, x: Any, descriptor: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A method of dict or list, called on an instance of a subclass; NotImplemented for anything else."""
    if getattr(descriptor, "__objclass__", None) not in BASES or (data := data_of(ctx, x, node)) is None:
        return NotImplemented
    from ..calls.dispatch import call_abstract, call_object
    from ..containers.displays import delete_item, dict_update, membership, new_dict
    from ..expressions.attributes import read_attribute
    name = descriptor.__name__
    if name in ("__init__", "update") and descriptor.__objclass__ is dict:
        for other in args:
            dict_update(ctx, data, other, node)
        if kwargs:
            dict_update(ctx, data, new_dict(ctx, [(Lit(k), v) for k, v in kwargs.items()], node), node)
        return Lit(None)
    if name == "__init__":
        return call_abstract(ctx, read_attribute(ctx, data, "extend", node), args, {}, node) if args else Lit(None)
    if name == "__getitem__":
        return read_data(ctx, x, data, args[0], node)
    if name == "__setitem__":
        write_data(ctx, data, args[0], args[1], node)
        return Lit(None)
    if name == "__delitem__":
        delete_item(ctx, data, args[0], node)
        return Lit(None)
    if name == "__contains__":
        return membership(ctx, operator.contains, args[0], data, node)
    if name == "__len__":
        return call_object(ctx, Lit(len, "len"), [data], {}, node)
    if name == "__iter__":
        return data
    if name.startswith("__"):
        return NotImplemented
    return call_abstract(ctx, read_attribute(ctx, data, name, node), args, kwargs, node)
