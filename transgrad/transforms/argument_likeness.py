"""Arguments of the same types and shapes as others, which need not be kept alive."""
from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import tree

__all__ = ["likeness", "made_like"]


class _Like:
    """Stands for an array."""

    __slots__ = ("dtype", "fortran", "shape")

    def __init__(self, x: np.ndarray[Any, Any]):
        self.shape, self.dtype, self.fortran = x.shape, x.dtype, x.flags.fnc


def likeness(values: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of arguments from which similar ones can be created."""
    return {name: _mapped(_shape_of, value) for name, value in values.items()}


def made_like(like: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments like others, with zeros in their arrays."""
    return {name: _mapped(_made, x) for name, x in like.items()}


def _mapped(fn: Any, value: Any) -> Any:
    return tree.map_leaves(fn, value) if tree.is_node(value) else fn(value)


def _shape_of(x: Any) -> Any:
    return _Like(x) if isinstance(x, np.ndarray) else copy.copy(x) if isinstance(x, (set, bytearray)) else x


def _made(x: Any) -> Any:
    return np.zeros(x.shape, x.dtype, order="F" if x.fortran else "C") if isinstance(x, _Like) else x
