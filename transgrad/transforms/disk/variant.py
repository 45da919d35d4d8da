"""A variant read from a file: it runs without the compiler, which is asked only for what the file does not have."""
from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import tree
from ..guards import Guards
from ..variants import Variant

if TYPE_CHECKING:
    from ...emit.text import Module
    from ...ir.ops import Function
    from ..derivative import Derivative

__all__ = ["StoredVariant"]


class StoredVariant(Variant):
    """As `Variant`; its IR is made when first asked for."""

    __slots__ = ("_compiled", "_derivative", "_like")

    def __init__(self, derivative: Derivative, values: Mapping[str, Any], function: Callable[..., Any], module: Module,
                 entry: Mapping[str, Any], guards: list[tuple[Any, ...]]):
        self.function, self.module, self.types, self.native = function, module, entry["types"], None
        self.parameters, self.on_floats = entry["parameters"], entry["on_floats"]
        self.guards = Guards(guards, module.names, entry["checks"])
        self._bind()
        self.backward = self.linear = None
        self._derivative = derivative
        self._compiled: Variant | None = None
        # the arguments themselves would be kept alive
        self._like = {name: _mapped(_shape_of, value) for name, value in values.items()}

    def _as_compiled(self) -> Variant:
        if self._compiled is None:
            values = {name: _mapped(_made, x) for name, x in self._like.items()}
            self._compiled = self._derivative._compile(values)
        return self._compiled

    @property
    def ir(self) -> Function:  # type: ignore[override]
        return self._as_compiled().ir

    @property
    def primal(self) -> Function | None:  # type: ignore[override]
        return self._as_compiled().primal


def _mapped(fn: Callable[[Any], Any], value: Any) -> Any:
    return tree.map_leaves(fn, value) if tree.is_node(value) else fn(value)


class _Like:
    """Stands for an array."""

    __slots__ = ("dtype", "fortran", "shape")

    def __init__(self, x: np.ndarray[Any, Any]):
        self.shape, self.dtype, self.fortran = x.shape, x.dtype, x.flags.fnc


def _shape_of(x: Any) -> Any:
    return _Like(x) if isinstance(x, np.ndarray) else copy.copy(x) if isinstance(x, (set, bytearray)) else x


def _made(x: Any) -> Any:
    return np.zeros(x.shape, x.dtype, order="F" if x.fortran else "C") if isinstance(x, _Like) else x
