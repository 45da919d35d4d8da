"""Python numbers where a derivative asks for the shape or the dtype of an array."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["conjugated", "in_dtype_of", "of_numpy", "real_power"]


def conjugated(x: Any) -> Any:
    """The conjugate of a complex number or array, and of those in lists, tuples and dicts; anything else as it is."""
    if isinstance(x, (list, tuple)):
        items = [conjugated(item) for item in x]
        return items if isinstance(x, list) else type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    if isinstance(x, dict):
        return {key: conjugated(item) for key, item in x.items()}
    return np.conj(x) if isinstance(x, complex) or getattr(getattr(x, "dtype", None), "kind", "") == "c" else x


def in_dtype_of(t: Any, x: Any) -> Any:
    """The tangent ``t`` of ``x`` in the dtype of ``x``, if that is a NumPy scalar or array in single precision."""
    dtype = getattr(x, "dtype", None)
    if dtype not in (np.float32, np.float16, np.complex64) or getattr(t, "dtype", None) == dtype:
        return t
    return np.asarray(t, dtype)[()]


def of_numpy(x: Any) -> Any:
    """``x``, or the 0-dimensional array of a Python number."""
    return np.asarray(x) if isinstance(x, (int, float, complex)) and not isinstance(x, np.generic) else x


def real_power(x: Any, p: Any) -> Any:
    """``x ** p`` of Python numbers; TypeError if it is complex, in a function that was compiled for a real result."""
    y = x ** p
    if isinstance(y, complex):
        raise TypeError(f"{x!r} ** {p!r} is complex, and the derivative was compiled for real powers: raise x + 0j to the power for a "
                        "complex result, or np.float64(x) for NaN")
    return y
