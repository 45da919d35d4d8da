"""Fourier transforms: a transform's matrix is symmetric, so its reverse is the transform itself."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import definition, rule
from .static import arange, axes_of, ndim, same

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
    """How often each frequency of a half spectrum occurs in the full one."""
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


def resized_along(x: Any, a: Any, s: Any, axes: Any) -> Any:
    """`resized` along several axes, to which the lengths ``s`` belong."""
    if s is None:
        return x
    for axis, n in zip(transformed(a, s, axes), s):
        x = resized(x, a, n, axis)
    return x


def transformed(a: Any, s: Any, axes: Any) -> tuple[int, ...]:
    """The axes that are transformed: where lengths are given but no axes, the last ones."""
    return axes_of(axes if s is None or axes is not None else tuple(range(-len(s), 0)), ndim(a))


@rule(np.fft.fft2, kind="linear")
def _(g, y, a, s=None, axes=(-2, -1), norm=None):
    return resized_along(np.fft.fft2(g, None, axes, norm), a, s, axes)


@rule(np.fft.ifft2, kind="linear")
def _(g, y, a, s=None, axes=(-2, -1), norm=None):
    return resized_along(np.fft.ifft2(g, None, axes, norm), a, s, axes)


@rule(np.fft.fftn, kind="linear")
def _(g, y, a, s=None, axes=None, norm=None):
    return resized_along(np.fft.fftn(g, None, transformed(a, s, axes), norm), a, s, axes)


@rule(np.fft.ifftn, kind="linear")
def _(g, y, a, s=None, axes=None, norm=None):
    return resized_along(np.fft.ifftn(g, None, transformed(a, s, axes), norm), a, s, axes)


def from_half(g: Any, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    """The reverse of a transform to a half spectrum."""
    at = transformed(a, s, axes)
    return resized_along(np.real(np.fft.fftn(g, tuple(a.shape[k] for k in at) if s is None else s, at, norm)), a, s, axes)


@rule(np.fft.rfft2, kind="linear")
def _(g, y, a, s=None, axes=(-2, -1), norm=None):
    return from_half(g, a, s, axes, norm)


@rule(np.fft.rfftn, kind="linear")
def _(g, y, a, s=None, axes=None, norm=None):
    return from_half(g, a, s, axes, norm)


def from_whole(g: Any, y: Any, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    """The reverse of a transform from a half spectrum."""
    *others, last = transformed(a, s, axes)
    half = resized(doubled(g, y, last, norm), a, 0, last)
    full = np.fft.ifftn(half, None, tuple(others), norm) if others else half
    return full if s is None else resized_along(full, a, s[:-1], tuple(others))


@rule(np.fft.irfft2, kind="linear")
def _(g, y, a, s=None, axes=(-2, -1), norm=None):
    return from_whole(g, y, a, s, axes, norm)


@rule(np.fft.irfftn, kind="linear")
def _(g, y, a, s=None, axes=None, norm=None):
    return from_whole(g, y, a, s, axes, norm)


@definition(np.fft.fftfreq)
def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    """The frequencies of a transform of samples ``d`` apart."""
    return np.fft.fftfreq(n) / d


@definition(np.fft.rfftfreq)
def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    """Those of a transform of real samples."""
    return np.fft.rfftfreq(n) / d
