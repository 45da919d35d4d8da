"""Constant folding of control flow, and peephole rewrites of index tuples and of arrays created like other arrays.

`fold` replaces a branch on a literal by the block that is taken, and removes loop-carried values that the loop does not change.
"""
from __future__ import annotations

import operator

import numpy as np

from ...ir.clone import clone_op
from ...ir.ops import Block, Build, Call, For, Function, If, Lit, Op, Operand, Value, While, blocks_of, operands_of, walk
from ...ir.prims import Boundary, inplace_at
from ..manager import Property, Stage, optimization
from ..rewriting.substitute import substitute, uses_of

_LIKE = (np.zeros_like, np.ones_like, np.empty_like)
_AT = (operator.getitem, operator.setitem, inplace_at)

__all__ = ["fold", "fold_and_release", "fold_loop", "rebuild_index_tuples", "release_boundaries", "use_operand_shapes"]


@optimization(Stage.CANONICALIZE, "simplify")
def fold(fn: Function) -> bool:
    """Fold branches and loop-carried values; return whether the function now computes values that nothing reads."""
    mapping: dict[Value, Operand] = {}
    _fold(fn.body, mapping)
    _apply(fn.body, mapping)
    return bool(mapping) or _has_unread_results(fn)


@optimization(Stage.SIMPLIFY, "simplify")
def fold_and_release(fn: Function) -> bool:
    """Fold branches and loop-carried values, and remove the boundaries that differentiation needed.

    A batched function may be differentiated afterwards; it keeps the boundaries of functions with derivatives of their own.
    """
    mapping: dict[Value, Operand] = {}
    _fold(fn.body, mapping, released=True, keep_custom=fn.attrs.keeps_boundaries)
    _apply(fn.body, mapping)
    return True


@optimization(Stage.LOWER_NUMPY, requires=(Property.FINAL,))
def release_boundaries(fn: Function) -> bool:
    """Remove the boundaries of functions with custom derivatives from a batched function; return whether it had them."""
    had = fn.attrs.keeps_boundaries
    fn.attrs.keeps_boundaries = False
    if had:
        fold_and_release.function(fn)
    return had


@optimization(Stage.SIMPLIFY, "simplify")
def use_operand_shapes(fn: Function) -> bool:
    """Replace the model of a ``*_like`` call by the array after which the model was made."""
    _use_original_shapes(fn.body, {})
    return True


@optimization(Stage.SIMPLIFY, "simplify")
def rebuild_index_tuples(fn: Function) -> bool:
    """Build the tuple of an index once for each use in the block, so that the source code shows it in the subscript."""
    _rebuild_index_tuples(fn.body)
    return True


def _has_unread_results(fn: Function) -> bool:
    """Whether an operation has results that nothing reads."""
    read = uses_of(fn.body)
    return any(op.results and read.isdisjoint(op.results) for op in walk(fn.body))


def _use_original_shapes(block: Block, made_like: dict[Operand, Operand]) -> None:
    """Make an array like ``x`` directly instead of like a shadow made like ``x``, which may then be dead."""
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _use_original_shapes(inner, dict(made_like))
        elif op.fn in _LIKE and len(op.args) == 1 and not op.kwargs:
            op.args[0] = made_like.get(op.args[0], op.args[0])
            if op.part != "primal":
                made_like[op.result] = op.args[0]


def _rebuild_index_tuples(block: Block) -> None:
    """Make the tuple of an index again for each use of it in the same block, so that it is written there."""
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _rebuild_index_tuples(inner)
    if Build not in map(type, block.ops):
        return
    uses: dict[Operand, list[Call]] = {}
    others: set[Operand] = set(block.yields)
    for op in block.ops:
        place = op.args[1] if isinstance(op, Call) and op.fn in _AT else None
        for o in operands_of(op):
            if o is place and isinstance(op, Call):
                uses.setdefault(o, []).append(op)
            else:
                others.add(o)
        if type(op) is not Call:
            for inner in blocks_of(op):
                others |= uses_of(inner)
    again: dict[int, Op] = {}
    for op in block.ops:
        if isinstance(op, Build) and op.kind == "tuple" and op.result not in others:
            for user in uses.get(op.result, [])[1:]:
                again[id(user)] = copy = clone_op(op, {})
                user.args[1] = copy.result
    block.ops = [made for op in block.ops for made in ([again[id(op)], op] if id(op) in again else [op])]


def _apply(block: Block, mapping: dict[Value, Operand]) -> None:
    for v in list(mapping):
        x = mapping[v]
        while isinstance(x, Value) and x in mapping:
            x = mapping[x]
        mapping[v] = x
    substitute(block, mapping)


def _fold(block: Block, mapping: dict[Value, Operand], released: bool = False, keep_custom: bool = False) -> None:
    ops: list[Op] = []
    for op in block.ops:
        if type(op) is Call:
            if released and type(op.fn) is Boundary and not (keep_custom and op.fn.rule.is_custom):      # which has done its work
                mapping.update(zip(op.results, op.args))
            else:
                ops.append(op)
            continue
        for inner in blocks_of(op):
            _fold(inner, mapping, released, keep_custom)
        if isinstance(op, (For, While)):
            fold_loop(op, mapping)
        if isinstance(op, If) and isinstance(op.cond, Lit):
            taken = op.then if op.cond.value else op.orelse
            ops += taken.ops
            mapping.update(zip(op.results, taken.yields))
            continue
        ops.append(op)
    block.ops = ops


def fold_loop(op: For | While, mapping: dict[Value, Operand]) -> None:
    """Remove the loop-carried values that a loop does not change; ``mapping`` receives their replacements."""
    n = len(op.body.params) - len(op.inits)
    flags = op.body.yields[:op.stops]
    yields = op.body.yields[op.stops:]
    keep = []
    for k, p in enumerate(op.body.params[n:]):
        if _through(yields[k], mapping) is p:
            mapping[p] = op.inits[k]
            mapping[op.results[k]] = op.inits[k]
            if isinstance(op, While):
                mapping[op.cond.params[k]] = op.inits[k]
        else:
            keep.append(k)
    if len(keep) < len(yields):
        op.body.params = [*op.body.params[:n], *(op.body.params[n + k] for k in keep)]
        op.body.yields = [*flags, *(yields[k] for k in keep)]
        op.inits = [op.inits[k] for k in keep]
        op.results = [op.results[k] for k in keep]
        if isinstance(op, While):
            op.cond.params = [op.cond.params[k] for k in keep]


def _through(x: Operand, mapping: dict[Value, Operand]) -> Operand:
    while isinstance(x, Value) and x in mapping:
        x = mapping[x]
    return x
