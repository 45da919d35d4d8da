"""Sets of inputs as nodes of a graph: a union costs its operands, not their elements, until the elements are requested."""
from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Graph", "Ids"]

#: A node for each entry of an array, or the node of a number.  Node 0 is the empty set.
Ids = Any


class Graph:
    """Nodes 1 … ``inputs`` are the inputs; every later one is the union of earlier ones.

    Attributes
    ----------
    decided : bool
        Whether something was decided by values that may differ at the next call: a branch, an index, the length of a loop.
    """

    def __init__(self, inputs: int):
        self.inputs = inputs
        self.parents: list[tuple[int, ...]] = [()] * (inputs + 1)
        self.decided = False

    def node(self, members: Iterable[int]) -> int:
        """The union of nodes."""
        found = set(members)
        found.discard(0)
        if len(found) < 2:
            return found.pop() if found else 0
        self.parents.append(tuple(found))
        return len(self.parents) - 1

    def all_of(self, *ids: Ids) -> int:
        """The union of every node in arrays of them."""
        return self.node(chain.from_iterable((i,) if isinstance(i, int) else np.unique(i).tolist() for i in ids))

    def union(self, a: Ids, b: Ids) -> Ids:
        """The unions of the nodes of two arrays, entry by entry; they broadcast."""
        if isinstance(a, int) and isinstance(b, int):
            if a == b or not b:
                return a
            if not a:
                return b
            self.parents.append((a, b))
            return len(self.parents) - 1
        left, right = np.broadcast_arrays(a, b)
        out = np.where(left == 0, right, left)
        both = (left != 0) & (right != 0) & (left != right)
        if both.any():
            first = len(self.parents)
            self.parents.extend(zip(left[both].tolist(), right[both].tolist()))
            out[both] = np.arange(first, len(self.parents))
        return out

    def along(self, ids: NDArray[np.intp], axis: int | tuple[int, ...] | None, keepdims: bool = False) -> Ids:
        """The unions along axes, as a reduction makes them."""
        axes = tuple(range(ids.ndim)) if axis is None else tuple(a % ids.ndim for a in np.atleast_1d(axis).tolist())
        kept = [a for a in range(ids.ndim) if a not in axes]
        rows = ids.transpose(*kept, *axes).reshape(*(ids.shape[a] for a in kept), -1)
        shape = rows.shape[:-1]
        nodes = [self.node(row) for row in rows.reshape(int(np.prod(shape)), -1).tolist()]
        if keepdims:
            shape = tuple(1 if a in axes else n for a, n in enumerate(ids.shape))
        return np.array(nodes, np.intp).reshape(shape) if shape else nodes[0]

    def running(self, ids: NDArray[np.intp], axis: int | None) -> NDArray[np.intp]:
        """The unions of each entry with those before it along an axis, as a cumulative sum makes them."""
        out = ids.reshape(-1).copy() if axis is None else ids.copy()
        steps = np.moveaxis(out, 0 if axis is None else axis, 0)
        for k in range(1, len(steps)):
            steps[k] = self.union(steps[k - 1], steps[k])
        return out

    def elements(self, wanted: list[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The inputs (counted from 0) on which some nodes depend: the cumulative counts, and the inputs in order."""
        needed = bytearray(len(self.parents))
        for node in wanted:
            needed[node] = 1
        for node in range(max(wanted, default=0), self.inputs, -1):
            if needed[node]:
                for parent in self.parents[node]:
                    needed[parent] = 1
        sets: dict[int, frozenset[int]] = {k: frozenset((k - 1,)) for k in range(1, self.inputs + 1) if needed[k]}
        sets[0] = frozenset()
        for node in range(self.inputs + 1, len(self.parents)):
            if needed[node]:
                first, *rest = self.parents[node]
                sets[node] = sets[first].union(*(sets[p] for p in rest))
        found = [sorted(sets[node]) for node in wanted]
        starts = np.concatenate(([0], np.cumsum([len(row) for row in found], dtype=np.intp)))
        return starts, np.fromiter(chain.from_iterable(found), np.intp, int(starts[-1]))
