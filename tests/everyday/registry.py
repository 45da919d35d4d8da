"""Programs with arguments: ``@program(*args)`` above a plain function; it is differentiated with respect to all of them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["PROGRAMS", "program"]

PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def program(*args: Any) -> Callable[[Any], Any]:
    """Registers a function, and returns it as it is."""
    def register(f: Any) -> Any:
        PROGRAMS.append((f, args))
        return f
    return register
