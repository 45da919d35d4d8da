"""scipy.spatial: paths on spheres, and how far sets of points are apart."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.spatial as ss
import scipy.spatial.distance as sd

from ....ir.infer_shapes import SHAPES
from ....ir.types import Arr, Dim
from ...registry import constant, definition


@definition(ss.geometric_slerp)
def geometric_slerp(start: Any, end: Any, t: Any, tol: Any = 1e-7) -> Any:
    """The great circle from one point of a sphere to another; for antipodes it is not unique and has no derivative."""
    start, end = np.asarray(start), np.asarray(end)
    along = start / np.linalg.norm(start)
    across = end - np.sum(along * end) * along
    angle = np.arctan2(np.linalg.norm(start) * np.linalg.norm(across), np.sum(start * end)) / np.pi
    share = np.asarray(t)
    if np.ndim(share) == 1:
        share = np.reshape(share, (-1, 1))
    return along * np.cos(np.pi * share * angle) + across * (share * np.sinc(share * angle) / np.sinc(angle) / np.linalg.norm(end))


@definition(ss.procrustes)
def procrustes(data1: Any, data2: Any) -> Any:
    """Two sets of points, standardized to a common center and size, the second rotated onto the first, and their disparity.

    The rotation is the orthogonal factor of a product of the two. It has a derivative if no singular value of the product is 0
    and the singular values are distinct.
    """
    a = np.asarray(data1) - np.mean(data1, axis=0)
    b = np.asarray(data2) - np.mean(data2, axis=0)
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    u, s, vt = np.linalg.svd(a.T @ b, full_matrices=False)
    turned = b @ (u @ vt).T * np.sum(s)
    return a, turned, np.sum((a - turned) ** 2)


def farthest_pair(u: Any, v: Any, rng: Any) -> Any:
    """The point of one set that is the farthest from the other, and the nearest to it there."""
    return np.array(sd.directed_hausdorff(u, v, rng)[1:])


constant(farthest_pair)
SHAPES[farthest_pair] = lambda *args: Arr("int64", (Dim(False, ("<const>", 2)),))


@definition(sd.directed_hausdorff)
def directed_hausdorff(u: Any, v: Any, rng: Any = 0) -> Any:
    """The distance of one pair of points, which has the derivative; of equal distances it is the pair that SciPy names."""
    pair = farthest_pair(u, v, rng)
    return np.linalg.norm(u[pair[0]] - v[pair[1]]), pair[0], pair[1]
