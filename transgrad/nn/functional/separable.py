"""Maps of signals that are a matrix along each dimension."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...autograd.tensor import wrap

__all__ = ["along"]


def along(signal: Any, matrices: Sequence[Any]) -> Any:
    """A signal (N, C, *sizes) with each of its dimensions multiplied by a matrix (outputs, size) of weights.

    Examples
    --------
    >>> import numpy as np
    >>> along(wrap(np.ones((1, 1, 3))), [np.eye(2, 3)]).shape
    torch.Size([1, 1, 2])
    """
    for k, matrix in enumerate(matrices):
        weights = wrap(matrix)
        last = 2 + k == signal.ndim - 1
        signal = signal @ weights.mT if last else (signal.movedim(2 + k, -1) @ weights.mT).movedim(-1, 2 + k)
    return signal
