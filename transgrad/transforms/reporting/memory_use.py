"""The memory that a derivative uses between its two sweeps: the IR interpreter runs the forward part, and the values that the reverse
part reads are measured."""
from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir import interp
from ...ir.ops import Block, Call, Op, Value, blocks_of, operands_of, walk
from ...ir.types import ListT, Num, Type

if TYPE_CHECKING:
    from ..variants import Variant

__all__ = ["Footprint", "footprint"]

_SHADOWS = (np.zeros_like, np.zeros, np.ones_like, np.full_like, operator.mul)


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes by kind: ``lists`` are what loops keep, an entry an iteration; ``arrays`` those made in the forward part that the reverse
    part reads; ``shadows`` the arrays and lists of zeros that adjoints are added to."""

    lists: int
    arrays: int
    shadows: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.lists + self.arrays + self.shadows


def footprint(variant: Variant, values: Mapping[str, Any]) -> Footprint:
    """The memory that a variant uses for arguments given by name.

    Parameters
    ----------
    variant : Variant
        Of the derivative, for arguments like these.
    values : mapping of str to object
        The arguments.  The forward part runs once, on copies of the arrays among them.
    """
    fn = variant.ir
    forward = [op for op in fn.body.ops if op.part == "primal"]
    rest = [op for op in fn.body.ops if op.part != "primal"]
    # in the source, a value made of zeros that the reverse sweep reads before any loop is a shadow
    shadows = [op for op in rest if isinstance(op, Call) and op.fn in _SHADOWS and _is_fresh(op, rest)]
    made = {v for op in forward for v in op.results}
    read = {o for op in _inside(rest) for o in operands_of(op) if type(o) is Value} | {y for y in fn.body.yields if type(y) is Value}
    kept = [v for v in made if v in read]
    needed = _sources(shadows, rest)
    probe = replace(fn, body=Block(fn.params, [*forward, *needed], [*kept, *(op.result for op in shadows)]))
    args = [_copied(values[p.name]) for p in fn.signature if isinstance(p.value, Value)]
    with np.errstate(all="ignore"):
        found = interp.run(probe, args)
    seen: set[int] = {id(a) for a in args}
    lists = arrays = 0
    for v, value in zip(kept, found):
        size = _weigh(value, v.type, seen)
        if isinstance(v.type, ListT):
            lists += size
        else:
            arrays += size
    return Footprint(lists, arrays, sum(_weigh(value, op.result.type, seen) for op, value in zip(shadows, found[len(kept):])))


def _is_fresh(op: Call, rest: Iterable[Op]) -> bool:
    """Return whether a call makes zeros: of the products, those of a displayed list."""
    return op.fn is not operator.mul or isinstance(op.result.type, ListT)


def _sources(wanted: list[Call], rest: list[Op]) -> list[Op]:
    """The operations of the reverse part that some of its operations need, in order."""
    makers = {v: op for op in rest for v in op.results}
    found: dict[int, Op] = {}
    todo: list[Op] = list(wanted)
    while todo:
        op = todo.pop()
        if id(op) not in found:
            found[id(op)] = op
            todo += [makers[o] for o in operands_of(op) if type(o) is Value and o in makers]
    return [op for op in rest if id(op) in found]


def _inside(ops: Iterable[Op]) -> list[Op]:
    return [inner for op in ops for inner in [op, *(i for b in blocks_of(op) for i in walk(b))]]


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(map(_copied, value))
    return {k: _copied(v) for k, v in value.items()} if type(value) is dict else value


def _weigh(value: Any, t: Type | None, seen: set[int]) -> int:
    """The size of an object in bytes, without parts that were counted already."""
    if id(value) in seen or value is None or isinstance(value, (bool, int)):
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        base = value.base
        if base is not None:
            return sys.getsizeof(value) + _weigh(base, None, seen)
        return sys.getsizeof(value)
    if isinstance(value, (list, tuple)):
        elem = t.elem if isinstance(t, ListT) else None
        return sys.getsizeof(value) + sum(_weigh(item, elem, seen) for item in value)
    if isinstance(value, np.float64) and isinstance(t, Num):        # in the source, a Python float
        return sys.getsizeof(1.0)
    return sys.getsizeof(value)
