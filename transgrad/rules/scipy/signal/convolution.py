"""Convolutions and correlations, through both signals."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ....runtime import fit
from ...registry import definition, rule
from ...static import axes_of, lifted, ndim

convolve = lifted(sg.convolve)
fftconvolve = lifted(sg.fftconvolve)
fitted = lifted(fit)


def embedded(g: Any, a: Any, b: Any, mode: str) -> Any:
    """The cotangent of the full convolution of which ``mode`` is cut out."""
    if mode == "full":
        return g
    widths = []
    for k in range(ndim(a)):
        n, m = a.shape[k], b.shape[k]
        if mode == "same":
            before, after = (m - 1) // 2, m - 1 - (m - 1) // 2
        else:
            before = after = np.minimum(n, m) - 1
        widths.append((before, after))
    return np.pad(g, widths) if widths else g        # an array without dimensions has no widths


def sides(g: Any, a: Any, b: Any, mode: str) -> tuple[Any, Any]:
    """The cotangents of both signals."""
    full = embedded(g, a, b, mode)
    return convolve(full, np.flip(b), "valid"), convolve(full, np.flip(a), "valid")


@rule(sg.convolve, kind="multilinear", linear_in=(0, 1))
def _(g, y, in1, in2, mode="full", method="auto"):
    return sides(g, in1, in2, mode)


def embedded_along(g: Any, a: Any, b: Any, mode: str, axes: tuple[int, ...]) -> Any:
    """The cotangent of the full convolution along some axes."""
    widths: list[Any] = [(0, 0)] * ndim(a)
    for k in axes if mode != "full" else ():
        n, m = a.shape[k], b.shape[k]
        before = (m - 1) // 2 if mode == "same" else np.minimum(n, m) - 1
        widths[k] = (before, m - 1 - before if mode == "same" else before)
    return g if mode == "full" or not widths else np.pad(g, widths)


def _along(in1: Any, in2: Any, mode: Any = None, axes: Any = None) -> Any:
    """The lengths along the axes are sums or differences."""
    types = [x.type for x in (in1, in2)]
    if not all(isinstance(t, Arr) for t in types):
        return None
    return Arr(str(np.result_type(*(t.dtype for t in types))), (ANY,) * len(types[0].dims))


SHAPES.update(dict.fromkeys((sg.fftconvolve, sg.oaconvolve), _along))


@rule(sg.fftconvolve, sg.oaconvolve, kind="multilinear", linear_in=(0, 1))
def _(g, y, in1, in2, mode="full", axes=None):
    if axes is None:
        return sides(g, in1, in2, mode)
    at = axes_of(axes, ndim(in1))
    full = embedded_along(g, in1, in2, mode, at)
    by_first, by_second = (fftconvolve(full, np.flip(v, at), "valid", axes) for v in (in2, in1))
    return fitted(by_first, in1), fitted(by_second, in2)


def filled_with_zeros(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> bool:
    """Whether there is nothing outside of the image."""
    return boundary == "fill" and type(fillvalue) in (int, float) and fillvalue == 0


@rule(sg.convolve2d, kind="multilinear", linear_in=(0, 1), when=filled_with_zeros)
def _(g, y, in1, in2, mode="full", boundary="fill", fillvalue=0):
    return sides(g, in1, in2, mode)


_BOUNDARIES: dict[str, Any] = {"wrap": "wrap", "symm": "symmetric"}


@definition(sg.convolve2d)
def convolve2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    """The image is extended by the boundary condition."""
    if mode == "valid":
        return sg.convolve2d(in1, in2, "valid")
    rows, columns = in2.shape
    widths = ((rows - 1, rows - 1), (columns - 1, columns - 1))
    if boundary == "fill":
        inside = np.pad(np.ones_like(in1), widths)
        wider = np.pad(in1, widths) + fillvalue * (1.0 - inside)
    else:
        wider = np.pad(in1, widths, mode=_BOUNDARIES[boundary])
    full = sg.convolve2d(wider, in2, "valid")
    if mode == "full":
        return full
    top, left = (rows - 1) // 2, (columns - 1) // 2
    return full[top:top + in1.shape[0], left:left + in1.shape[1]]


@definition(sg.correlate)
def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    """The convolution with the reversed other signal."""
    return sg.convolve(in1, np.flip(np.conj(in2)), mode)


@definition(sg.correlate2d)
def correlate2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    """The convolution with the reversed other image."""
    turned = np.flip(np.conj(in2))
    if mode != "same":
        return sg.convolve2d(in1, turned, mode, boundary, fillvalue)
    full = sg.convolve2d(in1, turned, "full", boundary, fillvalue)
    top, left = in2.shape[0] // 2, in2.shape[1] // 2
    return full[top:top + in1.shape[0], left:left + in1.shape[1]]


@definition(sg.deconvolve)
def deconvolve(signal: Any, divisor: Any) -> Any:
    """The quotient and remainder of polynomials, for a signal that is not shorter than the divisor."""
    n = signal.shape[0] - divisor.shape[0] + 1
    pulse = np.where(np.arange(n) == 0, 1.0, 0.0)
    quotient = sg.lfilter(signal, divisor, pulse)
    return quotient, signal - sg.convolve(divisor, quotient)
