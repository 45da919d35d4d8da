"""Calls of primitives with Tensors, or inside a function that runs on the tape: one node each.

The call is made as generated code makes it, for the types of the arguments at run time.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad
from ..autograd.state import STATE
from ..autograd.tensor import Tensor, wrap
from ..custom.opaque.calls import Arguments, CotangentCall, TangentCall, ValueCall, indices
from ..custom.opaque.convert import as_argument, as_result, flattened
from ..custom.opaque.primitive import Primitive
from ..custom.opaque.specs import Form, form_of
from ..ir.infer import type_of
from ..ir.opaque import filled
from ..ir.ops import Lit, Tree
from .array import TapedArray, taped
from .custom_functions import once
from .lift import lifted

__all__ = ["record"]


class _Leaves:
    """The leaves of some objects, with static parts apart."""

    def __init__(self) -> None:
        self.leaves: list[Any] = []
        self.statics: list[Lit] = []

    def tree(self, x: Any) -> Tree:
        if isinstance(x, tuple):
            return Tree("tuple", list(map(self.tree, x)), cls=None if type(x) is tuple else type(x))
        if type(x) is list:
            return Tree("list", list(map(self.tree, x)))
        if type(x) is dict:
            return Tree("dict", list(map(self.tree, x.values())), keys=list(x))
        if dataclasses.is_dataclass(x) and not isinstance(x, type):
            names = [f.name for f in dataclasses.fields(x)]
            return Tree("object", [self.tree(getattr(x, n)) for n in names], keys=list(names), cls=type(x))
        if isinstance(x, (bool, int, float, complex, np.ndarray, np.generic, Tensor, TapedArray)):
            self.leaves.append(x)
            return Tree("leaf", index=len(self.leaves) - 1)
        self.statics.append(Lit(x))
        return Tree("lit", index=len(self.statics) - 1)


def _raw(x: Any) -> Any:
    """A leaf as a number or an array."""
    if isinstance(x, TapedArray):
        value = x.tensor._array
        return value.item() if x.number is float else value[()] if x.number else value
    if isinstance(x, Tensor):
        return x._array if x._array.ndim else x._array[()]
    return x


class _Plan:
    """One call: its arguments, and after it has run its result."""

    def __init__(self, of: Primitive, args: Sequence[Any], kwargs: dict[str, Any]):
        found = _Leaves()
        inputs = [found.tree(x) for x in args]
        keywords = {name: found.tree(x) for name, x in kwargs.items()}
        self.of, self.given = of, found.leaves
        self.raw = [_raw(x) for x in found.leaves]
        places = [k for k in range(len(args)) if k not in of.nondiff_argnums]
        self.args = Arguments(inputs, keywords, found.statics, [type_of(x) for x in self.raw], places)
        self.inputs = list(self.args.leaves)
        for k, x in enumerate(found.leaves):
            if k not in self.inputs and _requires_grad(x):
                raise TypeError(f"an argument of {of.__name__} that is not differentiated requires grad. Hint: leave it out of "
                                "nondiff_argnums, or detach it")
        self.residuals: Any = None
        self.results: list[Any] = []

    def run(self, raw: Sequence[Any]) -> list[Any]:
        """Call the function; the leaves of its result."""
        of = self.of
        args = [filled(t, raw.__getitem__, lambda k: self.args.statics[k].value) for t in self.args.inputs]
        kwargs = {name: filled(t, raw.__getitem__, lambda k: self.args.statics[k].value) for name, t in self.args.keywords.items()}
        if of.fwd is not None:
            y, self.residuals = of.fwd(*args, **kwargs)
        else:
            y = of.fun(*args, **kwargs)
        form = form_of(y, of.__name__)
        leaves: list[Any] = []
        flattened(form.tree, y, "the result", leaves)
        self.form = Form(form.tree, tuple(type_of(x) for x in leaves))
        del y
        apart = [np.array(x) if isinstance(x, np.ndarray) else x for x in leaves]
        self.results = [as_result(x, t, raw, "the result") for x, t in zip(apart, self.form.types)]
        self.call = ValueCall(of.__name__, of, self.args, self.form, of.fwd is not None)
        return self.results

    def structured(self, leaves: Sequence[Any], trees: Sequence[Tree]) -> list[Any]:
        return [filled(t, leaves.__getitem__, lambda k: self.args.statics[k].value) for t in trees]

    def cotangents(self, raw: Sequence[Any], bars: Sequence[Any], wanted: Sequence[int]) -> list[Any]:
        """The cotangents of operands by the derivative on numbers."""
        call = CotangentCall(self.of.__name__, self.of, self.args, self.form, self.of.fwd is not None, wanted)
        values = [*bars, *([self.residuals] if self.of.fwd is not None else self.results), *raw]
        found = call.flat(*[as_argument(x, t) for x, t in zip(values, call.types)])
        return [found] if len(wanted) == 1 else list(found)

    def recorded_cotangents(self, raw: Sequence[Any], bars: Sequence[Any], results: Sequence[Any], wanted: Sequence[int]) -> list[Any]:
        """The same on the tape, so that they can be differentiated."""
        call = CotangentCall(self.of.__name__, self.of, self.args, self.form, False, wanted)
        given = self.structured([*bars, *results, *raw], call.inputs)
        with enable_grad():
            vjp: Callable[..., Any] = self.of.vjp if isinstance(self.of.vjp, Primitive) else lifted(self.of.vjp)
            found = vjp(*given, **dict(zip(call.keywords, self.structured([*bars, *results, *raw], list(call.keywords.values())))))
        if not isinstance(found, tuple) and len(self.args.differentiated) == 1:
            found = (found,)
        by_operand: dict[int, Any] = {}
        for n, entry in zip(self.args.differentiated, found):
            flat: list[Any] = []
            flattened(self.args.inputs[n], entry, "the cotangent", flat)
            by_operand.update(zip(indices(self.args.inputs[n]), flat))
        return [by_operand[k] for k in wanted]


def _requires_grad(x: Any) -> bool:
    tensor = x.tensor if isinstance(x, TapedArray) else x
    return isinstance(tensor, Tensor) and tensor.requires_grad


def _as_taped(tensor: Any, like: Any) -> Any:
    return TapedArray(tensor, False if isinstance(like, np.ndarray) else float if type(like) in (float, complex) else True)


class _Node(Function):
    """A call of a primitive."""

    @staticmethod
    def forward(ctx: Any, plan: _Plan, *tensors: Tensor) -> Any:
        found = plan.run(plan.raw)
        outputs = tuple(wrap(np.array(found[k])) for k in plan.call.active_results)
        ctx.plan = plan
        ctx.save_for_backward(*tensors, *outputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, *bars: Any) -> Any:
        plan = ctx.plan
        saved = ctx.saved_tensors
        n = len(plan.inputs)
        wanted = [k for k, needed in zip(plan.inputs, ctx.needs_input_grad[1:]) if needed]
        entries = None
        why = ""
        if STATE.grad and plan.of.vjp is not None:
            try:
                entries = _recorded(plan, saved[:n], saved[n:], bars, wanted)
            except Exception as error:
                why = f": {type(error).__name__}: {error}"
        if entries is None:
            numbers = [np.conj(b._array) if b._array.ndim else np.conj(b._array[()]) for b in bars]
            if plan.of.vjp is None and plan.of.bwd is None:
                raise NotImplementedError(f"{plan.of.__name__} has no reverse derivative on the tape. Hint: pass vjp= to tg.primitive")
            found = plan.cotangents(plan.raw, numbers, wanted)
            reason = (f"the derivative of {plan.of.__name__} cannot be differentiated on the tape{why}. Hint: make its vjp a tg.primitive "
                      "with its own derivative")
            entries = once(tuple(wrap(np.conj(np.asarray(e))) for e in found), [*saved, *bars], reason)
        by_operand = dict(zip(wanted, entries))
        return (None, *(by_operand.get(k) for k in plan.inputs))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        plan = ctx.plan
        if plan.of.jvp is None:
            raise NotImplementedError(f"{plan.of.__name__} has no forward derivative on the tape. Hint: pass jvp= to tg.primitive")
        call = TangentCall(plan.of.__name__, plan.of, plan.args, plan.form)
        dots = [np.zeros_like(plan.raw[k]) if t is None else t._array for k, t in zip(plan.inputs, tangents)]
        found = call.flat(*[as_argument(x, t) for x, t in zip([*dots, *plan.results, *plan.raw], call.types)])
        return tuple(wrap(np.asarray(t)) for t in (found if len(plan.call.active_results) > 1 else [found]))


def _recorded(plan: _Plan, inputs: Sequence[Any], outputs: Sequence[Any], bars: Sequence[Any], wanted: Sequence[int]) -> tuple[Any, ...]:
    """The cotangents, recorded."""
    raw, results = list(plan.raw), list(plan.results)
    for k, t in zip(plan.inputs, inputs):
        raw[k] = _as_taped(t, raw[k])
    own = plan.call.active_results
    for k, t in zip(own, outputs):
        results[k] = _as_taped(t, results[k])
    given = [_as_taped(b.conj() if b.is_complex() else b, plan.results[k]) for k, b in zip(own, bars)]
    made = []
    for e, k in zip(plan.recorded_cotangents(raw, given, results, wanted), wanted):
        t = e.tensor if isinstance(e, TapedArray) else wrap(np.zeros_like(plan.raw[k]) if e is None else np.asarray(e))
        if tuple(t.shape) != np.shape(plan.raw[k]):
            raise ValueError(f"a cotangent has the shape {tuple(t.shape)}, not {np.shape(plan.raw[k])}")
        made.append(t.conj() if t.is_complex() else t)
    return tuple(made)


def record(of: Primitive, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call a primitive with arguments of which some are recorded."""
    plan = _Plan(of, args, kwargs)
    in_function = any(isinstance(x, TapedArray) for x in plan.given)
    tensors = [x.tensor if isinstance(x, TapedArray) else x if isinstance(x, Tensor) else wrap(np.asarray(x))
               for x in (plan.given[k] for k in plan.inputs)]
    outputs = _Node.apply(plan, *tensors)
    results = list(plan.results)
    for k, t in zip(plan.call.active_results, outputs if isinstance(outputs, tuple) else (outputs,)):
        like = results[k]
        number = False if isinstance(like, np.ndarray) else float if type(like) in (float, complex) else True
        results[k] = taped(t, number) if in_function else t
    return filled(plan.form.tree, results.__getitem__, lambda k: None)
