"""Optimization of reverse loops: vectorize derivatives that depend only on saved values, sink reductions, hoist invariant views."""
from .hoist_views import hoist_array_views
from .sink_reductions import sink_loop_reductions
from .vectorize_local_derivatives import vectorize_derivatives

__all__ = ["sink_loop_reductions", "vectorize_derivatives", "hoist_array_views"]
