"""Reverse of control flow: the reverse of a loop is a loop, that of a branch is a branch."""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import UnsupportedSyntax
from ....ir.effects import is_mutable, writes
from ....ir.exceptions import may_raise
from ....ir.ops import Block, Call, For, If, Invoke, Lit, Loc, Op, Operand, SetAttr, Try, Value, While, With, blocks_of, operands_of, walk
from ....ir.prims import unguarded
from ....ir.types import Arr, DictT, ListT, Num, OptT, RecordT, TupleT, Type, is_differentiable, join, unmixed
from ...analysis.alias import summarize
from ..unsupported_calls import Aliased
from .arrays import accumulate_at
from .carried_lists import forward_adjoints
from .containers import add_item, whole_tuple
from .hazards import check_carried
from .result import Pair
from .scopes import Scope, adjoint_type
from .unbroadcast import covers, whole
from .weak_scalars import widen_loop

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["choose", "items_of", "reverse_guard", "reverse_if", "reverse_loop"]


def _incoming(r: "Reverse", results: list[Value]) -> list[tuple[int, Any]]:
    """The cotangents of an operation's results, with their places; those that share a reference flow by themselves."""
    found = []
    for k, v in enumerate(results):
        if r.refs(v) is v and (g := r.take(v)) is not None:
            found.append((k, g))
    return found


def _check_apart(r: "Reverse", values: list[Value], paths: tuple[list[Operand], ...], at: Op) -> None:
    """Refuse references that come out of a branch, or that a loop carries, where two of them share memory: their adjoints would be
    two arrays."""
    for path in paths:
        seen: dict[Operand, Value] = {}
        for v, y in zip(values, path):
            if (isinstance(y, Value) and r.refs(v) is v and not r.mirrored(v) and isinstance(v.type, (Arr, ListT, DictT))
                    and r.classes.is_written(v) and r.is_active(v) and seen.setdefault(r.refs.root(y), v) is not v):
                raise Aliased(f"{v.name or 'a variable'!s} shares memory with another variable that changes its meaning here, and one of "
                              "both is written to in place", at.loc, "copy the array first: b = a.copy()")


def _as_one(r: "Reverse", v: Value, g: Any) -> Any:
    """A cotangent as one value, where `Reverse.take` gave those of the elements of a tuple or record."""
    return whole_tuple(r, v, g) if isinstance(g, dict) else g


def _enter(r: "Reverse", results: list[Value], yields: list[Operand], incoming: Iterable[tuple[int, Any]]) -> None:
    for k, g in incoming:
        if isinstance(yields[k].type, OptT):
            g = _as_one(r, results[k], g)
        r.add(yields[k], g, owned=isinstance(g, Value) and g in r.owned)


def reverse_if(r: "Reverse", op: If) -> None:
    """Take the same branch again."""
    if not _touches(r, op):
        return
    incoming = _incoming(r, op.results)
    _check_apart(r, op.results, (op.then.yields, op.orelse.yields), op)
    mirror = If(_truth(r, op), Block(), Block(), loc=op.loc, part="adjoint")
    handed = forward_adjoints(r, op, mirror.cond, incoming)
    scopes = []
    outer = r.scope
    for branch, (forward, backward) in enumerate(((op.then, mirror.then), (op.orelse, mirror.orelse))):
        scope = Scope(outer, forward, backward, "branch")
        scopes.append(scope)
        r.scope = scope
        _pair(r, forward, backward, op, mirror)
        with r.builder.inside(backward):
            _enter(r, op.results, forward.yields, ((k, g) for k, g in incoming if (branch, k) not in handed))
            r.reverse_block(forward)
        r.scope = outer
    _merge(r, scopes, [mirror.then, mirror.orelse], mirror)
    r.builder.loc = op.loc
    if mirror.then.ops or mirror.orelse.ops or mirror.results:
        r.builder.emit(mirror)


def _truth(r: "Reverse", op: If) -> Operand:
    """The condition of a branch; of a list or an array that changes later, whether it was true."""
    cond = op.cond
    if not isinstance(cond, Value) or isinstance(cond.type, TupleT) or not is_mutable(cond.type) or r.stability.stable(cond, op):
        return cond
    truth = Value(Num("bool"))
    r.remember(truth, Call(bool, [cond], results=[truth], loc=op.loc), cond, op, after=False, forced=True)
    return truth


