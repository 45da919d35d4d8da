"""Block-sparse forward mode: carry each tangent only for the directions in which it is not zero."""
from .entry import spanned

__all__ = ["spanned"]
