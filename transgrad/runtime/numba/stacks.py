"""Arrays that grow with the loop that fills them."""
from __future__ import annotations

import numpy as np
from numba import njit

from ..stretch import borrowed

__all__ = ["grown", "grown_in"]


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def grown(items):
    """A copy with room for twice as many."""
    n = len(items)
    out = np.empty(2 * n, items.dtype)
    out[:n] = items
    return out


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def grown_in(owner, items):
    """The same, put in the place of the array that ``owner`` holds."""
    out = grown(items)
    owner[0] = out
    return borrowed(out)
