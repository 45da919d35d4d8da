"""Analysis at run time: which entries of the results may depend on which entries of the arguments."""
from .entry import Dependencies, dependencies

__all__ = ["Dependencies", "dependencies"]
