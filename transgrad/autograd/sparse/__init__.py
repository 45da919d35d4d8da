"""Sparse Tensors and sparse gradients, on SciPy's sparse arrays."""
from .creation import sparse_coo_tensor, to_sparse
from .layouts import layout, sparse_coo, strided
from .operations import addmm, mm, sum
from .rows import embedding, gather_sparse
from .tensor import SparseTensor

__all__ = [
    "SparseTensor", "addmm", "embedding", "gather_sparse", "layout", "mm", "sparse_coo", "sparse_coo_tensor", "strided", "sum",
    "to_sparse",
]
