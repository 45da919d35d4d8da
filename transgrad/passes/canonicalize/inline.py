"""Inline calls of lowered functions."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.clone import clone_block
from ...ir.lengths import as_caller_sees
from ...ir.ops import Block, Function, Invoke, Loc, Op, Operand, Value, blocks_of, walk
from ..rewriting.substitute import substitute, substitute_chains

__all__ = ["TooLarge", "inline_calls", "reaches"]


class TooLarge(Exception):
    """Why calls cannot be written out, and where."""

    def __init__(self, reason: str, loc: Loc | None):
        self.reason, self.loc = reason, loc
        super().__init__(reason)


def inline_calls(fn: Function, wanted: Callable[[Invoke], bool], limit: int, one_name: bool = True) -> None:
    """Write out the calls that are wanted, but for recursive ones, in place.

    Without ``one_name``, a name may mean different things in the functions that are called: it is then spelled in another way.

    Raises
    ------
    TooLarge
        Where the function would have more than ``limit`` operations, or the functions it calls mean different things by one name.
    """
    _Inliner(fn, wanted, limit, one_name).block(fn.body, ())


class _Inliner:
    def __init__(self, fn: Function, wanted: Callable[[Invoke], bool], limit: int, one_name: bool):
        self.fn, self.wanted, self.limit, self.count, self.one_name = fn, wanted, limit, 0, one_name

    def block(self, block: Block, outer: tuple[Function, ...]) -> None:
        mapping: dict[Value, Operand] = {}
        ops: list[Op] = []
        for op in block.ops:
            self.count += 1
            if self.count > self.limit:
                raise TooLarge("the functions it calls are too large", op.loc)
            for inner in blocks_of(op):
                self.block(inner, outer)
            if not isinstance(op, Invoke) or op.func in outer or not self.wanted(op) or reaches(op.func, op.func):
                ops.append(op)
                continue
            for name, obj in op.func.names.items():
                if self.fn.names.setdefault(name, obj) is not obj and self.one_name:
                    raise TooLarge(f"the name {name!r} means different things in the functions it calls", op.loc)
            copies: dict[Value, Any] = {}
            seen = as_caller_sees([p.type for p in op.func.params], [a.type for a in op.args])
            body = clone_block(op.func.body, copies)
            for v in copies.values():
                v.type = seen(v.type)
            substitute(body, dict(zip(body.params, op.args)))
            self.block(body, (*outer, op.func))
            ops += body.ops
            mapping.update(zip(op.results, body.yields))
        block.ops = ops
        substitute_chains(block, mapping)


def reaches(start: Function, goal: Function, seen: set[int] | None = None) -> bool:
    """Whether a function calls another, itself or through others."""
    seen = set() if seen is None else seen
    for op in walk(start.body):
        if isinstance(op, Invoke):
            if op.func is goal:
                return True
            if id(op.func) not in seen:
                seen.add(id(op.func))
                if reaches(op.func, goal, seen):
                    return True
    return False
