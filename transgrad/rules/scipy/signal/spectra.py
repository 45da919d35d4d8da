"""Spectra that are estimated: of segments, windowed and transformed; and at given frequencies."""
from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import scipy.signal as sg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition
from ...static import NoDerivative


def window_values(window: Any, n: Any) -> Any:
    """A window by its name."""
    return sg.get_window(window, n)


constant(window_values)
SHAPES[window_values] = lambda window, n: Arr("float64", (ANY,))


#: the window of a call that names none: ``hann``, or ``hann_periodic``, which is the same
WINDOW = inspect.signature(sg.welch).parameters["window"].default
TAPERED = inspect.signature(sg.spectrogram).parameters["window"].default


def named(window: Any) -> bool:
    return isinstance(window, (str, tuple))


def windowed(window: Any, nperseg: Any, n: Any) -> Any:
    """The values of a window: of at most n samples if it is given by name."""
    return window_values(window, min(256 if nperseg is None else nperseg, n)) if named(window) else window


def segment_spectra(v: Any, win: Any, step: Any, nfft: Any, detrend: Any, onesided: Any) -> Any:
    """The spectra of the windowed segments along the last axis: [..., segment, frequency]."""
    length = win.shape[0]
    count = (v.shape[-1] - length) // step + 1
    at = np.arange(count)[:, None] * step + np.arange(length)
    parts = v[..., at]
    if detrend is not False and detrend is not None:
        parts = sg.detrend(parts, type=detrend)
    return np.fft.rfft(parts * win, nfft) if onesided else np.fft.fft(parts * win, nfft)


def frequencies(nfft: Any, fs: Any, onesided: Any) -> Any:
    return (np.fft.rfftfreq(nfft) if onesided else np.fft.fftfreq(nfft)) * fs


