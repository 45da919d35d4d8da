"""Batching: transform a function of one example into a function of a batch, which is the first axis of every batched value."""
from . import indexing, products, reductions, shapes  # noqa: F401  they register their handlers
from .driver import batch
from .unsupported import CannotBatch

__all__ = ["CannotBatch", "batch"]
