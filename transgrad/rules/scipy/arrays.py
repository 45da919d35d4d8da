"""Functions that return lists of numbers, as SciPy's solvers take them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["as_array_of"]


def as_array_of(f: Callable[..., Any], *args: Any) -> Any:
    """The result of ``f``, as an array."""
    return np.array(f(*args))
