"""Spectra of a signal piece by piece, and the signal of such spectra: made of windows, Fourier transforms and overlapping sums."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Tensor, wrap
from .fft import FFT
from .table import FUNCTIONS, op

__all__ = ["istft", "stft"]


def described(name: str, self: Tensor, **how: Any) -> str:
    """The call, as the messages about it begin."""
    return f"{name}({self.type()}{list(self.shape)}, {', '.join(f'{k}={v}' for k, v in how.items())})"


def window_of(call: str, window: Tensor | None, win_length: int, n_fft: int, like: Tensor) -> Tensor:
    """The window (by default ones), centered in ``n_fft`` points; raises RuntimeError if its length is not ``win_length``."""
    if window is None:
        window = wrap(np.ones(win_length, like._array.real.dtype))
    elif tuple(window.shape) != (win_length,):
        raise RuntimeError(f"{call}: expected a 1D window tensor of size equal to win_length={win_length}, but got window with size "
                           f"{list(window.shape)}")
    before = (n_fft - win_length) // 2
    return FUNCTIONS["constant_pad_nd"](window, (before, n_fft - win_length - before)) if win_length < n_fft else window


@op()
def stft(self: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
         center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
         return_complex: bool | None = None, align_to_window: bool | None = None) -> Any:
    """The Fourier transform of each window on a signal: frequencies in rows, windows in columns.

    Parameters
    ----------
    self : Tensor
        A signal, or a batch of them, real or complex.
    n_fft : int
        The length of each transform.
    hop_length, win_length : int, optional
        How far windows are apart (``n_fft // 4``), and how long they are (``n_fft``).
    window : Tensor, optional
        What each part is multiplied by, ones by default.
    center : bool
        Whether windows are around their places: the signal is padded on both sides, in the way that ``pad_mode`` tells.
    normalized, onesided, return_complex, align_to_window : bool, optional
        Whether transforms are unitary, hold no negative frequencies, come as complex numbers (as pairs otherwise), and whether the first
        of them begins at the window rather than around it.
    """
    hop, length = n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length
    call = described("stft", self, n_fft=n_fft, hop_length=hop, win_length=length)
    if not dtypes.is_differentiable(self.dtype):
        raise RuntimeError(f"{call}: expected a tensor of floating point or complex values")
    if self.ndim not in (1, 2):
        raise RuntimeError(f"{call}: expected a 1D or 2D tensor")
    has_complex = self.is_complex() or window is not None and window.is_complex()
    if return_complex is None:
        if not has_complex:
            raise RuntimeError("stft requires the return_complex parameter be given for real inputs, and will further require that "
                               "return_complex=True in a future PyTorch release.")
        return_complex = True
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false.")
    x = self if self.ndim == 2 else self.unsqueeze(0)
    if center:
        from ..padding import pad  # ops are not complete yet when this module is imported
        x = pad(x.unsqueeze(1), (n_fft // 2, n_fft // 2), pad_mode).squeeze(1)
    if not 0 < n_fft <= x.shape[1]:
        raise RuntimeError(f"{call}: expected 0 < n_fft < {x.shape[1]}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(f"{call}: expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"{call}: expected 0 < win_length <= n_fft, but got win_length={length}")
    shape = window_of(call, window, length, n_fft, x)
    if align_to_window:
        before = (n_fft - length) // 2
        x = FUNCTIONS["constant_pad_nd"](x, (before, before))
    parts = x.unfold(1, n_fft, hop)
    parts = parts if window is None and length == n_fft else parts * shape
    if onesided and has_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    half = not has_complex if onesided is None else onesided
    found = FFT["rfft" if half else "fft"](parts, norm="ortho" if normalized else None).transpose(1, 2)
    found = found if self.ndim == 2 else found.squeeze(0)
    return found if return_complex else FUNCTIONS["view_as_real"](found)


@op()
def istft(self: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
          center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
          return_complex: bool = False) -> Any:
    """The signal whose `stft` this is: the least-squares solution where no signal has it.

    Raises
    ------
    RuntimeError
        If some of the signal is under no window, so that nothing is known of it.
    """
    hop, wide = n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length
    call = described("istft", self, n_fft=n_fft, hop_length=hop, win_length=wide)
    if not self.is_complex():
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with return_complex=True.")
    if self.ndim not in (2, 3) or not self.numel():
        raise RuntimeError(f"{call}: expected a tensor with 2 or 3 dimensions that is not empty")
    rows, columns = self.shape[-2:]
    half = n_fft != rows if onesided is None else onesided
    if rows != (n_fft // 2 + 1 if half else n_fft):
        raise RuntimeError(f"{call}: expected the frequency dimension (3rd to the last) of the input tensor to match "
                           f"{'n_fft / 2 + 1' if half else 'n_fft'} when onesided={half}, but got {rows}")
    if not 0 < hop <= wide:
        raise RuntimeError(f"{call}: expected 0 < hop_length <= win_length")
    if not 0 < wide <= n_fft:
        raise RuntimeError(f"{call}: expected 0 < win_length <= n_fft")
    if half and return_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    spectra = (self if self.ndim == 3 else self.unsqueeze(0)).transpose(1, 2)
    shape = window_of(call, window, wide, n_fft, self)
    parts = FFT["irfft" if half else "ifft"](spectra, n_fft, norm="ortho" if normalized else None)
    parts = (parts if return_complex or half else parts.real) * shape
    whole = n_fft + hop * (columns - 1)
    places = wrap((hop * np.arange(columns)[:, None] + np.arange(n_fft)).ravel())
    found = parts.new_zeros((parts.shape[0], whole)).index_add(1, places, parts.reshape(parts.shape[0], -1))
    power = (shape * shape).expand(columns, n_fft).reshape(-1)
    weight = power.new_zeros((whole,)).index_add(0, places, power)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else whole - (n_fft // 2 if center else 0)
    found, weight = found[:, start:end], weight[start:end]
    least = float(np.min(np.abs(weight._array), initial=math.inf))
    if least < 1e-11:
        raise RuntimeError(f"{call}: window overlap add min: {least}")
    found = found / weight
    if end > whole:
        found = FUNCTIONS["constant_pad_nd"](found, (0, end - whole))
    return found if self.ndim == 3 else found.squeeze(0)
