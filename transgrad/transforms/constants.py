"""Arrays of other libraries that a function holds in globals, closures and defaults."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import TransgradError
from ..ir.libraries import Library, any_loaded, library_of, library_of_all, target
from ..ir.ops import Function, Lit, blocks_of, functions_of, operands_of, walk

__all__ = ["ConstantOfLibrary", "check_constants"]


class ConstantOfLibrary(TransgradError):
    """A function that is compiled for NumPy arrays holds an array of another library: it has to be compiled for that library."""

    def __init__(self, library: Library):
        self.library = library
        super().__init__(f"the function holds a {library.name} array")


def check_constants(fn: Function) -> None:
    """Find the library of the arrays that a function holds.

    Raises
    ------
    ConstantOfLibrary
        If the function is being compiled for NumPy arrays, and holds an array of another library.
    MixedLibraries
        If it holds arrays of libraries that do not work together.
    """
    if not any_loaded():
        return
    found = library_of_all(_constants(fn))
    if found is None:
        return
    own = target()
    if own is None:
        raise ConstantOfLibrary(found)


def _constants(fn: Function) -> Iterator[Any]:
    """The arrays of other libraries among the operands of a function and of those it calls."""
    for inner in functions_of(fn):
        for op in walk(inner.body):
            for o in (*operands_of(op), *(y for block in blocks_of(op) for y in block.yields)):
                if isinstance(o, Lit) and library_of(o.value) is not None:
                    yield o.value
        for y in inner.body.yields:
            if isinstance(y, Lit) and library_of(y.value) is not None:
                yield y.value
