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
    if target() is None and (found.mixes or any(True for _ in _constants(fn, beside_varied=True))):
        raise ConstantOfLibrary(found)


def _constants(fn: Function, beside_varied: bool = False) -> Iterator[Any]:
    """The arrays of other libraries among the operands of a function and of those it calls; ``beside_varied`` leaves out those of
    operations that read nothing differentiated, which stay calls of the library."""
    for inner in functions_of(fn):
        for op in walk(inner.body):
            operands = (*operands_of(op), *(y for block in blocks_of(op) for y in block.yields))
            if beside_varied and not any(o.varied for o in operands):
                continue
            for o in operands:
                if isinstance(o, Lit) and library_of(o.value) is not None:
                    yield o.value
        for y in inner.body.yields:
            if isinstance(y, Lit) and library_of(y.value) is not None:
                yield y.value
