"""Objects whose calls are lowered by somebody else: transformations and the functions they return register here."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Handler", "handler_of", "register", "register_type", "register_with", "with_handler_of"]

#: ``handler(ctx, obj, args, kwargs, node)`` returns the abstract value of the call, or NotImplemented.
Handler = Callable[..., Any]
_OBJECTS: dict[int, tuple[Any, Handler]] = {}
_TYPES: dict[type, Handler] = {}
_WITH: dict[int, Handler] = {}


def register(obj: Any, handler: Handler) -> None:
    """Lower calls of ``obj`` by ``handler``."""
    _OBJECTS[id(obj)] = (obj, handler)


def register_type(cls: type, handler: Handler) -> None:
    """Lower calls of instances of ``cls`` by ``handler``."""
    _TYPES[cls] = handler


def handler_of(obj: Any) -> Handler | None:
    """The handler for calls of ``obj``, or None."""
    found = _OBJECTS.get(id(obj))
    if found is not None and found[0] is obj:
        return found[1]
    for cls in type(obj).__mro__:
        if cls in _TYPES:
            return _TYPES[cls]
    return None


def register_with(cls: type, handler: Handler) -> None:
    """Lower statements ``with cls(x) as y`` by ``handler(ctx, node, names)``."""
    _WITH[id(cls)] = handler


def with_handler_of(cls: Any) -> Handler | None:
    """The handler for ``with`` statements of a class, or None."""
    return _WITH.get(id(cls))
