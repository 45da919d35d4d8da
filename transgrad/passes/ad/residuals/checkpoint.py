"""Checkpointed loops: save some states of a loop and recompute the others in the reverse sweep, segment by segment."""
from __future__ import annotations

import math
import operator
from typing import Any

from ....errors import UnsupportedSyntax
from ....ir.attributes import Attributes
from ....ir.build import Builder
from ....ir.clone import clone_block, clone_function
from ....ir.effects import is_mutable, writes
from ....ir.ops import Block, Call, For, Function, Invoke, Lit, Param, Source, Tree, Value, While, blocks_of, operands_of, walk
from ....ir.types import Num
from ....runtime import binomial_middle, binomial_stretch
from ...analysis.alias import AliasClasses, summarize
from ...manager import Stage, analysis, optimization

__all__ = ["checkpoint_loops", "save_lists", "mark_loops", "refuse_effects"]


@optimization(Stage.DIFFERENTIATE, analyses=(AliasClasses,))
def checkpoint_loops(fn: Function) -> bool:
    """Cut the loops of a function that ask for it, in place."""
    found = [(block, op) for block in _blocks(fn.body) for op in block.ops if isinstance(op, For) and any(
        s.snapshots is not None for s in op.sources)]
    if found:
        classes = analysis(AliasClasses, fn)
        for block, op in found:
            _cut(fn, block, op, classes)
        return True
    return False


def _blocks(block: Block) -> list[Block]:
    return [block, *(b for op in block.ops if type(op) is not Call for inner in blocks_of(op) for b in _blocks(inner))]


def _cut(fn: Function, block: Block, op: For, classes: AliasClasses) -> None:
    free = _free(op)
    found = _obstacle(op, free, classes)
    if found is not None:
        raise UnsupportedSyntax(found[0], op.loc, found[1])
    source = op.sources[0]
    at = block.ops.index(op)
    made = Block()
    with Builder(made, loc=op.loc) as b:
        (_by_schedule if source.snapshots else _by_stretches)(b, fn, op, free)
    block.ops[at:at + 1] = made.ops


def _obstacle(op: For, free: list[Value], classes: AliasClasses) -> tuple[str, str] | None:
    """Why a loop has to save all its states, with a hint; None if some are enough."""
    source = op.sources[0]
    if len(op.sources) > 1 or source.kind != "range" or source.reverse or op.stops or not _is_one(source.operands[2]):
        return ("only a loop over a range with step 1 that is not left early keeps some of its states",
                "write it as for i in tg.checkpointed(range(n)), or leave tg.checkpointed out")
    outside = {classes.find(v) for v in (*free, *(x for x in op.inits if isinstance(x, Value)))}
    if any(isinstance(w, Value) and classes.find(w) in outside for o in walk(op.body) for w in writes(o)):
        return ("a loop that keeps some of its states writes into an array or list from outside of it",
                "carry it from one iteration to the next as a variable: x = step(x)")
    return None


def mark_loops(fn: Function, snapshots: int) -> bool:
    """Let all supported loops of a function and its callees save only some of their states (of nested loops, the outer ones);
    return whether there are any."""
    return _mark(fn.body, snapshots, AliasClasses(fn), {id(fn)})


def _mark(block: Block, snapshots: int, classes: AliasClasses, seen: set[int]) -> bool:
    marked = False
    for op in block.ops:
        if isinstance(op, For) and op.inits and _obstacle(op, _free(op), classes) is None:
            if op.sources[0].snapshots is None:
                op.sources[0].snapshots = snapshots
            marked = True
        elif isinstance(op, Invoke) and id(op.func) not in seen:
            seen.add(id(op.func))
            marked |= _mark(op.func.body, snapshots, AliasClasses(op.func), seen)
        else:
            for inner in blocks_of(op):
                marked |= _mark(inner, snapshots, classes, seen)
    return marked


def _by_stretches(b: Builder, fn: Function, op: For, free: list[Value]) -> None:
    """A loop over stretches as long as the square root of all: it keeps the state before each, and reverses one at a time."""
    start, stop, _ = op.sources[0].operands
    steps = _part(fn, op, free, "steps")
    n = _length(b, op)
    stretch = b.call(max, b.call(math.isqrt, n, type=Num("int")), 1, name="stretch", type=Num("int"))
    first = Value(Num("int"), "first")
    carried = _like(op.results)
    body = Block([first, *carried])
    with b.inside(body):
        end = b.call(min, b.call(operator.add, first, stretch, type=Num("int")), stop, name="end", type=Num("int"))
        body.yields = list(_invoke(b, steps, [first, end, *carried, *free], op, again=True))
    b.emit(For([Source("range", [start, stop, stretch])], op.inits, body, results=op.results, loc=op.loc))


