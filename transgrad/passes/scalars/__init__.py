"""Small arrays of a known length become their elements, and those Python floats: building such an array costs more than computing
with it."""
from .entry import replace_small_arrays

__all__ = ["replace_small_arrays"]
