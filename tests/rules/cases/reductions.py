"""Reductions along axes."""
from __future__ import annotations

import builtins
from collections.abc import Iterator

import numpy as np

from .forms import Case, along_axes, case, cplx, distinct, positive, real


def cases() -> Iterator[Case]:
    for fn in (np.sum, np.mean, np.prod, np.max, np.min, np.var, np.std, np.ptp, np.median, np.nansum, np.nanmean, np.nanvar, np.nanstd, np.nanprod,
               np.nanmax, np.nanmin, np.nanmedian):
        yield from along_axes(fn, distinct(2, 3, 4))
    for fn in (np.sum, np.mean, np.var, np.std, np.prod):
        yield case(fn, cplx(2, 3), axis=0)
        yield case(fn, cplx(3))
    for name in ("sum", "mean", "prod", "max", "min", "var", "std"):
        yield case(getattr(np.ndarray, name), distinct(2, 3))
        yield case(getattr(np.ndarray, name), distinct(2, 3), 1)
    for fn in (np.var, np.std):
        yield case(fn, real(3, 4), axis=1, ddof=1)
    mask = np.array([[True, False, True], [True, True, False]])
    for fn in (np.sum, np.mean, np.prod):
        yield case(fn, real(2, 3), axis=0, where=mask) if fn is not np.prod else case(fn, real(2, 3), axis=0)
        yield case(fn, real(2, 3), where=mask) if fn is not np.prod else case(fn, real(2, 3), initial=2)
    yield case(np.mean, real(2, 3), axis=0, where=mask, keepdims=True)
    yield case(np.sum, real(2, 3), axis=0, initial=3)
    yield case(np.max, distinct(2, 3), axis=1, initial=0)
    yield case(np.min, distinct(2, 3), axis=1, initial=5, where=mask)
    for fn in (np.nansum, np.nanmean, np.nanvar, np.nanstd, np.nanprod, np.nanmax, np.nanmin, np.nanmedian, np.nancumsum):
        x = distinct(3, 4)
        x[0, 1] = x[2, 3] = np.nan
        yield case(fn, x)
        yield case(fn, x, axis=1)
    for zeros in ([0], [0, 2], []):
        x = real(4)
        x[zeros] = 0.0
        yield case(np.prod, x)
        yield case(np.cumprod, x)
        yield case(np.prod, np.stack([x, real(4)]), axis=1)
    for fn in (np.add.reduce, np.multiply.reduce, np.maximum.reduce, np.minimum.reduce):
        yield case(fn, distinct(2, 3))
        yield case(fn, distinct(2, 3), axis=1, keepdims=True)
    for fn in (np.quantile, np.percentile):
        scale = 1.0 if fn is np.quantile else 100.0
        yield case(fn, distinct(7), 0.3 * scale, fixed=(1,))
        yield from (case(fn, distinct(3, 4), 0.4 * scale, axis=a, fixed=(1,)) for a in (None, 0, 1, (0, 1)))
    yield from (case(np.average, distinct(2, 3), axis=a) for a in (None, 0))
    yield from (case(np.average, distinct(2, 3), axis=a, weights=w) for a, w in ((None, positive(2, 3)), (0, positive(2)), (1, positive(3)), (0, positive(2, 3))))
    yield case(builtins.sum, [0.7, 1.0, -0.4])
    yield case(builtins.sum, [real(2), real(2)], 0.5)
    yield case(builtins.sum, real(3))
    yield case(builtins.max, 0.7, 1.2, -0.4)
    yield case(builtins.min, 0.7, 1.2, -0.4)
    yield case(builtins.max, [0.7, 1.2, -0.4])
    yield case(builtins.min, distinct(4))
    yield case(np.prod, real(2, 3), axis=0, where=mask)
    for fn in (np.var, np.std, np.nanvar, np.nanstd):
        yield from (case(fn, real(3, 4), axis=0, where=np.arange(12).reshape(3, 4) % 5 > 0), case(fn, real(3, 4), axis=1, correction=1, keepdims=True))
    yield from (case(fn, real(4), mean=np.array([0.2])) for fn in (np.var, np.std))
    for fn in (np.nansum, np.nanprod):
        yield case(fn, real(2, 3), where=mask, initial=2)
    yield case(np.nanmean, real(2, 3), where=mask, axis=1)
    for fn, scale in ((np.quantile, 1.0), (np.percentile, 100.0), (np.nanquantile, 1.0), (np.nanpercentile, 100.0)):
        if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
            weighed = {"method": "inverted_cdf", "fixed": (1, "weights")}
            yield case(fn, distinct(7), 0.3 * scale, weights=np.array([1.0, 2.0, 0.5, 1.0, 3.0, 0.0, 1.0]), **weighed)
            if "nan" not in fn.__name__:    # NumPy's own fails there
                yield case(fn, distinct(3, 4), np.array([0.3, 0.8]) * scale, axis=1, weights=np.array([1.0, 2.0, 0.5, 1.0]), **weighed)
            yield case(fn, distinct(3, 4), 0.6 * scale, axis=(0, 1), keepdims=True, weights=np.ones((3, 4)), **weighed)
        yield from (case(fn, distinct(7), q * scale) for q in (0.33, np.array([0.1, 0.65])))
        yield from (case(fn, distinct(3, 4), np.array([0.1, 0.65]) * scale, axis=a, keepdims=k) for a in (None, 0, (0, 1)) for k in (False, True))
        yield from (case(fn, distinct(7), 0.33 * scale, method=m, fixed=(1,)) for m in (
            "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher", "midpoint", "nearest"))
        yield from (case(fn, distinct(7), 0.33 * scale, method=m) for m in (
            "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"))
    yield case(np.average, distinct(2, 3), axis=0, weights=positive(2, 3), returned=True)
    yield from (case(fn, real(3, 5), **k) for fn in (np.cov, np.corrcoef) for k in ({}, {"rowvar": False}))
    yield from (case(np.cov, real(2, 5), **k) for k in ({"bias": True}, {"ddof": 0}, {"aweights": positive(5)}, {"fweights": np.array([1, 2, 1, 3, 1])}))
    yield case(np.cov, real(5), real(5))
    yield case(np.cov, cplx(2, 4))
    yield case(np.histogram, distinct(6), 3, weights=positive(6), fixed=(0,))
    yield case(np.histogram, distinct(6), np.array([-2, 0, 1, 2]), weights=positive(6), density=True, fixed=(0,))
    yield case(np.histogram_bin_edges, distinct(6), 3)
    yield case(np.histogram2d, distinct(6), distinct(6), 2, weights=positive(6), fixed=(0, 1))
    yield case(np.histogramdd, distinct(6, 2), (2, 3), range=[(-2.1, 2.1), (-2.1, 2.1)], weights=positive(6), fixed=(0,))
