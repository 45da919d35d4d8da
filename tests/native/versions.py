"""What the installed version of Numba compiles; older ones lack some forms of indexing, and refuse them."""
from __future__ import annotations

import functools

import numpy as np


@functools.cache
def takes_index_arrays() -> bool:
    """Return whether several arrays of indices may stand beside a slice."""
    import numba
    from numba.core.errors import TypingError

    @numba.njit
    def part(x, i):
        return x[:, i, i]
    try:
        part(np.zeros((2, 3, 3)), np.array([0, 1]))
    except TypingError:
        return False
    return True