def mirrored(nfft: Any) -> Any:
    """The multiplicity of each frequency of a half spectrum: two with its mirror image, one if it is its own."""
    k = np.arange(nfft // 2 + 1)
    return np.where((k == 0) | (2 * k == nfft), 1.0, 2.0)


def scale_of(win: Any, fs: Any, scaling: Any) -> Any:
    """The scale factor of powers."""
    return 1.0 / (fs * np.sum(win * win)) if scaling in ("density", "psd") else 1.0 / np.sum(win) ** 2


def longer(v: Any, n: Any) -> Any:
    """A signal filled with zeros to n samples."""
    return np.pad(v, [(0, 0)] * (np.ndim(v) - 1) + [(0, n - v.shape[-1])])


def cross_powers(x: Any, y: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any, onesided: Any, scaling: Any,
                 axis: Any, average: Any) -> Any:
    """Frequencies, and the products of the spectra of two signals, averaged over segments."""
    u, v = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
    n = max(u.shape[-1], v.shape[-1])
    u, v = longer(u, n), longer(v, n)
    win = windowed(window, nperseg, n)
    length = win.shape[0]
    step = length - (length // 2 if noverlap is None else noverlap)
    points = length if nfft is None else nfft
    half = onesided and not np.iscomplexobj(x)
    p = np.conj(segment_spectra(u, win, step, points, detrend, half)) * segment_spectra(v, win, step, points, detrend, half)
    p = p * scale_of(win, fs, scaling)
    if half:
        p = p * mirrored(points)
    if average == "median":
        count = p.shape[-2]
        odd = np.arange(2.0, count, 2.0)
        bias = 1.0 + np.sum(1.0 / (odd + 1.0) - 1.0 / odd)
        mean = (np.median(np.real(p), axis=-2) + 1j * np.median(np.imag(p), axis=-2)) / bias
    else:
        mean = np.mean(p, axis=-2)
    return frequencies(points, fs, half), np.moveaxis(mean, -1, axis)


@definition(sg.csd)
def csd(x: Any, y: Any, fs: Any = 1.0, window: Any = WINDOW, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
        detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density", axis: Any = -1, average: Any = "mean") -> Any:
    """With respect to both signals, the rate, and a window that is given as an array; for two different signals."""
    return cross_powers(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


@definition(sg.welch)
def welch(x: Any, fs: Any = 1.0, window: Any = WINDOW, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
          detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density", axis: Any = -1, average: Any = "mean") -> Any:
    """With respect to the signal, the rate, and a window that is given as an array."""
    f, p = cross_powers(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)
    return f, np.real(p)


@definition(sg.periodogram)
def periodogram(x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True,
                scaling: Any = "density", axis: Any = -1) -> Any:
    """One segment."""
    v = np.moveaxis(x, axis, -1)
    if nfft is not None:
        v = v[..., :nfft]
    n = v.shape[-1]
    win = window_values("boxcar" if window is None else window, n) if window is None or named(window) else window
    f, p = cross_powers(v, v, fs, win, None, 0, nfft, detrend, return_onesided, scaling, -1, "mean")
    return f, np.moveaxis(np.real(p), -1, axis)


@definition(sg.coherence)
def coherence(x: Any, y: Any, fs: Any = 1.0, window: Any = WINDOW, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
              detrend: Any = "constant", axis: Any = -1) -> Any:
    """The power of the product over the product of the powers."""
    f, cross = cross_powers(x, y, fs, window, nperseg, noverlap, nfft, detrend, True, "density", axis, "mean")
    _, first = cross_powers(x, x, fs, window, nperseg, noverlap, nfft, detrend, True, "density", axis, "mean")
    _, second = cross_powers(y, y, fs, window, nperseg, noverlap, nfft, detrend, True, "density", axis, "mean")
    return f, (np.real(cross) ** 2 + np.imag(cross) ** 2) / np.real(first) / np.real(second)


def bordered(v: Any, edge: Any, boundary: Any) -> Any:
    """A signal with ``edge`` samples more at either end."""
    if boundary == "zeros":
        return np.pad(v, [(0, 0)] * (np.ndim(v) - 1) + [(edge, edge)])
    n = v.shape[-1]
    if boundary == "constant":
        same = np.ones(edge)
        return np.concatenate((v[..., :1] * same, v, v[..., -1:] * same), axis=-1)
    before, after = np.flip(v[..., 1:edge + 1], -1), np.flip(v[..., n - edge - 1:n - 1], -1)
    if boundary == "odd":
        before, after = 2.0 * v[..., :1] - before, 2.0 * v[..., -1:] - after
    return np.concatenate((before, v, after), axis=-1)


def over_time(x: Any, fs: Any, win: Any, noverlap: Any, nfft: Any, detrend: Any, onesided: Any, boundary: Any, padded: Any,
              axis: Any) -> Any:
    """Frequencies, times and the spectra of segments: [..., segment, frequency]."""
    v = np.moveaxis(x, axis, -1)
    length = win.shape[0]
    step = length - noverlap
    if boundary is not None:
        v = bordered(v, length // 2, boundary)
    if padded:
        v = longer(v, v.shape[-1] + (-(v.shape[-1] - length) % step) % length)
    points = length if nfft is None else nfft
    half = onesided and not np.iscomplexobj(x)
    spectra = segment_spectra(v, win, step, points, detrend, half)
    start = 0.0 if boundary is not None else 0.5 * length
    return frequencies(points, fs, half), (start + step * np.arange(spectra.shape[-2])) / fs, spectra


def behind(spectra: Any, axis: Any) -> Any:
    """The spectra with frequencies in place of the time axis, and segments last."""
    return np.moveaxis(spectra, -1, axis - 1 if axis < 0 else axis)


@definition(sg.stft)
def stft(x: Any, fs: Any = 1.0, window: Any = WINDOW, nperseg: Any = 256, noverlap: Any = None, nfft: Any = None,
         detrend: Any = False, return_onesided: Any = True, boundary: Any = "zeros", padded: Any = True, axis: Any = -1,
         scaling: Any = "spectrum") -> Any:
    """With respect to the signal, the rate, and a window that is given as an array."""
    win = windowed(window, nperseg, x.shape[axis])
    overlap = win.shape[0] // 2 if noverlap is None else noverlap
    f, t, spectra = over_time(x, fs, win, overlap, nfft, detrend, return_onesided, boundary, padded, axis)
    return f, t, behind(spectra * np.sqrt(scale_of(win, fs, scaling)), axis)


@definition(sg.spectrogram)
def spectrogram(x: Any, fs: Any = 1.0, window: Any = TAPERED, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
                detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density", axis: Any = -1, mode: Any = "psd") -> Any:
    """The modes 'psd', 'complex', 'magnitude', 'angle' and 'phase'; at a modulus of 0 it has derivative 0."""
    win = windowed(window, nperseg, x.shape[axis])
    overlap = win.shape[0] // 8 if noverlap is None else noverlap
    f, t, spectra = over_time(x, fs, win, overlap, nfft, detrend, return_onesided, None, False, axis)
    scale = scale_of(win, fs, scaling)
    if mode == "psd":
        power = (np.real(spectra) ** 2 + np.imag(spectra) ** 2) * scale
        if return_onesided and not np.iscomplexobj(x):
            power = power * mirrored(win.shape[0] if nfft is None else nfft)
        return f, t, behind(power, axis)
    held = behind(spectra * np.sqrt(scale), axis)
    if mode == "complex":
        return f, t, held
    if mode == "magnitude":
        return f, t, np.abs(held)
    return f, t, np.unwrap(np.angle(held), axis=axis - 1 if axis < 0 else axis) if mode == "phase" else np.angle(held)


@definition(sg.istft)
def istft(Zxx: Any, fs: Any = 1.0, window: Any = WINDOW, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
          input_onesided: Any = True, boundary: Any = True, time_axis: Any = -1, freq_axis: Any = -2, scaling: Any = "spectrum") -> Any:
    """Of spectra with the frequencies and the segments along the last two axes."""
    if time_axis != -1 or freq_axis != -2:
        raise NoDerivative("istft has a derivative for frequencies and segments along the last two axes: transpose before")
    usual = 2 * (Zxx.shape[-2] - 1) if input_onesided else Zxx.shape[-2]
    length = usual if nperseg is None else nperseg
    points = nfft if nfft is not None else length if input_onesided and nperseg == usual + 1 else usual
    step = length - (length // 2 if noverlap is None else noverlap)
    win = window_values(window, length) if named(window) else window
    count = Zxx.shape[-1]
    parts = np.fft.irfft(Zxx, points, axis=-2) if input_onesided else np.fft.ifft(Zxx, points, axis=-2)
    parts = parts[..., :length, :] * (np.sum(win) if scaling == "spectrum" else np.sqrt(fs * np.sum(win ** 2)))
    total = length + (count - 1) * step
    x = np.zeros(Zxx.shape[:-2] + (total,), parts.dtype)
    norm = np.zeros(total)
    for k in range(count):
        x[..., k * step:k * step + length] += parts[..., k] * win
        norm[k * step:k * step + length] += win ** 2
    cut = length // 2 if boundary else 0
    x, norm = x[..., cut:total - cut], norm[cut:total - cut]
    x = x / np.where(norm > 1e-10, norm, 1.0)
    return np.arange(x.shape[0]) / fs, np.real(x) if input_onesided else x


@definition(sg.vectorstrength)
def vectorstrength(events: Any, period: Any) -> Any:
    """At a strength of 0 the derivative is 0, and of the angle there is none."""
    turns = np.exp(2j * np.pi * (events / np.expand_dims(period, -1)))
    mean = np.mean(turns, axis=-1)
    return np.abs(mean), np.angle(mean)


@definition(sg.lombscargle)
def lombscargle(x: Any, y: Any, freqs: Any, *, precenter: Any = False, normalize: Any = False, weights: Any = None,
                floating_mean: Any = False) -> Any:
    """With respect to times, values, frequencies and weights."""
    share = np.full(x.shape[0], 1.0 / x.shape[0]) if weights is None else weights / np.sum(weights)
    angles = freqs[:, None] * x
    c, s = np.cos(angles), np.sin(angles)
    mean = np.sum(share * y)
    cc, cs = (c * c) @ share, (c * s) @ share
    ss = 1.0 - cc
    if floating_mean:
        mc, ms = c @ share, s @ share
        cc, ss, cs = cc - mc * mc, ss - ms * ms, cs - mc * ms
    tau = 0.5 * np.arctan2(2.0 * cs, cc - ss)
    c, s = np.cos(angles - tau[:, None]), np.sin(angles - tau[:, None])
    yc, ys, cc = c @ (share * y), s @ (share * y), (c * c) @ share
    ss = 1.0 - cc
    if floating_mean:
        mc, ms = c @ share, s @ share
        yc, ys, cc, ss = yc - mean * mc, ys - mean * ms, cc - mc * mc, ss - ms * ms
    least = np.finfo(float).epsneg
    a, b = yc / np.where(cc < least, least, cc), ys / np.where(ss < least, least, ss)
    if normalize == "amplitude":
        return (a + 1j * b) * np.exp(1j * tau)
    power = 2.0 * (a * yc + b * ys)
    if normalize is True or normalize == "normalize":
        total = np.sum(share * y * y) - (mean * mean if floating_mean else 0.0)
        return power * 0.5 / total
    return power * (0.25 * x.shape[0])
