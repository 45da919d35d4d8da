"""scipy.signal: resampling, spectra and waveforms."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transgrad.rules.installed import at_least

from .forms import Case, case, cplx, positive, real


def cases() -> Iterator[Case]:
    import scipy.signal as sg
    t = np.linspace(0.1, 2, 9)
    yield from (case(sg.upfirdn, real(5), real(2, 6), u, d) for u, d in ((1, 1), (3, 2), (2, 5)))
    yield from (case(sg.upfirdn, real(5), real(7), 3, 2, mode=m) for m in ("symmetric", "edge", "reflect", "wrap"))
    yield case(sg.upfirdn, real(4), real(6, 2), 2, 1, axis=0, cval=0.5)
    yield from (case(sg.resample_poly, real(12), u, d, padtype=p) for u, d in ((2, 3), (3, 1), (1, 2)) for p in ("constant", "mean", "edge"))
    yield case(sg.resample_poly, real(2, 12), 4, 6, axis=1, padtype="median")
    yield case(sg.resample_poly, real(12), 2, 3, window=real(9))
    yield case(sg.resample_poly, real(5), 3, 3)
    yield case(sg.decimate, real(60), 2)
    yield case(sg.decimate, real(60), 3, zero_phase=False)
    yield case(sg.decimate, real(60), 2, ftype="fir")
    yield case(sg.decimate, real(2, 50), 3, 6, ftype="fir", zero_phase=False)
    yield from (case(sg.resample, real(n), num) for n in (7, 8) for num in (5, 6, 8, 7, 9, 10, 12))
    yield case(sg.resample, real(3, 8), 6, axis=1, window="hann")
    yield case(sg.resample, real(8), 6, window="hann")
    yield case(sg.resample, real(7), 9, window="hamming")
    yield case(sg.resample, cplx(8), 6)
    yield case(sg.resample, cplx(6), 8)
    yield case(sg.resample, cplx(6), 6)
    yield case(sg.resample, real(8), 6, np.linspace(0, 1.0, 8))
    yield case(sg.resample, cplx(8), 5, domain="freq")
    yield case(sg.czt, real(6))
    yield case(sg.czt, cplx(2, 6), 4, 0.9 * np.exp(-0.3j), 1.1 + 0.1j)
    yield case(sg.czt, real(6, 2), 8, axis=0)
    yield case(sg.zoom_fft, real(6), 0.5, 4)
    yield case(sg.zoom_fft, real(6), np.array([0.2, 0.7]), 5, fs=3.0, endpoint=True)
    yield case(sg.czt_points, 4, 0.9 + 0.2j, 1.1 + 0.3j)
    yield from (case(sg.welch, real(20), nperseg=8, **k) for k in ({}, dict(nfft=12), dict(detrend=False), dict(detrend="linear"), dict(return_onesided=False), dict(scaling="spectrum"), dict(average="median"), dict(noverlap=2, fs=2.5)))
    yield case(sg.welch, real(2, 20), nperseg=7, axis=1)
    yield case(sg.welch, real(20, 2), window=positive(6), axis=0)
    yield case(sg.welch, cplx(16), nperseg=8, return_onesided=False)
    yield case(sg.welch, real(10))
    yield case(sg.csd, real(20), real(20), nperseg=8)
    yield case(sg.csd, real(20), real(20), nperseg=8, average="median")
    yield case(sg.coherence, real(30), real(30), nperseg=8)
    yield case(sg.periodogram, real(9))
    yield case(sg.periodogram, real(2, 9), nfft=6)
    yield case(sg.periodogram, real(9), 2.0, "hann", 12, scaling="spectrum")
    yield from (case(sg.stft, real(20), nperseg=8, **k) for k in ({}, dict(boundary=None), dict(boundary="even"), dict(boundary="odd"), dict(boundary="constant", padded=False), dict(scaling="psd", fs=2.0), dict(return_onesided=False), dict(detrend="constant")))
    yield case(sg.stft, real(2, 20), nperseg=6, noverlap=4)
    yield case(sg.stft, real(20, 2), nperseg=6, axis=0)
    yield from (case(sg.spectrogram, real(20), nperseg=8, mode=m) for m in ("psd", "complex", "magnitude", "angle", "phase"))
    yield case(sg.spectrogram, real(2, 30), window="hann", nperseg=6)
    yield case(sg.istft, cplx(5, 4))
    yield case(sg.istft, cplx(2, 5, 4), nperseg=8, boundary=False)
    yield case(sg.istft, cplx(8, 4), input_onesided=False)
    yield case(sg.istft, cplx(5, 4), 2.0, scaling="psd")
    yield case(sg.vectorstrength, positive(5), 1.3)
    yield case(sg.vectorstrength, positive(5), positive(3))
    yield from (case(sg.lombscargle, np.linspace(0.1, 6.0, 7) + 0.1 * real(7), real(7), positive(3), normalize=n) for n in (False, True))
    if at_least("scipy", 1, 15):
        yield from (case(sg.lombscargle, np.linspace(0.1, 6.0, 7) + 0.1 * real(7), real(7), positive(3), normalize=n, floating_mean=f)
                    for n in (False, True, "amplitude") for f in (False, True))
        yield case(sg.lombscargle, positive(7), real(7), positive(3), weights=positive(7))
    yield from (case(sg.chirp, t, 1.0, 2.0, 0.4, m) for m in ("linear", "quadratic", "logarithmic", "hyperbolic"))
    yield case(sg.chirp, t, 1.0, 2.0, 0.4, "quadratic", 30.0, False)
    yield case(sg.chirp, t, 1.0, 2.0, 0.4, complex=True)
    yield case(sg.gausspulse, t, 1.2)
    yield case(sg.gausspulse, t, 1.2, 0.4, -5.0, retquad=True, retenv=True)
    yield case(sg.gausspulse, "cutoff", 1.2, 0.4, -5.0, -50.0)
    yield case(sg.sawtooth, t + 0.03, 0.4)
    yield case(sg.sawtooth, t)
    yield case(sg.sweep_poly, t, real(3), 20.0)
    yield case(sg.gauss_spline, t, 3)
