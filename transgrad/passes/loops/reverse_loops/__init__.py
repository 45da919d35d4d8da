"""Optimization of reverse loops: vectorize derivatives that depend only on saved values, sink reductions, hoist invariant views."""
from .hoist_views import take_views_once
from .sink_reductions import add_up_behind
from .vectorize_local_derivatives import compute_ahead

__all__ = ["add_up_behind", "compute_ahead", "take_views_once"]
