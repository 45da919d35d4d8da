"""What factorizations of matrices do where they fail: an error in torch's words, or the step at which each stopped."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dispatch
from ..tensor import Tensor, wrap

__all__ = ["LinAlgError", "attempt", "checked", "converged", "dependent", "indefinite"]

apply = dispatch.apply
Stop = Callable[[Any, int], bool]


class LinAlgError(RuntimeError):
    """A matrix that has no such inverse or factor."""


def attempt(name: str, why: str, stop: Stop, fn: Any, a: Tensor, *args: Any) -> Any:
    """Run a factorization; raise `LinAlgError` with torch's message if it fails: ``why`` is the reason, and ``stop`` the step."""
    try:
        return apply(fn, a, *args)
    except np.linalg.LinAlgError:
        steps = stops(a._array, stop)
        at = next((k for k, step in enumerate(steps.flat) if step), 0)
        batch = f"(Batch element {at}): " if a.ndim > 2 else ""
        raise LinAlgError(f"{name}: {batch}{why.format(int(steps.flat[at]))}") from None


def stops(a: Any, stop: Stop) -> Any:
    """The step at which an algorithm stops in each matrix, 0 where it does not."""
    rows = a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:])
    return np.array([next((k for k in range(1, len(m) + 1) if stop(m, k)), 0) for m in rows], np.int32).reshape(a.shape[:-2])


def dependent(matrix: Any, k: int) -> bool:
    """Return whether the first k columns are."""
    return bool(np.linalg.matrix_rank(matrix[:, :k]) < k)


def indefinite(matrix: Any, k: int) -> bool:
    """Return whether the leading minor of order k is not positive."""
    return bool(np.linalg.eigvalsh(matrix[:k, :k])[0] <= 0)


def checked(fn: Callable[[Tensor], Tensor], self: Tensor, stop: Stop, check_errors: bool) -> tuple[Tensor, Tensor]:
    """What ``fn`` makes of each matrix, and the step at which it stopped: NaN is made of one that has no result."""
    try:
        return fn(self), wrap(np.zeros(self.shape[:-2], np.int32))
    except LinAlgError:
        if check_errors:
            raise
    info = stops(self._array, stop)
    bad = (info > 0)[..., None, None]
    found = fn(apply(np.where, bad, np.eye(self.shape[-1], dtype=self.dtype), self))
    return apply(np.where, bad, np.asarray(math.nan, self.dtype), found), wrap(info)


def converged(name: str, fn: Any, a: Tensor, *args: Any) -> Any:
    """Run an iterative factorization; `LinAlgError`, in torch's words, where it does not come to an end."""
    try:
        return apply(fn, a, *args)
    except (np.linalg.LinAlgError, ValueError):
        if np.isfinite(a._array).all():
            raise
        raise LinAlgError(f"{name}: The algorithm failed to converge because the input matrix contained non-finite values.") from None
