"""scipy.signal: convolutions and filters, through signals and coefficients.

A convolution is linear in both signals; a filter ``B / A`` in the signal and in B, and its derivative by A is filtered once more.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ...ir.infer_shapes import SHAPES
from ...ir.types import ANY, Arr
from ..registry import definition, rule
from ..static import NoDerivative, is_complex, lifted, ndim

convolve = lifted(sg.convolve)
lfilter = lifted(sg.lfilter)


def embedded(g: Any, a: Any, b: Any, mode: str) -> Any:
    """The cotangent of the full convolution of which ``mode`` is cut out."""
    if mode == "full":
        return g
    widths = []
    for k in range(ndim(a)):
        n, m = a.shape[k], b.shape[k]
        if mode == "same":
            before, after = (m - 1) // 2, m - 1 - (m - 1) // 2
        else:
            before = after = np.minimum(n, m) - 1
        widths.append((before, after))
    return np.pad(g, widths)


def plain(*arrays: Any) -> None:
    if any(map(is_complex, arrays)):
        raise NoDerivative("no derivative of scipy.signal's convolutions of complex signals; numpy.convolve has one")


def sides(g: Any, a: Any, b: Any, mode: str) -> tuple[Any, Any]:
    """The cotangents of both signals."""
    plain(a, b)
    full = embedded(g, a, b, mode)
    return convolve(full, np.flip(b), "valid"), convolve(full, np.flip(a), "valid")


@rule(sg.convolve, kind="multilinear", linear_in=(0, 1))
def _(g, y, in1, in2, mode="full", method="auto"):
    return sides(g, in1, in2, mode)


@rule(sg.fftconvolve, sg.oaconvolve, kind="multilinear", linear_in=(0, 1))
def _(g, y, in1, in2, mode="full", axes=None):
    if axes is not None:
        raise NoDerivative("no derivative of a convolution along some axes only")
    return sides(g, in1, in2, mode)


@rule(sg.convolve2d, kind="multilinear", linear_in=(0, 1))
def _(g, y, in1, in2, mode="full", boundary="fill", fillvalue=0):
    if boundary != "fill":
        raise NoDerivative("convolve2d has a derivative with boundary='fill'")
    return sides(g, in1, in2, mode)


@definition(sg.correlate)
def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    """The convolution with the other signal turned round."""
    return sg.convolve(in1, np.flip(np.conj(in2)), mode)


@definition(sg.correlate2d)
def correlate2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    """The convolution with the other image turned round."""
    if mode == "same":
        raise NotImplementedError("correlate2d has a derivative with mode='full' and mode='valid'")
    return sg.convolve2d(in1, np.flip(np.conj(in2)), mode, boundary, fillvalue)


def lags(g: Any, u: Any, count: int, axis: int) -> Any:
    """The sums of ``g[n] u[n - k]`` over all n and lines, for k below ``count``."""
    g, u = np.moveaxis(g, axis, -1), np.moveaxis(u, axis, -1)
    n = g.shape[-1]
    return np.array([np.sum(g[..., k:] * u[..., :max(n - k, 0)]) for k in range(count)])


lagged = lifted(lags)
SHAPES[lags] = lambda g, u, count, axis: Arr(g.type.dtype, (ANY,)) if isinstance(g.type, Arr) else None


@rule(lags, kind="multilinear", linear_in=(0, 1))
def _(g, y, first, second, count, axis):
    back = np.flip(lfilter(g, 1.0, np.flip(first, axis), axis), axis)
    return lfilter(g, 1.0, second, axis), back


def no_state(zi: Any) -> None:
    if zi is not None:
        raise NoDerivative("no derivative of a filter with an initial state zi")


def lfilter_by_b(t, y, b, a, x, axis=-1, zi=None):
    no_state(zi)
    return lfilter(t, a, x, axis)


def lfilter_by_a(t, y, b, a, x, axis=-1, zi=None):
    no_state(zi)
    return -lfilter(t, a, y, axis)


def lfilter_by_x(t, y, b, a, x, axis=-1, zi=None):
    no_state(zi)
    return lfilter(b, a, t, axis)


@rule(sg.lfilter, kind="general", jvp=(lfilter_by_b, lfilter_by_a, lfilter_by_x))
def _(g, y, b, a, x, axis=-1, zi=None):
    no_state(zi)
    plain(b, a, x)
    back = np.flip(lfilter(1.0, a, np.flip(g, axis), axis), axis)       # through 1 / A, backwards in time
    by_x = np.flip(lfilter(b, 1.0, np.flip(back, axis), axis), axis)
    by_b = np.sum(back * x) if ndim(b) == 0 else lagged(back, x, b.shape[0], axis)
    by_a = -np.sum(back * y) if ndim(a) == 0 else -lagged(back, y, a.shape[0], axis)
    return by_b, by_a, by_x


@definition(sg.sosfilt)
def sosfilt(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """One section after the other."""
    if zi is not None:
        raise NotImplementedError("no derivative of a filter with an initial state zi")
    x = np.asarray(x, np.result_type(x, sos))
    for k in range(sos.shape[0]):
        x = sg.lfilter(sos[k, :3], sos[k, 3:], x, axis)
    return x


@definition(sg.lfilter_zi)
def lfilter_zi(b: Any, a: Any) -> Any:
    """The state of a filter in which a step goes on as it is, for as many coefficients on either side."""
    if b.shape[0] != a.shape[0]:
        raise NotImplementedError("lfilter_zi has a derivative for as many coefficients in b as in a: pad the shorter one with zeros")
    b, a = b / a[0], a / a[0]
    n = a.shape[0]
    companion = np.concatenate((-a[1:, None], np.eye(n - 1, n - 2)), axis=1)
    return np.linalg.solve(np.eye(n - 1) - companion, b[1:] - a[1:] * b[0])


def with_state(b: Any, a: Any, x: Any, zi: Any) -> Any:
    """A filter along the last axis that starts in the state ``zi * x[..., :1]``."""
    start = np.concatenate((zi, np.zeros(x.shape[-1] - zi.shape[0])))
    return sg.lfilter(b, a, x) + sg.lfilter(a[:1], a, start) * x[..., :1]


@definition(sg.filtfilt)
def filtfilt(b: Any, a: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None, method: Any = "pad",
             irlen: Any = None) -> Any:
    """A filter there and back, for as many coefficients on either side, with odd padding."""
    if method != "pad" or padtype != "odd" or b.shape[0] != a.shape[0]:
        raise NotImplementedError("filtfilt has a derivative with method='pad', padtype='odd' and as many coefficients in b as in a")
    edge = 3 * a.shape[0] if padlen is None else padlen
    v = np.moveaxis(x, axis, -1)
    n = v.shape[-1]
    left = 2.0 * v[..., :1] - np.flip(v[..., 1:edge + 1], -1)
    right = 2.0 * v[..., -1:] - np.flip(v[..., n - edge - 1:n - 1], -1)
    zi = lfilter_zi(b, a)
    there = with_state(b, a, np.concatenate((left, v, right), axis=-1), zi)
    back = np.flip(with_state(b, a, np.flip(there, -1), zi), -1)
    return np.moveaxis(back[..., edge:edge + n], -1, axis)


@definition(sg.detrend)
def detrend(data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0, overwrite_data: Any = False) -> Any:
    """Less the mean, or less the straight line that fits best."""
    if np.ndim(bp) != 0 or bp != 0:
        raise NotImplementedError("detrend has a derivative without break points")
    rest = data - np.mean(data, axis=axis, keepdims=True)
    if type in ("constant", "c"):
        return rest
    v = np.moveaxis(rest, axis, -1)
    t = np.arange(v.shape[-1]) - 0.5 * (v.shape[-1] - 1)
    return np.moveaxis(v - (v @ t / np.sum(t * t))[..., None] * t, -1, axis)


@definition(sg.hilbert)
def hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    """The analytic signal."""
    spectrum = np.moveaxis(np.fft.fft(x, N, axis), axis, -1)
    n = spectrum.shape[-1]
    k = np.arange(n)
    h = np.where((k == 0) | (2 * k == n), 1.0, np.where(2 * k < n, 2.0, 0.0))
    return np.moveaxis(np.fft.ifft(spectrum * h), -1, axis)
