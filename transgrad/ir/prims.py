"""Operations of Python that have no function of their own in the standard library, as functions the IR can call."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..runtime.plain_tree import instance, stores_fields

__all__ = ["RECORD", "Boundary", "Fields", "apply", "grid", "initializer", "inplace_at", "not_in", "present", "unguarded", "unpack"]


def apply(fn: Callable[..., Any], *args: Any) -> Any:
    """``fn(*args)``, where ``fn`` is a value of which it is known that it does nothing but compute a result."""
    return fn(*args)


def grid(maker: Any, index: Any) -> Any:
    """``np.mgrid[index]``: new arrays, and no part of the object that is asked."""
    return maker[index]


def inplace_at(a: Any, index: Any, value: Any, op: Callable[[Any, Any], Any]) -> None:
    """``a[index] op= value``, where ``op`` is ``operator.iadd`` and the like."""
    a[index] = op(a[index], value)


def not_in(item: Any, container: Any) -> bool:
    """``item not in container``."""
    return item not in container


def present(value: Any) -> Any:
    """Narrow an optional value at a place that would raise for None: the same object, with a narrower type."""
    return value


def unguarded() -> None:
    """Mark the start of the else clause in the body of a try statement: the except clauses do not guard the code after it."""


def unpack(value: Any, count: int) -> tuple[Any, ...]:
    """The ``count`` elements of an iterable: ``a, b = value``."""
    items = tuple(value)
    if len(items) != count:
        many = "too many values to unpack" if len(items) > count else "not enough values to unpack"
        raise ValueError(f"{many} (expected {count}, got {len(items)})")
    return items


class Boundary:
    """Returns the first of its arguments: the results of a function whose derivative the user says.

    Parameters
    ----------
    name : str
        The name of that function.
    count : int
        How many results it has; the other arguments are what its derivative takes.
    rule : Rule
        The derivative of the results by the arguments.
    first : int
        The first of the arguments that it differentiates by; those before it are constants.
    """

    def __init__(self, name: str, count: int, rule: Any, first: int):
        self.__name__, self.count, self.rule, self.first = name, count, rule, first

    def __call__(self, *args: Any) -> Any:
        return args[0] if self.count == 1 else args[:self.count]


class Fields:
    """Makes an instance of a dataclass from its fields, where the initializer does more than to store them."""

    def __init__(self, cls: type):
        self.cls, self.__name__ = cls, cls.__name__

    def __call__(self, **fields: Any) -> Any:
        return instance(self.cls, fields)


@functools.cache
def initializer(cls: type) -> Any:
    """What makes an instance of a dataclass from its fields: the class, where its initializer stores them and does nothing else."""
    return cls if stores_fields(cls) else Fields(cls)


#: The spelling of ``list.append`` where it records a number for the caller: the list is not read again, and has no derivative.
RECORD = "<record>"
