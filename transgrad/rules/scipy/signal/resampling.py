"""Signals at other rates: by Fourier transforms, by polyphase filters, by leaving out; zoomed Fourier transforms."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition
from ...static import NoDerivative


def taps(up: Any, down: Any, window: Any) -> Any:
    """The low-pass filter of a polyphase change of rate."""
    rate = max(up, down)
    return sg.firwin(20 * rate + 1, 1.0 / rate, window=window)


def window_at_frequencies(window: Any, n: Any) -> Any:
    """A window over the frequencies of a transform, in their order."""
    return np.fft.ifftshift(sg.get_window(window, n)) if n % 2 else np.fft.fftshift(sg.get_window(window, n))


def sections(n: Any, q: Any) -> Any:
    """The recursive filter that `decimate` has of itself."""
    return sg.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")


def straight(n: Any, q: Any) -> Any:
    """The filter without recursion."""
    return sg.firwin(20 * q + 1 if n is None else n + 1, 1.0 / q, window="hamming")


constant(taps, window_at_frequencies, sections, straight)
SHAPES.update(dict.fromkeys((taps, window_at_frequencies, straight), lambda *args: Arr("float64", (ANY,))))
SHAPES[sections] = lambda n, q: Arr("float64", (ANY, ANY))
_MODES: dict[str, Any] = {"symmetric": "symmetric", "reflect": "reflect", "edge": "edge", "wrap": "wrap"}


def stuffed(v: Any, up: Any) -> Any:
    """A signal with ``up - 1`` zeros after each sample but the last."""
    n = v.shape[-1]
    k = np.arange((n - 1) * up + 1)
    return np.where(k % up == 0, v[..., k // up], 0.0)


def polyphase(h: Any, v: Any, up: Any, down: Any) -> Any:
    """Upsampling with zeros, a filter, and downsampling along the last axis."""
    wide = np.pad(stuffed(v, up), [(0, 0)] * (np.ndim(v) - 1) + [(0, h.shape[0] - 1)])
    return sg.lfilter(h, 1.0, wide)[..., ::down]


@definition(sg.upfirdn)
def upfirdn(h: Any, x: Any, up: Any = 1, down: Any = 1, axis: Any = -1, mode: Any = "constant", cval: Any = 0) -> Any:
    """With respect to the filter and the signal; of the modes 'constant', 'symmetric', 'reflect', 'edge' and 'wrap'."""
    v = np.moveaxis(x, axis, -1)
    if mode == "constant" and cval == 0:
        return np.moveaxis(polyphase(h, v, up, down), -1, axis)
    n, length = v.shape[-1], h.shape[0]
    more = -(-length // up) + 1
    if mode == "constant":
        inside = np.pad(np.ones(n), (more, more))
        wide = np.pad(v, [(0, 0)] * (np.ndim(v) - 1) + [(more, more)]) + cval * (1.0 - inside)
    elif mode in _MODES:
        wide = np.pad(v, [(0, 0)] * (np.ndim(v) - 1) + [(more, more)], mode=_MODES[mode])
    else:
        raise NoDerivative(f"upfirdn has no derivative with mode={mode!r}: extend the signal with np.pad")
    count = (n - 1) * up + length
    full = sg.lfilter(h, 1.0, stuffed(wide, up))[..., more * up:more * up + count]
    return np.moveaxis(full[..., ::down], -1, axis)


def needed(h_length: Any, n_in: Any, up: Any, down: Any, before: Any, count: Any) -> Any:
    """How many zeros a filter needs at its end for enough samples to come out."""
    return np.maximum(0, (count - 1) * down + 1 - ((n_in - 1) * up + h_length + before))


@definition(sg.resample_poly)
def resample_poly(x: Any, up: Any, down: Any, axis: Any = 0, window: Any = ("kaiser", 5.0), padtype: Any = "constant",
                  cval: Any = None) -> Any:
    """With respect to the signal, and through a window that is given as an array."""
    divisor = np.gcd(up, down)
    up, down = up // divisor, down // divisor
    if up == 1 and down == 1:
        return x * 1.0
    v = np.moveaxis(x, axis, -1)
    n_in = v.shape[-1]
    n_out = -(-n_in * up // down)
    h = (taps(up, down, window).astype(x.dtype) if isinstance(window, (tuple, str)) else window) * up
    half = (h.shape[0] - 1) // 2
    before = down - half % down
    removed = (half + before) // down
    h = np.pad(h, (before, needed(h.shape[0], n_in, up, down, before, n_out + removed)))
    if padtype in ("mean", "median", "maximum", "minimum"):
        level = background(v, padtype)
        y = polyphase(h, v - level, up, down)[..., removed:removed + n_out] + level
    else:
        y = sg.upfirdn(h, v, up, down, mode=padtype, cval=0 if cval is None else cval)[..., removed:removed + n_out]
    return np.moveaxis(y, -1, axis)


def background(v: Any, padtype: Any) -> Any:
    """The background that is subtracted before a filter and added back after it."""
    if padtype == "mean":
        return np.mean(v, axis=-1, keepdims=True)
    if padtype == "median":
        return np.median(v, axis=-1, keepdims=True)
    return np.max(v, axis=-1, keepdims=True) if padtype == "maximum" else np.min(v, axis=-1, keepdims=True)


@definition(sg.decimate)
def decimate(x: Any, q: Any, n: Any = None, ftype: Any = "iir", axis: Any = -1, zero_phase: Any = True) -> Any:
    """With its default filters."""
    v = np.moveaxis(x, axis, -1)
    if ftype == "fir":
        b = straight(n, q).astype(x.dtype)
        if zero_phase:
            y = sg.resample_poly(v, 1, q, axis=-1, window=b)
        else:
            y = sg.upfirdn(b, v, 1, q)[..., :-(-v.shape[-1] // q)]
        return np.moveaxis(y, -1, axis)
    if ftype != "iir":
        raise NoDerivative("decimate has a derivative with ftype='iir' and ftype='fir'; filter the signal yourself with another system")
    sos = sections(n, q).astype(x.dtype)
    y = sg.sosfiltfilt(sos, v) if zero_phase else sg.sosfilt(sos, v)
    return np.moveaxis(y[..., ::q], -1, axis)


@definition(sg.resample)
def resample(x: Any, num: Any, t: Any = None, axis: Any = 0, window: Any = None, domain: Any = "time") -> Any:
    """By the spectrum, cut or filled with zeros; through the signal, the times and a window that is given as an array."""
    v = np.moveaxis(x, axis, -1) if np.ndim(x) > 1 else x
    n = v.shape[-1]
    spectrum = np.fft.fft(v) if domain == "time" else v
    if window is not None:
        weights = window_at_frequencies(window, n) if isinstance(window, (tuple, str)) else window
        if domain == "time" and not np.iscomplexobj(x):     # a real signal sees the even part
            weights = 0.5 * (weights + np.roll(np.flip(weights), 1))
        spectrum = spectrum * weights
    m = min(num, n)
    k = np.arange(num)
    signed = np.where(2 * k < num, k, k - num)
    inside = 2 * np.abs(signed) < m
    kept = np.where(inside, spectrum[..., signed % n], 0.0)
    if m % 2 == 0:      # the highest frequency stands for itself and its mirror image
        middle = 0.5 * (spectrum[..., m // 2] + spectrum[..., n - m // 2])
        share = middle if num <= n else 0.5 * spectrum[..., m // 2]
        total = 2.0 * share if num < n else share
        if num <= n:
            kept = np.where(2 * k == m, total[..., None], kept)
        else:
            kept = np.where((k == m // 2) | (k == num - m // 2), share[..., None], kept)
    y = np.fft.ifft(kept * (num / n))
    y = np.real(y) if domain == "time" and not np.iscomplexobj(x) else y
    y = np.moveaxis(y, -1, axis) if np.ndim(x) > 1 else y
    return y if t is None else (y, t[0] + (t[1] - t[0]) * (n / num) * np.arange(num))


def chirped(v: Any, first: Any, powers: Any, m: Any) -> Any:
    """Bluestein's sums ``sum_n v[n] first[n] w ** (n k)`` for k below m, from ``powers = w ** (k ** 2 / 2)``."""
    n = v.shape[-1]
    length = n + m - 1
    kernel = np.concatenate((np.flip(1.0 / powers[1:n]), 1.0 / powers[:m]))
    y = np.fft.ifft(np.fft.fft(kernel, length + n) * np.fft.fft(v * first * powers[:n], length + n))
    return y[..., n - 1:n - 1 + m] * powers[:m]


