"""``vmap`` inside a function that is being compiled: ``tg.vmap(g)(x)``."""
from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

from ...errors import UnsupportedSyntax
from ...frontend.calls.outline import Outlined
from ...frontend.domain.abstract import InCompiler
from ...ir.ops import Lit
from ...ir.types import Arr, Dim, RecordT, TupleT, Type
from ...passes.batch.entry import batched
from ..batched import Vmapped

__all__ = ["PendingBatch", "call_batch", "call_vmapped"]

_COUNT = itertools.count()


@dataclass(frozen=True, repr=False)
class PendingBatch(InCompiler):
    """What ``tg.vmap(g)`` is inside a function."""

    said = "what tg.vmap makes"
    callee: Any
    in_axes: Any
    out_axes: Any
    axis_size: int | None


def call_vmapped(ctx: Any, vmapped: Vmapped, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call of what ``vmap`` made outside of the function."""
    name = getattr(vmapped.primal, "__name__", "function")
    callee = Lit(vmapped.primal, ctx.bind(name if name.isidentifier() else "function", vmapped.primal))
    axes = vmapped.in_axes
    if vmapped.skip:        # a method's: the instance does not count
        axes = (*[None] * vmapped.skip, *(axes if isinstance(axes, (list, tuple)) else [axes] * (len(args) - vmapped.skip)))
    return call_batch(ctx, PendingBatch(callee, axes, vmapped.out_axes, vmapped.axis_size), args, kwargs, node)


def call_batch(ctx: Any, pending: PendingBatch, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``tg.vmap(g)(x)``."""
    if pending.callee is None:
        return Lit(replace(pending, callee=args[0]))
    given = pending.in_axes
    if isinstance(given, (list, tuple)) and len(given) != len(args):
        raise ValueError(f"vmap in_axes has {len(given)} entries, but the function is called with {len(args)} arguments")
    spread: dict[int | str, Any] = {k: given[k] if isinstance(given, (list, tuple)) else given for k in range(len(args))}
    spread.update(dict.fromkeys(kwargs, 0))
    chosen = [key for key, axis in spread.items() if axis is not None]
    if not chosen:
        raise UnsupportedSyntax("vmap of a function none of whose arguments has an axis of examples", ctx.at(node), "call it once")
    axes: dict[int | str, list[int | None]] = {}
    types: dict[int | str, Type] = {}
    dims: list[Dim] = []

    def one(key: int | str, t: Type) -> Type:
        types[key] = t
        return _of_one(t, spread[key], axes.setdefault(key, []), dims)

    outlined = Outlined(ctx, pending.callee, args, kwargs, chosen, node, retype=one)
    fn = outlined.function
    named = {key: slot.name for key, slot in zip(chosen, outlined.slots)}
    dim = dims[0] if dims[0].sym is not None else Dim(dims[0].one, ("<batch>", "inside", next(_COUNT)))
    out = batched(fn, {named[k]: axes[k] for k in chosen}, {named[k]: types[k] for k in chosen}, pending.out_axes, dim, None)
    out.name = f"vmap_{fn.name}"
    return outlined.call(out)


def _of_one(t: Type, axis: Any, axes: list[int | None], dims: list[Dim]) -> Type:
    """The type of one example of an argument; ``axes`` gets an entry a leaf, ``dims`` the dimensions that go."""
    if isinstance(t, (TupleT, RecordT)):
        keys: Any = t.keys if isinstance(t, RecordT) else range(len(t.elems))
        parts = [axis[k] if isinstance(axis, (list, tuple, dict)) else axis for k in keys]
        elems = tuple(_of_one(e, a, axes, dims) for e, a in zip(t.elems, parts))
        return replace(t, elems=elems)
    axes.append(axis)
    if axis is None:
        return t
    if not isinstance(t, Arr) or not -len(t.dims) <= axis < len(t.dims):
        raise ValueError(f"vmap: an argument of type {t} has no axis {axis} of examples")
    at = axis % len(t.dims)
    dims.append(t.dims[at])
    rest = (*t.dims[:at], *t.dims[at + 1:])
    return Arr(t.dtype, rest, scalar=not rest)
