"""Data frames."""
from __future__ import annotations

import operator
from dataclasses import dataclass
from importlib import metadata, util
from typing import Any

import numpy as np

from .reductions import limited, reduced
from .refusals import Misaligned, NotCompiled, Table, no_options, refusing
from .series import ALIGN, Series

__all__ = ["Frame"]

#: Before version 3 of pandas, axis=None means axis=0 in these.
_ONCE_BY_COLUMN = ("sum", "prod", "std", "var")
_BY_COLUMN = util.find_spec("pandas") is not None and int(metadata.version("pandas").split(".")[0]) < 3


@refusing("DataFrame")
@dataclass(eq=False)
class Frame(Table):
    """A data frame: its columns by name, the name of its index, and that of its columns. The name of unknown labels is empty."""

    _data: dict[Any, Any]
    _index: str
    _columns: str

    def _beside(self, j: int, k: Any, x: Any) -> Any:
        """The operand beside column ``k``, which has position ``j``."""
        if isinstance(x, Frame):
            if self._index == "" or x._index != self._index:
                raise Misaligned(ALIGN)
            if self._columns == "" or x._columns != self._columns:
                raise Misaligned("pandas aligns the columns of these frames, which are not the same. Hint: select the same columns of both")
            return x._data[k]
        if isinstance(x, Series):
            if self._columns == "" or x._index != self._columns:
                raise Misaligned("pandas aligns the columns of a frame with the index of a series, which is not the same. "
                                 "Hint: use sub(series, axis=0) and the like, or compute column by column")
            return x._values[j]
        if np.ndim(x) > 0:
            raise Misaligned("pandas aligns the columns of a frame with an array. Hint: compute column by column, or with to_numpy()")
        return x

    def _like(self, data: Any) -> Frame:
        return Frame(data, self._index, self._columns)

    def _with(self, fn: Any, x: Any) -> Frame:
        return self._like({k: fn(v, self._beside(j, k, x)) for j, (k, v) in enumerate(self._data.items())})

    def _right(self, fn: Any, x: Any) -> Frame:
        return self._like({k: fn(self._beside(j, k, x), v) for j, (k, v) in enumerate(self._data.items())})

    def _by_axis(self, fn: Any, x: Any, axis: Any) -> Frame:
        """An operator whose operand is a series of the rows (``axis=0``) or of the columns."""
        if not isinstance(x, Series) or axis not in (0, "index"):
            return self._with(fn, x)
        if self._index == "" or x._index != self._index:
            raise Misaligned(ALIGN)
        return self._like({k: fn(v, x._values) for k, v in self._data.items()})

    def _elementwise(self, fn: Any, *others: Any) -> Frame:
        """A function of NumPy, element by element."""
        return self._like({k: fn(v, *[self._beside(j, k, o) for o in others]) for j, (k, v) in enumerate(self._data.items())})

    def _elementwise_right(self, fn: Any, first: Any) -> Frame:
        """The same where the frame is the second operand."""
        return self._right(fn, first)

    __array_ufunc__ = None      # an array beside it leaves operators to it

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.to_numpy(), dtype)

    # -- operators

    def __add__(self, x: Any) -> Frame:
        return self._with(operator.add, x)

    def __radd__(self, x: Any) -> Frame:
        return self._right(operator.add, x)

    def __sub__(self, x: Any) -> Frame:
        return self._with(operator.sub, x)

    def __rsub__(self, x: Any) -> Frame:
        return self._right(operator.sub, x)

    def __mul__(self, x: Any) -> Frame:
        return self._with(operator.mul, x)

    def __rmul__(self, x: Any) -> Frame:
        return self._right(operator.mul, x)

    def __truediv__(self, x: Any) -> Frame:
        return self._with(operator.truediv, x)

    def __rtruediv__(self, x: Any) -> Frame:
        return self._right(operator.truediv, x)

    def __pow__(self, x: Any) -> Frame:
        return self._with(operator.pow, x)

    def __rpow__(self, x: Any) -> Frame:
        return self._right(operator.pow, x)

    def __neg__(self) -> Frame:
        return self._like({k: -v for k, v in self._data.items()})

    def __pos__(self) -> Frame:
        return self._like({k: +v for k, v in self._data.items()})

    def __abs__(self) -> Frame:
        return self._like({k: np.abs(v) for k, v in self._data.items()})

    def __lt__(self, x: Any) -> Frame:
        return self._with(operator.lt, x)

    def __le__(self, x: Any) -> Frame:
        return self._with(operator.le, x)

    def __gt__(self, x: Any) -> Frame:
        return self._with(operator.gt, x)

    def __ge__(self, x: Any) -> Frame:
        return self._with(operator.ge, x)

    def __eq__(self, x: Any) -> Frame:        # type: ignore[override]
        return self._with(operator.eq, x)

    def __ne__(self, x: Any) -> Frame:        # type: ignore[override]
        return self._with(operator.ne, x)

    def __and__(self, x: Any) -> Frame:
        return self._with(operator.and_, x)

    def __or__(self, x: Any) -> Frame:
        return self._with(operator.or_, x)

    def __invert__(self) -> Frame:
        return self._like({k: ~v for k, v in self._data.items()})

    def __matmul__(self, x: Any) -> Any:
        return self.dot(x)

    def dot(self, x: Any) -> Any:
        """The product with an array, or with a series of the columns."""
        if isinstance(x, Series):
            if self._columns == "" or x._index != self._columns:
                raise Misaligned("pandas aligns the columns of a frame with the index of a series. Hint: multiply with to_numpy()")
            return Series(self.to_numpy() @ x._values, self._index)
        if isinstance(x, Frame):
            raise Misaligned("pandas aligns the columns of a frame with the index of another. Hint: multiply with to_numpy()")
        product = self.to_numpy() @ x
        return Series(product, self._index) if np.ndim(x) == 1 else product

    def add(self, other: Any, axis: Any = "columns", **options: Any) -> Frame:
        """The operator ``+``."""
        no_options("DataFrame.add", options)
        return self._by_axis(operator.add, other, axis)

    def sub(self, other: Any, axis: Any = "columns", **options: Any) -> Frame:
        """The operator ``-``."""
        no_options("DataFrame.sub", options)
        return self._by_axis(operator.sub, other, axis)

    def mul(self, other: Any, axis: Any = "columns", **options: Any) -> Frame:
        """The operator ``*``."""
        no_options("DataFrame.mul", options)
        return self._by_axis(operator.mul, other, axis)

    def div(self, other: Any, axis: Any = "columns", **options: Any) -> Frame:
        """The operator ``/``."""
        no_options("DataFrame.div", options)
        return self._by_axis(operator.truediv, other, axis)

    def pow(self, other: Any, axis: Any = "columns", **options: Any) -> Frame:
        """The operator ``**``."""
        no_options("DataFrame.pow", options)
        return self._by_axis(operator.pow, other, axis)

    # -- columns and rows

    def __len__(self) -> int:
        return len(list(self._data.values())[0])

    def __iter__(self) -> Any:
        return iter(list(self._data))

    def __contains__(self, name: Any) -> bool:
        return name in self._data

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, list):
            if name == list(self._data):
                return self._like(dict(self._data))
            own = list(self._data)
            places = ",".join([str(own.index(k)) for k in name])
            return Frame({k: self._data[k] for k in name}, self._index, "" if self._columns == "" else f"{self._columns}:{places}")
        if isinstance(name, (Series, np.ndarray)):
            return Frame({k: Series(v, self._index)[name]._values for k, v in self._data.items()}, "", self._columns)
        return Series(self._data[name], self._index)

    def keys(self) -> Any:
        """The names of the columns."""
        return list(self._data)

    def items(self) -> Any:
        """The columns with their names."""
        return [(k, Series(v, self._index)) for k, v in self._data.items()]

    def assign(self, **columns: Any) -> Frame:
        """The frame with further columns."""
        added = {k: v._values if isinstance(v, Series) and v._index == self._index and v._index != "" else _refused(v)
                 for k, v in columns.items()}
        return Frame({**self._data, **added}, self._index, "")

    def copy(self, deep: bool = True) -> Frame:
        """A copy."""
        return self._like({k: np.copy(v) for k, v in self._data.items()})

    @property
    def values(self) -> Any:
        """All columns as a matrix."""
        return np.stack(list(self._data.values()), axis=1)

    def to_numpy(self) -> Any:
        """All columns as a matrix."""
        return np.stack(list(self._data.values()), axis=1)

    @property
    def shape(self) -> Any:
        """Rows and columns."""
        return (len(self), len(self._data))

    @property
    def size(self) -> Any:
        """The number of elements."""
        return len(self) * len(self._data)

    @property
    def ndim(self) -> Any:
        """The number of dimensions."""
        return 2

    # -- reductions

    def _reduced(self, name: str, axis: Any, ddof: int, skipna: bool, options: Any) -> Any:
        """A reduction of each column, of each row (``axis=1``) or of all elements (``axis=None``)."""
        no_options(f"DataFrame.{name}", options)
        if axis is None:
            if _BY_COLUMN and name in _ONCE_BY_COLUMN:
                raise NotCompiled(f"DataFrame.{name}(axis=None) has another meaning in each version of pandas. Hint: give the axis")
            return reduced(name, self.to_numpy(), None, ddof, skipna)
        if axis in (0, "index", "rows"):
            return Series(reduced(name, self.to_numpy(), 0, ddof, skipna), self._columns)
        if axis in (1, "columns"):
            return Series(reduced(name, self.to_numpy(), 1, ddof, skipna), self._index)
        raise ValueError(f"No axis named {axis} for object type DataFrame")

    def sum(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """Sums of the columns."""
        return self._reduced("sum", axis, 0, skipna, options)

    def mean(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """Means of the columns."""
        return self._reduced("mean", axis, 0, skipna, options)

    def prod(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """Products of the columns."""
        return self._reduced("prod", axis, 0, skipna, options)

    def max(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """Maxima of the columns."""
        return self._reduced("max", axis, 0, skipna, options)

    def min(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **options: Any) -> Any:
        """Minima of the columns."""
        return self._reduced("min", axis, 0, skipna, options)

    def std(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, **options: Any) -> Any:
        """Standard deviations of the columns."""
        return self._reduced("std", axis, ddof, skipna, options)

    def var(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, **options: Any) -> Any:
        """Variances of the columns."""
        return self._reduced("var", axis, ddof, skipna, options)

    # -- element by element

    def abs(self) -> Frame:
        """Absolute values."""
        return abs(self)

    def clip(self, lower: Any = None, upper: Any = None, **options: Any) -> Frame:
        """Values limited to an interval."""
        no_options("DataFrame.clip", options)
        return self._like({k: limited(v, self._held(j, k, lower), self._held(j, k, upper))
                           for j, (k, v) in enumerate(self._data.items())})

    def isna(self) -> Frame:
        """Whether values are missing."""
        return self._like({k: np.isnan(v) for k, v in self._data.items()})

    def notna(self) -> Frame:
        """Whether values are not missing."""
        return self._like({k: ~np.isnan(v) for k, v in self._data.items()})

    def fillna(self, value: Any, **options: Any) -> Frame:
        """Missing values replaced by a number, by those of a series of the columns, or by those of a frame."""
        no_options("DataFrame.fillna", options)
        return self._like({k: np.where(np.isnan(v), self._beside(j, k, value), v) for j, (k, v) in enumerate(self._data.items())})

    def where(self, cond: Any, other: Any = np.nan, **options: Any) -> Frame:
        """The values where a condition holds."""
        no_options("DataFrame.where", options)
        return self._like({k: np.where(self._held(j, k, cond), v, self._held(j, k, other)) for j, (k, v) in enumerate(self._data.items())})

    def mask(self, cond: Any, other: Any = np.nan, **options: Any) -> Frame:
        """The values where a condition does not hold."""
        no_options("DataFrame.mask", options)
        return self._like({k: np.where(self._held(j, k, cond), self._held(j, k, other), v) for j, (k, v) in enumerate(self._data.items())})

    def _held(self, j: int, k: Any, x: Any) -> Any:
        """The part of an argument for a column: of a frame or a number, since a series needs an axis."""
        if isinstance(x, Series):
            raise NotCompiled("clip(), where() and mask() of a frame are not compiled with a series. Hint: apply them column by column")
        return self._beside(j, k, x)


def _refused(column: Any) -> Any:
    raise NotCompiled("DataFrame.assign() is compiled for series with the index of the frame. Hint: compute the column before the call")
