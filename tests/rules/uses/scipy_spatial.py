"""scipy.spatial: paths between points that are put on the sphere first, as SciPy wants them."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import geometric_slerp

from . import use

X, Z = np.array([0.3, -1.2, 0.8]), np.array([1.1, 0.4, -0.7])


@use(X, Z, 0.7)
def through_one(x: Any, z: Any, t: Any) -> Any:
    return np.sum(np.array([1.0, -2.0, 0.5]) * geometric_slerp(x / np.linalg.norm(x), z / np.linalg.norm(z), t))


@use(X, Z, np.array([0.1, 0.4, 0.9]))
def through_several(x: Any, z: Any, t: Any) -> Any:
    path = geometric_slerp(x / np.linalg.norm(x), z / np.linalg.norm(z), t)
    return np.sum(np.sin(path) * np.arange(9.0).reshape(3, 3))
