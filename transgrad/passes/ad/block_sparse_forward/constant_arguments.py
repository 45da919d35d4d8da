"""Specialize a derivative to arguments that are compile-time constants, such as a unit tangent: fold products and elementary functions of
them.
"""
from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ....ir.clone import clone_function
from ....ir.ops import Block, Build, Call, Function, Lit, Op, Operand, Value, blocks_of, operands_of, walk
from ....ir.types import Arr, Num
from ...manager import simplify
from ...rewriting.substitute import substitute

__all__ = ["is_known", "with_numbers"]

_ELEMENTARY = frozenset((np.sin, np.cos, np.tan, np.exp, np.log, np.sqrt, np.sinh, np.cosh, np.tanh))
_ARITHMETIC = frozenset((operator.mul, operator.truediv, operator.add, operator.sub, np.multiply, np.divide, np.add, np.subtract))
_DISPLAYS = ("list", "tuple")
_DTYPES = ("float64", "complex128")


def is_known(x: Operand) -> bool:
    """Whether an argument is a number to be written out."""
    return isinstance(x, Lit) and type(x.value) is float and x.text is None and math.isfinite(x.value)


def with_numbers(fn: Function, known: Mapping[int, Lit]) -> Function | None:
    """A derivative without some of its parameters, by place (kept on the function); None if it asks one of them for more than
    arithmetic, and would find a Python number where it had one of NumPy's."""
    kept: dict[Any, Function | None] = fn.memo(with_numbers)
    key = tuple((k, repr(x.value)) for k, x in sorted(known.items()))
    if key in kept:
        return kept[key]
    made = clone_function(fn)
    numbers = _Numbers(made, {made.params[k]: x for k, x in known.items()})
    if not numbers.are_plain():
        kept[key] = None
        return None
    made.body.params = [p for p in made.params if p not in numbers.known]
    made.signature = [p for p in made.signature if p.value not in numbers.known]
    numbers.write_out()
    for op in walk(made.body):
        op.part = "tangent"         # none of it is the user's own text
    made.name = f"{fn.name}_at{f'_{len(kept) + 1}' if kept else ''}"
    simplify(made)
    kept[key] = made
    return made


class _Numbers:
    """Numbers that are known in a function, and who reads them."""

    def __init__(self, fn: Function, known: dict[Value, Lit]):
        self.fn, self.known = fn, known
        self.users: dict[Operand, list[Op]] = {}
        self.ends: set[Operand] = set(fn.body.yields)
        for op in walk(fn.body):
            for o in operands_of(op):
                self.users.setdefault(o, []).append(op)
            for block in blocks_of(op):
                self.ends.update(block.yields)

    def are_plain(self) -> bool:
        """Whether Python's numbers can stand for the parameters; those that were Python's can."""
        return all(isinstance(p.type, Num) or self.is_plain(p) for p in self.known)

    def is_plain(self, v: Value) -> bool:
        """Whether a value is only calculated with, beside numbers or arrays of NumPy's that are not less precise."""
        return v not in self.ends and all(self.calculates(op, v) for op in self.users.get(v, ()))

    def calculates(self, op: Op, v: Value) -> bool:
        if isinstance(op, Build):
            return op.kind in _DISPLAYS and self.is_display(op)
        if not isinstance(op, Call) or op.kwargs:
            return False
        if op.fn is operator.neg:
            return self.is_plain(op.result)
        if op.fn is operator.setitem:
            return v not in op.args[:2]
        others = [a for a in op.args if a is not v]
        return op.fn in _ARITHMETIC and len(others) == 1 and others[0] not in self.known and isinstance(others[0], Value) and (
            isinstance(others[0].type, Arr) and others[0].type.dtype in _DTYPES)

    def is_display(self, op: Build) -> bool:
        """Whether a display is made for an array alone."""
        return op.result not in self.ends and all(
            isinstance(user, Call) and user.fn is np.array and not user.kwargs
            or isinstance(user, Build) and user.kind in _DISPLAYS and self.is_display(user) for user in self.users.get(op.result, ()))

    def write_out(self) -> None:
        """Replace the parameters, and the results of elementary functions of them."""
        self._block(self.fn.body)
        substitute(self.fn.body, dict(self.known))

    def _block(self, block: Block) -> None:
        for op in block.ops:
            for inner in blocks_of(op):
                self._block(inner)
            if isinstance(op, Call) and op.fn in _ELEMENTARY and len(op.args) == 1 and not op.kwargs and op.args[0] in self.known:
                value = _value(op.fn, self.known[op.args[0]].value)
                if value is not None and self.is_plain(op.result):
                    self.known[op.result] = Lit(value)


def _value(fn: Any, x: float) -> float | None:
    """The value of an elementary function of a number; None if it is not an integer, so that the call is more readable."""
    try:
        with np.errstate(all="raise"):
            value = float(fn(x))
    except ArithmeticError:
        return None
    return value if value.is_integer() else None
