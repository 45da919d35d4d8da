"""Comprehensions: written out over known items, else loops that fill a list, set or dict."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from ...ir.ops import Lit
from ...ir.types import DictT, SetT
from ..containers.displays import _dict_of, new_list
from ..containers.iterables import resolve, run_loop, static_items
from ..context import Lowering
from ..domain.abstract import UNBOUND, SIter
from ..domain.speculation import Trial
from ..statements.assignments import assign_to
from ..statements.control_flow import branch
from ..statements.static_unrolling import Turns, unrolls
from .dispatch import condition, expr
from .operations import call

__all__ = ["dict_comp", "generator", "list_comp", "run_clauses", "set_comp"]


class _Layer:
    """The scope of one comprehension; ``kept`` where a function that was made in it may be called after it."""

    kept = False


def target_names(ctx: Lowering, node: Any) -> dict[str, Any]:
    """The names its clauses bind."""
    key = (node, "targets")
    found = ctx.frame.source.notes.get(key)
    if found is None:
        found = ctx.frame.source.notes[key] = [n.id for g in node.generators for n in gast.walk(g.target) if isinstance(n, gast.Name)]
    layer = _Layer()
    return dict.fromkeys(found, layer)


def run_clauses(ctx: Lowering, node: Any, body: Callable[[], None], first: Any = UNBOUND) -> None:
    """Lowers the clauses of a comprehension with ``body`` innermost; ``first`` is the first iterable where it is evaluated."""
    names = target_names(ctx, node)
    frame = ctx.frame
    if first is UNBOUND:
        first = expr(ctx, node.generators[0].iter)

    def clause(k: int) -> None:
        if k == len(node.generators):
            body()
            return
        g = node.generators[k]
        x = first if k == 0 else expr(ctx, g.iter)

        def step(item: Any) -> None:
            outer, hidden = ctx.frame, frame.hidden
            ctx.frame, frame.hidden = frame, layers
            try:
                assign_to(ctx, g.target, item)
                tests(k, 0)
            finally:
                ctx.frame, frame.hidden = outer, hidden
        run_loop(ctx, x, step, g.iter, [])

    def tests(k: int, n: int) -> None:
        if n == len(node.generators[k].ifs):
            clause(k + 1)
            return
        cond = condition(ctx, node.generators[k].ifs[n])
        if isinstance(cond, Lit):
            if cond.value:
                tests(k, n + 1)
            return
        branch(ctx, cond, lambda: tests(k, n + 1), lambda: None)
    layers = [*frame.hidden, names]
    hidden, frame.hidden = frame.hidden, layers
    try:
        clause(0)
    finally:
        frame.hidden = hidden
        for layer in set(names.values()):
            for key in [s for s in ctx.state if s[0] is layer]:
                del ctx.state[key]


def _static(ctx: Lowering, node: Any, make: Callable[[], Any]) -> tuple[list[Any] | None, Any]:
    """The results of one clause over known items that differ in kind (or are few and no values), written out."""
    g = node.generators[0]
    first = resolve(ctx, expr(ctx, g.iter), g.iter)
    if len(node.generators) > 1 or isinstance(first, SIter) and first.kind == "range" and not _tiny(first):
        return None, first
    items = static_items(ctx, first)
    if items is None or len(items) > 32:
        return None, first
    if not (unrolls(ctx, first, items) or len(items) <= 8):
        return None, first
    names = target_names(ctx, node)
    frame, hidden, out = ctx.frame, ctx.frame.hidden, []
    trial = Trial(ctx)
    turns = Turns(ctx, first, items)
    frame.hidden = [*hidden, names]
    try:
        for item in items:
            assign_to(ctx, g.target, item)
            keep = True
            for test in g.ifs:
                cond = condition(ctx, test)
                if not isinstance(cond, Lit):
                    trial.undo()
                    return None, first
                keep = keep and bool(cond.value)
                if not keep:
                    break
            if keep:
                out.append(make())
            if turns.changed():
                trial.undo()
                return None, first
    finally:
        frame.hidden = hidden
    for layer in set(names.values()):
        if not layer.kept:
            for key in [s for s in ctx.state if s[0] is layer]:
                del ctx.state[key]
    return out, first


def _tiny(x: SIter) -> bool:
    return all(isinstance(o, Lit) and isinstance(o.value, int) for o in x.data) and len(range(*(o.value for o in x.data))) <= 4


def list_comp(ctx: Lowering, node: Any) -> Any:
    """``[f(x) for x in xs if c(x)]``."""
    out, first = _static(ctx, node, lambda: expr(ctx, node.elt))
    if out is not None:
        return new_list(ctx, out, node)
    made = ctx.runtime_display("list", [])
    loc = ctx.loc
    run_clauses(ctx, node, lambda: _append(ctx, list.append, made, expr(ctx, node.elt), node), first)
    ctx.loc = loc
    return made


def _append(ctx: Lowering, fn: Any, made: Any, item: Any, node: Any) -> None:
    call(ctx, fn, [made, item], node=node)


def set_comp(ctx: Lowering, node: Any) -> Any:
    """``{f(x) for x in xs}``."""
    made = ctx.runtime_display("set", [])
    made.type = SetT(None)
    run_clauses(ctx, node, lambda: _append(ctx, set.add, made, expr(ctx, node.elt), node))
    return made


def dict_comp(ctx: Lowering, node: Any) -> Any:
    """``{k: v for k, v in xs}``."""
    out, first = _static(ctx, node, lambda: (expr(ctx, node.key), expr(ctx, node.value)))
    if out is not None:
        return _dict_of(ctx, out, node)
    made = ctx.runtime_display("dict", [])
    made.type = DictT(None, None)

    def body() -> None:
        key = expr(ctx, node.key)
        call(ctx, operator.setitem, [made, key, expr(ctx, node.value)], node=node)
    run_clauses(ctx, node, body, first)
    return made


def generator(ctx: Lowering, node: Any) -> Any:
    """A generator expression: lowered where it is consumed, its first iterable here."""
    first = expr(ctx, node.generators[0].iter)
    from ..objects.generator_records import made_generator
    return made_generator(ctx, SIter("genexp", node, ctx.frame, first, list(ctx.frame.hidden)), node)


