"""Fourier transforms, as `torch.fft` names them."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..functions import transforms
from ..tensor import Tensor, wrap
from .arguments import dim_of
from .table import spelled

FFT: dict[str, Any] = {}
apply = dispatch.apply


def fft(lower: Callable[..., Any]) -> Callable[..., Any]:
    """Put a definition into ``torch.fft``."""
    name = lower.__name__.removesuffix("_")
    FFT[name] = spelled(lower, "fft_" + name, name.endswith("freq"))
    return lower


def normed(norm: str | None) -> str | None:
    """The normalization; RuntimeError for an unknown one."""
    if norm not in (None, "forward", "backward", "ortho"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return norm


def resized(x: Tensor, n: int | None, dim: int) -> Tensor:
    """The tensor cut or filled with zeros to a length along a dimension."""
    if n is None or n == x.shape[dim]:
        return x
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    if n < x.shape[dim]:
        return x.narrow(dim, 0, n)      # type: ignore[no-any-return]
    widths = [(0, n - size if k == dim else 0) for k, size in enumerate(x.shape)]
    return apply(np.pad, x, widths)     # type: ignore[no-any-return]


def floats(x: Tensor, real: bool = False) -> Tensor:
    """The tensor as floats; RuntimeError for complex numbers where real ones are meant."""
    if real and x.is_complex():
        raise RuntimeError(f"rfft expects a real input tensor, but got {dtypes.title(x.dtype)}")
    return x if dtypes.is_differentiable(x.dtype) else x.to(dtypes.get_default_dtype())


def one(fn: Callable[..., Any], half: bool = False, real: bool = False) -> Callable[..., Any]:
    """A transform along one dimension; ``half``: of a half spectrum, whose length is that of the result."""
    def lower(self: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
        x, axis = floats(self, real), dim_of(dim, self.ndim)
        kind = transforms.fft_r2c if fn is np.fft.fft and not x.is_complex() else fn
        return apply(kind, x if half else resized(x, n, axis), n if half else None, axis, normed(norm))        # type: ignore[no-any-return]
    lower.__name__ = fn.__name__
    lower.__doc__ = f"NumPy's `{fn.__name__}` along a dimension."
    return lower


def whole(x: Tensor, s: Any, dim: Any) -> tuple[Tensor, tuple[int, ...]]:
    """The tensor resized to ``s``, and the dimensions that are transformed."""
    if s is not None and len(s) > x.ndim:
        raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {x.ndim} dimensions.")
    if dim is None:
        dims = tuple(range(x.ndim))[-len(s):] if s is not None else tuple(range(x.ndim))
    else:
        dims = tuple(dim_of(d, x.ndim) for d in (dim if isinstance(dim, Sequence) else (dim,)))
    for k, n in zip(dims, s if s is not None else ()):
        x = resized(x, None if n == -1 else n, k)
    return x, dims


def several(fn: Callable[..., Any], name: str, default: Any, real: bool = False) -> Callable[..., Any]:
    """A transform along several dimensions."""
    def lower(self: Tensor, s: Any = None, dim: Any = default, norm: str | None = None) -> Tensor:
        x, dims = whole(floats(self, real), s, dim)
        return apply(fn, x, None, dims, normed(norm))       # type: ignore[no-any-return]
    lower.__name__, lower.__doc__ = name, f"NumPy's `{name}` along dimensions."
    return lower


for _lower in (one(np.fft.fft), one(np.fft.ifft), one(np.fft.rfft, real=True), one(np.fft.ihfft, real=True),
               one(np.fft.irfft, half=True), one(np.fft.hfft, half=True)):
    fft(_lower)
for _default, _suffix in ((None, "n"), ((-2, -1), "2")):
    fft(several(np.fft.fftn, "fft" + _suffix, _default))
    fft(several(np.fft.ifftn, "ifft" + _suffix, _default))
    fft(several(np.fft.rfftn, "rfft" + _suffix, _default, real=True))


def back(name: str, default: Any, inverse: bool) -> Callable[..., Any]:
    """A transform of a half spectrum along several dimensions: along all but the last of them, then along the last."""
    def lower(self: Tensor, s: Any = None, dim: Any = default, norm: str | None = None) -> Tensor:
        x, dims = whole(floats(self), None if s is None else (*s[:-1], -1), dim if dim is not None or s is None else tuple(
            range(self.ndim))[-len(s):])
        if len(dims) > 1:
            x = apply(np.fft.ifftn if inverse else np.fft.fftn, x, None, dims[:-1], norm)
        return apply(np.fft.irfft if inverse else np.fft.hfft, x, None if s is None else s[-1], dims[-1], norm)   # type: ignore[no-any-return]
    lower.__name__, lower.__doc__ = name, f"`{name}` along dimensions."
    return lower


def to_half(name: str, default: Any) -> Callable[..., Any]:
    """A transform of real numbers to a half spectrum: along the last of the dimensions, then along the others."""
    def lower(self: Tensor, s: Any = None, dim: Any = default, norm: str | None = None) -> Tensor:
        x, dims = whole(floats(self, True), s, dim)
        x = apply(np.fft.ihfft, x, None, dims[-1], norm)
        return apply(np.fft.ifftn, x, None, dims[:-1], norm) if len(dims) > 1 else x     # type: ignore[no-any-return]
    lower.__name__, lower.__doc__ = name, f"`{name}` along dimensions."
    return lower


for _default, _suffix in ((None, "n"), ((-2, -1), "2")):
    fft(back("irfft" + _suffix, _default, True))
    fft(back("hfft" + _suffix, _default, False))
    fft(to_half("ihfft" + _suffix, _default))


@fft
def fftshift(self: Tensor, dim: Any = None) -> Tensor:
    """The zero frequency in the middle."""
    dims = tuple(range(self.ndim)) if dim is None else tuple(dim) if isinstance(dim, Sequence) else (dim,)
    return self.roll(tuple(self.shape[d] // 2 for d in dims), dims)     # type: ignore[no-any-return]


@fft
def ifftshift(self: Tensor, dim: Any = None) -> Tensor:
    """The zero frequency back at the start."""
    dims = tuple(range(self.ndim)) if dim is None else tuple(dim) if isinstance(dim, Sequence) else (dim,)
    return self.roll(tuple((self.shape[d] + 1) // 2 for d in dims), dims)       # type: ignore[no-any-return]


def frequencies(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The frequencies of a transform."""
    def lower(n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False, **how: Any) -> Tensor:
        made = wrap(fn(n, d).astype(dtypes.get_default_dtype() if dtype is None else dtypes.numpy_dtype(dtype)))
        return made.requires_grad_(requires_grad)
    lower.__name__, lower.__doc__ = fn.__name__, "The frequencies of a transform of ``n`` points ``d`` apart."
    return lower


fft(frequencies(np.fft.fftfreq))
fft(frequencies(np.fft.rfftfreq))
