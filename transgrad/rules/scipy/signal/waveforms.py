"""Waveforms: sweeps, pulses, saw teeth; splines of samples."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ...registry import definition


@definition(sg.chirp)
def chirp(t: Any, f0: Any, t1: Any, f1: Any, method: Any = "linear", phi: Any = 0, vertex_zero: Any = True, *, complex: Any = False) -> Any:
    """With respect to the times, both frequencies and the phase. If both frequencies of a logarithmic or hyperbolic sweep are equal,
    the derivative is that of a constant frequency."""
    phase = chirp_phase(t, f0, t1, f1, method, vertex_zero) + phi * (np.pi / 180.0)
    return np.exp(1j * phase) if complex else np.cos(phase)


def chirp_phase(t: Any, f0: Any, t1: Any, f1: Any, method: Any, vertex_zero: Any) -> Any:
    if method in ("linear", "lin", "li"):
        return 2.0 * np.pi * (f0 * t + 0.5 * (f1 - f0) / t1 * t * t)
    if method in ("quadratic", "quad", "q"):
        beta = (f1 - f0) / t1 ** 2
        if vertex_zero:
            return 2.0 * np.pi * (f0 * t + beta * t ** 3 / 3.0)
        return 2.0 * np.pi * (f1 * t + beta * ((t1 - t) ** 3 - t1 ** 3) / 3.0)
    if f0 == f1:
        return 2.0 * np.pi * f0 * t
    if method in ("logarithmic", "log", "lo"):
        beta = t1 / np.log(f1 / f0)
        return 2.0 * np.pi * beta * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    pole = -f1 * t1 / (f0 - f1)
    return 2.0 * np.pi * (-pole * f0) * np.log(np.abs(1.0 - t / pole))


@definition(sg.gausspulse)
def gausspulse(t: Any, fc: Any = 1000, bw: Any = 0.5, bwr: Any = -6, tpr: Any = -60, retquad: Any = False, retenv: Any = False) -> Any:
    """With respect to the times, the frequency, the bandwidth and the levels."""
    a = -(np.pi * fc * bw) ** 2 / (4.0 * np.log(10.0 ** (bwr / 20.0)))
    if isinstance(t, str):
        return np.sqrt(-np.log(10.0 ** (tpr / 20.0)) / a)
    envelope = np.exp(-a * t * t)
    real, imaginary = envelope * np.cos(2.0 * np.pi * fc * t), envelope * np.sin(2.0 * np.pi * fc * t)
    if retquad:
        return (real, imaginary, envelope) if retenv else (real, imaginary)
    return (real, envelope) if retenv else real


@definition(sg.sawtooth)
def sawtooth(t: Any, width: Any = 1) -> Any:
    """Rises, falls: at the jumps the derivative is that of the part to the right."""
    at = np.mod(t, 2.0 * np.pi)
    rising = at < 2.0 * np.pi * width
    up = at / (np.pi * np.where(rising, width, 1.0)) - 1.0
    down = (np.pi * (width + 1.0) - at) / (np.pi * np.where(rising, 1.0, 1.0 - width))
    return np.where((width < 0.0) | (width > 1.0), np.nan, np.where(rising, up, down))


@definition(sg.sweep_poly)
def sweep_poly(t: Any, poly: Any, phi: Any = 0) -> Any:
    """With respect to the times, the coefficients and the phase."""
    return np.cos(2.0 * np.pi * np.polyval(np.polyint(poly), t) + phi * (np.pi / 180.0))


@definition(sg.gauss_spline)
def gauss_spline(x: Any, n: Any) -> Any:
    """The normal density with the variance of a spline of degree n."""
    variance = (n + 1.0) / 12.0
    return np.exp(-x ** 2 / (2.0 * variance)) / np.sqrt(2.0 * np.pi * variance)
