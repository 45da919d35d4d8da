"""Pools: the mean, the largest element or a norm of each window on a signal."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...autograd.dispatch import apply
from ...autograd.functions import convolutions, pools
from ...autograd.ops import FUNCTIONS
from ...autograd.padding import pad
from ...autograd.state import STATE
from ...autograd.tensor import Tensor, wrap

__all__ = [
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_pool1d",
    "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices", "max_pool3d", "max_pool3d_with_indices", "max_unpool1d",
    "max_unpool2d", "max_unpool3d",
]

Size = int | Sequence[int]
_call: Any = FUNCTIONS


def many(given: Any, count: int, name: str) -> tuple[int, ...]:
    """One number for each of ``count`` dimensions; one number stands for all."""
    found = (given,) * count if isinstance(given, int) else tuple(int(n) for n in given)
    if len(found) == 1:
        return found * count
    if len(found) != count:
        raise RuntimeError(f"{name} must be one int or {count}, but got {list(found)}")
    return found


def batched(name: str, input: Tensor, count: int) -> tuple[Any, bool]:
    """The signal with a batch dimension, and whether it had one."""
    if input.ndim not in (count + 1, count + 2):
        raise RuntimeError(f"{name}(): Expected {count + 1}D or {count + 2}D (batch mode) tensor for input, but got: {list(input.shape)}")
    return (input, True) if input.ndim == count + 2 else (input.unsqueeze(0), False)


class _Windows:
    """The windows of a pooling operation: sizes, strides, and the padding before and after each dimension."""

    def __init__(self, sizes: Sequence[int], kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool):
        count = len(sizes)
        self.count = count
        self.kernel = many(kernel, count, "kernel_size")
        self.stride = self.kernel if stride is None or stride == [] else many(stride, count, "stride")
        self.dilation = many(dilation, count, "dilation")
        self.before = many(padding, count, "padding")
        if 0 in self.stride:
            raise RuntimeError("stride should not be zero")
        if any(p > ((k - 1) * d + 1) // 2 for p, k, d in zip(self.before, self.kernel, self.dilation)):
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={max(self.before)}, kernel_size="
                               f"{max(self.kernel)} and dilation={max(self.dilation)}")
        self.places = tuple(self._places(a, k, ceil) for k, a in enumerate(sizes))
        if min(self.places) < 1:
            raise RuntimeError(f"Given input size: ({'x'.join(map(str, sizes))}). Calculated output size: "
                               f"({'x'.join(map(str, self.places))}). "
                               "Output size is too small")
        ends = ((m - 1) * s + (k - 1) * d + 1 for m, s, k, d in zip(self.places, self.stride, self.kernel, self.dilation))
        self.after = tuple(max(end - a - p, 0) for end, a, p in zip(ends, sizes, self.before))

    def _places(self, size: int, k: int, ceil: bool) -> int:
        """How many windows there are along a dimension; with ``ceil`` the last one may reach beyond the padding."""
        free = size + 2 * self.before[k] - self.dilation[k] * (self.kernel[k] - 1) - 1
        step = self.stride[k]
        found = (-(-free // step) if ceil else free // step) + 1
        return found - 1 if ceil and (found - 1) * step >= size + self.before[k] else found

    def on(self, signal: Tensor, value: float) -> Any:
        """The windows on a signal with ``value`` around it, (N, C, *places, elements)."""
        if any(self.before) or any(self.after):
            signal = pad(signal, [n for pair in zip(reversed(self.before), reversed(self.after)) for n in pair], value=value)
        none = (0,) * self.count
        found = apply(convolutions.columns, signal, self.kernel, self.stride, none, self.dilation)
        places = tuple(slice(m) for m in self.places)
        return found[(slice(None), slice(None), *places)].flatten(-self.count)


def _mean(name: str, input: Tensor, count: int, kernel: Size, stride: Any, padding: Size, ceil: bool, inside: bool, divisor: Any) -> Any:
    signal, whole = batched(name, input, count)
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    sizes = signal.shape[2:]
    seen = _Windows(sizes, kernel, stride, padding, 1, ceil)
    total = seen.on(signal, 0.0).sum(-1)
    found = total / (divisor if divisor is not None else wrap(_counts(seen, sizes, inside).astype(signal.dtype)))
    return found if whole else found.squeeze(0)


def _counts(seen: _Windows, sizes: Sequence[int], inside: bool) -> Any:
    """The number of elements of each window, without the padding or (``inside``) with it."""
    found = np.ones(())
    for k, a in enumerate(sizes):
        first = np.arange(seen.places[k]) * seen.stride[k] - seen.before[k]
        last = np.minimum(first + seen.kernel[k], a + seen.before[k])
        found = np.multiply.outer(found, last - first if inside else np.minimum(last, a) - np.maximum(first, 0))
    return found


def avg_pool1d(input: Tensor, kernel_size: Size, stride: Any = None, padding: Size = 0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> Tensor:
    """The mean of each window on signals (N, C, L); without ``count_include_pad`` the zeros around them do not count."""
    return _mean("avg_pool1d", input, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(input: Tensor, kernel_size: Size, stride: Any = None, padding: Size = 0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """The mean of each window of images (N, C, H, W), or the sum divided by ``divisor_override``."""
    return _mean("avg_pool2d", input, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(input: Tensor, kernel_size: Size, stride: Any = None, padding: Size = 0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """`avg_pool2d` of volumes (N, C, D, H, W)."""
    return _mean("avg_pool3d", input, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def largest(windows: Any, places: Any) -> tuple[Any, Tensor]:
    """The largest element of each window (N, C, *outputs, elements), and at which of the ``places`` (*outputs, elements) it stands."""
    values, which = windows.max(-1)
    return values, wrap(np.broadcast_to(places, windows.shape)).gather(-1, which.unsqueeze(-1)).squeeze(-1)


_POOLS = {1: pools.max_pool1d, 2: pools.max_pool2d, 3: pools.max_pool3d}


def _max(name: str, input: Tensor, count: int, kernel: Size, stride: Any, padding: Size, dilation: Size, ceil: bool,
         with_indices: bool = True) -> tuple[Any, Any]:
    signal, whole = batched(name, input, count)
    sizes = signal.shape[2:]
    seen = _Windows(sizes, kernel, stride, padding, dilation, ceil)
    if STATE.interpreter is None and signal.is_floating_point():
        windows = (seen.kernel, seen.stride, seen.dilation, seen.before, seen.after, seen.places)
        values, which = apply(_POOLS[count], signal, windows)
        indices = wrap(pools.places_in_signal(which._array, windows, tuple(sizes))) if with_indices else None
        return (values, indices) if whole else (values.squeeze(0), indices if indices is None else indices.squeeze(0))
    numbers = wrap(np.arange(int(np.prod(sizes))).reshape(1, 1, *sizes))
    lowest = -np.inf if signal.is_floating_point() else np.iinfo(signal.dtype).min
    values, indices = largest(seen.on(signal, lowest), seen.on(numbers, 0).numpy()[0])
    return (values, indices) if whole else (values.squeeze(0), indices.squeeze(0))


def _max_with_indices(count: int) -> Callable[..., tuple[Tensor, Tensor]]:
    name = f"max_pool{count}d"

    def pool(input: Tensor, kernel_size: Size, stride: Any = None, padding: Size = 0, dilation: Size = 1, ceil_mode: bool = False,
             return_indices: bool = False) -> tuple[Any, Any]:
        return _max(name, input, count, kernel_size, stride, padding, dilation, ceil_mode)
    pool.__name__ = pool.__qualname__ = f"{name}_with_indices"
    pool.__doc__ = f"`{name}`, and the places of the largest elements in the flattened signal."
    return pool


def _max_pool(count: int) -> Callable[..., Any]:
    name = f"max_pool{count}d"

    def pool(input: Tensor, kernel_size: Size, stride: Any = None, padding: Size = 0, dilation: Size = 1, ceil_mode: bool = False,
             return_indices: bool = False) -> Any:
        found = _max(name, input, count, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
        return found if return_indices else found[0]
    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"""The largest element of each window on a signal with {count} dimension{'s' * (count > 1)}; the first of equal ones.

    With ``return_indices`` their places in the flattened signal too.

    Raises
    ------
    RuntimeError
        If no window fits, or the padding is larger than half a window.
    """
    return pool


max_pool1d, max_pool2d, max_pool3d = map(_max_pool, (1, 2, 3))
max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(_max_with_indices, (1, 2, 3))


def _unpool(count: int) -> Callable[..., Tensor]:
    name = f"max_unpool{count}d"

    def unpool(input: Tensor, indices: Tensor, kernel_size: Size, stride: Any = None, padding: Size = 0, output_size: Any = None) -> Any:
        if indices.shape != input.shape:
            raise RuntimeError(f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got indices "
                               "tensor "
                               f"with shape: {list(indices.shape)}")
        signal, whole = batched(name, input, count)
        kernel = many(kernel_size, count, "kernel_size")
        step = kernel if stride is None or stride == [] else many(stride, count, "stride")
        around = many(padding, count, "padding")
        usual = tuple((a - 1) * s + k - 2 * p for a, s, k, p in zip(signal.shape[2:], step, kernel, around))
        size = usual if output_size is None else _given(output_size, usual, step)
        zeros = signal.new_zeros((*signal.shape[:2], int(np.prod(size))))
        where = indices.reshape(*signal.shape[:2], -1)
        if where.numel() and not 0 <= int(where.min()) <= int(where.max()) < zeros.shape[-1]:
            raise RuntimeError(f"Found an invalid max index: {int(where.max())} (output volumes are of size {'x'.join(map(str, size))})")
        found = zeros.scatter(2, where, signal.flatten(2)).reshape(*signal.shape[:2], *size)
        return found if whole else found.squeeze(0)
    unpool.__name__ = unpool.__qualname__ = name
    unpool.__doc__ = f"""Zeros, with the elements of a `max_pool{count}d` at the places that it returned as indices.

    Raises
    ------
    RuntimeError
        If the shapes differ, or a place is outside.
    ValueError
        If `output_size` is not one that the pool could have come from.
    """
    return unpool


def _given(output_size: Any, usual: tuple[int, ...], stride: tuple[int, ...]) -> tuple[int, ...]:
    size = tuple(int(n) for n in output_size)
    size = size[2:] if len(size) == len(usual) + 2 else size
    if len(size) != len(usual):
        raise ValueError(f"output_size should be a sequence containing {len(usual)} or {len(usual) + 2} elements, but it has a length of "
                         f"'{len(output_size)}'")
    if any(not u - s < n < u + s for n, u, s in zip(size, usual, stride)):
        raise ValueError(f"invalid output_size {size} (dim 0 must be between {usual[0] - stride[0]} and {usual[0] + stride[0]})")
    return size


max_unpool1d, max_unpool2d, max_unpool3d = map(_unpool, (1, 2, 3))


def _lp(count: int) -> Callable[..., Tensor]:
    name, average = f"lp_pool{count}d", (avg_pool1d, avg_pool2d, avg_pool3d)[count - 1]

    def pool(input: Any, norm_type: float, kernel_size: Size, stride: Any = None, ceil_mode: bool = False) -> Any:
        mean: Any = average(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
        elements = int(np.prod(many(kernel_size, count, "kernel_size")))
        return (mean.sign() * mean.abs().relu() * elements).pow(1.0 / norm_type)
    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = "The root of the sum of powers of each window."
    return pool


lp_pool1d, lp_pool2d, lp_pool3d = map(_lp, (1, 2, 3))
