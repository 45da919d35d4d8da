"""Queries that a rule may make about its arguments: facts that are static for IR values, arrays and Tensors alike."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..errors import NoDerivative
from ..ir.build import current
from ..ir.ops import Lit, Value
from ..ir.types import Arr, Num, strip
from . import plain
from .lists import holds_values

__all__ = [
    "NeedsType", "NoDerivative", "ZERO", "arange", "as_array", "axes_of", "broadcast_to", "concatenate", "count", "differs", "eye",
    "inverse_order", "is_complex", "is_number", "is_python_number",
    "lifted", "linspace", "ndim", "ones", "options", "part", "restore", "rounded",
    "same", "spread", "turned",
]

F = TypeVar("F", bound=Callable[..., Any])


class NeedsType(TypeError):
    """A rule needs to know more of a value's type than the compiler knows."""


def ndim(x: Any) -> int:
    """Number of dimensions."""
    if isinstance(x, (Value, Lit)):
        t = strip(x.type)       # where it might be None it was not, or the function raised
        if isinstance(t, Num):
            return 0
        if isinstance(t, Arr):
            return len(t.dims)
        raise NeedsType("the number of dimensions of this value is not known")
    n = getattr(x, "ndim", None)
    return np.ndim(x) if n is None else int(n)


def is_complex(x: Any) -> bool:
    """Whether ``x`` is complex."""
    if isinstance(x, (Value, Lit)):
        t = strip(x.type)       # where it might be None it was not, or the function raised
        if isinstance(t, Num) and (t is x.type or t.kind != "complex"):     # None, or a number that may be real
            return t.kind == "complex"
        if isinstance(t, Arr):
            return t.dtype[0] == "c"
        raise NeedsType("the dtype of this value is not known")
    dtype = getattr(x, "dtype", None)
    return isinstance(x, complex) if dtype is None else np.dtype(dtype).kind == "c"


def is_number(x: Any) -> bool:
    """Whether ``x`` is a number known at compile time."""
    return isinstance(x, (int, float, complex)) and not isinstance(x, bool)


def is_python_number(x: Any) -> bool:
    """Whether ``x`` is a Python number, or stands for one."""
    return isinstance(x.type, Num) if isinstance(x, (Value, Lit)) else type(x) in (bool, int, float, complex)


def _on_tape(x: Any) -> Any:
    """A Tensor in ``x``, if there is one: NumPy's protocol, for functions that do not look for it."""
    if isinstance(x, (list, tuple)):
        return next((t for t in map(_on_tape, x) if t is not None), None)
    return x if hasattr(type(x), "_array") else None


#: types that are neither IR operands nor Tensors, and contain none
_PLAIN = frozenset((np.ndarray, np.float64, float, int, bool, type(None), str))


def _all_plain(args: Any) -> bool:
    """Return whether arguments, also those inside indices, are neither operands of the IR nor Tensors."""
    for a in args:
        kind = type(a)
        if kind in _PLAIN or a is Ellipsis:
            continue
        if kind is slice:
            if type(a.start) not in _PLAIN or type(a.stop) not in _PLAIN or type(a.step) not in _PLAIN:
                return False
        elif kind is not tuple and kind is not list or not _all_plain(a):
            return False
    return True


#: keywords of `Builder.call`
_OWN_WORDS = frozenset(("name", "type", "spelling"))


def lifted(fn: F) -> F:
    """``fn``, which on IR values appends a call of it, and on Tensors records one."""
    def call(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and _all_plain(args):
            return fn(*args)
        if any(map(holds_values, args)) or any(map(holds_values, kwargs.values())):
            if not _OWN_WORDS.isdisjoint(kwargs):
                raise NoDerivative(f"{call.__name__}() takes an option by a name that the compiler uses itself: pass it by place")
            return current().call(fn, *args, **kwargs)
        taped = _on_tape(args)
        return fn(*args, **kwargs) if taped is None else taped.__array_function__(fn, (type(taped),), args, kwargs)
    call.__name__ = getattr(fn, "__name__", "call")
    call.__wrapped__ = fn  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


#: ``a == b`` and ``a != b``, which for IR values are not spelled by the operator (that one compares identities).
same = lifted(operator.eq)
differs = lifted(operator.ne)
#: NumPy functions that do not look for its protocols in their arguments
eye: Any = lifted(np.eye)
ones: Any = lifted(np.ones)
arange: Any = lifted(np.arange)
linspace: Any = lifted(np.linspace)
broadcast_to: Any = lifted(np.broadcast_to)
concatenate: Any = lifted(np.concatenate)
as_array: Any = lifted(np.array)
rounded: Any = lifted(round)
flipped: Any = lifted(np.flip)


def axes_of(axis: Any, dims: int) -> tuple[int, ...]:
    """The axes that ``axis`` (None, int or tuple) means, not negative."""
    if axis is None:
        return tuple(range(dims))
    axis = axis.value if isinstance(axis, Lit) else axis
    if isinstance(axis, Value):
        raise NeedsType("an axis that is not known when compiling")
    return tuple(int(k) % dims for k in (axis if isinstance(axis, (tuple, list)) else (axis,)))


def restore(g: Any, axis: Any, keepdims: Any = False) -> Any:
    """``g`` with the dimensions that a reduction removed, each of size 1 (one without dimensions broadcasts as it is)."""
    if axis is None or keepdims is True or isinstance(keepdims, (int, np.bool_)) and keepdims or ndim(g) == 0:
        return g
    if isinstance(axis, Value):
        raise NeedsType("an axis that is not known when compiling")
    return plain.expand_dims(g, axis)


def spread(g: Any, x: Any, axis: Any, keepdims: Any = False) -> Any:
    """The cotangent or result of a reduction of ``x``, at each element it came from."""
    g = restore(g, axis, keepdims)
    return plain.broadcast(g, x.shape) if type(g) is np.ndarray and type(x) is np.ndarray else broadcast_to(g, x.shape)


def count(x: Any, axis: Any) -> Any:
    """The number of elements of ``x`` that each element of a reduction was made of."""
    if axis is None:
        return x.size
    lengths = [x.shape[k] for k in axes_of(axis, ndim(x))]
    n = lengths[0] if lengths else 1
    for m in lengths[1:]:
        n = n * m
    return n


def inverse_order(axes: Any, dims: int) -> tuple[int, ...]:
    """The permutation that undoes ``axes``."""
    axes = axes_of(axes, dims)
    return tuple(sorted(range(dims), key=lambda k: axes[k]))


def turned(x: Any, axis: Any) -> Any:
    """``x`` backwards along an axis, or several, or all of them."""
    if isinstance(axis, Value):
        return flipped(x, axis)
    axes = axes_of(axis, ndim(x))
    return x[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(max(axes, default=-1) + 1))]


class _Zero:
    """The entry of an argument that the result does not change with."""

    def __repr__(self) -> str:
        return "ZERO"


ZERO = _Zero()


def part(g: Any, y: Any, k: int) -> Any:
    """The cotangent of result ``k`` of several, zero where nothing was made of it."""
    return np.zeros_like(y[k]) if g[k] is None else g[k]


def options(**given: Any) -> dict[str, Any]:
    """Keyword arguments without those left at their defaults (None, False)."""
    return {k: v for k, v in given.items() if v is not None and v is not False}
