"""Convert cotangents and tangents of Python numbers to Python numbers, in functions with arrays of less than double precision.

A Python float leaves the dtype of a float32 array as it is, while ``np.float64`` promotes it to float64. The types of loop-carried values,
list items and parameters say that a value is a number; at run time it may be a NumPy scalar.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....ir.ops import Function, Lit, Value
from ....ir.types import Arr, Num, Type, is_box, strip
from ...algebra.folding_builder import AlgebraBuilder
from ...analysis.reduced_precision import bytes_of, precision

__all__ = ["as_number", "as_scalar", "from_callee", "given_number"]


def as_number(b: AlgebraBuilder, g: Any, t: Type) -> Any:
    """The cotangent ``g`` of a value of type ``t``; that of a Python number is one where NumPy's would widen an array."""
    have = g.type
    if type(have) is Arr and not have.dims and isinstance(strip(t), Num) and bytes_of(have.dtype) > b.least():
        return b.call(complex if have.dtype[0] == "c" else float, g)
    return g


def as_scalar(b: AlgebraBuilder, g: Any, t: Type) -> Any:
    """A number that a callee takes as the cotangent or tangent of a NumPy scalar: of its precision, for the callee may make an array of
    it, and no array without dimensions."""
    if not isinstance(t, Arr) or not t.scalar or t.dtype[0] not in "fc":
        return g
    narrow = isinstance(g.type, Num) and t.dtype not in ("float64", "complex128") and hasattr(np, t.dtype)
    other = isinstance(g.type, Arr) and not g.type.dims and g.type.dtype != t.dtype and (g.type.dtype[0] == "f" or t.dtype[0] == "c")
    if narrow or other:
        return b.call(getattr(np, t.dtype), g)
    if is_box(g.type):
        return b.call(operator.getitem, g, Lit(()), type=t)
    return g


def given_number(b: AlgebraBuilder, g: Any, t: Type) -> Any:
    """The same for a value supplied by the caller, which may be a NumPy scalar although its type is a Python number."""
    if isinstance(strip(t), Num) and isinstance(g, Value) and isinstance(g.type, Num) and b.least() < 8:
        return b.call(complex if g.type.kind == "complex" else float, g)
    return g


def from_callee(b: AlgebraBuilder, g: Value, callee: Function, place: int) -> Any:
    """The same of the result at a place of a callee, which has seen to it itself where it has arrays of less precision."""
    if isinstance(strip(g.type), Num) and b.least() < 8 and place < len(callee.body.yields):      # none while it is being made
        t = callee.body.yields[place].type
        if isinstance(t, Arr) and bytes_of(t.dtype) <= b.least() or isinstance(t, Num) and precision(callee) <= b.least():
            return g
    return given_number(b, g, g.type)
