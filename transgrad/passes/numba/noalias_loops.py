"""Outline loops over arrays without aliases into functions whose parameters are declared not to alias.

LLVM vectorizes a loop only if it can prove or check that its arrays do not overlap, and gives up if there are many of them. The trip counts
of short inner loops are passed as constants, so that they are unrolled and sums stay in registers.
"""
from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping

import numpy as np

from ...ir.build import Builder
from ...ir.clone import clone_op
from ...ir.memory import Memory
from ...ir.ops import Block, Call, For, Function, If, Invoke, Lit, Op, Operand, Param, Tree, Value, blocks_of, operands_of, walk
from ...ir.types import Arr, Num
from ...runtime import borrowed, room_for, stretched
from .fusion_group import Group

__all__ = ["set_apart"]

_NEW = frozenset((np.empty, np.zeros))
_OF_FIRST = frozenset((borrowed, room_for, stretched, operator.getitem))
#: So many pairs of arrays are compared before a loop that runs over their elements at once; before one inside of so many others, at
#: each of their turns, nothing is.
_COMPARED, _DEEP = 8, 3
#: How often a loop turns at most that is short.
_SHORT = 8


def set_apart(kernel: Function, group: Group, memory: Memory, repeated: bool, lengths: Mapping[Hashable, int]) -> bool:
    """Outline the loop of a kernel into a function of its own if its arrays share no memory.

    Parameters
    ----------
    kernel : Function
        As `write_kernel` made it from ``group``; it is rewritten in place.
    group : Group
        The operations.
    memory : Memory
        The memory that arrays of the function containing the group may share.
    repeated : bool
        Whether the kernel is called in a loop: then it may be short, and the comparison may take as long as the kernel.
    lengths : mapping of symbol to int
        Lengths of the arguments in the first call, by their symbols in types.

    Returns
    -------
    bool
        Whether the loop was outlined.
    """
    if repeated:
        kernel.attrs.njit = {"forceinline": True}
    loops = [op for op in kernel.body.ops if _depth(op)]
    if not loops or len(loops) > 1 and not group.gathered:
        return False
    written = _arrays(loops, operator.setitem)
    arrays = list(dict.fromkeys([*written, *_arrays(loops, operator.getitem)]))
    pairs = len(written) * (len(arrays) - 1)
    if not pairs or not repeated and pairs <= _COMPARED and max(map(_depth, loops)) < _DEEP:
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
    call = _outline(kernel, loops)
    last = group.dims[-1]
    loop, *more = loops
    if not more and isinstance(loop, For) and _depth(loop) >= _DEEP and last.sym in lengths and 1 < lengths[last.sym] + last.off <= _SHORT:
        _write_out(kernel, call, _length(loop), lengths[last.sym] + last.off)
    return True


def _write_out(kernel: Function, call: Invoke, length: Operand, known: int) -> None:
    """Specialize the loops of a kernel to the length of the last dimension in the first call."""
    ops: list[Op] = []
    with Builder(Block([], ops), call.part, call.loc) as b:
        same = b.call(operator.eq, length, Lit(known), type=Num("bool"))
        branches = []
        for args in ([Lit(known) if a is length else a for a in call.args], call.args):
            results = [Value(r.type, r.name) for r in call.results]
            branches.append(Block([], [Invoke(call.func, args, results=results, loc=call.loc, part=call.part)], list(results)))
        b.emit(If(same, *branches, results=call.results, loc=call.loc, part=call.part))
    at = kernel.body.ops.index(call)
    kernel.body.ops[at:at + 1] = ops


def _length(loop: For) -> Operand:
    """How often the innermost loop turns."""
    inner = [op for op in loop.body.ops if isinstance(op, For)]
    return _length(inner[-1]) if inner else loop.sources[0].operands[1]


def _depth(op: Op) -> int:
    """The depth of a loop nest."""
    return isinstance(op, For) + max((_depth(inner) for block in blocks_of(op) for inner in block.ops), default=0)


def _arrays(loops: list[Op], fn: object) -> list[Value]:
    """The arrays that are indexed in loops by a function."""
    return list(dict.fromkeys(op.args[0] for op in walk(Block([], loops)) if isinstance(op, Call) and op.fn is fn and isinstance(
        op.args[0].type, Arr) and isinstance(op.args[0], Value)))


def _origin(v: Value, body: Block) -> Value | None:
    """The argument that owns the memory of an array, or the array itself if it was created in the kernel; None if that is not known."""
    made = next((op for op in body.ops if v in op.results), None)
    if made is None:
        return v if v in body.params else None
    if not isinstance(made, Call):
        return None
    if made.fn in _NEW:
        return v
    return _origin(made.args[0], body) if made.fn in _OF_FIRST and isinstance(made.args[0], Value) else None


def _outline(kernel: Function, loops: list[Op]) -> Invoke:
    """Outline loops, the last of which produces the results, into a function of their own."""
    last, at = loops[-1], kernel.body.ops.index(loops[0])
    moved = kernel.body.ops[at:kernel.body.ops.index(last) + 1]
    ops = list(walk(Block([], moved)))
    inside: set[Value] = {*(r for op in ops for r in op.results), *(p for op in ops for block in blocks_of(op) for p in block.params)}
    used: dict[Value, None] = {}

    def note(operands: list[Operand]) -> None:
        used.update((o, None) for o in operands if isinstance(o, Value) and o not in inside)

    for op in ops:
        note(list(operands_of(op)))
        for block in blocks_of(op):
            note(block.yields)
    params = {v: Value(v.type, v.name) for v in used}
    mapping: dict[Value, Operand] = {**params}
    inner = Function(f"{kernel.name}_elements", Block(list(params.values())))
    inner.body.ops = [clone_op(op, mapping) for op in moved]
    inner.body.yields = list(inner.body.ops[-1].results)
    inner.signature = [Param(v.name or "x", v) for v in inner.body.params]
    leaves = [Tree("leaf", index=k) for k in range(len(last.results))]
    inner.returns = Tree("lit", value=None) if not leaves else leaves[0] if len(leaves) == 1 else Tree("tuple", leaves)
    inner.attrs.native = inner.attrs.emit = inner.attrs.kernel = inner.attrs.apart = True
    inner.loc = kernel.loc
    call = Invoke(inner, list(used), results=last.results, loc=last.loc, part=last.part)
    kernel.body.ops[at:at + len(moved)] = [call]
    return call
