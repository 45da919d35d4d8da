"""Arrays with named dimensions, and data sets of them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .reductions import Misaligned, reduced

__all__ = ["DataArray", "Dataset"]

_ALIGN = ("xarray aligns the coordinates of the operands of this operation, which are not the same. "
          "Hint: align them before the call, or compute with .values")


def axes_of(axes: str) -> list[str]:
    """The dimensions of an array, each with the name of its coordinate: ``dimension=name``."""
    return axes.split(",") if axes != "" else []


def dims_of(axes: str) -> list[str]:
    """The names of the dimensions of an array."""
    return [a.split("=")[0] for a in axes_of(axes)]


def without(axes: str, dims: list[str]) -> str:
    """The dimensions but for some."""
    return ",".join([a for a in axes_of(axes) if a.split("=")[0] not in dims])


def merged(first: str, second: str) -> str:
    """The dimensions of the result of an operation of two arrays."""
    own = dims_of(first)
    for a in axes_of(second):
        if a.split("=")[0] in own and a not in axes_of(first):
            raise Misaligned(_ALIGN)
    return ",".join(axes_of(first) + [a for a in axes_of(second) if a.split("=")[0] not in own])


def spread(values: Any, axes: str, wanted: str) -> Any:
    """An array with the dimensions ``wanted``, in their order; of length 1 where it has none."""
    own, dims = dims_of(axes), dims_of(wanted)
    order = [own.index(d) for d in dims if d in own]
    if order != [k for k, _ in enumerate(own)]:
        values = np.transpose(values, tuple(order))
    for k, d in enumerate(dims):
        if d not in own:
            values = np.expand_dims(values, k)
    return values


@dataclass
class DataArray:
    """An array and its dimensions, each with a name for its coordinate: ``"time=labels 0,x=labels 1"``."""

    values: Any
    axes: str

    @property
    def data(self) -> Any:
        """The array."""
        return self.values

    @property
    def dims(self) -> Any:
        """The names of the dimensions."""
        return tuple(dims_of(self.axes))

    def aligned(self, x: Any) -> Any:
        """The dimensions of the result of an operation, and both arrays with these dimensions."""
        if not isinstance(x, DataArray):
            return self.axes, self.values, x
        axes = merged(self.axes, x.axes)
        return axes, spread(self.values, self.axes, axes), spread(x.values, x.axes, axes)

    def elementwise(self, fn: Any, *others: Any) -> DataArray:
        """A function of NumPy's, element by element."""
        if len(others) == 0:
            return DataArray(fn(self.values), self.axes)
        if len(others) == 1:
            axes, a, b = self.aligned(others[0])
            return DataArray(fn(a, b), axes)
        raise Misaligned("functions of three arrays with named dimensions are not compiled. Hint: compute with .values")

    def elementwise_right(self, fn: Any, first: Any) -> DataArray:
        """The same where the array is the second operand."""
        return DataArray(fn(first, self.values), self.axes)

    def __add__(self, x: Any) -> DataArray:
        axes, a, b = self.aligned(x)
        return DataArray(a + b, axes)

    def __radd__(self, x: Any) -> DataArray:
        return DataArray(x + self.values, self.axes)

    def __sub__(self, x: Any) -> DataArray:
        axes, a, b = self.aligned(x)
        return DataArray(a - b, axes)

    def __rsub__(self, x: Any) -> DataArray:
        return DataArray(x - self.values, self.axes)

    def __mul__(self, x: Any) -> DataArray:
        axes, a, b = self.aligned(x)
        return DataArray(a * b, axes)

    def __rmul__(self, x: Any) -> DataArray:
        return DataArray(x * self.values, self.axes)

    def __truediv__(self, x: Any) -> DataArray:
        axes, a, b = self.aligned(x)
        return DataArray(a / b, axes)

    def __rtruediv__(self, x: Any) -> DataArray:
        return DataArray(x / self.values, self.axes)

    def __pow__(self, x: Any) -> DataArray:
        axes, a, b = self.aligned(x)
        return DataArray(a ** b, axes)

    def __rpow__(self, x: Any) -> DataArray:
        return DataArray(x ** self.values, self.axes)

    def __neg__(self) -> DataArray:
        return DataArray(-self.values, self.axes)

    def __abs__(self) -> DataArray:
        return DataArray(np.abs(self.values), self.axes)

    def __lt__(self, x: Any) -> DataArray:
        axes, a, b = self.aligned(x)
        return DataArray(a < b, axes)

    def __gt__(self, x: Any) -> DataArray:
        axes, a, b = self.aligned(x)
        return DataArray(a > b, axes)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> Any:
        """The lengths of the dimensions."""
        return self.values.shape

    @property
    def size(self) -> Any:
        """The number of elements."""
        return self.values.size

    @property
    def ndim(self) -> Any:
        """The number of dimensions."""
        return self.values.ndim

    def to_numpy(self) -> Any:
        """The array."""
        return self.values

    @property
    def T(self) -> DataArray:
        """The array with its dimensions in reverse order."""
        return DataArray(self.values.T, ",".join(axes_of(self.axes)[::-1]))

    def transpose(self, *dims: Any) -> DataArray:
        """The array with its dimensions in another order."""
        own = dims_of(self.axes)
        axes = ",".join([axes_of(self.axes)[own.index(d)] for d in dims])
        return DataArray(spread(self.values, self.axes, axes), axes)

    def isel(self, **places: Any) -> Any:
        """Elements by their places: an int for each dimension."""
        values, axes = self.values, self.axes
        for d, place in places.items():
            values = np.take(values, place, axis=dims_of(axes).index(d))
            axes = without(axes, [d])
        return DataArray(values, axes) if axes != "" else values

    def over(self, name: str, dim: Any, ddof: int) -> Any:
        """A reduction over one dimension, several, or all."""
        if dim is None:
            return reduced(name, self.values, None, ddof)
        dims = [dim] if isinstance(dim, str) else list(dim)
        left = without(self.axes, dims)
        if left == "":
            return reduced(name, self.values, None, ddof)
        own = dims_of(self.axes)
        return DataArray(reduced(name, self.values, tuple([own.index(d) for d in dims]), ddof), left)

    def sum(self, dim: Any = None) -> Any:
        """The sum."""
        return self.over("sum", dim, 0)

    def mean(self, dim: Any = None) -> Any:
        """The mean."""
        return self.over("mean", dim, 0)

    def prod(self, dim: Any = None) -> Any:
        """The product."""
        return self.over("prod", dim, 0)

    def max(self, dim: Any = None) -> Any:
        """The maximum."""
        return self.over("max", dim, 0)

    def min(self, dim: Any = None) -> Any:
        """The minimum."""
        return self.over("min", dim, 0)

    def std(self, dim: Any = None, ddof: int = 0) -> Any:
        """The standard deviation."""
        return self.over("std", dim, ddof)

    def var(self, dim: Any = None, ddof: int = 0) -> Any:
        """The variance."""
        return self.over("var", dim, ddof)

    def dot(self, x: Any) -> Any:
        """The product, summed over the dimensions that both have."""
        axes, a, b = self.aligned(x)
        shared = [d for d in dims_of(self.axes) if d in dims_of(x.axes)]
        left = without(axes, shared)
        if left == "":
            return np.sum(a * b)
        every = dims_of(axes)
        return DataArray(np.sum(a * b, axis=tuple([every.index(d) for d in shared])), left)

    def __matmul__(self, x: Any) -> Any:
        return self.dot(x)

    def clip(self, low: Any = None, high: Any = None) -> DataArray:
        """Values limited to an interval."""
        return DataArray(np.clip(self.values, low, high), self.axes)


@dataclass
class Dataset:
    """Arrays by name."""

    variables: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.variables[name]
