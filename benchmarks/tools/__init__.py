"""How each tool is given a workload: a function of the workload and its arguments to one of no arguments, which is then timed."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["agree", "flat"]


def flat(value: Any) -> list[np.ndarray]:
    """The arrays of a nested result of any tool, in the order of NumPy's and transgrad's structures."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flat(value[key])]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flat(item)]
    return [np.asarray(value)]


def agree(a: Any, b: Any, tolerance: float = 1e-7) -> bool:
    """Whether two results are equal but for rounding, relative to the largest number of each array."""
    p, q = flat(a), flat(b)
    return len(p) == len(q) and all(
        x.shape == y.shape and np.allclose(x, y, rtol=tolerance, atol=tolerance * float(np.max(np.abs(y), initial=1e-300)))
        for x, y in zip(p, q))
