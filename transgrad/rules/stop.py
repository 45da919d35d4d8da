"""`stop_gradient`: a value that derivatives treat as a constant."""
from __future__ import annotations

from typing import Any

from .registry import constant

__all__ = ["stop_gradient"]


def stop_gradient(x: Any) -> Any:
    """Return the argument, as a constant for differentiation.

    Parameters
    ----------
    x : object
        Any value.

    Returns
    -------
    object
        ``x``.

    Examples
    --------
    >>> import transgrad as tg
    >>> tg.grad(lambda x: x * tg.stop_gradient(x))(3.0)
    3.0
    """
    return x


constant(stop_gradient)
