"""scipy.spatial and scipy.spatial.distance."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from transgrad.rules.installed import at_least

from .forms import Case, case, positive, real, spd_matrix

_BOOLEAN = ("dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
_METRICS = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "braycurtis", "canberra")


def cases() -> Iterator[Case]:
    import scipy.spatial as ss
    import scipy.spatial.distance as sd
    for metric in _METRICS:
        yield case(sd.cdist, real(3, 4), real(2, 4), metric)
        yield case(sd.pdist, real(4, 3), metric)
        yield case(getattr(sd, metric), real(4), real(4))
        yield case(getattr(sd, metric), real(4), real(4), positive(4))
        if metric != "chebyshev":       # SciPy's own weights differ between the two forms
            yield case(sd.cdist, real(3, 4), real(2, 4), metric, w=positive(4))
    yield case(sd.cdist, positive(3, 4), positive(2, 4), "jensenshannon")
    yield case(sd.chebyshev, real(4), real(4), np.array([1.0, 0.0, 2.0, 1.0]), fixed=(2,))
    yield case(sd.cdist, real(3, 4), real(2, 4))
    yield case(sd.cdist, real(0, 4), real(2, 4))
    yield case(sd.cdist, real(3, 4), real(2, 4), "minkowski", p=3)
    yield case(sd.cdist, real(3, 4), real(2, 4), "seuclidean", V=positive(4))
    yield case(sd.cdist, real(3, 4), real(2, 4), "mahalanobis", VI=spd_matrix(4))
    for metric in ("seuclidean", "mahalanobis"):
        yield case(sd.cdist, real(3, 2), real(4, 2), metric)
        yield case(sd.pdist, real(5, 2), metric)
    yield case(sd.minkowski, real(4), real(4), 3.0, positive(4), fixed=(2,))
    yield case(sd.correlation, real(4), real(4), positive(4), False)
    yield case(sd.seuclidean, real(4), real(4), positive(4))
    yield case(sd.mahalanobis, real(3), real(3), spd_matrix(3))
    yield case(sd.jensenshannon, positive(4), positive(4))
    yield case(sd.jensenshannon, positive(3, 4), positive(3, 4), 2.0, axis=1, keepdims=True)
    yield case(sd.squareform, real(6))
    full = np.abs(real(3, 3))
    yield case(sd.squareform, full + full.T - 2.0 * np.diag(np.diag(full)), fixed=(0,))
    yield case(ss.distance_matrix, real(3, 2), real(4, 2))
    yield case(ss.distance_matrix, real(3, 2).astype(np.float32), real(4, 2).astype(np.float32), 3)
    yield case(ss.minkowski_distance, real(3, 2), real(3, 2))
    yield case(ss.minkowski_distance_p, real(3, 2), real(3, 2), 3.0, fixed=(2,))
    this, that = np.array([True, False, True, True, False]), np.array([True, True, False, True, False])
    for metric in _BOOLEAN:
        yield case(getattr(sd, metric), this, that, positive(5))
        if metric not in ("hamming", "jaccard"):
            yield case(getattr(sd, metric), positive(4), positive(4), positive(4))
            yield case(getattr(sd, metric), positive(4), positive(4))
    yield case(sd.directed_hausdorff, real(4, 3), real(5, 3))
    if at_least("scipy", 1, 15):        # it was called seed
        yield case(sd.directed_hausdorff, real(4, 3), real(5, 3), rng=3)
    start, end = unit(real(3)), unit(real(3))
    yield from (case(ss.geometric_slerp, start, end, t, fixed=(0, 1)) for t in ([0.1, 0.4, 1.3 if at_least("scipy", 1, 17) else 0.9], 0.3))
    yield case(ss.procrustes, real(5, 3), real(5, 3))


def unit(x: Any) -> Any:
    return x / np.linalg.norm(x)
