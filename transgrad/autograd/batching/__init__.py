"""Functions of single examples, applied to a whole batch at once."""
from .gradients import batched_grad
from .transform import vmap
from .values import BatchedTensor

__all__ = ["BatchedTensor", "batched_grad", "vmap"]
