"""Loops of which only some states are kept: cut into stretches, each a call that is made again in the reverse sweep."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntax
from ..ir.build import Builder
from ..ir.clone import clone_block
from ..ir.effects import is_mutable, writes
from ..ir.infer_calls import is_random
from ..ir.ops import Block, Call, CallValue, For, Function, Invoke, Lit, Param, Source, Tree, Value, blocks_of, operands_of, walk
from ..ir.types import Num
from .alias import AliasClasses, summarize

__all__ = ["cut_loops", "refuse_draws", "refuse_effects"]


def cut_loops(fn: Function) -> None:
    """Cuts the loops of a function that ask for it, in place."""
    found = [(block, op) for block in _blocks(fn.body) for op in block.ops if isinstance(op, For) and any(
        s.snapshots is not None for s in op.sources)]
    if found:
        classes = AliasClasses(fn)
        for block, op in found:
            _cut(fn, block, op, classes)


def _blocks(block: Block) -> list[Block]:
    return [block, *(b for op in block.ops for inner in blocks_of(op) for b in _blocks(inner))]


def _cut(fn: Function, block: Block, op: For, classes: AliasClasses) -> None:
    source = op.sources[0]
    if len(op.sources) > 1 or source.kind != "range" or source.reverse or op.stops or not _is_one(source.operands[2]):
        raise UnsupportedSyntax("only a loop over a range with step 1 that is not left early keeps some of its states", op.loc,
                                "write it as for i in tg.checkpointed(range(n)), or leave tg.checkpointed out")
    free = _free(op)
    outside = {classes.find(v) for v in (*free, *(x for x in op.inits if isinstance(x, Value)))}
    if any(isinstance(w, Value) and classes.find(w) in outside for o in walk(op.body) for w in writes(o)):
        raise UnsupportedSyntax("a loop that keeps some of its states writes into an array or list from outside of it", op.loc,
                                "carry it from one iteration to the next as a variable: x = step(x)")
    start, stop, _ = source.operands
    steps = _stretch(fn, op, free)
    at = block.ops.index(op)
    made = Block()
    with Builder(made, loc=op.loc) as b:
        n = stop if isinstance(start, Lit) and start.value == 0 else b.call(operator.sub, stop, start, type=Num("int"))
        length = b.call(math.isqrt, n, type=Num("int")) if not source.snapshots else b.call(
            operator.floordiv, b.call(operator.add, n, source.snapshots - 1, type=Num("int")), source.snapshots, type=Num("int"))
        stretch = b.call(max, length, 1, name="stretch", type=Num("int"))
        first = Value(Num("int"), "first")
        carried = [Value(r.type, r.name, r.varied) for r in op.results]
        body = Block([first, *carried])
        with b.inside(body):
            end = b.call(min, b.call(operator.add, first, stretch, type=Num("int")), stop, name="end", type=Num("int"))
            results = [Value(r.type, r.name, r.varied) for r in op.results]
            b.emit(Invoke(steps, [first, end, *carried, *free], results=results))
            body.yields = list(results)
    outer = For([Source("range", [start, stop, stretch])], op.inits, body, results=op.results, loc=op.loc)
    block.ops[at:at + 1] = [*made.ops, outer]


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


def _stretch(fn: Function, op: For, free: list[Value]) -> Function:
    """The loop from one iteration to another, as a function."""
    lo, hi = Value(Num("int"), "first"), Value(Num("int"), "end")
    carried = [Value(r.type, r.name or "state", r.varied) for r in op.results]
    mapping = {v: Value(v.type, v.name, v.varied) for v in free}
    body = clone_block(op.body, dict(mapping))
    results = [Value(r.type, r.name, r.varied) for r in op.results]
    loop = For([Source("range", [lo, hi, Lit(1)])], list(carried), body, results=results, loc=op.loc)
    made = Function(f"{fn.name}_steps", Block([lo, hi, *carried, *mapping.values()], [loop], list(results)), names=fn.names, loc=op.loc,
                    attrs={"emit": True, "checkpoint": True})
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


def refuse_effects(op: Invoke) -> None:
    """Refuses to make a call again that would not do the same again."""
    if any(is_mutable(op.args[k].type) for k in summarize(op.func).written):
        raise UnsupportedSyntax(f"{op.func.name} is to be computed again in the reverse sweep, but writes into what it is given", op.loc,
                                "have it work on a copy, or leave the checkpoint out")
    refuse_draws(op.func)


def _may_draw(op: CallValue) -> bool:
    """Whether a method of an object that is not known when compiling is one of NumPy's random generators."""
    return any(hasattr(owner, op.method or "") for owner in (np.random.Generator, np.random.RandomState))


def refuse_draws(fn: Function) -> None:
    """Refuses to run a function more than once that would not do the same again."""
    todo, seen = [fn], {id(fn)}
    while todo:
        for inner in walk(todo.pop().body):
            if isinstance(inner, Call) and is_random(inner.fn) or isinstance(inner, CallValue) and _may_draw(inner):
                raise UnsupportedSyntax(f"{fn.name} is to be computed more than once, but draws random numbers", inner.loc,
                                        "draw random numbers outside, and pass them in")
            if isinstance(inner, Invoke) and id(inner.func) not in seen:
                seen.add(id(inner.func))
                todo.append(inner.func)
