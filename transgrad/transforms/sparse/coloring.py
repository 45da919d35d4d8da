"""Color the columns of a sparse matrix, so that one product recovers the columns of one color.

Sets of colors are the bits of integers, so that the greedy choice, the lowest color not forbidden, takes two operations.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["columns", "star"]

Colors = NDArray[np.intp]


def columns(pattern: Any) -> Colors:
    """Color the columns so that two columns with an entry in the same row differ (distance-2 coloring).

    Parameters
    ----------
    pattern : csc_array
        The places of the non-zeros.
    """
    starts, rows = pattern.indptr.tolist(), pattern.indices.tolist()
    met = [0] * pattern.shape[0]
    colors = np.zeros(pattern.shape[1], np.intp)
    for j in range(pattern.shape[1]):
        forbidden = 0
        for i in rows[starts[j]:starts[j + 1]]:
            forbidden |= met[i]
        color = _lowest(forbidden)
        colors[j] = color
        for i in rows[starts[j]:starts[j + 1]]:
            met[i] |= 1 << color
    return colors


def star(pattern: Any) -> Colors:
    """Color a symmetric matrix so that each entry can be read from the product of its row or of its column (star coloring).

    Neighbors differ, and every path of four vertices has at least three colors.  The greedy choice is slightly stronger: if the ends
    of a path of three have the same color, the vertex between them has a lower one.  Vertices of high degree come first,
    so that the others can share a color: an arrowhead matrix needs two.

    Parameters
    ----------
    pattern : csr_array
        The places of the non-zeros, symmetric.
    """
    starts, others = pattern.indptr.tolist(), pattern.indices.tolist()
    count = pattern.shape[0]
    colors = [-1] * count
    around = [0] * count        # the colors of the neighbors so far
    for v in np.argsort(-np.diff(pattern.indptr), kind="stable").tolist():
        forbidden = 0
        neighbours = [w for w in others[starts[v]:starts[v + 1]] if w != v]
        for w in neighbours:
            if colors[w] < 0:
                forbidden |= around[w]
            else:
                own = 1 << colors[w]
                forbidden |= own | around[w] & (own - 1)
        colors[v] = color = _lowest(forbidden)
        for w in neighbours:
            around[w] |= 1 << color
    return np.array(colors, np.intp)


def _lowest(forbidden: int) -> int:
    """The lowest bit that is not set."""
    return (~forbidden & (forbidden + 1)).bit_length() - 1
