"""Arguments of pandas and xarray: the function computes on their arrays, and results get the labels of the arguments back."""
from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .arguments import pick
from .transformations import Primal, Reverse
from .variants import DelegatingPlan

__all__ = ["LabelledPlan", "Labels", "Relabelled", "any_labelled", "is_labelled", "refuse", "with_labels"]

_MODULES = ("pandas", "xarray")
#: The name of the coordinate of a dimension that has none and is longer than 1.
_NONE = "none"
_NAMES = frozenset(("Series", "DataFrame", "DataArray", "Dataset"))


def is_labelled(value: Any) -> bool:
    """Whether a value is a Series, DataFrame, DataArray or Dataset, or a container that holds one."""
    cls = type(value)
    if cls is np.ndarray or cls is float:
        return False
    if cls in (list, tuple):
        return any(map(is_labelled, value))
    if cls is dict:
        return any(map(is_labelled, value.values()))
    return cls.__name__ in _NAMES and cls.__module__.partition(".")[0] in _MODULES


def is_stripped(value: Any) -> bool:
    """Whether a value is, or holds, one of the classes that stand for those of pandas and xarray."""
    if type(value) in (list, tuple):
        return any(map(is_stripped, value))
    if type(value) is dict:
        return any(map(is_stripped, value.values()))
    return type(value).__module__.startswith("transgrad.rules.labelled")


def any_labelled(values: Iterable[Any]) -> bool:
    """Whether some values are labelled; cheap where neither pandas nor xarray is loaded."""
    return ("pandas" in sys.modules or "xarray" in sys.modules) and any(map(is_labelled, values))


