"""Functions whose derivative is zero wherever they have one, and those that answer from shapes and types: from the classes."""
from __future__ import annotations

import numpy as np

from ..ir.prims import grid
from .classes import Namespace, namespaces
from .registry import constant

__all__ = ["register"]


def register(namespace: Namespace) -> None:
    """Register the constant and structural functions of a namespace (no types of its structural ones, which hold anything)."""
    for entry in namespace.entries():
        value = entry.value
        if entry.kind == "constant" and callable(value) or entry.kind == "structural" and callable(value) and not isinstance(value, type):
            constant(value)


for _namespace in namespaces():
    if not _namespace.name.startswith("numpy.random"):      # a generator's methods have effects
        register(_namespace)
constant(np.logical_and.reduce, np.logical_or.reduce, np.ndarray.__len__, float.is_integer, float.hex, float.as_integer_ratio, grid)
