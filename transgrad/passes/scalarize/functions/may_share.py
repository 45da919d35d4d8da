"""Arrays that are one of two candidates, and which of these a write does not reach."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["Shared"]


class Shared:
    """Of ``c = a if t else b``, written out, ``c`` is an array of its own: a write to one of them would be one to another."""

    def __init__(self) -> None:
        self._merged: list[tuple[np.ndarray, list[np.ndarray]]] = []
        self._stale: list[np.ndarray] = []

    def merge(self, out: np.ndarray, sides: Sequence[Any]) -> None:
        """Record that ``out`` is the one or the other."""
        self._merged.append((out, [a for a in sides if isinstance(a, np.ndarray)]))

    def wrote(self, array: np.ndarray) -> None:
        """Record a write."""
        for out, sides in self._merged:
            if np.may_share_memory(array, out):
                self._stale += sides
            if any(np.may_share_memory(array, side) for side in sides):
                self._stale.append(out)

    def is_stale(self, x: Any) -> bool:
        """Whether a write has made an operand, or one of its items, stale."""
        if not self._stale:
            return False
        if isinstance(x, (list, tuple)):
            return any(map(self.is_stale, x))
        return isinstance(x, np.ndarray) and any(np.may_share_memory(x, s) for s in self._stale)
