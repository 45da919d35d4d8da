"""Entry points of the passes: prepare, differentiate, simplify and lower, as the transformations call them."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.attributes import Attributes
from ..ir.build import Builder
from ..ir.clone import clone_function
from ..ir.effects import is_mutable
from ..ir.ops import (
    Block,
    Build,
    Call,
    For,
    Function,
    GetAttr,
    If,
    Lit,
    Op,
    Operand,
    Param,
    SetAttr,
    Tree,
    Try,
    Value,
    While,
    With,
    blocks_of,
    walk,
)
from ..ir.prims import unpack
from ..ir.types import UNKNOWN, Arr, DictT, ListT, Obj, RecordT, TupleT, Type, is_differentiable, is_instance
from ..ir.verify import verify_if_asked
from ..runtime import containers_of, in_dtype_of, zeros_alike, zeros_of
from .ad.assemble import place_forward_halves, place_snapshots, yield_from_with
from .ad.forward.driver import Forward, forward_body, tangent_type
from .ad.residuals.driver import connect, needed_values
from .ad.residuals.per_iteration_reverse import TermLoops
from .ad.residuals.undefined import define_kept, ends
from .ad.results import conjugate, own_results, structured
from .ad.reverse.driver import reverse_body
from .ad.reverse.forward_shadows import mirror
from .ad.reverse.result import Pair, ReverseResult
from .ad.reverse.scopes import adjoint_type
from .ad.split import _trim
from .ad.unsupported_calls import Aliased
from .algebra.folding_builder import AlgebraBuilder
from .analysis.alias import AliasClasses
from .canonicalize.inline import TooLarge, inline_calls
from .manager import run
from .pipelines import BACKWARD_HALF, CUT, FORWARD, REVERSE, REVERSE_HALVES, prepare, simplify
from .rewriting.substitute import substitute, uses_of
from .scalarize.values import scalarize_small_arrays

__all__ = ["forward", "primal", "reverse", "split"]

#: how large a function may become by writing out the calls in it
_LIMIT = 4000


def primal(fn: Function) -> Function:
    """The function itself, optimized except for rewrites that would change its lines without a gain."""
    fn = clone_function(fn)
    scalarize_small_arrays(fn)
    return fn


def reverse(fn: Function, wrt: Sequence[str], *, with_value: bool = False, aux: bool = False, paired: bool = False) -> Function:
    """The gradient of a function with one scalar result.

    Parameters
    ----------
    fn : Function
        As lowered; it is not modified.
    wrt : sequence of str
        Names of the parameters to differentiate with respect to.
    with_value : bool
        Whether to return the value before the gradients.
    aux : bool
        Whether ``fn`` returns a pair, whose second part is returned last.
    paired : bool
        Whether complex cotangents are returned as paired with tangents in rules: without the conjugate of gradients.

    Returns
    -------
    Function
        With the parameters of ``fn``; it returns one gradient per name (a tuple, if there are several), in the structure of
        the argument.
    """
    try:
        return _reverse(fn, wrt, with_value, aux, paired, mirrored=False)
    except Aliased as error:
        try:
            return _reverse(fn, wrt, with_value, aux, paired, mirrored=True)
        except Aliased:
            raise error from None


def _reverse(fn: Function, wrt: Sequence[str], with_value: bool, aux: bool, paired: bool, mirrored: bool) -> Function:
    fn = clone_function(fn)
    prepare(fn, FORWARD if mirrored else REVERSE)
    if mirrored:
        _write_out_calls(fn)
        run(CUT, fn)
    values = [_param(fn, name) for name in wrt]
    leaf = fn.returns.items[0] if fn.returns.kind == "tuple" else fn.returns
    result = fn.body.yields[leaf.index] if leaf.kind == "leaf" else Lit(leaf.value)
    dynamic = [v for v in values if isinstance(v, Value)]
    mirrors = mirror(fn, dynamic, [result]) if mirrored else None
    res = reverse_body(fn, dynamic, [(result, Lit(1.0))], mirrors=mirrors)
    trees: list[Tree] = []
    flat: list[Operand] = [result] if with_value else []
    rest = _shifted(fn.returns.items[1], len(flat)) if aux else None
    if rest is not None:
        flat += fn.body.yields
    with AlgebraBuilder(res.block, part="adjoint") as b:
        for v in values:
            entry = res.adjoints[dynamic.index(v)] if isinstance(v, Value) else None
            trees.append(structured(b, v, v.type, entry, flat, paired))
    fn.body.yields = flat
    _zeros_first(fn, res, flat)
    _fields_first(fn, res)
    join_parts(fn, res)
    tree = trees[0] if len(trees) == 1 else Tree("tuple", trees)
    parts = [*([Tree("leaf", index=0)] if with_value else []), tree, *([rest] if rest is not None else [])]
    fn.returns = Tree("tuple", parts) if len(parts) > 1 else tree
    fn.origin = None
    verify_if_asked(fn)
    simplify(fn)
    own_results(fn, _places(tree))
    return verify_if_asked(fn)


def _places(tree: Tree) -> list[int]:
    """The results that a returned structure is made of."""
    return [tree.index] if tree.kind == "leaf" else [k for item in tree.items for k in _places(item)]


def _write_out_calls(fn: Function) -> None:
    """Write out the calls of lowered functions, but for recursive ones."""
    try:
        inline_calls(fn, lambda op: True, _LIMIT)
    except TooLarge as error:
        raise Aliased(error.reason, error.loc) from None


def join_parts(fn: Function, res: ReverseResult) -> None:
    """Append the reverse part to the forward part, and make its operands available."""
    stability = res.stability
    res.block.yields = fn.body.yields
    fn.body.yields = []
    place_snapshots(fn, res, stability)
    place_forward_halves(res)
    _trim(fn, res)
    terms = TermLoops(fn, res)
    connect(res, stability)
    terms.join()
    define_kept(fn.body, ())
    fn.body.ops += res.block.ops
    fn.body.yields = res.block.yields
    yield_from_with(fn)


def _zeros_first(fn: Function, res: ReverseResult, yields: list[Operand]) -> None:
    """Create zeros in the structure of a list or dict argument before the function can change that structure. (A shadow, which
    the reverse part restores to it, stays.)"""
    for op in list(res.block.ops):
        if not (isinstance(op, Call) and op.fn in (zeros_of, zeros_alike)) or op.args[0] not in fn.params:
            continue
        if res.classes.is_written(op.args[0]) and isinstance(op.args[0].type, (ListT, DictT)) and op.result in yields and (
                op.result not in uses_of(Block([], res.block.ops, []))):
            res.block.ops.remove(op)
            fn.body.ops.insert(0, op)
            res.layout.home[op.result] = fn.body


def _fields_first(fn: Function, res: ReverseResult) -> None:
    """Let the reverse part read fields of arguments that the function assigns at the start: their adjoints are like the first values."""
    if not any(isinstance(op, SetAttr) and is_instance(op.obj.type) for op in walk(fn.body)):
        return
    known, early, todo = set(fn.params), list[Op](), [res.block]
    for block in todo:
        for op in block.ops:
            todo += blocks_of(op)
        for op in list(block.ops):
            of = op.obj if isinstance(op, GetAttr) else op.args[0] if isinstance(op, Call) and op.fn is operator.getitem and isinstance(
                op.args[1], Lit) else None
            if of in known and isinstance(of.type, (RecordT, TupleT)):
                block.ops.remove(op)
                early.append(op)
                known.update(op.results)
                res.layout.home.update(dict.fromkeys(op.results, fn.body))
    fn.body.ops[:0] = early


def _param(fn: Function, name: str) -> Operand:
    return next(p.value for p in fn.signature if p.name == name)


def forward(fn: Function, wrt: Sequence[str]) -> Function:
    """The forward derivative of a function.

    Returns
    -------
    Function
        Its parameters are those of ``fn``, then one tangent ``<name>_dot`` a name of ``wrt``, in the structure of the argument;
        it returns the result of ``fn`` and its tangent, in the structure of the result.
    """
    try:
        return _forward(fn, wrt, written_out=False)
    except Aliased:
        return _forward(fn, wrt, written_out=True)


def _forward(fn: Function, wrt: Sequence[str], written_out: bool) -> Function:
    fn = clone_function(fn)
    prepare(fn, FORWARD)
    if written_out:
        _write_out_calls(fn)
    values = [_param(fn, name) for name in wrt]
    dots: dict[Value, Value] = {}
    extra: list[Param] = []
    for name, v in zip(wrt, values):
        t = Value(tangent_type(v.type), f"{name}_dot")
        extra.append(Param(f"{name}_dot", t))
        if isinstance(v, Value):
            dots[v] = t
    state = forward_body(fn, list(dots), dots, outermost=True)
    with state.builder.inside(fn.body), state.builder:
        tangents = [_in_dtype(state, state.whole(state.dot_or_zero(y), y), y) if isinstance(y, Value) else state.zero(y)
                    for y in fn.body.yields]
    n = len(fn.body.yields)
    fn.body.yields = [*fn.body.yields, *(lift_literal(t) for t in tangents)]
    # ordinary parameters precede keyword-only ones
    place = next((k for k, p in enumerate(fn.signature) if p.kind in ("varargs", "keyword", "varkwargs")), len(fn.signature))
    after = extra
    if place < len(fn.signature) and fn.signature[place].kind == "varargs":
        after = [Param(p.name, p.value, "keyword") for p in extra]
    place = len(fn.signature) - (fn.signature[-1:] != [] and fn.signature[-1].kind == "varkwargs") if after is not extra else place
    fn.signature[place:place] = after
    fn.body.params += [p.value for p in extra]  # type: ignore[misc]
    fn.returns = Tree("tuple", [fn.returns, _shifted(fn.returns, n, tangent=True)])
    fn.origin = None
    verify_if_asked(fn)
    simplify(fn)
    own_results(fn, range(n, len(fn.body.yields)))
    return verify_if_asked(fn)


def _in_dtype(state: Forward, t: Any, y: Value) -> Any:
    """A tangent in the dtype of its value, which with single precision is only known at run time."""
    return state.builder.call(in_dtype_of, t, y, type=t.type) if y.type == UNKNOWN and state.builder.least() < 8 else t


def lift_literal(x: Any) -> Operand:
    """``x`` as an operand."""
    return x if isinstance(x, (Value, Lit)) else Lit(x)


def _shifted(tree: Tree, by: int, tangent: bool = False) -> Tree:
    if tree.kind == "leaf":
        return Tree("leaf", index=tree.index + by, cls=tree.cls)
    if tree.kind == "lit":
        return Tree("lit", value=(0.0 if isinstance(tree.value, (int, float)) else None) if tangent else tree.value)
    return Tree(tree.kind, [_shifted(t, by, tangent) for t in tree.items], keys=tree.keys, cls=tree.cls)


def split(fn: Function, wrt: Sequence[str], private: bool = False) -> tuple[Function, Function]:
    """The two halves of a function's pullback.

    Parameters
    ----------
    fn : Function
        The function to differentiate.
    wrt : sequence of str
        The differentiated parameters.
    private : bool
        Whether no other code can write to the arguments and the results before the backward half is called.

    Returns
    -------
    forward : Function
        With the parameters of ``fn``; it returns the result of ``fn``, and a tuple of residuals.
    backward : Function
        Takes the residuals and one cotangent per numeric leaf of the result; it returns a tuple with one cotangent per name of
        ``wrt``, in the structure of the argument.  It may be called any number of times.
    """
    fn = clone_function(fn)
    prepare(fn, REVERSE_HALVES)
    values = [_param(fn, name) for name in wrt]
    dynamic = [v for v in values if isinstance(v, Value)]
    results = list(fn.body.yields)
    bars = [Value(adjoint_type(y.type), f"{y.name}_bar" if isinstance(y, Value) and y.name else "out_bar") for y in results]
    start = Block()
    with AlgebraBuilder(start, part="adjoint") as b:
        seeds = [(y, conjugate(b, bar)) for y, bar in zip(results, bars) if isinstance(y, Value) and is_differentiable(y.type)]
    frozen = [] if private else [v for v in (*fn.params, *results) if isinstance(v, Value) and is_mutable(v.type)]
    res = reverse_body(fn, dynamic, seeds, frozen, deep=True)
    res.block.ops[:0] = start.ops
    trees: list[Tree] = []
    flat: list[Operand] = []
    with AlgebraBuilder(res.block, part="adjoint") as b:
        for v in values:
            entry = res.adjoints[dynamic.index(v)] if isinstance(v, Value) else None
            trees.append(structured(b, v, v.type, entry, flat))
    res.block.yields = flat
    _zeros_first(fn, res, flat)
    _fields_first(fn, res)
    stability = res.stability
    place_snapshots(fn, res, stability)
    place_forward_halves(res)
    _trim(fn, res)
    connect(res, stability, apart=True)
    needed = needed_values(Pair(fn.body, res.block), res)
    define_kept(fn.body, needed)
    backward = Function(f"{fn.name}_backward", res.block, names=dict(fn.names), loc=fn.loc, attrs=Attributes(emit=True, derivative=True))
    packed = Value(Obj(tuple), "residuals")
    own = [Value(v.type, v.name) for v in needed]
    substitute(res.block, dict(zip(needed, own)))
    if needed:
        res.block.ops.insert(0, Call(unpack, [packed, Lit(len(needed))], results=own, part="adjoint"))
    res.block.params = [packed, *bars]
    backward.signature = [Param("residuals", packed), *(Param(n, v) for n, v in zip(_unique([v.name or "out_bar" for v in bars]), bars))]
    backward.returns = Tree("tuple", trees)
    with Builder(fn.body) as plain:
        kept = plain.build("tuple", list(needed), name="residuals")
    fn.body.yields = [*results, kept]
    yield_from_with(fn)
    fn.returns = Tree("tuple", [fn.returns, Tree("leaf", index=len(results))])
    fn.origin = None
    run(BACKWARD_HALF, backward)
    simplify(fn)
    if not private:
        _keep_apart(fn)
    simplify(backward)
    own_results(backward, range(len(backward.body.yields)))
    return verify_if_asked(fn), verify_if_asked(backward)


def _keep_apart(fn: Function) -> None:
    """Keep copies of the arrays that are returned as well: computed once, where they had been computed twice."""
    made = next((op for op in fn.body.ops if op.results == fn.body.yields[-1:]), None)
    if not isinstance(made, Build):
        return      # nothing is kept
    classes = AliasClasses(fn)
    returned = {node for y in fn.body.yields[:-1] if isinstance(y, Value) for node in (classes.find(y), *classes.inner(y))}
    own = {p for p in fn.params if _has_lists(p.type)}     # the caller may change these before the pullback runs
    paths = {r: found for op in walk(fn.body) for r, found in _ends_of(op)}
    copies = {op.result for op in walk(fn.body) if isinstance(op, Call) and op.fn in (np.ndarray.copy, np.copy)}
    while more := {v for v, found in paths.items() if v not in copies and all(isinstance(x, Lit) or x in copies for x in found)}:
        copies |= more
    # np.copy keeps the order of elements in memory, which a derivative may depend on, and takes the number or None that a branch or a
    # callee returns in place of a value that was not computed
    with Builder(Block()) as b:
        made.items = [b.call(np.copy, v, type=v.type)
                      if isinstance(v, Value) and isinstance(v.type, Arr) and not v.type.scalar
                      and classes.find(v) in returned and v not in copies
                      else _copied(b, v) if v in own else v for v in made.items]
    at = fn.body.ops.index(made)
    fn.body.ops[at:at] = b.block.ops


def _copied(b: Builder, v: Value) -> Value:
    """A copy of the containers of a value, as one value if it is a tuple."""
    copy = Value(v.type, v.name)
    b.emit(Call(containers_of, [v], results=[copy]))
    return copy


def _has_lists(t: Type) -> bool:
    """Whether there are containers in a value whose length may change."""
    return isinstance(t, (ListT, DictT)) or isinstance(t, (TupleT, RecordT)) and any(map(_has_lists, t.elems))


def _ends_of(op: Op) -> list[tuple[Value, list[Operand]]]:
    """The results of a branch or loop, and the value of each at the end of every path."""
    if isinstance(op, (For, While)):
        return [(r, [op.inits[k], op.body.yields[op.stops + k]]) for k, r in enumerate(op.results)]
    if not isinstance(op, (If, Try, With)):
        return []
    blocks = ends(op)
    return [(r, [block.yields[k] for block in blocks]) for k, r in enumerate(op.results)]


def _unique(names: list[str]) -> list[str]:
    return [n if names.count(n) == 1 else f"{n}_{k}" for k, n in enumerate(names)]
