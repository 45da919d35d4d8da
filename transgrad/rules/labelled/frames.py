"""Series and data frames."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .reductions import Misaligned, reduced

__all__ = ["Frame", "Series"]

_ALIGN = ("pandas aligns the indexes of the operands of this operation, which are not the same. "
          "Hint: align them before the call, or compute with to_numpy()")


@dataclass
class Series:
    """A series: its values, and a name for its index; an empty name is that of an index that is not known."""

    values: Any
    index: str

    def other(self, x: Any) -> Any:
        """The values of the other operand."""
        if isinstance(x, Series):
            if self.index == "" or x.index != self.index:
                raise Misaligned(_ALIGN)
            return x.values
        return x

    def like(self, values: Any) -> Series:
        """A series with the same index."""
        return Series(values, self.index)

    def elementwise(self, fn: Any, *others: Any) -> Series:
        """A function of NumPy's, element by element."""
        return Series(fn(self.values, *[self.other(o) for o in others]), self.index)

    def elementwise_right(self, fn: Any, first: Any) -> Series:
        """The same where the series is the second operand."""
        return Series(fn(self.other(first), self.values), self.index)

    def __add__(self, x: Any) -> Series:
        return Series(self.values + self.other(x), self.index)

    def __radd__(self, x: Any) -> Series:
        return Series(x + self.values, self.index)

    def __sub__(self, x: Any) -> Series:
        return Series(self.values - self.other(x), self.index)

    def __rsub__(self, x: Any) -> Series:
        return Series(x - self.values, self.index)

    def __mul__(self, x: Any) -> Series:
        return Series(self.values * self.other(x), self.index)

    def __rmul__(self, x: Any) -> Series:
        return Series(x * self.values, self.index)

    def __truediv__(self, x: Any) -> Series:
        return Series(self.values / self.other(x), self.index)

    def __rtruediv__(self, x: Any) -> Series:
        return Series(x / self.values, self.index)

    def __pow__(self, x: Any) -> Series:
        return Series(self.values ** self.other(x), self.index)

    def __rpow__(self, x: Any) -> Series:
        return Series(x ** self.values, self.index)

    def __neg__(self) -> Series:
        return Series(-self.values, self.index)

    def __abs__(self) -> Series:
        return Series(np.abs(self.values), self.index)

    def __lt__(self, x: Any) -> Series:
        return Series(self.values < self.other(x), self.index)

    def __le__(self, x: Any) -> Series:
        return Series(self.values <= self.other(x), self.index)

    def __gt__(self, x: Any) -> Series:
        return Series(self.values > self.other(x), self.index)

    def __ge__(self, x: Any) -> Series:
        return Series(self.values >= self.other(x), self.index)

    def __matmul__(self, x: Any) -> Any:
        return self.values @ (self.other(x) if isinstance(x, Series) else x)

    def __rmatmul__(self, x: Any) -> Any:
        return x @ self.values

    def dot(self, x: Any) -> Any:
        """The inner product."""
        return self.values @ (self.other(x) if isinstance(x, Series) else x)

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
        """The values."""
        return self.values

    def sum(self, axis: Any = None) -> Any:
        """The sum."""
        return reduced("sum", self.values, None, 0)

    def mean(self, axis: Any = None) -> Any:
        """The mean."""
        return reduced("mean", self.values, None, 0)

    def prod(self, axis: Any = None) -> Any:
        """The product."""
        return reduced("prod", self.values, None, 0)

    def max(self, axis: Any = None) -> Any:
        """The maximum."""
        return reduced("max", self.values, None, 0)

    def min(self, axis: Any = None) -> Any:
        """The minimum."""
        return reduced("min", self.values, None, 0)

    def std(self, axis: Any = None, ddof: int = 1) -> Any:
        """The standard deviation."""
        return reduced("std", self.values, None, ddof)

    def var(self, axis: Any = None, ddof: int = 1) -> Any:
        """The variance."""
        return reduced("var", self.values, None, ddof)

    def abs(self) -> Series:
        """Absolute values."""
        return Series(np.abs(self.values), self.index)

    def cumsum(self) -> Series:
        """Cumulative sums."""
        return Series(np.cumsum(self.values), self.index)

    def clip(self, lower: Any = None, upper: Any = None) -> Series:
        """Values limited to an interval."""
        return Series(np.clip(self.values, lower, upper), self.index)


