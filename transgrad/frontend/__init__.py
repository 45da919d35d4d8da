"""Python to IR: finds the source of a function, and lowers it for the types of its arguments."""
from .domain.abstract import ANYTHING
from .entry import lower
from .refusals import limitations_markdown

__all__ = ["ANYTHING", "limitations_markdown", "lower"]
