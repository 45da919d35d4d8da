"""scipy.signal: convolutions, filters and smoothing."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transgrad.rules.installed import at_least, installed

from .forms import Case, case, cplx, distinct, positive, real


def cases() -> Iterator[Case]:
    import scipy.signal as sg
    b, a = (np.array([0.2, 0.3, 0.1]), np.array([1.1, -0.4, 0.2]))
    sos = np.concatenate([positive(2, 3), np.ones((2, 1)), real(2, 2, low=-0.4, high=0.4)], axis=1)
    yield from (case(fn, cplx(6), cplx(3), mode=m) for fn in (sg.convolve, sg.correlate, sg.fftconvolve) for m in ("full", "same", "valid"))
    yield from (case(fn, real(2, 6), real(2, 3), mode=m, axes=1) for fn in (sg.fftconvolve, sg.oaconvolve) for m in ("full", "same", "valid"))
    yield case(sg.fftconvolve, real(2, 6), real(1, 3), axes=1)
    yield case(sg.fftconvolve, real(2, 6, 4), real(2, 3, 2), mode="same", axes=(1, 2))
    yield from (case(sg.convolve2d, real(4, 5), real(3, 2), m, bd, fv) for m in ("full", "same", "valid") for bd, fv in (("fill", 0.7), ("wrap", 0), ("symm", 0)))
    yield from (case(sg.correlate2d, real(4, 5), real(*s), "same") for s in ((3, 2), (2, 4), (3, 3)))
    yield case(sg.correlate2d, cplx(4, 5), cplx(2, 2), "full", "symm")
    yield case(sg.deconvolve, real(6), positive(3))
    yield case(sg.lfilter, b, a, real(8), zi=real(2))
    yield case(sg.lfilter, b, a[:2], real(2, 8), zi=real(2, 2))
    yield case(sg.lfilter, b, a, real(8, 2), axis=0, zi=real(2, 2))
    yield case(sg.lfilter, b[:1], a, real(1), zi=real(2))
    yield case(sg.lfilter, b + 0.1j, a, cplx(6))
    yield case(sg.sosfilt, sos, real(2, 6), zi=real(2, 2, 2), fixed=(0,))
    yield case(sg.sosfilt, sos, real(6, 2), axis=0, zi=real(2, 2, 2), fixed=(0,))
    yield case(sg.lfilter_zi, b[:2], a)
    yield case(sg.sosfilt_zi, sos, fixed=(0,))
    if at_least("scipy", 1, 17):        # older versions compute something else
        yield case(sg.lfiltic, b, a, real(2), real(2))
        yield case(sg.lfiltic, b, a, real(1))
        yield case(sg.lfiltic, b[:2], a, real(5), real(4))
    yield from (case(sg.filtfilt, b, a[:2], real(14), padtype=p) for p in ("odd", "even", "constant", None))
    yield from (case(sg.sosfiltfilt, sos, real(2, 20), padtype=p, fixed=(0,)) for p in ("odd", "even", None))
    yield case(sg.detrend, real(2, 7), bp=3)
    yield case(sg.detrend, real(7, 2), axis=0)
    if at_least("scipy", 1, 17):        # before, it has no rule
        yield from (case(sg.hilbert2, real(4, 5)), case(sg.hilbert2, real(4, 4), 6))
    yield from (case(installed("scipy.signal.envelope"), real(n), bp, residual=r) for n in (6, 7) for bp in ((1, None), (None, None), (0, 2), (1, 3)) for r in ("lowpass", "all", None))
    yield case(installed("scipy.signal.envelope"), cplx(6), squared=True)
    yield case(sg.savgol_coeffs, 5, 2, 1, 0.3)
    yield case(sg.savgol_coeffs, 6, 3)
    yield from (case(sg.savgol_filter, real(2, 9), 5, 2, d, 0.7, mode=m) for m in ("interp", "mirror", "constant", "nearest", "wrap") for d in (0, 1))
    yield case(sg.savgol_filter, real(9, 2), 4, 2, axis=0, mode="nearest")
    yield case(sg.medfilt, distinct(4, 5))
    yield case(sg.medfilt, distinct(7) + 0.05, 5)
    yield case(sg.medfilt2d, distinct(4, 5), (3, 5))
    yield case(sg.order_filter, distinct(4, 5), np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), 1)
    yield case(sg.wiener, real(5, 6))
    yield case(sg.wiener, real(6), 3, 0.5)
