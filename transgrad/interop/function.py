"""A wrapped function: its name and signature, its use as a method, and pickling."""
from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from ..frontend.calls import hooks
from ..frontend.calls.dispatch import call_abstract
from ..ir.ops import Lit
from ..transforms.arguments import name_of
from ..transforms.options import Options

__all__ = ["Wrapped", "constant_key", "is_plain", "order_of"]


class Wrapped:
    """A NumPy function as a function of a framework's arrays.

    Attributes
    ----------
    primal : callable
        The NumPy function.
    """

    def __init__(self, primal: Callable[..., Any], options: Options, *more: Any):
        if not callable(primal):
            raise TypeError(f"wrap takes a function, not {type(primal).__name__}")
        self.primal: Callable[..., Any] = primal.primal if isinstance(primal, Wrapped) else primal
        primal = self.primal
        self.options, self._more = options, more
        self.operations: dict[Any, Any] = {}
        functools.update_wrapper(self, primal, updated=())
        self.__name__ = name_of(primal)
        self.__qualname__ = getattr(primal, "__qualname__", self.__name__)

    def __init_subclass__(cls) -> None:
        """Have compiled functions that call a wrapped function call the NumPy function."""
        hooks.register_type(cls, _call_wrapped)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, as functions in a class do."""
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        try:
            signature = str(inspect.signature(self.primal))
        except (TypeError, ValueError):
            signature = "(...)"
        return f"<{type(self).__name__} {self.__name__}{signature}>"

    def __reduce__(self) -> Any:
        """Pickle a decorated function by its name, others by the function and the options."""
        try:
            found: Any = importlib.import_module(self.__module__)
            for part in self.__qualname__.split("."):
                found = getattr(found, part)
        except (AttributeError, ImportError, TypeError, ValueError):
            found = None
        return self.__qualname__ if found is self else (type(self), (self.primal, self.options, *self._more))


def _call_wrapped(ctx: Any, held: Wrapped, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A wrapped function that is called by a function that is being compiled."""
    return call_abstract(ctx, Lit(held.primal, ctx.bind(held.__name__, held.primal)), args, kwargs, node)


def is_plain(leaf: Any) -> bool:
    """Return whether a value is one of Python: a number, a string or None."""
    return leaf is None or isinstance(leaf, (bool, int, float, complex, str, bytes))


def constant_key(value: Any) -> tuple[Any, ...]:
    """Return what identifies a constant argument: equal numbers of different types, and the two zeros, are different.

    Examples
    --------
    >>> constant_key(0.0) == constant_key(-0.0), constant_key(1) == constant_key(True), constant_key("a") == constant_key("a")
    (False, False, True)
    """
    return (type(value), repr(value)) if is_plain(value) else (type(value), id(value))


def order_of(value: Any) -> tuple[Any, ...]:
    """Return the keys of all dicts in nested arguments in their order, which the structure of arguments disregards.

    Examples
    --------
    >>> order_of(([1.0, {"b": 1.0, "a": {}}], 2.0))
    (('b', 'a'), ())
    """
    if isinstance(value, dict):
        return tuple(value), *(o for item in value.values() for o in order_of(item))
    if isinstance(value, (list, tuple)):
        return tuple(o for item in value for o in order_of(item))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return tuple(o for field in dataclasses.fields(value) for o in order_of(getattr(value, field.name, None)))
    return ()
