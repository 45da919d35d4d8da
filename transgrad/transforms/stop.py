"""`stop_gradient`: a value that derivatives take for a constant."""
from __future__ import annotations

from typing import Any

from ..rules import constant

__all__ = ["stop_gradient"]


def stop_gradient(x: Any) -> Any:
    """The argument itself, whose derivative is taken to be zero.

    Parameters
    ----------
    x : object
        A number, an array, or anything else.

    Returns
    -------
    object
        ``x``.
    """
    return x


constant(stop_gradient)
