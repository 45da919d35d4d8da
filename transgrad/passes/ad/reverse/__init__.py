"""Reverse mode: append the operations that propagate cotangents from the results of a function to its inputs."""
from .driver import reverse_body
from .result import ReverseResult

__all__ = ["ReverseResult", "reverse_body"]
