"""``torch.sparse``: products and sums of sparse Tensors."""
from .autograd.sparse import addmm, mm, sum

__all__ = ["addmm", "mm", "sum"]
