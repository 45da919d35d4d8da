"""Fourier transforms: a transform's matrix is symmetric, so its reverse is the transform itself."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import rule
from .static import NoDerivative, arange, axes_of, ndim, same

_SWAPPED: dict[Any, Any] = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def resized(x: Any, a: Any, n: Any, axis: int) -> Any:
    """``x`` as long along ``axis`` as ``a``, where the transform had cut or padded ``a`` to length ``n``."""
    if n is None:
        return x
    at = axis % ndim(a)
    shorter = x[(slice(None),) * at + (slice(None, a.shape[at]),)]
    widths: list[Any] = [(0, 0)] * ndim(a)
    widths[at] = (0, a.shape[at] - shorter.shape[at])
    return np.pad(shorter, widths)


@rule(np.fft.fft, kind="linear")
def _(g, y, a, n=None, axis=-1, norm=None):
    return resized(np.fft.fft(g, None, axis, norm), a, n, axis)


@rule(np.fft.ifft, kind="linear")
def _(g, y, a, n=None, axis=-1, norm=None):
    return resized(np.fft.ifft(g, None, axis, norm), a, n, axis)


@rule(np.fft.rfft, kind="linear")
def _(g, y, a, n=None, axis=-1, norm=None):
    return resized(np.real(np.fft.fft(g, a.shape[axis] if n is None else n, axis, norm)), a, n, axis)


def doubled(g: Any, y: Any, axis: int, norm: Any) -> Any:
    """Twice the half spectrum of ``g``, but once where a frequency is its own mirror image."""
    return np.conj(np.fft.rfft(g, None, axis, _SWAPPED[norm])) * mirrored(y, axis)


def mirrored(y: Any, axis: int) -> Any:
    """How often each frequency of a half spectrum stands in the whole."""
    n = y.shape[axis]
    k = arange(n // 2 + 1)
    often = np.where(same(k, 0) | same(2 * k, n), 1.0, 2.0)
    return often if axis % ndim(y) == ndim(y) - 1 else np.reshape(often, tuple(-1 if d == axis % ndim(y) else 1 for d in range(ndim(y))))


@rule(np.fft.irfft, kind="linear")
def _(g, y, a, n=None, axis=-1, norm=None):
    return resized(doubled(g, y, axis, norm), a, 0 if n is None else n, axis)


@rule(np.fft.hfft, kind="linear")
def _(g, y, a, n=None, axis=-1, norm=None):
    return resized(np.conj(doubled(g, y, axis, _SWAPPED[norm])), a, 0 if n is None else n, axis)


@rule(np.fft.ihfft, kind="linear")
def _(g, y, a, n=None, axis=-1, norm=None):
    return resized(np.real(np.fft.fft(np.conj(g), a.shape[axis] if n is None else n, axis, _SWAPPED[norm])), a, n, axis)


def whole(s: Any) -> None:
    """Only transforms of all of the array are differentiated, not of a part."""
    if s is not None:
        raise NoDerivative("no derivative of a transform with s=; cut or pad the array before it")


@rule(np.fft.fft2, kind="linear")
def _(g, y, a, s=None, axes=(-2, -1), norm=None):
    whole(s)
    return np.fft.fft2(g, None, axes, norm)


@rule(np.fft.ifft2, kind="linear")
def _(g, y, a, s=None, axes=(-2, -1), norm=None):
    whole(s)
    return np.fft.ifft2(g, None, axes, norm)


@rule(np.fft.fftn, kind="linear")
def _(g, y, a, s=None, axes=None, norm=None):
    whole(s)
    return np.fft.fftn(g, None, axes, norm)


@rule(np.fft.ifftn, kind="linear")
def _(g, y, a, s=None, axes=None, norm=None):
    whole(s)
    return np.fft.ifftn(g, None, axes, norm)


def from_half(g: Any, a: Any, axes: Any, norm: Any) -> Any:
    """The reverse of a transform to a half spectrum."""
    at = axes_of(axes, ndim(a))
    return np.real(np.fft.fftn(g, tuple(a.shape[k] for k in at), at, norm))


@rule(np.fft.rfft2, kind="linear")
def _(g, y, a, s=None, axes=(-2, -1), norm=None):
    whole(s)
    return from_half(g, a, axes, norm)


@rule(np.fft.rfftn, kind="linear")
def _(g, y, a, s=None, axes=None, norm=None):
    whole(s)
    return from_half(g, a, axes, norm)
