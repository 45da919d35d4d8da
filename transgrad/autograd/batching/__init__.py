"""Functions of single examples, applied to a whole batch at once."""
from .transform import vmap
from .values import BatchedTensor

__all__ = ["BatchedTensor", "vmap"]
