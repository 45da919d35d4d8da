"""Smoothing and trends: Savitzky-Golay, medians and ranks, Wiener's filter; analytic signals and envelopes."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ...installed import at_least, installed
from ...registry import definition
from ...static import NoDerivative


@definition(sg.detrend)
def detrend(data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0, overwrite_data: Any = False) -> Any:
    """Less the mean, or less the straight lines that fit best between break points."""
    if type in ("constant", "c"):
        return data - np.mean(data, axis=axis, keepdims=True)
    v = np.moveaxis(data, axis, -1)
    n = v.shape[-1]
    if np.ndim(bp) == 0 and bp == 0:
        return np.moveaxis(without_line(v), -1, axis)
    places = np.unique(np.concatenate((np.zeros(1, int), np.atleast_1d(bp), np.full(1, n))))
    parts = [without_line(v[..., places[k]:places[k + 1]]) for k in range(len(places) - 1)]
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, axis)


def without_line(v: Any) -> Any:
    """Less the straight line that fits best."""
    rest = v - np.mean(v, axis=-1, keepdims=True)
    t = np.arange(v.shape[-1]) - 0.5 * (v.shape[-1] - 1)
    return rest - (rest @ t / np.sum(t * t))[..., None] * t


@definition(sg.hilbert)
def hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    """The analytic signal."""
    spectrum = np.moveaxis(np.fft.fft(x, N, axis), axis, -1)
    return np.moveaxis(np.fft.ifft(spectrum * one_sided(spectrum.shape[-1])), -1, axis)


def one_sided(n: Any) -> Any:
    """2 for positive frequencies, 0 for negative ones, 1 for those that are neither."""
    k = np.arange(n)
    return np.where((k == 0) | (2 * k == n), 1.0, np.where(2 * k < n, 2.0, 0.0))


@definition(sg.hilbert2 if at_least("scipy", 1, 17) else None)       # older versions compute something else
def hilbert2(x: Any, N: Any = None, axes: Any = (-2, -1)) -> Any:
    """The analytic image: of frequencies that are positive along both axes."""
    shape = N if N is None or np.ndim(N) else (N, N)
    spectrum = np.moveaxis(np.fft.fft2(x, shape, axes), axes, (-2, -1))
    rows, columns = spectrum.shape[-2], spectrum.shape[-1]
    held = spectrum * half(rows)[:, None] * half(columns)
    return np.fft.ifft2(np.moveaxis(held, (-2, -1), axes), None, axes)


def half(n: Any) -> Any:
    """1 at frequency 0, 2 at positive ones, 0 elsewhere."""
    k = np.arange(n)
    return np.where(k == 0, 1.0, np.where(k < (n + 1) // 2, 2.0, 0.0))


@definition(installed("scipy.signal.envelope"))
def envelope(z: Any, bp_in: Any = (1, None), *, n_out: Any = None, squared: Any = False, residual: Any = "lowpass", axis: Any = -1) -> Any:
    """At 0 the derivative of the modulus is 0; the number of samples is constant."""
    if n_out is not None:
        raise NoDerivative("envelope has a derivative without n_out; resample its result")
    v = np.moveaxis(z, axis, -1)
    n = v.shape[-1]
    k = np.arange(n)
    low = -(n // 2) if bp_in[0] is None else bp_in[0]
    high = (n + 1) // 2 if bp_in[1] is None else bp_in[1]
    whole = np.iscomplexobj(z)
    spectrum = np.fft.fft(v)
    signed = np.where(k < (n + 1) // 2, k, k - n)
    if not whole:       # of a real signal half of the spectrum is kept, and doubled where the band has positive frequencies
        doubled = (k < high) & ((k >= low) if low > 0 else (k > 0) & (high > 0))
        spectrum = spectrum * np.where(2 * k <= n, np.where(doubled, 2.0, 1.0), 0.0)
    band = np.fft.ifft(spectrum * ((signed >= low) & (signed < high)))
    size = np.real(band) ** 2 + np.imag(band) ** 2
    found = np.moveaxis(size if squared else np.sqrt(size), -1, axis)
    if residual is None:
        return found
    kept = ~((signed >= low) & (signed < high))
    if low <= 0 and high > 0:
        kept = (k >= high) & (k < low % n)
    if residual == "lowpass":
        kept = kept & ((k < high) | (2 * k >= n) if high > 0 else (k < low % n) & (2 * k >= n))
    rest = spectrum * kept
    back = np.fft.ifft(rest) if whole else np.fft.irfft(rest[..., :n // 2 + 1], n)
    return np.stack((found, np.moveaxis(back, -1, axis)))


@definition(sg.savgol_coeffs)
def savgol_coeffs(window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, pos: Any = None, use: Any = "conv", *,
                  xp: Any = None, device: Any = None) -> Any:
    """With respect to the spacing and the place."""
    at = (0.5 * (window_length - 1) if window_length % 2 == 0 else window_length // 2) if pos is None else pos
    x = np.arange(window_length) - at
    x = np.flip(x) if use == "conv" else x
    if deriv > polyorder:
        return np.zeros(window_length) * delta
    order = np.arange(polyorder + 1)
    factorial = np.prod(np.arange(1.0, deriv + 1.0))
    wanted = np.where(order == deriv, factorial, 0.0) / delta ** deriv
    return np.linalg.pinv(x ** order[:, None]) @ wanted


_MODES: dict[str, Any] = {"mirror": "reflect", "nearest": "edge", "wrap": "wrap"}


@definition(sg.savgol_filter)
def savgol_filter(x: Any, window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, axis: Any = -1, mode: Any = "interp",
                  cval: Any = 0.0) -> Any:
    """The polynomials that fit best around each sample."""
    v = np.moveaxis(x, axis, -1)
    n = v.shape[-1]
    before, after = window_length // 2, (window_length - 1) // 2
    if mode == "interp":
        if window_length % 2 == 0:
            raise NoDerivative("savgol_filter with mode='interp' has a derivative for an odd window_length")
        wide = v
    elif mode == "constant":
        inside = np.pad(np.ones(n), (after, before))
        wide = np.pad(v, [(0, 0)] * (np.ndim(v) - 1) + [(after, before)]) + cval * (1.0 - inside)
    else:
        wide = np.pad(v, [(0, 0)] * (np.ndim(v) - 1) + [(after, before)], mode=_MODES[mode])
    weights = savgol_coeffs(window_length, polyorder, deriv, delta)
    taps = np.flip(weights)
    at = np.arange(wide.shape[-1] - window_length + 1)[:, None] + np.arange(window_length)
    inner = wide[..., at] @ taps
    if mode != "interp":
        return np.moveaxis(inner, -1, axis)
    first, last = fitted(v[..., :window_length], polyorder, deriv, delta), fitted(v[..., n - window_length:], polyorder, deriv, delta)
    return np.moveaxis(np.concatenate((first[..., :before], inner, last[..., window_length - before:]), axis=-1), -1, axis)


def fitted(v: Any, polyorder: Any, deriv: Any, delta: Any) -> Any:
    """The derivative of the polynomial that fits best, at every sample."""
    count = v.shape[-1]
    t = np.arange(count) - 0.5 * (count - 1)
    order = np.arange(polyorder + 1)
    coefficients = v @ np.linalg.pinv(t[:, None] ** order).T
    slopes = np.ones(polyorder + 1)
    for k in range(deriv):
        slopes = slopes * np.maximum(order - k, 0)
    powers = t[:, None] ** np.maximum(order - deriv, 0)
    return coefficients @ (powers * slopes).T / delta ** deriv


def windows_of(v: Any, shape: Any) -> Any:
    """Around each element those within a box, 0 outside."""
    wide = np.pad(v, [(size // 2, size - 1 - size // 2) for size in shape])
    return np.lib.stride_tricks.sliding_window_view(wide, shape)


@definition(sg.medfilt)
def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    """The element in the middle has the derivative."""
    shape: Any = (3,) * np.ndim(volume) if kernel_size is None else kernel_size
    shape = (shape,) * np.ndim(volume) if np.ndim(shape) == 0 else tuple(shape)
    return order_filter(volume, np.ones(shape), np.prod(shape) // 2)


@definition(sg.medfilt2d)
def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    """The element in the middle has the derivative."""
    return medfilt(input, kernel_size)


@definition(sg.order_filter)
def order_filter(a: Any, domain: Any, rank: Any) -> Any:
    """The element of that rank has the derivative."""
    around = np.reshape(windows_of(a, np.shape(domain)), a.shape + (-1,))
    return np.sort(around[..., np.flatnonzero(domain)], axis=-1)[..., rank]


@definition(sg.wiener)
def wiener(im: Any, mysize: Any = None, noise: Any = None) -> Any:
    """If the local variance equals the noise variance, the derivative of the side without noise is used."""
    shape: Any = (3,) * np.ndim(im) if mysize is None else mysize
    shape = (shape,) * np.ndim(im) if np.ndim(shape) == 0 else tuple(shape)
    box = np.ones(shape)
    mean = sg.correlate(im, box, "same") / np.size(box)
    variance = sg.correlate(im ** 2, box, "same") / np.size(box) - mean ** 2
    level = np.mean(variance) if noise is None else noise
    quiet = variance < level
    share = np.where(quiet, 0.0, 1.0 - level / np.where(quiet, 1.0, variance))
    return mean + (im - mean) * share
