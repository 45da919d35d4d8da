"""Join the forward part and the reverse part of a function."""
from __future__ import annotations

from typing import Any

from ...ir.ops import Block, Function, Invoke, Op, Operand, Value, With, blocks_of
from ..analysis.program_order import owners_in
from ..analysis.to_be_recorded import Stability
from ..rewriting.substitute import substitute, uses_of
from .reverse.result import ReverseResult

__all__ = ["place_forward_halves", "place_snapshots", "yield_from_with"]


def place_snapshots(fn: Function, res: ReverseResult, stability: Stability) -> None:
    """Insert copies of arrays that are overwritten before the reverse part reads them; other arrays are read without a copy."""
    mapping: dict[Value, Any] = {}
    before: dict[int, list[Op]] = {}
    after: dict[int, list[Op]] = {}
    for copy, snap in res.snapshots.items():
        at = snap.at
        if not snap.forced and stability.stable(snap.source, at, before=not snap.after, deep=snap.deep):
            mapping[copy] = snap.source
        else:
            (after if snap.after else before).setdefault(id(at), []).append(snap.op)
    substitute(res.block, mapping)
    if before or after:
        _insert(fn.body, before, after)


def _insert(block: Any, before: dict[int, list[Op]], after: dict[int, list[Op]]) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in blocks_of(op):
            _insert(inner, before, after)
        ops += before.get(id(op), [])
        ops.append(op)
        ops += after.get(id(op), [])
    block.ops = ops


def place_forward_halves(res: ReverseResult) -> None:
    """Let a call return its residuals too, if its backward half reads any."""
    for call, half, residuals in res.forward_halves.values():
        assert isinstance(call, Invoke)
        call.func = half
        call.results = [*call.results, *residuals]


def yield_from_with(fn: Function) -> None:
    """Make values that are computed in a ``with`` statement and read outside of it results of the statement."""
    for op in [op for op in owners_in(fn.body) if isinstance(op, With)][::-1]:       # those inside others come first
        body, op.body = op.body, Block()
        outside = uses_of(fn.body)
        mapping: dict[Value, Operand] = {}
        for v in [*body.params, *(v for o in body.ops for v in o.results)]:
            if v in outside:
                mapping[v] = result = Value(v.type, v.name, v.varied)
                op.results.append(result)
                body.yields.append(v)
        substitute(fn.body, mapping)
        op.body = body
