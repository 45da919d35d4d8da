"""Types as a callee sees them: its own names for the lengths of its arguments, so that calls alike share one variant."""
from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ...ir.infer import excluded_length
from ...ir.types import Dim, Type, map_dims

__all__ = ["Lengths", "static_key"]


class Lengths:
    """Rename the lengths of a call's arguments in the order of their first occurrence, and back.

    ``recursive`` calls make no shape assumptions: the entry checks for its own arguments that ``a[1:]`` does not have one element, which
    says nothing about the last argument of a function that calls itself with ``a[1:]``.
    """

    def __init__(self, recursive: bool = False) -> None:
        self.recursive = recursive
        self.names: dict[tuple[Hashable, int], int] = {}
        self.back: dict[int, tuple[Hashable, int]] = {}

    def into(self, dim: Dim) -> Dim:
        if dim.sym is None:
            return dim
        if isinstance(dim.sym, tuple) and dim.sym[:1] == ("<const>",):
            return dim
        if self.recursive and excluded_length(dim) is not None:
            dim = Dim(None, dim.sym, dim.off)
        key = (dim.sym, dim.off)
        if key not in self.names:
            self.names[key] = len(self.names)
            self.back[self.names[key]] = key
        return Dim(dim.one, ("<arg>", self.names[key]), 0)

    def out(self, dim: Dim) -> Dim:
        if isinstance(dim.sym, tuple) and dim.sym[:1] == ("<arg>",):
            sym, off = self.back[dim.sym[1]]
            return Dim(dim.one, sym, off + dim.off)
        return dim if dim.sym is None or isinstance(dim.sym, tuple) and dim.sym[:1] == ("<const>",) else Dim(dim.one)

    def call(self, t: Type) -> Any:
        return map_dims(t, self.into)

    def result(self, t: Type) -> Any:
        return map_dims(t, self.out)


def static_key(value: Any) -> Any:
    """A hashable key for an object known at compile time."""
    if isinstance(value, slice):
        return "slice", static_key(value.start), static_key(value.stop), static_key(value.step)
    if isinstance(value, tuple):
        return type(value), tuple(map(static_key, value))
    if isinstance(value, (int, float, complex)):
        return type(value), repr(value)
    if isinstance(value, (str, bytes, type)):
        return type(value), value
    return "id", id(value)


