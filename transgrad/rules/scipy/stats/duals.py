"""Derivatives of a formula by the forward rules of the table: a formula is run once on values that carry their tangents.

The values may be arrays, operands of the IR or Tensors, so that a distribution is said once, as its log-density and distribution
function, and every rule of its methods follows.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ...registry import lookup
from ...static import NoDerivative, lifted, ndim

__all__ = ["Dual", "duals", "function", "slopes", "value_of"]


class Dual:
    """A value and its derivatives by each of several variables; None is zero."""

    def __init__(self, value: Any, tangents: Sequence[Any]):
        self.value = value
        self.tangents = tuple(tangents)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        return NotImplemented if method != "__call__" else applied(ufunc, args, kwargs)

    def __array_function__(self, fn: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return applied(fn, args, kwargs)

    def __array__(self, *_: Any) -> Any:
        raise TypeError("a value with tangents is not an array")

    def __bool__(self) -> bool:
        raise TypeError("a value with tangents has no truth")

    @property
    def ndim(self) -> int:
        """The number of dimensions of the value."""
        return ndim(self.value)


def _binary(fn: Callable[..., Any], swapped: bool = False) -> Callable[[Any, Any], Any]:
    if swapped:
        return lambda self, other: applied(fn, (other, self), {})
    return lambda self, other: applied(fn, (self, other), {})


def _unary(fn: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda self: applied(fn, (self,), {})


for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Dual, f"__{_name}__", _binary(getattr(operator, _name)))
    setattr(Dual, f"__r{_name}__", _binary(getattr(operator, _name), swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Dual, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in ("neg", "abs"):
    setattr(Dual, f"__{_name}__", _unary(getattr(operator, _name)))
Dual.__hash__ = object.__hash__  # type: ignore[method-assign]


def value_of(x: Any) -> Any:
    """The value without its tangents."""
    return x.value if isinstance(x, Dual) else x


def applied(fn: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A call of a function that has a rule."""
    rule = lookup(fn)
    if rule is None:
        raise NoDerivative(f"{getattr(fn, '__name__', fn)} has no rule")
    plain = [value_of(a) for a in args]
    y = lifted(fn)(*plain, **kwargs)
    count = max(len(a.tangents) for a in args if isinstance(a, Dual))
    tangents = [rule.pushforward(y, plain, [a.tangents[k] if isinstance(a, Dual) else None for a in args], kwargs)
                for k in range(count)]
    return Dual(y, tangents)


def function(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function with a rule, for use in formulas: of numbers, operands of the IR, Tensors and variables."""
    call = lifted(fn)

    def on_any(*args: Any) -> Any:
        return applied(fn, args, {}) if any(isinstance(a, Dual) for a in args) else call(*args)
    return on_any


def slopes(text: Callable[..., Any], args: Sequence[Any], places: Sequence[int]) -> list[Any]:
    """The derivatives of ``text(*args)`` by the arguments at ``places``."""
    y = text(*duals(args, places))
    return [0.0 if t is None else t for t in y.tangents] if isinstance(y, Dual) else [0.0] * len(places)


def duals(args: Sequence[Any], places: Sequence[int]) -> list[Dual]:
    """The arguments as variables, those at ``places`` the ones to differentiate by; the others too, or their own protocols
    would be asked first."""
    return [Dual(a, [1.0 if k == p else None for p in places]) for k, a in enumerate(args)]
