"""Recursive filters from their frequencies and ripples: Butterworth, Chebyshev, Bessel; notches, combs, gammatones.

The order is whole, and constant.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Num, TupleT
from ...installed import at_least
from ...registry import constant, definition
from ...static import NoDerivative
from .conversion import bilinear_zpk, lp2bp_zpk, lp2bs_zpk, lp2hp_zpk, lp2lp_zpk, zpk2tf

BANDS = {"l": "low", "lp": "low", "low": "low", "lowpass": "low", "h": "high", "hp": "high", "high": "high", "highpass": "high",
         "b": "band", "bp": "band", "band": "band", "pass": "band", "bandpass": "band", "bs": "stop", "bandstop": "stop", "bands": "stop",
         "stop": "stop"}


def fixed_prototype(n: Any, kind: Any, norm: Any) -> Any:
    """The poles and the gain of a prototype without ripple."""
    z, p, k = sg.buttap(n) if kind == "butter" else sg.besselap(n, norm)
    return p, float(k)


def places(n: Any) -> Any:
    """The angles of a Chebyshev filter's poles."""
    return np.arange(-n + 1, n, 2) * (0.5 * np.pi / n)


def pairs(z: Any, p: Any, k: Any, pairing: Any) -> Any:
    """Which zeros and poles, by their places, make each section; -1 for a root at the origin."""
    sos = sg.zpk2sos(z, p, k, pairing)
    found = np.full((len(sos), 4), -1)
    for values, at in ((z, 0), (p, 2)):
        left = list(range(len(values)))
        for row, section in enumerate(sos):
            for column, root in enumerate(np.roots(section[:3] if at == 0 else section[3:])):
                near = min(left, key=lambda m: abs(values[m] - root), default=-1)
                if near >= 0 and abs(values[near] - root) < 1e-5 * (1.0 + abs(root)):
                    found[row, at + column] = near
                    left.remove(near)
    return found


constant(fixed_prototype, places, pairs)
SHAPES[fixed_prototype] = lambda *args: TupleT((Arr("complex128", (ANY,)), Num("float")))
SHAPES[places] = lambda n: Arr("float64", (ANY,))
SHAPES[pairs] = lambda *args: Arr("int64", (ANY, ANY))


