"""Norms of vectors and matrices, as `torch.linalg` names them."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Tensor, wrap
from .arguments import dims_of
from .linalg import LINALG, cutoff, inv_ex, linalg, matrices, singular_values, svdvals
from .reductions import vector_norm as norm_call
from .table import op


@linalg()
def vector_norm(self: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of all elements, or of vectors along dimensions."""
    self = self if dtype is None else self.to(dtype)
    if not dtypes.is_differentiable(self.dtype):
        raise RuntimeError(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {dtypes.title(self.dtype)}")
    return norm_call(self, ord, dim, keepdim)


@linalg()
def matrix_norm(self: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of matrices along two dimensions."""
    self = self if dtype is None else self.to(dtype)
    rows, columns = dims_of(dim, self.ndim)
    if ord == "fro":
        return vector_norm(self, 2, (rows, columns), keepdim)
    if ord in ("nuc", 2, -2):
        values = svdvals(self.movedim((rows, columns), (-2, -1)))
        found = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord > 0 else values.amin(-1)
        return found if not keepdim else found.reshape([1 if k in (rows, columns) else n for k, n in enumerate(self.shape)])
    if isinstance(ord, str) or abs(ord) not in (1, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    along, across = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = vector_norm(self, 1, along, True).run()
    found = sums.amax((along, across), keepdim) if ord > 0 else sums.amin((along, across), keepdim)
    return found


@linalg()
def norm(self: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of a vector or matrix, by the number of dimensions."""
    if ord is not None and (isinstance(ord, str) or (isinstance(dim, (tuple, list)) and len(dim) == 2) or dim is None and self.ndim == 2):
        return matrix_norm(self, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(self, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


@linalg()
def cond(self: Tensor, p: Any = None) -> Any:
    """The condition number in a norm."""
    if p is None or p in (2, -2):
        values = svdvals(self)
        ratio = values[..., 0] / values[..., -1]
        return ratio if p != -2 else 1 / ratio
    inverse, info = inv_ex(self)
    found = LINALG["matrix_norm"](self, p) * LINALG["matrix_norm"](inverse, p)
    return found if not info._array.any() else found.masked_fill(info > 0, math.inf)


@linalg()
def matrix_rank(self: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """The number of singular values above ``max(atol, rtol * largest)``; ``tol`` is an ``atol``."""
    a = matrices("linalg.matrix_rank", self, square=False)
    if not a.numel():
        return wrap(np.zeros(a.shape[:-2], np.int64))
    values = singular_values(a._array, hermitian)
    lost = cutoff(values, a, rtol, tol if atol is None else atol) * values[..., 0]
    return wrap(np.asarray(np.sum(values > lost[..., None], axis=-1)))


@op(method=False)
def frobenius_norm(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The square root of the sum of squares."""
    return norm_call(self, 2, dim, keepdim)


@op(method=False)
def nuclear_norm(self: Tensor, dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """The sum of the singular values."""
    return matrix_norm(self, "nuc", dim, keepdim)
