"""Matches the arguments of a call with the parameters of a function."""
from __future__ import annotations

import operator
from typing import Any

import gast

from ...ir.numpy_signatures import library_signature
from ...ir.ops import Lit, Star, Value
from ...ir.prims import unpack
from ...ir.types import DictT, ListT, RecordT, TupleT
from ..containers import iterables
from ..containers.displays import new_dict, tuple_of
from ..context import Lowering, elem_of
from ..domain.abstract import SDict, SNamespace, STuple
from ..domain.contents import Contents
from ..expressions import dispatch as expressions
from ..expressions.operations import call, strip
from ..expressions.subscripts import read_item
from ..objects.builtin_bases import plain_data
from ..objects.generator_records import is_iterator
from ..objects.instance_dicts import as_dict
from ..refusals import refuse

__all__ = ["bind", "call_arguments", "in_places"]


#: The keyword that stands for ``**d`` with a dict whose keys are not known: the callee's parameters are looked up in it.
SPREAD = "**"


def in_places(fn: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a library function with those that it needs in their places: ``np.stack(arrays=rows)`` is ``np.stack(rows)``."""
    if not kwargs or any(isinstance(a, Star) for a in args) or not (getattr(fn, "__module__", None) or "").startswith(("numpy", "scipy")):
        return args, kwargs
    try:
        parameters = list(library_signature(fn).parameters.values())
    except (TypeError, ValueError):     # some compiled functions have none
        return args, kwargs
    args, kwargs = list(args), dict(kwargs)
    for k, p in enumerate(parameters[len(args):], len(args)):
        if p.kind is not p.POSITIONAL_OR_KEYWORD or p.name not in kwargs or k and p.default is not p.empty:
            break
        args.append(kwargs.pop(p.name))
    return args, kwargs


def call_arguments(ctx: Lowering, node: Any) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call node: positional ones (a `Star` where a length is not known) and keywords."""
    expr = expressions.expr
    args: list[Any] = []
    for n, a in enumerate(node.args):
        if isinstance(a, gast.Starred):
            if isinstance(a.value, gast.GeneratorExp):      # all of its items are wanted here
                from ..expressions.comprehensions import list_comp
                held = list_comp(ctx, a.value)
            else:
                held = expr(ctx, a.value)
            items = iterables.static_items(ctx, held)
            if items is None and is_iterator(ctx, held):
                held = iterables.collect(ctx, held, node)
                items = iterables.static_items(ctx, held)
            if items is None and isinstance(held, Value) and isinstance(strip(held.type), ListT) and _may_write(node, n):
                held = call(ctx, list, [held], spelling="list", node=node)
            args.extend(items if items is not None else [Star(held)])
        else:
            args.append(expr(ctx, a))
    kwargs: dict[str, Any] = {}
    for k in node.keywords:
        if k.arg is not None:
            kwargs[k.arg] = expr(ctx, k.value)
        else:
            held = expr(ctx, k.value)
            if isinstance(held, Value) and isinstance(strip(held.type), DictT):
                kwargs[SPREAD] = held
            else:
                kwargs.update(mapping_items(ctx, held, node))
    return args, kwargs


def _may_write(node: Any, n: int) -> bool:
    """Whether the arguments of a call behind one may change what that one is."""
    behind = [*node.args[n + 1:], *(k.value for k in node.keywords)]
    return any(isinstance(part, (gast.Call, gast.NamedExpr, gast.Await)) for b in behind for part in gast.walk(b))


def mapping_items(ctx: Lowering, held: Any, node: Any) -> dict[str, Any]:
    """The items of ``**held``, which must have known keys."""
    if isinstance(held, SNamespace):
        held = as_dict(ctx, held, node)
    if (data := plain_data(ctx, held, node, "keys")) is not None:
        held = data
    if isinstance(held, SDict):
        contents = ctx.contents(held)
        if isinstance(contents, Contents):
            return {key.value: value for key, value in contents.items}
        held = ctx.operand(held)
    if isinstance(held, Lit) and isinstance(held.value, dict):
        return {k: read_item(ctx, held, Lit(k), node) for k in held.value}
    t = strip(held.type) if isinstance(held, Value) else None
    if isinstance(t, RecordT) and t.cls is dict:
        return {str(k): read_item(ctx, held, Lit(k), node) for k in t.keys}
    refuse("unpack", ctx.at(node), "the mapping after **")


def bind(ctx: Lowering, spec: Any, defaults: list[Any], kwdefaults: list[Any], args: list[Any], kwargs: dict[str, Any], name: str,
         node: Any) -> dict[str, Any]:
    """What each parameter of ``spec`` (an arguments node) holds; defaults are abstract values, aligned as in the node."""
    positional = [a.id for a in (*spec.posonlyargs, *spec.args)]
    args = _spread(ctx, list(args), positional, kwargs, bool(spec.vararg), len(defaults), node)
    rest = dict(kwargs)
    spread = rest.pop(SPREAD, None)
    out: dict[str, Any] = {}
    for p, a in zip(positional, args):
        out[p] = a
    extra = args[len(positional):]
    if spec.vararg:
        out[spec.vararg.id] = tuple_of(ctx, extra, node)
    elif extra:
        _refuse(ctx, node, f"{name}() takes {len(positional)} positional arguments but {len(args)} were given")
    only = {a.id for a in spec.posonlyargs}
    for k in list(rest):
        if k in positional and k not in only or k in {a.id for a in spec.kwonlyargs}:
            if k in out:
                _refuse(ctx, node, f"{name}() got multiple values for argument '{k}'")
            out[k] = rest.pop(k)
    if spread is not None:
        _look_up(ctx, spec, defaults, kwdefaults, spread, out, node)
    for p, d in zip(positional[len(positional) - len(defaults):], defaults):
        if p not in out:
            out[p] = d
    for a, d in zip(spec.kwonlyargs, kwdefaults):
        if a.id not in out and d is not None:
            out[a.id] = d
    if spec.kwarg:
        out[spec.kwarg.id] = new_dict(ctx, [(Lit(k), v) for k, v in rest.items()], node)
    elif rest:
        _refuse(ctx, node, f"{name}() got an unexpected keyword argument '{next(iter(rest))}'")
    missing = [p for p in (*positional, *(a.id for a in spec.kwonlyargs)) if p not in out]
    if missing:
        _refuse(ctx, node, f"{name}() is missing the argument '{missing[0]}'")
    return out


def _look_up(ctx: Lowering, spec: Any, defaults: list[Any], kwdefaults: list[Any], spread: Any, out: dict[str, Any], node: Any) -> None:
    """Takes the parameters that are still without an argument from a dict whose keys are not known."""
    if spec.kwarg is not None:
        refuse("unpack", ctx.at(node), "the mapping after **")
    names = [a.id for a in spec.args]
    known = dict(zip(names[len(names) - len(defaults):], defaults))
    known.update((a.id, d) for a, d in zip(spec.kwonlyargs, kwdefaults) if d is not None)
    for name in (*names, *(a.id for a in spec.kwonlyargs)):
        if name not in out:
            out[name] = call(ctx, dict.get, [spread, Lit(name), known[name]], node=node) if name in known else \
                call(ctx, operator.getitem, [spread, Lit(name)], node=node)


def _refuse(ctx: Lowering, node: Any, message: str) -> None:
    refuse("arguments", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, message)


def _spread(
    ctx: Lowering, args: list[Any], positional: list[str], kwargs: dict[str, Any], vararg: bool, defaults: int, node: Any
) -> list[Any]:
    """Positional arguments without stars: a starred list of unknown length fills the parameters that are left."""
    stars = [k for k, a in enumerate(args) if isinstance(a, Star)]
    if not stars:
        return args
    if len(stars) > 1 or vararg:
        if vararg and len(args) - 1 == stars[0] >= len(positional):
            return args
        refuse("unpack", ctx.at(node), "an argument passed with *")
    k = stars[0]
    count = len([p for p in positional if p not in kwargs]) - (len(args) - 1)
    held = ctx.operand(args[k].value, node)
    t = strip(held.type)
    elems = t.elems if isinstance(t, TupleT) and len(t.elems) == count else (elem_of(t),) * count
    if defaults and not (isinstance(t, ListT) and t.length == count):
        refuse("unpack", ctx.at(node), "an argument passed with *")
    out = call(ctx, unpack, [held, Lit(count)], type=TupleT(elems), node=node)
    items = list(out.items) if isinstance(out, STuple) else [out] if count else []
    return [*args[:k], *items, *args[k + 1:]]


