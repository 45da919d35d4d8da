"""The forward sweep for many directions, where each value is computed for those directions alone that can move it."""
from .entry import spanned

__all__ = ["spanned"]