def _touches(r: "Reverse", op: Any) -> bool:
    """Whether anything active happens in an operation's blocks or comes out of them."""
    if any(map(r.is_active, op.results)):
        return True
    for block in blocks_of(op):
        for inner in walk(block):
            if any(map(r.is_active, inner.results)) or any(r.is_active(o) for o in operands_of(inner)):
                return True
    return False


def _merge(r: "Reverse", scopes: list[Scope], blocks: list[Block], mirror: Any) -> None:
    """Make the adjoints that a branch changed results of the reverse operation."""
    touched = list(dict.fromkeys(v for s in scopes for v in s.touched))
    for v in touched:
        home = r.home(v)
        before = r.scope.current(v, home)
        found = [scope.local.get(v, before) for scope in scopes]
        lazy = any(x is None or not covers(x.type, v.type) for x in found) and any(x is not found[0] for x in found)
        yields: list[Operand] = []
        for x, block in zip(found, blocks):
            with r.builder.inside(block):
                if x is None:
                    x = r.zero(v)
                elif lazy:
                    x = whole(r.builder, x, r.primal(v, r.builder))
            yields.append(x)
        if all(x is yields[0] for x in yields):
            r.scope.set(v, home, yields[0])
            continue
        result = Value(_joined(*(x.type for x in yields)), f"{v.name}_bar" if v.name else None)
        if all(isinstance(x, Value) and x in r.owned for x in yields):
            r.owned.add(result)
        mirror.results.append(result)
        for block, x in zip(blocks, yields):
            block.yields.append(x)
        r.scope.set(v, home, result)


def _joined(a: Type, *others: Type) -> Type:
    for b in others:
        a = unmixed(join(a, b))
    return a


def _pair(r: "Reverse", forward: Block, backward: Block, owner: Any, mirror: Any) -> Any:
    pair = Pair(forward, backward, owner, mirror)
    r.pairs.append(pair)
    r.pair_of[id(forward)] = pair
    return pair


def reverse_loop(r: "Reverse", op: For | While) -> None:
    """Iterate backwards; the reverse loop carries the adjoints of the loop-carried values."""
    if not _touches(r, op):
        return
    n = len(op.body.params) - len(op.inits)
    params, yields = op.body.params[n:], op.body.yields[op.stops:]
    outer = r.scope
    _check_apart(r, params, (op.inits, yields), op)
    carried: list[tuple[int, Value, Operand]] = []
    block = Block()
    for k, (p, v) in enumerate(zip(params, op.results)):
        if r.refs(p) is not p or r.mirrored(p) or not (r.is_active(p) or r.is_active(v)):
            continue
        if isinstance(p.type, (ListT, DictT)) and r.classes.is_written(p):
            check_carried(r, op, p)
        origin = r.refs.root(op.inits[k])
        if r.classes.is_written(p) and any(r.refs.root(base) is origin for _, base in items_of(op) if isinstance(base, Value)):
            raise Aliased(f"the loop runs over what {p.name or 'a variable'} stands for at its start, and which is written to in the loop",
                          op.loc, "loop over a copy")
        g = r.take(v) if r.refs(v) is v else None
        start = r.zero(v) if g is None else whole(r.builder, _as_one(r, v, g), v)
        bar = Value(adjoint_type(p.type), f"{p.name}_bar" if p.name else None)
        if g is None or isinstance(g, Value) and g in r.owned:
            r.owned.add(bar)
        carried.append((k, bar, start))
    items = items_of(op)
    for item, base in items:
        if isinstance(op, For) and isinstance(base, Value):
            r.item_of[item] = (op, base)
    scope = r.scope = Scope(outer, op.body, block, "loop")
    mirror = For([], [], block, loc=op.loc, part="adjoint")
    _pair(r, op.body, block, op, mirror)
    with r.builder.inside(block):
        for k, bar, _ in carried:
            r.builder.loc = op.loc
            r.add(yields[k], bar, owned=bar in r.owned)
        r.reverse_block(op.body)
        r.builder.loc = op.loc
        for item, base in items:
            _give_back(r, op, scope, item, base)
        written_to = {bar for k, bar, _ in carried if isinstance(y := r.refs(yields[k]), Value) and r.shadowed(y)}
        for k, bar, _ in carried:
            p, back = params[k], _as_one(r, params[k], r.take(params[k]))
            needed = bar in r.owned and bar in written_to
            if back is None and isinstance(op.inits[k], Lit) and isinstance(p.type, Arr) and not p.type.scalar:
                back = r.builder.call(np.zeros_like, bar, type=p.type)      # no value before the loop provides the shape
            block.yields.append(r.zero(p) if back is None else _own(r, whole(r.builder, back, p), needed))
    r.scope = outer
    r.builder.loc = op.loc
    block.params += [bar for _, bar, _ in carried]
    mirror.inits += [start for _, _, start in carried]
    for v, param in scope.carried.items():
        before = outer.current(v, r.home(v))
        mirror.inits.append(r.zero(v) if before is None else whole(r.builder, before, r.primal(v, r.builder)))
        block.params.append(param)
        block.yields.append(scope.local.get(v, param))
    taken = [p.type for p in block.params]
    for p, start, end in zip(block.params, mirror.inits, block.yields):
        p.type = _joined(start.type, end.type)
    mirror.results = [Value(p.type, p.name) for p in block.params]
    if any(isinstance(t, Num) and p.type != t for p, t in zip(block.params, taken)):
        widen_loop(mirror)
    if not (block.ops or mirror.results):
        return
    r.builder.emit(mirror)
    for v, result in zip(scope.carried, mirror.results[len(carried):]):
        outer.set(v, r.home(v), result)
    for (k, bar, _), result in zip(carried, mirror.results):
        r.add(op.inits[k], result, owned=bar in r.owned)


