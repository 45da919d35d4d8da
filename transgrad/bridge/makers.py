"""NumPy's array constructors for functions on the tape: the arrays that they return record writes."""
from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..autograd.tensor import wrap
from .array import TapedArray, converted, holds, stacked
from .classes import plain_class
from .object_arrays import made_of
from .written import READERS, check_read

__all__ = ["Broadcast", "JOINED", "MAKERS", "Vectorized", "fresh", "holds", "of_lists"]

#: NumPy functions that create arrays from their arguments or from a shape
_FROM_SHAPE = (np.zeros, np.ones, np.empty, np.full, np.eye, np.identity, np.arange, np.linspace, np.logspace, np.geomspace, np.zeros_like,
           np.ones_like, np.empty_like, np.full_like, np.tri, np.indices, np.meshgrid)
_FROM_DATA = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)


def _made(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    args, kwargs = tuple(map(plain_class, args)), {k: plain_class(v) for k, v in kwargs.items()}
    made = fn(*args, **kwargs)
    return made if any(map(holds, (*args, *kwargs.values()))) else fresh(made)


def _full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    if not isinstance(fill_value, TapedArray):
        return _made(np.full, shape, fill_value, plain_class(dtype), **options)
    made = np.broadcast_to(fill_value, shape).copy()
    return made if dtype is None else made.astype(plain_class(dtype))


def fresh(x: Any) -> Any:
    """An array that was just made, which may be given values that are differentiated."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(fresh, x))
    return TapedArray(wrap(x)) if isinstance(x, np.ndarray) and x.dtype.kind in "fc" else x


def _required(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """np.require."""
    return _from_data(np.require, a, dtype, requirements=requirements) if holds(a) else np.require(a, dtype, requirements)


def _finite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """np.asarray_chkfinite."""
    made = _from_data(np.asarray, a, dtype)
    if not np.all(np.isfinite(made)):
        raise ValueError("array must not contain infs or NaNs")
    return made


def _from_data(fn: Callable[..., Any], data: Any, dtype: Any = None, **options: Any) -> Any:
    dtype = plain_class(dtype)
    if dtype is not None and np.dtype(dtype) == object and holds(data):
        return made_of(data)
    if isinstance(data, (str, list, tuple)):
        check_read(data)
    else:
        data = converted(data)
    if isinstance(data, TapedArray):
        wanted = np.dtype(data.dtype if dtype is None else dtype)
        if wanted.kind not in "fc":
            return fn(data.tensor._array, dtype=dtype)
        if wanted != data.dtype:
            found = data.astype(wanted)
            return found if fn is np.asanyarray or type(found) is TapedArray else TapedArray(found.tensor)
        if type(data) is not TapedArray and fn is not np.asanyarray and not options.pop("subok", False):
            data = TapedArray(data.tensor)      # the array itself, without its class
        array = data.tensor._array
        made = fn(array, dtype=dtype, **options)
        if np.may_share_memory(made, array) and not data.number:
            return data
        return data.copy() if made.flags.c_contiguous else data.T.copy().T      # in the order that was asked for
    if holds(data):
        made = stacked(data)
        return made if dtype is None or np.dtype(dtype) == made.dtype else made.astype(dtype)
    return fresh(fn(data, dtype=dtype, **options) if dtype is not None else fn(data, **options))


def _from_iterable(iterable: Any, dtype: Any, count: int = -1) -> Any:
    items = list(iterable) if count < 0 else [x for x, _ in zip(iterable, range(count))]
    return _from_data(np.array, items, dtype) if holds(items) else fresh(np.fromiter(items, plain_class(dtype), count))


#: the replacement of a function in a function on the tape
MAKERS: dict[Any, Any] = {
    **{fn: functools.partial(_made, fn) for fn in _FROM_SHAPE}, **{fn: functools.partial(_from_data, fn) for fn in _FROM_DATA},
    np.require: _required, np.asarray_chkfinite: _finite,
    **{fn: functools.partial(_made, read) if fn in (np.loadtxt, np.genfromtxt) else read for fn, read in READERS.items()},
    np.full: _full, np.fromiter: _from_iterable,
}


# NumPy functions, which dispatch on their array arguments but do not look for arrays inside lists

#: functions of sequences of arrays, which ask the items for themselves
_OF_SEQUENCES = frozenset((
    np.stack, np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack, np.block, np.select, np.linalg.multi_dot))


def _items(x: Any) -> Any:
    """A sequence of arrays, each of which may be given as a list."""
    return [converted(item) for item in x] if isinstance(x, (list, tuple)) and any(isinstance(v, (list, tuple)) for v in x) else x


class _OfLists:
    """A function of NumPy's that takes lists of recorded numbers for the arrays they stand for."""

    __slots__ = ("__wrapped__", "convert")

    def __init__(self, fn: Any, convert: Any = converted):
        self.__wrapped__ = fn
        self.convert = convert

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*map(self.convert, args), **kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__wrapped__, name)
        return _OfLists(found) if name in ("reduce", "accumulate", "outer") else found

    def __eq__(self, other: object) -> bool:
        return self.__wrapped__ == getattr(other, "__wrapped__", other)  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        return hash(self.__wrapped__)


