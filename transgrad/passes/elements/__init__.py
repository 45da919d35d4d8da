"""Functions of small arrays whose lengths are known, written out on their elements.

Where an element is a number of machine code, see ``passes.native.each``; where it is a column with that element of each example of
a batch, ``columns``.
"""
from .columns import TooFew, by_columns
from .element import Element, NotSmall, operand_of
from .paths import write_paths
from .run import Step

__all__ = ["Element", "NotSmall", "Step", "TooFew", "by_columns", "operand_of", "write_paths"]