def _own(r: "Reverse", back: Any, needed: bool) -> Any:
    """A cotangent that the next iteration may add to in place: a copy, where something else may refer to it."""
    if not needed or not isinstance(back, Value) or back in r.owned or not isinstance(back.type, Arr) or back.type.scalar:
        return back
    return r.builder.call(np.ndarray.copy, back, type=back.type)


def items_of(op: For | While) -> list[tuple[Value, Operand | None]]:
    """Loop variables that carry derivatives, with the sequence they are items of."""
    out: list[tuple[Value, Operand | None]] = []
    if isinstance(op, For):
        k = 0
        for s in op.sources:
            width = 2 if s.kind == "items" else 1
            if s.kind in ("seq", "items", "values"):
                out.append((op.body.params[k + width - 1], s.operands[0]))
            elif s.kind == "iter":
                out.append((op.body.params[k], None))
            k += width
    return out


def _give_back(r: "Reverse", op: For | While, scope: Scope, item: Value, base: Operand | None) -> None:
    """Add the adjoint of a loop variable to the item of the sequence it was."""
    if not r.is_active(item):
        return
    if base is None or not isinstance(op, For):
        raise UnsupportedSyntax("a loop over an iterator whose items depend on a differentiated input has no derivative", op.loc,
                                "loop over a list or an array")
    preset = None if r.in_parts(item) else scope.shadows.get(item)
    g = r.take(item)
    if g is None or preset is not None:
        return
    if any(s.reverse and s.operands[0] is base for s in op.sources if s.operands) and r.classes.is_resized(base, op.body):
        raise UnsupportedSyntax("a list that is looped over in reverse grows or shrinks while the loop runs", op.loc,
                                "loop over a copy: reversed(list(x))")
    index = r.item_index(op, base)
    if isinstance(base.type, (ListT, TupleT, DictT, RecordT)):
        if isinstance(g, dict):
            # parts that are arrays were added to in place
            g = {k: v for k, v in g.items() if not r.shadowed(r.refs.parts_of(item)[k])}  # type: ignore[arg-type]
            if not g:
                return
        add_item(r, r.shadow(base), index, g, item.type)
    else:
        accumulate_at(r, r.shadow(base), index, g)


