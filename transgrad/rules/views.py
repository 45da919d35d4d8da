"""SciPy objects that exist already: the constructor of the equivalent object in the table, and its arguments."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..ir.keys import key_of

__all__ = ["is_number", "numbers_of", "view", "view_key", "view_of"]

F = TypeVar("F", bound=Callable[[Any], Any])
_VIEWS: dict[type, Callable[[Any], Any]] = {}


def view(*classes: type | None) -> Callable[[F], F]:
    """Register for objects of SciPy's classes a function that returns ``(text, *arguments)``: numbers, arrays, strings, None.

    It returns None for an object that nothing stands for.
    """
    def register(text: F) -> F:
        _VIEWS.update((cls, text) for cls in classes if cls is not None)      # None: not in this SciPy
        return text
    return register


def view_of(obj: Any) -> tuple[Any, ...] | None:
    """The constructor of the equivalent of an object, and its arguments; None if there is none."""
    cls = type(obj)
    if "scipy" not in sys.modules or not cls.__module__.startswith("scipy."):
        return None
    from .scipy import load
    load(cls)
    found: tuple[Any, ...] | None = _VIEWS[cls](obj) if cls in _VIEWS else None
    return found


def is_number(part: Any) -> bool:
    """Whether a part of an object is a number or an array of numbers; other parts are settings."""
    return isinstance(part, (float, complex, np.ndarray, np.floating, np.complexfloating))


def numbers_of(obj: Any) -> tuple[Any, ...]:
    """The numbers and arrays from which an object is constructed, in order."""
    found: list[Any] = []

    def visit(part: Any) -> None:
        if isinstance(part, (tuple, list)):
            for each in part:
                visit(each)
        elif is_number(part):
            found.append(part)
    made = view_of(obj)
    assert made is not None
    visit(made[1:])
    return tuple(found)


def view_key(obj: Any) -> Any:
    """The key of the code compiled for an object: its equivalent, its settings, and the types of its numbers."""

    def key(part: Any) -> Any:
        return tuple(map(key, part)) if isinstance(part, (tuple, list)) else key_of(part) if is_number(part) else (part,)
    made = view_of(obj)
    return None if made is None else (made[0], *map(key, made[1:]))
