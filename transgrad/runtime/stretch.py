"""What loops over elements read and write in place of arrays that are parts of others, or that broadcasting may stretch.

Only when they are there is it known whether they are stretched; most often they are not, and it is the array itself.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from .broadcast import unbroadcast

__all__ = ["borrowed", "fold_back", "room_for", "stretched"]


def borrowed(x: Any) -> Any:
    """The array, without a reference to it: views of it are made faster.  Its owner has to be there for as long as they are used."""
    return x


def stretched(x: Any, shape: Any) -> Any:
    """``x``, broadcast to a shape of as many dimensions."""
    return x if x.shape == shape else np.broadcast_to(x, shape)


def room_for(x: Any, like: Any, shape: Any) -> Any:
    """The accumulator of a loop over ``shape`` for ``x``, which is as large as ``like``: ``x`` itself if it has that shape."""
    if x.shape != like.shape:
        raise ValueError("operands could not be broadcast together")
    return x if x.shape == shape else np.zeros(shape, x.dtype)


def fold_back(x: Any, room: Any) -> None:
    """Add the sum that a loop accumulated in ``room`` to ``x``, unless that is ``x`` itself."""
    if room.shape != x.shape:
        x += unbroadcast(room, x)