@definition(sg.czt)
def czt(x: Any, m: Any = None, w: Any = None, a: Any = 1 + 0j, *, axis: Any = -1) -> Any:
    """With respect to the signal, the ratio and the start of the spiral."""
    v = np.swapaxes(x, axis, -1)
    n = v.shape[-1]
    count = n if m is None else m
    k = np.arange(max(count, n))
    powers = np.exp(-1j * np.pi * (k * k % (2 * count)) / count) if w is None else w ** (0.5 * k * k)
    return np.swapaxes(chirped(v, a ** (-k[:n]), powers, count), axis, -1)


@definition(sg.zoom_fft)
def zoom_fft(x: Any, fn: Any, m: Any = None, *, fs: Any = 2, endpoint: Any = False, axis: Any = -1) -> Any:
    """With respect to the signal, the frequencies and the rate."""
    v = np.swapaxes(x, axis, -1)
    n = v.shape[-1]
    count = n if m is None else m
    ends = np.asarray(fn)
    first, last = (0.0, fn) if np.ndim(fn) == 0 else (ends[0], ends[1])
    scale = (last - first) / fs * (count / (count - 1) if endpoint else 1.0)
    k = np.arange(max(count, n))
    powers = np.exp(-1j * np.pi * scale * (k * k) / count)
    return np.swapaxes(chirped(v, np.exp(-2j * np.pi * first / fs * k[:n]), powers, count), axis, -1)


@definition(sg.czt_points)
def czt_points(m: Any, w: Any = None, a: Any = 1 + 0j) -> Any:
    """The points of the spiral."""
    k = np.arange(m)
    return a * np.exp(2j * np.pi * k / m) if w is None else a * w ** (-k)
