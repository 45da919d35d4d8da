"""Sums, means, products, moments and norms along dimensions."""
from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import dtypes
from ..functions import distances, moments, norms, softmax, sums
from ..tensor import Tensor, wrap
from ..warned import warn
from ..wording import refuse_booleans
from .arguments import dim_of, dims_of, every
from .table import call, op


def summable(self: Tensor, dtype: Any) -> tuple[Tensor, Any]:
    """The tensor in the dtype that is asked for, and the dtype of sums of integers."""
    if dtype is not None:
        return self.to(dtype), None
    return self, np.dtype(np.int64) if self.dtype.kind in "iub" else None


@op()
def sum_(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of all elements, or along dimensions."""
    self, kind = summable(self, dtype)
    if dim is None and not keepdim and kind is None:
        return call(sums.sum_all, self)
    return call(sums.sum_dim, self, dims_of(dim, self.ndim), kind, None, keepdim)


@op()
def nansum(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of the elements that are numbers."""
    self, kind = summable(self, dtype)
    return call(np.nansum, self, dims_of(dim, self.ndim), kind, None, keepdim)


def floating(name: str, self: Tensor) -> None:
    """RuntimeError for integers, of which there is no mean."""
    if not dtypes.is_differentiable(self.dtype):
        raise RuntimeError(f"{name}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
                           f"{dtypes.title(self.dtype)}")


@op()
def mean(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of all elements, or along dimensions."""
    self = self if dtype is None else self.to(dtype)
    floating("mean", self)
    if dim is None and not keepdim:
        return call(sums.mean_all, self)
    return call(sums.mean_dim, self, dims_of(dim, self.ndim), None, None, keepdim)


@op()
def nanmean(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of the elements that are numbers."""
    self = self if dtype is None else self.to(dtype)
    floating("nanmean", self)
    axis = dims_of(dim, self.ndim)
    return self.nansum(axis, keepdim) / wrap(np.sum(~np.isnan(self._array), axis=axis, keepdims=keepdim).astype(self.dtype))


@op()
def prod(self: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The product of all elements, or along a dimension."""
    self, kind = summable(self, dtype)
    if dim is None:
        return call(sums.prod_all, self) if kind is None else call(sums.prod_dim, self, None, kind)
    axis = dim_of(dim, self.ndim)
    return call(sums.prod_dim, self, axis if self.ndim else (), kind, None, keepdim)


def corrected(dim: Any, unbiased: Any, correction: Any) -> tuple[Any, Any]:
    """The dimensions and the correction, where the first argument may also have been ``unbiased``."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        return dim, 1 if unbiased else 0
    return dim, 1 if correction is None else correction


def moment(fn: Any, name: str, self: Tensor, dim: Any, unbiased: Any, correction: Any, keepdim: bool) -> Any:
    """A variance or standard deviation."""
    if not dtypes.is_differentiable(self.dtype):
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    dim, correction = corrected(dim, unbiased, correction)
    axis = None if every(dim) else dims_of(dim, self.ndim)
    options = (correction, keepdim) if fn in (moments.var_mean, moments.std_mean) else (None, None, correction, keepdim)
    made = call(fn, self, axis, *options)
    along = range(self.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    others = math.prod(n for k, n in enumerate(self.shape) if k not in along)
    if others and math.prod(self.shape[k] for k in along) - correction > 0:
        return made
    warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by "
         "output numel).")
    with warnings.catch_warnings():     # NumPy has a warning of its own
        warnings.simplefilter("ignore", RuntimeWarning)
        return made.run()


@op()
def var(self: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None) -> Any:
    """The variance; ``correction`` (1) is taken from the number of elements it is divided by."""
    return moment(np.var, "var", self, dim, unbiased, correction, keepdim)


@op()
def std(self: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None) -> Any:
    """The standard deviation."""
    return moment(np.std, "std", self, dim, unbiased, correction, keepdim)


@op(method=False)
def var_mean(self: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
             correction: float | None = None) -> Any:
    """The variance and the mean."""
    return moment(moments.var_mean, "var_mean", self, dim, unbiased, correction, keepdim)


@op(method=False)
def std_mean(self: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
             correction: float | None = None) -> Any:
    """The standard deviation and the mean."""
    return moment(moments.std_mean, "std_mean", self, dim, unbiased, correction, keepdim)


@op()
def logsumexp(self: Tensor, dim: Any, keepdim: bool = False) -> Any:
    """The logarithm of the sum of exponentials along dimensions."""
    self = self if dtypes.is_differentiable(self.dtype) else self.to(dtypes.get_default_dtype())
    return call(softmax.logsumexp, self, dims_of(dim, self.ndim), keepdim)


def vector_norm(self: Tensor, order: Any, dim: Any, keepdim: bool) -> Any:
    """The norm of vectors along dimensions."""
    fn = norms.vector_norm if order != 0 else norms.count_nonzero
    return call(fn, self, order, None if every(dim) else dims_of(dim, self.ndim), keepdim)


@op()
def norm(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The ``p``-norm of the elements, or along dimensions (``"nuc"``: the sum of singular values)."""
    self = self if dtype is None else self.to(dtype)
    if not dtypes.is_differentiable(self.dtype):
        raise RuntimeError(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {dtypes.title(self.dtype)}")
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    if p == "nuc":
        from .norms import matrix_norm
        return matrix_norm(self, "nuc", dim if dim is not None else (-2, -1), keepdim)
    return vector_norm(self, 2 if p in (None, "fro") else p, dim, keepdim)


@op()
def dist(self: Tensor, other: Tensor, p: float = 2) -> Any:
    """The ``p``-norm of the difference."""
    refuse_booleans(self, other)
    dtype = dtypes.result_type(self, other)
    return call(distances.dist, self.to(dtype), other.to(dtype), p)


@op(inplace=True)
def renorm(self: Tensor, p: float, dim: int, maxnorm: float) -> Any:
    """Each slice along ``dim``, made shorter where its norm is larger than ``maxnorm``."""
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    return call(norms.renorm, self, p, tuple(k for k in range(self.ndim) if k != dim_of(dim, self.ndim)), maxnorm)


@op()
def count_nonzero(self: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not zero."""
    return wrap(np.asarray(np.count_nonzero(self._array, axis=None if dim is None else dims_of(dim, self.ndim)), order="C"))


@op()
def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """The tensor summed down to a shape that broadcasts to its own."""
    from .arguments import sizes_of
    shape = sizes_of(size)
    extra = self.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(k + extra for k, n in enumerate(shape) if n == 1 and self.shape[k + extra] != 1)
    kept = self if not axes else self.sum(axes, keepdim=True)
    return kept.reshape(shape) if extra else kept


def rows_at_most(name: str, x: Tensor) -> None:
    """RuntimeError for more than a matrix."""
    if x.ndim > 2:
        raise RuntimeError(f"{name}(): expected input to have two or fewer dimensions but got an input with {x.ndim} dimensions")


@op()
def cov(self: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """The covariances of the rows."""
    rows_at_most("cov", self)
    x = self if self.ndim == 2 else self.reshape(1, -1)
    weights = None
    for w in (fweights, aweights):
        weights = w if weights is None else weights if w is None else weights * w
    n = x.shape[1] if weights is None else weights.sum()
    about = x - ((x if weights is None else x * weights).sum(1, keepdim=True) / n)
    if aweights is not None and correction and weights is not None:
        free = n - correction * (weights * aweights).sum() / n
    else:
        free = n - correction
    if free <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
        free = free * 0
    return (((about if weights is None else about * weights) @ about.t().conj()) / free).squeeze()  # type: ignore[no-any-return]


@op()
def corrcoef(self: Tensor) -> Tensor:
    """The correlations of the rows."""
    rows_at_most("corrcoef", self)
    c = self.cov()
    if c.ndim == 0:
        return c / c        # type: ignore[no-any-return]
    d = c.diagonal().sqrt()
    return (c / d.unsqueeze(-1) / d.unsqueeze(0)).clamp(-1, 1) if not c.is_complex() else c / d.unsqueeze(-1) / d.unsqueeze(0)        # type: ignore[no-any-return]


