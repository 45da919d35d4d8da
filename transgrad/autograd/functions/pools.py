"""The largest element of each window on a signal, and which of the window's elements it is.

A window is given by its ``kernel``, ``stride``, ``dilation``, and the padding ``before`` and ``after`` each dimension of the signal (N, C,
*sizes); ``places`` is the number of windows along each dimension. Elements of a window are numbered row by row.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import lifted
from ..names import node_name
from ..selecting import where
from .convolutions import padded

__all__ = ["max_pool1d", "max_pool2d", "max_pool3d", "places_in_signal"]

Sizes = tuple[int, ...]
#: kernel, stride, dilation, padding before and after, number of windows
Windows = tuple[Sizes, Sizes, Sizes, Sizes, Sizes, Sizes]


def _elements(windows: Windows) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """For each element of a window, where all windows have it in the padded signal."""
    kernel, stride, dilation, _, _, places = windows
    for number, k in enumerate(np.ndindex(*kernel)):
        yield number, (..., *(slice(i * d, i * d + (m - 1) * s + 1, s) for i, d, m, s in zip(k, dilation, places, stride)))


def _largest(self: Any, windows: Windows) -> tuple[Any, Any]:
    signal = padded(self, *windows[3:5], -np.inf)
    values: Any = None
    kind = np.int8 if math.prod(windows[0]) < 128 else np.int64
    for number, at in _elements(windows):
        part = signal[at]
        if values is None:
            values, which = np.array(part, order="C"), np.zeros(part.shape, kind)
            continue
        later = (part > values).astype(kind)
        np.multiply(later, number, out=later, casting="unsafe")
        np.maximum(which, later, out=which)     # numbers grow
        np.maximum(values, part, out=values)
    if np.isnan(values).any():      # the last NaN of a window counts
        for number, at in _elements(windows):
            np.copyto(which, number, where=np.isnan(signal[at]))
    return values, which      # numbers of few bits: the backward pass compares them


def picked(t: Any, which: Any, windows: Windows) -> Any:
    """Of each window on a signal the element of the given number."""
    signal, out = padded(t, *windows[3:5]), np.zeros(which.shape, t.dtype)
    for number, at in _elements(windows):
        out += where(which == number, signal[at], 0.0)
    return out


def unpicked(g: Any, which: Any, windows: Windows, size: Sizes) -> Any:
    """The adjoint of `picked`, for a signal of these sizes."""
    kernel, stride, dilation, before, after, places = windows
    out: Any = np.zeros((*g.shape[:2], *(a + p + q for a, p, q in zip(size, before, after))), g.dtype)
    apart = all((k - 1) * d < s for k, d, s in zip(kernel, dilation, stride))
    for number, at in _elements(windows):
        part = where(which == number, g, 0.0)
        if apart:
            out[at] = part
        else:
            out[at] += part
    return out[(..., *(slice(p, p + a) for p, a in zip(before, size)))]


pick: Any = lifted(picked)
unpick: Any = lifted(unpicked)


@rule(picked, kind="linear")
def _(g, y, t, which, windows):
    return unpick(g, which, windows, tuple(t.shape[2:]))


@rule(unpicked, kind="linear")
def _(g, y, h, which, windows, size):
    return pick(g, which, windows)


def _pool(name: str) -> Callable[[Any, Windows], tuple[Any, Any]]:
    def pool(self: Any, windows: Windows) -> tuple[Any, Any]:
        return _largest(self, windows)
    pool.__name__ = pool.__qualname__ = name
    return pool


max_pool1d, max_pool2d, max_pool3d = map(_pool, ("max_pool1d", "max_pool2d", "max_pool3d"))


@rule(max_pool1d, max_pool2d, max_pool3d, kind="general", jvp=(lambda t, y, self, windows: (pick(t, y[1], windows), np.zeros_like(y[1])),))
def _(g, y, self, windows):
    return unpick(g[0], y[1], windows, tuple(self.shape[2:]))


node_name(max_pool1d, "SqueezeBackward1")
node_name(max_pool2d, "MaxPool2DWithIndicesBackward0")
node_name(max_pool3d, "MaxPool3DWithIndicesBackward0")


def places_in_signal(which: Any, windows: Windows, size: Sizes) -> Any:
    """The place in the flattened signal of the element with the given number of each window."""
    kernel, stride, dilation, before, _, places = windows
    found: Any = 0
    for axis, k in enumerate(np.unravel_index(which, kernel)):
        first = np.arange(places[axis]) * stride[axis] - before[axis]
        first = first.reshape(-1, *[1] * (len(size) - 1 - axis))
        found = found * size[axis] + first + k * dilation[axis]
    return found
