"""Small arrays of a known length become their elements, and those Python floats: building such an array costs more than computing
with it."""
from .boundary import has_effects
from .driver import replace_numpy_scalars, replace_rows, replace_small_arrays

__all__ = ["has_effects", "replace_numpy_scalars", "replace_rows", "replace_small_arrays"]
