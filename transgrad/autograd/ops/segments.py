"""Reductions of segments of a tensor, and its factors of low rank: compositions."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import Tensor, wrap
from .arguments import dim_of
from .linalg import LINALG
from .table import FUNCTIONS, op

_INITIAL = {"sum": 0.0, "mean": float("nan"), "prod": 1.0, "max": float("-inf"), "min": float("inf")}


@op(method=False)
def segment_reduce(self: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
                   offsets: Tensor | None = None, axis: int = 0, unsafe: bool = False, initial: float | None = None) -> Tensor:
    """The sum, mean, product, maximum or minimum of each segment along a dimension, told by their lengths or where they begin and end."""
    if reduce not in _INITIAL:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, max or min, got {reduce}")
    if indices is not None or (lengths is None) == (offsets is None):
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined")
    told: Any = lengths if lengths is not None else offsets
    if told.ndim != 1 or dim_of(axis, self.ndim) != 0:
        raise NotImplementedError("segment_reduce(): segments are along the first dimension here, the same for all others")
    ends = np.cumsum(told._array) if lengths is not None else told._array[1:]
    starts = [0, *ends[:-1]] if lengths is not None else told._array[:-1]
    if lengths is not None and not unsafe and (len(ends) and ends[-1] != self.shape[0] or (told._array < 0).any()):
        raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.")
    rows = [_reduced(self[int(a):int(b)], reduce, initial) for a, b in zip(starts, ends)]
    return FUNCTIONS["stack"](rows) if rows else self[:0]       # type: ignore[no-any-return]


def _reduced(part: Tensor, reduce: str, initial: float | None) -> Tensor:
    """One segment's, which ``initial`` counts as one more row of (as nothing of a mean)."""
    empty = _INITIAL[reduce] if initial is None else initial
    if not len(part):
        return part.new_full(tuple(part.shape[1:]), empty)      # type: ignore[no-any-return]
    if reduce in ("max", "min"):
        found = part.amax(0) if reduce == "max" else part.amin(0)
        return found if initial is None else found.clamp(**{"min" if reduce == "max" else "max": initial})     # type: ignore[no-any-return]
    if reduce == "prod":
        return part.prod(0) if initial is None else part.prod(0) * initial      # type: ignore[no-any-return]
    total = part.sum(0) if initial is None else part.sum(0) + initial
    return total / len(part) if reduce == "mean" else total     # type: ignore[no-any-return]


@op(method=False)
def svd_lowrank(self: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """About the ``q`` largest singular values and their vectors, found in a random subspace that ``niter`` powers turn to them.

    ``M`` is taken away from the matrix first. The result is ``U, S, V`` with ``U @ diag(S) @ V.mH`` near the matrix.
    """
    a = self if M is None else self - M
    wide = a.shape[-2] < a.shape[-1]
    tall = a.mH if wide else a
    count = min(6 if q is None else q, *tall.shape[-2:])
    basis: Any = tall @ FUNCTIONS["randn"](tall.shape[-1], count, dtype=tall.dtype)
    basis = LINALG["qr"](basis)[0]
    for _ in range(2 if niter is None else niter):
        basis = LINALG["qr"](tall @ LINALG["qr"](tall.mH @ basis)[0])[0]
    u, s, v = (basis.mH @ tall).svd()
    u = basis @ u
    return (v, s, u) if wide else (u, s, v)


@op(method=False)
def pca_lowrank(self: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """`svd_lowrank` of rows less their mean (or of the rows as they are): the principal components are the columns of the last."""
    m, n = self.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    return svd_lowrank(self - self.mean(-2, keepdim=True) if center else self, q, niter)


@op()
def nonzero_static(self: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first ``size`` positions of nonzero elements, padded with rows of ``fill_value``."""
    found = np.argwhere(self._array)[:size]
    out = np.full((size, self.ndim), fill_value, np.int64)
    out[:len(found)] = found
    return wrap(out)
