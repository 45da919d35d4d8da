"""Programs and their arguments."""
from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Program", "load", "program"]


@dataclass(frozen=True, slots=True)
class Program:
    """A function that is differentiated by its first argument."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def name(self) -> str:
        return self.f.__name__


_found: list[Program] = []


def program(*args: Any, **kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function to be called with these arguments."""
    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        _found.append(Program(f, args, kwargs))
        return f
    return register


def load() -> list[Program]:
    """Every program."""
    for name in ("arrays", "language"):
        importlib.import_module(f"{__package__}.{name}")
    return _found
