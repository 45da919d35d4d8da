"""The reverse sweep of loops: what its turns compute of what is kept alone, and what they add up, is computed of all turns at once;
and what is the same in all turns of both sweeps is read once."""
from .ahead import compute_ahead
from .behind import add_up_behind
from .views import take_views_once

__all__ = ["add_up_behind", "compute_ahead", "take_views_once"]
