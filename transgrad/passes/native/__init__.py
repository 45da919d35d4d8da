"""From IR to IR that a compiler of machine code takes: plain arguments, arrays for residuals, loops for array expressions."""
from .driver import prepare, reachable

__all__ = ["prepare", "reachable"]