def _by_schedule(b: Builder, fn: Function, op: For, free: list[Value]) -> None:
    """A function whose derivative splits the loop until a segment is left that can be reversed at once. Of each earlier segment only
    the initial state is saved, and the splits follow the binomial schedule."""
    start, stop, _ = op.sources[0].operands
    steps = _part(fn, op, free, "steps", ("snapshots", "stretch"))
    tree = steps.attrs.reversed_as = clone_function(steps)
    last = _part(fn, op, free, "stretch")
    for inner in last.body.ops:
        assert isinstance(inner, For)
        inner.sources[0].frees = True
    first, end, snapshots, stretch, *rest = tree.body.params
    carried, given = rest[:len(op.results)], rest[len(op.results):]
    begin = [first, snapshots, *carried]
    at, left, *states = _like(begin)
    body, cond = Block([at, left, *states]), Block(_like(begin))
    with b.inside(cond):
        cond.yields = [b.call(operator.gt, b.call(operator.sub, end, cond.params[0], type=Num("int")), stretch, type=Num("bool"))]
    with b.inside(body):
        middle = b.call(binomial_middle, at, end, left, stretch, name="middle", type=Num("int"))
        later = _invoke(b, steps, [at, middle, left, stretch, *states, *given], op, again=True)
        body.yields = [middle, b.call(operator.sub, left, 1, type=Num("int")), *later]
    tree.body = Block(tree.body.params)
    with b.inside(tree.body):
        cut = While(list(begin), cond, body, results=_like(body.params), loc=op.loc)
        b.emit(cut)
        tree.body.yields = list(_invoke(b, last, [cut.results[0], end, *cut.results[2:], *given], op))
    kept = Lit(op.sources[0].snapshots)
    at_once = b.call(binomial_stretch, _length(b, op), kept, name="stretch", type=Num("int"))
    b.emit(Invoke(steps, [start, stop, kept, at_once, *op.inits, *free], results=op.results))


def _length(b: Builder, op: For) -> Any:
    start, stop, _ = op.sources[0].operands
    return stop if isinstance(start, Lit) and start.value == 0 else b.call(operator.sub, stop, start, type=Num("int"))


def _like(values: list[Value]) -> list[Value]:
    return [Value(v.type, v.name, v.varied) for v in values]


def _invoke(b: Builder, func: Function, args: list[Any], op: For, again: bool = False) -> list[Value]:
    call = Invoke(func, args, again, results=_like(op.results))
    b.emit(call)
    return call.results


def _is_one(x: Any) -> bool:
    return isinstance(x, Lit) and x.value == 1


def _free(op: For) -> list[Value]:
    """The values that the body reads from outside."""
    inside = set(op.body.params)
    for o in walk(op.body):
        inside.update(o.results)
        for b in blocks_of(o):
            inside.update(b.params)
    reads = [x for o in walk(op.body) for x in operands_of(o)]
    reads += [y for o in walk(op.body) for b in blocks_of(o) for y in b.yields]
    reads += op.body.yields
    return list(dict.fromkeys(x for x in reads if isinstance(x, Value) and x not in inside))


def _part(fn: Function, op: For, free: list[Value], name: str, more: tuple[str, ...] = ()) -> Function:
    """The loop from one iteration to another, as a function, with ``more`` parameters for its derivative."""
    lo, hi = Value(Num("int"), "first"), Value(Num("int"), "end")
    carried = [Value(r.type, r.name or "state", r.varied) for r in op.results]
    mapping = {v: Value(v.type, v.name, v.varied) for v in free}
    body = clone_block(op.body, dict(mapping))
    results = _like(op.results)
    loop = For([Source("range", [lo, hi, Lit(1)])], list(carried), body, results=results, loc=op.loc)
    params = [lo, hi, *(Value(Num("int"), n) for n in more), *carried, *mapping.values()]
    made = Function(f"{fn.name}_{name}", Block(params, [loop], list(results)), names=fn.names, loc=op.loc, attrs=Attributes(emit=True))
    taken: set[str] = set()
    for p in made.params:
        name = p.name or "c"
        while name in taken:
            name += "_"
        taken.add(name)
        made.signature.append(Param(name, p))
    leaves = [Tree("leaf", index=k) for k in range(len(results))]
    made.returns = leaves[0] if len(leaves) == 1 else Tree("tuple", leaves)
    return made


@optimization(Stage.DIFFERENTIATE, analyses=(AliasClasses,))
def save_lists(fn: Function) -> bool:
    """Keep the items of lists that a loop would remove as it reads them: the function may be called any number of times."""
    for op in walk(fn.body):
        for source in op.sources if isinstance(op, For) else ():
            source.frees = False
    return True


def refuse_effects(op: Invoke) -> None:
    """Refuse to make a call again that would not do the same again."""
    if any(is_mutable(op.args[k].type) for k in summarize(op.func).written):
        raise UnsupportedSyntax(f"{op.func.name} is to be recomputed in the reverse sweep, but writes to its arguments", op.loc,
                                "have it work on a copy, or leave the checkpoint out")
