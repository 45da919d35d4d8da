"""scipy.spatial and scipy.spatial.distance."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, positive, real, spd_matrix

_METRICS = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "braycurtis", "canberra")


def cases() -> Iterator[Case]:
    import scipy.spatial as ss
    import scipy.spatial.distance as sd
    for metric in _METRICS:
        yield case(sd.cdist, real(3, 4), real(2, 4), metric)
        yield case(sd.pdist, real(4, 3), metric)
        yield case(getattr(sd, metric), real(4), real(4))
    yield case(sd.cdist, real(3, 4), real(2, 4))
    yield case(sd.cdist, real(3, 4), real(2, 4), "minkowski", p=3)
    yield case(sd.cdist, real(3, 4), real(2, 4), "seuclidean", V=positive(4))
    yield case(sd.cdist, real(3, 4), real(2, 4), "mahalanobis", VI=spd_matrix(4))
    yield case(sd.minkowski, real(4), real(4), 3.0, fixed=(2,))
    yield case(sd.seuclidean, real(4), real(4), positive(4))
    yield case(sd.mahalanobis, real(3), real(3), spd_matrix(3))
    yield case(sd.jensenshannon, positive(4), positive(4))
    yield case(sd.squareform, real(6))
    full = np.abs(real(3, 3))
    yield case(sd.squareform, full + full.T - 2.0 * np.diag(np.diag(full)), fixed=(0,))
    for fn in (ss.distance_matrix,):
        yield case(fn, real(3, 2), real(4, 2))
    yield case(ss.minkowski_distance, real(3, 2), real(3, 2))
    yield case(ss.minkowski_distance_p, real(3, 2), real(3, 2), 3.0, fixed=(2,))
