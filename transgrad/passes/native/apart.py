"""Loops over arrays that share no memory with those they write to, as functions that say so.

A compiler that has to compare the places of many arrays before a loop, or that cannot, leaves its elements one after the other.
"""
from __future__ import annotations

import operator

import numpy as np

from ...emit.memory import Memory
from ...ir.clone import clone_op
from ...ir.ops import Block, Call, For, Function, Invoke, Op, Operand, Param, Tree, Value, blocks_of, operands_of, walk
from ...ir.types import Arr
from ...runtime import borrowed, room_for, stretched
from .kernel import Group

__all__ = ["set_apart"]

_NEW = frozenset((np.empty, np.zeros))
_OF_FIRST = frozenset((borrowed, room_for, stretched, operator.getitem))
#: So many pairs of arrays are compared before a loop that runs over their elements at once.
_COMPARED = 8


def set_apart(kernel: Function, group: Group, memory: Memory, repeated: bool) -> bool:
    """Has the loop of a kernel be a function of its own, where its arrays share no memory.

    Parameters
    ----------
    kernel : Function
        As `write_kernel` made it from ``group``; it is rewritten in place.
    group : Group
        The operations.
    memory : Memory
        What the arrays of the function may share that the group stands in.
    repeated : bool
        Whether the kernel is called in a loop: then it may be short, and comparing may take as long as running it.

    Returns
    -------
    bool
        Whether it was.
    """
    if repeated:
        kernel.attrs["njit"] = {"forceinline": True}
    loops = [op for op in kernel.body.ops if isinstance(op, For)]
    if len(loops) != 1:
        return False
    loop, = loops
    written = _arrays(loop, operator.setitem)
    arrays = list(dict.fromkeys([*written, *_arrays(loop, operator.getitem)]))
    pairs = len(written) * (len(arrays) - 1)
    if not pairs or not repeated and pairs <= _COMPARED:
        return False
    outer = dict(zip(kernel.body.params, group.inputs()))
    origins = {a: _origin(a, kernel.body) for a in arrays}
    for w in written:
        for a in arrays:
            one, other = origins[w], origins[a]
            if a is w or one is a or other is a or one is w:     # one of them was made for this loop
                continue
            if one is None or other is None or one is other or memory.may_share(outer[one], outer[other]):
                return False
    _outline(kernel, loop)
    return True


def _arrays(loop: For, fn: object) -> list[Value]:
    """The arrays that are indexed in a loop by a function."""
    return list(dict.fromkeys(op.args[0] for op in walk(loop.body) if isinstance(op, Call) and op.fn is fn and isinstance(
        op.args[0].type, Arr) and isinstance(op.args[0], Value)))


def _origin(v: Value, body: Block) -> Value | None:
    """The argument whose memory an array is in, or the array itself where it was made in the kernel; None where that is not known."""
    made = next((op for op in body.ops if v in op.results), None)
    if made is None:
        return v if v in body.params else None
    if not isinstance(made, Call):
        return None
    if made.fn in _NEW:
        return v
    return _origin(made.args[0], body) if made.fn in _OF_FIRST and isinstance(made.args[0], Value) else None


def _outline(kernel: Function, loop: For) -> None:
    """Has a loop stand in a function of its own."""
    inside: set[Value] = {*loop.body.params, *(r for op in walk(loop.body) for r in op.results),
                          *(p for op in walk(loop.body) for block in blocks_of(op) for p in block.params)}
    used: dict[Value, None] = {}

    def note(operands: list[Operand]) -> None:
        used.update((o, None) for o in operands if isinstance(o, Value) and o not in inside)

    ops: list[Op] = [loop, *walk(loop.body)]
    for op in ops:
        note(list(operands_of(op)))
        for block in blocks_of(op):
            note(block.yields)
    mapping = {v: Value(v.type, v.name) for v in used}
    inner = Function(f"{kernel.name}_elements", Block(list(mapping.values())))
    new = clone_op(loop, mapping)
    inner.body.ops, inner.body.yields = [new], list(new.results)
    inner.signature = [Param(v.name or "x", v) for v in inner.body.params]
    leaves = [Tree("leaf", index=k) for k in range(len(new.results))]
    inner.returns = Tree("lit", value=None) if not leaves else leaves[0] if len(leaves) == 1 else Tree("tuple", leaves)
    inner.attrs.update(native=True, emit=True, kernel=True, apart=True)
    inner.loc = kernel.loc
    at = kernel.body.ops.index(loop)
    kernel.body.ops[at] = Invoke(inner, list(used), results=loop.results, loc=loop.loc, part=loop.part)
