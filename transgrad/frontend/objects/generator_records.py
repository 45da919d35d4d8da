"""Iterators as records with a resume point: generators that a program takes items out of by ``next`` and ``send``.

A generator that is looped over in one place is inlined there (see `generators`). Where its items are taken one by one, lowering starts
again with its generator function as a class: an instance holds the resume point and the saved variables, and ``resume`` runs the state
machine of the function (see `transgrad.frontend.source.generator_states`) to the next suspension. Like any instance it is split into its
attributes where it does not escape, and lies on the heap where it does, in a queue of generators for example.
"""
from __future__ import annotations

import copy
import itertools
from typing import Any

import gast

from ...ir.ops import UNDEF, Lit, Value
from ...ir.types import Arr, DictT, ListT, RecordT, SetT, TupleT
from ..context import Lowering, Restart
from ..domain import heap
from ..domain.abstract import UNBOUND, SCell, SDict, SFunc, SIter, SList, SObj, STuple
from ..expressions.operations import call, strip
from ..frames import Frame
from ..library import iterators
from ..refusals import refuse
from ..source.generator_states import Machine, Unsuspendable, machine_of
from .function_records import _free_names, _rebound
from .members import class_of, has_special, special

__all__ = ["HANDLERS", "NO_RECORDS", "RESUMABLE", "held_in_container", "is_iterator", "loop_over", "made_generator", "next_of", "start",
           "take_item_by_item"]

#: stands among the sites of a program where every iterator that has a name is a record
RESUMABLE = "iterators as records"
#: iterators that are no records, and what is no iterator
NO_RECORDS = ("nested", "contextmanager", "reversed")


def is_iterator(ctx: Lowering, x: Any) -> bool:
    """Whether ``x`` is an iterator with a place of its own."""
    ref = heap.reference_type(ctx, x)
    if ref is not None:
        return bool(ref.classes) and all(issubclass(c, iterators.Iterator) for c in ref.classes)
    cls = class_of(ctx, x) if isinstance(x, SObj) else None
    return isinstance(cls, type) and issubclass(cls, iterators.Iterator)


def take_item_by_item(ctx: Lowering, x: Any) -> None:
    """Lower again with an iterator as a record, if it can be one."""
    site: Any = RESUMABLE
    if isinstance(x, SIter) and x.kind in ("generator", "genexp"):
        site = "#resumable", x.data[1] if x.kind == "generator" else x.data[0]
    if site not in ctx.program.sites and RESUMABLE not in ctx.program.sites:
        raise Restart([site])


def made_generator(ctx: Lowering, x: SIter, node: Any) -> Any:
    """A generator just made: to be inlined, or as a record where its items are taken one by one."""
    function = x.data[1] if x.kind == "generator" else x.data[0]
    sites = ctx.program.sites
    if ctx.program.inlined_generators or RESUMABLE not in sites and ("#resumable", function) not in sites:
        return x
    return start(ctx, x, node)


def _generator(ctx: Lowering, x: SIter, node: Any) -> Any:
    """The record of a generator that has not started."""
    if x.kind == "generator":
        source, function, module, outer, cells, bound, name = x.data
        homes = {n: outer.home_of(n) for n in _free_names(SFunc(function, source, outer, [], [], name))} if outer is not None else {}
        place = function
    else:
        place, outer, first, hidden = x.data
        source, module, cells, name = outer.source, outer.globals, {}, "genexp"
        function, bound = _as_function(source, place), {_FIRST: first}
        homes = {}
        for n in _free_names(SFunc(function, source, outer, [], [], name)):
            layer = next((h for h in reversed(hidden) if n in h), None)
            homes[n] = (layer[n], n) if layer is not None else outer.home_of(n)
    homes = {n: home for n, home in homes.items() if home is not None}
    try:
        machine = machine_of(source, function, list(homes), iterators.start)
    except Unsuspendable as error:
        return refuse("generator_send", source.loc(error.node), error.detail)
    cls = _class(ctx, source, function, module, outer, cells, name, machine)
    values = dict(bound)
    for n, home in homes.items():
        values[n] = _captured(ctx, home, n, place, node)
    return _instance(ctx, cls, machine, values, node)


def _captured(ctx: Lowering, home: Any, name: str, place: Any, node: Any) -> Any:
    held = ctx.state.get(home, UNBOUND)
    if held is UNBOUND and ctx.capture is not None:
        held = ctx.capture(home, name)
    changes = not isinstance(home[0], Frame) or _rebound(home[0].node, name, place)
    if held is UNBOUND or isinstance(held, SCell) or changes and isinstance(home[0], Frame):
        refuse("generator_send", ctx.at(node) if hasattr(node, "lineno") else ctx.loc,
               f"a generator that reads the variable '{name}' of the function around it, which is assigned again")
    return held


