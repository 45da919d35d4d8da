"""Checks of shapes in place of operations whose results a derivative does not need."""
from __future__ import annotations

import numpy as np

__all__ = ["check_broadcast", "check_product"]


def check_broadcast(*shapes: tuple[int, ...]) -> None:
    """Raise the ValueError of NumPy if arrays of these shapes cannot be broadcast together."""
    if shapes.count(shapes[0]) == len(shapes):      # mostly; a tenth of the time
        return
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"operands could not be broadcast together with shapes {' '.join(map(str, shapes)).replace(', ', ',')}") from None


def check_product(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Raise a ValueError if arrays of these shapes cannot be multiplied as matrices."""
    rows = b[-2 if len(b) > 1 else 0]
    if a[-1] != rows:
        raise ValueError(f"matmul: the shapes {a} and {b} do not match: {a[-1]} is different from {rows}".replace(", ", ","))
    if len(a) > 2 or len(b) > 2:
        check_broadcast(a[:-2], b[:-2])
