"""Sparse Tensors and sparse gradients, on SciPy's sparse arrays."""
from . import beside
from .checking import as_sparse_gradcheck
from .creation import sparse_coo_tensor, spdiags, to_sparse
from .layouts import layout, sparse_coo, strided
from .operations import addmm, mm, smm, sum
from .rows import embedding, gather_sparse
from .shapes import log_softmax, softmax
from .tensor import SparseTensor

spmm = dsmm = mm

__all__ = [
    "SparseTensor", "addmm", "as_sparse_gradcheck", "beside", "dsmm", "embedding", "gather_sparse", "layout", "log_softmax", "mm", "smm",
    "softmax", "sparse_coo", "sparse_coo_tensor", "spdiags", "spmm", "strided", "sum", "to_sparse",
]
