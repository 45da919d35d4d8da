"""Functions of functions and of iterables: sum, min, max, any, all, sorted, functools and operator."""
from __future__ import annotations

import contextlib
import functools
import heapq
import operator
from typing import Any

import numpy as np

from ...ir.ops import UNDEF, Lit, Value
from ...ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, RecordT, holds_reference
from ..containers.displays import delete_item, membership, new_list
from ..containers.iterables import as_list, collect, resolve, run_loop, static_items
from ..context import Lowering
from ..domain.abstract import SDict, SFunc, SIter, SList, SObj, SPartial, STuple, is_none
from ..domain.contents import Contents
from ..domain.heap import reference_type
from ..domain.speculation import Trial
from ..expressions.attributes import read_attribute
from ..expressions.operations import call, strip
from ..expressions.operators import BINARY, binary_op, compare_op, truth
from ..expressions.subscripts import read_item, write
from ..library.standard_heaps import in_order, largest, smallest
from ..objects.members import special
from ..refusals import refuse
from ..statements.assignments import INPLACE, update
from ..statements.control_flow import branch, choose
from ..statements.generators import assigned_outside
from ..statements.loop_fixpoint import Loop

__all__ = ["HANDLERS", "holds_instances", "sorted_"]


def accumulate(ctx: Lowering, iterable: Any, start: Any, step: Any, node: Any) -> Any:
    """Folds an iterable with ``step(total, item)``."""
    key = (object(), "total")
    ctx.state[key] = start

    def one(item: Any) -> None:
        ctx.state[key] = step(ctx.state[key], item)
    run_loop(ctx, iterable, one, node, [key, *assigned_outside(ctx)])
    return ctx.state.pop(key)


