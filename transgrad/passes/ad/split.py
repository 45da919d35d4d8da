"""Split a function into a forward half, which returns results and residuals, and a backward half, which takes residuals and cotangents and
returns the cotangents of the inputs.
"""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir.attributes import Attributes
from ...ir.build import Builder
from ...ir.clone import clone_function
from ...ir.ops import Block, Call, Function, Lit, Operand, Param, Tree, Value, operands_of, walk
from ...ir.prims import unpack
from ...ir.types import Arr, DictT, ListT, Num, Obj, RecordT, TupleT, Type, is_differentiable
from ...runtime import zeros_of
from ..algebra.folding_builder import AlgebraBuilder
from ..algebra.logsumexp_shift import cancel_logsumexp_shift
from ..analysis.alias import Summary, summarize
from ..analysis.support import Selection
from ..manager import invalidate, run_named, simplify
from ..rewriting.substitute import substitute
from ..simplify.dce import eliminate_dead_code
from .assemble import place_forward_halves, place_snapshots, yield_from_with
from .residuals.driver import _place_again, connect, is_arithmetic, needed_values, recomputable
from .residuals.undefined import define_kept
from .reverse.driver import reverse_body
from .reverse.invoke import shadow_params
from .reverse.result import Pair, ReverseResult
from .reverse.scopes import adjoint_type
from .reverse.unbroadcast import covers, is_complex_type, of_dtype, whole

__all__ = ["CallPair", "split_call"]


@dataclass
class CallPair:
    """Both halves of a call and their calling conventions.

    ``inputs`` lists the arguments of the backward half: ('residual', k), ('param', k), ('result', k), ('cotangent', result k)
    or ('shadow', param k).  ``outputs`` lists its results: (parameter, path into its structure).
    """

    forward: Function
    backward: Function
    residuals: list[tuple[Type, str | None]] = field(default_factory=list)
    inputs: list[tuple[str, int]] = field(default_factory=list)
    outputs: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    result_types: list[Type] = field(default_factory=list)
    #: set while the pair is being made and a recursive call has asked for it: residuals travel as one tuple
    packed: bool = False


def _leaves(t: Type) -> list[tuple[tuple[int, ...], Type]]:
    if isinstance(t, (TupleT, RecordT)):
        return [((k, *path), leaf) for k, e in enumerate(t.elems) if is_differentiable(e) for path, leaf in _leaves(e)]
    return [((), adjoint_type(t))]


def split_call(func: Function, active: tuple[int, ...], cotangents: tuple[int, ...], frozen: tuple[int, ...] = (),
               frozen_results: tuple[int, ...] = (), packed: bool = False, outside: tuple[Any, ...] = (),
               masked: tuple[tuple[int, Selection], ...] = ()) -> CallPair:
    """The pair for these active parameters and these results with cotangents (kept on the function).

    ``frozen`` parameters and results may be overwritten by the caller before the backward half runs; so may arrays from ``outside``.
    The caller selects elements of the ``masked`` results, by the selection beside each: elements that are not selected have zero
    cotangents (see `nan_masking`).
    """
    pairs: dict[Any, CallPair] = func.memo(split_call)
    key = active, cotangents, frozen, frozen_results, packed, outside, masked
    if key in pairs:
        if not pairs[key].residuals and not pairs[key].inputs:
            pairs[key].packed = True
            _packed_interface(pairs[key], func, active, cotangents)
        return pairs[key]
    taken = len(pairs)
    suffix = f"_{taken + 1}" if taken else ""
    pair = pairs[key] = CallPair(
        Function(f"{func.name}_forward{suffix}", Block(), origin=None, attrs=Attributes(emit=True, derivative=True)),
        Function(f"{func.name}_backward{suffix}", Block(), origin=None, attrs=Attributes(emit=True, derivative=True)))
    pair.packed = packed
    pair.forward.analyses[summarize] = summarize(func)
    shadows = shadow_params(func)
    pair.outputs = [(k, path) for k in active if not shadows[k] for path, _ in _leaves(func.params[k].type)]
    pair.result_types = [t for k in active if not shadows[k] for _, t in _leaves(func.params[k].type)]
    if packed:
        _packed_interface(pair, func, active, cotangents)
    try:
        _make(pair, func, active, cotangents, frozen, frozen_results, outside, masked)
    except BaseException:
        del pairs[key]
        raise
    invalidate(pair.forward)
    invalidate(pair.backward)
    return pair


