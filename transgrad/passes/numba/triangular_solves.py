"""Solve with a Cholesky factor by substitution, since the factor is triangular."""
from __future__ import annotations

import numpy as np

from ...ir.effects import writes
from ...ir.memory import Memory
from ...ir.ops import Call, Function, GetAttr, Lit, Op, Operand, Value, walk
from ...ir.types import Arr
from ...runtime.numba import triangular
from ..analysis.def_use import definitions
from ..manager import Property, Stage, analysis, optimization

__all__ = ["solve_with_factors"]


@optimization(Stage.LOWER_NUMBA, requires=(Property.FINAL,), analyses=(definitions,))
def solve_with_factors(fn: Function) -> bool:
    """Rewrite the systems of a function in place, whose factors nothing writes to."""
    calls = [op for op in walk(fn.body) if isinstance(op, Call) and op.fn is np.linalg.solve and not op.kwargs and len(op.args) == 2]
    if not calls:
        return False
    defs = analysis(definitions, fn)
    memory = Memory(fn)
    written = [w for op in walk(fn.body) for w in writes(op)]
    for op in calls:
        a, b = op.args
        kind = _triangle(a, defs)
        plain = all(isinstance(x.type, Arr) and x.type.dtype == "float64" for x in (a, b)) and len(a.type.dims) == 2
        if kind is None or not plain or len(b.type.dims) not in (1, 2) or any(memory.may_share(a, w) for w in written):
            continue
        one = len(b.type.dims) == 1
        op.fn, op.spelling = getattr(triangular, f"solve_{kind}_vector" if one else f"solve_{kind}"), None
    return True


def _triangle(a: Operand, defs: dict[Value, Op]) -> str | None:
    """The triangle outside of which a matrix is zero; None if it is not known."""
    made = defs.get(a) if isinstance(a, Value) else None
    if isinstance(made, Call) and made.fn is np.linalg.cholesky:
        upper = made.kwargs.get("upper", made.args[1] if len(made.args) > 1 else Lit(False))
        return None if not isinstance(upper, Lit) or len(made.kwargs) > 1 else "upper" if upper.value else "lower"
    turned: Operand | None = None
    if isinstance(made, GetAttr) and made.name in ("T", "mT"):
        turned = made.obj
    elif isinstance(made, Call) and made.fn in (np.transpose, np.ndarray.transpose) and len(made.args) == 1 and not made.kwargs:
        turned = made.args[0]
    elif isinstance(made, Call) and made.fn is np.swapaxes and all(isinstance(k, Lit) for k in made.args[1:]):
        turned = made.args[0] if {k.value % 2 for k in made.args[1:]} == {0, 1} else None
    found = _triangle(turned, defs) if turned is not None and isinstance(turned.type, Arr) and len(turned.type.dims) == 2 else None
    return None if found is None else "upper" if found == "lower" else "lower"
