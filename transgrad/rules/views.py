"""Objects of SciPy that exist already: what makes the object that stands for one in the table, and what it is given."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["view", "view_of"]

F = TypeVar("F", bound=Callable[[Any], Any])
_VIEWS: dict[type, Callable[[Any], Any]] = {}


def view(*classes: type) -> Callable[[F], F]:
    """Registers for objects of SciPy's classes a function that returns ``(text, *arguments)``: numbers, arrays, strings, None.

    It returns None for an object that nothing stands for.
    """
    def register(text: F) -> F:
        _VIEWS.update(dict.fromkeys(classes, text))
        return text
    return register


def view_of(obj: Any) -> tuple[Any, ...] | None:
    """The function that makes what stands for an object, and its arguments; None where there is none."""
    cls = type(obj)
    if "scipy" not in sys.modules or not cls.__module__.startswith("scipy."):
        return None
    from .scipy import load
    load(cls)
    found: tuple[Any, ...] | None = _VIEWS[cls](obj) if cls in _VIEWS else None
    return found
