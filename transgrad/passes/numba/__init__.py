"""From IR to IR that a compiler of machine code takes: plain arguments, arrays for residuals, loops for array expressions."""
from ..scalarize.functions import NotSmall
from .driver import prepare, reachable
from .small_functions import for_each_example, may_be_small, on_elements

__all__ = ["NotSmall", "for_each_example", "may_be_small", "on_elements", "prepare", "reachable"]