class Labels:
    """The labels of the arguments of one call, each under a name: equal ones under the same name."""

    def __init__(self) -> None:
        self._known: list[tuple[str, Any]] = []

    def name(self, labels: Any) -> str:
        """The name of an index, or of the coordinate of a dimension."""
        for name, known in self._known:
            if known is labels or type(known) is type(labels) and known.identical(labels):
                return name
        name = f"{'one' if len(labels) == 1 else 'labels'} {len(self._known)}"
        self._known.append((name, labels))
        return name

    def under(self, name: str) -> Any:
        """The labels under a name; None if there are none.

        Positions after a colon select some of the labels, as in ``labels 1:0,2``.

        Raises
        ------
        TypeError
            If the labels are not known.
        """
        if name == "":
            raise TypeError("the labels of the result depend on values or on new columns, and are not known. "
                            "Hint: return an array or a number, for example with to_numpy()")
        first, *selections = name.split(":")
        labels = dict(self._known).get(first)
        for places in selections:
            labels = labels.take([int(k) for k in places.split(",")])       # type: ignore[union-attr]
        return labels

    # -- to arrays

    def strip(self, value: Any) -> Any:
        """A value with the classes that are compiled in place of those of pandas and xarray.

        Raises
        ------
        TypeError
            If a column or a variable is not numeric.
        """
        from ..rules.labelled import DataArray, Dataset, Frame, Series
        cls = type(value)
        if not is_labelled(value):
            return value
        if cls in (list, tuple):
            return cls(map(self.strip, value))
        if cls is dict:
            return {k: self.strip(v) for k, v in value.items()}
        if cls.__name__ == "Series":
            return Series(_numeric(value.to_numpy(), f"the Series {value.name!r}"), self.name(value.index))
        if cls.__name__ == "DataFrame":
            if not value.columns.is_unique:
                raise TypeError("the columns of a DataFrame have to be unique. Hint: rename them")
            return Frame({k: _numeric(value[k].to_numpy(), f"the column {k!r}") for k in value.columns}, self.name(value.index),
                         self.name(value.columns))
        if cls.__name__ == "DataArray":
            return DataArray(_numeric(value.data, f"the DataArray {value.name!r}"), self._axes(value))
        return Dataset({str(k): self.strip(v) for k, v in value.data_vars.items()})

    def strip_like(self, value: Any, like: Any, what: str) -> Any:
        """A tangent or cotangent of a value ``like``, stripped of its labels, which have to be the same.

        Raises
        ------
        ValueError
            If its labels are others, or in another order.
        """
        cls = type(like)
        if not is_labelled(like):
            return self.strip(value)
        if cls in (list, tuple) and type(value) is cls and len(value) == len(like):
            return cls(self.strip_like(v, k, what) for v, k in zip(value, like))
        if cls is dict and type(value) is dict and value.keys() == like.keys():
            return {k: self.strip_like(v, like[k], what) for k, v in value.items()}
        if cls.__name__ in ("Series", "DataArray") and type(value) is np.ndarray and value.shape == like.shape:
            own = self.strip(like)
            return dataclasses.replace(own, _values=value)
        if type(value) is not cls:
            raise TypeError(f"{what} is {type(value).__name__}: expected {cls.__name__}, as its value")
        made = self.strip(value)
        if _labels_of(made) != _labels_of(self.strip(like)):
            raise ValueError(f"{what} has other labels than its value, or has them in another order. Hint: align it with its value first, "
                             f"for example by {'reindex_like' if cls.__module__.startswith('pandas') else 'transpose and reindex_like'}")
        return made

    def _axes(self, array: Any) -> str:
        """The dimensions of an array, each with the name of its coordinate."""
        for dim in array.dims:
            if not isinstance(dim, str) or "," in dim or "=" in dim:
                raise TypeError(f"the dimension {dim!r} has a name that is not supported. Hint: rename it to a string without , and =")
        return ",".join(f"{d}={self.name(array.indexes[d]) if d in array.indexes else 'one' if array.sizes[d] == 1 else _NONE}"
                        for d in array.dims)

    # -- and back

    def labelled_as(self, x: Any, like: Any) -> Any:
        """A tangent with the labels of its value ``like``, which is stripped."""
        cls = type(like)
        if cls in (list, tuple):
            return cls(map(self.labelled_as, x, like))
        if cls is dict:
            return {k: self.labelled_as(x[k], v) for k, v in like.items()}
        if not is_stripped(like):
            return x
        if cls.__name__ == "Dataset":
            variables = {k: dataclasses.replace(v, _values=x._variables[k]._values) for k, v in like._variables.items()}
            return self.labelled(dataclasses.replace(like, _variables=variables))
        if cls.__name__ == "Frame":
            return self.labelled(dataclasses.replace(like, _data=x._data))
        return self.labelled(dataclasses.replace(like, _values=x._values))

    def restore(self, found: Any, like: Any) -> Any:
        """A gradient with the labels of its argument."""
        cls = type(like)
        if not is_labelled(like):
            return found
        if cls in (list, tuple):
            return cls(map(self.restore, found, like))
        if cls is dict:
            return {k: self.restore(found[k], v) for k, v in like.items()}
        if cls.__name__ == "Series":
            return cls(found._values, index=like.index, name=like.name)
        if cls.__name__ == "DataFrame":
            return cls({k: _floating(found._data[k], like[k], "column", k) for k in like.columns}, index=like.index, columns=like.columns)
        if cls.__name__ == "DataArray":
            return like.copy(data=found._values)
        return like.copy(data={k: _floating(found._variables[str(k)]._values, v, "variable", k) for k, v in like.data_vars.items()})

    def labelled(self, x: Any) -> Any:
        """A result with the labels that it is known to have."""
        from ..rules.labelled import DataArray, Dataset, Frame, Series
        cls = type(x)
        if cls in (list, tuple):
            return cls(map(self.labelled, x))
        if cls is dict:
            return {k: self.labelled(v) for k, v in x.items()}
        if cls is Series:
            return _package("pandas").Series(x._values, index=self.under(x._index))
        if cls is Frame:
            made = _package("pandas").DataFrame(x._data, index=self.under(x._index))
            return made if x._columns == "" else made.set_axis(self.under(x._columns), axis=1)
        if cls is DataArray:
            known = {a.partition("=")[0]: self.under(a.partition("=")[2]) for a in x._axes.split(",") if a}
            coords = {d: index for d, index in known.items() if index is not None}
            return _package("xarray").DataArray(x._values, dims=tuple(known), coords=coords)
        if cls is Dataset:
            return _package("xarray").Dataset({k: self.labelled(v) for k, v in x._variables.items()})
        return x


def _labels_of(x: Any) -> Any:
    """The names of the labels of a stripped value."""
    cls = type(x).__name__
    if cls == "Dataset":
        return {k: v._axes for k, v in x._variables.items()}
    return x._axes if cls == "DataArray" else (x._index, set(x._data)) if cls == "Frame" else x._index


