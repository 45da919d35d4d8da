"""Classification of the functions of numpy.linalg."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "numpy.linalg",
    differentiable="""
        cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power matrix_transpose
        multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm
    """,
    constant="matrix_rank",
    refused={"it runs NumPy's own tests": "test"},
),)
