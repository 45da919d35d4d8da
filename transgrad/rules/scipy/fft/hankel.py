"""scipy.fft: Hankel transforms of samples on a logarithmic grid, through the samples, the step, the order, the offset and the bias."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft as sf
import scipy.special as sp

from ...installed import at_least
from ...registry import definition


def coefficients(n: Any, dln: Any, mu: Any, offset: Any, bias: Any) -> Any:
    """The coefficients of the transform: of quotients of the gamma function."""
    k = np.arange(n // 2 + 1)
    y = np.pi * k / (n * dln)
    u = sp.loggamma(0.5 * (mu + 1.0 + bias) + 1j * y) - np.conj(sp.loggamma(0.5 * (mu + 1.0 - bias) + 1j * y))
    u = u + bias * np.log(2.0) + 2j * y * (np.log(2.0) - offset)
    u = np.exp(u)
    return np.where(2 * k == n, np.real(u), u)


def powers(n: Any, dln: Any) -> Any:
    """The logarithms of the places, from the middle."""
    return (np.arange(n) - 0.5 * (n - 1)) * dln


@definition(sf.fht if at_least("scipy", 1, 17) else None)       # older versions compute something else
def fht(a: Any, dln: Any, mu: Any, offset: Any = 0.0, bias: Any = 0.0) -> Any:
    """Where the transform is singular (a pole of the gamma function) there is no derivative."""
    n = a.shape[-1]
    j = powers(n, dln)
    spectrum = np.fft.rfft(a * np.exp(-bias * j)) * coefficients(n, dln, mu, offset, bias)
    return np.flip(np.fft.irfft(spectrum, n), -1) * np.exp(-bias * (j + offset))


@definition(sf.ifht if at_least("scipy", 1, 17) else None)       # older versions compute something else
def ifht(A: Any, dln: Any, mu: Any, offset: Any = 0.0, bias: Any = 0.0) -> Any:
    """Where the transform is singular (a pole of the gamma function) there is no derivative."""
    n = A.shape[-1]
    j = powers(n, dln)
    spectrum = np.fft.rfft(A * np.exp(bias * (j + offset))) / np.conj(coefficients(n, dln, mu, offset, bias))
    return np.flip(np.fft.irfft(spectrum, n), -1) * np.exp(bias * j)


@definition(sf.fhtoffset)
def fhtoffset(dln: Any, mu: Any, initial: Any = 0.0, bias: Any = 0.0) -> Any:
    """The nearest offset that suits: which of them that is, is constant."""
    y = 0.5j * np.pi / dln
    angles = np.imag(sp.loggamma(0.5 * (mu + 1.0 + bias) + y) + sp.loggamma(0.5 * (mu + 1.0 - bias) + y))
    at = (np.log(2.0) - initial) / dln + angles / np.pi
    return initial + (at - np.round(at)) * dln
