"""scipy.ndimage: splines through images, their values and their derivatives between the elements.

A linear filter maps an image to the coefficients of its spline (`spline_filter1d`); its transpose is the same filter except
for the weights of the elements at the ends. A value of the spline is a sum of coefficients with weights that are piecewise polynomials
of the coordinate. A spline of order ``n`` has ``n`` derivatives by the coordinate; of the last, which jumps at the elements, the
right-hand one is used (at the last element the left-hand one). In the mode "constant" the jump at the edges has no derivative.
"""
from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import scipy.ndimage as nd

from ....ir.infer_shapes import SHAPES
from ....ir.types import Arr, Type
from ...registry import definition, rule
from ...static import ZERO, lifted, ndim
from .settings import plain

#: beyond the edges of images whose mode has no filter of its own
_MARGIN = 12
#: up to here the ends of a filter reach each other
_SHORT = 48


def spline_back(g: Any, order: int = 3, axis: int = -1, mode: str = "mirror") -> Any:
    """The transpose of `scipy.ndimage.spline_filter1d`.

    The filter is symmetric, except that an element mirrored at its end has one neighbor instead of two: there the ends have weight
    one half. SciPy's initialization of the filter is exact up to a power of the length, so for short arrays the matrix itself is
    transposed.
    """
    n = g.shape[axis] if g.ndim else 0
    if n <= _SHORT:
        return np.moveaxis(np.moveaxis(g, axis, -1) @ nd.spline_filter1d(np.eye(n), order, 0, mode=mode), -1, axis) if n else g
    if order < 2 or mode in ("nearest", "reflect", "grid-mirror", "grid-wrap"):
        return nd.spline_filter1d(g, order, axis, mode=mode)
    half = np.ones(n)
    half[[0, -1]] = 0.5
    half = half.reshape([-1 if k == axis % g.ndim else 1 for k in range(g.ndim)])
    return half * nd.spline_filter1d(g / half, order, axis, mode=mode)


spline_filter1d, spline_filter1d_back = lifted(nd.spline_filter1d), lifted(spline_back)


@rule(nd.spline_filter1d, kind="general", jvp=lambda t, y, input, order=3, axis=-1, output=np.float64, mode="mirror":
      spline_filter1d(t, order, axis, mode=mode))
def _(g, y, input, order=3, axis=-1, output=np.float64, mode="mirror"):
    plain(None if output is np.float64 else output)
    return spline_filter1d_back(g, order, axis, mode)


@rule(spline_back, kind="linear")
def _(g, y, first, order=3, axis=-1, mode="mirror"):
    return spline_filter1d(g, order, axis, mode=mode)


@definition(nd.spline_filter)
def spline_filter(input: Any, order: Any = 3, output: Any = np.float64, mode: Any = "mirror") -> Any:
    """The coefficients of a spline in several dimensions."""
    out = input
    for axis in range(np.ndim(input)):
        out = nd.spline_filter1d(out, order, axis, output, mode)
    return out


