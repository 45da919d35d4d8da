"""Simplifies a function in place: what a loop carries without changing it, branches on literals, needless copies, equal
expressions, dead code."""
from __future__ import annotations

import operator

import numpy as np

from ...ir.clone import clone_op
from ...ir.ops import Block, Build, Call, For, Function, If, Lit, Op, Operand, Value, While, blocks_of, operands_of, walk
from ...ir.prims import Boundary, inplace_at
from ..algebra.arithmetic import reduce_arithmetic
from ..algebra.cancel import cancel_maxima
from ..algebra.multiples import gather_multiples
from ..algebra.powers import multiply_powers
from ..algebra.powers_of_two import gather_powers
from ..algebra.slopes import slopes_alone
from ..algebra.uniform import numbers_for_uniform_arrays
from ..arrays.needed_rows import add_up_needed_rows
from ..arrays.pack import pack_parts
from ..arrays.parts import measure_parts
from ..arrays.picked import put_picked_into_terms
from ..arrays.symmetric import share_symmetric_sums
from ..arrays.systems import cancel_systems
from ..buffers.from_rows import put_rows_together
from ..buffers.stored import read_what_was_stored
from ..distribute import distribute_loops
from ..scalars import replace_small_arrays
from ..substitute import substitute, uses_of
from ..switches import is_on
from .copies import elide_copies
from .cse import eliminate_common_subexpressions
from .dce import eliminate_dead_code
from .lift import lift_arrays
from .rebind import rebind_arrays
from .shapes import ask_operands_for_shapes

_LIKE = (np.zeros_like, np.ones_like, np.empty_like)
_AT = (operator.getitem, operator.setitem, inplace_at)

__all__ = ["fold_loop", "prepare", "simplify"]


def prepare(fn: Function, risky: bool = True) -> None:
    """The simplifications that help before differentiating: what need not be computed need not be differentiated.

    ``risky`` allows Python's arithmetic where it may raise and NumPy's does not.
    """
    if is_on("simplify"):
        mapping: dict[Value, Operand] = {}
        _fold(fn.body, mapping)
        _apply(fn.body, mapping)
        if mapping or _computes_in_vain(fn):
            eliminate_dead_code(fn)
    replace_small_arrays(fn, risky)
    rebind_arrays(fn)
    lift_arrays(fn)
    measure_parts(fn)
    read_what_was_stored(fn)
    pack_parts(fn)
    add_up_needed_rows(fn)
    distribute_loops(fn)


def _computes_in_vain(fn: Function) -> bool:
    """Whether something is computed that nothing reads: mostly the front end has left nothing of that kind."""
    read = uses_of(fn.body)
    return any(op.results and read.isdisjoint(op.results) for op in walk(fn.body))


def simplify(fn: Function) -> None:
    """Runs the simplifications that make emitted text shorter."""
    if not is_on("simplify"):
        return
    mapping: dict[Value, Operand] = {}
    _fold(fn.body, mapping, released=True)
    _apply(fn.body, mapping)
    _ask_the_original(fn.body, {})
    reduce_arithmetic(fn)
    numbers_for_uniform_arrays(fn)
    gather_multiples(fn)
    eliminate_common_subexpressions(fn)
    if share_symmetric_sums(fn):
        reduce_arithmetic(fn)
    gather_powers(fn)
    cancel_systems(fn)
    cancel_maxima(fn)
    put_picked_into_terms(fn)
    elide_copies(fn)
    put_rows_together(fn)
    ask_operands_for_shapes(fn)
    eliminate_dead_code(fn)
    if multiply_powers(fn):
        eliminate_common_subexpressions(fn)
    slopes_alone(fn)
    _write_indices_where_they_are_used(fn.body)


def _ask_the_original(block: Block, made_like: dict[Operand, Operand]) -> None:
    """Has an array be made like ``x`` that is made like a shadow made like ``x``, which may then not be needed."""
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _ask_the_original(inner, dict(made_like))
        elif op.fn in _LIKE and len(op.args) == 1 and not op.kwargs:
            op.args[0] = made_like.get(op.args[0], op.args[0])
            if op.part != "primal":
                made_like[op.result] = op.args[0]


def _write_indices_where_they_are_used(block: Block) -> None:
    """Makes the tuple of an index again for each use of it in the same block, so that it is written there."""
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _write_indices_where_they_are_used(inner)
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


def _fold(block: Block, mapping: dict[Value, Operand], released: bool = False) -> None:
    ops: list[Op] = []
    for op in block.ops:
        if type(op) is Call:
            if released and type(op.fn) is Boundary:        # which has done its work
                mapping.update(zip(op.results, op.args))
            else:
                ops.append(op)
            continue
        for inner in blocks_of(op):
            _fold(inner, mapping, released)
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
    """Has a loop carry nothing that it does not change; ``mapping`` takes what stands for it."""
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