#: the parameter of a generator expression: its first iterable
_FIRST = "first_iterable_"


def _as_function(source: Any, node: Any) -> Any:
    """A generator expression as a generator function."""
    found = source.notes.get((node, "function"))
    if found is None:
        inner: list[Any] = [gast.Expr(gast.Yield(copy.deepcopy(node.elt)))]
        for number, g in reversed(list(enumerate(node.generators))):
            for test in reversed(g.ifs):
                inner = [gast.If(copy.deepcopy(test), inner, [])]
            over = gast.Name(_FIRST, gast.Load(), None, None) if number == 0 else copy.deepcopy(g.iter)
            inner = [gast.For(copy.deepcopy(g.target), over, inner, [], None)]
        args = gast.arguments([gast.Name(_FIRST, gast.Param(), None, None)], [], None, [], [], None, [])
        found = gast.copy_location(gast.FunctionDef("genexp", args, inner, [], None, None, []), node)
        for n in gast.walk(found):
            if "lineno" in n._attributes and not hasattr(n, "lineno"):
                gast.copy_location(n, node)
        source.notes[node, "function"] = found
    return found


def _class(ctx: Lowering, source: Any, function: Any, module: Any, outer: Any, cells: Any, name: str, machine: Machine) -> type:
    """The class of the generators of a function; the same in each attempt."""
    key = ("generator", function, *map(id, cells.values()))
    found = ctx.program.function_classes.get(key)
    if found is None:
        frame = Frame(source, function, module, None, {**_cells(outer), **cells}, None, name)
        base = iterators.Delegating if machine.delegates else iterators.Generator
        resume = SFunc(machine.resume, source, frame, [], [], "resume")
        resume.is_record = True
        found = ctx.program.function_classes[key] = type(name if name.isidentifier() else "generator", (base,), {"resume": resume})
    return found


def _cells(frame: Any) -> dict[str, Any]:
    """The closure cells of a frame and of those around it."""
    out: dict[str, Any] = {}
    while frame is not None:
        out = {**frame.cells, **out}
        frame = frame.outer
    return out


def _instance(ctx: Lowering, cls: type, machine: Machine, values: dict[str, Any], node: Any) -> Any:
    values = {name: values[name] for name in machine.initial if name in values}
    if heap.is_on_heap(ctx, cls):
        made: Any = heap.new_instance(ctx, cls, node)
        for name, value in {**values, "_point": Lit(0), "_result": Lit(None)}.items():
            heap.store(ctx, made, name, value, node)
        return made
    made = SObj(cls, ctx.block)
    for name in (*machine.saved, "_item"):
        ctx.state[made, name] = UNDEF
    for name, value in {**values, "_point": Lit(0), "_result": Lit(None)}.items():
        ctx.keep(value)
        ctx.state[made, name] = value
    return made


def _new(ctx: Lowering, cls: type, args: list[Any], node: Any) -> Any:
    from .classes import _construct
    made = _construct(ctx, cls, args, {}, node)
    if isinstance(made, SObj):
        ctx.state.setdefault((made, "_item"), UNDEF)
    return made


def start(ctx: Lowering, x: Any, node: Any) -> Any:
    """An iterator over ``x`` as a record."""
    if is_iterator(ctx, x):
        return x
    if isinstance(x, SIter):
        return _of_iterator(ctx, x, node)
    t = strip(x.type) if isinstance(x, Value) else None
    if isinstance(x, SDict) or isinstance(t, (DictT, SetT)) or isinstance(t, RecordT) and t.cls is dict:
        x = call(ctx, list, [x], spelling="list", node=node)
    elif not (isinstance(x, (SList, STuple)) or isinstance(t, (ListT, TupleT)) or isinstance(t, Arr) and t.dims
              or isinstance(x, Lit) and isinstance(x.value, (tuple, list))):
        found = special(ctx, x, "__iter__", [], node) if isinstance(x, (SObj, Value)) else None
        if found is None:
            refuse("generator_send", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, "an iterator over something of unknown type")
        if not is_iterator(ctx, found) and has_special(ctx, found, "__next__"):
            return _new(ctx, iterators.NextCursor, [found], node)
        return start(ctx, found, node)
    return _new(ctx, iterators.Cursor, [x], node)


