"""Reverse of a call of a lowered function: the callee is split into a forward half, which returns residuals, and a backward half."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.effects import is_mutable
from ....ir.lengths import as_caller_sees
from ....ir.ops import Function, Invoke, Lit, Operand, Value, walk
from ....ir.types import Arr, DictT, ListT, OptT, RecordT, TupleT, Type
from ...analysis.alias import summarize
from ...analysis.support import Selection, nonzero, selection_of, support
from ...analysis.to_be_recorded import may_be_tuple
from ...canonicalize.call_aliasing import check_crossing
from ..nan_masking import has_unsafe, masked_results
from ..residuals.checkpoint import refuse_effects
from ..residuals.random_state import put_back, restored
from ..unsupported_calls import Aliased, at_call
from .adjoint_facts import Facts
from .arrays import stores_constants
from .containers import whole_tuple
from .python_scalars import as_scalar, from_callee
from .unbroadcast import full, narrow

if TYPE_CHECKING:
    from ...algebra.folding_builder import AlgebraBuilder
    from ..split import CallPair
    from .driver import Reverse

__all__ = ["reverse_invoke", "shadow_params"]


def shadow_params(fn: Function) -> list[bool]:
    """Which parameters' adjoints are shadows that the caller hands over and the callee adds to; the others are returned.

    Arrays that the callee reads in parts, in loops or writes to; a recursive call is answered with what is known so far.
    """
    if shadow_params not in fn.analyses:
        fn.analyses[shadow_params] = [isinstance(p.type, (ListT, DictT)) for p in fn.params]
        probe = Facts(fn, [], [])
        fn.analyses[shadow_params] = [probe.shadowed(p) if not isinstance(p.type, (TupleT, RecordT)) else False for p in fn.params]
    found: list[bool] = fn.analyses[shadow_params]
    return found


def reverse_invoke(r: "Reverse", op: Invoke) -> None:
    """Calls the callee's backward half; the forward call is replaced by its forward half where there are residuals."""
    from ..split import split_call
    func = op.func.attrs.reversed_as or op.func
    check_crossing(r.classes, op, r.is_active, r.layout.maker)
    results = [k for k, v in enumerate(op.results) if r.is_active(v)]
    active = [k for k, a in enumerate(op.args) if r.is_active(a)]
    written = summarize(func).written
    if not active or not results and not any(r.is_active(op.args[k]) for k in written):
        return
    gs: dict[int, Any] = {}
    for k in results:
        v = op.results[k]
        if r.refs(v) is v and (g := r.take(v)) is not None:
            gs[k] = g
    if not gs and not any(k in written and r.has_shadow(op.args[k]) for k in active):
        return
    gs = {k: whole_tuple(r, op.results[k], g) for k, g in gs.items()}
    frozen = [k for k, a in enumerate(op.args) if _changes(r, a, op)]
    frozen_results = [k for k, v in enumerate(op.results) if _changes(r, v, op)]
    outside = [node for node in summarize(func).held if not r.stability.stable_outside(node, op)]
    if op.again and outside:
        raise Aliased(f"{op.func.name} is to be computed again in the reverse sweep, but reads an array from outside that is written to "
                      "after the call", op.loc, "pass the array as an argument, or leave the checkpoint out")
    masked = [(k, of) for k, g in sorted(gs.items()) if (mask := support(r, g)) is not None and has_unsafe(func, of := selection_of(mask))]
    with at_call(op):
        pair = split_call(func, tuple(active), tuple(sorted(gs)), tuple(frozen), tuple(frozen_results), outside=tuple(outside),
                          masked=tuple(masked))
    b = r.builder
    seen = as_caller_sees([p.type for p in func.params], [a.type for a in op.args])
    residuals = [Value(seen(t), name) for t, name in pair.residuals]
    again = _again(r, op, func, pair, residuals) if op.again else None
    args: list[Operand] = []
    for kind, k in pair.inputs:
        if kind == "residual":
            args.append(residuals[k])
        elif kind == "param":
            args.append(op.args[k] if again is None else again.args[k])
        elif kind == "result":
            args.append(r.keep(op.results[k], op, after=True) if again is None else again.results[k])
        elif kind == "cotangent":
            args.append(gs[k] if isinstance(op.results[k].type, (TupleT, RecordT)) else
                        as_scalar(b, narrow(b, full(b, gs[k], op.results[k]), op.results[k].type), func.body.yields[k].type))
        else:
            args.append(r.shadow(op.args[k]))
    if residuals and again is None:
        r.forward_halves[id(op)] = (op, pair.forward, residuals)
        for v in residuals:
            r.layout.home[v] = r.layout.inside[id(op)]
            r.layout.maker[v] = op
    back = Invoke(pair.backward, args, results=[Value(seen(t)) for t in pair.result_types])
    b.emit(back)
    for k in written:       # the callee has set the cotangents of what it overwrote to zero
        if k in active and isinstance(op.args[k].type, Arr) and r.in_own_block(op.args[k]) and stores_constants(func, k, active):
            r.buffers.after(r, r.shadow(op.args[k]), nonzero(r, r.shadow(op.args[k]), Selection.OVERWRITTEN))
    entries: dict[int, Any] = {}
    apart = _apart(pair)
    for n, ((k, path), result) in enumerate(zip(pair.outputs, masked_results(r, back, [*back.results]))):
        v = from_callee(b, result, pair.backward, n)
        if not path:
            entries[k] = v
        else:
            _nest(entries.setdefault(k, {}), path, v)
    for k, e in entries.items():
        arg = op.args[k]
        if isinstance(e, dict) and not isinstance(arg.type, (TupleT, RecordT, OptT)):
            e = _packed(b, e, func.params[k].type)
        r.add(arg, e, owned=apart[k])


