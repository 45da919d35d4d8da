"""Tangents of calls of lowered functions: one forward derivative of the callee for each set of active parameters."""
from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.attributes import Attributes
from ....ir.clone import clone_function
from ....ir.ops import Block, Function, Invoke, Operand, Param, Tree, Value
from ....ir.types import Arr, Dim, Num, Type
from ...analysis.activity import Activity
from ...analysis.alias import AliasClasses, Summary, summarize
from ...canonicalize.call_aliasing import check_crossing
from ...manager import invalidate, run_named, simplify
from ..nan_masking import masked_results
from ..reverse.python_scalars import as_scalar, from_callee
from ..unsupported_calls import Aliased, at_call
from .driver import forward_body, tangent_type

if TYPE_CHECKING:
    from .driver import Forward

__all__ = ["forward_invoke", "jvp_of"]

_COUNT = itertools.count()


def forward_invoke(f: "Forward", op: Invoke) -> None:
    """Call the derivative of the callee instead of the callee."""
    check_crossing(f.classes, op, f.varied, {})     # an item that a display holds twice has one tangent, in the callee too
    _check_without_tangents(f, op)
    written = summarize(op.func).written
    active = tuple(k for k, a in enumerate(op.args) if f.varied(a) or k in written and f.varied(op.args[k]))
    if not active:
        f.builder.block.ops.append(op)
        return
    with at_call(op):
        derivative, varied = jvp_of(op.func, active, _unread(f, op))
    args: list[Operand] = [*op.args, *(as_scalar(f.builder, f.dot_or_zero(op.args[k]), op.func.params[k].type) for k in active)]
    dots = [Value(op.results[k].type, f"{op.results[k].name}_dot" if op.results[k].name else None) for k in varied]
    f.builder.emit(call := Invoke(derivative, args, op.again, results=[*op.results, *dots]))
    for n, (k, t) in enumerate(zip(varied, masked_results(f, call, [*dots])), len(op.results)):
        apart = _has_to_be_apart(f, op, k, active)
        f._dot[op.results[k]] = f.builder.call(np.copy, t, type=t.type) if apart else from_callee(f.builder, t, derivative, n)


def _unread(f: "Forward", op: Invoke) -> tuple[int, ...]:
    """The numbers among the results of a call on whose tangents nothing depends that the caller returns."""
    if f.among is not None or f.activity.varies_outside:
        return ()
    return tuple(k for k, r in enumerate(op.results)
                 if (isinstance(r.type, Num) or isinstance(r.type, Arr) and r.type.scalar) and not f.activity.useful(r))


def _check_without_tangents(f: "Forward", op: Invoke) -> None:
    """Refuse writes to memory without a tangent, such as the bytes of an array viewed as integers, that is shared with memory that has one.
    """
    for k, b in summarize(op.func).joined:
        if k >= 0 > b and isinstance(t := op.results[-1 - b].type, Arr) and t.dtype[0] not in "fc" and f.varied(op.args[k]) and (
                f.classes.is_written(op.results[-1 - b])):
            raise Aliased(f"{op.func.name} returns an array that may share memory with its argument, and that is written to in place",
                          op.loc, "return a copy, or write to the argument itself")


def _of_known_shape(t: Type) -> Type:
    """The type of an array whose tangent is known to have the same length."""
    if not isinstance(t, Arr) or all(d.sym is not None for d in t.dims):
        return t
    return Arr(t.dtype, tuple(Dim(d.one, ("<tangent>", next(_COUNT))) if d.sym is None else d for d in t.dims), t.scalar)


def _has_to_be_apart(f: "Forward", op: Invoke, k: int, active: tuple[int, ...]) -> bool:
    """Whether memory that a result's tangent may share is written to although the result does not share it: ``a + 1`` returns the tangent
    of a."""
    y = op.results[k]
    if not isinstance(y.type, Arr) or y.type.scalar or any(-1 - k in pair for pair in summarize(op.func).joined):
        return False
    return any(isinstance(v, Value) and f.classes.is_written(v) for v in (y, *(op.args[n] for n in active)))


def jvp_of(func: Function, active: tuple[int, ...], unread: tuple[int, ...] = ()) -> tuple[Function, list[int]]:
    """The forward derivative of a callee, and which of its results have tangents (kept on the function).

    Results that are ``unread`` have none: they may depend on operations without a derivative.
    """
    found: dict[Any, Any] = func.memo(jvp_of)
    key = (active, unread) if unread else active
    if key in found:
        return found[key]  # type: ignore[no-any-return]
    suffix = f"_{len(found) + 1}" if found else ""
    probe = Activity(func, AliasClasses(func), [func.params[k] for k in active], func.body.yields)
    varied = [k for k, y in enumerate(func.body.yields) if k not in unread and probe.varied(y)]
    derivative = Function(f"{func.name}_jvp{suffix}", Block(), origin=None, attrs=Attributes(emit=True, derivative=True))
    derivative.attrs.pushforward_of = func, active
    found[key] = derivative, varied
    # a recursive call has the same effects on the tangents as on their values, although no operation shows that yet
    known, summary = summarize(func), Summary()
    derivative.analyses[summarize] = summary
    summary.written, summary.inner = ([*places, *(len(func.params) + j for j, k in enumerate(active) if k in places)]
                                      for places in (known.written, known.inner))
    fn = clone_function(func)
    run_named("forward_of_callee", fn)
    wrt = [fn.params[k] for k in active]
    for p in wrt:
        p.type = _of_known_shape(p.type)
    dots = {p: Value(tangent_type(p.type), f"{p.name}_dot") for p in wrt}
    state = forward_body(fn, wrt, dots, results=[y for k, y in enumerate(fn.body.yields) if k not in unread])
    with state.builder.inside(fn.body), state.builder:
        fn.body.yields = [*fn.body.yields, *(state.whole(state.dot_or_zero(y), y) if isinstance(y, Value) else state.zero(y)
                                             for y in (fn.body.yields[k] for k in varied))]
    fn.body.params += dots.values()
    derivative.body = fn.body
    derivative.names, derivative.loc = dict(fn.names), fn.loc
    derivative.signature = [Param(p.name or f"a{k}", p) for k, p in enumerate(fn.body.params)]
    n = len(fn.body.yields)
    leaves = [Tree("leaf", index=k) for k in range(n)]
    derivative.returns = leaves[0] if n == 1 else Tree("tuple", leaves)
    invalidate(derivative)
    simplify(derivative)
    return derivative, varied
