"""Scalar replacement of small arrays: elements of arrays of known length become Python floats, since creating such an array costs more than
computing with it.
"""
from .boundary import has_effects
from .driver import replace_numpy_scalars, scalarize_rows, scalarize_small_arrays

__all__ = ["has_effects", "replace_numpy_scalars", "scalarize_rows", "scalarize_small_arrays"]
