"""Counts of elements in parts of their range; they have no derivative."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Tensor, wrap
from ..underived import underived
from .arguments import dims_of, refuse
from .extrema import pair
from .table import op

Histogram, HistogramDD = pair("histogram", "hist", "bin_edges"), pair("histogramdd", "hist", "bin_edges")
Edges = tuple[np.ndarray[Any, Any], ...]


def edges_of(name: str, x: Any, bins: Sequence[Any], range_: Sequence[float] | None) -> Edges:
    """The edges along each column of ``x``: given, or of so many equal parts of a range (that of the elements by default)."""
    found = []
    for k, n in enumerate(bins):
        if isinstance(n, Tensor):
            if n.dtype != x.dtype:
                raise RuntimeError("torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
                                   f"{dtypes.c_name(x.dtype)} and bins for dimension {k} with dtype {dtypes.c_name(n.dtype)}")
            found.append(n._array)
            continue
        if n <= 0:
            raise RuntimeError(f"torch.{name}(): bins must be > 0, but got {n} for dimension {k}")
        low, high = range_[2 * k:2 * k + 2] if range_ is not None else (x[:, k].min(), x[:, k].max()) if x.size else (0, 1)
        if low > high:
            raise RuntimeError(f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {k}")
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        found.append(np.linspace(low, high, n + 1, dtype=x.dtype))
    return tuple(found)


def counted(x: Any, edges: Edges, weight: Tensor | None, density: bool) -> Any:
    """How much is in each part; of those outside nothing is counted."""
    weights = None if weight is None else weight._array.reshape(-1)
    if weights is not None and len(weights) != len(x):
        raise RuntimeError("torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding "
                           f"its innermost dimension, but got input with shape {list(x.shape)} and weight with shape {list(weights.shape)}")
    return np.histogramdd(x, edges, weights=weights, density=density)[0].astype(x.dtype)


@op()
def histogram(self: Tensor, bins: Any, *, range: Sequence[float] | None = None, weight: Tensor | None = None, density: bool = False) -> Any:
    """How many elements (or the sum of whose weights) are in each of ``bins`` parts, or between given edges, and the edges."""
    refuse("histogramdd", self, "biuc")
    x = self._array.reshape(-1, 1)
    edges = edges_of("histogram", x, [bins], range)
    found = Histogram(wrap(counted(x, edges, weight, density)), wrap(edges[0]))
    underived("histogram", found, self, weight)
    return found


@op(method=False)
def histogramdd(self: Tensor, bins: Any, *, range: Sequence[float] | None = None, weight: Tensor | None = None,
                density: bool = False) -> Any:
    """`histogram` of points, the rows of the last dimension."""
    refuse("histogramdd", self, "biuc")
    if self.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    n = self.shape[-1]
    given = [bins] * n if isinstance(bins, int) else list(bins)
    if len(given) != n:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    x = self._array.reshape(-1, n)
    edges = edges_of("histogramdd", x, given, range)
    hist, *wrapped = map(wrap, (counted(x, edges, weight, density), *edges))
    underived("_histogramdd_from_bin_cts", (hist,), self, weight)
    underived("_histogramdd_bin_edges", tuple(wrapped), self, weight)
    return HistogramDD(hist, tuple(wrapped))


@op()
def hash_tensor(self: Tensor, dim: Any = None, *, keepdim: bool = False, mode: int = 0) -> Tensor:
    """The exclusive or of the elements' 64 bits, as numbers of float64, int64 or uint64; see `torch.hash_tensor`."""
    if mode != 0:
        raise RuntimeError(f"hash_tensor: the only mode is 0, got {mode}")
    if self.is_complex():
        raise NotImplementedError(f"\"hash_tensor\" not implemented for '{dtypes.title(self.dtype)}'")
    wide = np.float64 if self.is_floating_point() else np.uint64 if self.dtype.kind == "u" else np.int64
    bits: Any = self._array.astype(wide).view(np.uint64)
    axes: Any = dims_of(dim, self.ndim)
    combine: Any = np.bitwise_xor.reduce
    return wrap(np.asarray(combine(bits, axis=None if axes is None or axes == () else axes, keepdims=keepdim)))
