"""Matchers: the left-hand sides of patterns.

A matcher is compared with an operand. `Apply` looks at the call that computes the operand, and its arguments are matchers in turn; `Var`
and `Number` bind names, which the right-hand side reads as attributes of the match. A name that occurs twice stands for the same operand.

>>> x = Var("x")
>>> Mul(x, Const(1.0))
mul(x, 1.0)
>>> Exp(Sub(x, Var("y")))
exp(sub(x, y))
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from ...ir.ops import Call, Lit, Op, Operand, Value

__all__ = ["Add", "AnyCall", "Apply", "Const", "Div", "Exp", "Matcher", "Mul", "Neg", "Number", "Pow", "Sub", "Var", "Where"]

Definitions = Mapping[Value, Op]


class Matcher(Protocol):
    """A pattern for an operand."""

    def match(self, x: Operand, made: Definitions, found: dict[str, Any]) -> bool:
        """Whether an operand matches; names are bound in ``found``."""


class Var:
    """Any operand, bound to a name."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def match(self, x: Operand, made: Definitions, found: dict[str, Any]) -> bool:
        known = found.setdefault(self.name, x)
        return known is x or type(known) is type(x) is Lit and type(known.value) is type(x.value) and bool(known.value == x.value)


class Const:
    """A literal number of this value, written without a name of its own."""

    def __init__(self, value: float):
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)

    def match(self, x: Operand, made: Definitions, found: dict[str, Any]) -> bool:
        return _is_number(x) and x.value == self.value  # type: ignore[union-attr]


class Number:
    """A literal real number, whose value is bound to a name."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def match(self, x: Operand, made: Definitions, found: dict[str, Any]) -> bool:
        return _is_number(x) and found.setdefault(self.name, x.value) == x.value  # type: ignore[union-attr]


class Apply:
    """The result of a call of one of some functions, without keyword arguments, whose arguments match."""

    def __init__(self, fns: tuple[Callable[..., Any], ...], *args: Matcher):
        self.fns, self.args = fns, args

    def __repr__(self) -> str:
        return f"{self.fns[0].__name__}({', '.join(map(repr, self.args))})"

    def match(self, x: Operand, made: Definitions, found: dict[str, Any]) -> bool:
        op = made.get(x) if isinstance(x, Value) else None
        return type(op) is Call and self.matches(op, made, found)

    def matches(self, op: Call, made: Definitions, found: dict[str, Any]) -> bool:
        """Whether a call matches."""
        return op.fn in self.fns and not op.kwargs and len(op.args) == len(self.args) and all(
            m.match(a, made, found) for m, a in zip(self.args, op.args))


class AnyCall:
    """A call of one of some functions with any arguments; only for the root of a pattern."""

    def __init__(self, *fns: Callable[..., Any]):
        self.fns = fns

    def __repr__(self) -> str:
        return f"{self.fns[0].__name__}(...)"

    def matches(self, op: Call, made: Definitions, found: dict[str, Any]) -> bool:
        """Whether a call matches."""
        return True


def _is_number(x: Operand) -> bool:
    return type(x) is Lit and type(x.value) in (int, float) and x.text is None


def _family(*fns: Callable[..., Any]) -> Callable[..., Apply]:
    return lambda *args: Apply(fns, *args)


Add, Sub = _family(operator.add, np.add), _family(operator.sub, np.subtract)
Mul, Div = _family(operator.mul, np.multiply), _family(operator.truediv, np.divide)
Pow, Neg, Exp = _family(operator.pow, np.power), _family(operator.neg, np.negative), _family(np.exp)
Where = _family(np.where)
