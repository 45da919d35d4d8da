"""Comparisons, logic and bits; they have no derivative."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.registry import constant
from .. import dispatch, dtypes
from ..names import node_name
from ..tensor import Tensor, wrap
from .arguments import refuse
from .table import Call, bind, mixed, op

_COMPARE: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "eq": (np.equal, ()), "ne": (np.not_equal, ("not_equal",)), "lt": (np.less, ("less",)), "le": (np.less_equal, ("less_equal",)),
    "gt": (np.greater, ("greater",)), "ge": (np.greater_equal, ("greater_equal",)),
    "bitwise_and": (np.bitwise_and, ()), "bitwise_or": (np.bitwise_or, ()), "bitwise_xor": (np.bitwise_xor, ()),
    "bitwise_left_shift": (np.left_shift, ()), "bitwise_right_shift": (np.right_shift, ()),
}
_LOGIC: dict[str, Callable[..., Any]] = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
_QUERIES: dict[str, Callable[..., Any]] = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "isreal": np.isreal,
                                           "isposinf": np.isposinf, "isneginf": np.isneginf, "signbit": np.signbit}


ORDER = frozenset((np.less, np.less_equal, np.greater, np.greater_equal))
COMPARING = ORDER | {np.equal, np.not_equal}


def writing(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A comparison whose result is written into a tensor: a node of that name sends zeros."""
    def compared(self: Any, other: Any) -> Any:
        return fn(self, other)
    constant(compared)
    node_name(compared, name)
    return compared


def binary(name: str, fn: Callable[..., Any], others: tuple[str, ...], promotes: bool) -> None:
    """Put an operation of two tensors into the table."""
    written = (writing(fn, f"{name.capitalize()}Backward0"), writing(fn, f"{name.capitalize()}Backward1")) if fn in COMPARING else None

    def lower(self: Tensor, other: Any) -> Call:
        if fn in ORDER:
            for x in (self, other):
                if isinstance(x, Tensor):
                    refuse(name, x, "c")
        return Call(fn, (self, other), {}, False if promotes else None, written and written[isinstance(other, Tensor)])
    lower.__name__ = name
    lower.__doc__ = f"The {name} of each two elements; both broadcast."
    op(*others, inplace=True, numbers=promotes and fn not in COMPARING)(lower)


def query(name: str, fn: Callable[..., Any]) -> None:
    """Put a question about each element into the table."""
    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        if input.is_sparse:
            return getattr(input, name)()       # type: ignore[no-any-return]
        found = wrap(fn(input._array))
        return found if out is None else out.copy_(found)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Whether each element {name.removeprefix('is')}."
    bind(name, function)


for _name, (_fn, _others) in _COMPARE.items():
    binary(_name, _fn, _others, True)
for _name, _fn in _LOGIC.items():
    binary(_name, _fn, (), False)
for _name, _fn in _QUERIES.items():
    query(_name, _fn)


@op(inplace=True)
def logical_not(self: Tensor) -> Any:
    """Return whether each element is zero."""
    return Call(np.logical_not, (self,), {}, None)


@op(inplace=True)
def bitwise_not(self: Tensor) -> Any:
    """Each bit turned, or each boolean."""
    refuse("bitwise_not_cpu", self, "fc")
    return Call(np.invert, (self,), {}, None)


@op()
def isclose(self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Return whether each two elements are about equal; RuntimeError for different dtypes."""
    if self.dtype != other.dtype:
        raise RuntimeError(f"{dtypes.title(self.dtype)} did not match {dtypes.title(other.dtype)}")
    return mixed(np.isclose, self, other, rtol, atol, equal_nan)


@op()
def allclose(self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Return whether all elements are about equal; RuntimeError for different dtypes."""
    if self.dtype != other.dtype:
        raise RuntimeError(f"{dtypes.title(self.dtype)} did not match {dtypes.title(other.dtype)}")
    return bool(np.allclose(self._array, other._array, rtol, atol, equal_nan))


@op()
def equal(self: Tensor, other: Tensor) -> bool:
    """Return whether both have the same shape and the same elements."""
    return bool(np.array_equal(self._array, other._array))


@op()
def isin(self: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Return whether each element is among others."""
    return wrap(np.isin(getattr(self, "_array", self), getattr(test_elements, "_array", test_elements), assume_unique, invert))


def quantified(name: str, fn: Callable[..., Any]) -> None:
    """Put ``any`` or ``all`` into the table."""
    from .arguments import dims_of, every

    def lower(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        axis = None if every(dim) else dims_of(dim, self.ndim)
        found = dispatch.apply(fn, self, axis=axis, keepdims=keepdim)
        return found.to(self.dtype) if self.dtype == np.uint8 else found
    lower.__name__ = name
    lower.__doc__ = f"Whether {name} of the elements are true, along dimensions."
    op()(lower)


quantified("any", np.any)
quantified("all", np.all)
