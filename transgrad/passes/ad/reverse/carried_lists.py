"""Adjoints of lists that a loop carries, if a branch passes a list on or drops it.

A list that is passed on may grow or shrink in later iterations, so that at the time of the reverse part it has another length; its
cotangent has the structure of the list when the branch ended, which is that of the incoming cotangent. A list that is dropped does not
change, and has a zero cotangent of its own structure.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.ops import Block, For, If, Operand, Value, While
from ....ir.types import ListT
from ....runtime import add, zeros_of
from .hazards import check_structure, refuse_resized, resized

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["forward_adjoints"]


def forward_adjoints(r: "Reverse", op: If, cond: Operand, incoming: list[tuple[int, Any]]) -> set[tuple[int, int]]:
    """Create the shadows of such lists, and return the adjoints that need no further additions: the branch, and the position of the result.
    """
    done = set()
    for k, g in incoming:
        paths = [r.refs(block.yields[k]) for block in (op.then, op.orelse)]
        for branch, p in enumerate(paths):
            if p is paths[1 - branch] or (w := _resized_in_turns(r, p)) is None:
                continue
            assert isinstance(p, Value)
            known = p in r.scope.find(r.home(p)).shadows
            if known and p not in r.handed_on:      # it has the structure of the initial value
                continue
            if known or r.home(p) is not r.scope.forward:
                refuse_resized(p, w)
            check_structure(r, p)
            r.handed_on.add(p)
            r.scope.shadows[p] = _either(r, cond, p, g, branch)
            done.add((branch, k))
    return done


def _either(r: "Reverse", cond: Operand, p: Value, g: Any, branch: int) -> Value:
    """The cotangent that came in, in one branch, and in the other one zeros."""
    found = Value(p.type, f"{p.name}_bar" if p.name else None)
    choice = If(cond, Block(), Block(), results=[found], loc=r.builder.loc, part="adjoint")
    for k, block in enumerate((choice.then, choice.orelse)):
        with r.builder.inside(block):
            if k != branch:
                y = r.zero(p)
            else:
                y = g if g in r.owned else r.builder.call(add, r.builder.call(zeros_of, g, type=p.type), g, type=p.type)
        block.yields.append(y)
    r.builder.emit(choice)
    r.owned.add(found)
    return found


def _resized_in_turns(r: "Reverse", p: Operand) -> Any:
    """The operations that change the length of a loop-carried list under the same name; None for other values."""
    if not (isinstance(p, Value) and isinstance(p.type, ListT) and r.is_active(p) and r.shadowed(p)) or r.mirrored(p) or r.is_derived(p):
        return None
    loop = r.layout.owner.get(id(r.home(p)))
    if not (isinstance(loop, (For, While)) and p in loop.body.params):
        return None
    return next((w for w, target in resized(r, p) if r.refs.root(target) is p), None)