def _package(name: str) -> Any:
    """A package that made an argument."""
    return importlib.import_module(name)


def _numeric(values: Any, what: str) -> Any:
    """An array of numbers."""
    if not hasattr(values, "dtype") or isinstance(values.dtype, np.dtype) and values.dtype.kind not in "biufc":
        raise TypeError(f"{what} has dtype {getattr(values, 'dtype', type(values).__name__)}, which is not numeric. "
                        f"Hint: leave it out, or convert it with astype(float)")
    return values


def _floating(found: Any, column: Any, what: str, name: Any) -> Any:
    """The gradient by a column or a variable.

    Raises
    ------
    TypeError
        If it has integers or booleans, which have no derivative.
    """
    if found is None:
        raise TypeError(f"the {what} {name!r} has dtype {column.dtype}, and is to be differentiated. "
                        f"Hint: convert it with astype(float), or pass it as an argument of its own")
    return found


class Relabelled:
    """A pullback or a linear function of stripped values, as a function of labelled ones.

    Parameters
    ----------
    along : callable
        The function.
    labels : Labels
        The labels of the call.
    primals : sequence
        The arguments, with their labels.
    value : nested value
        The value, without its labels.
    pulls : bool
        Whether it is a pullback.
    """

    def __init__(self, along: Callable[..., Any], labels: Labels, primals: tuple[Any, ...], value: Any, pulls: bool):
        self.along, self.labels, self.primals, self.value, self.pulls = along, labels, primals, value, pulls

    def __call__(self, *given: Any) -> Any:
        labels = self.labels
        if self.pulls:
            cotangent, = given
            found = self.along(labels.strip_like(cotangent, labels.labelled(self.value), "the cotangent"))
            return tuple(map(labels.restore, found, self.primals))
        if len(given) != len(self.primals):
            return self.along(*given)
        stripped = tuple(labels.strip_like(t, p, "a tangent") for t, p in zip(given, self.primals))
        return labels.labelled_as(self.along(*stripped), self.value)


def refuse(name: str, what: str, value: Any) -> None:
    """Raise an error about labels in a transformation whose results have none."""
    labelled = _first(value)
    how = "x.data, x.to_numpy() or a dict of arrays"
    raise TypeError(f"{name}: {what} is a {type(labelled).__name__}, and the result would have no labels that say what its entries are. "
                    f"Hint: compute with arrays ({how}); grad, value_and_grad, vjp, jvp, linearize and hvp take labelled arguments")


def _first(value: Any) -> Any:
    """The first labelled value in a container."""
    if type(value) in (list, tuple, dict):
        return next(_first(v) for v in (value.values() if type(value) is dict else value) if is_labelled(v))
    return value


class LabelledPlan(DelegatingPlan):
    """How a call with labelled arguments runs: labels are taken off, and put back on the result."""

    __slots__ = ()

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Call the derivative."""
        d = self.derivative
        return with_labels(d, d.kind, d.target.slots, d.target.single, d.__signature__, args, kwargs)


def with_labels(run: Callable[..., Any], kind: Any, slots: Any, single: bool, signature: Any, args: tuple[Any, ...],
                kwargs: Mapping[str, Any]) -> Any:
    """Call a derivative whose arguments are labelled."""
    labels = Labels()
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    name = getattr(run, "__name__", kind.prefix)
    has_labels = isinstance(kind, (Primal, Reverse))
    if not has_labels:
        for slot in slots:
            if is_labelled(pick(bound.arguments, slot)):
                refuse(name, f"argument {slot}", pick(bound.arguments, slot))
    out = run(*map(labels.strip, args), **{k: labels.strip(v) for k, v in kwargs.items()})
    if not has_labels:
        found = labels.labelled(out) if is_stripped(out) else out
        return refuse(name, "the result", found) if is_labelled(found) else out
    if not getattr(kind, "scalar", False):
        return labels.labelled(out)
    found = out[1] if kind.with_value else out[0] if kind.has_aux else out
    likes = [pick(bound.arguments, slot) for slot in slots]
    restored = labels.restore(found, likes[0]) if single else tuple(map(labels.restore, found, likes))
    if kind.with_value:
        return labels.labelled(out[0]), restored
    return (restored, labels.labelled(out[1])) if kind.has_aux else restored
