"""What a loop over elements does to one of them, where Python has no expression for it."""
from __future__ import annotations

from numba import njit

__all__ = ["add_in_any_order", "maximum", "minimum", "select", "sign"]

_compiled = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


@njit(fastmath={"reassoc", "nsz"})
def add_in_any_order(total, x):
    """A sum whose terms may be added in any order, several at once."""
    return total + x


@_compiled
def select(condition, x, y):
    """``x`` where the condition holds, else ``y``."""
    return x if condition else y


@_compiled
def maximum(x, y):
    """The larger; NaN where one is NaN."""
    return x if x >= y or x != x else y


@_compiled
def minimum(x, y):
    """The smaller; NaN where one is NaN."""
    return x if x <= y or x != x else y


@_compiled
def sign(x):
    """-1, 0 or 1; NaN of NaN."""
    return x * 0 + 1 if x > 0 else x * 0 - 1 if x < 0 else x
