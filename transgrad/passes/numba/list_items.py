"""Work around two defects of Numba's lists of arrays: `pop` and `del` in the middle free an item that is still in use, and a write to an
array that is in two lists may be lost in one of them. """
from __future__ import annotations

import operator
from typing import Any

from ...errors import UnsupportedByNumba
from ...ir.effects import is_mutable
from ...ir.ops import Block, Call, For, Function, Lit, Op, Value, blocks_of, operands_of, walk
from ...ir.types import ListT, TupleT
from ..analysis.alias import AliasClasses

__all__ = ["refuse_shared_items"]


def refuse_shared_items(fn: Function) -> None:
    """Raise `UnsupportedByNumba` for them."""
    lists = [v for v in _values(fn) if isinstance(v.type, ListT) and _holds_references(v.type)]
    if not lists:
        return
    for op in walk(fn.body):
        if isinstance(op, Call) and op.fn in (list.pop, operator.delitem) and isinstance(t := op.args[0].type, ListT) and (
                _holds_references(t) and not _is_last(op)):
            raise UnsupportedByNumba("an array is removed from the middle of a list", op.loc, "leave out backend='numba'")
    classes = AliasClasses(fn)
    made: dict[Any, set[Any]] = {}
    read = _read_forwards(fn)
    for v in lists:
        if v in read and classes.holds_written(v):
            made.setdefault(classes.inner(v)[0], set()).add(classes.find(v))
    for op in walk(fn.body):
        for v in op.results:
            if v in lists and v in read and classes.holds_written(v) and len(made[classes.inner(v)[0]]) > 1:
                raise UnsupportedByNumba("an array that is written to is in two lists", op.loc, "copy it, or leave out backend='numba'")


def _read_forwards(fn: Function) -> set[Value]:
    """The lists whose items are read in another order than from last to first, which residuals never are."""
    found: set[Value] = set()
    for op in walk(fn.body):
        if isinstance(op, For):
            found.update(o for s in op.sources if not s.reverse for o in s.operands if isinstance(o, Value))
        elif not (isinstance(op, Call) and op.fn in (list.append, len)):
            found.update(o for o in operands_of(op) if isinstance(o, Value))
    return found


def _values(fn: Function) -> list[Value]:
    """All values of a function."""
    found = list(fn.params)

    def block(b: Block) -> None:
        found.extend(b.params)
        for op in b.ops:
            found.extend(op.results)
            for inner in blocks_of(op):
                block(inner)
    block(fn.body)
    return [v for v in found if isinstance(v, Value)]


def _holds_references(t: ListT) -> bool:
    e = t.elem
    return e is not None and (any(map(is_mutable, e.elems)) if isinstance(e, TupleT) else is_mutable(e))


def _is_last(op: Op) -> bool:
    """Whether an operation removes the last item."""
    assert isinstance(op, Call)
    return len(op.args) == 1 or isinstance(op.args[1], Lit) and op.args[1].value == -1
