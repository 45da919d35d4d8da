"""Batching: a function of one example becomes a function of a whole batch, whose first axis every batched value has."""
from . import indexing, products, reductions, shapes  # noqa: F401  they register their handlers
from .driver import batch
from .unsupported import CannotBatch

__all__ = ["CannotBatch", "batch"]
