"""Refuses what only a run can tell: whether ``a.reshape(…)`` shares memory with ``a`` (it depends on how ``a`` lies in memory),
and which of two lists grows, where that matters."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UnsupportedSyntax
from ...ir.ops import Call, Value, walk
from ...ir.types import Arr

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["check_structure", "check_views"]

_MAYBE_VIEWS: frozenset[Callable[..., Any]] = frozenset((
    np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ascontiguousarray, np.asfortranarray, np.asarray, np.asanyarray,
))
#: allocations that lie in memory in C order, so that reshaping them makes a view
_CONTIGUOUS: frozenset[Callable[..., Any]] = frozenset((
    np.zeros, np.ones, np.empty, np.full, np.array, np.arange, np.linspace, np.ndarray.copy, np.eye, np.identity,
))

#: What changes the structure of a list or dict.
_RESIZES = frozenset((operator.delitem, operator.iadd, list.append, list.extend, list.insert, list.pop, list.remove, list.clear, dict.pop,
                      dict.update, dict.setdefault, dict.clear, dict.popitem))


def check_structure(r: "Reverse", v: Value) -> None:
    """Refuses a list or dict whose structure may change under another name."""
    made = r.layout.maker.get(v)
    start = r.layout.end.get(id(made), r.layout.position[id(made)]) if made is not None else -1
    for w in r.classes.writers.get(r.classes.find(v), ()):
        target = w.args[0] if isinstance(w, Call) and w.fn in _RESIZES else None
        if isinstance(target, Value) and r.refs(target) is not v and r.layout.position[id(w)] > start:
            raise UnsupportedSyntax(
                f"{v.name or 'a list'!s} may be one of several lists here, and one of them grows or shrinks; it is not known when "
                "compiling which one", w.loc, "copy the list first: b = list(a)")


def check_views(r: "Reverse") -> None:
    """Looks at every view of the function that the pass is about to reverse."""
    for op in walk(r.fn.body):
        if (not isinstance(op, Call) or op.fn not in _MAYBE_VIEWS or not isinstance(op.args[0], Value)
                or not isinstance(op.args[0].type, Arr)):
            continue
        if r.classes.is_written(op.result) and r.is_active(op.result):
            root = r.refs.root(op.args[0])
            made = r.layout.maker.get(root) if isinstance(root, Value) else None
            name = next((p.name for p in r.fn.signature if p.value is root and p.name in r.fn.attrs.get("contiguous", ())), None)
            if name is not None and _unsliced(r, op.args[0], root):
                r.fn.attrs["guards"].append(("argattr", (name, "flags", "c_contiguous"), None, True))
            elif not (isinstance(made, Call) and made.fn in _CONTIGUOUS and not made.kwargs.get("order") and len(op.args[0].type.dims) >= 1
                    and _unsliced(r, op.args[0], root)):
                raise UnsupportedSyntax("it is not known when compiling whether this is a view or a copy, and one of both is written to in "
                                        "place", op.loc, "copy first: b = a.copy().reshape(...), or index with [...] instead of reshaping")


def _unsliced(r: "Reverse", v: Value, root: object) -> bool:
    """Whether ``v`` is the whole allocation ``root``."""
    while v is not root:
        made = r.layout.maker.get(v)
        base = made.args[0] if isinstance(made, Call) and made.fn in _MAYBE_VIEWS else r.refs(v)
        if base is v or not isinstance(base, Value):
            return False
        v = base
    return True
