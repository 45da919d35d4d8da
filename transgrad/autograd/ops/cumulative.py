"""Running sums and products, and differences."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..functions import softmax
from ..tensor import Tensor
from .arguments import dim_of, refuse
from .reductions import summable
from .table import FUNCTIONS, call, op


def running(fn: Any, self: Tensor, dim: int, dtype: Any) -> Any:
    """A running reduction along a dimension."""
    self, kind = summable(self, dtype)
    axis = dim_of(dim, self.ndim)
    if not self.ndim:
        return self.clone() if kind is None else self.to(kind, copy=True)
    return call(fn, self, axis) if kind is None else call(fn, self, axis, kind)


@op(inplace=True)
def cumsum(self: Tensor, dim: int, *, dtype: Any = None) -> Any:
    """The sum so far along a dimension."""
    return running(np.cumsum, self, dim, dtype)


@op(inplace=True)
def cumprod(self: Tensor, dim: int, *, dtype: Any = None) -> Any:
    """The product so far along a dimension."""
    return running(np.cumprod, self, dim, dtype)


@op()
def logcumsumexp(self: Tensor, dim: int) -> Any:
    """The logarithm of the running sum of exponentials."""
    return call(softmax.logcumsumexp, self, dim_of(dim, self.ndim)) if self.ndim else self.clone()


def normalized(fn: Any, self: Tensor, dim: int, dtype: Any) -> Any:
    """A softmax, or its logarithm."""
    x = self if dtype is None else self.to(dtype)
    refuse("softmax_lastdim_kernel_impl", x, "iubc")
    axis = dim_of(dim, x.ndim)
    return call(fn, x, axis if x.ndim else ())


@op()
def softmax_(self: Tensor, dim: int, dtype: Any = None) -> Any:
    """Exponentials over their sum along a dimension."""
    return normalized(softmax.softmax, self, dim, dtype)


@op()
def log_softmax(self: Tensor, dim: int, dtype: Any = None) -> Any:
    """The logarithm of `softmax`."""
    return normalized(softmax.log_softmax, self, dim, dtype)


@op()
def diff(self: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """Differences of adjacent elements, ``n`` times."""
    if not self.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if not n:
        return self.clone()     # type: ignore[no-any-return]
    parts = [x for x in (prepend, self, append) if x is not None]
    found = self if len(parts) == 1 else FUNCTIONS["cat"](parts, dim)
    axis = dim_of(dim, found.ndim)
    for _ in range(n):
        length = found.shape[axis]
        after, before = found.narrow(axis, min(1, length), max(length - 1, 0)), found.narrow(axis, 0, max(length - 1, 0))
        found = after.logical_xor(before) if found.dtype == np.bool_ else after - before
    return found


def widths(x: Tensor, dims: int, axis: int) -> Tensor:
    """The widths of the steps of ``x``, so that they broadcast against the values."""
    d = x.diff(dim=-1 if x.ndim == 1 else axis)
    return d.reshape(tuple(-1 if k == axis else 1 for k in range(dims))) if x.ndim == 1 else d    # type: ignore[no-any-return]


def areas(self: Tensor, x: Any, dx: Any, dim: int) -> tuple[Tensor, int]:
    """The area under each step."""
    axis = dim_of(dim, self.ndim)
    n = self.shape[axis]
    both = self.narrow(axis, 1, n - 1) + self.narrow(axis, 0, n - 1)
    return both * ((dx if x is None else widths(x, self.ndim, axis)) / 2.0), axis


@op("trapz", method=False)
def trapezoid(self: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along a dimension by trapezoids."""
    found, axis = areas(self, x, dx, dim)
    return found.sum(axis)      # type: ignore[no-any-return]


@op(method=False)
def cumulative_trapezoid(self: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral so far along a dimension by trapezoids."""
    found, axis = areas(self, x, dx, dim)
    return found.cumsum(axis)       # type: ignore[no-any-return]


@op(method=False)
def gradient(self: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The derivatives along dimensions by differences."""
    from .. import dispatch
    axes = list(range(self.ndim)) if dim is None else [dim_of(d, self.ndim) for d in (dim if isinstance(dim, Sequence) else (dim,))]
    steps = list(spacing) if isinstance(spacing, (tuple, list)) else [1 if spacing is None else spacing] * len(axes)
    return tuple(dispatch.apply(np.gradient, self, getattr(h, "_array", h), axis=a, edge_order=edge_order) for a, h in zip(axes, steps))