@dataclass
class Frame:
    """A data frame: its columns by name, and a name for its index."""

    data: dict[Any, Any]
    index: str

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, list):
            return Frame({k: self.data[k] for k in name}, self.index)
        return Series(self.data[name], self.index)

    @property
    def values(self) -> Any:
        """All columns as a matrix."""
        return np.stack(list(self.data.values()), axis=1)

    def to_numpy(self) -> Any:
        """All columns as a matrix."""
        return np.stack(list(self.data.values()), axis=1)

    @property
    def shape(self) -> Any:
        """Rows and columns."""
        return (len(self), len(self.data))

    def __len__(self) -> int:
        return len(list(self.data.values())[0])

    def column(self, k: Any, x: Any) -> Any:
        """The other operand of an operation on a column."""
        if isinstance(x, Frame):
            if self.index == "" or x.index != self.index:
                raise Misaligned(_ALIGN)
            return x.data[k]
        if isinstance(x, Series) or np.ndim(x) > 0:
            raise Misaligned("pandas aligns the columns of a frame with the index of a series, or with an array. "
                             "Hint: compute column by column, or with to_numpy()")
        return x

    def elementwise(self, fn: Any, *others: Any) -> Frame:
        """A function of NumPy's, element by element."""
        return Frame({k: fn(v, *[self.column(k, o) for o in others]) for k, v in self.data.items()}, self.index)

    def elementwise_right(self, fn: Any, first: Any) -> Frame:
        """The same where the frame is the second operand."""
        return Frame({k: fn(self.column(k, first), v) for k, v in self.data.items()}, self.index)

    def __add__(self, x: Any) -> Frame:
        return Frame({k: v + self.column(k, x) for k, v in self.data.items()}, self.index)

    def __radd__(self, x: Any) -> Frame:
        return Frame({k: self.column(k, x) + v for k, v in self.data.items()}, self.index)

    def __sub__(self, x: Any) -> Frame:
        return Frame({k: v - self.column(k, x) for k, v in self.data.items()}, self.index)

    def __rsub__(self, x: Any) -> Frame:
        return Frame({k: self.column(k, x) - v for k, v in self.data.items()}, self.index)

    def __mul__(self, x: Any) -> Frame:
        return Frame({k: v * self.column(k, x) for k, v in self.data.items()}, self.index)

    def __rmul__(self, x: Any) -> Frame:
        return Frame({k: self.column(k, x) * v for k, v in self.data.items()}, self.index)

    def __truediv__(self, x: Any) -> Frame:
        return Frame({k: v / self.column(k, x) for k, v in self.data.items()}, self.index)

    def __rtruediv__(self, x: Any) -> Frame:
        return Frame({k: self.column(k, x) / v for k, v in self.data.items()}, self.index)

    def __pow__(self, x: Any) -> Frame:
        return Frame({k: v ** self.column(k, x) for k, v in self.data.items()}, self.index)

    def __neg__(self) -> Frame:
        return Frame({k: -v for k, v in self.data.items()}, self.index)

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, Series):
            raise Misaligned("pandas aligns the columns of a frame with the index of a series. Hint: multiply with to_numpy()")
        if np.ndim(x) == 1:
            return Series(self.to_numpy() @ x, self.index)
        return self.to_numpy() @ x

    def dot(self, x: Any) -> Any:
        """The product with an array."""
        return self @ x

    def per_column(self, name: str, axis: Any, ddof: int) -> Any:
        """A reduction of each column, of each row (``axis=1``) or of everything (``axis=None``)."""
        if axis == 0:
            return Series(reduced(name, self.to_numpy(), 0, ddof), "columns")
        if axis == 1:
            return Series(reduced(name, self.to_numpy(), 1, ddof), self.index)
        return reduced(name, self.to_numpy(), None, ddof)

    def sum(self, axis: Any = 0) -> Any:
        """Sums of the columns."""
        return self.per_column("sum", axis, 0)

    def mean(self, axis: Any = 0) -> Any:
        """Means of the columns."""
        return self.per_column("mean", axis, 0)

    def prod(self, axis: Any = 0) -> Any:
        """Products of the columns."""
        return self.per_column("prod", axis, 0)

    def max(self, axis: Any = 0) -> Any:
        """Maxima of the columns."""
        return self.per_column("max", axis, 0)

    def min(self, axis: Any = 0) -> Any:
        """Minima of the columns."""
        return self.per_column("min", axis, 0)

    def std(self, axis: Any = 0, ddof: int = 1) -> Any:
        """Standard deviations of the columns."""
        return self.per_column("std", axis, ddof)

    def var(self, axis: Any = 0, ddof: int = 1) -> Any:
        """Variances of the columns."""
        return self.per_column("var", axis, ddof)
