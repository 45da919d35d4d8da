"""Filters without recursion from their frequencies: windowed, sampled, by least squares, of least phase."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.signal as sg
import scipy.special

from ...installed import installed
from ...registry import definition
from .windows import kaiser, window_of


@definition(sg.kaiser_beta)
def kaiser_beta(a: Any) -> Any:
    """At the bounds 50 and 21 the derivative is that of smaller attenuation."""
    if a > 50:
        return 0.1102 * (a - 8.7)
    return 0.5842 * (a - 21) ** 0.4 + 0.07886 * (a - 21) if a > 21 else 0.0 * a


@definition(sg.kaiser_atten)
def kaiser_atten(numtaps: Any, width: Any) -> Any:
    """With respect to the width."""
    return 2.285 * (numtaps - 1) * np.pi * width + 7.95


@definition(sg.kaiserord)
def kaiserord(ripple: Any, width: Any) -> Any:
    """The number of taps is constant."""
    a = np.abs(ripple)
    return int(np.ceil((a - 7.95) / 2.285 / (np.pi * width) + 1)), kaiser_beta(a)


@definition(sg.firwin)
def firwin(numtaps: Any, cutoff: Any, *, width: Any = None, window: Any = "hamming", pass_zero: Any = True, scale: Any = True,
           fs: Any = None) -> Any:
    """With respect to the frequencies and the width."""
    nyquist = 1.0 if fs is None else 0.5 * fs
    edges = np.atleast_1d(cutoff) / nyquist
    low = pass_zero in (True, "lowpass", "bandstop")
    start = np.zeros(1 if low else 0)
    end = np.ones(1 if (edges.shape[0] % 2 == 0) == low else 0)
    bands = np.reshape(np.concatenate((start, edges, end)), (-1, 2))
    m = np.arange(numtaps) - 0.5 * (numtaps - 1)
    left, right = bands[:, :1], bands[:, 1:]
    h = np.sum(right * np.sinc(right * m) - left * np.sinc(left * m), axis=0)
    if width is not None:
        h = h * kaiser(numtaps, kaiser_beta(kaiser_atten(numtaps, width / nyquist)))
    else:
        h = h * window_of(window, numtaps, False)
    if not scale:
        return h
    first, last = bands[0, 0], bands[0, 1]
    middle = np.where(first == 0.0, 0.0, np.where(last == 1.0, 1.0, 0.5 * (first + last)))
    return h / np.sum(h * np.cos(np.pi * m * middle))


@definition(sg.firwin2)
def firwin2(numtaps: Any, freq: Any, gain: Any, *, nfreqs: Any = None, window: Any = "hamming", antisymmetric: Any = False,
            fs: Any = None) -> Any:
    """With respect to the frequencies, which are assumed to be distinct, and the gains."""
    nyquist = 1.0 if fs is None else 0.5 * fs
    count = 1 + 2 ** int(np.ceil(np.log2(numtaps))) if nfreqs is None else nfreqs
    x = np.linspace(0.0, 1.0, count)
    shift = np.exp(-0.5j * (numtaps - 1) * np.pi * x) * (1j if antisymmetric else 1.0)
    h = np.fft.irfft(np.interp(x * nyquist, freq, gain) * shift)[:numtaps]
    if window is not None:
        h = h * window_of(window, numtaps, False)
    if antisymmetric and numtaps % 2 == 1:
        return np.where(np.arange(numtaps) == numtaps // 2, 0.0, h)
    return h


@definition(sg.firls)
def firls(numtaps: Any, bands: Any, desired: Any, *, weight: Any = None, fs: Any = None) -> Any:
    """With respect to the bands, the gains and the weights."""
    edges = np.reshape(bands, (-1, 2)) / (1.0 if fs is None else 0.5 * fs)
    gains = np.reshape(desired, (-1, 2))
    weights = np.ones(gains.shape[0]) if weight is None else weight
    m = (numtaps - 1) // 2
    n = np.arange(numtaps)[:, None, None]
    q = np.diff(np.sinc(edges * n) * edges, axis=2)[:, :, 0] @ weights
    matrix = scipy.linalg.toeplitz(q[:m + 1]) + scipy.linalg.hankel(q[:m + 1], q[m:])
    slope = np.diff(gains, axis=1) / np.diff(edges, axis=1)
    start = gains[:, :1] - edges[:, :1] * slope
    few = n[:m + 1]
    b = edges * (slope * edges + start) * np.sinc(edges * few)
    later = slope * np.cos(few * np.pi * edges) / (np.pi * np.maximum(few, 1)) ** 2
    b = b + np.where(few == 0, -0.5 * slope * edges * edges, later)
    a = np.linalg.solve(matrix, np.diff(b, axis=2)[:, :, 0] @ weights)
    return np.concatenate((np.flip(a[1:]), 2.0 * a[:1], a[1:]))


@definition(sg.minimum_phase)
def minimum_phase(h: Any, method: Any = "homomorphic", n_fft: Any = None, *, half: Any = True) -> Any:
    """Of a symmetric filter."""
    length = h.shape[0]
    n = 2 ** int(np.ceil(np.log2(2 * (length - 1) / 0.01))) if n_fft is None else n_fft
    middle = length // 2
    if method == "hilbert":
        size = np.real(np.fft.fft(h, n) * np.exp(1j * np.arange(n) * (2.0 * np.pi / n * middle)))
        above, below = np.max(size) - 1.0, -np.min(size)
        level = 4.0 / (np.sqrt(1.0 + above + below) + np.sqrt(1.0 - above + below)) ** 2
        raised = (size + below) * level
        least = raised <= 0.0       # stays 0
        size = np.where(least, 0.0, np.sqrt(np.where(least, 1.0, raised))) + 1e-10
        k = np.arange(n)
        sign = np.where((k == 0) | (k == n // 2), 0.0, np.where(k < n // 2, 1.0, -1.0))
        found = np.real(np.fft.ifft(size * np.exp(np.fft.fft(sign * np.fft.ifft(np.log(size))))))
    else:
        size = np.abs(np.fft.fft(h, n))
        size = size + 1e-7 * np.min(np.where(size > 0.0, size, np.inf))
        cepstrum = np.real(np.fft.ifft(np.log(size))) * (0.5 if half else 1.0)
        k = np.arange(n)
        folded = np.where(k == 0, 1.0, np.where(k < n // 2, 2.0, np.where((k == n // 2) & (n % 2 == 1), 1.0, 0.0)))
        found = np.real(np.fft.ifft(np.exp(np.fft.fft(cepstrum * folded))))
    return found[:middle + length % 2 if half else length]


@definition(installed("scipy.signal.firwin_2d"))
def firwin_2d(hsize: Any, window: Any, *, fc: Any = None, fs: Any = 2, circular: Any = False, pass_zero: Any = True,
              scale: Any = True) -> Any:
    """With respect to the frequency."""
    if circular:
        count = max(hsize[0], hsize[1]) * 8
        profile = firwin(count, fc, window=window, fs=fs)
        x, y = np.linspace(-1.0, 1.0, hsize[0]), np.linspace(-1.0, 1.0, hsize[1])
        return np.interp(np.sqrt(x ** 2 + y[:, None] ** 2), np.linspace(0.0, 1.0, count), profile)
    return np.outer(firwin(hsize[0], fc, window=window[0], fs=fs), firwin(hsize[1], fc, window=window[1], fs=fs))
