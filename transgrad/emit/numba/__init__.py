"""The back end that compiles generated code to machine code. Numba is imported on first use."""
from .compile import Native, compile

__all__ = ["Native", "compile"]
