"""What the turns of a loop keep in several lists they keep in one, as tuples, where making and running over lists takes longer than
the tuples do: of loops inside of loops, which have lists of their own each time, and where there are many.
"""
from __future__ import annotations

from dataclasses import dataclass

from ...ir.ops import Block, Build, Call, For, Function, Lit, Op, Source, Value, While, blocks_of, operands_of, walk
from ...ir.prims import unpack
from ...ir.types import ListT, TupleT, Type
from ..switches import is_on
from .again import kept_besides

__all__ = ["join_kept_lists"]

#: so many lists are joined of a loop inside of a loop, and of any other
_INNER, _OUTER = 3, 6


def join_kept_lists(fn: Function) -> None:
    """Rewrites a finished function in place."""
    if not is_on("tuples") or not any(isinstance(op, Call) and op.fn is list.append for op in walk(fn.body)):
        return
    found = _Uses(fn).kept()
    if _join_all([kept for kept in found if kept.through is not None]):     # what is kept in lists of lists first
        found = _Uses(fn).kept()
    _join_all([kept for kept in found if kept.through is None])


def _join_all(found: list[_Kept]) -> bool:
    """Joins the lists that one loop fills and one loop runs over, where there are enough of them; whether there were."""
    groups: dict[tuple[int, int, int], list[_Kept]] = {}
    for kept in found:
        outer = kept.through.mirror if kept.through is not None else None
        groups.setdefault((id(kept.loop), id(kept.mirror), id(outer)), []).append(kept)
    chosen = [group for group in groups.values() if len(group) >= (_INNER if group[0].inner else _OUTER)]
    for group in chosen:
        _join(group)
    return bool(chosen)


@dataclass(eq=False, slots=True)
class _Kept:
    """A list that a loop fills and its reverse runs over; ``through`` is the list that the list itself is kept in meanwhile."""

    items: Value
    made: Build
    #: where the list is made
    block: Block
    append: Call
    loop: For | While
    mirror: For
    source: Source
    inner: bool
    through: _Kept | None = None


class _Uses:
    """Who makes, fills and reads lists."""

    def __init__(self, fn: Function):
        self.made: dict[Value, tuple[Build, Block, bool]] = {}
        self.appends: dict[Value, list[tuple[Call, For | While | None]]] = {}
        self.sources: dict[Value, list[tuple[For, Source]]] = {}
        #: how often a list is read in any way
        self.reads: dict[Value, int] = {}
        self.visit(fn.body, None, False)

    def visit(self, block: Block, loop: For | While | None, inner: bool) -> None:
        """Notes what a block does; ``loop`` is the loop whose body it is."""
        for op in block.ops:
            for o in operands_of(op):
                if type(o) is Value and isinstance(o.type, ListT):
                    self.reads[o] = self.reads.get(o, 0) + 1
            if isinstance(op, Build) and op.kind == "list" and not op.items:
                self.made[op.result] = op, block, inner
            elif isinstance(op, Call) and op.fn is list.append:
                self.appends.setdefault(op.args[0], []).append((op, loop))
            elif isinstance(op, For):
                for s in op.sources:
                    if s.kind == "seq" and isinstance(s.operands[0], Value):
                        self.sources.setdefault(s.operands[0], []).append((op, s))
            for b in blocks_of(op):
                of_loop = isinstance(op, (For, While)) and b is op.body
                self.visit(b, op if of_loop else None, inner or isinstance(op, (For, While)))   # type: ignore[arg-type]
        for y in block.yields:
            if type(y) is Value and isinstance(y.type, ListT):
                self.reads[y] = self.reads.get(y, 0) + 1

    def kept(self) -> list[_Kept]:
        """The lists that a loop fills and its reverse runs over, and which nothing else reads."""
        return [found for v in self.made if (found := self.one(v)) is not None]

    def one(self, v: Value) -> _Kept | None:
        """A list, if it is such a one."""
        made, block, inner = self.made[v]
        appends = self.appends.get(v, [])
        if len(appends) != 1 or self.reads.get(v) != 2 or appends[0][0].args[1] is v:
            return None
        append, loop = appends[0]
        if loop is None or loop not in block.ops:
            return None
        if v in self.sources:
            mirror, source = self.sources[v][0]
            return _Kept(v, made, block, append, loop, mirror, source, inner) if _is_plain(source) else None
        outer = next((o for o, calls in self.appends.items() for call, _ in calls if call.args[1] is v), None)
        through = self.one(outer) if outer in self.made and outer is not v else None
        if through is None or through.through is not None or through.append not in block.ops:
            return None
        item = _item(through)
        if self.reads.get(item) != 1 or item not in self.sources:
            return None
        mirror, source = self.sources[item][0]
        return _Kept(v, made, block, append, loop, mirror, source, inner, through) if _is_plain(source) else None


def _is_plain(source: Source) -> bool:
    return source.reverse and not source.frees


def _at(loop: For, source: Source) -> int:
    """Which of a loop's parameters runs over a source."""
    at = 0
    for s in loop.sources:
        if s is source:
            break
        at += 2 if s.kind == "items" else 1
    return at


def _item(kept: _Kept) -> Value:
    return kept.mirror.body.params[_at(kept.mirror, kept.source)]


def _join(group: list[_Kept]) -> None:
    """Makes one list of several."""
    first, *rest = group
    body, mirror = first.loop.body, first.mirror
    items = [_item(k) for k in group]
    appended: list[Value] = [k.append.args[1] for k in group]
    besides = kept_besides(body, mirror.body, dict(zip(items, appended))) if first.inner and first.through is None else []
    appended += [v for v, _ in besides]
    items += [v for _, v in besides]
    t = TupleT(tuple(v.type for v in appended))
    append = max((k.append for k in group), key=lambda op: _place(body.ops, op))
    last = [append, *(op for op in body.ops if any(v in op.results for v, _ in besides))]
    turn = Value(t)
    made: list[Op] = [Build("tuple", list(appended), results=[turn], loc=append.loc, part=append.part), append]
    at = max(_place(body.ops, op) for op in last) + 1
    body.ops[at:at] = made
    del body.ops[_place(body.ops, append)]      # where it stood
    _drop(body, [k.append for k in group if k.append is not append])
    append.args = [first.items, turn]
    first.items.type, first.items.name = ListT(t), "saved"
    taken = Value(t)
    mirror.body.params[_at(mirror, first.source)] = taken
    for k in rest:
        _remove_source(k)
        _drop(k.block, [k.made])
    mirror.body.ops.insert(0, Call(unpack, [taken, Lit(len(items))], results=items, loc=mirror.loc, part=mirror.part))
    if first.through is None:
        return
    kept: Type = first.items.type
    first.through.items.type, first.through.items.name = ListT(kept), "saved_turns"
    _item(first.through).type, _item(first.through).name = kept, "saved"
    for k in rest:
        assert k.through is not None
        _remove_source(k.through)
        _drop(k.block, [k.through.append])
        _drop(k.through.block, [k.through.made])


def _place(ops: list[Op], op: Op) -> int:
    return ops.index(op)


def _drop(block: Block, gone: list[Op]) -> None:
    dropped = set(gone)
    block.ops = [op for op in block.ops if op not in dropped]


def _remove_source(kept: _Kept) -> None:
    del kept.mirror.body.params[_at(kept.mirror, kept.source)]
    kept.mirror.sources = [s for s in kept.mirror.sources if s is not kept.source]
