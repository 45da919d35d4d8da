"""Where an index is in an array."""
from __future__ import annotations

from numba import njit

__all__ = ["place"]


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def place(i, n):
    """``i``, counted from the front of ``n`` elements."""
    if i < -n or i >= n:
        raise IndexError("index is out of bounds")
    return i + n if i < 0 else i
