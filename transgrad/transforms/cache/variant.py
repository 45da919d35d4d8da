"""A variant read from the cache; the compiler runs only for attributes that the file does not contain."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...ir.attributes import Guard
from ..argument_likeness import likeness, made_like
from ..guards import Guards
from ..variants import Variant

if TYPE_CHECKING:
    from ...emit.text import Module
    from ...ir.ops import Function

__all__ = ["StoredVariant"]


class StoredVariant(Variant):
    """As `Variant`; its IR is made when first asked for."""

    __slots__ = ("_again", "_compiled")

    def __init__(self, again: Callable[[Mapping[str, Any]], Variant], values: Mapping[str, Any], function: Callable[..., Any],
                 module: Module, entry: Mapping[str, Any], guards: list[Guard]):
        self.function, self.module, self.types, self.native = function, module, entry["types"], None
        self.parameters, self.on_floats = entry["parameters"], entry["on_floats"]
        self.guards = Guards(guards, module.names, entry["checks"])
        self._bind()
        self.backward = self.linear = self.uncached = None
        self._again = again
        self._compiled: Variant | None = None
        self.like: Mapping[str, Any] = likeness(values)

    def _as_compiled(self) -> Variant:
        if self._compiled is None:
            self._compiled = self._again(made_like(self.like))
        return self._compiled

    @property
    def ir(self) -> Function:  # type: ignore[override]
        return self._as_compiled().ir

    @property
    def primal(self) -> Function | None:  # type: ignore[override]
        return self._as_compiled().primal
