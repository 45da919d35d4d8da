"""Arrays with named dimensions, and data sets of them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .reductions import Misaligned, reduced

__all__ = ["DataArray", "Dataset"]

_ALIGN = ("xarray aligns the coordinates of the operands of this operation, which are not the same. "
          "Hint: align them before the call, or compute with .values")


@dataclass
class DataArray:
    """An array, and by dimension a name for its coordinates; an empty name is that of coordinates that are not known."""

    values: Any
    coords: dict[str, str]

    @property
    def data(self) -> Any:
        """The array."""
        return self.values

    @property
    def dims(self) -> Any:
        """The names of the dimensions."""
        return tuple([d for d in self.coords])

    def aligned(self, x: Any) -> Any:
        """The dimensions of the result of an operation, and both arrays with these dimensions."""
        if not isinstance(x, DataArray):
            return self.coords, self.values, x
        merged = {**self.coords}
        for d in x.coords:
            if d not in merged:
                merged[d] = x.coords[d]
            elif merged[d] == "" or merged[d] != x.coords[d]:
                raise Misaligned(_ALIGN)
        return merged, self.spread(merged), x.spread(merged)

    def spread(self, coords: dict[str, str]) -> Any:
        """The array with the dimensions of ``coords``, in their order; of length 1 where it has none."""
        own = [d for d in self.coords]
        order = [k for d in coords for k, e in enumerate(own) if d == e]
        values = self.values
        if order != [k for k, _ in enumerate(own)]:
            values = np.transpose(values, tuple(order))
        for k, d in enumerate(coords):
            if d not in self.coords:
                values = np.expand_dims(values, k)
        return values

    def axis_of(self, dim: Any) -> int:
        """The axis of a dimension."""
        for k, d in enumerate(self.coords):
            if d == dim:
                return k
        raise ValueError(f"there is no dimension {dim!r}")

    def elementwise(self, fn: Any, *others: Any) -> DataArray:
        """A function of NumPy's, element by element."""
        if len(others) == 0:
            return DataArray(fn(self.values), self.coords)
        if len(others) == 1:
            coords, a, b = self.aligned(others[0])
            return DataArray(fn(a, b), coords)
        raise Misaligned("functions of three arrays with named dimensions are not compiled. Hint: compute with .values")

    def elementwise_right(self, fn: Any, first: Any) -> DataArray:
        """The same where the array is the second operand."""
        return DataArray(fn(first, self.values), self.coords)

    def __add__(self, x: Any) -> DataArray:
        coords, a, b = self.aligned(x)
        return DataArray(a + b, coords)

    def __radd__(self, x: Any) -> DataArray:
        return DataArray(x + self.values, self.coords)

    def __sub__(self, x: Any) -> DataArray:
        coords, a, b = self.aligned(x)
        return DataArray(a - b, coords)

    def __rsub__(self, x: Any) -> DataArray:
        return DataArray(x - self.values, self.coords)

    def __mul__(self, x: Any) -> DataArray:
        coords, a, b = self.aligned(x)
        return DataArray(a * b, coords)

    def __rmul__(self, x: Any) -> DataArray:
        return DataArray(x * self.values, self.coords)

    def __truediv__(self, x: Any) -> DataArray:
        coords, a, b = self.aligned(x)
        return DataArray(a / b, coords)

    def __rtruediv__(self, x: Any) -> DataArray:
        return DataArray(x / self.values, self.coords)

    def __pow__(self, x: Any) -> DataArray:
        coords, a, b = self.aligned(x)
        return DataArray(a ** b, coords)

    def __rpow__(self, x: Any) -> DataArray:
        return DataArray(x ** self.values, self.coords)

    def __neg__(self) -> DataArray:
        return DataArray(-self.values, self.coords)

    def __abs__(self) -> DataArray:
        return DataArray(np.abs(self.values), self.coords)

    def __lt__(self, x: Any) -> DataArray:
        coords, a, b = self.aligned(x)
        return DataArray(a < b, coords)

    def __gt__(self, x: Any) -> DataArray:
        coords, a, b = self.aligned(x)
        return DataArray(a > b, coords)

    def __len__(self) -> int:
        return len(self.values)

    def to_numpy(self) -> Any:
        """The array."""
        return self.values

    @property
    def T(self) -> DataArray:
        """The array with its dimensions in reverse order."""
        names = [d for d in self.coords]
        return DataArray(self.values.T, {d: self.coords[d] for d in names[::-1]})

    def transpose(self, *dims: Any) -> DataArray:
        """The array with its dimensions in another order."""
        return DataArray(self.spread({d: self.coords[d] for d in dims}), {d: self.coords[d] for d in dims})

    def isel(self, **places: Any) -> DataArray:
        """Elements by their places: an int for each dimension."""
        values = self.values
        left = {**self.coords}
        for d in places:
            names = [e for e in left]
            axis = [k for k, e in enumerate(names) if e == d][0]
            values = np.take(values, places[d], axis=axis)
            left = {e: left[e] for e in names if e != d}
        return DataArray(values, left)

    def over(self, name: str, dim: Any, ddof: int) -> Any:
        """A reduction over one dimension, several, or all."""
        if dim is None:
            return reduced(name, self.values, None, ddof)
        dims = [dim] if isinstance(dim, str) else [d for d in dim]
        axes = tuple([self.axis_of(d) for d in dims])
        if len(axes) == len(self.coords):
            return reduced(name, self.values, None, ddof)
        return DataArray(reduced(name, self.values, axes, ddof), {d: self.coords[d] for d in self.coords if d not in dims})

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
        coords, a, b = self.aligned(x)
        shared = [d for d in self.coords if d in x.coords]
        axes = tuple([k for k, d in enumerate(coords) if d in shared])
        if len(axes) == len(coords):
            return np.sum(a * b)
        return DataArray(np.sum(a * b, axis=axes), {d: coords[d] for d in coords if d not in shared})

    def __matmul__(self, x: Any) -> Any:
        return self.dot(x)

    def clip(self, low: Any = None, high: Any = None) -> DataArray:
        """Values limited to an interval."""
        return DataArray(np.clip(self.values, low, high), self.coords)


@dataclass
class Dataset:
    """Arrays by name."""

    variables: dict[str, DataArray]

    def __getitem__(self, name: str) -> DataArray:
        return self.variables[name]
