"""Check that a function returned a real number, if that was not known at compile time."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["one_number"]


def one_number(y: Any, verb: str, name: str, holomorphic: bool = False) -> None:
    """Raise TypeError where ``y`` is no number, or a complex one of a function that is not said to be holomorphic."""
    takes = f"{verb} takes a function that returns"
    if not isinstance(y, (int, float, complex, np.number, np.ndarray)):
        raise TypeError(f"{takes} one number, but {name} returns {y!r}")
    if np.ndim(y):
        raise TypeError(f"{takes} one number, but {name} returns an array of shape {np.shape(y)}: "
                        "jacobian differentiates every entry of an output")
    if np.iscomplexobj(y) and not holomorphic:
        raise TypeError(f"{takes} a real number, but {name} returns a complex one: return its real part or absolute value, or set "
                        "holomorphic=True")
