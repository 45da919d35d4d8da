"""Lowering to Numba: plain arguments, typed arrays for residuals, and loops for array expressions."""
from ..scalarize.functions import NotSmall
from .driver import prepare, reachable
from .small_functions import for_each_example, may_be_small, on_elements

__all__ = ["NotSmall", "for_each_example", "may_be_small", "on_elements", "prepare", "reachable"]
