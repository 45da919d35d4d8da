"""What `Derivative.explain` says: what was compiled, which values are active, which are saved."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["explain"]


def explain(derivative: Derivative) -> str:
    """A text of a few lines for each variant."""
    return "\n".join(repr(v) for v in derivative.variants)
