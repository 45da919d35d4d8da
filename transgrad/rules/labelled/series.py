"""Series."""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .reductions import cumulative_sum, limited, reduced
from .refusals import Misaligned, NotCompiled, Table, no_options, refusing

__all__ = ["ALIGN", "Series"]

ALIGN = ("pandas aligns the indexes of the operands of this operation, which are not the same. "
         "Hint: align them before the call, or compute with to_numpy()")


@refusing("Series")
@dataclass(eq=False)
class Series:
    """A series: its values, and the name of its index. The name of an unknown index is empty; that of one label begins with ``one``."""

    _values: Any
    _index: str

    def _other(self, x: Any) -> Any:
        """The values of the other operand."""
        if isinstance(x, Series):
            if self._index == "" or x._index != self._index:
                raise Misaligned(ALIGN)
            return x._values
        if isinstance(x, Table):
            raise Misaligned("pandas aligns the index of a series with the columns of a frame. Hint: compute column by column")
        if np.ndim(x) > 1 or np.ndim(x) == 1 and self._index[:3] == "one":
            raise Misaligned("pandas combines a series with numbers, and with arrays of its length. Hint: compute with to_numpy()")
        return x

    def _with(self, fn: Any, x: Any) -> Series:
        return Series(fn(self._values, self._other(x)), self._index)

    def _right(self, fn: Any, x: Any) -> Series:
        return Series(fn(self._other(x), self._values), self._index)

    def _elementwise(self, fn: Any, *others: Any) -> Series:
        """A function of NumPy, element by element."""
        return Series(fn(self._values, *[self._other(o) for o in others]), self._index)

    def _elementwise_right(self, fn: Any, first: Any) -> Series:
        """The same where the series is the second operand."""
        return Series(fn(self._other(first), self._values), self._index)

    __array_ufunc__ = None      # an array beside it leaves operators to it

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self._values, dtype)

    # -- operators

    def __add__(self, x: Any) -> Series:
        return self._with(operator.add, x)

    def __radd__(self, x: Any) -> Series:
        return self._right(operator.add, x)

    def __sub__(self, x: Any) -> Series:
        return self._with(operator.sub, x)

    def __rsub__(self, x: Any) -> Series:
        return self._right(operator.sub, x)

    def __mul__(self, x: Any) -> Series:
        return self._with(operator.mul, x)

    def __rmul__(self, x: Any) -> Series:
        return self._right(operator.mul, x)

    def __truediv__(self, x: Any) -> Series:
        return self._with(operator.truediv, x)

    def __rtruediv__(self, x: Any) -> Series:
        return self._right(operator.truediv, x)

    def __pow__(self, x: Any) -> Series:
        return self._with(operator.pow, x)

    def __rpow__(self, x: Any) -> Series:
        return self._right(operator.pow, x)

    def __neg__(self) -> Series:
        return Series(-self._values, self._index)

    def __pos__(self) -> Series:
        return Series(+self._values, self._index)

    def __abs__(self) -> Series:
        return Series(np.abs(self._values), self._index)

    def __lt__(self, x: Any) -> Series:
        return self._with(operator.lt, x)

    def __le__(self, x: Any) -> Series:
        return self._with(operator.le, x)

    def __gt__(self, x: Any) -> Series:
        return self._with(operator.gt, x)

    def __ge__(self, x: Any) -> Series:
        return self._with(operator.ge, x)

    def __eq__(self, x: Any) -> Series:       # type: ignore[override]
        return self._with(operator.eq, x)

    def __ne__(self, x: Any) -> Series:       # type: ignore[override]
        return self._with(operator.ne, x)

    def __and__(self, x: Any) -> Series:
        return self._with(operator.and_, x)

    def __or__(self, x: Any) -> Series:
        return self._with(operator.or_, x)

    def __invert__(self) -> Series:
        return Series(~self._values, self._index)

    def __matmul__(self, x: Any) -> Any:
        return self.dot(x)

    def __rmatmul__(self, x: Any) -> Any:
        return x @ self._values

    def dot(self, x: Any) -> Any:
        """The product with a series or an array."""
        if isinstance(x, Table):
            raise Misaligned("pandas aligns the index of a series with that of a frame. Hint: multiply with to_numpy()")
        return self._values @ (self._other(x) if isinstance(x, Series) else x)

    def add(self, other: Any, **options: Any) -> Series:
        """The operator ``+``."""
        no_options("Series.add", options)
        return self._with(operator.add, other)

    def sub(self, other: Any, **options: Any) -> Series:
        """The operator ``-``."""
        no_options("Series.sub", options)
        return self._with(operator.sub, other)

    def mul(self, other: Any, **options: Any) -> Series:
        """The operator ``*``."""
        no_options("Series.mul", options)
        return self._with(operator.mul, other)

    def div(self, other: Any, **options: Any) -> Series:
        """The operator ``/``."""
        no_options("Series.div", options)
        return self._with(operator.truediv, other)

    def pow(self, other: Any, **options: Any) -> Series:
        """The operator ``**``."""
        no_options("Series.pow", options)
        return self._with(operator.pow, other)

    # -- elements

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Any:
        return iter(self._values.tolist())

    def __getitem__(self, key: Any) -> Series:
        chosen = self._other(key) if isinstance(key, Series) else key
        if not isinstance(chosen, np.ndarray) or chosen.dtype != np.dtype(bool):
            raise NotCompiled("Series[...] is compiled for a boolean Series or array only. Hint: select with to_numpy()")
        return Series(self._values[chosen], "")

    @property
    def shape(self) -> Any:
        """The lengths of the dimensions."""
        return self._values.shape

    @property
    def size(self) -> Any:
        """The number of elements."""
        return self._values.size

    @property
    def ndim(self) -> Any:
        """The number of dimensions."""
        return self._values.ndim

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def values(self) -> Any:
        """The values."""
        return self._values

    def to_numpy(self) -> Any:
        """The values."""
        return self._values

    def copy(self, deep: bool = True) -> Series:
        """A copy."""
        return Series(np.copy(self._values), self._index)

    # -- reductions

    def _reduced(self, name: str, ddof: int, skipna: bool, options: Any) -> Any:
        no_options(f"Series.{name}", options)
        return reduced(name, self._values, None, ddof, skipna)

    def sum(self, axis: Any = None, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """The sum."""
        return self._reduced("sum", 0, skipna, options)

    def mean(self, axis: Any = None, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """The mean."""
        return self._reduced("mean", 0, skipna, options)

    def prod(self, axis: Any = None, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """The product."""
        return self._reduced("prod", 0, skipna, options)

    def max(self, axis: Any = None, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """The maximum."""
        return self._reduced("max", 0, skipna, options)

    def min(self, axis: Any = None, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """The minimum."""
        return self._reduced("min", 0, skipna, options)

    def std(self, axis: Any = None, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, **options: Any) -> Any:
        """The standard deviation."""
        return self._reduced("std", ddof, skipna, options)

    def var(self, axis: Any = None, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, **options: Any) -> Any:
        """The variance."""
        return self._reduced("var", ddof, skipna, options)

    def count(self) -> Any:
        """The number of values that are not missing."""
        return np.sum(~np.isnan(self._values))

    # -- element by element

    def abs(self) -> Series:
        """Absolute values."""
        return Series(np.abs(self._values), self._index)

    def cumsum(self, axis: Any = None, **options: Any) -> Series:
        """Cumulative sums."""
        no_options("Series.cumsum", options)
        return Series(cumulative_sum(self._values), self._index)

    def clip(self, lower: Any = None, upper: Any = None, **options: Any) -> Series:
        """Values limited to an interval."""
        no_options("Series.clip", options)
        return Series(limited(self._values, self._other(lower), self._other(upper)), self._index)

    def isna(self) -> Series:
        """Whether values are missing."""
        return Series(np.isnan(self._values), self._index)

    def notna(self) -> Series:
        """Whether values are not missing."""
        return Series(~np.isnan(self._values), self._index)

    def fillna(self, value: Any, **options: Any) -> Series:
        """Missing values replaced by a number or by the values of a series."""
        no_options("Series.fillna", options)
        return Series(np.where(np.isnan(self._values), self._other(value), self._values), self._index)

    def where(self, cond: Any, other: Any = np.nan, **options: Any) -> Series:
        """The values where a condition holds."""
        no_options("Series.where", options)
        return Series(np.where(self._other(cond), self._values, self._other(other)), self._index)

    def mask(self, cond: Any, other: Any = np.nan, **options: Any) -> Series:
        """The values where a condition does not hold."""
        no_options("Series.mask", options)
        return Series(np.where(self._other(cond), self._other(other), self._values), self._index)
