"""itertools: as displays where the items are known, else as loops."""
from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable
from typing import Any

import gast

from ...ir.ops import Lit, Value
from ..calls.dispatch import call_abstract
from ..context import Lowering
from ..domain.abstract import SIter, SSlice, is_none
from ..expressions.operations import call
from ..expressions.operators import binary_op, compare_op, truth
from ..objects.generator_records import is_iterator, loop_over, next_of
from ..refusals import refuse
from ..statements.control_flow import branch
from ..statements.generators import assigned_outside
from ..statements.loop_fixpoint import Loop
from ..statements.loops import run_unless_exited
from ..statements.static_unrolling import displays
from .iterables import as_list, run_loop, static_items

__all__ = ["HANDLERS"]

_MOST = 256     # items that a combination of known things may have
_RESIZERS = frozenset(("append", "extend", "insert", "pop", "remove", "clear"))


def _known(ctx: Lowering, xs: list[Any]) -> list[list[Any]] | None:
    out = [static_items(ctx, x) if not isinstance(x, Value) else None for x in xs]
    return None if any(o is None for o in out) else [o for o in out if o is not None]


def _taken_over(ctx: Lowering, sources: list[Any], items: Iterable[Any]) -> SIter:
    """The items that an iterator over known things comes to."""
    return SIter("list", *items, over=tuple((d, ctx.contents(d)) for x in sources for d in displays(x)))


def _refuse_resized(ctx: Lowering, node: Any) -> None:
    """Of lists whose lengths only running tells, items are taken as they are when the iterator is made, or when it comes to them: not
    as Python's does, where the loop over it changes the list."""
    names = {n.id for a in node.args for n in gast.walk(a) if isinstance(n, gast.Name)}
    for loop in gast.walk(ctx.frame.node):
        if isinstance(loop, gast.For) and any(n is node for n in gast.walk(loop.iter)) and any(
                _resizes(n, names) for statement in loop.body for n in gast.walk(statement)):
            refuse("unroll", ctx.at(node), "a list that it changes")


def _resizes(node: Any, names: set[str]) -> bool:
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in _RESIZERS:
        changed = [node.func.value]
    elif isinstance(node, gast.Delete):
        changed = [t.value for t in node.targets if isinstance(t, gast.Subscript)]
    else:
        changed = [node.target] if isinstance(node, gast.AugAssign) else []
    return any(isinstance(x, gast.Name) and x.id in names for x in changed)