@functools.cache
def of_lists(fn: Any) -> Any:
    """The replacement of a NumPy function."""
    if not isinstance(fn, np.ufunc) and not hasattr(fn, "_implementation") or fn is np.block:
        return fn
    return _OfLists(fn, _items if fn in _OF_SEQUENCES else converted)


class _Joined:
    """``np.r_`` and ``np.c_`` of recorded numbers and arrays."""

    def __init__(self, own: Any, join: Callable[..., Any]):
        self._own, self._join = own, join

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        if not any(map(holds, parts)):
            return fresh(self._own[key])
        if any(isinstance(part, (str, slice)) for part in parts):
            raise TypeError("np.r_ and np.c_ of differentiated arrays together with slices or strings are not recorded by the tape")
        return self._join([stacked(part) if isinstance(part, (list, tuple)) else part for part in parts])


def _row(parts: list[Any]) -> Any:
    return np.concatenate([np.atleast_1d(part) for part in parts])


def _columns(parts: list[Any]) -> Any:
    return np.concatenate([part if np.ndim(part) > 1 else np.reshape(part, (-1, 1)) for part in parts], axis=-1)


#: the replacements of other NumPy objects
JOINED = {id(np.r_): _Joined(np.r_, _row), id(np.c_): _Joined(np.c_, _columns)}


class Broadcast:
    """``np.broadcast`` of recorded arrays: their common shape and their items in order."""

    def __init__(self, *args: Any):
        self._arrays = np.broadcast_arrays(*(stacked(a) if holds(a) else np.asarray(a) for a in args))
        self.shape, self.numiter = np.shape(self._arrays[0]), len(args)
        self.ndim = self.nd = len(self.shape)
        self.size = math.prod(self.shape)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*(a.ravel() for a in self._arrays))


class Vectorized:
    """``np.vectorize``, for a function that is called with one recorded number after the other."""

    def __init__(self, pyfunc: Any, otypes: Any = None, doc: str | None = None, excluded: Any = None, cache: bool = False,
                 signature: str | None = None):
        if signature is not None:
            raise TypeError("np.vectorize with a signature is not recorded by the tape")
        self.pyfunc, self._otypes, self.excluded = pyfunc, otypes, set(excluded or ())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not any(map(holds, (*args, *kwargs.values()))):
            return fresh(np.vectorize(self.pyfunc, self._otypes, excluded=self.excluded)(*args, **kwargs))
        named: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
        keys = [key for key in named if key not in self.excluded]
        given = np.broadcast_arrays(*(stacked(a) if holds(a) else np.asarray(a) for a in (named[key] for key in keys)))
        shape = np.shape(given[0])
        rows = []
        for place in np.ndindex(shape):
            named.update((key, a[place]) for key, a in zip(keys, given))
            rows.append(self.pyfunc(*(named[k] for k in range(len(args))), **{key: named[key] for key in kwargs}))
        if not rows:
            raise ValueError("np.vectorize of an empty array is not recorded by the tape")
        if isinstance(rows[0], tuple):
            return tuple(stacked(list(column)).reshape(shape) for column in zip(*rows))
        return stacked(rows).reshape(shape)
