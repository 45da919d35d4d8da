"""What a function of the corpus is tried with: ``@case(args=..., wrt=...)`` above a plain function."""
from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

__all__ = ["ROWS", "Case", "case", "load"]

#: One module for each row of the table of Python that must compile, and for programs that are odd in one way or another.
ROWS = ("assignment", "branches", "loops", "exits", "try_with", "containers", "functions", "classes", "numpy_manner", "numpy_traps",
        "transgrad_itself", "passing_through", "found_by", "real_code", "broadcast_cotangents", "odd_arrays", "odd_containers", "odd_control",
        "odd_references", "odd_structures", "odd_functions", "idioms", "idioms_of_arrays",
        "placeholders", "changing_loops")

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Case:
    """A function with arguments.

    ``wrt`` are the positions of the differentiated arguments, ``step`` the step of the difference oracle, ``order`` the highest
    derivative that exists at this point, ``grad`` the expected gradient where differences cannot give it, ``twin`` a function
    that the oracles differentiate instead (with ``value`` False: one that differs in value).
    """

    f: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...] = (0,)
    kwargs: dict[str, Any] = field(default_factory=dict)
    step: float = 1e-3
    order: int = 2
    grad: Any = None
    rtol: float = 1e-6
    twin: Callable[..., Any] | None = None
    value: bool = True
    name: str = ""
    row: str = ""


_CASES: list[Case] = []


def case(*, args: Sequence[Any], name: str | None = None, **options: Any) -> Callable[[F], F]:
    """Registers a function, and returns it as it is."""
    row = sys._getframe(1).f_globals["__name__"].rpartition(".")[2]

    def register(f: F) -> F:
        _CASES.append(Case(f, tuple(args), name=name or f.__name__, row=row, **options))
        return f
    return register


def load() -> list[Case]:
    """All cases, in order."""
    for row in ROWS:
        importlib.import_module(f"tests.corpus.{row}")
    return list(_CASES)
