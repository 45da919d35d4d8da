"""Cross products of vectors by a helper that does not check axes and shapes.

>>> show("z = np.cross(x, y)", cross_by_helper, arrays="x y")
z = cross(x, y)
"""
from __future__ import annotations

import numpy as np

from ...ir.ops import Function, Operand
from ...ir.types import Arr
from ...runtime import cross
from ..manager import Property, Stage, optimization
from ..rewriting import Apply, Match, Var, pattern, rewrite
from ..switches import is_on

__all__ = ["cross_by_helper"]


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,))
def cross_by_helper(fn: Function) -> bool:
    """Rewrite a finished function in place."""
    return is_on("simplify") and rewrite(fn, _helper)


@pattern(Apply((np.cross, np.linalg.cross), Var("x"), Var("y")))
def _helper(m: Match) -> Operand | None:
    if all(isinstance(a.type, Arr) and a.type.dtype == "float64" and a.type.dims for a in (m.x, m.y, m.result)):
        return m.call(cross, m.x, m.y)
    return None
