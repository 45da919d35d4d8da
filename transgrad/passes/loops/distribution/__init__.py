"""Loop distribution: what the turns of a loop compute and hand to no other turn is computed of all turns at once."""
from .driver import distribute_loops

__all__ = ["distribute_loops"]
