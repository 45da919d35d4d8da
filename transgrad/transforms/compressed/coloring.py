"""Colours for the columns of a sparse matrix, so that those of one colour can be found by one product.

Sets of colours are the bits of integers, which makes the greedy choice, the lowest colour not forbidden, two operations.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["columns", "star"]

Colors = NDArray[np.intp]


def columns(pattern: Any) -> Colors:
    """Colours such that two columns with an entry in the same row differ.

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
    """Colours for a symmetric matrix, of which every entry is then found in the product of its row or of its column.

    Neighbours differ, and no path of four vertices has two colours alone.  The greedy choice does a little more: where the ends of
    a path of three have the same colour, the one between them has a lower one.  Vertices of many neighbours come first,
    so that the rest may share a colour around them: an arrowhead needs two.

    Parameters
    ----------
    pattern : csr_array
        The places of the non-zeros, symmetric.
    """
    starts, others = pattern.indptr.tolist(), pattern.indices.tolist()
    count = pattern.shape[0]
    colors = [-1] * count
    around = [0] * count        # the colours of the neighbours so far
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
