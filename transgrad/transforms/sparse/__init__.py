"""Sparse Jacobians and Hessians: where the non-zeros may be, and their values from a few products with sums of columns."""
from .api import sparse_hessian, sparse_jacobian
from .derivative import SparseDerivative

__all__ = ["SparseDerivative", "sparse_hessian", "sparse_jacobian"]
