"""The reverse sweep of loops: what its turns compute of what is kept alone, and what they add up, is computed of all turns at once;
and what is the same in all turns of both sweeps is read once."""
from .hoist_views import take_views_once
from .sink_reductions import add_up_behind
from .vectorize_local_derivatives import compute_ahead

__all__ = ["add_up_behind", "compute_ahead", "take_views_once"]
