"""Functions that represent their operands exactly in a type without derivatives: as a string, as bytes, as the bits of an integer.

Such a function has no adjoint, so the table classifies it as constant. It is not *locally* constant: the operand can be recovered
from its result. The analysis of untracked values (`transgrad.passes.analysis.untracked_values`) follows these results.
"""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

__all__ = ["is_exact"]

#: Text and bytes of numbers.
_TEXT = (
    str, repr, ascii, format, bin, hex, oct, chr, ord, print, float.hex, np.array2string, np.array_repr, np.array_str, np.base_repr,
    np.binary_repr, np.format_float_positional, np.format_float_scientific, np.ndarray.tobytes, np.ndarray.dumps,
)
#: Integers that hold the digits or bits of a float, and operators that compute with bits (or with sets).
_BITS = (
    float.as_integer_ratio, np.ndarray.view, np.frombuffer, np.packbits, np.unpackbits, operator.and_, operator.or_, operator.xor,
    operator.invert, operator.lshift, operator.rshift, operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift, np.gcd, np.lcm, math.gcd, math.lcm,
)
_EXACT: frozenset[Any] = frozenset((*_TEXT, *_BITS))


def is_exact(fn: Any) -> bool:
    """Whether the operands of a function can be read back from its result, which has no derivative."""
    try:
        return fn in _EXACT
    except TypeError:       # unhashable
        return False