def _of_iterator(ctx: Lowering, x: SIter, node: Any) -> Any:
    kind, data = x.kind, x.data
    if (x, "used") not in ctx.state and (x, "taken") in ctx.state:      # iter() of a list
        made = _new(ctx, iterators.Cursor, [data[0]], node)
        taken = ctx.state[x, "taken"]
        if isinstance(made, SObj):
            ctx.state[made, "at"] = taken
        else:
            heap.store(ctx, made, "at", taken, node)
        return made
    if (x, "used") in ctx.state:
        refuse("generator_send", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, "it is run through more than once")
    if kind in ("generator", "genexp"):
        return _generator(ctx, x, node)
    if kind == "range":
        bounds = [Lit(0), *data, Lit(1)] if len(data) == 1 else [*data, Lit(1)][:3]
        return _new(ctx, iterators.RangeCursor, bounds, node)
    if kind == "count":
        return _new(ctx, iterators.CountCursor, list(data), node)
    if kind == "enumerate":
        return _new(ctx, iterators.EnumerateCursor, [start(ctx, data[0], node), data[1]], node)
    if kind in ("map", "filter") and len(data) == 2 and not callable(data[0]):
        cls: Any = iterators.MapCursor if kind == "map" else iterators.FilterCursor
        return _new(ctx, cls, [data[0], start(ctx, data[1], node)], node)
    if kind in ("zip", "chain") and len(data) >= 1:
        cls = iterators.ZipCursor if kind == "zip" else iterators.ChainCursor
        parts = [start(ctx, d, node) for d in data]
        if len(parts) == 1 and kind == "chain":
            return parts[0]
        if len(parts) > 1:
            made = parts[-1]
            for k, part in enumerate(reversed(parts[:-1])):
                made = _new(ctx, cls, [part, made, *([Lit(k > 0)] if kind == "zip" else [])], node)
            return made
    if kind == "list":
        return _new(ctx, iterators.Cursor, [ctx.tuple(data)], node)
    if kind in ("keys", "values", "items"):
        from ..containers.iterables import collect
        return _new(ctx, iterators.Cursor, [collect(ctx, x, node)], node)
    return refuse("generator_send", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, f"{kind}() of an iterator, item by item")


def held_in_container(ctx: Lowering, x: Any, node: Any) -> Any:
    """An item or an attribute that is an iterator, as a record; a container does not take its items out of it."""
    if not isinstance(x, SIter) or not x.one_pass or x.kind in NO_RECORDS:
        return x
    if x.kind in ("generator", "genexp"):
        take_item_by_item(ctx, x)
    return start(ctx, x, node) if RESUMABLE in ctx.program.sites else x


def loop_over(ctx: Lowering, x: Any, node: Any) -> Any:
    """What a loop over an iterator runs through: the items that are left."""
    from ..calls.functions import call_function
    return call_function(ctx, iterators.remaining, [x], {}, node)


def next_of(ctx: Lowering, x: Any, default: list[Any], node: Any) -> Any:
    """``next(iterator)`` and ``next(iterator, default)``."""
    from ..calls.functions import call_function
    if default:
        return call_function(ctx, iterators.following, [x, default[0]], {}, node)
    return special(ctx, x, "__next__", [], node)


def _start(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    return start(ctx, args[0], node)


def _tee(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    """``itertools.tee``: iterators that share the items taken so far."""
    count = args[1] if len(args) > 1 else kwargs.get("n", Lit(2))
    if not isinstance(count, Lit):
        refuse("undecided", ctx.at(node), "the number of iterators is not known when compiling")
    shared = _new(ctx, iterators.Tee, [start(ctx, args[0], node)], node)
    return ctx.tuple([_new(ctx, iterators.TeeCursor, [shared], node) for _ in range(count.value)])


def _groupby(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    """``itertools.groupby``, with the items of each group as a list."""
    from ..calls.functions import call_function
    from ..containers.iterables import collect
    key = args[1] if len(args) > 1 else kwargs.get("key", Lit(None))
    items = ctx.escape(collect(ctx, args[0], node), node)
    keys = items if isinstance(key, Lit) and key.value is None else ctx.escape(collect(ctx, SIter("map", key, items), node), node)
    pairs = call_function(ctx, iterators.groups, [items, keys], {}, node)

    def once(row: Any) -> Any:
        found, group = row.items
        return ctx.tuple([found, SIter("chain", group)])
    return SIter("map", once, pairs)


HANDLERS: dict[Any, Any] = {iterators.start: _start, itertools.tee: _tee, itertools.groupby: _groupby}
