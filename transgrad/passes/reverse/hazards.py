"""Refuses views that may be copies: whether ``a.reshape(…)`` shares memory with ``a`` depends on how ``a`` lies in memory,
and matters where one of them is written to."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import UnsupportedSyntax
from ...ir.ops import Call, Value, walk
from ...ir.types import Arr

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["check_views"]

_MAYBE_VIEWS = frozenset((np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ascontiguousarray, np.asfortranarray, np.asarray,
                          np.asanyarray))
#: allocations that lie in memory in C order, so that reshaping them makes a view
_CONTIGUOUS = frozenset((np.zeros, np.ones, np.empty, np.full, np.array, np.arange, np.linspace, np.ndarray.copy, np.eye, np.identity))


def check_views(r: "Reverse") -> None:
    """Looks at every view of the function that the pass is about to reverse."""
    for op in walk(r.fn.body):
        if not isinstance(op, Call) or op.fn not in _MAYBE_VIEWS or not isinstance(op.args[0], Value) or not isinstance(op.args[0].type, Arr):
            continue
        if r.classes.is_written(op.result) and r.is_active(op.result):
            root = r.refs.root(op.args[0])
            made = r.layout.maker.get(root) if isinstance(root, Value) else None
            if not (isinstance(made, Call) and made.fn in _CONTIGUOUS and not made.kwargs.get("order") and len(op.args[0].type.dims) >= 1
                    and _unsliced(r, op.args[0], root)):
                raise UnsupportedSyntax("it is not known when compiling whether this is a view or a copy, and one of both is written to in place",
                                        op.loc, "copy first: b = a.copy().reshape(...), or index with [...] instead of reshaping")


def _unsliced(r: "Reverse", v: Value, root: object) -> bool:
    """Whether ``v`` is the whole allocation ``root``."""
    while v is not root:
        made = r.layout.maker.get(v)
        base = made.args[0] if isinstance(made, Call) and made.fn in _MAYBE_VIEWS else r.refs(v)
        if base is v or not isinstance(base, Value):
            return False
        v = base
    return True