def _packed_interface(pair: CallPair, func: Function, active: tuple[int, ...], cotangents: tuple[int, ...]) -> None:
    shadows = shadow_params(func)
    pair.residuals = [(Obj(tuple), "residuals")]
    pair.inputs = [("residual", 0), *(("cotangent", k) for k in cotangents), *(("shadow", k) for k in active if shadows[k])]
    # a recursive call adds to the shadows, although there is no operation yet that says so
    pair.backward.analyses[summarize] = summary = Summary()
    summary.written = [k for k, (kind, _) in enumerate(pair.inputs) if kind == "shadow"]
    summary.inner = [k for k in summary.written if isinstance(func.params[pair.inputs[k][1]].type, (ListT, DictT))]


def _make(pair: CallPair, func: Function, active: tuple[int, ...], cotangents: tuple[int, ...], frozen: tuple[int, ...],
          frozen_results: tuple[int, ...], outside: tuple[Any, ...], masked: tuple[tuple[int, Selection], ...]) -> None:
    fn = clone_function(func)
    run_named("reverse_of_callee", fn)
    shadows = shadow_params(func)
    params, results = fn.params, list(fn.body.yields)
    bars = {k: Value(adjoint_type(results[k].type), _bar_name(results[k])) for k in cotangents}
    shadow_values = {k: Value(adjoint_type(params[k].type), f"{params[k].name}_bar") for k in active if shadows[k]}
    frozen_values = [*outside, *(params[k] for k in frozen)] + [v for k in frozen_results if isinstance(v := results[k], Value)]
    wrt = [params[k] for k in active]
    seeds = [(results[k], bars[k]) for k in cotangents]
    res = reverse_body(fn, wrt, seeds, frozen_values, {params[k]: v for k, v in shadow_values.items()}, deep=True,
                       masked=[(bars[k], of) for k, of in masked])
    stability = res.stability
    outputs: list[Operand] = []
    with AlgebraBuilder(res.block, part="adjoint") as b:
        for k, path in pair.outputs:
            entry = res.adjoints[active.index(k)]
            for step in path:
                entry = entry.get(step) if isinstance(entry, dict) else None
            found = _zero_for(b, params[k], path) if entry is None else _with_all_dims(b, entry, params[k], path)
            outputs.append(of_dtype(b, found, next(t for p, t in _leaves(params[k].type) if p == path)))
    res.block.yields = outputs
    place_snapshots(fn, res, stability)
    place_forward_halves(res)
    _trim(fn, res, list(shadow_values.values()))
    connect(res, stability, apart=True)
    top = Pair(fn.body, res.block)
    again = [v for v in needed_values(top, res) if v not in params and recomputable(res.layout.maker.get(v), stability)]
    _recompute(again, fn, res, top)
    needed = list(needed_values(top, res))
    for v in reversed(needed):
        op = res.layout.maker.get(v) if v not in params else None
        if op is not None and is_arithmetic(op, stability) and all(o in needed or isinstance(o, Lit) for o in operands_of(op)):
            needed.remove(v)
            _recompute([v], fn, res, top)
    passed = {v: ("param", params.index(v)) for v in needed if v in params}
    for v in needed:
        if v in results and v not in passed and results.index(v) not in frozen_results:
            passed[v] = ("result", results.index(v))
    kept = [v for v in needed if v not in passed]
    define_kept(fn.body, needed)
    if pair.packed:
        _finish_packed(pair, fn, res.block, needed, bars, shadow_values)
    else:
        pair.residuals = [(v.type, f"saved_{v.name}" if v.name and not v.name.startswith("saved_") else v.name) for v in kept]
        inputs = [(passed[v], v) for v in needed if v in passed] + [(("residual", k), v) for k, v in enumerate(kept)]
        _finish(pair, fn, res.block, inputs, kept, bars, shadow_values)
    pair.forward.names = dict(func.names)
    pair.backward.names = dict(func.names)
    pair.forward.loc = pair.backward.loc = func.loc
    for half in (pair.forward, pair.backward):
        yield_from_with(half)
        simplify(half)


def _bar_name(v: Operand) -> str:
    return f"{v.name}_bar" if isinstance(v, Value) and v.name else "out_bar"


def _zero_for(b: Builder, param: Value, path: tuple[int, ...]) -> Operand:
    t = param.type
    if isinstance(t, Num) or isinstance(t, Arr) and t.scalar:
        return Lit(0.0)
    if isinstance(t, Arr):
        return b.call(np.zeros_like, param)  # type: ignore[no-any-return]
    x = _read(b, param, path)
    return b.call(zeros_of, x, type=x.type)  # type: ignore[no-any-return]


