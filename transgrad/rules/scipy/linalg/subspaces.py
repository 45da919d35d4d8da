"""Bases of ranges and null spaces, angles between subspaces."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...linalg import turned
from ...registry import constant, definition, rule


def rank(s: Any, m: Any, n: Any, rcond: Any) -> int:
    """How many singular values of an m by n matrix count."""
    share = np.finfo(s.dtype).eps * max(m, n) if rcond is None else rcond
    return int(np.sum(s > np.max(s, initial=0.0) * share, dtype=int))


constant(rank)


@definition(scipy.linalg.orth)
def orth(A: Any, rcond: Any = None) -> Any:
    """The left singular vectors. Their singular values are assumed to be distinct, and the rank constant."""
    u, s, _ = np.linalg.svd(A, full_matrices=False)
    return u[:, :rank(s, A.shape[0], A.shape[1], rcond)]


@rule(scipy.linalg.null_space, kind="general", jvp=lambda t, y, A, rcond=None, **how: -np.linalg.pinv(A) @ t @ y)
def _(g, y, A, rcond=None, *, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """If the null space has several dimensions, the basis is not unique. Rotations within it are ignored, which is exact for
    results that do not depend on the choice. The rank is assumed constant."""
    return -turned(np.linalg.pinv(A)) @ g @ turned(y)


def _basis(a: Any, *args: Any, **kwargs: Any) -> Any:
    return Arr(a.type.dtype, (a.type.dims[1], ANY)) if isinstance(a.type, Arr) else None


SHAPES[scipy.linalg.null_space] = _basis


@definition(scipy.linalg.subspace_angles)
def subspace_angles(A: Any, B: Any) -> Any:
    """Small angles by their sines and large ones by their cosines; at an angle of 0 there is no derivative."""
    p, q = orth(A), orth(B)
    inner = np.conj(p).T @ q
    cosines = np.linalg.svd(inner, compute_uv=False)
    rest = q - p @ inner if p.shape[1] >= q.shape[1] else p - q @ np.conj(inner).T
    close = np.flip(cosines) ** 2 >= 0.5
    sines = np.where(close, np.clip(np.linalg.svd(rest, compute_uv=False), -1.0, 1.0), 0.0)
    return np.where(close, np.arcsin(sines), np.arccos(np.where(close, 0.0, np.clip(np.flip(cosines), -1.0, 1.0))))
