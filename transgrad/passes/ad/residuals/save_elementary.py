"""Save the elementary functions of scalars that both an iteration and its reverse compute: saving a number is cheaper than computing it
again.
"""
from __future__ import annotations

import math
from typing import Any

from ....ir.ops import Call, Lit, Op, Operand, Value
from ....ir.types import Num
from ...analysis.program_order import flat_ops
from ...rewriting.substitute import substitute
from ...switches import is_on
from ..reverse.result import Pair

__all__ = ["keep_functions"]

_FUNCTIONS: frozenset[Any] = frozenset(getattr(math, name) for name in (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "gamma",
    "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "sqrt", "tan", "tanh") if hasattr(math, name))


def keep_functions(pair: Pair) -> None:
    """Let the reverse of a loop iteration read values of the iteration instead of recomputing them."""
    known = {key: op.results[0] for op in flat_ops(pair.forward) if (key := _formula(op)) is not None}
    mapping: dict[Value, Operand] = {}
    for op in pair.backward.ops if known else ():
        found = known.get(_formula(op))
        if found is not None:
            mapping[op.results[0]] = found
    if mapping and is_on("functions"):
        pair.backward.ops = [op for op in pair.backward.ops if not op.results or op.results[0] not in mapping]
        substitute(pair.backward, mapping)


def _formula(op: Op) -> Any:
    """The function and its arguments, of an operation that applies an elementary function to numbers."""
    if type(op) is not Call or op.kwargs or op.fn not in _FUNCTIONS or not all(isinstance(a.type, Num) for a in op.args):
        return None
    return op.fn, *((type(a.value), a.value) if isinstance(a, Lit) else a for a in op.args)
