"""Scalar promotion: carry array elements that a loop reads again, in this iteration or the next, in scalar variables."""
from .rewrite import carry_elements

__all__ = ["carry_elements"]
