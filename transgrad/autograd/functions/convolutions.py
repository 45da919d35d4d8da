"""Sliding windows of signals and images, the products of weights with them, and the adjoints of both.

A batch of signals has shape (N, C, *sizes).  ``stride``, ``padding`` and ``dilation`` have an entry for each of the sizes.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import lifted
from ..names import node_name

__all__ = ["columns", "convolution", "overlapped", "padded", "transposed_convolution"]

Sizes = tuple[int, ...]


def padded(self: Any, before: Sizes, after: Sizes, value: float = 0.0) -> Any:
    """A signal with a value before and after each of its dimensions; `np.pad` takes ten times as long for small ones."""
    if not any(before) and not any(after):
        return self
    out: Any = np.full((*self.shape[:2], *(p + n + q for p, n, q in zip(before, self.shape[2:], after))), value, self.dtype)
    out[(..., *(slice(p, p + n) for p, n in zip(before, self.shape[2:])))] = self
    return out


def windows(self: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Any:
    """The windows on a padded signal as a view, (N, C, *places, *kernel)."""
    self = padded(self, padding, padding)
    spans = tuple((k - 1) * d + 1 for k, d in zip(kernel, dilation))
    every = np.lib.stride_tricks.sliding_window_view(self, spans, tuple(range(2, self.ndim)))
    return every[(slice(None),) * 2 + tuple(slice(None, None, s) for s in (*stride, *dilation))]


def columns(self: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Any:
    """The windows on a padded signal, (N, C, *places, *kernel)."""
    return np.array(windows(self, kernel, stride, padding, dilation))


def overlapped(g: Any, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Any:
    """The signal of these sizes that windows add up to, each at the place where `columns` has read it."""
    n = len(size)
    out: Any = np.zeros((*g.shape[:2], *(a + 2 * p for a, p in zip(size, padding))), dtype=g.dtype)
    for k in np.ndindex(*g.shape[2 + n:]):
        places = tuple(slice(i * d, i * d + (m - 1) * s + 1, s) for i, d, m, s in zip(k, dilation, g.shape[2:], stride))
        out[(..., *places)] += g[(..., *k)]
    return out[(..., *(slice(p, p + a) for p, a in zip(padding, size)))]


columned: Any = lifted(columns)
summed: Any = lifted(overlapped)


@rule(columns, kind="linear")
def _(g, y, self, kernel, stride, padding, dilation):
    return summed(g, tuple(self.shape[2:]), stride, padding, dilation)


@rule(overlapped, kind="linear")
def _(g, y, windows, size, stride, padding, dilation):
    return columned(g, tuple(windows.shape[2 + len(size):]), stride, padding, dilation)


# The operations below are matrix products, one for each example and group of channels: rows are places in a window, columns are places in
# the signal.


def matrices_of(self: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    """The windows on a signal as the columns of matrices, (N, groups, C / groups * kernel, places)."""
    self = padded(self, padding, padding)
    places = tuple((a - (k - 1) * d - 1) // s + 1 for a, k, d, s in zip(self.shape[2:], kernel, dilation, stride))
    found: Any = np.empty((*self.shape[:2], *kernel, *places), dtype=self.dtype)
    for k in np.ndindex(*kernel):       # one element of every window at a time: copies of whole rows
        found[(slice(None), slice(None), *k)] = self[(..., *_strided(k, places, stride, dilation))]
    return found.reshape(self.shape[0], groups, -1, math.prod(places))


def _strided(k: Sizes, places: Sizes, stride: Sizes, dilation: Sizes) -> tuple[slice, ...]:
    """Where the windows have their element k."""
    return tuple(slice(i * d, i * d + (m - 1) * s + 1, s) for i, d, m, s in zip(k, dilation, places, stride))


def by_group(g: Any, groups: int) -> Any:
    """A signal as matrices, (N, groups, channels / groups, places)."""
    return g.reshape(g.shape[0], groups, g.shape[1] // groups, math.prod(g.shape[2:]))


def conv(self: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    """The products of each window with the weights (F, C / groups, *kernel): a signal with F channels."""
    kernel = weight.shape[2:]
    places = tuple((a + 2 * p - (k - 1) * d - 1) // s + 1 for a, p, k, d, s in zip(self.shape[2:], padding, kernel, dilation, stride))
    rows = weight.reshape(groups, weight.shape[0] // groups, math.prod(weight.shape[1:]))
    found = rows @ matrices_of(self, kernel, stride, padding, dilation, groups)
    return found.reshape(self.shape[0], weight.shape[0], *places)


def conv_signal(g: Any, weight: Any, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    """The adjoint of `conv` by the signal, which has these sizes."""
    n, places, (within, *kernel) = g.shape[0], g.shape[2:], weight.shape[1:]
    rows = weight.reshape(groups, weight.shape[0] // groups, math.prod(weight.shape[1:]))
    found = (rows.mT @ by_group(g, groups)).reshape(n, groups * within, *kernel, *places)
    out: Any = np.zeros((n, groups * within, *(a + 2 * p for a, p in zip(size, padding))), dtype=found.dtype)
    for k in np.ndindex(*kernel):
        out[(..., *_strided(k, places, stride, dilation))] += found[(slice(None), slice(None), *k)]
    return out[(..., *(slice(p, p + a) for p, a in zip(padding, size)))]


def conv_weight(self: Any, g: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    """The adjoint of `conv` by the weights, whose windows have these sizes."""
    found = by_group(g, groups) @ matrices_of(self, kernel, stride, padding, dilation, groups).mT
    return np.sum(found, axis=0).reshape(g.shape[1], self.shape[1] // groups, *kernel)


of_signal: Any = lifted(conv_signal)
of_weight: Any = lifted(conv_weight)
convolved: Any = lifted(conv)


@rule(conv, kind="multilinear", linear_in=(0, 1))
def _(g, y, self, weight, stride, padding, dilation, groups):
    return (of_signal(g, weight, tuple(self.shape[2:]), stride, padding, dilation, groups),
            of_weight(self, g, tuple(weight.shape[2:]), stride, padding, dilation, groups))


@rule(conv_signal, kind="multilinear", linear_in=(0, 1))
def _(g, y, self, weight, size, stride, padding, dilation, groups):
    return (convolved(g, weight, stride, padding, dilation, groups),
            of_weight(g, self, tuple(weight.shape[2:]), stride, padding, dilation, groups))


@rule(conv_weight, kind="multilinear", linear_in=(0, 1))
def _(g, y, self, windows, kernel, stride, padding, dilation, groups):
    return (of_signal(windows, g, tuple(self.shape[2:]), stride, padding, dilation, groups),
            convolved(self, g, stride, padding, dilation, groups))


def with_bias(signal: Any, bias: Any) -> Any:
    """A signal with a number for each channel added."""
    return signal if bias is None else signal + bias.reshape(-1, *[1] * (signal.ndim - 2))


def by_channel(t: Any, y: Any) -> Any:
    """A number for each channel at each place of the signal ``y``."""
    return np.broadcast_to(np.reshape(t, (-1,) + (1,) * (len(y.shape) - 2)), y.shape)


def sum_by_channel(g: Any) -> Any:
    """The sum of each channel of a signal."""
    return np.sum(g, axis=(0, *range(2, len(g.shape))))


def convolution(input: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    """`conv`, with a number for each channel added."""
    return with_bias(conv(input, weight, stride, padding, dilation, groups), bias)


@rule(convolution, kind="general", jvp=(
    lambda t, y, input, weight, bias, *options: convolved(t, weight, *options),
    lambda t, y, input, weight, bias, *options: convolved(input, t, *options),
    lambda t, y, input, weight, bias, *options: by_channel(t, y)))
def _(g, y, input, weight, bias, stride, padding, dilation, groups):
    return (of_signal(g, weight, tuple(input.shape[2:]), stride, padding, dilation, groups),
            of_weight(input, g, tuple(weight.shape[2:]), stride, padding, dilation, groups), sum_by_channel(g))


def transposed_convolution(input: Any, weight: Any, bias: Any, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes,
                           groups: int) -> Any:
    """`conv_signal`, with a number for each channel added."""
    return with_bias(conv_signal(input, weight, size, stride, padding, dilation, groups), bias)


@rule(transposed_convolution, kind="general", jvp=(
    lambda t, y, input, weight, bias, size, *options: of_signal(t, weight, size, *options),
    lambda t, y, input, weight, bias, size, *options: of_signal(input, t, size, *options),
    lambda t, y, input, weight, bias, *options: by_channel(t, y)))
def _(g, y, input, weight, bias, size, stride, padding, dilation, groups):
    return (convolved(g, weight, stride, padding, dilation, groups),
            of_weight(g, input, tuple(weight.shape[2:]), stride, padding, dilation, groups), sum_by_channel(g))


for _fn in (convolution, transposed_convolution, conv, conv_signal, conv_weight):
    node_name(_fn, "ConvolutionBackward0", input="input", weight="weight")
node_name(columns, "Im2ColBackward0")
node_name(overlapped, "Col2ImBackward0")
