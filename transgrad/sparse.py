"""``torch.sparse``: products, sums and softmax of sparse Tensors."""
from typing import TYPE_CHECKING

from .absent import refusing
from .autograd.sparse import addmm, as_sparse_gradcheck, log_softmax, mm, softmax, spdiags, sum

__all__ = ["addmm", "as_sparse_gradcheck", "log_softmax", "mm", "softmax", "spdiags", "sum"]

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.sparse")