def _with_all_dims(b: AlgebraBuilder, entry: Any, param: Value, path: tuple[int, ...]) -> Any:
    """The cotangent of a leaf of a parameter, with all the dimensions of the leaf; complex where the leaf is."""
    t: Type = param.type
    for k in path:
        assert isinstance(t, (TupleT, RecordT))
        t = t.elems[k]
    full = entry if covers(entry.type, t) or not isinstance(t, Arr) else whole(b, entry, _read(b, param, path))
    return of_dtype(b, full, t) if isinstance(t, Arr) and is_complex_type(t) else full


def _read(b: Builder, param: Value, path: tuple[int, ...]) -> Any:
    """A leaf of a parameter."""
    x: Any = param
    t: Type = param.type
    for k in path:
        assert isinstance(t, (TupleT, RecordT))
        if isinstance(x, tuple):        # unpacked by the builder
            x = x[k]
        elif isinstance(t, RecordT) and t.cls is not dict:
            x = b.attr(x, str(t.keys[k]), t.elems[k])
        else:
            x = b.call(operator.getitem, x, t.keys[k] if isinstance(t, RecordT) else k, type=t.elems[k])
        t = t.elems[k]
    return x


def _trim(fn: Function, res: ReverseResult, shadows: Sequence[Value] = ()) -> None:
    """Eliminate dead computations of the rules before choosing the residuals.

    A loop of the forward part remains as long as its reverse does.
    """
    reverse = res.block
    joined = Function(fn.name, Block([*fn.params, *shadows], [*fn.body.ops, *reverse.ops], [*fn.body.yields, *reverse.yields]))
    marker = set(reverse.ops)
    cancel_logsumexp_shift(joined, res.layout.maker)
    reverse.yields = joined.body.yields[len(fn.body.yields):]
    eliminate_dead_code(joined, {p.mirror: p.owner for p in res.pairs if p.mirror is not None and p.owner is not None})
    fn.body.ops = [op for op in joined.body.ops if op not in marker]
    reverse.ops = [op for op in joined.body.ops if op in marker]
    alive = set(walk(reverse))
    res.pairs[:] = [p for p in res.pairs if p.mirror is None or p.mirror in alive]


def _recompute(again: list[Value], fn: Function, res: Any, top: Pair) -> None:
    _place_again(again, top, res)


def _finish(pair: CallPair, fn: Function, reverse: Block, inputs: list[tuple[tuple[str, int], Value]], kept: list[Value],
            bars: dict[int, Value], shadows: dict[int, Value]) -> None:
    mapping: dict[Value, Operand] = {}
    params: list[Value] = []
    for _, v in inputs:
        new = Value(v.type, v.name)
        mapping[v] = new
        params.append(new)
    pair.inputs = [where for where, _ in inputs]
    for k, bar in bars.items():
        params.append(bar)
        pair.inputs.append(("cotangent", k))
    for k, shadow in shadows.items():
        params.append(shadow)
        pair.inputs.append(("shadow", k))
    substitute(reverse, mapping)
    reverse.params = params
    _name(params)
    pair.backward.body = reverse
    _result_tree(pair.backward)
    pair.forward.body = fn.body
    fn.body.yields = [*fn.body.yields, *kept]
    pair.forward.signature = _dynamic(fn)
    _result_tree(pair.forward)


def _finish_packed(
    pair: CallPair, fn: Function, reverse: Block, needed: list[Value], bars: dict[int, Value], shadows: dict[int, Value],
) -> None:
    packed = Value(Obj(tuple), "residuals")
    results = [Value(v.type, v.name) for v in needed]
    substitute(reverse, dict(zip(needed, results)))
    if needed:
        reverse.ops.insert(0, Call(unpack, [packed, Lit(len(needed))], results=results, part="adjoint"))
    reverse.params = [packed, *bars.values(), *shadows.values()]
    _name(reverse.params)
    pair.backward.body = reverse
    _result_tree(pair.backward)
    with Builder(fn.body) as b:
        tuple_ = b.build("tuple", list(needed), name="residuals")
    fn.body.yields = [*fn.body.yields, tuple_]
    pair.forward.body = fn.body
    pair.forward.signature = _dynamic(fn)
    _result_tree(pair.forward)


def _dynamic(fn: Function) -> list[Param]:
    return [Param(p.name or f"a{k}", p) for k, p in enumerate(fn.params)]


def _name(params: list[Value]) -> None:
    for k, p in enumerate(params):
        if p.name is None:
            p.name = f"s{k}"


def _result_tree(fn: Function) -> None:
    n = len(fn.body.yields)
    leaves = [Tree("leaf", index=k) for k in range(n)]
    fn.returns = leaves[0] if n == 1 else Tree("tuple", leaves) if n else Tree("lit", value=None)
    if not fn.signature:
        fn.signature = _dynamic(fn)

