"""Programs with their arguments: ``@program(0.5, np.ones(3), given=lambda: [Env()])`` above a plain function.

The positional arguments are differentiated. ``given`` makes the arguments that follow them, which are not; ``outside`` returns the state
outside of the arguments that the program changes, and ``reset`` restores it.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["PROGRAMS", "Program", "program"]


def _nothing() -> Any:
    return []


@dataclass(frozen=True)
class Program:
    """A function with what it is called with."""

    f: Callable[..., Any]
    x: tuple[Any, ...]
    given: Callable[[], Any] = _nothing
    outside: Callable[[], Any] = _nothing
    reset: Callable[[], Any] = _nothing

    @property
    def name(self) -> str:
        return self.f.__name__


PROGRAMS: dict[str, Program] = {}


def program(*x: Any, given: Callable[[], Any] = _nothing, outside: Callable[[], Any] = _nothing,
            reset: Callable[[], Any] = _nothing) -> Callable[[Any], Any]:
    """Register a function with its arguments, and return it unchanged."""
    def register(f: Any) -> Any:
        assert f.__name__ not in PROGRAMS, f"two programs are called {f.__name__}"
        PROGRAMS[f.__name__] = Program(f, x, given, outside, reset)
        return f
    return register
