"""Run refused calls on the tape.

The result type of a refused function is not known at compile time. So the function that calls it first runs as a whole on the tape,
which observes the result of each call. After that, only the refused call runs on the tape. The code around it is compiled for the
observed types, which the tape checks at each call.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...errors import TransgradError
from ...ir.forms import parse, types_of
from ...ir.leaves import leaf_types
from ...ir.observed import Observed, Site, Taped, current
from ...ir.ops import Call, Lit, Value
from ...ir.types import Arr, Num, Obj, RecordT, TupleT, Type, is_differentiable
from ...runtime import tape
from ..context import Lowering, Restart
from ..domain.abstract import SDict, SList, STuple
from ..domain.contents import Contents
from ..domain.external_state import disturb_outside
from ..expressions.operations import call as operation
from ..returns import from_tree

__all__ = ["attempt", "known_result"]


def site_of(ctx: Lowering, fn: Any, node: Any) -> Site | None:
    """The place of a call; None if the call is not one of the user's text."""
    if not hasattr(node, "lineno"):
        return None
    loc = ctx.at(node)
    return Site(fn.__code__, loc.file, loc.line, None if loc.end_col is None else loc.end_col - loc.col)


def attempt(ctx: Lowering, func: Lit, fn: Any, args: list[Any], kwargs: dict[str, Any], node: Any, compile: Any) -> Any:
    """The value of a call by ``compile()``; where that refuses, by a call on the tape, if enough is known of it."""
    observed, site = current(), site_of(ctx, fn, node)
    if observed is None or site is None:
        return compile()
    if site in ctx.program.sites:
        found = _taped(ctx, func, args, kwargs, node, observed, site)
        if found is not None:
            return found
    try:
        return compile()
    except TransgradError as refusal:
        if site in ctx.program.sites or not refusal.for_tape:
            raise
        observed.refused.setdefault(site, refusal)
        if observed.calls.get(site) is not None:
            raise Restart([site]) from None
        raise


def known_result(ctx: Lowering, func: Lit, fn: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """The result of a call of an unsupported function without differentiated arguments, if its type was observed; else NotImplemented."""
    observed, site = current(), site_of(ctx, fn, node)
    seen = observed.calls.get(site) if observed is not None and site is not None else None
    if seen is None or seen[1] or not isinstance(form := parse(seen[0]), (Num, Arr)) or form == Num("bool") or "returns" in kwargs:
        return NotImplemented
    result = Value(form)
    ctx.bind("tape", tape)
    ctx.emit(Call(tape.call, [func, *(ctx.escape(x, node) for x in args)],
                  {**{k: ctx.escape(x, node) for k, x in kwargs.items()}, "returns": Lit(seen[0])}, "tape.call", results=[result]))
    disturb_outside(ctx)
    return result


def _taped(ctx: Lowering, func: Lit, args: list[Any], kwargs: dict[str, Any], node: Any, observed: Observed, site: Site) -> Any:
    """The call on the tape; None if it cannot be written."""
    from .dispatch import varied
    seen = observed.calls[site]
    named: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    if seen is None or not {"returns", "wrt", "writes"}.isdisjoint(kwargs):
        return None
    leaves = {key: _leaves(ctx, x) if varied(ctx, x) else [] for key, x in named.items()}
    if any(leaves[key] is None or not isinstance(x, (Value, Lit, STuple, SList, SDict)) for key, x in named.items()):
        return None
    form, written = seen
    held = {key: ctx.operand(x, node) if leaves[key] else ctx.escape(x, node) for key, x in named.items()}
    if not all(isinstance(held[key], Value) and isinstance(held[key].type, Arr) for key in written):
        return None
    options: dict[str, Any] = {"returns": Lit(form)}
    wrt = tuple(key for key in named if leaves[key] and held[key].varied)
    if any(key not in wrt and _may_hold_floats(held[key].type) for key in named):
        options["wrt"] = Lit(wrt[0] if len(wrt) == 1 else wrt)
    if written:
        options["writes"] = Lit(written[0] if len(written) == 1 else written)
    tree, types = types_of(parse(form))
    results = [Value(t, None, is_differentiable(t)) for t in types]
    new = [Value(held[key].type, getattr(held[key], "name", None), True) for key in written]
    token = Value(TupleT(tuple(t for key in wrt for t in leaves[key] or ())), None, True)
    ctx.bind("tape", tape)
    call = Call(tape.vjp, [func, *(held[k] for k in range(len(args)))], {**{k: held[k] for k in kwargs}, **options}, "tape.vjp",
                results=[*results, *new, token])
    ctx.emit(call)
    disturb_outside(ctx)
    for key, value in zip(written, new):
        operation(ctx, operator.setitem, [held[key], Lit(Ellipsis), value], node=node)
    for r in results:
        if isinstance(r.type, Arr) and not r.varied:
            ctx.sharing.foreign(r)      # it may be a table of a module's
    taped = ctx.program.taped
    taped[site] = Taped(func.text or site.code.co_name, ctx.at(node), observed.refused[site])
    return from_tree(ctx, tree, results)


def _leaves(ctx: Lowering, x: Any) -> list[Type] | None:
    """The types of the floats in an argument, in the order of `transgrad.tree`; None if they cannot be told."""
    if isinstance(x, Value):
        return _of_type(x.type)
    if isinstance(x, Lit):
        return _of_type(x.type) if isinstance(x.value, (float, complex, np.ndarray, np.generic)) else []
    items: Any = None
    if isinstance(x, STuple):
        items = x.items
    elif isinstance(x, (SList, SDict)):
        contents = ctx.contents(x)
        if not isinstance(contents, Contents):
            return _leaves(ctx, contents)
        items = contents.items
        if isinstance(x, SDict):
            if not all(isinstance(k, Lit) and isinstance(k.value, str) for k, _ in items):
                return None
            items = [v for _, v in sorted(items, key=lambda item: str(item[0].value))]
    if items is None:
        return None
    found = [_leaves(ctx, item) for item in items]
    return None if any(part is None for part in found) else [t for part in found for t in part or ()]


def _of_type(t: Type) -> list[Type] | None:
    """The types of the floats in a value at run time."""
    if isinstance(t, (Num, Arr)):
        return [t] if (t.kind == "float" if isinstance(t, Num) else t.dtype[0] == "f") else None if is_differentiable(t) else []
    if isinstance(t, TupleT) and t.cls is None or isinstance(t, RecordT) and t.cls is dict and all(type(k) is str for k in t.keys):
        parts = [_of_type(e) for e in t.elems]
        return None if any(part is None for part in parts) else leaf_types(t)
    return None if is_differentiable(t) else []


def _may_hold_floats(t: Type) -> bool:
    return not (isinstance(t, Num) and t.kind in ("int", "bool") or isinstance(t, Arr) and t.dtype[0] in "biu"
                or isinstance(t, Obj) and t.cls is not None and t.cls in (str, type(None), type, bytes))


