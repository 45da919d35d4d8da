"""The bridge between compiler and tape: plain NumPy functions run on the tape, and compiled functions as nodes of it."""
from . import writers  # noqa: F401 (completes the class)
from .array import TapedArray
from .lift import lifted

__all__ = ["TapedArray", "lifted"]
