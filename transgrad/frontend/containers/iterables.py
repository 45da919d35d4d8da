"""Iterables: displays and tuples item by item, ranges and arrays as sources of a `For`, generators inlined."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...errors import TransgradError
from ...ir.ops import For, Lit, Source, Value
from ...ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, RecordT, TupleT, Type, is_differentiable
from ..calls.rule_source_errors import in_definition
from ..context import Lowering, Restart, elem_of, join_all
from ..domain.abstract import SChoice, SDict, SIter, SList, SNamespace, SObj, STuple
from ..domain.contents import Contents
from ..domain.heap import reference_type
from ..domain.join import BOTTOM
from ..domain.speculation import Trial
from ..expressions.operations import call, strip
from ..expressions.subscripts import read_item
from ..frames import assigned_in
from ..library.standard_containers import iterate
from ..objects.builtin_bases import plain_data
from ..objects.generator_records import is_iterator, loop_over, start, take_item_by_item
from ..objects.instance_dicts import as_dict
from ..objects.members import has_special, is_instance, special
from ..refusals import refuse
from ..specialize.static_arguments import setting_site
from ..statements.generators import assigned_outside, run_inlined
from ..statements.loop_fixpoint import Loop, repeat
from ..statements.loop_peeling import first_items, is_empty, peel_site, rest_of_sources, runs
from ..statements.static_unrolling import MOST, Turns, changing_site, displays, first_iteration, unroll, unrolls
from .iter_next import rest_of

__all__ = ["as_list", "collect", "run_loop", "sources_of", "static_items"]


def static_items(ctx: Lowering, x: Any) -> list[Any] | None:
    """The items of something of known length, or None; an iterator has then been run through."""
    found = _items(ctx, x)
    if found is not None and isinstance(x, SIter):
        _taken(ctx, x, None)
    return found


def _items(ctx: Lowering, x: Any) -> list[Any] | None:
    if isinstance(x, SObj) and (data := plain_data(ctx, x, None, "__iter__")) is not None:
        x = data
    if isinstance(x, STuple):
        return list(x.items)
    if isinstance(x, SList):
        held = ctx.contents(x)
        if isinstance(held, Contents):
            return list(held.items)
        return _items(ctx, held)
    if isinstance(x, SDict):
        held = ctx.contents(x)
        return [k for k, _ in held.items] if isinstance(held, Contents) else None
    if isinstance(x, Lit) and isinstance(x.value, (tuple, str, list, dict)):
        return _literal_items(ctx, x)
    if isinstance(x, Value):
        t = strip(x.type)
        if isinstance(t, TupleT):
            return [read_item(ctx, x, Lit(k), None) for k in range(len(t.elems))]
        if isinstance(t, RecordT) and t.cls is dict:
            return [Lit(k) for k in t.keys]
        return None
    if isinstance(x, SIter):
        return _static_iter(ctx, x)
    return None


def _literal_items(ctx: Lowering, x: Lit) -> list[Any] | None:
    if len(x.value) > 256 or id(x.value) in ctx.program.stale:
        return None
    if isinstance(x.value, dict) and x.text is not None:
        ctx.program.guard("ordered", x.value, None, tuple(x.value))
    if isinstance(x.value, (str, dict)) or x.text is None and isinstance(x.value, tuple):
        return [Lit(v) for v in x.value]
    if isinstance(x.value, tuple) or all(callable(v) or isinstance(v, (str, tuple)) for v in x.value):
        return [read_item(ctx, x, Lit(k), None) for k in range(len(x.value))]
    return None


def _static_iter(ctx: Lowering, x: SIter) -> list[Any] | None:
    kind, data = x.kind, x.data
    if any(ctx.contents(d) is not held for d, held in x.over):
        refuse("unroll", ctx.loc, "a list or dict that changes during the iteration")
    if kind == "range":
        if all(isinstance(o, Lit) and isinstance(o.value, int) for o in data):
            r = range(*(o.value for o in data))
            return [Lit(k) for k in r] if len(r) <= MOST else None
        return None
    if kind == "enumerate":
        items = _items(ctx, data[0])
        if items is None or not isinstance(data[1], Lit):
            return None
        return [ctx.tuple([Lit(data[1].value + k), i]) for k, i in enumerate(items)]
    if kind == "zip":
        lists = [_items(ctx, d) for d in data]
        if not lists:
            return []
        known = [i for i in lists if i is not None]
        if len(known) < len(lists) and any(_no_value(ctx, i) for items in known for i in items):
            lists = [i if i is not None else _first(ctx, d, min(map(len, known))) for i, d in zip(lists, data)]
        if any(i is None for i in lists):
            return None
        return [ctx.tuple(row) for row in zip(*(i for i in lists if i is not None))]
    if kind == "reversed":
        items = _items(ctx, data[0])
        return items[::-1] if items is not None else None
    if kind == "items" and isinstance(data[0], SDict) and isinstance(ctx.contents(data[0]), Contents):
        return [ctx.tuple(pair) for pair in ctx.contents(data[0]).items]
    if kind == "values" and isinstance(data[0], SDict) and isinstance(ctx.contents(data[0]), Contents):
        return [v for _, v in ctx.contents(data[0]).items]
    if kind in ("items", "values", "keys"):
        return _mapping_items(ctx, kind, data[0])
    if kind == "list":
        return list(data)
    taken = ctx.state.get((x, "taken"), Lit(0))
    if kind == "chain" and isinstance(taken, Lit) and taken.value == 0 and (x, "used") not in ctx.state:
        parts = [_items(ctx, d) for d in data]
        return None if any(p is None for p in parts) else [i for p in parts if p is not None for i in p]
    return None


def _no_value(ctx: Lowering, x: Any) -> bool:
    from ..calls.functions import no_value
    return no_value(ctx, x) or isinstance(x, Lit) and callable(x.value)


def _first(ctx: Lowering, x: Any, count: int) -> list[Any] | None:
    """The first items of a list or array that is looped over in step with functions."""
    if not isinstance(x, Value) or not isinstance(strip(x.type), (ListT, Arr)):
        return None
    return [read_item(ctx, x, Lit(k), None) for k in range(count)]


def _mapping_items(ctx: Lowering, kind: str, d: Any) -> list[Any] | None:
    keys = static_items(ctx, d) if not isinstance(d, Value) or isinstance(strip(d.type), RecordT) else None
    if keys is None or isinstance(d, Lit) and len(keys) > MOST:
        return None
    if kind == "keys":
        return keys
    values = [read_item(ctx, d, k, None) for k in keys]
    return values if kind == "values" else [ctx.tuple(pair) for pair in zip(keys, values)]


class Plan:
    """The sources of a loop, and how the item is made of their values."""

    def __init__(self, sources: list[Source], types: list[Type], item: Callable[[list[Any]], Any]):
        self.sources, self.types, self.item = sources, types, item


def sources_of(ctx: Lowering, x: Any, node: Any) -> Plan | None:
    """The sources of a `For` over ``x``; None for iterables that are inlined instead (generators, map, filter)."""
    if isinstance(x, SIter):
        kind, data = x.kind, x.data
        if kind == "range":
            operands = [ctx.operand(o, node) for o in data]
            if len(operands) == 1:
                operands = [Lit(0), operands[0], Lit(1)]
            elif len(operands) == 2:
                operands.append(Lit(1))
            return Plan([Source("range", operands)], [Num("int")], lambda v: v[0])
        if kind == "count":
            return Plan([Source("count", [ctx.operand(data[0], node)])], [Num("int")], lambda v: v[0])
        if kind == "enumerate":
            numbered = sources_of(ctx, data[0], node)
            if numbered is None:
                return None
            start = Source("count", [ctx.operand(data[1], node)])
            make = numbered.item
            return Plan([start, *numbered.sources], [Num("int"), *numbered.types], lambda v: ctx.tuple([v[0], make(v[1:])]))
        if kind == "zip":
            return _zip(ctx, data, node)
        if kind == "reversed":
            inner = sources_of(ctx, data[0], node)
            if inner is None or len(inner.sources) != 1:
                return None
            s = inner.sources[0]
            if s.kind == "iter":
                s = Source("seq", [call(ctx, list, s.operands, spelling="list", node=node)])
            return Plan([Source(s.kind, s.operands, not s.reverse)], inner.types, inner.item)
        if kind in ("items", "keys", "values"):
            return _dict_view(ctx, kind, data[0], node)
        if kind == "list":
            from .displays import new_list
            return sources_of(ctx, new_list(ctx, data, node), node)
        return None
    if isinstance(x, (SObj, SChoice)):
        return None
    held = ctx.shared(x, node)
    t = strip(held.type)
    if isinstance(t, DictT) or isinstance(t, RecordT) and t.cls is dict:
        return Plan([Source("keys", [held])], [elem_of(t)], lambda v: v[0])
    if isinstance(t, (ListT, TupleT)) or isinstance(t, Arr) and t.dims:
        return Plan([Source("seq", [held])], [elem_of(t)], lambda v: v[0])
    if isinstance(held, Value) and isinstance(t, (Obj, RecordT)) and getattr(t, "cls", None) not in (None, dict, str, range):
        if has_special(ctx, held, "__iter__"):
            return None
    return Plan([Source("iter", [held])], [elem_of(t)], lambda v: v[0])


def _zip(ctx: Lowering, data: Any, node: Any) -> Plan | None:
    inner = [sources_of(ctx, d, node) for d in data]
    plans = [p for p in inner if p is not None]
    if len(plans) < len(inner):
        return None

    def item(values: list[Any]) -> Any:
        out, at = [], 0
        for p in plans:
            out.append(p.item(values[at:at + len(p.types)]))
            at += len(p.types)
        return ctx.tuple(out)
    return Plan([s for p in plans for s in p.sources], [t for p in plans for t in p.types], item)


def _dict_view(ctx: Lowering, kind: str, d: Any, node: Any) -> Plan:
    held = ctx.shared(d, node)
    t = strip(held.type)
    key = elem_of(t)
    value = t.value or UNKNOWN if isinstance(t, DictT) else (join_all(t.elems) or UNKNOWN) if isinstance(t, RecordT) else UNKNOWN
    if kind == "items":
        return Plan([Source("items", [held])], [key, value], lambda v: ctx.tuple(v))
    return Plan([Source(kind, [held])], [key if kind == "keys" else value], lambda v: v[0])


def run_loop(ctx: Lowering, x: Any, body: Callable[[Any], None], node: Any, assigned: list[Any], loop: Loop | None = None,
             live: set[str] | None = None) -> Loop:
    """Lower ``for item in x: body(item)``.

    ``assigned`` are the state keys the body may assign, ``live`` the names that must be carried (None: all).  After it, the flag
    ``loop.brk`` says whether it was left by a break.
    """
    loop = loop or Loop(ctx.frame)
    snapshots = None
    if isinstance(x, SIter) and x.kind == "checkpointed":
        x, snapshots = x.data
    x = resolve(ctx, x, node)
    if isinstance(x, SIter) and x.kind in ("generator", "genexp", "map", "filter", "chain", "nested") or _needs_inlining(x):
        run_inlined(ctx, x, body, node, loop, assigned)
        return loop
    path = "#loop", node
    settings = setting_site(path) in ctx.program.sites     # an item is the axis of something, say: it must be known
    items = static_items(ctx, x) if settings or not (isinstance(x, SIter) and x.kind == "range") or in_definition(ctx) else None
    at_run_time = changing_site(path) in ctx.program.sites      # the body changes the container that the loop runs over
    if items is not None and (settings or not at_run_time and unrolls(ctx, x, items)):
        unroll(ctx, Turns(ctx, x, items, () if settings else (changing_site(path),)), body, loop)
        return loop
    if at_run_time:
        for display in displays(x):
            ctx.escape(display, node)
    plan = sources_of(ctx, x, node)
    if plan is None:
        run_inlined(ctx, x, body, node, loop, assigned)
        return loop
    if is_empty(plan.sources):
        return loop
    if snapshots is not None:
        plan.sources[0].snapshots = snapshots
    elif peel_site(path) in ctx.program.sites and runs(ctx, plan.sources):
        _peeled(ctx, plan, body, node, assigned, loop, live)
        return loop
    _repeated(ctx, x, plan, body, node, assigned, loop, live)
    return loop


def _peeled(ctx: Lowering, plan: Plan, body: Callable[[Any], None], node: Any, assigned: list[Any], loop: Loop,
            live: set[str] | None) -> None:
    """The first iteration, and a loop over the others."""
    first = plan.item(first_items(ctx, plan.sources, node))
    rest = Plan(rest_of_sources(ctx, plan.sources, node), plan.types, plan.item)
    first_iteration(ctx, first, body, loop, lambda: _repeated(ctx, None, rest, body, node, assigned, loop, live))


def _repeated(ctx: Lowering, x: Any, plan: Plan, body: Callable[[Any], None], node: Any, assigned: list[Any], loop: Loop,
              live: set[str] | None) -> None:
    """A `For` over the sources of a plan."""
    path = "#loop", node
    looped = list(displays(x))
    loc = ctx.loc
    known = static_items(ctx, x) if isinstance(x, (SIter, STuple, SList)) else None
    short = known is not None and len(known) <= 8
    few = short and all(isinstance(i, Lit) for i in known or ())

    def head() -> list[Value]:
        return [Value(t, None, v) for t, v in zip(_current_types(plan), _varied_items(plan))]

    def lower(values: list[Value]) -> None:
        at = 0
        for source in plan.sources:
            n = 2 if source.kind == "items" else 1
            if source.kind in ("seq", "items", "values", "iter"):
                ctx.sharing.contain(source.operands[0], values[at + n - 1])
                if isinstance(source.operands[0], Lit):
                    ctx.sharing.foreign(values[at + n - 1])
                if isinstance(strip(source.operands[0].type), Arr):
                    ctx.sharing.link(source.operands[0], values[at + n - 1])
            at += n
        item = plan.item(list(values))
        if isinstance(item, Value) and item.type == Num("int") and few:
            ctx.examples[item] = 0, path
        body(item)
    entry = ctx.state

    def retyped() -> None:
        if peel_site(path) not in ctx.program.sites and runs(ctx, plan.sources):
            raise Restart([peel_site(path)])
        if short:
            raise Restart([setting_site(path)])
    try:
        out = repeat(ctx, loop, list(dict.fromkeys([*assigned, *assigned_outside(ctx)])), head, lower, None, live, retyped)
    except TransgradError:
        if short:
            raise Restart([setting_site(path)]) from None   # iterations may have different types: `new = new + (args[k],)`
        raise
    if any((display, "items") == slot.key for slot, _ in out.slots for display in looped):
        raise Restart([changing_site(path)])
    ctx.loc = loc
    ctx.state = entry
    if any(p.type == BOTTOM for p in out.body.params[:len(plan.types)]):
        return      # a list that nothing is ever put in
    ctx.emit(For(plan.sources, out.inits, out.body, out.stops, results=out.results))
    out.finish(ctx, entry)


def _current_types(plan: Plan) -> list[Type]:
    """The types of the items; a list may hold more than when the loop was met first."""
    out: list[Type] = []
    at = 0
    for s in plan.sources:
        n = 2 if s.kind == "items" else 1
        types = plan.types[at:at + n]
        if s.kind == "seq" and isinstance(strip(s.operands[0].type), ListT):
            elem = strip(s.operands[0].type).elem     # type: ignore[union-attr]
            types = [elem if elem is not None else BOTTOM]
        out.extend(types)
        at += n
    return out


def _varied_items(plan: Plan) -> list[bool]:
    out: list[bool] = []
    at = 0
    for s in plan.sources:
        n = 2 if s.kind == "items" else 1
        varied = s.kind not in ("range", "count", "keys") and s.operands[0].varied
        out.extend(varied and is_differentiable(t) for t in plan.types[at:at + n])
        at += n
    return out


def _taken(ctx: Lowering, x: Any, node: Any) -> Any:
    """An iterator that is run through now."""
    if not isinstance(x, SIter) or not x.one_pass:
        return x
    if x in ctx.kept:
        if ctx.kept[x] != ctx.repeats or (x, "used") in ctx.state:
            take_item_by_item(ctx, x)
            refuse("generator_send", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, "it is run through more than once")
        ctx.state[x, "used"] = Lit(True)
        x = rest_of(ctx, x, node)
    records = list(_iterators_in(ctx, x))
    if len({id(r) for r in records}) < len(records):        # zip(it, it) takes items from one iterator in turn
        return loop_over(ctx, start(ctx, x, node), node)
    if x.kind in ("zip", "enumerate", "reversed", "chain", "map", "filter") and any(isinstance(d, SIter) for d in x.data):
        return SIter(x.kind, *(_taken(ctx, d, node) for d in x.data), over=x.over)
    return x


def _iterators_in(ctx: Lowering, x: SIter) -> Iterator[Any]:
    """The iterators that are records among the parts of an iterable, each as often as it occurs."""
    for part in x.data if x.kind in ("zip", "enumerate", "chain", "map", "filter") else ():
        if isinstance(part, SIter):
            yield from _iterators_in(ctx, part)
        elif isinstance(part, (SObj, Value)) and is_iterator(ctx, part):
            yield part


def resolve(ctx: Lowering, x: Any, node: Any) -> Any:
    """Replace an instance with ``__iter__`` or ``__getitem__`` by the result of its method, and mark an iterator as consumed."""
    if isinstance(x, SIter):
        return _taken(ctx, x, node)
    if isinstance(x, SNamespace):
        return as_dict(ctx, x, node)
    if (data := plain_data(ctx, x, node, "__iter__")) is not None:
        return data
    if is_iterator(ctx, x):
        return loop_over(ctx, x, node)
    if is_instance(x):
        found = special(ctx, x, "__iter__", [], node)
        if found is not None:
            if (isinstance(found, SObj) or reference_type(ctx, found) is not None) and has_special(ctx, found, "__next__"):
                from ..calls.functions import call_function
                if is_iterator(ctx, found):
                    return loop_over(ctx, found, node)
                return call_function(ctx, iterate, [found], {}, node)
            return found
        if isinstance(x, SObj):
            length = special(ctx, x, "__len__", [], node)
            if length is not None:
                return SIter("map", lambda i: special(ctx, x, "__getitem__", [i], node), SIter("range", length))
            refuse("undecided", ctx.at(node) if node is not None else ctx.loc, "the instance that is looped over has no __iter__")
    return x


def _needs_inlining(x: Any) -> bool:
    """Whether a generator is somewhere among the parts of an iterable."""
    return (
        isinstance(x, SIter)
        and x.kind in ("enumerate", "zip", "reversed")
        and any(
            isinstance(d, SIter) and (d.kind in ("generator", "genexp", "map", "filter", "chain", "nested") or _needs_inlining(d))
            for d in x.data
        )
    )


def collect(ctx: Lowering, x: Any, node: Any) -> Any:
    """``list(x)``: a display where the items are known, else a list filled by a loop."""
    from .displays import new_list
    x = resolve(ctx, x, node)
    items = static_items(ctx, x)
    if items is not None:
        return new_list(ctx, items, node)
    straight = _straight(ctx, x, node)
    if straight is not None:
        return new_list(ctx, straight, node)
    out = ctx.runtime_display("list", [])
    run_loop(ctx, x, lambda item: call(ctx, list.append, [out, item], node=node), node, [])
    return out


class _NotStraight(Exception):
    """A generator yields inside of a branch or a loop."""


def _straight(ctx: Lowering, x: Any, node: Any) -> list[Any] | None:
    """The items of a generator that yields in straight code only; None for others."""
    if not isinstance(x, SIter) or x.kind != "generator":
        return None
    items: list[Any] = []
    trial = Trial(ctx)

    def step(item: Any) -> None:
        if ctx.block is not trial.block:
            raise _NotStraight
        items.append(item)
    try:
        run_loop(ctx, x, step, node, [])
    except _NotStraight:
        trial.undo()
        return None
    return items


def as_list(ctx: Lowering, x: Any, node: Any) -> Any:
    """``x`` as an operand that can be iterated over at run time."""
    return collect(ctx, x, node) if isinstance(x, (SIter, SObj)) or is_iterator(ctx, x) else x


def body_keys(ctx: Lowering, nodes: list[Any]) -> list[Any]:
    """The state keys that statements may assign by their text."""
    out = []
    for name in assigned_in(ctx.frame.source, nodes):
        home = ctx.frame.home_of(name)
        if home is not None:
            out.append(home)
    return out
