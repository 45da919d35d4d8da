"""Python numbers where a derivative asks for the shape or the dtype of an array."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["conjugated", "of_numpy"]


def conjugated(x: Any) -> Any:
    """The conjugate of a complex number or array; anything else as it is."""
    return np.conj(x) if isinstance(x, complex) or getattr(getattr(x, "dtype", None), "kind", "") == "c" else x


def of_numpy(x: Any) -> Any:
    """``x``, or the 0-dimensional array of a Python number."""
    return np.asarray(x) if isinstance(x, (int, float, complex)) and not isinstance(x, np.generic) else x