def basis(t: Any, order: int, bend: int = 0) -> Any:
    """The spline with the least support, or a derivative of it (that to the right)."""
    if bend > order:
        return np.zeros_like(t)
    if bend:
        return sum((-1) ** j * math.comb(bend, j) * basis(t + 0.5 * bend - j, order - bend) for j in range(bend + 1))
    if order == 0:
        return ((t >= -0.5) & (t < 0.5)).astype(float)
    t = -np.abs(t)
    pieces = ((-1) ** j * math.comb(order + 1, j) * np.maximum(t + 0.5 * (order + 1) - j, 0.0) ** order for j in range(order // 2 + 1))
    return sum(pieces) / math.factorial(order)


def mapped(c: Any, n: int, mode: str) -> tuple[Any, Any]:
    """The position in the image that corresponds to a position beyond its edges, and the sign of derivatives there."""
    out = (c < 0) | (c > n - 1)
    if mode in ("mirror", "wrap") and n == 1 or mode == "reflect" and n == 1:
        return np.where(out, 0.0, c), np.where(out, 0.0, 1.0)
    if mode == "mirror":
        r = np.fmod(c, 2 * n - 2)
        back = np.where(c < 0, r > 1 - n, r >= n)
        return np.where(back, np.where(c < 0, -r, 2 * n - 2 - r), np.where(c < 0, r + 2 * n - 2, r)), np.where(back, -1.0, 1.0)
    if mode in ("reflect", "grid-mirror"):
        r = np.mod(c, 2 * n)
        return np.where(r >= n, 2 * n - 1 - r, r), np.where(r >= n, -1.0, 1.0)
    if mode == "wrap":
        r = np.fmod(c, n - 1)
        return np.where(out, np.where(c < 0, r + n - 1, r), c), np.ones_like(c)
    return (np.where(out, np.mod(c, n), c) if mode == "grid-wrap" else c), np.ones_like(c)


def element(i: Any, n: int, mode: str) -> Any:
    """Which coefficient stands at a whole place beyond the edges; ``n`` for the constant."""
    if mode == "grid-constant":
        return np.where((i < 0) | (i >= n), n, i)
    if mode == "nearest":
        return np.clip(i, 0, n - 1)
    if mode in ("constant", "wrap", "mirror"):
        r = i % max(2 * n - 2, 1)
        return np.where(r > n - 1, 2 * n - 2 - r, r)
    r = i % (2 * n) if mode != "grid-wrap" else i % n
    return np.where(r >= n, 2 * n - 1 - r, r)


def margin(order: int, mode: str, prefilter: bool) -> int:
    """How far an image is continued before it is filtered."""
    return _MARGIN if order > 1 and prefilter and mode in ("nearest", "grid-constant") else 0


def stencil(c: Any, n: int, order: int, mode: str, bend: int, pad: int) -> tuple[list[Any], list[Any]]:
    """The coefficients along an axis of ``n`` elements that a value at each place is made of, and their weights."""
    at, sign = mapped(c + pad, n + 2 * pad, mode)
    start = np.floor(at if order % 2 else at + 0.5).astype(np.intp) - order // 2
    if order == 1 and mode != "grid-constant":
        start = np.where((at == n - 1) & (n > 1), n - 2, start)
    taps = [start + k for k in range(order + 1)]
    weights = [basis(at - i, order, bend) for i in taps]
    if order == 1:      # the last element belongs to the line to its left
        share = at - start
        weights = [[1.0 - share, share], [np.full_like(at, -1.0), np.ones_like(at)], [np.zeros_like(at)] * 2][min(bend, 2)]
    factor: Any = sign ** bend
    if mode == "constant" and bend:
        factor = factor * ((c >= 0) & (c <= n - 1))
    return [element(i, n + 2 * pad, mode) for i in taps], [w * factor for w in weights]


def outside(coordinates: Any, shape: Any) -> Any:
    """The places where an image that goes on with a constant is not."""
    found = np.zeros(coordinates.shape[1:], bool)
    for c, n in zip(coordinates, shape):
        found |= (c < 0) | (c > n - 1)
    return found


def coefficients(x: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    """The coefficients of spline values: the image extended and filtered, and the constant around it."""
    pad = margin(order, mode, prefilter)
    if pad:
        x = np.pad(x, pad, mode="edge") if mode == "nearest" else np.pad(x, pad, constant_values=cval)
    if order > 1 and prefilter:
        for axis in range(x.ndim):
            x = nd.spline_filter1d(x, order, axis, np.result_type(x, np.float64), mode)
    return np.pad(x, [(0, 1)] * x.ndim, constant_values=cval)


def coefficients_back(wide: Any, order: int, mode: str, prefilter: bool) -> Any:
    """The transpose of `coefficients`."""
    x = wide[(slice(-1),) * wide.ndim]
    if order > 1 and prefilter:
        for axis in reversed(range(x.ndim)):
            x = spline_back(x, order, axis, mode)
    pad = margin(order, mode, prefilter)
    for axis in range(x.ndim if pad else 0):
        front, x, end = np.split(x, [pad, x.shape[axis] - pad], axis)
        if mode == "nearest":
            edges = np.moveaxis(x, axis, 0)
            edges[0] += front.sum(axis)
            edges[-1] += end.sum(axis)
    return x


def stencils(coordinates: Any, shape: Any, order: int, mode: str, prefilter: bool, bend: Any) -> Any:
    """The coefficients that each value is made of, one tuple of places and a weight at a time."""
    pad = margin(order, mode, prefilter)
    axes = [stencil(c, n, order, mode, b, pad) for c, n, b in zip(coordinates, shape, bend)]
    for taps in itertools.product(range(order + 1), repeat=len(shape)):
        yield tuple(at[k] for (at, _), k in zip(axes, taps)), math.prod(w[k] for (_, w), k in zip(axes, taps))


def sampled(x: Any, coordinates: Any, order: int, mode: str, cval: Any, prefilter: bool, bend: Any) -> Any:
    """`scipy.ndimage.map_coordinates`, and its derivatives by each coordinate as often as ``bend`` says."""
    coordinates = np.asarray(coordinates, float)
    held = coefficients(x, order, mode, cval, prefilter)
    total = np.zeros(coordinates.shape[1:], held.dtype)
    for at, weight in stencils(coordinates, x.shape, order, mode, prefilter, bend):
        total = total + weight * held[at]
    if mode == "constant":
        total = np.where(outside(coordinates, x.shape), 0.0 if any(bend) else cval, total)
    return total.astype(np.result_type(x, np.float32), copy=False)


def unsampled(g: Any, coordinates: Any, x: Any, order: int, mode: str, prefilter: bool, bend: Any) -> Any:
    """The transpose of `sampled` as a function of the image ``x``, of which only the shape is used."""
    coordinates = np.asarray(coordinates, float)
    pad = margin(order, mode, prefilter)
    wide = np.zeros([n + 2 * pad + 1 for n in x.shape], np.result_type(g, np.float64))
    if mode == "constant":
        g = np.where(outside(coordinates, x.shape), 0.0, g)
    for at, weight in stencils(coordinates, x.shape, order, mode, prefilter, bend):
        np.add.at(wide, at, weight * g)
    return coefficients_back(wide, order, mode, prefilter).astype(np.result_type(g, np.float32), copy=False)


sample, unsample = lifted(sampled), lifted(unsampled)


def bends(bend: Any) -> Any:
    """One derivative more, by each coordinate in turn."""
    return [tuple(b + (n == k) for n, b in enumerate(bend)) for k in range(len(bend))]


def slopes(x: Any, coordinates: Any, order: int, mode: str, cval: Any, prefilter: bool, bend: Any) -> Any:
    """The derivatives of values by their coordinates, along a first dimension."""
    return np.stack([sample(x, coordinates, order, mode, cval, prefilter, b) for b in bends(bend)])


def flat(x: Any) -> Any:
    """No derivatives yet by any coordinate."""
    return (0,) * ndim(x)


@rule(nd.map_coordinates, kind="general", jvp=(
    lambda t, y, input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True:
    sample(t, coordinates, order, mode, 0.0, prefilter, flat(input)),
    lambda t, y, input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True:
    np.sum(t * slopes(input, coordinates, order, mode, cval, prefilter, flat(input)), axis=0)))
def _(g, y, input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The derivative by a coordinate is that of the spline: at an element of a straight line that to its right, at the last that to
    its left."""
    plain(output)
    return (unsample(g, coordinates, input, order, mode, prefilter, flat(input)),
            g * slopes(input, coordinates, order, mode, cval, prefilter, flat(input)))


@rule(sampled, kind="general", jvp=(
    lambda t, y, x, coordinates, order, mode, cval, prefilter, bend: sample(t, coordinates, order, mode, 0.0, prefilter, bend),
    lambda t, y, x, coordinates, order, mode, cval, prefilter, bend:
    np.sum(t * slopes(x, coordinates, order, mode, cval, prefilter, bend), axis=0)))
def _(g, y, x, coordinates, order, mode, cval, prefilter, bend):
    return unsample(g, coordinates, x, order, mode, prefilter, bend), g * slopes(x, coordinates, order, mode, cval, prefilter, bend)


@rule(unsampled, kind="general", jvp=(
    lambda t, y, first, coordinates, x, order, mode, prefilter, bend: unsample(t, coordinates, x, order, mode, prefilter, bend),
    lambda t, y, first, coordinates, x, order, mode, prefilter, bend:
    sum(unsample(t[k] * first, coordinates, x, order, mode, prefilter, b) for k, b in enumerate(bends(bend)))))
def _(g, y, first, coordinates, x, order, mode, prefilter, bend):
    return (sample(g, coordinates, order, mode, 0.0, prefilter, bend),
            first * slopes(g, coordinates, order, mode, 0.0, prefilter, bend), ZERO)


def _float(x: Any) -> str:
    return np.result_type(x.type.dtype, np.float32).name


def _values(x: Any, coordinates: Any, *args: Any, **kwargs: Any) -> Type | None:
    s, t = x.type, coordinates.type
    return Arr(_float(x), t.dims[1:]) if isinstance(s, Arr) and isinstance(t, Arr) else None


def _like_image(g: Any, coordinates: Any, x: Any, *args: Any, **kwargs: Any) -> Type | None:
    return Arr(_float(g), x.type.dims) if isinstance(x.type, Arr) and isinstance(g.type, Arr) else None


def _filtered(x: Any, *args: Any, **kwargs: Any) -> Type | None:
    return Arr("complex128" if x.type.dtype[0] == "c" else "float64", x.type.dims) if isinstance(x.type, Arr) else None


SHAPES.update({nd.map_coordinates: _values, sampled: _values, unsampled: _like_image, nd.spline_filter1d: _filtered,
               spline_back: _filtered})
