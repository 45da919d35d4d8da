"""The reverse sweep of loops: what its turns compute of what is kept alone, and what they add up, is computed of all turns at once."""
from .ahead import compute_ahead
from .behind import add_up_behind

__all__ = ["add_up_behind", "compute_ahead"]
