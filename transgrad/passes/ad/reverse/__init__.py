"""Reverse mode: appends to a function the operations that carry cotangents from its results back to its inputs."""
from .driver import reverse_body
from .result import ReverseResult

__all__ = ["ReverseResult", "reverse_body"]
