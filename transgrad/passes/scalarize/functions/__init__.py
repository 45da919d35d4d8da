"""Scalar replacement in whole functions of small arrays whose lengths are known.

An element is a number of machine code (`passes.numba.small_functions`), or a column with that element of each example of a batch
(`columns`).
"""
from .columns import TooFew, by_columns
from .element import Element, NotSmall, operand_of
from .interpreter import Step
from .paths import write_paths

__all__ = ["Element", "NotSmall", "Step", "TooFew", "by_columns", "operand_of", "write_paths"]
