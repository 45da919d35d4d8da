"""Shapes of tensors."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex

__all__ = ["Count", "Size", "axis_of", "sized"]


class Size(tuple[int, ...]):
    """A shape, torch's way: its slices, sums and multiples are shapes as well.

    Raises
    ------
    TypeError
        If an element is no integer.

    Examples
    --------
    >>> Size((2, 3)), Size((2, 3)).numel()
    (torch.Size([2, 3]), 6)
    >>> Size((2, 3))[1:] + (4,)
    torch.Size([3, 4])
    """

    __slots__ = ()

    def __new__(cls, lengths: Iterable[SupportsIndex] = ()) -> Size:
        return tuple.__new__(cls, [_length(place, n) for place, n in enumerate(lengths)])

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, key: Any) -> Any:
        found = tuple.__getitem__(self, key)
        return sized(found) if type(found) is tuple else found

    def __add__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple(self) + other)

    def __radd__(self, other: Any) -> Size:
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Size:
        return sized(tuple(self) * times)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)


def _length(place: int, n: SupportsIndex) -> int:
    try:
        return operator.index(n)
    except TypeError:
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{type(n).__name__}')") from None


def sized(shape: tuple[int, ...]) -> Size:
    """Convert the shape of an array to a `Size` without checks."""
    return tuple.__new__(Size, shape)


def axis_of(dim: Any, ndim: int) -> int:
    """Normalize a dimension to a nonnegative number; raise IndexError if it is out of range."""
    n = ndim or 1
    k = dim if type(dim) is int else dim.__index__()
    if not -n <= k < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {k})")
    return k % n


class Count(int):
    """NumPy's ``x.size``, which torch's ``x.size()`` and ``x.size(dim)`` call."""

    _shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return sized(self._shape) if dim is None else self._shape[axis_of(dim, len(self._shape))]
