"""Pools: the mean or the largest element of each window on a signal."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...autograd.dispatch import apply
from ...autograd.functions import convolutions, pools
from ...autograd.padding import pad
from ...autograd.state import STATE
from ...autograd.tensor import Tensor, wrap
from .families import Size, named, over_batch, per_dimension
from .resampling import along, area, parts

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d", "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices", "avg_pool1d",
    "avg_pool2d", "avg_pool3d", "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices", "max_pool3d",
    "max_pool3d_with_indices",
]


class _Windows:
    """The windows of a pooling operation: sizes, strides, and the padding before and after each dimension."""

    def __init__(self, sizes: Sequence[int], kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool):
        count = len(sizes)
        self.kernel = per_dimension(kernel, count, "kernel_size")
        self.stride = self.kernel if stride is None or stride == [] else per_dimension(stride, count, "stride")
        self.dilation = per_dimension(dilation, count, "dilation")
        self.before = per_dimension(padding, count, "padding")
        if 0 in self.stride:
            raise RuntimeError("stride should not be zero")
        if any(p > ((k - 1) * d + 1) // 2 for p, k, d in zip(self.before, self.kernel, self.dilation)):
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={max(self.before)}, kernel_size="
                               f"{max(self.kernel)} and dilation={max(self.dilation)}")
        self.places = tuple(self._places(a, k, ceil) for k, a in enumerate(sizes))
        if min(self.places) < 1:
            given, found = ("x".join(map(str, each)) for each in (sizes, self.places))
            raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({found}). Output size is too small")
        ends = ((m - 1) * s + (k - 1) * d + 1 for m, s, k, d in zip(self.places, self.stride, self.kernel, self.dilation))
        self.after = tuple(max(end - a - p, 0) for end, a, p in zip(ends, sizes, self.before))

    def _places(self, size: int, k: int, ceil: bool) -> int:
        """Return the number of windows along a dimension; with ``ceil`` the last one may reach beyond the padding."""
        free = size + 2 * self.before[k] - self.dilation[k] * (self.kernel[k] - 1) - 1
        step = self.stride[k]
        found = (-(-free // step) if ceil else free // step) + 1
        return found - 1 if ceil and (found - 1) * step >= size + self.before[k] else found

    def on(self, signal: Tensor, value: float) -> Any:
        """Return the windows on a signal padded with ``value``, of shape (N, C, *places, elements)."""
        if any(self.before) or any(self.after):
            signal = pad(signal, [n for pair in zip(reversed(self.before), reversed(self.after)) for n in pair], value=value)
        count = len(self.kernel)
        found = apply(convolutions.columns, signal, self.kernel, self.stride, (0,) * count, self.dilation)
        return found[(slice(None), slice(None), *(slice(m) for m in self.places))].flatten(-count)

    def counts(self, sizes: Sequence[int], with_padding: bool) -> Any:
        """Return the number of elements of each window, with or without those of the padding."""
        found = np.ones(())
        for k, a in enumerate(sizes):
            first = np.arange(self.places[k]) * self.stride[k] - self.before[k]
            last = np.minimum(first + self.kernel[k], a + self.before[k])
            found = np.multiply.outer(found, last - first if with_padding else np.minimum(last, a) - np.maximum(first, 0))
        return found


def _pooled(name: str, input: Any, count: int, run: Callable[[Any], Any]) -> Any:
    return over_batch(run, input, count + 2, f"{name}(): Expected {count + 1}D or {count + 2}D (batch mode) tensor for input, but got")


def _average(count: int) -> Callable[..., Any]:
    name = f"avg_pool{count}d"

    def pool(input: Tensor, kernel_size: Size, stride: Any = None, padding: Size = 0, ceil_mode: bool = False,
             count_include_pad: bool = True, divisor_override: int | None = None) -> Any:
        def run(signal: Any) -> Any:
            sizes = signal.shape[2:]
            seen = _Windows(sizes, kernel_size, stride, padding, 1, ceil_mode)
            counts = wrap(seen.counts(sizes, count_include_pad).astype(signal.dtype)) if divisor_override is None else divisor_override
            return seen.on(signal, 0.0).sum(-1) / counts
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        return _pooled(name, input, count, run)
    return named(pool, name, f"""The mean of each window on a signal with {count} dimension{'s' * (count > 1)}.

    The elements of the padding count unless ``count_include_pad`` is False; `divisor_override` replaces the number of elements.
    """)


_average_of_signals, avg_pool2d, avg_pool3d = map(_average, (1, 2, 3))


def avg_pool1d(input: Tensor, kernel_size: Size, stride: Any = None, padding: Size = 0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> Tensor:
    """The mean of each window on signals (N, C, L); see `avg_pool2d`."""
    return _average_of_signals(input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def _outputs(given: Any, sizes: Any) -> tuple[int, ...]:
    """Return the number of windows along each dimension; None stands for the size."""
    wanted = (given,) if given is None or isinstance(given, int) else tuple(given)
    wanted *= len(sizes) if len(wanted) == 1 else 1
    if len(wanted) != len(sizes):
        raise RuntimeError(f"output_size must be one int or {len(sizes)}, but got {list(wanted)}")
    found = tuple(a if n is None else int(n) for n, a in zip(wanted, sizes))
    if min(found) < 0:
        raise RuntimeError(f"elements of output_size must be greater than or equal to 0, but got {list(found)}")
    return found


def _adaptive_average(count: int) -> Callable[..., Any]:
    name = f"adaptive_avg_pool{count}d"

    def pool(input: Any, output_size: Any) -> Any:
        def run(signal: Any) -> Any:
            sizes = signal.shape[2:]
            return along(signal, [area(size, windows).astype(signal.dtype) for size, windows in zip(sizes, _outputs(output_size, sizes))])
        return _pooled(name, input, count, run)
    return named(pool, name, f"The means of ``output_size`` windows along each of {count} dimensions; their sizes differ by one at most.")


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = map(_adaptive_average, (1, 2, 3))


def _largest(windows: Any, places: Any) -> tuple[Any, Tensor]:
    """Return the largest element of each window (N, C, *outputs, elements), and its place among ``places`` (*outputs, elements)."""
    values, which = windows.max(-1)
    return values, wrap(np.broadcast_to(places, windows.shape)).gather(-1, which.unsqueeze(-1)).squeeze(-1)


_FUSED = {1: pools.max_pool1d, 2: pools.max_pool2d, 3: pools.max_pool3d}


def _max(count: int) -> Callable[..., Any]:
    name = f"max_pool{count}d"

    def pool(input: Tensor, kernel_size: Size, stride: Any = None, padding: Size = 0, dilation: Size = 1, ceil_mode: bool = False,
             return_indices: bool = False) -> Any:
        def run(signal: Any) -> Any:
            sizes = signal.shape[2:]
            seen = _Windows(sizes, kernel_size, stride, padding, dilation, ceil_mode)
            if STATE.interpreter is None and signal.is_floating_point():
                windows = (seen.kernel, seen.stride, seen.dilation, seen.before, seen.after, seen.places)
                values, which = apply(_FUSED[count], signal, windows)
                return (values, wrap(pools.places_in_signal(which._array, windows, tuple(sizes)))) if return_indices else values
            numbers = wrap(np.arange(int(np.prod(sizes))).reshape(1, 1, *sizes))
            lowest = -np.inf if signal.is_floating_point() else np.iinfo(signal.dtype).min
            found = _largest(seen.on(signal, lowest), seen.on(numbers, 0).numpy()[0])
            return found if return_indices else found[0]
        return _pooled(name, input, count, run)
    return named(pool, name, f"""The largest element of each window on a signal with {count} dimension{'s' * (count > 1)}.

    With ``return_indices`` also their places in the flattened signal; of equal elements, the first.

    Raises
    ------
    RuntimeError
        If no window fits, or the padding is larger than half a window.
    """)


def _adaptive_max(count: int) -> Callable[..., Any]:
    name = f"adaptive_max_pool{count}d"

    def pool(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        def run(signal: Any) -> Any:
            sizes, tables = signal.shape[2:], []        # the elements of each window along each dimension, the last one repeated
            for size, windows in zip(sizes, _outputs(output_size, sizes)):
                first, last = parts(size, windows)
                tables.append(np.minimum(first[:, None] + np.arange(max(last - first, default=0)), last[:, None] - 1))
            numbers = np.arange(int(np.prod(sizes))).reshape(sizes)[np.ix_(*(table.ravel() for table in tables))]
            for k, table in enumerate(tables):
                signal = signal.index_select(2 + k, wrap(table.ravel()))
            split = [m for table in tables for m in table.shape]
            order = (*range(0, 2 * count, 2), *range(1, 2 * count, 2))
            elements = signal.reshape(*signal.shape[:2], *split).permute(0, 1, *(2 + k for k in order)).flatten(-count)
            found = _largest(elements, numbers.reshape(split).transpose(order).reshape(elements.shape[2:]))
            return found if return_indices else found[0]
        return _pooled(name, input, count, run)
    return named(pool, name, f"The largest elements of ``output_size`` windows along each of {count} dimensions; optionally their places.")


def _with_indices(pool: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(pool)
    def both(*args: Any, **kwargs: Any) -> Any:
        return pool(*args, **{**kwargs, "return_indices": True})
    return named(both, f"{pool.__name__}_with_indices", f"`{pool.__name__}` with ``return_indices=True``.")


max_pool1d, max_pool2d, max_pool3d = map(_max, (1, 2, 3))
max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(_with_indices, (max_pool1d, max_pool2d, max_pool3d))
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = map(_adaptive_max, (1, 2, 3))
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = map(
    _with_indices, (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d))
