"""Classes of transgrad that stand in for a library's while a derivative is computed."""
from __future__ import annotations

import dataclasses
from typing import Any

__all__ = ["HINT", "is_stand_in", "stand_in"]

_PACKAGE = __package__ + "."
HINT = "return the numbers that you need from it, for example (r.statistic, r.pvalue)"


def is_stand_in(cls: Any) -> bool:
    """Whether instances of a class must not leave a derivative: a definition made them in place of an object of a library.

    >>> is_stand_in(tuple)
    False
    """
    return isinstance(cls, type) and cls.__module__.startswith(_PACKAGE)


def stand_in(x: Any) -> type | None:
    """The class of the first stand-in in a value, or None."""
    if is_stand_in(type(x)):
        return type(x)
    if isinstance(x, dict):
        parts: Any = x.values()
    elif isinstance(x, (list, tuple)):
        parts = x
    elif dataclasses.is_dataclass(x) and not isinstance(x, type):
        parts = vars(x).values() if hasattr(x, "__dict__") else ()
    else:
        return None
    return next((found for part in parts if (found := stand_in(part)) is not None), None)