@definition(sg.cheb1ap)
def cheb1ap(N: Any, rp: Any, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the ripple."""
    ripple = np.sqrt(10.0 ** (0.1 * rp) - 1.0)
    p = -np.sinh(np.arcsinh(1.0 / ripple) / N + 1j * places(N))
    k = np.real(np.prod(-p))
    return np.zeros(0), p, k / np.sqrt(1.0 + ripple * ripple) if N % 2 == 0 else k


@definition(sg.cheb2ap)
def cheb2ap(N: Any, rs: Any, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the attenuation."""
    mu = np.arcsinh(np.sqrt(10.0 ** (0.1 * rs) - 1.0)) / N
    at = places(N)
    p = -1.0 / np.sinh(mu + 1j * at)
    z = 1j / np.sin(at[np.abs(at) > 1e-9])
    return z, p, np.real(np.prod(-p) / np.prod(-z))


def prototype(N: Any, rp: Any, rs: Any, ftype: Any) -> Any:
    """Zeros, poles and gain of a low-pass filter with the cutoff 1."""
    if ftype in ("cheby1", "chebyshev1", "chebyshevi"):
        z, p, k = cheb1ap(N, rp)
        return z, p, k
    if ftype in ("cheby2", "chebyshev2", "chebyshevii"):
        z, p, k = cheb2ap(N, rs)
        return z, p, k
    if ftype not in ("butter", "butterworth", "bessel", "bessel_phase", "bessel_delay", "bessel_mag"):
        raise NoDerivative("elliptic filters have no derivative: their poles are solutions of equations between elliptic integrals")
    norm = "phase" if ftype in ("bessel", "bessel_phase") else ftype[7:]
    p, k = fixed_prototype(N, "butter" if ftype in ("butter", "butterworth") else "bessel", norm)
    return np.zeros(0), p, k


@definition(sg.zpk2sos)
def zpk2sos(z: Any, p: Any, k: Any, pairing: Any = None, *, analog: Any = False) -> Any:
    """Of zeros and poles in conjugate pairs; which of them go together is constant."""
    if analog:
        raise NoDerivative("sections of an analog filter have no derivative: use its zeros and poles, or its polynomials")
    at = pairs(z, p, k, pairing)
    zeros = np.concatenate((z, np.zeros(1)))[at[:, :2]]
    poles = np.concatenate((p, np.zeros(1)))[at[:, 2:]]
    ones = np.ones(at.shape[0])
    gains = np.where(np.arange(at.shape[0]) == 0, k, 1.0)
    b = np.stack((gains, -gains * np.real(zeros[:, 0] + zeros[:, 1]), gains * np.real(zeros[:, 0] * zeros[:, 1])), axis=1)
    a = np.stack((ones, -np.real(poles[:, 0] + poles[:, 1]), np.real(poles[:, 0] * poles[:, 1])), axis=1)
    return np.concatenate((b, a), axis=1)


@definition(sg.tf2sos)
def tf2sos(b: Any, a: Any, pairing: Any = None, *, analog: Any = False) -> Any:
    """By the zeros and poles, which are assumed to be simple."""
    return zpk2sos(np.roots(b + 0j), np.roots(a + 0j), b[0] / a[0], pairing, analog=analog)


@definition(sg.iirfilter)
def iirfilter(N: Any, Wn: Any, rp: Any = None, rs: Any = None, btype: Any = "band", analog: Any = False, ftype: Any = "butter",
              output: Any = "ba", fs: Any = None) -> Any:
    """With respect to the frequencies, the ripple and the attenuation."""
    z, p, k = prototype(N, rp, rs, ftype)
    w = np.asarray(Wn) if fs is None else 2.0 * np.asarray(Wn) / fs
    warped = w if analog else 4.0 * np.tan(0.5 * np.pi * w)
    kind = BANDS[btype]
    if kind == "low":
        z, p, k = lp2lp_zpk(z, p, k, np.reshape(warped, ()))
    elif kind == "high":
        z, p, k = lp2hp_zpk(z, p, k, np.reshape(warped, ()))
    elif kind == "band":
        z, p, k = lp2bp_zpk(z, p, k, np.sqrt(warped[0] * warped[1]), warped[1] - warped[0])
    else:
        z, p, k = lp2bs_zpk(z, p, k, np.sqrt(warped[0] * warped[1]), warped[1] - warped[0])
    if not analog:
        z, p, k = bilinear_zpk(z, p, k, 2.0)
    if output == "zpk":
        return z, p, k
    if output == "sos":
        return zpk2sos(z, p, k, analog=analog)
    b, a = zpk2tf(z, p, k)
    return b, a


@definition(sg.butter)
def butter(N: Any, Wn: Any, btype: Any = "low", analog: Any = False, output: Any = "ba", fs: Any = None) -> Any:
    """With respect to the frequencies."""
    return iirfilter(N, Wn, None, None, btype, analog, "butter", output, fs)


@definition(sg.cheby1)
def cheby1(N: Any, rp: Any, Wn: Any, btype: Any = "low", analog: Any = False, output: Any = "ba", fs: Any = None) -> Any:
    """With respect to the frequencies and the ripple."""
    return iirfilter(N, Wn, rp, None, btype, analog, "cheby1", output, fs)


@definition(sg.cheby2)
def cheby2(N: Any, rs: Any, Wn: Any, btype: Any = "low", analog: Any = False, output: Any = "ba", fs: Any = None) -> Any:
    """With respect to the frequencies and the attenuation."""
    return iirfilter(N, Wn, None, rs, btype, analog, "cheby2", output, fs)


@definition(sg.bessel)
def bessel(N: Any, Wn: Any, btype: Any = "low", analog: Any = False, output: Any = "ba", norm: Any = "phase", fs: Any = None) -> Any:
    """With respect to the frequencies."""
    return iirfilter(N, Wn, None, None, btype, analog, "bessel_" + norm, output, fs)


def notch_or_peak(w0: Any, Q: Any, fs: Any, notch: bool) -> Any:
    w = 2.0 * np.pi * w0 / fs
    gain = 1.0 / (1.0 + np.tan(0.5 * w / Q))
    middle = -2.0 * np.cos(w)
    b = gain * np.stack((1.0, middle, 1.0)) if notch else (1.0 - gain) * np.array([1.0, 0.0, -1.0])
    return b, np.stack((1.0, gain * middle, 2.0 * gain - 1.0))


@definition(sg.iirnotch)
def iirnotch(w0: Any, Q: Any, fs: Any = 2.0, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the frequency, the quality and the rate."""
    return notch_or_peak(w0, Q, fs, True)


@definition(sg.iirpeak)
def iirpeak(w0: Any, Q: Any, fs: Any = 2.0, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the frequency, the quality and the rate."""
    return notch_or_peak(w0, Q, fs, False)


@definition(sg.iircomb)
def iircomb(w0: Any, Q: Any, ftype: Any = "notch", fs: Any = 2.0, *, pass_zero: Any = False, xp: Any = None, device: Any = None) -> Any:
    """With respect to the quality factor. The frequency divides the rate, so it cannot vary alone."""
    n = round(fs / w0)
    beta = np.tan(0.5 * np.pi * n * w0 / fs / Q)
    notch = ftype == "notch"
    sign = -1.0 if pass_zero != notch else 1.0
    last = 1.0 if notch else -1.0
    ends = np.stack((1.0 if notch else beta, sign * last * (1.0 if notch else beta))) / (1.0 + beta)
    at = np.arange(n + 1)
    b = np.where(at == 0, ends[0], np.where(at == n, ends[1], 0.0))
    return b, np.where(at == 0, 1.0, np.where(at == n, sign * (1.0 - beta) / (1.0 + beta), 0.0))


@definition(sg.gammatone if at_least("scipy", 1, 17) else None)       # older versions compute something else
def gammatone(freq: Any, ftype: Any, order: Any = None, numtaps: Any = None, fs: Any = None, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the frequency."""
    rate = 2.0 if fs is None else fs
    band = 1.019 * (freq / 9.26449 + 24.7)
    if ftype == "fir":
        n = 4 if order is None else order
        count = max(int(rate * 0.015), 15) if numtaps is None else numtaps
        t = np.arange(count) / rate
        scale = 2.0 * (2.0 * np.pi * band) ** n / np.prod(np.arange(1.0, n)) / rate
        return t ** (n - 1) * np.exp(-2.0 * np.pi * band * t) * np.cos(2.0 * np.pi * freq * t) * scale, np.ones(1)
    step = 1.0 / rate
    fr, decay = 2.0 * np.pi * freq * step, np.exp(-2.0 * np.pi * band * step)
    g1, g2 = -2.0 * np.exp(2j * fr) * step, 2.0 * decay * np.exp(1j * fr) * step
    wide, narrow = np.sqrt(3.0 + 2.0 ** 1.5) * np.sin(fr), np.sqrt(3.0 - 2.0 ** 1.5) * np.sin(fr)
    c = np.cos(fr)
    g = (g1 + g2 * (c - narrow)) * (g1 + g2 * (c + narrow)) * (g1 + g2 * (c - wide)) * (g1 + g2 * (c + wide))
    turn = np.exp(2j * fr)
    g = np.abs(g / (-2.0 * decay ** 2 - 2.0 * turn + 2.0 * (1.0 + turn) * decay) ** 4)
    k = np.arange(5)
    b = np.array([1.0, -4.0, 6.0, -4.0, 1.0]) * step ** 4 * np.cos(k * fr) * decay ** k / g
    quadratic = np.stack((1.0, -2.0 * c * decay, decay * decay))
    square = np.convolve(quadratic, quadratic)
    return b, np.convolve(square, square)


def order_of(name: str, wp: Any, ws: Any, gpass: Any, gstop: Any, analog: Any, fs: Any) -> Any:
    """The smallest order that meets the demands."""
    return getattr(sg, name)(wp, ws, gpass, gstop, analog, fs)[0]


constant(order_of)
SHAPES[order_of] = lambda *args: Num("int")


def warped(w: Any, analog: Any, fs: Any) -> Any:
    held = np.asarray(w) if fs is None else 2.0 * np.asarray(w) / fs
    return held if analog else np.tan(0.5 * np.pi * held)


def unwarped(w: Any, analog: Any, fs: Any) -> Any:
    held = w if analog else np.arctan(w) * (2.0 / np.pi)
    return held if fs is None else 0.5 * fs * held


def no_stop(wp: Any, ws: Any) -> None:
    """The frequencies of a band-stop filter come from a search."""
    if np.ndim(wp) > 0 and wp[0] < ws[0]:
        raise ValueError("the frequencies of a band-stop filter have no derivative: they come from a search for the smallest order")


@definition(sg.buttord)
def buttord(wp: Any, ws: Any, gpass: Any, gstop: Any, analog: Any = False, fs: Any = None) -> Any:
    """With respect to the frequencies and the losses; the order is constant. Not of band-stop filters."""
    no_stop(wp, ws)
    n = order_of("buttord", wp, ws, gpass, gstop, analog, fs)
    w, share = warped(wp, analog, fs), (10.0 ** (0.1 * gpass) - 1.0) ** (-0.5 / n)
    if np.ndim(wp) == 0:
        return n, unwarped(w * share if wp < ws else w / share, analog, fs)
    wide = 0.5 * share * (w[1] - w[0])
    root = np.sqrt(wide * wide + w[0] * w[1])
    return n, unwarped(np.stack((root - wide, root + wide)), analog, fs)


@definition(sg.cheb1ord)
def cheb1ord(wp: Any, ws: Any, gpass: Any, gstop: Any, analog: Any = False, fs: Any = None) -> Any:
    """The frequencies are those given; the order is constant. Not of band-stop filters."""
    no_stop(wp, ws)
    return order_of("cheb1ord", wp, ws, gpass, gstop, analog, fs), np.asarray(wp) * 1.0


@definition(sg.ellipord)
def ellipord(wp: Any, ws: Any, gpass: Any, gstop: Any, analog: Any = False, fs: Any = None) -> Any:
    """The frequencies are those given; the order is constant. Not of band-stop filters."""
    no_stop(wp, ws)
    return order_of("ellipord", wp, ws, gpass, gstop, analog, fs), np.asarray(wp) * 1.0


@definition(sg.cheb2ord)
def cheb2ord(wp: Any, ws: Any, gpass: Any, gstop: Any, analog: Any = False, fs: Any = None) -> Any:
    """With respect to the frequencies and the losses; the order is constant. Not of band-stop filters."""
    no_stop(wp, ws)
    n = order_of("cheb2ord", wp, ws, gpass, gstop, analog, fs)
    loss = np.arccosh(np.sqrt((10.0 ** (0.1 * gstop) - 1.0) / (10.0 ** (0.1 * gpass) - 1.0)))
    share = 1.0 / np.cosh(loss / n)
    w = warped(wp, analog, fs)
    if np.ndim(wp) == 0:
        return n, unwarped(w / share if wp < ws else w * share, analog, fs)
    wide = 0.5 * (w[0] - w[1]) / share
    first = wide + np.sqrt(wide * wide + w[0] * w[1])
    return n, unwarped(np.stack((first, w[0] * w[1] / first)), analog, fs)


@definition(sg.band_stop_obj)
def band_stop_obj(wp: Any, ind: Any, passb: Any, stopb: Any, gpass: Any, gstop: Any, type: Any) -> Any:
    """The order, not rounded; of Butterworth and Chebyshev filters."""
    low, high = (wp, passb[1]) if ind == 0 else (passb[0], wp)
    nat = np.min(np.abs(stopb * (low - high) / (stopb ** 2 - low * high)))
    quotient = (10.0 ** (0.1 * np.abs(gstop)) - 1.0) / (10.0 ** (0.1 * np.abs(gpass)) - 1.0)
    if type == "butter":
        return np.log10(quotient) / (2.0 * np.log10(nat))
    if type == "cheby":
        return np.arccosh(np.sqrt(quotient)) / np.arccosh(nat)
    raise NoDerivative("band_stop_obj has a derivative for type='butter' and type='cheby'")


@definition(sg.iirdesign)
def iirdesign(wp: Any, ws: Any, gpass: Any, gstop: Any, analog: Any = False, ftype: Any = "ellip", output: Any = "ba",
              fs: Any = None) -> Any:
    """Of Butterworth and Chebyshev filters; the order and the kind of band are constant."""
    kind = "band" if np.ndim(wp) > 0 else "low"
    if np.ndim(wp) == 0 and wp > ws:
        raise ValueError("iirdesign has a derivative for low-pass and band-pass filters; call butter or cheby1 with btype='highpass'")
    if ftype == "butter":
        n, w = buttord(wp, ws, gpass, gstop, analog, fs)
    elif ftype == "cheby1":
        n, w = cheb1ord(wp, ws, gpass, gstop, analog, fs)
    elif ftype == "cheby2":
        n, w = cheb2ord(wp, ws, gpass, gstop, analog, fs)
    else:
        raise NoDerivative("elliptic filters have no derivative: pass ftype='butter', 'cheby1' or 'cheby2'")
    return iirfilter(n, w, gpass, gstop, kind, analog, ftype, output, fs)
