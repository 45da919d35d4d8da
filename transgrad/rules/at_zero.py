"""The derivative of norms at 0: 0 by convention, without a second derivative there."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import runtime
from .registry import rule
from .static import lifted, same

__all__ = ["divisor", "over"]

divisor = lifted(runtime.divisor)


@rule(runtime.divisor)
def _(g, y, x):
    """NaN at 0: the first derivative is 0 there by convention, and its own derivative is unknown."""
    return g * np.where(same(x, 0), math.nan, 1.0)


def over(x: Any, y: Any) -> Any:
    """``x / y``, 0 where y is."""
    return x / divisor(y)
