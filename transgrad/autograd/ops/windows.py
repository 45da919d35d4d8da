"""Windows that signals are weighed by, and grids of places."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import Tensor, wrap
from .creation import default, made, maker
from .table import op


def cosines(n: int, periodic: bool, *weights: float) -> Any:
    """A sum of cosines over one period of ``n`` points, or over ``n`` points that hold both ends."""
    if n == 1:
        return np.ones(1)
    angle = 2 * np.pi * np.arange(n) / (n if periodic else n - 1)
    return sum((-1) ** k * w * np.cos(k * angle) for k, w in enumerate(weights))


@maker
def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Hann's window."""
    return made(np.asarray(cosines(window_length, periodic, 0.5, 0.5), default(dtype)), requires_grad)


@maker
def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None,
                   requires_grad: bool = False) -> Tensor:
    """Hamming's window."""
    return made(np.asarray(cosines(window_length, periodic, alpha, beta), default(dtype)), requires_grad)


@maker
def blackman_window(window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Blackman's window."""
    return made(np.asarray(cosines(window_length, periodic, 0.42, 0.5, 0.08), default(dtype)), requires_grad)


@maker
def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Bartlett's window."""
    return made(np.bartlett(window_length + periodic)[:window_length].astype(default(dtype)), requires_grad)


@maker
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None,
                  requires_grad: bool = False) -> Tensor:
    """Kaiser's window."""
    return made(np.kaiser(window_length + periodic, beta)[:window_length].astype(default(dtype)), requires_grad)


@maker
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that shapes broadcast to."""
    from ..size import Size
    try:
        return Size(np.broadcast_shapes(*shapes))
    except ValueError:
        raise RuntimeError(f"Shape mismatch: objects cannot be broadcast to a single shape: {', '.join(map(str, shapes))}") from None


@op(method=False)
def unravel_index(self: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Places in rows, as places along each dimension."""
    return tuple(wrap(np.asarray(k)) for k in np.unravel_index(self._array, tuple(shape)))
