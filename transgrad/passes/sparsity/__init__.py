"""Sparsity patterns by abstract interpretation: the entries of the arguments on which each entry of the results may depend."""
from .entry import Dependencies, dependencies

__all__ = ["Dependencies", "dependencies"]
