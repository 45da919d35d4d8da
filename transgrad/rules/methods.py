"""Spellings of rules that are found by name: methods of NumPy scalars, and attributes."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Rule, alias, lookup, table

__all__ = ["lookup_attribute"]

for _fn in table():
    if getattr(_fn, "__objclass__", None) is np.ndarray:
        alias(_fn, getattr(np.generic, _fn.__name__, None))

#: attribute of an array to the function that computes it
ATTRIBUTES: dict[str, Any] = {
    "T": np.transpose, "mT": getattr(np, "matrix_transpose", None), "real": np.real, "imag": np.imag, "flat": np.ravel,
}


def lookup_attribute(name: str) -> Rule | None:
    """The rule of an array's attribute."""
    return lookup(ATTRIBUTES.get(name))
