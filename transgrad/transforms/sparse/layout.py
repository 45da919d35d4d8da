"""Arguments and results as vectors: every entry of every leaf has a place in order."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import tree
from ..arguments import Slot, pick
from ..seeds import is_active

__all__ = ["Layout", "starts_of"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The leaves of a structure, concatenated.

    Attributes
    ----------
    form : Structure
        The structure.
    leaves : list
        Its leaves.
    """

    form: tree.Structure
    leaves: list[Any]

    @classmethod
    def of(cls, value: Any) -> Layout:
        """The layout of a value."""
        leaves, form = tree.flatten(value)
        return cls(form, leaves)

    @property
    def size(self) -> int:
        """How many entries there are, in leaves that carry a derivative."""
        return sum(np.size(leaf) for leaf in self.leaves if is_active(leaf))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The common dtype of these leaves."""
        return np.result_type(*(np.asarray(leaf).dtype for leaf in self.leaves if is_active(leaf)))

    def cut(self, vector: NDArray[Any]) -> Any:
        """A vector in this structure."""
        out, start = [], 0
        for leaf in self.leaves:
            if is_active(leaf):
                stop = start + np.size(leaf)
                out.append(vector[start:stop].reshape(np.shape(leaf)))
                start = stop
            else:
                out.append(leaf)
        return tree.unflatten(self.form, out)

    @staticmethod
    def join(value: Any) -> NDArray[Any]:
        """The entries of a structure as a vector."""
        return np.concatenate([np.ravel(leaf) for leaf in tree.flatten(value)[0] if is_active(leaf)] or [np.zeros(0)])


def starts_of(values: Mapping[str, Any], slots: Sequence[Slot]) -> tuple[dict[str, list[int | None]], list[int]]:
    """For each leaf of each differentiated parameter where its entries start (None: it has no place), and where each slot does."""
    found: dict[str, list[int | None]] = {}
    bounds, start = [0], 0
    for slot in slots:
        places: list[int | None] = []
        for leaf in tree.flatten(pick(values, slot))[0]:
            places.append(start if is_active(leaf) else None)
            start += np.size(leaf) if is_active(leaf) else 0
        bounds.append(start)
        if slot.key is None:
            found[slot.name] = places
            continue
        whole = found.setdefault(slot.name, [None] * len(tree.flatten(values[slot.name])[0]))
        before = len(tree.flatten(tuple(values[slot.name])[:slot.key])[0]) if isinstance(slot.key, int) else \
            sum(len(tree.flatten(values[slot.name][key])[0]) for key in sorted(values[slot.name]) if key < slot.key)
        whole[before:before + len(places)] = places
    return found, bounds
