"""The back end that compiles the text to machine code.  Numba is imported when something is compiled for it."""
from .compile import Native, compile

__all__ = ["Native", "compile"]