def _product(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    repeat = kwargs.get("repeat", Lit(1))
    if not isinstance(repeat, Lit):
        refuse("undecided", ctx.at(node), "the number of repetitions is not known when compiling")
    parts = list(args) * repeat.value
    known = _known(ctx, parts)
    if known is not None:
        rows = list(itertools.islice(itertools.product(*known), _MOST + 1))
        if len(rows) <= _MOST:
            return SIter("list", *(ctx.tuple(r) for r in rows))

    _refuse_resized(ctx, node)

    def run(step: Callable[[Any], None]) -> None:
        def level(k: int, row: list[Any]) -> None:
            if k == len(parts):
                step(ctx.tuple(row))
                return
            run_loop(ctx, parts[k], lambda item: level(k + 1, [*row, item]), node, assigned_outside(ctx))
        level(0, [])
    return SIter("nested", run)


def _chain(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    known = _known(ctx, args)
    return _taken_over(ctx, args, (i for k in known for i in k)) if known is not None else SIter("chain", *args)


def _from_iterable(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    outer = static_items(ctx, args[0]) if not isinstance(args[0], Value) else None
    if outer is not None:
        return _chain(ctx, outer, {}, node)

    def run(step: Callable[[Any], None]) -> None:
        run_loop(ctx, args[0], lambda inner: _drop(run_loop(ctx, inner, step, node, assigned_outside(ctx))), node, assigned_outside(ctx))
    return SIter("nested", run)


def _drop(_: Any) -> None:
    """Drops a result."""


def _selection(fn: Any) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        count = args[1] if len(args) > 1 else kwargs.get("r", Lit(None))
        known = _known(ctx, args[:1])
        if not isinstance(count, Lit):
            refuse("undecided", ctx.at(node), "the number of items chosen is not known when compiling")
        if known is not None:
            rows = list(itertools.islice(fn(known[0], count.value) if count.value is not None else fn(known[0]), _MOST + 1))
            if len(rows) <= _MOST:
                return SIter("list", *(ctx.tuple(r) for r in rows))
        if fn not in (itertools.combinations, itertools.combinations_with_replacement):
            refuse("static", ctx.at(node), f"itertools.{fn.__name__} of a list of unknown length")
        _refuse_resized(ctx, node)
        xs = as_list(ctx, args[0], node)
        again = fn is itertools.combinations_with_replacement

        def run(step: Callable[[Any], None]) -> None:
            n = call(ctx, len, [xs], spelling="len", node=node)

            def level(k: int, row: list[Any], start: Any) -> None:
                if k == count.value:
                    step(ctx.tuple([call(ctx, operator.getitem, [xs, i], node=node) for i in row]))
                    return
                run_loop(
                    ctx,
                    SIter("range", start, n),
                    lambda i: level(k + 1, [*row, i], i if again else binary_op(ctx, operator.add, i, Lit(1), node)),
                    node,
                    assigned_outside(ctx),
                )
            level(0, [], Lit(0))
        return SIter("nested", run)
    return handler


def _refuse_iterator(ctx: Lowering, x: Any, node: Any) -> None:
    """Refuse an iterator whose items would all be taken at once."""
    if is_iterator(ctx, x):
        refuse("generator_send", ctx.at(node), "an iterator whose items are taken one by one, in this function of itertools")


def _pairwise(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    _refuse_iterator(ctx, args[0], node)
    known = _known(ctx, args)
    if known is not None:
        return _taken_over(ctx, args, (ctx.tuple(p) for p in itertools.pairwise(known[0])))
    _refuse_resized(ctx, node)
    xs = as_list(ctx, args[0], node)
    return SIter("zip", call(ctx, operator.getitem, [xs, Lit(slice(None, -1))], node=node),
                 call(ctx, operator.getitem, [xs, Lit(slice(1, None))], node=node))


def _islice(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    bounds = args[1:]
    if is_iterator(ctx, args[0]):
        args = [loop_over(ctx, args[0], node), *args[1:]]
    known = _known(ctx, args[:1])
    if known is None and isinstance(args[0], SIter) and args[0].one_pass and args[0].kind not in ("count", "repeat"):
        return _sliced_lazily(ctx, args[0], [Lit(None), bounds[0], Lit(None)] if len(bounds) == 1 else [*bounds, Lit(None)][:3], node)
    if known is None:
        _refuse_resized(ctx, node)
    if not all(isinstance(b, Lit) for b in bounds):
        parts = [Lit(None), bounds[0], Lit(None)] if len(bounds) == 1 else [*bounds, Lit(None)][:3]
        return call(ctx, operator.getitem, [as_list(ctx, args[0], node), SSlice(*parts)], node=node)
    cut = slice(*(b.value for b in bounds))
    if known is not None:
        return _taken_over(ctx, args[:1], known[0][cut])
    if isinstance(args[0], SIter) and args[0].kind in ("count", "repeat") and cut.start in (None, 0) and cut.step in (None, 1):
        return SIter("zip", args[0], SIter("range", Lit(cut.stop)))
    return call(ctx, operator.getitem, [as_list(ctx, args[0], node), Lit(cut)], node=node)


def _sliced_lazily(ctx: Lowering, x: SIter, bounds: list[Any], node: Any) -> SIter:
    """``islice`` of a generator or another iterator: takes no item behind the last one."""
    start, stop, stride = (Lit(default) if is_none(bound) else bound for bound, default in zip(bounds, (0, None, 1)))
    every = isinstance(start, Lit) and start.value == 0 and isinstance(stride, Lit) and stride.value == 1

    def when(a: Any, op: Any, b: Any, then: Callable[[], Any]) -> None:
        cond = truth(ctx, compare_op(ctx, op, a, b, node), node)
        if not isinstance(cond, Lit):
            branch(ctx, cond, then, lambda: None)
        elif cond.value:
            then()

    def run(step: Callable[[Any], None]) -> None:
        number = (object(), "count")
        loop = Loop(ctx.frame)

        def leave() -> None:
            ctx.state[loop.brk] = Lit(True)
            ctx.state["#dead"] = ("break", loop)

        def one(item: Any) -> None:
            k = ctx.state[number]
            ctx.state[number] = binary_op(ctx, operator.add, k, Lit(1), node)
            if every:
                step(item)
            else:
                past = binary_op(ctx, operator.sub, k, start, node)
                when(k, operator.ge, start, lambda: when(binary_op(ctx, operator.mod, past, stride, node), operator.eq, Lit(0),
                                                         lambda: step(item)))
            if not is_none(stop) and not ctx.dead:
                run_unless_exited(ctx, lambda: when(ctx.state[number], operator.ge, stop, leave))

        def whole() -> None:
            ctx.state[number] = Lit(0)
            run_loop(ctx, x, one, node, [number, *assigned_outside(ctx)], loop)
            ctx.state.pop(loop.brk, None)
            ctx.state.pop(number, None)
        if is_none(stop):
            whole()
        else:
            when(stop, operator.gt, Lit(0), whole)
    return SIter("nested", run)


def _accumulate(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    func = args[1] if len(args) > 1 else kwargs.get("func", Lit(operator.add))
    if is_none(func):
        func = Lit(operator.add)
    initial = kwargs.get("initial", Lit(None))
    known = _known(ctx, args[:1])
    if is_iterator(ctx, args[0]):
        return _accumulate_lazily(ctx, args[0], func, initial, node)
    if known is not None:
        items = list(known[0]) if is_none(initial) else [initial, *known[0]]
        out = items[:1]
        for item in items[1:]:
            out.append(call_abstract(ctx, func, [out[-1], item], {}, node))
        return _taken_over(ctx, args[:1], out)
    _refuse_resized(ctx, node)
    xs = as_list(ctx, args[0], node)

    def run(step: Callable[[Any], None]) -> None:
        key = (object(), "total")
        rest = xs
        if is_none(initial):
            ctx.state[key] = call(ctx, operator.getitem, [xs, Lit(0)], node=node)
            rest = call(ctx, operator.getitem, [xs, Lit(slice(1, None))], node=node)
        else:
            ctx.state[key] = initial
        step(ctx.state[key])

        def one(item: Any) -> None:
            ctx.state[key] = call_abstract(ctx, func, [ctx.state[key], item], {}, node)
            step(ctx.state[key])
        run_loop(ctx, rest, one, node, [key, *assigned_outside(ctx)])
        ctx.state.pop(key, None)
    return SIter("nested", run)


def _accumulate_lazily(ctx: Lowering, x: Any, func: Any, initial: Any, node: Any) -> SIter:
    """``accumulate`` of an iterator, which keeps the items that are not asked for."""
    def run(step: Callable[[Any], None]) -> None:
        key = (object(), "total")
        ctx.state[key] = initial
        if is_none(initial):
            ctx.state[key] = next_of(ctx, x, [], node)
        step(ctx.state[key])

        def one(item: Any) -> None:
            ctx.state[key] = call_abstract(ctx, func, [ctx.state[key], item], {}, node)
            step(ctx.state[key])
        run_loop(ctx, x, one, node, [key, *assigned_outside(ctx)])
        ctx.state.pop(key, None)
    return SIter("nested", run)


def _repeat(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    times = args[1] if len(args) > 1 else kwargs.get("times")
    if times is None:
        return SIter("map", lambda _: args[0], SIter("count", Lit(0)))
    if isinstance(times, Lit) and times.value <= 32:
        return SIter("list", *[args[0]] * times.value)
    return SIter("map", lambda _: args[0], SIter("range", times))


def _count(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    start = args[0] if args else kwargs.get("start", Lit(0))
    step = args[1] if len(args) > 1 else kwargs.get("step", Lit(1))
    if isinstance(step, Lit) and step.value == 1:
        return SIter("count", start)
    return SIter(
        "map", lambda k: binary_op(ctx, operator.add, start, binary_op(ctx, operator.mul, k, step, node), node), SIter("count", Lit(0))
    )


def _cycle(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    _refuse_iterator(ctx, args[0], node)
    known = _known(ctx, args)
    if known is not None and not known[0]:
        return SIter("list")
    _refuse_resized(ctx, node)
    xs = as_list(ctx, args[0], node)
    n = call(ctx, len, [xs], spelling="len", node=node)

    def at(k: Any) -> Any:
        return call(ctx, operator.getitem, [xs, binary_op(ctx, operator.mod, k, n, node)], node=node)
    return SIter("map", at, SIter("count", Lit(0)))


def _starmap(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:

    def spread(row: Any) -> Any:
        items = static_items(ctx, row)
        if items is None:
            refuse("unpack", ctx.at(node), "an argument passed with *")
        return call_abstract(ctx, args[0], items, {}, node)
    return SIter("map", spread, args[1])


def _zip_longest(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    known = _known(ctx, args)
    if known is None:
        refuse("static", ctx.at(node), "itertools.zip_longest of lists of unknown length")
    fill = kwargs.get("fillvalue", Lit(None))
    return _taken_over(ctx, args, (ctx.tuple(r) for r in itertools.zip_longest(*known, fillvalue=fill)))


def _takewhile(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:

    def run(step: Callable[[Any], None]) -> None:
        loop = Loop(ctx.frame)

        def leave() -> None:
            ctx.state[loop.brk] = Lit(True)
            ctx.state["#dead"] = ("break", loop)

        def one(item: Any) -> None:
            cond = truth(ctx, call_abstract(ctx, args[0], [item], {}, node), node)
            if isinstance(cond, Lit):
                step(item) if cond.value else leave()
                return
            branch(ctx, cond, lambda: step(item), leave)
        run_loop(ctx, args[1], one, node, assigned_outside(ctx), loop)
        ctx.state.pop(loop.brk, None)
    return SIter("nested", run)


HANDLERS: dict[Any, Any] = {
    itertools.product: _product, itertools.chain: _chain, itertools.chain.from_iterable: _from_iterable,
    itertools.combinations: _selection(itertools.combinations), itertools.permutations: _selection(itertools.permutations),
    itertools.combinations_with_replacement: _selection(itertools.combinations_with_replacement), itertools.pairwise: _pairwise,
    itertools.islice: _islice, itertools.accumulate: _accumulate, itertools.repeat: _repeat, itertools.count: _count,
    itertools.cycle: _cycle,
    itertools.starmap: _starmap, itertools.zip_longest: _zip_longest, itertools.takewhile: _takewhile,
}
