"""Frequency responses of filters, differentiated by their coefficients, zeros and poles, and by the frequencies."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...installed import installed
from ...registry import constant, definition

TURN = 2.0 * np.pi


def found_frequencies(first: Any, second: Any, count: Any, kind: Any) -> Any:
    """Frequencies that show the poles and zeros: powers of 10 that are rounded, and so constant."""
    return sg.findfreqs(first, second, count, kind)


constant(found_frequencies)
SHAPES[found_frequencies] = lambda *args: Arr("float64", (ANY,))


def angles(w: Any, whole: Any, fs: Any, last: Any = False) -> Any:
    """The angles of frequencies, or of as many as are asked for."""
    if np.ndim(w) == 0:
        count = 512 if w is None else w
        step = (TURN if whole else np.pi) / (count - 1 if last and not whole else count)
        return np.arange(count) * step
    return TURN * w / fs


def counted(w: Any) -> bool:
    return w is None or isinstance(w, int)


@definition(sg.freqz)
def freqz(b: Any, a: Any = 1, worN: Any = 512, whole: Any = False, plot: Any = None, fs: Any = TURN, include_nyquist: Any = False) -> Any:
    """With respect to both polynomials, and through frequencies that are given."""
    w = angles(worN if counted(worN) else np.atleast_1d(worN), whole, fs, include_nyquist)
    return w * (fs / TURN), polynomial(b, w) / polynomial(a, w)


def polynomial(b: Any, w: Any) -> Any:
    """A polynomial in ``exp(-1j w)``, the constant coefficient first."""
    held = np.atleast_1d(b)
    return np.exp(-1j * w[:, None] * np.arange(held.shape[0])) @ held


@definition(sg.freqs)
def freqs(b: Any, a: Any, worN: Any = 200, plot: Any = None) -> Any:
    """With respect to both polynomials, and through frequencies that are given."""
    w = found_frequencies(b, a, 200 if worN is None else worN, "ba") if counted(worN) else np.atleast_1d(worN)
    s = 1j * w
    return w, np.polyval(b, s) / np.polyval(a, s)


def from_roots(z: Any, s: Any) -> Any:
    """The product of the differences to the zeros."""
    return np.prod(s[:, None] - z, axis=1)


@definition(sg.freqs_zpk)
def freqs_zpk(z: Any, p: Any, k: Any, worN: Any = 200) -> Any:
    """With respect to zeros, poles, gain, and through frequencies that are given."""
    w = found_frequencies(z, p, 200 if worN is None else worN, "zp") if counted(worN) else np.atleast_1d(worN)
    return w, k * from_roots(z, 1j * w) / from_roots(p, 1j * w)


@definition(sg.freqz_zpk)
def freqz_zpk(z: Any, p: Any, k: Any, worN: Any = 512, whole: Any = False, fs: Any = TURN) -> Any:
    """With respect to zeros, poles, gain, and through frequencies that are given."""
    w = angles(worN if counted(worN) else np.atleast_1d(worN), whole, fs)
    at = np.exp(1j * w)
    return w * (fs / TURN), k * from_roots(z, at) / from_roots(p, at)


@definition(installed("scipy.signal.freqz_sos"), installed("scipy.signal.sosfreqz"))
def freqz_sos(sos: Any, worN: Any = 512, whole: Any = False, fs: Any = TURN) -> Any:
    """The product of the sections."""
    w = angles(worN if counted(worN) else np.atleast_1d(worN), whole, fs)
    powers = np.exp(-1j * w[:, None] * np.arange(3))
    return w * (fs / TURN), np.prod((powers @ sos[:, :3].T) / (powers @ sos[:, 3:].T), axis=1)


@definition(sg.group_delay, lists=True)
def group_delay(system: Any, w: Any = 512, whole: Any = False, fs: Any = TURN) -> Any:
    """Where a zero or a pole lies on the circle there is none."""
    b, a = np.atleast_1d(system[0]), np.atleast_1d(system[1])
    at = angles(w if counted(w) else np.atleast_1d(w), whole, fs)
    c = np.convolve(b, np.conj(a[::-1]))
    delay = np.real(polynomial(c * np.arange(c.shape[0]), at) / polynomial(c, at))
    return at * (fs / TURN), delay - a.shape[0] + 1


@definition(sg.freqresp, lists=True)
def freqresp(system: Any, w: Any = None, n: Any = 10000) -> Any:
    """Of a system given by two polynomials or by zeros, poles and gain, at frequencies that are given."""
    if len(system) == 2:
        return freqs(system[0], system[1], n if w is None else w)
    return freqs_zpk(system[0], system[1], system[2], n if w is None else w)


@definition(sg.dfreqresp, lists=True)
def dfreqresp(system: Any, w: Any = None, n: Any = 10000, whole: Any = False) -> Any:
    """Of a system given by two polynomials or by zeros, poles and gain, and the time step."""
    at = angles(n if w is None else w, whole, TURN)
    z = np.exp(1j * at)
    if len(system) == 3:
        return at, np.polyval(system[0], z) / np.polyval(system[1], z)
    return at, system[2] * from_roots(system[0], z) / from_roots(system[1], z)


def levels(h: Any) -> Any:
    """Decibels and degrees."""
    size = np.real(h) ** 2 + np.imag(h) ** 2
    return 10.0 * np.log10(size), np.unwrap(np.arctan2(np.imag(h), np.real(h))) * (180.0 / np.pi)


@definition(sg.bode, lists=True)
def bode(system: Any, w: Any = None, n: Any = 100) -> Any:
    """The response in decibels and degrees."""
    at, h = freqresp(system, w, n)
    size, phase = levels(h)
    return at, size, phase


@definition(sg.dbode, lists=True)
def dbode(system: Any, w: Any = None, n: Any = 100) -> Any:
    """The response in decibels and degrees."""
    at, h = dfreqresp(system, w, n)
    size, phase = levels(h)
    return at / system[len(system) - 1], size, phase
