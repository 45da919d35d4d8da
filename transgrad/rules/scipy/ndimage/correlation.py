"""scipy.ndimage: correlations and convolutions, differentiated by images and masks.

The image is extended beyond its edges by a ``mode``; the transpose adds the values at the extended positions to the elements from which
they were copied. A complex mask is conjugated, as in SciPy.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from ....ir.infer_shapes import SHAPES
from ....ir.types import Arr, Type
from ...registry import definition, rule
from ...static import ZERO, is_complex, lifted, ndim
from .settings import each, over, plain, whole

_PADDING: dict[str, Any] = {"reflect": "symmetric", "grid-mirror": "symmetric", "nearest": "edge", "mirror": "reflect", "wrap": "wrap",
                            "grid-wrap": "wrap"}


def places(n: int, size: int, mode: str, origin: int) -> Any:
    """Which element each place of an axis is that a window of a size reaches; -1 for none."""
    widths = (size // 2 + origin, size - size // 2 - 1 - origin)
    if mode in ("constant", "grid-constant"):
        return np.pad(np.arange(n), widths, constant_values=-1)
    return np.pad(np.arange(n), widths, mode=_PADDING[mode])


def extended(x: Any, sizes: Any, mode: str, cval: Any, origin: Any) -> Any:
    """The image as far as a mask reaches."""
    at = [places(n, size, mode, o) for n, size, o in zip(x.shape, sizes, each(origin, x.ndim))]
    return np.pad(x, [(0, 1)] * x.ndim, constant_values=cval)[np.ix_(*at)]


def folded(wide: Any, shape: Any, sizes: Any, mode: str, origin: Any) -> Any:
    """The transpose of `extended`."""
    for axis, (n, size, o) in enumerate(zip(shape, sizes, each(origin, wide.ndim))):
        out = np.zeros((n + 1, *np.delete(wide.shape, axis)), wide.dtype)     # the last entry collects the outside
        np.add.at(out, places(n, size, mode, o), np.moveaxis(wide, axis, 0))
        wide = np.moveaxis(out[:n], 0, axis)
    return wide


def window(corner: Any, shape: Any) -> tuple[slice, ...]:
    """The part of an extended image that is multiplied by the element of a mask at ``corner``."""
    return tuple(slice(k, k + n) for k, n in zip(corner, shape))


def correlate_back(g: Any, weights: Any, mode: str = "reflect", origin: Any = 0) -> Any:
    """The cotangent of the image of `scipy.ndimage.correlate`."""
    weights = np.asarray(weights)
    dtype = np.result_type(g, weights) if np.iscomplexobj(weights) else g.dtype
    if g.size == 0:
        return np.zeros(g.shape, dtype)
    wide = np.zeros([n + size - 1 for n, size in zip(g.shape, weights.shape)], dtype)
    for corner in np.ndindex(weights.shape):
        wide[window(corner, g.shape)] += weights[corner] * g
    return folded(wide, g.shape, weights.shape, mode, origin)


def correlate_masks(g: Any, x: Any, weights: Any, mode: str = "reflect", cval: Any = 0.0, origin: Any = 0) -> Any:
    """The cotangent of the mask of `scipy.ndimage.correlate`, of whose elements only their number is used."""
    shape = np.shape(weights)
    if g.size == 0:
        return np.zeros(shape, np.result_type(g, x))
    wide = extended(x, shape, mode, cval, origin)
    out = np.empty(shape, np.result_type(g, x))
    for corner in np.ndindex(shape):
        out[corner] = np.sum(g * wide[window(corner, x.shape)])
    return out


def turned(weights: Any, axis: int, dims: int) -> Any:
    """A mask that is longer than 1 along one axis only."""
    return np.reshape(weights, [-1 if k == axis % dims else 1 for k in range(dims)])


def correlate1d_back(g: Any, weights: Any, axis: int = -1, mode: str = "reflect", origin: int = 0) -> Any:
    """The cotangent of the image of `scipy.ndimage.correlate1d`."""
    return correlate_back(g, turned(weights, axis, g.ndim), mode, whole([origin], [axis], g.ndim))


def correlate1d_masks(g: Any, x: Any, weights: Any, axis: int = -1, mode: str = "reflect", cval: Any = 0.0, origin: int = 0) -> Any:
    """The cotangent of the weights of `scipy.ndimage.correlate1d`."""
    return np.ravel(correlate_masks(g, x, turned(weights, axis, g.ndim), mode, cval, whole([origin], [axis], g.ndim)))


back = lifted(correlate_back)
masks = lifted(correlate_masks)
back1d = lifted(correlate1d_back)
masks1d = lifted(correlate1d_masks)
correlated, correlated1d = lifted(nd.correlate), lifted(nd.correlate1d)


def conj(weights: Any) -> Any:
    """The mask that is multiplied with."""
    return np.conj(weights) if is_complex(weights) else weights


def spanned(weights: Any, axes: Any, dims: int) -> Any:
    """A mask for some axes, with as many as the image has."""
    rest = tuple(k for k in range(dims) if k not in over(axes, dims))
    return np.expand_dims(weights, rest) if rest else weights


def along(axes: Any) -> dict[str, Any]:
    """The option ``axes`` if it is given; SciPy before 1.15 has none."""
    return {} if axes is None else {"axes": axes}


@rule(nd.correlate, kind="general", jvp=(
    lambda t, y, input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None:
    correlated(t, weights, mode=mode, origin=origin, **along(axes)),
    lambda t, y, input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None:
    correlated(input, t, mode=mode, cval=cval, origin=origin, **along(axes))))
def _(g, y, input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    plain(output)
    dims = ndim(input)
    w, at = spanned(conj(weights), axes, dims), whole(origin, axes, dims)
    return back(g, w, mode, at), conj_like(np.reshape(masks(g, input, w, mode, cval, at), np.shape(weights)), weights)


def conj_like(x: Any, weights: Any) -> Any:
    """The cotangent of a mask from that of the factor in the product."""
    return np.conj(x) if is_complex(weights) else x


@rule(nd.correlate1d, kind="general", jvp=(
    lambda t, y, input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0:
    correlated1d(t, weights, axis, mode=mode, origin=origin),
    lambda t, y, input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0:
    correlated1d(input, t, axis, mode=mode, cval=cval, origin=origin)))
def _(g, y, input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    plain(output)
    w = conj(weights)
    return back1d(g, w, axis, mode, origin), conj_like(masks1d(g, input, w, axis, mode, cval, origin), weights)


@rule(correlate_back, kind="multilinear", linear_in=(0, 1))
def _(g, y, first, weights, mode="reflect", origin=0):
    return correlated(g, conj(weights), mode=mode, origin=origin), masks(first, g, weights, mode, 0.0, origin)


@rule(correlate1d_back, kind="multilinear", linear_in=(0, 1))
def _(g, y, first, weights, axis=-1, mode="reflect", origin=0):
    return correlated1d(g, conj(weights), axis, mode=mode, origin=origin), masks1d(first, g, weights, axis, mode, 0.0, origin)


@rule(correlate_masks, kind="general", jvp=(
    lambda t, y, first, x, weights, mode="reflect", cval=0.0, origin=0: masks(t, x, weights, mode, cval, origin),
    lambda t, y, first, x, weights, mode="reflect", cval=0.0, origin=0: masks(first, t, weights, mode, 0.0, origin)))
def _(g, y, first, x, weights, mode="reflect", cval=0.0, origin=0):
    return correlated(x, conj(g), mode=mode, cval=cval, origin=origin), back(first, g, mode, origin), ZERO


@rule(correlate1d_masks, kind="general", jvp=(
    lambda t, y, first, x, weights, axis=-1, mode="reflect", cval=0.0, origin=0: masks1d(t, x, weights, axis, mode, cval, origin),
    lambda t, y, first, x, weights, axis=-1, mode="reflect", cval=0.0, origin=0: masks1d(first, t, weights, axis, mode, 0.0, origin)))
def _(g, y, first, x, weights, axis=-1, mode="reflect", cval=0.0, origin=0):
    return correlated1d(x, conj(g), axis, mode=mode, cval=cval, origin=origin), back1d(first, g, axis, mode, origin), ZERO


def _image(x: Any, weights: Any, *args: Any, **kwargs: Any) -> Type | None:
    s, t = x.type, weights.type
    if not isinstance(s, Arr) or not isinstance(t, Arr):
        return s if isinstance(s, Arr) else None
    return Arr(np.result_type(s.dtype, "complex64").name, s.dims, s.scalar) if t.dtype[0] == "c" else s


def _mask(g: Any, x: Any, weights: Any, *args: Any, **kwargs: Any) -> Type | None:
    if not all(isinstance(v.type, Arr) for v in (g, x, weights)):
        return None
    return Arr(np.result_type(g.type.dtype, x.type.dtype).name, weights.type.dims)


SHAPES.update({**dict.fromkeys((nd.correlate, nd.correlate1d, correlate_back, correlate1d_back), _image),
               correlate_masks: _mask, correlate1d_masks: _mask})


@definition(nd.convolve)
def convolve(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
             axes: Any = None) -> Any:
    """The correlation with the reflected mask."""
    plain(output)
    chosen, given = over(axes, np.ndim(input)), whole(origin, axes, np.ndim(input))
    order = tuple([k for k in range(np.ndim(input)) if k in chosen])
    w = np.flip(np.asarray(weights))
    w = np.conj(w) if np.iscomplexobj(w) else w
    origins = tuple([-given[k] - (1 - w.shape[j] % 2) for j, k in enumerate(order)])
    if axes is None:
        return nd.correlate(input, w, mode=mode, cval=cval, origin=origins)
    return nd.correlate(input, w, mode=mode, cval=cval, origin=origins, axes=order)


@definition(nd.convolve1d)
def convolve1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
               origin: Any = 0) -> Any:
    """The correlation with the reversed weights."""
    plain(output)
    w = np.flip(np.asarray(weights))
    w = np.conj(w) if np.iscomplexobj(w) else w
    return nd.correlate1d(input, w, axis, mode=mode, cval=cval, origin=-origin - (1 - w.shape[0] % 2))
