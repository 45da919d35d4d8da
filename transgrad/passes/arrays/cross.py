"""Products of vectors in space are computed by a helper: of a single pair, NumPy's own takes twenty times as long."""
from __future__ import annotations

import numpy as np

from ...ir.ops import Call, Function, Op, calls, walk
from ...ir.types import Arr
from ...runtime import cross
from ..manager import Property, Stage, optimization
from ..switches import is_on

__all__ = ["cross_by_helper"]


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,))
def cross_by_helper(fn: Function) -> bool:
    """Rewrites a finished function in place."""
    if is_on("simplify") and calls(fn.body, np.cross, np.linalg.cross):
        for op in walk(fn.body):
            if isinstance(op, Call) and op.fn in (np.cross, np.linalg.cross) and not op.kwargs and len(op.args) == 2 and _are_vectors(op):
                op.fn, op.spelling = cross, None
        return True
    return False


def _are_vectors(op: Op) -> bool:
    """Whether all that goes in and comes out are arrays of float64."""
    assert isinstance(op, Call)
    return all(isinstance(a.type, Arr) and a.type.dtype == "float64" and a.type.dims for a in (*op.args, *op.results))
