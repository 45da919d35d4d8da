"""scipy.signal: design of filters."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transgrad.rules.installed import at_least, installed

from .forms import Case, case


def cases() -> Iterator[Case]:
    import scipy.signal as sg
    import scipy.signal.windows as sw
    h = sg.firwin(9, 0.4)
    zpk = sg.cheby1(5, 1.0, [0.2, 0.5], "band", output="zpk")
    yield case(sg.cheb1ap, 4, 0.7)
    yield case(sg.cheb1ap, 5, 0.7)
    yield case(sg.cheb2ap, 4, 20.0)
    yield case(sg.cheb2ap, 5, 20.0)
    yield from (case(sg.butter, 3, 0.3, btype=b, output=o) for b in ("low", "high") for o in ("ba", "zpk", "sos"))
    yield from (case(sg.butter, 4, np.array([0.2, 0.45]), btype=b, output=o) for b in ("band", "stop") for o in ("ba", "zpk", "sos"))
    yield case(sg.butter, 4, 20.0, fs=100.0)
    yield case(sg.butter, 3, 1.2, analog=True)
    yield case(sg.butter, 2, [0.2, 0.5], "band", fixed=())
    yield case(sg.cheby1, 4, 0.7, 0.3, output="sos")
    yield case(sg.cheby1, 3, 0.7, np.array([0.2, 0.4]), "band")
    yield case(sg.cheby2, 4, 30.0, 0.3)
    yield case(sg.cheby2, 4, 30.0, np.array([0.2, 0.4]), "stop", output="zpk")
    yield case(sg.bessel, 3, 0.3)
    yield case(sg.bessel, 3, 2.0, analog=True, norm="mag")
    yield case(sg.iirfilter, 3, np.array([0.2, 0.4]), ftype="cheby1", rp=1.0, rs=None)
    yield case(sg.zpk2sos, *zpk, fixed=(0, 1))
    yield case(sg.tf2sos, np.array([0.2, 0.3, 0.1, 0.05]), np.array([1.0, -0.4, 0.2, 0.1]))
    yield case(sg.iirnotch, 0.3, 20.0)
    yield case(sg.iirpeak, 0.3, 20.0, 3.0)
    yield case(sg.iircomb, 0.25, 20.0, fixed=(0,))
    yield case(sg.iircomb, 0.25, 20.0, "peak", pass_zero=True, fixed=(0,))
    if at_least("scipy", 1, 17):        # before, it has no rule
        yield from (case(sg.gammatone, 200.0, kind, fs=2000.0, fixed=("fs",)) for kind in ("fir", "iir"))
    yield from (case(f, 0.2, 0.3, 1.0, 30.0) for f in (sg.buttord, sg.cheb1ord, sg.cheb2ord, sg.ellipord))
    yield from (case(f, 0.3, 0.2, 1.0, 30.0) for f in (sg.buttord, sg.cheb2ord))
    yield from (case(f, np.array([0.3, 0.5]), np.array([0.2, 0.6]), 1.0, 30.0) for f in (sg.buttord, sg.cheb1ord, sg.cheb2ord, sg.ellipord))
    yield case(sg.buttord, 2.0, 3.0, 1.0, 20.0, True)
    yield case(sg.band_stop_obj, 0.25, 0, np.array([0.2, 0.7]), np.array([0.3, 0.5]), 1.0, 30.0, "butter")
    yield case(sg.band_stop_obj, 0.65, 1, np.array([0.2, 0.7]), np.array([0.3, 0.5]), 1.0, 30.0, "cheby")
    yield from (case(sg.iirdesign, 0.2, 0.4, 1.0, 30.0, ftype=t) for t in ("butter", "cheby1", "cheby2"))
    yield case(sg.iirdesign, np.array([0.3, 0.5]), np.array([0.2, 0.65]), 1.0, 30.0, ftype="butter", output="sos")
    yield from (case(sw.kaiser, n, 3.0, s) for n in (6, 7) for s in (True, False))
    yield case(sw.gaussian, 6, 1.5)
    yield case(sw.general_gaussian, 7, 1.4, 2.0, False)
    yield case(sw.general_hamming, 6, 0.7)
    yield case(sw.exponential, 6, None, 1.4)
    yield case(sw.tukey, 7, 0.4)
    yield case(sg.get_window, 3.0, 7)
    yield case(sg.kaiser_beta, 60.0)
    yield case(sg.kaiser_beta, 30.0)
    yield case(sg.kaiser_beta, 10.0)
    yield case(sg.kaiser_atten, 11, 0.2)
    yield case(sg.kaiserord, 40.0, 0.2)
    yield case(sg.firwin, 9, 0.3, window=("kaiser", 2.5))
    yield case(sg.firwin, 9, 0.3)
    yield case(sg.firwin, 9, np.array([0.2, 0.5]), pass_zero=False)
    yield case(sg.firwin, 9, np.array([0.2, 0.5]))
    yield case(sg.firwin, 9, 0.3, pass_zero="highpass")
    yield case(sg.firwin, 8, 3.0, width=1.5, fs=20.0)
    yield case(sg.firwin, 9, 0.3, scale=False, window="hann")
    yield case(sg.firwin2, 9, np.array([0, 0.3, 0.6, 1.0]), np.array([1.0, 0.8, 0.2, 0.1]), fixed=(1,))
    yield case(sg.firwin2, 9, np.array([0, 0.3, 0.6, 1.0]), np.array([0, 0.8, 0.2, 0.0]), antisymmetric=True, fixed=(1, 2))
    yield case(sg.firls, 7, np.array([0, 0.3, 0.5, 1.0]), np.array([1.0, 0.9, 0.1, 0.05]), fixed=(1,))
    yield case(sg.firls, 9, np.array([0.05, 0.3, 0.5, 0.9]), np.array([1.0, 0.9, 0.1, 0.05]), weight=np.array([1.0, 2.0]))
    yield case(sg.minimum_phase, np.array([0.05, 0.1, 1.0, 0.1, 0.05]), n_fft=64)
    yield case(sg.minimum_phase, np.array([0.05, 0.1, 1.0, 0.1, 0.05]), half=False, n_fft=65)
    yield case(sg.minimum_phase, h, "hilbert", n_fft=64)
    yield case(installed("scipy.signal.firwin_2d"), (5, 7), ("hann", "hamming"), fc=0.4)
    yield case(installed("scipy.signal.firwin_2d"), (5, 7), "hann", fc=0.4, circular=True)
