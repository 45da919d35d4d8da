"""scipy.ndimage."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, real


def cases() -> Iterator[Case]:
    import scipy.ndimage as nd
    for fn in (nd.convolve, nd.correlate):
        for mode in ("reflect", "constant", "nearest", "mirror", "wrap"):
            yield case(fn, real(5, 6), real(3, 2), mode=mode)
        yield case(fn, real(6), real(3), mode="constant", cval=1)
    for fn in (nd.convolve1d, nd.correlate1d):
        yield from (case(fn, real(5, 6), real(n), axis=a) for n in (2, 3) for a in (0, -1))
    yield from (case(nd.uniform_filter1d, real(5, 6), n, axis=0) for n in (2, 3))
    yield case(nd.uniform_filter, real(5, 6), 3)
    yield from (case(nd.gaussian_filter1d, real(9), 0.9, order=k, fixed=(1,)) for k in (0, 1, 2))
    yield case(nd.gaussian_filter, real(9, 8), 0.9, mode="nearest", fixed=(1,))
    yield from (case(fn, real(4, 5), axis=0) for fn in (nd.sobel, nd.prewitt))
    yield case(nd.laplace, real(4, 5))
    yield case(nd.gaussian_laplace, real(7, 8), 0.8, fixed=(1,))
    places = np.array([[0.3, 2.6, 1.2], [0.4, 1.7, 3.3]])
    yield from (case(nd.map_coordinates, real(4, 5), places, order=1, mode=m) for m in ("constant", "nearest"))
    yield from (case(fn, real(4, 5)) for fn in (nd.mean, nd.sum, nd.variance, nd.standard_deviation))
    from transgrad.rules.scipy import ndimage
    yield case(ndimage.correlate_back, real(4, 5), real(3, 2), "mirror")
    yield case(ndimage.correlate1d_back, real(4, 5), real(3), 0)
    yield case(ndimage.correlate_masks, real(4, 5), real(4, 5), real(3, 2), "mirror")
    yield case(ndimage.correlate1d_masks, real(4, 5), real(4, 5), real(3), 0)
