"""Whether writes to arrays keep their meaning where a part of an array is a copy: in libraries with immutable or lazy arrays."""
from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import UnsupportedCall
from ...ir.libraries import Library
from ...ir.ops import Block, Call, For, Function, GetAttr, Op, Value, While, blocks_of, operands_of
from ...ir.prims import inplace_at
from ...ir.types import Arr
from ..operators import INPLACE

__all__ = ["check_aliases"]

_SCATTERS = (np.add.at, np.subtract.at)
_VIEWS = frozenset((
    operator.getitem, np.ravel, np.ndarray.ravel, np.reshape, np.ndarray.reshape, np.transpose, np.ndarray.transpose, np.swapaxes,
    np.moveaxis, np.diagonal, np.expand_dims, np.squeeze, np.broadcast_to, np.asarray))


def writes_to(op: Op) -> Value | None:
    """The array that an operation writes to."""
    if type(op) is Call and (op.fn in (operator.setitem, inplace_at) or op.fn in INPLACE or op.fn in _SCATTERS) and op.args:
        x = op.args[0]
        if isinstance(x, Value) and isinstance(x.type, Arr) and not x.type.scalar:
            return x
    return None


@dataclass
class _Order:
    """Operations in the order of the source, with the loops around each."""

    place: dict[int, int] = field(default_factory=dict)
    loops: dict[int, tuple[int, ...]] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    yields: list[tuple[int, Value]] = field(default_factory=list)

    def add(self, block: Block, loops: tuple[int, ...]) -> None:
        """Take up a block."""
        for op in block.ops:
            self.place[id(op)] = len(self.ops)
            self.loops[id(op)] = loops
            self.ops.append(op)
            inner = (*loops, id(op)) if isinstance(op, (For, While)) else loops
            for b in blocks_of(op):
                self.add(b, inner)
        self.yields += [(len(self.ops), y) for y in block.yields if isinstance(y, Value)]


def _views(order: _Order) -> Iterator[tuple[Op, Value, Value]]:
    """Operations whose result is a view of an array: the operation, the view and the array."""
    for op in order.ops:
        base: Any = None
        if type(op) is Call and op.fn in _VIEWS and op.args:
            base = op.args[0]
        elif type(op) is GetAttr and op.name in ("T", "mT", "real", "imag", "flat"):
            base = op.obj
        if isinstance(base, Value) and op.results and isinstance(op.results[0].type, Arr) and not op.results[0].type.scalar:
            yield op, op.results[0], base


def check_aliases(fn: Function, library: Library) -> None:
    """Refuse a function in which a part of an array is read after a write to the array, or written to by itself."""
    order = _Order()
    order.add(fn.body, ())
    written: dict[Value, list[Op]] = {}
    for op in order.ops:
        x = writes_to(op)
        if x is not None:
            written.setdefault(x, []).append(op)
    if not written:
        return
    for param in fn.params:
        if param in written:
            _refuse(written[param][0], library, "it writes to an argument")
    for op, view, base in _views(order):
        if view in written:
            _refuse(written[view][0], library, "it writes to a part of an array that has its own name")
        for write in written.get(base, ()):
            for read in order.ops:
                if any(o is view for o in operands_of(read)) and _after(order, read, write, op):
                    _refuse(write, library, "a part of the array that was taken before is read after it")


def _after(order: _Order, read: Op, write: Op, view: Op) -> bool:
    """Whether a view that was taken before a write is read after it."""
    r, w, v = (order.place[id(op)] for op in (read, write, view))
    if v < w < r:
        return True
    shared = set(order.loops[id(read)]) & set(order.loops[id(write)])
    return bool(shared - set(order.loops[id(view)]))


def _refuse(op: Op, library: Library, why: str) -> None:
    raise UnsupportedCall(f"an assignment to elements of an array is not possible in {library.name} here: {why}, and parts of "
                          f"{library.name} arrays are copies", op.loc, "assign to the whole array with where, concatenate or stack")
