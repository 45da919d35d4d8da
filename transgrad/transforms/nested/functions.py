"""Transformations called inside a function that is being compiled: ``tg.grad(g)(x)``, ``tg.jvp(…)``, a module's derivatives.

The function to be differentiated is lowered into a function of its own (*outlined*), with its free variables as further
parameters; the transformation is applied to its IR, and the result is called.  The output can then be differentiated like any
other code, in any nesting.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntax
from ...frontend.calls import hooks
from ...frontend.calls.dispatch import call_abstract
from ...frontend.calls.outline import Outlined, callee_name, invoke, positional_names
from ...frontend.containers.iterables import static_items
from ...frontend.context import KEPT
from ...frontend.domain.abstract import InCompiler, SIter, STuple
from ...frontend.expressions.operations import call
from ...frontend.expressions.subscripts import read_item
from ...frontend.returns import from_tree
from ...ir.effects import is_mutable
from ...ir.ops import Function, Lit, Operand, Tree, Value
from ...ir.types import Arr, Num, RecordT, TupleT, Type, is_differentiable
from ...passes.ad.split import CallPair, split_call
from ...passes.analysis.alias import summarize
from ...runtime import zeros_of
from ...services import forward_jacobian, gradient
from ..batched import Vmapped
from ..checkpointing import Checkpointed, checkpoint, checkpointed
from ..compiling import check_result
from ..container_shadows import making_shadows
from ..derivative import BoundDerivative, Derivative
from ..jacobian.jacobians import Hessian, Jacobian
from ..transformations import Forward, Kind, Primal, Product, Reverse, Target
from .batch import PendingBatch, call_batch, call_vmapped

__all__ = ["Pending"]


@dataclass(frozen=True, repr=False)
class Pending(InCompiler):
    """A derivative that exists while compiling: what ``tg.grad(g)`` is inside a function; without ``callee``, ``tg.grad(…)`` as a
    decorator."""

    said = "a derivative that is made here"
    kind: Kind
    callee: Any
    argnums: Any = 0
    argnames: Any = None


@dataclass(frozen=True, repr=False)
class Pullback(InCompiler):
    """The pullback that ``tg.vjp`` returns inside a function: a call of it is one of the backward half."""

    said = "the pullback that tg.vjp returns"
    pair: CallPair
    backward: Function
    outs: tuple[Value, ...]
    residuals: tuple[Value, ...]
    operands: tuple[Operand, ...]
    count: int
    returns: Tree
    #: containers whose shadows the backward half makes → zeros in the structure that they had after the call
    models: dict[int, Operand]


@dataclass(frozen=True, repr=False)
class PendingCheckpoint(InCompiler):
    """What ``tg.checkpoint(g)`` is inside a function."""

    said = "what tg.checkpoint makes"
    callee: Any


@dataclass(frozen=True, repr=False)
class Linear(InCompiler):
    """The linear function that ``tg.linearize`` returns inside a function; if it has saved residuals, the call is outlined."""

    said = "the linear function that tg.linearize returns"
    callee: Any
    primals: tuple[Any, ...]
    kept: Outlined | None = None


def _static(x: Any, what: str) -> Any:
    """The value of an option, which has to be known at compile time."""
    if isinstance(x, STuple):
        return tuple(_static(item, what) for item in x.items)
    if isinstance(x, Lit):
        return x.value
    raise UnsupportedSyntax(f"{what} of a transformation is not known when compiling", None, "write it as a constant")


def _chosen(pending: Pending, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[int | str], bool]:
    """The differentiated arguments of a call: positions and keywords."""
    names = positional_names(pending.callee)

    def place(key: int | str) -> int | str:
        if isinstance(key, str):
            if key in kwargs:
                return key
            key = names.index(key) if key in names else len(args)
        elif key < 0:
            key += len(names)
        if 0 <= key < len(args):
            return key
        if key < len(names) and names[key] in kwargs:
            return names[key]
        raise TypeError(f"{callee_name(pending.callee)} is called without the argument that is to be differentiated")

    keys = pending.argnames if pending.argnames is not None else pending.argnums
    single = not isinstance(keys, (tuple, list, range))
    return [place(k) for k in ((keys,) if single else keys)], single


# -- handlers of the front end

def _call_pending(ctx: Any, pending: Pending, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``tg.grad(g)(x)``."""
    if pending.callee is None:
        return Lit(replace(pending, callee=args[0]))
    if isinstance(pending.kind, Primal):
        return call_abstract(ctx, pending.callee, args, kwargs, node)
    chosen, single = _chosen(pending, args, kwargs)
    outlined = Outlined(ctx, pending.callee, args, kwargs, chosen, node)
    fn = outlined.function
    check_result(pending.kind, fn.name, fn)
    out = pending.kind.transform(fn, Target(tuple(outlined.slots), single))
    out.name = pending.kind.prefix + fn.name
    return outlined.call(out)


