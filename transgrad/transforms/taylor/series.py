"""A number or array as a polynomial in one variable, cut off: its value and its further Taylor coefficients."""
from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedCall
from ...passes.abstract_interpretation.value import SHAPES, Lifted, strip

__all__ = ["Series", "constant", "refuse"]


def refuse(what: str, remedy: str = "nest tg.jvp, which takes all that the compiler does") -> UnsupportedCall:
    """The error for functions without Taylor series."""
    return UnsupportedCall(f"jet: {what}", None, remedy)


def _compute(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    from .calls import compute
    return compute(fn, args, kwargs)


def _operator(fn: Callable[..., Any], swapped: bool = False) -> Any:
    if swapped:
        return lambda self, other: _compute(fn, other, self)
    return lambda self, *others: _compute(fn, self, *others)


class Series(Lifted):
    """The coefficients of powers 0, 1, 2 …, each in the shape of the value.

    It implements NumPy's dispatch protocols, so that the source of rules runs on it.
    """

    __slots__ = ("coefficients",)

    def __init__(self, coefficients: list[Any]):
        self.value = coefficients[0]
        self.coefficients = coefficients

    @property
    def order(self) -> int:
        """The highest power."""
        return len(self.coefficients) - 1

    def cut(self, order: int) -> Series:
        """The series up to a power."""
        return Series(self.coefficients[:order + 1])

    def slope(self, order: int) -> Series:
        """The derivative, up to a power."""
        return Series([k * c for k, c in enumerate(self.coefficients[1:order + 2], 1)])

    def __getitem__(self, index: Any) -> Any:
        index = strip(index)
        return viewed([self], [c[index] for c in self.coefficients])

    def __getattr__(self, name: str) -> Any:
        if name in SHAPES:
            return getattr(self.value, name)
        if name in ("T", "mT", "real"):
            return viewed([self], [getattr(c, name) for c in self.coefficients])
        if name.startswith("__"):       # NumPy asks how to make an array of it
            raise TypeError("its derivative calls what takes no series")
        method = getattr(np.ndarray, name, None)
        if callable(method):
            return functools.partial(_compute, method, self)
        raise refuse(f"the attribute {name!r} of an array")

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        return _compute(ufunc if method == "__call__" else getattr(ufunc, method), *args, **kwargs)

    def __array_function__(self, fn: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _compute(fn, *args, **kwargs)

    __add__, __radd__ = _operator(operator.add), _operator(operator.add, True)
    __sub__, __rsub__ = _operator(operator.sub), _operator(operator.sub, True)
    __mul__, __rmul__ = _operator(operator.mul), _operator(operator.mul, True)
    __truediv__, __rtruediv__ = _operator(operator.truediv), _operator(operator.truediv, True)
    __pow__, __rpow__ = _operator(operator.pow), _operator(operator.pow, True)
    __matmul__, __rmatmul__ = _operator(operator.matmul), _operator(operator.matmul, True)
    __neg__, __pos__, __abs__ = _operator(operator.neg), _operator(operator.pos), _operator(abs)
    __lt__, __le__ = _operator(operator.lt), _operator(operator.le)
    __gt__, __ge__ = _operator(operator.gt), _operator(operator.ge)
    __eq__, __ne__ = _operator(operator.eq), _operator(operator.ne)
    __hash__ = object.__hash__


def constant(x: Any, order: int) -> Series:
    """The series of a constant, with its memory layout."""
    zeros = [np.zeros_like(x, subok=False) if isinstance(x, np.ndarray) else type(x)(0) for _ in range(order)]
    return Series([x, *zeros])


def viewed(sources: list[Series], coefficients: list[Any]) -> Series:
    """A series made from others: its coefficients are views of a source's where its value is one, and else none are."""
    for source in sources:
        if isinstance(source.value, np.ndarray) and isinstance(coefficients[0], np.ndarray):
            first, *others = (np.may_share_memory(c, s) for c, s in zip(coefficients, source.coefficients))
            if first and not all(others):
                raise refuse("a view that is one or not by the strides of an array")
            if not first:
                coefficients = [c.copy() if k and others[k - 1] else c for k, c in enumerate(coefficients)]
    return Series(coefficients)
