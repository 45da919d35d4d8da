"""Calls of the derivatives of a primitive, appended to the IR by its rules."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ...ir.build import Builder, current, lift, tell_apart
from ...ir.opaque import OpaqueCall
from ...ir.ops import Call, Tree, Value
from ...ir.types import Arr, Type, is_differentiable
from ..rule import zero
from .calls import Arguments, CotangentCall, TangentCall, ValueCall, cotangent_tree
from .primitive import Primitive
from .specs import Form

__all__ = ["cotangents", "named", "tangents", "transposed"]


def named(fn: Any, name: str) -> str:
    """The name of a derivative in generated code: its own, unless it is a lambda."""
    own = getattr(fn, "__name__", None)
    written_here = str(getattr(fn, "__module__", "")).startswith("transgrad.")
    return own if isinstance(own, str) and own.isidentifier() and own != "_" and not written_here else name


def like(t: Type, operand: Any) -> Type:
    """A static type with the lengths of an operand."""
    known = lift(operand).type
    if isinstance(t, Arr) and isinstance(known, Arr) and len(t.dims) == len(known.dims):
        return dataclasses.replace(t, dims=known.dims)
    return t


def emitted(b: Builder, fn: OpaqueCall, operands: Sequence[Any], types: Sequence[Type]) -> list[Value]:
    """Append a call and return its results."""
    given = [lift(x) for x in operands]
    varied = any(x.varied for x in given)
    results = [Value(tell_apart(t), None, varied and is_differentiable(t)) for t in types]
    b.emit(Call(fn, given, results=results))
    return results


def _filled(b: Builder, values: Sequence[Any], models: Sequence[Any]) -> list[Any]:
    return [zero(b, model) if x is None else x for x, model in zip(values, models)]


def cotangents(call: ValueCall, bars: Sequence[Any], ys: Sequence[Any], args: Sequence[Any], wanted: Sequence[int]) -> dict[int, Any]:
    """The cotangents of some operands by the user's function; ``bars`` and ``ys`` are the results' (with residuals, the last of ``ys``)."""
    b = current()
    n = len(call.form.types)
    own = [k for k, t in enumerate(call.form.types) if is_differentiable(t)]
    given = _filled(b, [bars[k] for k in own], [ys[k] for k in own])
    of = call.of
    name = named(of.bwd, f"{call.name}_bwd") if call.residuals else named(of.vjp, f"{call.name}_vjp")
    if isinstance(of.vjp, Primitive) and not call.residuals:
        return _by_primitive(b, call, of.vjp, [*given, *ys[:n], *args], wanted)
    key = tuple(wanted)
    fn = call.derived.get(key)
    if fn is None:
        fn = call.derived[key] = CotangentCall(name, of, call.args, call.form, call.residuals, wanted)
        from .rules import CotangentRule
        fn.rule = CotangentRule(call, fn)
    found = emitted(b, fn, [*given, *(ys[n:] if call.residuals else ys), *args], [like(call.args.types[k], args[k]) for k in wanted])
    return dict(zip(wanted, found))


def _by_primitive(b: Builder, call: ValueCall, vjp: Primitive, operands: Sequence[Any], wanted: Sequence[int]) -> dict[int, Any]:
    """The same, where the derivative is a primitive."""
    fn, places = _cotangents_call(call, vjp)
    first = len(operands) - len(call.args.types)
    found = emitted(b, fn, operands, [like(call.args.types[k], operands[first + k]) for k in places])
    return {k: found[n] for k, n in places.items() if k in wanted}


def _cotangents_call(call: ValueCall, vjp: Primitive) -> tuple[ValueCall, dict[int, int]]:
    """The call of a derivative that is a primitive, and the numbers of its results: its results are the cotangents of operands."""
    model = CotangentCall("", call.of, call.args, call.form, False, ())
    places: dict[int, int] = {}
    trees = [cotangent_tree(call.args.inputs[k], call.args.types, places) for k in call.args.differentiated]
    form = Form(trees[0] if len(trees) == 1 else Tree("tuple", trees), tuple(call.args.types[k] for k in places))
    return _primitive_call(call, vjp, model, form), places


def transposed(call: ValueCall, vjp: Primitive, dots: Sequence[Any], ys: Sequence[Any], args: Sequence[Any]) -> list[Any] | None:
    """The tangents of the results by the derivative of a derivative, which is linear in its cotangents and taken where these are zero.

    None if there is no such derivative.
    """
    if vjp.vjp is None or 0 in vjp.nondiff_argnums:
        return None
    b = current()
    fn, places = _cotangents_call(call, vjp)
    zeros = [zero(b, ys[k]) for k in call.active_results]
    bars = [zero(b, args[k]) if dots[k] is None else dots[k] for k in places]
    found = cotangents(fn, bars, [zero(b, args[k]) for k in places], [*zeros, *ys, *args], range(len(zeros)))
    by_result = dict(zip(call.active_results, (found[n] for n in range(len(zeros)))))
    return [by_result.get(k) for k in range(len(ys))]


def _primitive_call(call: ValueCall, of: Primitive, model: OpaqueCall, form: Form) -> ValueCall:
    """A call of a primitive that is a derivative, with the arguments of ``model``."""
    found = call.derived.get(of)
    if found is None:
        given = Arguments(model.inputs, model.keywords, model.statics, model.types,  # type: ignore[attr-defined]
                          [k for k in range(len(model.inputs)) if k not in of.nondiff_argnums])
        from .rules import PrimitiveRule
        found = call.derived[of] = ValueCall(named(of.fun, f"{call.name}_derivative"), of, given, form, of.bwd is not None)
        found.rule = PrimitiveRule(found)
    assert isinstance(found, ValueCall)
    return found


def tangents(call: ValueCall, dots: Sequence[Any], ys: Sequence[Any], args: Sequence[Any]) -> list[Any]:
    """The tangents of the results by the user's function, from those of the operands; None for integers."""
    b = current()
    leaves = call.args.leaves
    given = _filled(b, [dots[k] for k in leaves], [args[k] for k in leaves])
    types = [like(t, y) for t, y in zip(call.form.types, ys) if is_differentiable(t)]
    fn = call.derived.get("jvp")
    if fn is None:
        fn = TangentCall(named(call.of.jvp, f"{call.name}_jvp"), call.of, call.args, call.form)
        from .rules import TangentRule
        fn.rule = TangentRule(call)
        call.derived["jvp"] = fn
    if isinstance(call.of.jvp, Primitive):
        places: dict[int, int] = {}
        tree = cotangent_tree(call.form.tree, call.form.types, places)
        fn = _primitive_call(call, call.of.jvp, fn, Form(tree, tuple(call.form.types[k] for k in places)))
    found = iter(emitted(b, fn, [*given, *ys, *args], types))
    return [next(found) if is_differentiable(t) else None for t in call.form.types]
