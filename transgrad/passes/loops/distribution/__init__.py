"""Loop distribution (fission): compute the part of a loop body without loop-carried dependences for all iterations at once."""
from .driver import distribute_loops

__all__ = ["distribute_loops"]