def _sum(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    x = resolve(ctx, args[0], node)
    args = [x, *args[1:]]
    start = args[1] if len(args) > 1 else kwargs.get("start", Lit(0))
    items = static_items(ctx, x) if not isinstance(x, Value) else None
    if items is not None and not (isinstance(x, SIter) and len(items) > 8):
        if not items:
            return start
        plain = all(isinstance(i, Value) and isinstance(i.type, (Num, Arr)) or isinstance(i, Lit) for i in items)
        if plain and isinstance(x, (STuple, SList)):
            return call(ctx, sum, [x, *args[1:]], kwargs, spelling="sum", node=node)
        total = start
        for i, item in enumerate(items):
            total = item if i == 0 and isinstance(start, Lit) and start.value == 0 and isinstance(item, Value) else \
                binary_op(ctx, operator.add, total, item, node)
        return total
    if not isinstance(x, SIter):
        return call(ctx, sum, args, kwargs, spelling="sum", node=node)
    seen: list[Any] = []

    def add(total: Any, item: Any) -> Any:
        seen.append(item)
        return binary_op(ctx, operator.add, total, item, node)
    if isinstance(start, Lit):
        trial = Trial(ctx)
        out = accumulate(ctx, x, start, add, node)
        if isinstance(out, (Value, Lit)) and out.type != UNKNOWN or not any(isinstance(i, Value) and isinstance(i.type, Arr) for i in seen):
            return out
        trial.undo()
        return call(ctx, sum, [collect(ctx, x, node), *args[1:]], kwargs, spelling="sum", node=node)
    return accumulate(ctx, x, start, add, node)


def _extreme(fn: Any) -> Any:
    better = operator.lt if fn is min else operator.gt
    pick = np.argmin if fn is min else np.argmax

    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        from .dispatch import call_abstract
        key = kwargs.get("key")
        if key is not None and is_none(key):
            key = None
        if len(args) == 1:
            args = [resolve(ctx, args[0], node)]
        items: Any = args if len(args) > 1 else static_items(ctx, args[0]) if not isinstance(args[0], Value) else None
        if items is not None and not (isinstance(args[0], SIter) and args[0].kind == "range" and len(items) > 8):
            if not items and "default" not in kwargs:
                from ..statements.dispatch import raised
                ctx.bind("ValueError", ValueError)
                message = Lit(f"{fn.__name__}() iterable argument is empty")
                raised(ctx, call(ctx, ValueError, [message], spelling="ValueError", type=Obj(ValueError), node=node))
                return UNDEF
            if not items:
                return kwargs["default"]
            refers = any(reference_type(ctx, i) is not None for i in items)
            if key is None and len(args) > 1 and not refers and all(isinstance(i, (Value, Lit)) for i in items):
                if all(isinstance(i, Lit) and i.text is None for i in items):
                    try:
                        return Lit(fn(i.value for i in items))
                    except TypeError:
                        return NotImplemented
                return call(ctx, fn, items, spelling=fn.__name__, node=node)
            if key is None and not refers and all(isinstance(i, (Value, Lit)) for i in items) and not kwargs:
                if all(isinstance(i, Lit) and i.text is None for i in items):
                    return Lit(fn(i.value for i in items))
                return call(
                    ctx, fn, [args[0]] if not isinstance(args[0], SIter) else [collect(ctx, args[0], node)], spelling=fn.__name__, node=node
                )
            best = items[0]
            rank = best if key is None else call_abstract(ctx, key, [best], {}, node)
            for item in items[1:]:
                other = item if key is None else call_abstract(ctx, key, [item], {}, node)
                cond = truth(ctx, compare_op(ctx, better, other, rank, node), node)
                if isinstance(cond, Lit):
                    best, rank = (item, other) if cond.value else (best, rank)
                else:
                    pair = choose(ctx, cond, lambda item=item, other=other: ctx.tuple([item, other]),      # type: ignore[misc]
                                  lambda best=best, rank=rank: ctx.tuple([best, rank]))      # type: ignore[misc]
                    best, rank = pair.items
            return best
        x = args[0]
        if isinstance(x, SIter):
            x = collect(ctx, x, node)
        if key is None and isinstance(x, Value) and holds_reference(x.type) and "default" not in kwargs:
            return call_abstract(ctx, Lit(smallest if fn is min else largest), [x], {}, node)
        if key is None:
            return call(ctx, fn, [x], {k: v for k, v in kwargs.items() if k == "default"}, spelling=fn.__name__, node=node)
        keys = collect(ctx, SIter("map", key, x), node)
        index = call(ctx, pick, [keys], spelling=f"{ctx.bind('np', np)}.{pick.__name__}", node=node)
        if not isinstance(strip(ctx.operand(x).type), (ListT, Arr)):
            x = call(ctx, list, [x], spelling="list", node=node)
        return call(ctx, operator.getitem, [x, index], node=node)
    return handler


def _quantifier(fn: Any) -> Any:
    stop = fn is any

    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        x = resolve(ctx, args[0], node)
        items = static_items(ctx, x) if not isinstance(x, Value) else None
        if items is not None:
            def chain(k: int) -> Any:
                if k == len(items):
                    return Lit(not stop)
                cond = truth(ctx, items[k], node)
                if isinstance(cond, Lit):
                    return Lit(stop) if bool(cond.value) is stop else chain(k + 1)
                if k == len(items) - 1 and isinstance(cond, Value) and cond.type == Num("bool"):
                    return cond
                return (
                    choose(ctx, cond, lambda: Lit(True), lambda: chain(k + 1))
                    if stop
                    else choose(ctx, cond, lambda: chain(k + 1), lambda: Lit(False))
                )

            return chain(0)
        if not isinstance(x, SIter):
            return call(ctx, fn, [x], spelling=fn.__name__, node=node)
        loop = Loop(ctx.frame)

        def one(item: Any) -> None:
            cond = truth(ctx, item, node)

            def leave() -> None:
                ctx.state[loop.brk] = Lit(True)
                ctx.state["#dead"] = ("break", loop)
            if isinstance(cond, Lit):
                if bool(cond.value) is stop:
                    leave()
                return
            if stop:
                branch(ctx, cond, leave, lambda: None)
            else:
                branch(ctx, cond, lambda: None, leave)
        run_loop(ctx, x, one, node, assigned_outside(ctx), loop)
        flag = ctx.state.pop(loop.brk, Lit(False))
        if stop:
            return flag
        return Lit(not flag.value) if isinstance(flag, Lit) else call(ctx, operator.not_, [flag], node=node)
    return handler


def sorted_(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``sorted(xs, key=…, reverse=…)``; by a key, through the order of the keys."""
    x = resolve(ctx, args[0], node)
    key = kwargs.get("key")
    x = collect(ctx, x, node) if isinstance(x, (SIter, STuple)) else x
    if isinstance(x, (SList,)) and isinstance(ctx.contents(x), Contents):
        items = ctx.contents(x).items
        if (key is None or is_none(key)) and all(isinstance(i, Lit) and i.text is None for i in items) and not kwargs:
            try:
                return new_list(ctx, sorted(items, key=lambda i: i.value), node)
            except TypeError:
                return NotImplemented
    if key is None or is_none(key):
        if isinstance(x, SDict):
            x = ctx.operand(x, node)
        if isinstance(x, Value) and (isinstance(t := strip(x.type), (Arr, DictT)) or isinstance(t, RecordT) and t.cls is dict):
            x = call(ctx, list, [x], spelling="list", node=node)        # of a dict, its keys
        if holds_instances(ctx, x):
            from .functions import call_function
            return call_function(ctx, in_order, [x, kwargs.get("reverse", Lit(False))], {}, node)
        return call(ctx, sorted, [x], {k: v for k, v in kwargs.items() if k == "reverse"}, spelling="sorted", node=node)
    np_name = ctx.bind("np", np)
    keys = collect(ctx, SIter("map", key, x), node)
    t = ctx.operand(keys).type
    if not isinstance(t, ListT) or not isinstance(t.elem, (Num, Arr)) or isinstance(t.elem, Arr) and t.elem.dims:
        if isinstance(t, ListT) and t.elem is not None:
            refuse("static", ctx.at(node), "a sort by keys that are not numbers")
    keys = call(ctx, np.array, [keys], spelling=f"{np_name}.array", node=node)
    reverse = kwargs.get("reverse", Lit(False))
    if not isinstance(reverse, Lit):
        refuse("undecided", ctx.at(node), "the order of this sort is not known when compiling")
    if reverse.value:
        keys = call(ctx, operator.neg, [keys], node=node)
    order = call(ctx, np.argsort, [keys], {"kind": Lit("stable")}, spelling=f"{np_name}.argsort", node=node)
    if not isinstance(strip(ctx.operand(x).type), ListT):
        x = call(ctx, list, [x], spelling="list", node=node)
    out = ctx.runtime_display("list", [])

    def one(k: Any) -> None:
        call(ctx, list.append, [out, call(ctx, operator.getitem, [x, k], node=node)], node=node)
    run_loop(ctx, order, one, node, assigned_outside(ctx))
    return out


def _best(reverse: bool) -> Any:
    """``heapq.nlargest`` and ``nsmallest``: the first items of a stable sort."""
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        from .dispatch import varied
        key = kwargs.get("key", args[2] if len(args) > 2 else Lit(None))
        if len(args) < 2 or not isinstance(args[0], Lit) or args[0].value < 0:
            return NotImplemented
        items = collect(ctx, args[1], node)
        if not varied(ctx, items) and not holds_instances(ctx, items):
            return NotImplemented
        found = sorted_(ctx, [items], {"key": key, "reverse": Lit(reverse)}, node)
        return found if found is NotImplemented else read_item(ctx, found, Lit(slice(None, args[0].value)), node)
    return handler


def holds_instances(ctx: Lowering, x: Any) -> bool:
    """Whether a list holds instances made inside the function."""
    if isinstance(x, SList) and isinstance(held := ctx.contents(x), Contents):
        return any(isinstance(i, SObj) or reference_type(ctx, i) is not None for i in held.items)
    o = ctx.operand(x) if isinstance(x, SList) else x
    return isinstance(o, Value) and holds_reference(o.type)


def _partial(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    for x in (*args[1:], *kwargs.values()):
        ctx.keep(x)
    return SPartial(args[0], args[1:], kwargs)


def _reduce(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    from .dispatch import call_abstract
    func, x = args[0], args[1]
    items = static_items(ctx, x) if not isinstance(x, Value) else None
    if items is not None and len(items) <= 16:
        items = [*args[2:], *items]
        if not items:
            return NotImplemented
        total = items[0]
        for item in items[1:]:
            total = call_abstract(ctx, func, [total, item], {}, node)
        return total
    if len(args) > 2:
        return accumulate(ctx, x, args[2], lambda total, item: call_abstract(ctx, func, [total, item], {}, node), node)
    held = as_list(ctx, x, node)
    first = call(ctx, operator.getitem, [held, Lit(0)], node=node)
    rest = call(ctx, operator.getitem, [held, Lit(slice(1, None))], node=node)
    return accumulate(ctx, rest, first, lambda total, item: call_abstract(ctx, func, [total, item], {}, node), node)



def _keeps(x: Any, y: Any = None) -> Any:
    """What functools.wraps(f) does to a function, as far as calling it goes."""
    return y


def _wraps(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    return SPartial(Lit(_keeps), [args[0]], {})


def _kept(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    wrapped, func = args
    if isinstance(func, SFunc):
        ctx.state[func, "__wrapped__"] = wrapped
        ctx.state[func, "__name__"] = Lit(
            getattr(wrapped, "name", None) or getattr(getattr(wrapped, "value", None), "__name__", "function")
        )
    return func


def _cached(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    if args and not (isinstance(args[0], Lit) and (args[0].value is None or isinstance(args[0].value, (int, bool)))):
        return args[0]
    return SPartial(Lit(_keeps), [Lit(None)], {})


def _binary(fn: Any) -> Any:
    return lambda ctx, args, kwargs, node: binary_op(ctx, fn, args[0], args[1], node)


def _compare(fn: Any) -> Any:
    return lambda ctx, args, kwargs, node: compare_op(ctx, fn, args[0], args[1], node)


def _inplace(fn: Any) -> Any:
    return lambda ctx, args, kwargs, node: update(ctx, fn, args[0], args[1], node)


def _abs(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    found = special(ctx, args[0], "__abs__", [], node)
    if found is not None:
        return found
    if isinstance(args[0], Lit) and args[0].text is None and isinstance(args[0].value, (int, float)):
        return Lit(abs(args[0].value))
    return call(ctx, abs, args, spelling="abs", node=node)


def _getitem(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    return read_item(ctx, args[0], args[1], node)


def _setitem(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    write(ctx, args[0], args[1], args[2], node)
    return Lit(None)


def _delitem(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    delete_item(ctx, args[0], args[1], node)
    return Lit(None)


def _getter(pick: Any) -> Any:
    """operator.itemgetter, attrgetter and methodcaller, made here."""
    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        return SPartial(Lit(pick), list(args), dict(kwargs))
    return handler


def getter(ctx: Lowering, made: Any) -> Any:
    """What an itemgetter, attrgetter or methodcaller from outside is, as one that is made here; None for anything else."""
    if type(made) not in _PICKS:
        return None
    from .dispatch import object_value
    make, args = made.__reduce__()
    fixed, named = (make.args, make.keywords) if isinstance(make, functools.partial) else (args, {})
    return SPartial(Lit(_PICKS[type(made)]), [object_value(ctx, a, "argument") for a in fixed],
                    {name: object_value(ctx, a, name) for name, a in named.items()})


def _item_of(*_: Any) -> None:
    """What an itemgetter does."""


def _attr_of(*_: Any) -> None:
    """What an attrgetter does."""


def _method_of(*_: Any, **__: Any) -> None:
    """What a methodcaller does."""


_PICKS: dict[type, Any] = {operator.itemgetter: _item_of, operator.attrgetter: _attr_of, operator.methodcaller: _method_of}


def _take_item(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    out = [read_item(ctx, args[-1], key, node) for key in args[:-1]]
    return out[0] if len(out) == 1 else ctx.tuple(out)


def _take_attr(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    out = []
    for name in args[:-1]:
        held = args[-1]
        for part in name.value.split("."):
            held = read_attribute(ctx, held, part, node)
        out.append(held)
    return out[0] if len(out) == 1 else ctx.tuple(out)


def _call_method(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    from .dispatch import call_abstract
    name, *given, held = args
    return call_abstract(ctx, read_attribute(ctx, held, name.value, node), given, kwargs, node)


def _suppress(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    return SIter("suppress", ctx.operand(args[0] if len(args) == 1 else ctx.tuple(args), node))


def _manager(*_: Any) -> None:
    """What a function decorated with contextlib.contextmanager does."""


def _contextmanager(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    return SPartial(Lit(_manager), [args[0]], {})


def _managed(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    from .dispatch import call_abstract
    ctx.program.inlined_generators = True
    try:
        return SIter("contextmanager", call_abstract(ctx, args[0], args[1:], kwargs, node))
    finally:
        ctx.program.inlined_generators = False


def _nullcontext(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    return SIter("nullcontext", args[0] if args else Lit(None))


HANDLERS: dict[Any, Any] = {
    sum: _sum,
    min: _extreme(min),
    max: _extreme(max),
    any: _quantifier(any),
    all: _quantifier(all),
    sorted: sorted_,
    heapq.nlargest: _best(True),
    heapq.nsmallest: _best(False),
    abs: _abs,
    pow: lambda ctx, args, kwargs, node: (
        binary_op(ctx, operator.pow, args[0], args[1], node) if len(args) == 2 and not kwargs else NotImplemented
    ),
    functools.partial: _partial,
    functools.reduce: _reduce,
    functools.wraps: _wraps,
    _keeps: _kept,
    functools.lru_cache: _cached,
    functools.cache: _cached,
    functools.update_wrapper: lambda ctx, args, kwargs, node: args[0],
    contextlib.suppress: _suppress,
    contextlib.contextmanager: _contextmanager,
    _manager: _managed,
    contextlib.nullcontext: _nullcontext,
    operator.getitem: _getitem,
    operator.setitem: _setitem,
    operator.delitem: _delitem,
    operator.contains: lambda ctx, args, kwargs, node: membership(ctx, operator.contains, args[1], args[0], node),
    **{made: _getter(pick) for made, pick in _PICKS.items()},
    _item_of: _take_item,
    _attr_of: _take_attr,
    _method_of: _call_method,
    operator.not_: lambda ctx, args, kwargs, node: _negated(ctx, args[0], node),
    operator.truth: lambda ctx, args, kwargs, node: truth(ctx, args[0], node),
}


def _negated(ctx: Lowering, x: Any, node: Any) -> Any:
    cond = truth(ctx, x, node)
    return Lit(not cond.value) if isinstance(cond, Lit) else call(ctx, operator.not_, [cond], node=node)


for _fn in BINARY.values():
    HANDLERS[_fn] = _binary(_fn)
for _fn in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.is_, operator.is_not):
    HANDLERS[_fn] = _compare(_fn)
for _fn in INPLACE.values():
    HANDLERS[_fn] = _inplace(_fn)