def _call_derivative(ctx: Any, derivative: Derivative, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A derivative made outside of the function."""
    name = getattr(derivative.primal, "__name__", "function")
    callee = Lit(derivative.primal, ctx.bind(name if name.isidentifier() else "function", derivative.primal))
    argnums: Any = derivative.argnums
    if derivative.skip:     # a method's: the instance does not count
        single = isinstance(argnums, int)
        argnums = [n + derivative.skip if n >= 0 else n for n in ((argnums,) if single else argnums)]
        argnums = argnums[0] if single else argnums
    return _call_pending(ctx, Pending(derivative.kind, callee, argnums, derivative.argnames), args, kwargs, node)


def _call_bound(ctx: Any, bound: BoundDerivative, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A derivative that is a method of an object known at compile time."""
    held = Lit(bound.__self__, ctx.bind(type(bound.__self__).__name__.lower(), bound.__self__))
    return _call_derivative(ctx, bound.__func__, [held, *args], kwargs, node)


def _maker(make: Any) -> Any:
    """The handler of ``tg.grad`` and its relatives, whose function may be known only while compiling."""
    def handler(ctx: Any, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        options = {name: _static(value, name) for name, value in kwargs.items() if name != "f"}
        callee = kwargs.get("f", args[0] if args else None)
        if isinstance(callee, Lit) and callee.value is None:
            callee = None               # a decorator with arguments
        argnums = options.get("argnums", _static(args[1], "argnums") if len(args) > 1 else 0)
        return Lit(Pending(make(options), callee, argnums, options.get("argnames")))
    return handler


def _call_checkpointed(ctx: Any, held: Checkpointed, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call that is made again in the reverse sweep: a function of its own."""
    name = getattr(held.primal, "__name__", "function")
    callee = Lit(held.primal, ctx.bind(name if name.isidentifier() else "function", held.primal))
    return Outlined(ctx, callee, args, kwargs, (), node).call_again()


def _checkpoint(ctx: Any, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """The handler of ``tg.checkpoint``, called inside of a function."""
    return Lit(PendingCheckpoint(args[0]))


def _call_pending_checkpoint(ctx: Any, held: PendingCheckpoint, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    return Outlined(ctx, held.callee, args, kwargs, (), node).call_again()


def _checkpointed(ctx: Any, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """The handler of ``tg.checkpointed``."""
    named = dict(zip(("iterable", "snapshots"), args)) | kwargs
    return SIter("checkpointed", named["iterable"], _static(named.get("snapshots", Lit(0)), "snapshots"))


def _batch(ctx: Any, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """The handler of ``tg.vmap``."""
    named = dict(zip(("f", "in_axes", "out_axes"), args)) | kwargs
    callee = named.get("f")
    callee = None if isinstance(callee, Lit) and callee.value is None else callee
    settings = [_static(named.get(name, Lit(default)), name) for name, default in (("in_axes", 0), ("out_axes", 0), ("axis_size", None))]
    return Lit(PendingBatch(callee, *settings))


def _aux(options: dict[str, Any]) -> dict[str, Any]:
    return {"has_aux": bool(options.get("has_aux", False)), "holomorphic": bool(options.get("holomorphic", False))}


def _items(ctx: Any, x: Any, node: Any) -> list[Any]:
    """The items of a tuple of primals or tangents."""
    items = static_items(ctx, x)
    if items is None:
        raise UnsupportedSyntax("the number of primals is not known when compiling", ctx.at(node), "write them as a tuple")
    return list(items)


def _along(kind: Kind) -> Any:
    """The handler of ``tg.jvp`` and ``tg.hvp``."""
    def handler(ctx: Any, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        named = dict(zip(("f", "primals", "tangents", "has_aux"), args)) | kwargs
        primals, tangents = _items(ctx, named["primals"], node), _items(ctx, named["tangents"], node)
        chosen = kind if not _static(named.get("has_aux", Lit(False)), "has_aux") else Forward(True)
        outlined = Outlined(ctx, named["f"], primals, {}, range(len(primals)), node)
        return outlined.call(_transformed(outlined, chosen), [ctx.escape(t, node) for t in tangents])
    return handler


def _transformed(outlined: Outlined, kind: Kind) -> Function:
    """The derivative of an outlined function in all arguments."""
    fn = outlined.function
    check_result(kind, fn.name, fn)
    out = kind.transform(fn, Target(tuple(outlined.slots), False))
    out.name = kind.prefix + fn.name
    return out


def _vjp(ctx: Any, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """The handler of ``tg.vjp``."""
    callee, *primals = args
    if _static(kwargs.get("has_aux", Lit(False)), "has_aux"):
        return NotImplemented
    outlined = Outlined(ctx, callee, primals, {}, range(len(primals)), node)
    fn = outlined.function
    diff = tuple(k for k, y in enumerate(fn.body.yields) if is_differentiable(y.type))
    frozen: list[tuple[Any, ...]] = [(), (), ()]
    if KEPT in ctx.program.sites:
        frozen = [_mutable(fn.params), _mutable(fn.body.yields), tuple(summarize(fn).held)]
    pair = split_call(fn, tuple(range(len(primals))), diff, frozen[0], frozen[1], outside=frozen[2])
    found = outlined.invoke(pair.forward, outlined.operands)
    outs, residuals = tuple(found[:len(fn.body.yields)]), tuple(found[len(fn.body.yields):])
    models = {k: _zeros(ctx, outlined.operands[k], node) for kind, k in pair.inputs if kind == "shadow" and _holds(outlined.operands[k])}
    backward = making_shadows(pair.backward, [pair.inputs.index(("shadow", k)) for k in models]) if models else pair.backward
    backward.attrs.read_later = tuple(k for k, (kind, _) in enumerate(pair.inputs) if kind not in ("cotangent", "shadow"))
    pullback = Pullback(pair, backward, outs, residuals, tuple(outlined.operands), len(primals), fn.returns, models)
    return ctx.tuple([from_tree(ctx, fn.returns, outs), Lit(pullback)])


def _mutable(values: Sequence[Operand]) -> tuple[int, ...]:
    """The indices of the mutable values."""
    return tuple(k for k, v in enumerate(values) if isinstance(v, Value) and is_mutable(v.type))


def _call_pullback(ctx: Any, pullback: Pullback, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``pullback(cotangent)``: a tuple with one entry a primal."""
    bars: dict[int, Operand] = {}
    _cotangents(ctx, pullback, pullback.returns, args[0], bars, node)
    shadows = {k: pullback.models[k] if k in pullback.models else ctx.operand(call(ctx, np.zeros_like, [pullback.operands[k]], node=node))
               for kind, k in pullback.pair.inputs if kind == "shadow"}
    held: dict[str, Any] = {"residual": pullback.residuals, "param": pullback.operands, "result": pullback.outs, "cotangent": bars,
                            "shadow": shadows}
    given = [held[kind][k] for kind, k in pullback.pair.inputs]
    results = invoke(ctx, pullback.backward, given)
    entries: dict[tuple[int, tuple[int, ...]], Any] = {(k, ()): v for k, v in shadows.items()}
    entries.update(zip([*pullback.pair.outputs, *((k, ()) for k in pullback.models)], results))
    return ctx.tuple([_entry(ctx, pullback.operands[k].type, k, (), entries) for k in range(pullback.count)])


def _holds(x: Operand) -> bool:
    return not isinstance(x.type, (Arr, Num))


def _zeros(ctx: Any, x: Operand, node: Any) -> Operand:
    made: Operand = ctx.operand(call(ctx, zeros_of, [x], type=x.type, node=node))
    return made


def _cotangents(ctx: Any, pullback: Pullback, tree: Tree, given: Any, bars: dict[int, Operand], node: Any) -> None:
    """The cotangent of each result, from one in the structure of the return value."""
    if tree.kind == "leaf":
        given = _of_precision(ctx, given, pullback.outs[tree.index].type, node)
        bars[tree.index] = ctx.escape(_conjugate(ctx, given, node), node)
        return
    for k, item in enumerate(tree.items):
        part = read_item(ctx, given, Lit(tree.keys[k] if tree.kind == "dict" else k), node)
        _cotangents(ctx, pullback, item, part, bars, node)


def _of_precision(ctx: Any, x: Any, t: Type, node: Any) -> Any:
    """A cotangent in the dtype of the result it belongs to, where both are real arrays or NumPy's numbers."""
    have = getattr(x, "type", None)
    if not isinstance(t, Arr) or not isinstance(have, Arr) or have.dtype == t.dtype or t.dtype[0] != "f" or have.dtype[0] not in "fiu":
        return x
    dtype = Lit(getattr(np, t.dtype), f"np.{t.dtype}")
    return call(ctx, np.ndarray.astype, [x, dtype], node=node) if have.dims else call(ctx, dtype.value, [x], node=node)


def _conjugate(ctx: Any, x: Any, node: Any) -> Any:
    """The conjugate of a complex value: the halves of a pair know of none (see `transgrad.rules`)."""
    t = getattr(x, "type", None)
    is_complex = (isinstance(t, Arr) and t.dtype[0] == "c") or (isinstance(t, Num) and t.kind == "complex")
    return call(ctx, np.conj, [x], node=node) if is_complex else x


def _entry(ctx: Any, t: Type, k: int, path: tuple[int, ...], entries: dict[tuple[int, tuple[int, ...]], Any]) -> Any:
    """The cotangent of a primal, in its structure."""
    if not isinstance(t, (TupleT, RecordT)) or (k, path) in entries:
        return _conjugate(ctx, entries.get((k, path), Lit(0.0)), None)
    items: list[Any] = [_entry(ctx, e, k, (*path, n), entries) if is_differentiable(e) else Lit(None) for n, e in enumerate(t.elems)]
    if isinstance(t, TupleT) and t.cls is not list:
        return ctx.tuple(items, t.cls)
    keys = list(t.keys) if isinstance(t, RecordT) else []
    kind = "list" if isinstance(t, TupleT) else "dict" if t.cls is dict else "object"
    leaves = [Tree("leaf", index=n) for n in range(len(items))]
    return from_tree(ctx, Tree(kind, leaves, keys=keys, cls=t.cls if kind == "object" else None), items)


def _linearize(ctx: Any, obj: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """The handler of ``tg.linearize``."""
    callee, *primals = args
    value = call_abstract(ctx, callee, primals, {}, node)
    kept = _kept(ctx, callee, primals, node) if KEPT in ctx.program.sites else None
    return ctx.tuple([value, Lit(Linear(callee, tuple(primals), kept))])


def _kept(ctx: Any, callee: Any, primals: list[Any], node: Any) -> Outlined:
    """A call with copies of the arrays that it is given and of those that it takes from around it."""
    kept = Outlined(ctx, callee, [_as_now(ctx, a, node) for a in primals], {}, range(len(primals)), node)
    kept.operands[len(primals):] = [_as_now(ctx, a, node) for a in kept.operands[len(primals):]]
    others = [a for a in kept.operands if isinstance(a, Value) and is_mutable(a.type) and not isinstance(a.type, (Arr, TupleT))]
    if others or summarize(kept.function).held:
        raise UnsupportedSyntax("a value that the function passed to tg.linearize reads may be written to before the linear function is "
                                "called",
                                ctx.at(node), "give it arrays as arguments, or use tg.jvp")
    return kept


def _as_now(ctx: Any, x: Any, node: Any) -> Any:
    """A copy of an array, or of those in a tuple."""
    if isinstance(x, STuple):
        return ctx.tuple([_as_now(ctx, item, node) for item in x.items], x.cls)
    t = getattr(x, "type", None)
    return ctx.operand(call(ctx, np.ndarray.copy, [x], node=node)) if isinstance(t, Arr) and not t.scalar else x


def _call_linear(ctx: Any, linear: Linear, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``f_dot(*tangents)``."""
    outlined = linear.kept or Outlined(ctx, linear.callee, linear.primals, {}, range(len(linear.primals)), node)
    out = _transformed(outlined, Forward())
    out.attrs.read_later = tuple(range(len(outlined.operands)))
    return read_item(ctx, outlined.call(out, [ctx.escape(t, node) for t in args]), Lit(1), node)


def install(api: Any) -> None:
    """Tell the front end how to lower calls of the transformations, which are the attributes of ``api``."""
    hooks.register(gradient, _maker(lambda o: Reverse(False)))
    hooks.register(forward_jacobian, _maker(lambda o: Jacobian("forward")))
    hooks.register(api.grad, _maker(lambda o: Reverse(False, **_aux(o))))
    hooks.register(api.value_and_grad, _maker(lambda o: Reverse(True, **_aux(o))))
    hooks.register(api.jacrev, _maker(lambda o: Jacobian("reverse", **_aux(o))))
    hooks.register(api.jacfwd, _maker(lambda o: Jacobian("forward", **_aux(o))))
    hooks.register(api.jacobian, _maker(lambda o: Jacobian("either", **_aux(o))))
    hooks.register(api.hessian, _maker(lambda o: Hessian(**_aux(o))))
    hooks.register(api.compile, _maker(lambda o: Primal()))
    hooks.register(api.jvp, _along(Forward()))
    hooks.register(api.hvp, _along(Product()))
    hooks.register(api.vjp, _vjp)
    hooks.register_type(Pending, _call_pending)
    hooks.register(api.linearize, _linearize)
    hooks.register_type(Pullback, _call_pullback)
    hooks.register_type(Linear, _call_linear)
    hooks.register(api.vmap, _batch)
    hooks.register(checkpoint, _checkpoint)
    hooks.register(checkpointed, _checkpointed)
    hooks.register_type(Checkpointed, _call_checkpointed)
    hooks.register_type(PendingCheckpoint, _call_pending_checkpoint)
    hooks.register_type(PendingBatch, call_batch)
    hooks.register_type(Vmapped, call_vmapped)
    hooks.register_type(Derivative, _call_derivative)
    hooks.register_type(BoundDerivative, _call_bound)
