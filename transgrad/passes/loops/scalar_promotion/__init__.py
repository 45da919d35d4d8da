"""Scalar promotion: carry array elements that a loop reads again, in this iteration or the next, in scalar variables."""
from .rewrite import promote_scalars

__all__ = ["promote_scalars"]
