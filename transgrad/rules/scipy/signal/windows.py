"""Windows, through their parameters."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg
import scipy.signal.windows as sw
import scipy.special

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...installed import installed
from ...registry import constant, definition
from ...static import NoDerivative


def named_window(window: Any, n: Any, periodic: Any) -> Any:
    return sg.get_window(window, n, fftbins=periodic)


constant(named_window)
SHAPES[named_window] = lambda *args: Arr("float64", (ANY,))


def window_of(window: Any, n: Any, periodic: Any) -> Any:
    """A window by its name, or through the parameters beside it."""
    if isinstance(window, str):
        return named_window(window, n, periodic)
    return get_window(window, n, periodic)


def centred(n: Any, sym: Any) -> Any:
    """The places of samples, from the middle."""
    m = n if sym else n + 1
    return np.arange(n) - 0.5 * (m - 1), m


@definition(sw.kaiser)
def kaiser(M: Any, beta: Any, sym: Any = True, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to beta."""
    t, m = centred(M, sym)
    return scipy.special.i0(beta * np.sqrt(np.maximum(1.0 - (2.0 * t / (m - 1)) ** 2, 0.0))) / scipy.special.i0(beta)


@definition(sw.gaussian)
def gaussian(M: Any, std: Any, sym: Any = True, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the deviation."""
    t, _ = centred(M, sym)
    return np.exp(-0.5 * (t / std) ** 2)


@definition(sw.general_gaussian)
def general_gaussian(M: Any, p: Any, sig: Any, sym: Any = True, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the power and the deviation."""
    t, _ = centred(M, sym)
    return np.exp(-0.5 * np.abs(t / sig) ** (2.0 * p))


@definition(sw.general_hamming)
def general_hamming(M: Any, alpha: Any, sym: Any = True, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the coefficient."""
    t, m = centred(M, sym)
    return alpha + (1.0 - alpha) * np.cos(2.0 * np.pi * t / (m - 1))


@definition(sw.exponential)
def exponential(M: Any, center: Any = None, tau: Any = 1.0, sym: Any = True, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the middle and the decay."""
    t, m = centred(M, sym)
    return np.exp(-np.abs(t + 0.5 * (m - 1) - (0.5 * (m - 1) if center is None else center)) / tau)


@definition(sw.tukey)
def tukey(M: Any, alpha: Any = 0.5, sym: Any = True, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the share that is tapered."""
    t, m = centred(M, sym)
    inside = np.abs(2.0 * t / (m - 1))
    edge = 1.0 - alpha
    tapered = 0.5 * (1.0 + np.cos(np.pi * (inside - edge) / alpha))
    return np.where(inside <= edge, 1.0, tapered)


@definition(sw.general_cosine)
def general_cosine(M: Any, a: Any, sym: Any = True) -> Any:
    """With respect to the coefficients."""
    t, m = centred(M, sym)
    angles = 2.0 * np.pi * np.expand_dims(t, -1) / (m - 1)
    return np.cos(np.arange(a.shape[0]) * angles) @ a


@definition(sw.kaiser_bessel_derived)
def kaiser_bessel_derived(M: Any, beta: Any, *, sym: Any = True, xp: Any = None, device: Any = None) -> Any:
    """With respect to beta."""
    sums = np.cumsum(kaiser(M // 2 + 1, beta))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate((half, np.flip(half)))


@definition(sw.taylor)
def taylor(M: Any, nbar: Any = 4, sll: Any = 30, norm: Any = True, sym: Any = True, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the level of the side lobes."""
    t, m = centred(M, sym)
    a = np.arccosh(10.0 ** (sll / 20.0)) / np.pi
    k = np.arange(1.0, nbar)
    stretched = nbar ** 2 / (a * a + (nbar - 0.5) ** 2)
    zeros = np.prod(1.0 - (k * k)[:, None] / (stretched * (a * a + (k - 0.5) ** 2)), axis=1)
    others = np.prod(np.where(np.eye(nbar - 1) > 0.0, 1.0, 1.0 - (k * k)[:, None] / (k * k)), axis=1)
    shares = np.where(k % 2 == 1, 0.5, -0.5) * zeros / others
    w = 1.0 + 2.0 * np.cos(2.0 * np.pi * k * np.expand_dims(t, -1) / m) @ shares
    return w / (1.0 + 2.0 * np.sum(shares)) if norm else w


@definition(sw.chebwin)
def chebwin(M: Any, at: Any, sym: Any = True, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the attenuation."""
    t, m = centred(M, sym)
    x = np.cosh(np.arccosh(10.0 ** (np.abs(at) / 20.0)) / (m - 1.0)) * np.cos(np.pi * np.arange(m) / m)
    outside = np.abs(x) > 1.0
    p = np.where(outside, np.sign(x) ** (m - 1) * np.cosh((m - 1.0) * np.arccosh(np.where(outside, np.abs(x), 2.0))),
                 np.cos((m - 1.0) * np.arccos(np.where(outside, 0.0, x))))
    w = np.cos(2.0 * np.pi * np.expand_dims(np.arange(m) - 0.5 * (m - 1), -1) * np.arange(m) / m) @ p
    return (w / np.max(w))[:M]


@definition(sw.dpss)
def dpss(M: Any, NW: Any, Kmax: Any = None, sym: Any = True, norm: Any = None, return_ratios: Any = False, *, xp: Any = None,
         device: Any = None) -> Any:
    """The first window only, with respect to the bandwidth."""
    if Kmax is not None or norm not in (None, "approximate", 2) or return_ratios:
        raise NoDerivative("dpss has a derivative without Kmax and return_ratios, with norm 'approximate' and 2")
    t, m = centred(M, sym)
    k = np.arange(m) + 0.0
    beside = 0.5 * k[1:] * (m - k[1:])
    matrix = np.diag((0.5 * (m - 1.0) - k) ** 2 * np.cos(2.0 * np.pi * NW / m)) + np.diag(beside, 1) + np.diag(beside, -1)
    w = np.linalg.eigh(matrix)[1][:, -1]
    w = w * np.sign(np.sum(w))
    if norm is None or norm == "approximate":
        w = w / np.max(w) * (m * m / (m * m + NW) if m % 2 == 0 else 1.0)
    return w[:M]


WINDOWS: dict[str, Any] = {"kaiser": kaiser, "gaussian": gaussian, "general_gaussian": general_gaussian, "general_hamming": general_hamming,
           "exponential": exponential, "tukey": tukey, "general_cosine": general_cosine, "kaiser_bessel_derived": kaiser_bessel_derived,
           "taylor": taylor, "chebwin": chebwin, "dpss": dpss}


@definition(sg.get_window, sw.get_window)
def get_window(window: Any, Nx: Any, fftbins: Any = True, *, xp: Any = None, device: Any = None) -> Any:
    """With respect to the parameters of the windows that have some."""
    if not isinstance(window, (tuple, str)):
        return kaiser(Nx, window, not fftbins)
    if isinstance(window, str):
        return named_window(window, Nx, fftbins)
    if window[0] not in WINDOWS:
        raise NoDerivative(f"the window {window[0]!r} has no derivative by its parameters")
    return WINDOWS[window[0]](Nx, *window[1:], sym=not fftbins)


def shifted_sums(v: Any, hop: Any) -> Any:
    """The sums over the samples of a window that are whole hops apart."""
    k = np.arange(v.shape[0])
    return np.where((k[:, None] - k) % hop == 0, 1.0, 0.0) @ v


@definition(installed("scipy.signal.closest_STFT_dual_window"))
def closest_dual(win: Any, hop: Any, desired_dual: Any = None, *, scaled: Any = True) -> Any:
    """Of real windows: through both windows."""
    desired = np.ones_like(win) if desired_dual is None else desired_dual
    canonical = win / shifted_sums(win * win, hop)
    kept = canonical * shifted_sums(win * desired, hop)
    alpha = np.sum(kept * canonical) / np.sum(kept * kept) if scaled else 1.0
    return canonical + alpha * (desired - kept), alpha
