"""Pools with as many windows as are asked for: of nearly equal sizes, or at places that are drawn."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor, wrap
from .pooling import batched, largest, many
from .separable import along

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d", "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices",
    "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d", "fractional_max_pool3d_with_indices",
]


def _outputs(given: Any, sizes: Any) -> tuple[int, ...]:
    """How many windows there are along each dimension; None keeps the size."""
    wanted = (given,) * len(sizes) if given is None or isinstance(given, int) else tuple(given)
    if len(wanted) == 1:
        wanted *= len(sizes)
    if len(wanted) != len(sizes):
        raise RuntimeError(f"output_size must be one int or {len(sizes)}, but got {list(wanted)}")
    found = tuple(a if n is None else int(n) for n, a in zip(wanted, sizes))
    if min(found) < 0:
        raise RuntimeError(f"elements of output_size must be greater than or equal to 0, but got {list(found)}")
    return found


def _bounds(size: int, count: int) -> tuple[Any, Any]:
    """Where ``count`` windows begin and end along a dimension."""
    k = np.arange(count)
    return k * size // count, -((k + 1) * -size // count)


def _shares(size: int, count: int, dtype: Any) -> Any:
    """The matrix that takes the means of ``count`` windows along a dimension."""
    first, last = _bounds(size, count)
    k = np.arange(size)
    inside = (k >= first[:, None]) & (k < last[:, None])
    return (inside / (last - first)[:, None]).astype(dtype)


def _mean(count: int) -> Callable[..., Tensor]:
    name = f"adaptive_avg_pool{count}d"

    def pool(input: Any, output_size: Any) -> Any:
        signal, whole = batched(name, input, count)
        sizes = signal.shape[2:]
        found = along(signal, [_shares(a, n, signal.dtype) for a, n in zip(sizes, _outputs(output_size, sizes))])
        return found if whole else found.squeeze(0)
    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"The means of ``output_size`` windows along each of {count} dimensions, of sizes that differ by one at most."
    return pool


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = map(_mean, (1, 2, 3))


def _max_at(signal: Any, tables: list[Any]) -> tuple[Any, Any]:
    """The largest elements of windows, of which ``tables`` tell the places (outputs, elements) along each dimension.

    A place may stand twice in a window.
    """
    sizes, n = signal.shape[2:], len(tables)
    numbers = np.arange(int(np.prod(sizes))).reshape(sizes)[np.ix_(*(t.ravel() for t in tables))]
    for k, table in enumerate(tables):
        signal = signal.index_select(2 + k, wrap(table.ravel()))
    split = [m for table in tables for m in table.shape]
    order = (*range(0, 2 * n, 2), *range(1, 2 * n, 2))
    windows = signal.reshape(*signal.shape[:2], *split).permute(0, 1, *(2 + k for k in order)).flatten(-n)
    return largest(windows, numbers.reshape(split).transpose(order).reshape(windows.shape[2:]))


def _max_pools(count: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    name = f"adaptive_max_pool{count}d"

    def both(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        signal, whole = batched(name, input, count)
        tables = []
        for a, n in zip(signal.shape[2:], _outputs(output_size, signal.shape[2:])):
            first, last = _bounds(a, n)
            tables.append(np.minimum(first[:, None] + np.arange(max(last - first, default=0)), last[:, None] - 1))
        values, places = _max_at(signal, tables)
        return (values, places) if whole else (values.squeeze(0), places.squeeze(0))

    def pool(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        found = both(input, output_size)
        return found if return_indices else found[0]
    pool.__name__ = pool.__qualname__ = name
    both.__name__ = both.__qualname__ = f"{name}_with_indices"
    pool.__doc__ = f"The largest elements of windows, ``output_size`` along each of {count} dimensions; with ``return_indices`` where."
    both.__doc__ = f"`{name}`, and the places of the elements in the flattened signal."
    return pool, both


adaptive_max_pool1d, adaptive_max_pool1d_with_indices = _max_pools(1)
adaptive_max_pool2d, adaptive_max_pool2d_with_indices = _max_pools(2)
adaptive_max_pool3d, adaptive_max_pool3d_with_indices = _max_pools(3)


def _starts(sample: float, size: int, outputs: int, kernel: int) -> Any:
    """Where windows of one size begin, at steps that vary with the number that was drawn."""
    if outputs == 1:
        return np.array([size - kernel])
    step = (size - kernel) / (outputs - 1)
    found = ((np.arange(outputs) + sample) * step).astype(np.int64) - int(sample * step)
    found[-1] = size - kernel
    return found


def _fractional(count: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    name = f"fractional_max_pool{count}d"

    def both(input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
             _random_samples: Any = None) -> Any:
        signal, whole = batched(name, input, count)
        sizes = signal.shape[2:]
        if (output_size is None) == (output_ratio is None):
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        if output_size is None:
            ratios = (output_ratio,) * count if isinstance(output_ratio, float) else tuple(output_ratio)
            output_size = [int(a * r) for a, r in zip(sizes, ratios)]
        kernel, outputs = many(kernel_size, count, "kernel_size"), many(output_size, count, "output_size")
        if any(n + k - 1 > a - (count == 3) for a, k, n in zip(sizes, kernel, outputs)):
            raise RuntimeError(f"{name}(): pool size ({kernel}) too large relative to input size {list(sizes)}")
        drawn = _call["rand"](*signal.shape[:2], count, dtype=signal.dtype) if _random_samples is None else _random_samples
        parts = [[_drawn(signal[i, j], drawn[i, j].tolist(), kernel, outputs) for j in range(signal.shape[1])] for i in range(len(signal))]
        values, places = (_call["stack"]([_call["stack"]([one[k] for one in row]) for row in parts]) for k in (0, 1))
        return (values, places) if whole else (values.squeeze(0), places.squeeze(0))

    def pool(input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
             _random_samples: Any = None) -> Any:
        found = both(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
        return found if return_indices else found[0]
    pool.__name__ = pool.__qualname__ = name
    both.__name__ = both.__qualname__ = f"{name}_with_indices"
    pool.__doc__ = "The largest elements of windows of one size, which begin at places that are drawn for each channel."
    both.__doc__ = f"`{name}`, and the places of the elements in the flattened channel."
    return pool, both


_call: Any = FUNCTIONS


def _drawn(channel: Any, samples: list[float], kernel: tuple[int, ...], outputs: tuple[int, ...]) -> tuple[Any, Any]:
    """The largest elements of the windows on one channel; the first number that was drawn is for the last dimension."""
    samples = samples[::-1] if len(kernel) == 2 else samples
    tables = [_starts(x, a, n, k)[:, None] + np.arange(k) for x, a, n, k in zip(samples, channel.shape, outputs, kernel)]
    values, places = _max_at(channel[None, None], tables)
    return values[0, 0], places[0, 0]


fractional_max_pool2d, fractional_max_pool2d_with_indices = _fractional(2)
fractional_max_pool3d, fractional_max_pool3d_with_indices = _fractional(3)
