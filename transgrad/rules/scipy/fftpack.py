"""scipy.fftpack, the older interface to the transforms of scipy.fft: inverse cosine and sine transforms are not scaled there, and a
transform of real numbers has its real and imaginary parts side by side."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft as sf
import scipy.fftpack as fp

from ..registry import definition


def kind(type: Any, inverse: bool) -> Any:
    """The type of a transform: types 2 and 3 are each other's inverses."""
    return 5 - type if inverse and type in (2, 3) else type


def of_complex(fn: Callable[..., Any], one: Callable[..., Any]) -> None:
    @definition(fn)
    def along_one(x: Any, n: Any = None, axis: Any = -1, overwrite_x: Any = False) -> Any:
        return one(x, n, axis)


def along_axes(fn: Callable[..., Any], several: Callable[..., Any], axes: Any) -> None:
    @definition(fn)
    def along_several(x: Any, shape: Any = None, axes: Any = axes, overwrite_x: Any = False) -> Any:
        return several(x, shape, axes if axes is not None or shape is None else tuple(range(-len(shape), 0)))


def of_reals(fn: Callable[..., Any], one: Callable[..., Any], inverse: bool) -> None:
    """A cosine or sine transform, or its inverse."""
    @definition(fn)
    def transform(x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False) -> Any:
        return one(x, kind(type, inverse), n, axis, norm)


def of_reals_along_axes(fn: Callable[..., Any], several: Callable[..., Any], inverse: bool) -> None:
    @definition(fn)
    def transform(x: Any, type: Any = 2, shape: Any = None, axes: Any = None, norm: Any = None, overwrite_x: Any = False) -> Any:
        return several(x, kind(type, inverse), shape, axes, norm)


of_complex(fp.fft, np.fft.fft)
of_complex(fp.ifft, np.fft.ifft)
along_axes(fp.fft2, np.fft.fft2, (-2, -1))
along_axes(fp.ifft2, np.fft.ifft2, (-2, -1))
along_axes(fp.fftn, np.fft.fftn, None)
along_axes(fp.ifftn, np.fft.ifftn, None)
for _name in ("dct", "dst"):
    for _before in ("", "i"):
        of_reals(getattr(fp, _before + _name), getattr(sf, _name), bool(_before))
        of_reals_along_axes(getattr(fp, f"{_before}{_name}n"), getattr(sf, f"{_name}n"), bool(_before))


@definition(fp.rfft)
def rfft(x: Any, n: Any = None, axis: Any = -1, overwrite_x: Any = False) -> Any:
    """The real part of frequency 0, then real and imaginary part of each other frequency; the highest has no imaginary part where the
    length is even."""
    z = np.moveaxis(np.fft.rfft(x, n, axis), axis, -1)
    count = np.shape(x)[axis] if n is None else n
    rest = z[..., 1:]
    pairs = np.reshape(np.stack((np.real(rest), np.imag(rest)), axis=-1), (*np.shape(rest)[:-1], 2 * np.shape(rest)[-1]))
    return np.moveaxis(np.concatenate((np.real(z[..., :1]), pairs[..., :count - 1]), axis=-1), -1, axis)


@definition(fp.rfftfreq)
def rfftfreq(n: Any, d: Any = 1.0) -> Any:
    """The frequencies of `rfft`, of samples ``d`` apart: all occur twice except the first, and the last if the length is even."""
    return np.arange(1, n + 1) // 2 / (n * d)
