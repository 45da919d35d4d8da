"""Elements of scalarized arrays, and constant folding with 0 and 1."""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.ops import Lit, Operand, Value

if TYPE_CHECKING:
    from .interpreter import Run

__all__ = ["NOTHING", "Element", "NotSmall", "differs", "is_part", "is_shaped", "key_of", "name_elements", "operand_of", "shapes_of",
           "simple"]

#: A zero entry of a cotangent or tangent to which nothing contributes: its products vanish for every other factor.
NOTHING = Lit(0.0)


class NotSmall(Exception):
    """The function does more than compute with the elements of small arrays."""


class Element:
    """The computation of one element of an array; arithmetic writes the operation."""

    __slots__ = ("operand", "run")

    def __init__(self, run: Run, operand: Operand):
        self.run, self.operand = run, operand

    def _with(self, fn: Callable[..., Any], *others: Any, turned: bool = False) -> Element:
        args = [self, *others]
        return self.run.apply(fn, args[::-1] if turned else args, "float64")

    def __add__(self, y: Any) -> Element:
        return self._with(operator.add, y)

    def __radd__(self, y: Any) -> Element:
        return self._with(operator.add, y, turned=True)

    def __sub__(self, y: Any) -> Element:
        return self._with(operator.sub, y)

    def __rsub__(self, y: Any) -> Element:
        return self._with(operator.sub, y, turned=True)

    def __mul__(self, y: Any) -> Element:
        return self._with(operator.mul, y)

    def __rmul__(self, y: Any) -> Element:
        return self._with(operator.mul, y, turned=True)

    def __truediv__(self, y: Any) -> Element:
        return self._with(operator.truediv, y)

    def __neg__(self) -> Element:
        return self._with(operator.neg)

    def conjugate(self) -> Element:
        """The number itself, which is real."""
        return self

    def __bool__(self) -> bool:
        raise NotSmall("a number that is not known decides the control flow")


def operand_of(x: Any) -> Operand:
    """The operand for a number in the generated operations."""
    x = x.item() if isinstance(x, np.ndarray) and not x.ndim else x
    return x.operand if isinstance(x, Element) else x if isinstance(x, (Value, Lit)) else Lit(x)


def key_of(o: Operand) -> Any:
    """A key that is equal for equal operands."""
    return o if isinstance(o, Value) else (type(o.value), repr(o.value))


def simple(fn: Any, operands: list[Operand]) -> Operand | None:
    """The value of an operation with 1 or 0 without computing it; None for others."""
    if any(o is NOTHING for o in operands):
        found = _with_nothing(fn, operands)
        if found is not None:
            return found
    values = [o.value if isinstance(o, Lit) else None for o in operands]
    if fn in (operator.add, operator.sub, operator.mul) and all(type(v) is float for v in values):
        return Lit(fn(*values))
    if fn in (operator.mul, np.multiply):
        return operands[1] if values[0] == 1 else operands[0] if values[1] == 1 else None
    if fn in (operator.add, np.add):
        return operands[1] if values[0] == 0 else operands[0] if values[1] == 0 else None
    if fn in (operator.sub, np.subtract, operator.truediv, np.divide):
        return operands[0] if values[1] == (0 if fn in (operator.sub, np.subtract) else 1) else None
    return None


def _with_nothing(fn: Any, operands: list[Operand]) -> Operand | None:
    """The value of an operation with such an entry; None if it is not known."""
    if fn in (operator.mul, np.multiply, operator.neg, np.negative) or fn in (operator.truediv, np.divide) and operands[0] is NOTHING:
        return NOTHING
    if fn in (operator.add, np.add):
        return operands[1] if operands[0] is NOTHING else operands[0]
    if fn in (operator.sub, np.subtract) and operands[1] is NOTHING:
        return operands[0]
    if fn is np.where and operands[1] is operands[2]:
        return operands[1]
    return None


def name_elements(name: str, x: Any) -> None:
    """Name the computation of a number, or of the elements of an array, if it has no name."""
    for place in np.ndindex(x.shape) if isinstance(x, np.ndarray) else ((),):
        operand = operand_of(x[place] if place else x)
        if isinstance(operand, Value) and operand.name is None:
            operand.name = "_".join([name, *map(str, place)])


def differs(x: Any) -> bool:
    """Whether some of the elements of an array, or a number, is a column."""
    elements = x.flat if isinstance(x, np.ndarray) else [x]
    return any(isinstance(e, Element) and bool(getattr(e.operand.type, "dims", ())) for e in elements)


def is_shaped(x: Any) -> bool:
    """Whether it is an array or an element."""
    return isinstance(x, (np.ndarray, Element))


def is_part(x: Any) -> bool:
    """Whether it is a view of some of the elements of an array."""
    return isinstance(x, np.ndarray) and isinstance(x.base, np.ndarray) and x.size < x.base.size


def shapes_of(items: Iterable[Any]) -> tuple[tuple[int, ...], ...]:
    """The shapes of the arrays and elements among them."""
    return tuple(x.shape if isinstance(x, np.ndarray) else () for x in items if is_shaped(x))