def _apart(pair: "CallPair") -> dict[int, bool]:
    """For each parameter, whether the cotangent that the backward half returns may be written to: not where it shares memory with
    another or with what the half is given (``a + b`` hands on its cotangent, twice), nor where NumPy does not let it, nor while the half
    is being made."""
    body = pair.backward.body
    if not body.yields or any(isinstance(op, Invoke) and not op.func.body.yields for op in walk(body)):
        return {k: False for k, _ in pair.outputs}
    summary = summarize(pair.backward)
    shared = {k for pair_ in summary.joined for k in pair_}
    found = {k: True for k, _ in pair.outputs}
    for n, (k, _) in enumerate(pair.outputs):
        if -1 - n in shared or n in summary.read_only:
            found[k] = False
    return found


def _again(r: "Reverse", op: Invoke, func: Function, pair: "CallPair", residuals: list[Value]) -> Invoke:
    """The forward half of a call of which nothing is kept but its arguments, in the reverse part."""
    refuse_effects(op)
    state = put_back(r, op, func)
    read = {k for kind, k in pair.inputs if kind == "result"}
    results = [Value(v.type, v.name if k in read else None) for k, v in enumerate(op.results)]
    again = Invoke(pair.forward, [r.keep(a, op, deep=True) for a in op.args], results=[*results, *residuals])
    r.builder.emit(again)
    restored(r, state)
    return again


def _packed(b: "AlgebraBuilder", found: dict[int, Any], t: Type) -> Any:
    """The cotangents of the items of a tuple as one tuple: a caller that recurs does not know the items of the callee's residuals."""
    elems = t.elems if isinstance(t, (TupleT, RecordT)) else ()
    items = [_packed(b, x, elem) if isinstance(x := found.get(k), dict) else Lit(None) if x is None else x for k, elem in enumerate(elems)]
    return b.build("tuple", items)


def _nest(into: dict[int, Any], path: tuple[int, ...], v: Value) -> None:
    for k in path[:-1]:
        into = into.setdefault(k, {})
    into[path[-1]] = v


def _changes(r: "Reverse", v: Operand, op: Invoke) -> bool:
    """Whether the caller may change the contents of an array, or of what a container holds, after the call."""
    return isinstance(v, Value) and is_mutable(v.type) and (
        isinstance(v.type, (Arr, ListT, DictT, RecordT)) or may_be_tuple(v.type)) and not r.stability.stable(v, op, deep=True)


