"""scipy.signal."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transgrad.rules.installed import at_least, installed

from .forms import Case, case, positive, real


def cases() -> Iterator[Case]:
    import scipy.signal as sg
    for fn in (sg.convolve, sg.fftconvolve, sg.oaconvolve, sg.correlate):
        for mode in ("full", "same", "valid"):
            yield case(fn, real(6), real(3), mode=mode)
            yield case(fn, real(3), real(5), mode=mode)
            yield case(fn, real(4, 5), real(3, 2), mode=mode)
    for fn in (sg.convolve2d, sg.correlate2d):
        yield from (case(fn, real(4, 5), real(3, 2), mode=mode) for mode in ("full", "valid"))
    yield case(sg.convolve2d, real(4, 5), real(3, 2), mode="same")
    b, a = np.array([0.2, 0.3, 0.1]), np.array([1.1, -0.4, 0.2])
    yield case(sg.lfilter, b, a, real(8))
    yield case(sg.lfilter, b, a, real(8, 2), axis=0)
    from transgrad.rules.scipy.signal.filters import lags
    yield case(lags, real(6), real(6), 3, -1)
    sos = np.concatenate([positive(2, 3), np.ones((2, 1)), real(2, 2, low=-0.4, high=0.4)], axis=1)
    yield case(sg.sosfilt, sos, real(2, 6), fixed=(0,))
    yield case(sg.lfilter_zi, b, a)
    image = real(24, 22)
    yield from (case(sg.cspline2d, image, lamb, fixed=(1,)) for lamb in (0.0, 0.1))
    yield from (case(sg.qspline2d, image), case(sg.spline_filter, real(16, 17), 0.1, fixed=(1,)))
    if at_least("scipy", 1, 15):        # before, of one row
        yield case(sg.symiirorder2, real(5, 22), 0.3, 0.7, fixed=(1, 2))
    yield case(sg.symiirorder2, real(22), 0.3, 0.7, 1e-9, fixed=(1, 2, 3))
    yield from windows()
    yield from (case(installed("scipy.signal.closest_STFT_dual_window"), positive(8), 3, positive(8), scaled=scaled) for scaled in (True, False))
    yield case(installed("scipy.signal.closest_STFT_dual_window"), positive(8), 2)
    yield case(sg.filtfilt, b, a, real(14))
    yield case(sg.filtfilt, b, a, real(2, 14), padlen=4)
    yield from (case(sg.detrend, real(2, 6), type=kind) for kind in ("linear", "constant"))
    yield from (case(sg.hilbert, real(n)) for n in (5, 6))


def windows() -> Iterator[Case]:
    import scipy.signal.windows as sw
    for n in (8, 9):
        for sym in (True, False):
            yield from (case(sw.chebwin, n, 60.0, sym), case(sw.taylor, n, 4, 33.0, sym=sym), case(sw.dpss, n, 2.2, sym=sym))
            yield case(sw.general_cosine, n, positive(3), sym)
        yield from (case(sw.taylor, n, 3, 33.0, norm=False), case(sw.dpss, n, 2.2, norm=2))
    yield from (case(sw.kaiser_bessel_derived, 8, 2.3), case(sw.chebwin, 8, 60.0))
