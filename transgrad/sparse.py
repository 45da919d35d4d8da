"""``torch.sparse``: products, sums and softmax of sparse Tensors."""
from .autograd.sparse import addmm, log_softmax, mm, softmax, sum

__all__ = ["addmm", "log_softmax", "mm", "softmax", "sum"]
