"""Sparsity patterns that a notebook shows as pictures."""
from __future__ import annotations

from typing import Any

from scipy import sparse

__all__ = ["Pattern", "pictured"]


class Pattern(sparse.csr_array):  # type: ignore[misc]
    """A sparse array of bool with a picture."""

    def _repr_html_(self) -> str:
        from ...view.pictures import pattern_svg
        return pattern_svg(self)


def pictured(matrix: Any) -> Any:
    """A matrix as a `Pattern`; structures of several, item by item."""
    if isinstance(matrix, (list, tuple)):
        return type(matrix)(map(pictured, matrix))
    return Pattern(matrix) if getattr(matrix, "ndim", 0) == 2 else matrix
