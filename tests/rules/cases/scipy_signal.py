"""scipy.signal."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

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
    yield case(sg.filtfilt, b, a, real(14))
    yield case(sg.filtfilt, b, a, real(2, 14), padlen=4)
    yield from (case(sg.detrend, real(2, 6), type=kind) for kind in ("linear", "constant"))
    yield from (case(sg.hilbert, real(n)) for n in (5, 6))
