"""Cotangents and tangents of Python numbers are Python numbers where there are arrays of less than double precision.

A number of Python's leaves the dtype of an array of float32 as it is; ``np.float64`` makes an array of float64 of it.  The type of what
a loop carries, a list holds or a callee is given says a number, and what flows into it was one of NumPy's.
"""
from __future__ import annotations

from typing import Any

from ...ir.ops import Value
from ...ir.types import Arr, Num, Type, strip
from ..algebra.builder import AlgebraBuilder
from ..analysis.precision import bytes_of

__all__ = ["as_number", "given_number"]


def as_number(b: AlgebraBuilder, g: Any, t: Type) -> Any:
    """The cotangent ``g`` of a value of type ``t``; that of a Python number is one where NumPy's would widen an array."""
    have = g.type
    if isinstance(strip(t), Num) and isinstance(have, Arr) and not have.dims and bytes_of(have.dtype) > b.least():
        return b.call(complex if have.dtype[0] == "c" else float, g)
    return g


def given_number(b: AlgebraBuilder, g: Any, t: Type) -> Any:
    """The same of what a caller or a callee gives, which may be NumPy's whatever its type says."""
    if isinstance(strip(t), Num) and isinstance(g, Value) and isinstance(g.type, Num) and b.least() < 8:
        return b.call(complex if g.type.kind == "complex" else float, g)
    return g