def reverse_guard(r: "Reverse", op: Try | With) -> None:
    """``with``: reverses the body, where it stands.  ``try``: reverses the path that ran."""
    if not _touches(r, op):
        return
    incoming = _incoming(r, op.results)
    if isinstance(op, With):
        _enter(r, op.results, op.body.yields, incoming)
        r.reverse_block(op.body)
        return
    if op.final is not None and _touches(r, With(Lit(None), op.final)):
        raise UnsupportedSyntax("a finally clause that changes differentiated values has no derivative", op.loc,
                                "move it behind the try statement")
    _check_partial(r, op)
    _reverse_paths(r, op, [op.body, *(h.body for h in op.handlers)], r.path_of(op), incoming)


def _reverse_paths(r: "Reverse", op: Try, forwards: list[Block], path: Value, incoming: list[tuple[int, Any]]) -> None:
    first, rest = forwards[0], forwards[1:]
    outer = r.scope
    cond = r.builder.call(operator.eq, path, len(op.handlers) - len(rest), type=Num("bool"))
    mirror = If(cond, Block(), Block(), loc=op.loc, part="adjoint")
    scopes = []
    for forward, backward in ((first, mirror.then), (None, mirror.orelse)):
        scope = r.scope = Scope(outer, forward or Block(), backward, "branch")
        scopes.append(scope)
        with r.builder.inside(backward):
            if forward is not None:
                _pair(r, forward, backward, op, mirror)
                _enter(r, op.results, forward.yields, incoming)
                r.reverse_block(forward)
            elif rest:
                _reverse_paths(r, op, rest, path, incoming)
        r.scope = outer
    _merge(r, scopes, [mirror.then, mirror.orelse], mirror)
    r.builder.loc = op.loc
    r.builder.emit(mirror)


#: calls that raise before they write anything
_ATOMIC = frozenset((operator.setitem, operator.delitem, list.append, list.insert, list.pop, list.remove, dict.pop, dict.setdefault))


def _check_partial(r: "Reverse", op: Try) -> None:
    """Refuse a try clause that may be left after it has changed something a derivative depends on."""
    if not op.handlers:
        return
    ops = op.body.ops
    end = next((k for k, o in enumerate(ops) if isinstance(o, Call) and o.fn is unguarded), len(ops))
    last = max((k for k, o in enumerate(ops[:end]) if may_raise(Block([], [o]), None)), default=-1)
    for k, outer in enumerate(ops[:last + 1]):
        for inner in walk(Block([], [outer])):
            if k == last and inner is outer and isinstance(inner, Call) and inner.fn in _ATOMIC:
                continue        # the last operation that may raise: where it does, it has not written anything
            if isinstance(inner, SetAttr) and not is_differentiable(inner.value.type):
                continue        # a label, say
            written = [inner.args[k] for k in summarize(inner.func).written] if isinstance(inner, Invoke) else writes(inner)
            for w in written:
                if r.is_active(w) and isinstance(w, Value) and not _inside(r, w, op.body):
                    raise UnsupportedSyntax("a try clause writes to an array or container before an exception may leave it, so that it is "
                                            "not known which writes took place", inner.loc,
                                            "compute in the try clause, and write behind it (in else)")


def _inside(r: "Reverse", v: Value, block: Block) -> bool:
    root = r.refs.root(v)
    return isinstance(root, Value) and block in r.layout.chain(r.home(root))


def choose(r: "Reverse", cond: Operand, actions: tuple[Callable[[], None], Callable[[], None]], loc: Loc | None) -> None:
    """Append a branch whose two blocks are written by ``actions``."""
    mirror = If(cond, Block(), Block(), loc=loc, part="adjoint")
    outer, scopes = r.scope, []
    for action, block in zip(actions, (mirror.then, mirror.orelse)):
        r.scope = Scope(outer, Block(), block, "branch")
        scopes.append(r.scope)
        with r.builder.inside(block):
            action()
        r.scope = outer
    _merge(r, scopes, [mirror.then, mirror.orelse], mirror)
    if mirror.then.ops or mirror.orelse.ops or mirror.results:
        r.builder.emit(mirror)
