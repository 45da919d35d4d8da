"""Arrays with named dimensions, and data sets of them."""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .reductions import reduced
from .refusals import Misaligned, NotCompiled, no_options, refusing

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


@refusing("DataArray")
@dataclass(eq=False)
class DataArray:
    """An array and its dimensions, each with the name of its coordinate: ``"time=labels 0,x=one 1"``.

    The name of the coordinate of a dimension of length 1 begins with ``one``.
    """

    _values: Any
    _axes: str

    def _aligned(self, x: Any) -> Any:
        """The dimensions of the result of an operation, and both arrays with these dimensions."""
        if not isinstance(x, DataArray):
            return self._axes, self._values, self._array(x)
        axes = merged(self._axes, x._axes)
        return axes, spread(self._values, self._axes, axes), spread(x._values, x._axes, axes)

    def _array(self, x: Any) -> Any:
        """A number or an array beside this one."""
        if isinstance(x, Dataset):
            raise NotCompiled("operators of a DataArray and a Dataset are not compiled. Hint: use the variables of the data set")
        if np.ndim(x) > self._values.ndim or np.ndim(x) > 0 and any(a.split("=")[1][:3] == "one" for a in axes_of(self._axes)):
            raise Misaligned("xarray does not broadcast a DataArray to the shape of an array. Hint: compute with .values")
        return x

    def _with(self, fn: Any, x: Any) -> DataArray:
        axes, a, b = self._aligned(x)
        return DataArray(fn(a, b), axes)

    def _right(self, fn: Any, x: Any) -> DataArray:
        return DataArray(fn(self._array(x), self._values), self._axes)

    def _elementwise(self, fn: Any, *others: Any) -> DataArray:
        """A function of NumPy, element by element."""
        if len(others) == 0:
            return DataArray(fn(self._values), self._axes)
        if len(others) == 1:
            return self._with(fn, others[0])
        raise NotCompiled("functions of three arrays with named dimensions are not compiled. Hint: compute with .values")

    def _elementwise_right(self, fn: Any, first: Any) -> DataArray:
        """The same where the array is the second operand."""
        return self._right(fn, first)

    __array_ufunc__ = None      # an array beside it leaves operators to it

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self._values, dtype)

    # -- operators

    def __add__(self, x: Any) -> DataArray:
        return self._with(operator.add, x)

    def __radd__(self, x: Any) -> DataArray:
        return self._right(operator.add, x)

    def __sub__(self, x: Any) -> DataArray:
        return self._with(operator.sub, x)

    def __rsub__(self, x: Any) -> DataArray:
        return self._right(operator.sub, x)

    def __mul__(self, x: Any) -> DataArray:
        return self._with(operator.mul, x)

    def __rmul__(self, x: Any) -> DataArray:
        return self._right(operator.mul, x)

    def __truediv__(self, x: Any) -> DataArray:
        return self._with(operator.truediv, x)

    def __rtruediv__(self, x: Any) -> DataArray:
        return self._right(operator.truediv, x)

    def __pow__(self, x: Any) -> DataArray:
        return self._with(operator.pow, x)

    def __rpow__(self, x: Any) -> DataArray:
        return self._right(operator.pow, x)

    def __neg__(self) -> DataArray:
        return DataArray(-self._values, self._axes)

    def __pos__(self) -> DataArray:
        return DataArray(+self._values, self._axes)

    def __abs__(self) -> DataArray:
        return DataArray(np.abs(self._values), self._axes)

    def __lt__(self, x: Any) -> DataArray:
        return self._with(operator.lt, x)

    def __le__(self, x: Any) -> DataArray:
        return self._with(operator.le, x)

    def __gt__(self, x: Any) -> DataArray:
        return self._with(operator.gt, x)

    def __ge__(self, x: Any) -> DataArray:
        return self._with(operator.ge, x)

    def __eq__(self, x: Any) -> DataArray:        # type: ignore[override]
        return self._with(operator.eq, x)

    def __ne__(self, x: Any) -> DataArray:        # type: ignore[override]
        return self._with(operator.ne, x)

    def __and__(self, x: Any) -> DataArray:
        return self._with(operator.and_, x)

    def __or__(self, x: Any) -> DataArray:
        return self._with(operator.or_, x)

    def __invert__(self) -> DataArray:
        return DataArray(~self._values, self._axes)

    def __matmul__(self, x: Any) -> Any:
        return self.dot(x)

    def dot(self, x: Any, **options: Any) -> Any:
        """The product, summed over the dimensions that both have."""
        no_options("DataArray.dot", options)
        if not isinstance(x, DataArray):
            raise NotCompiled("DataArray.dot() of an array without labels is not compiled. Hint: compute with .values")
        axes, a, b = self._aligned(x)
        shared = [d for d in dims_of(self._axes) if d in dims_of(x._axes)]
        left = without(axes, shared)
        if left == "":
            return np.sum(a * b)
        every = dims_of(axes)
        return DataArray(np.sum(a * b, axis=tuple([every.index(d) for d in shared])), left)

    # -- elements

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, (int, np.integer)):
            raise NotCompiled("DataArray[...] is compiled for a number only. Hint: use isel() with numbers, or select with .values")
        return self._at(dims_of(self._axes)[0], place)

    def _at(self, dim: str, place: Any) -> Any:
        """The array at a place along a dimension."""
        if isinstance(place, (slice, list, tuple, DataArray)) or np.ndim(place) > 0:
            raise NotCompiled("DataArray.isel() is compiled for one number for each dimension. Hint: select with .values")
        axis = dims_of(self._axes).index(dim)
        left = without(self._axes, [dim])
        values = self._values[place] if axis == 0 else np.moveaxis(self._values, axis, 0)[place]
        return DataArray(values, left) if left != "" else values

    def isel(self, drop: bool = False, **places: Any) -> Any:
        """Elements by their places: one number for each dimension."""
        x = self
        for dim, place in places.items():
            x = x._at(dim, place)
        return x

    @property
    def data(self) -> Any:
        """The array."""
        return self._values

    @property
    def values(self) -> Any:
        """The array."""
        return self._values

    @property
    def dims(self) -> Any:
        """The names of the dimensions."""
        return tuple(dims_of(self._axes))

    @property
    def sizes(self) -> Any:
        """The lengths of the dimensions by name."""
        return {d: self._values.shape[k] for k, d in enumerate(dims_of(self._axes))}

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
        """The dtype of the array."""
        return self._values.dtype

    def to_numpy(self) -> Any:
        """The array."""
        return self._values

    def copy(self, deep: bool = True) -> DataArray:
        """A copy."""
        if not deep:
            raise NotCompiled("DataArray.copy(deep=False) is not compiled for labeled arguments. Hint: use deep=True")
        return DataArray(np.copy(self._values), self._axes)

    @property
    def T(self) -> DataArray:
        """The array with its dimensions in reverse order."""
        return DataArray(self._values.T, ",".join(axes_of(self._axes)[::-1]))

    def transpose(self, *dims: Any) -> DataArray:
        """The array with its dimensions in another order."""
        own = dims_of(self._axes)
        if len(dims) == 0:
            return self.T
        if len(dims) != len(own):
            raise NotCompiled("DataArray.transpose() is compiled with the names of all dimensions. Hint: name them")
        axes = ",".join([axes_of(self._axes)[own.index(d)] for d in dims])
        return DataArray(spread(self._values, self._axes, axes), axes)

    # -- reductions

    def _over(self, name: str, dim: Any, axis: Any, ddof: int, skipna: Any, options: Any) -> Any:
        """A reduction over one dimension, several, or all."""
        no_options(f"DataArray.{name}", options)
        own = dims_of(self._axes)
        if axis is not None:
            dim = [own[k] for k in (axis if isinstance(axis, (tuple, list)) else (axis,))]
        if dim is None or dim is Ellipsis:
            return reduced(name, self._values, None, ddof, skipna is not False)
        dims = [dim] if isinstance(dim, str) else list(dim)
        for d in dims:
            if d not in own:
                raise ValueError(f"{d} is not found among the dimensions of the DataArray")
        left = without(self._axes, dims)
        if left == "":
            return reduced(name, self._values, None, ddof, skipna is not False)
        return DataArray(reduced(name, self._values, tuple([own.index(d) for d in dims]), ddof, skipna is not False), left)

    def sum(self, dim: Any = None, axis: Any = None, skipna: Any = None, **options: Any) -> Any:
        """The sum."""
        return self._over("sum", dim, axis, 0, skipna, options)

    def mean(self, dim: Any = None, axis: Any = None, skipna: Any = None, **options: Any) -> Any:
        """The mean."""
        return self._over("mean", dim, axis, 0, skipna, options)

    def prod(self, dim: Any = None, axis: Any = None, skipna: Any = None, **options: Any) -> Any:
        """The product."""
        return self._over("prod", dim, axis, 0, skipna, options)

    def max(self, dim: Any = None, axis: Any = None, skipna: Any = None, **options: Any) -> Any:
        """The maximum."""
        return self._over("max", dim, axis, 0, skipna, options)

    def min(self, dim: Any = None, axis: Any = None, skipna: Any = None, **options: Any) -> Any:
        """The minimum."""
        return self._over("min", dim, axis, 0, skipna, options)

    def std(self, dim: Any = None, axis: Any = None, skipna: Any = None, ddof: int = 0, **options: Any) -> Any:
        """The standard deviation."""
        return self._over("std", dim, axis, ddof, skipna, options)

    def var(self, dim: Any = None, axis: Any = None, skipna: Any = None, ddof: int = 0, **options: Any) -> Any:
        """The variance."""
        return self._over("var", dim, axis, ddof, skipna, options)

    # -- element by element

    def clip(self, min: Any = None, max: Any = None, **options: Any) -> DataArray:
        """Values limited to an interval."""
        no_options("DataArray.clip", options)
        if isinstance(min, DataArray) or isinstance(max, DataArray):
            raise NotCompiled("DataArray.clip() is compiled for numbers. Hint: use np.maximum() and np.minimum()")
        return DataArray(np.clip(self._values, self._array(min), self._array(max)), self._axes)

    def isnull(self) -> DataArray:
        """Whether values are missing."""
        return DataArray(np.isnan(self._values), self._axes)

    def notnull(self) -> DataArray:
        """Whether values are not missing."""
        return DataArray(~np.isnan(self._values), self._axes)

    def fillna(self, value: Any) -> DataArray:
        """Missing values replaced by a number."""
        if isinstance(value, DataArray) or np.ndim(value) > 0:
            raise NotCompiled("DataArray.fillna() is compiled for a number. Hint: compute with .values")
        return DataArray(np.where(np.isnan(self._values), value, self._values), self._axes)

    def where(self, cond: Any, other: Any = np.nan, **options: Any) -> DataArray:
        """The values where a condition with the same dimensions holds."""
        no_options("DataArray.where", options)
        if not isinstance(cond, DataArray) or cond._axes != self._axes or isinstance(other, DataArray) or np.ndim(other) > 0:
            raise NotCompiled("DataArray.where() is compiled for a condition with the same dimensions and a number. "
                              "Hint: compute with .values")
        return DataArray(np.where(cond._values, self._values, other), self._axes)


@refusing("Dataset")
@dataclass(eq=False)
class Dataset:
    """Arrays by name."""

    _variables: dict[str, Any]

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, list):
            return Dataset({k: self._variables[k] for k in name})
        if name not in self._variables:
            raise NotCompiled(f"Dataset[{name!r}] is not a data variable. Hint: pass coordinates as arguments of their own")
        return self._variables[name]

    def __contains__(self, name: Any) -> bool:
        if name not in self._variables:
            raise NotCompiled("whether a Dataset has a coordinate is not known. Hint: pass a flag")
        return True

    def __iter__(self) -> Any:
        return iter(list(self._variables))

    def __len__(self) -> int:
        return len(self._variables)

    @property
    def data_vars(self) -> Any:
        """The arrays by name."""
        return dict(self._variables)

    def items(self) -> Any:
        """The arrays with their names."""
        return list(self._variables.items())
