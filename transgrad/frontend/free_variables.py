"""Free variables that a function reads when it runs, instead of constants of the generated code.

Functions that one ``def`` or ``lambda`` makes at each call have the same code and other closure cells. Where the cells hold numbers or
arrays that differ from one function to the next, the generated code reads these cells when it runs, under a guard for the type of their
contents. The code is then valid for every such function.
"""
from __future__ import annotations

import contextlib
import contextvars
import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .context import Attribute

if TYPE_CHECKING:
    from .context import Program

__all__ = ["read_free_variables", "reading_at_run_time"]

#: the cells that are read at run time, with the names of their variables
_CELLS: contextvars.ContextVar[tuple[tuple[str, types.CellType], ...]] = contextvars.ContextVar("cells read at run time", default=())


@contextlib.contextmanager
def reading_at_run_time(cells: Iterable[tuple[str, types.CellType]]) -> Iterator[None]:
    """Read these closure cells at run time in the functions that are lowered in this context."""
    token = _CELLS.set(tuple(cells))
    try:
        yield
    finally:
        _CELLS.reset(token)


def read_free_variables(program: Program) -> None:
    """Declare the cells that a program reads at run time, before it is lowered."""
    for name, cell in _CELLS.get():
        program.sites[Attribute(cell), "cell_contents"] = None
        program.free[id(cell)] = name
        program.writes_variables = True
