"""scipy.fft: the complex transforms are NumPy's; the cosine and sine transforms of type 2 and 3 are each other's transposes.

The transposes hold for every ``norm``; those of type 1 (whose ends count half) and 4 are symmetric.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft as sf

from ...fft import resized
from ...registry import definition, rule
from ...static import axes_of, lifted, ndim

_ALONG_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_ALONG_SEVERAL = ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "rfftn", "irfft2", "irfftn")


def register(fn: Callable[..., Any], of_numpy: Callable[..., Any], axes: Any) -> None:
    """A transform that NumPy has too, along an axis, or along ``axes``."""
    if fn.__name__ in _ALONG_ONE:
        @definition(fn)
        def along_one(x: Any, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False, workers: Any = None, *,
                      plan: Any = None) -> Any:
            return of_numpy(x, n, axis, norm)
        return

    @definition(fn)
    def along_several(x: Any, s: Any = None, axes: Any = axes, norm: Any = None, overwrite_x: Any = False, workers: Any = None, *,
                      plan: Any = None) -> Any:
        return of_numpy(x, s, axes, norm)


for _name in (*_ALONG_ONE, *_ALONG_SEVERAL):
    register(getattr(sf, _name), getattr(np.fft, _name), (-2, -1) if _name.endswith("2") else None)


@definition(sf.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    """The zero frequency in the middle."""
    return np.fft.fftshift(x, axes)


@definition(sf.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    """The zero frequency at the start."""
    return np.fft.ifftshift(x, axes)


@definition(sf.fftfreq)
def fftfreq(n: Any, d: Any = 1.0, *, xp: Any = None, device: Any = None) -> Any:
    """The frequencies of a transform of samples ``d`` apart."""
    return np.fft.fftfreq(n) / d


@definition(sf.rfftfreq)
def rfftfreq(n: Any, d: Any = 1.0, *, xp: Any = None, device: Any = None) -> Any:
    """Those of a transform of real samples."""
    return np.fft.rfftfreq(n) / d


dct, dst = lifted(sf.dct), lifted(sf.dst)
_TRANSPOSED = {2: 3, 3: 2, 4: 4}


def weighed(g: Any, axis: int, first: Any, last: Any) -> Any:
    """``g`` with its first and last element along ``axis`` multiplied."""
    at = axis % ndim(g)
    ends = (slice(None),) * at
    if first != 1.0:
        g = np.concatenate([first * g[(*ends, slice(0, 1))], g[(*ends, slice(1, None))]], axis=at)
    if last != 1.0:
        g = np.concatenate([g[(*ends, slice(0, -1))], last * g[(*ends, slice(-1, None))]], axis=at)
    return g


def transposed(fn: Any, g: Any, type: Any, axis: Any, norm: Any, orthogonalize: Any) -> Any:
    """The transposed transform of ``g``."""
    plain = norm != "ortho" if orthogonalize is None else not orthogonalize
    sine = fn is dst
    if type == 1:
        if sine or not plain:
            return fn(g, 1, None, axis, norm, False, None, orthogonalize)
        w = weights(g, axis)
        return w * fn(g / w, 1, None, axis, norm, False, None, orthogonalize)
    out_weight = plain and type == 3
    given = weighed(g, axis, 1.0 if sine else 2.0, 2.0 if sine else 1.0) if plain and type == 2 else g
    out = fn(given, _TRANSPOSED[type], None, axis, norm, False, None, orthogonalize)
    return weighed(out, axis, 1.0 if sine else 0.5, 0.5 if sine else 1.0) if out_weight else out


def weights(g: Any, axis: int) -> Any:
    """2 within and 1 at either end."""
    return weighed(2.0 * np.ones_like(g), axis, 0.5, 0.5)


@rule(sf.dct, kind="general", jvp=lambda t, y, x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None:
      dct(t, type, n, axis, norm, False, None, orthogonalize))
def _(g, y, x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    return resized(transposed(dct, g, type, axis, norm, orthogonalize), x, n, axis)


@rule(sf.dst, kind="general", jvp=lambda t, y, x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None:
      dst(t, type, n, axis, norm, False, None, orthogonalize))
def _(g, y, x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    return resized(transposed(dst, g, type, axis, norm, orthogonalize), x, n, axis)


_SWAPPED: dict[Any, Any] = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def inverse(fn: Any, x: Any, type: Any, n: Any, axis: Any, norm: Any, orthogonalize: Any) -> Any:
    """The inverse of a cosine or sine transform: types 2 and 3 are each other's inverses, but for a factor."""
    return fn(x, 5 - type if type in (2, 3) else type, n, axis, _SWAPPED[norm], orthogonalize=orthogonalize)


@definition(sf.idct)
def idct(x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False, workers: Any = None,
         orthogonalize: Any = None) -> Any:
    """The inverse of `dct`."""
    return inverse(sf.dct, x, type, n, axis, norm, orthogonalize)


@definition(sf.idst)
def idst(x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False, workers: Any = None,
         orthogonalize: Any = None) -> Any:
    """The inverse of `dst`."""
    return inverse(sf.dst, x, type, n, axis, norm, orthogonalize)


def lengths_and_axes(x: Any, s: Any, axes: Any) -> list[tuple[Any, int]]:
    """The axes of a transform along several, each with the length to which it is cut or padded."""
    lengths = () if s is None else (s,) if isinstance(s, int) else tuple(s)
    at = axes_of(axes if axes is not None or s is None else tuple(range(-len(lengths), 0)), ndim(x))
    return list(zip(lengths or (None,) * len(at), at))


def register_several(fn: Callable[..., Any], one: Callable[..., Any], inverted: bool) -> None:
    """A cosine or sine transform along several axes, or its inverse."""
    call = lifted(fn)

    @rule(fn, kind="general", jvp=lambda t, y, x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None:
          call(t, type, s, axes, norm, False, None, orthogonalize=orthogonalize))
    def _(g: Any, y: Any, x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: Any = False,
          workers: Any = None, orthogonalize: Any = None) -> Any:
        if inverted:
            type, norm = 5 - type if type in (2, 3) else type, _SWAPPED[norm]
        for n, axis in lengths_and_axes(x, s, axes):
            g = resized(transposed(one, g, type, axis, norm, orthogonalize), x, n, axis)
        return g


for _name, _one in (("dct", dct), ("dst", dst)):
    register_several(getattr(sf, f"{_name}n"), _one, False)
    register_several(getattr(sf, f"i{_name}n"), _one, True)


def register_hermitian(fn: Callable[..., Any], axes: Any, inverse: bool) -> None:
    """A transform of a Hermitian spectrum along several axes: the last one is of half the length."""
    if inverse:
        @definition(fn)
        def ihfftn(x: Any, s: Any = None, axes: Any = axes, norm: Any = None, overwrite_x: Any = False, workers: Any = None, *,
                   plan: Any = None) -> Any:
            """The conjugate of a transform of real numbers."""
            return np.conj(np.fft.rfftn(x, s, axes, _SWAPPED[norm]))
        return

    @definition(fn)
    def hfftn(x: Any, s: Any = None, axes: Any = axes, norm: Any = None, overwrite_x: Any = False, workers: Any = None, *,
              plan: Any = None) -> Any:
        """A transform of the conjugate to real numbers."""
        return np.fft.irfftn(np.conj(x), s, axes, _SWAPPED[norm])


for _name in ("hfft2", "hfftn", "ihfft2", "ihfftn"):
    register_hermitian(getattr(sf, _name), (-2, -1) if _name.endswith("2") else None, _name.startswith("i"))
