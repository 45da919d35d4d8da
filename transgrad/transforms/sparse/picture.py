"""Sparsity patterns that a notebook shows as pictures."""
from __future__ import annotations

from typing import Any

from scipy import sparse

from ...services import pattern_svg

__all__ = ["Pattern", "pictured"]


class Pattern(sparse.csr_array):  # type: ignore[misc]
    """A sparse array of bool with a picture."""

    def _repr_html_(self) -> str:
        found: str = pattern_svg(self)
        return found


def pictured(matrix: Any) -> Any:
    """A matrix as a `Pattern`; structures of several, item by item."""
    if isinstance(matrix, (list, tuple)):
        return type(matrix)(map(pictured, matrix))
    return Pattern(matrix) if getattr(matrix, "ndim", 0) == 2 else matrix
