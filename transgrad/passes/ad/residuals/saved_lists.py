"""Analysis: lists of residuals that a loop fills, that the reverse loop traverses backwards, and that nothing else reads."""
from __future__ import annotations

from dataclasses import dataclass

from ....ir.ops import Block, Build, Call, For, Function, Op, Source, Value, While, blocks_of, operands_of
from ....ir.types import ListT
from ...rewriting.substitute import uses_of

__all__ = ["Kept", "KeptLists", "drop", "item_of", "let_go", "place_of", "remove_source"]


@dataclass(eq=False, slots=True)
class Kept:
    """A list that a loop fills and its reverse iterates over; ``through`` is the list in which the list itself is stored."""

    items: Value
    made: Build
    #: where the list is made
    block: Block
    append: Call
    loop: For | While
    mirror: For
    source: Source
    inner: bool
    through: Kept | None = None


class KeptLists:
    """Who makes, fills and reads lists."""

    def __init__(self, fn: Function):
        self.made: dict[Value, tuple[Build, Block, bool]] = {}
        self.appends: dict[Value, list[tuple[Call, For | While | None]]] = {}
        self.sources: dict[Value, list[tuple[For, Source]]] = {}
        #: how often a list is read in any way
        self.reads: dict[Value, int] = {}
        self.visit(fn.body, None, False)

    def visit(self, block: Block, loop: For | While | None, inner: bool) -> None:
        """Record the effects of a block; ``loop`` is the loop whose body it is."""
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

    def kept(self) -> list[Kept]:
        """The lists that a loop fills and its reverse runs over, and which nothing else reads."""
        return [found for v in self.made if (found := self.one(v)) is not None]

    def one(self, v: Value) -> Kept | None:
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
            return Kept(v, made, block, append, loop, mirror, source, inner) if _is_plain(source) else None
        outer = next((o for o, calls in self.appends.items() for call, _ in calls if call.args[1] is v), None)
        through = self.one(outer) if outer in self.made and outer is not v else None
        if through is None or through.through is not None or through.append not in block.ops:
            return None
        item = item_of(through)
        if self.reads.get(item) != 1 or item not in self.sources:
            return None
        mirror, source = self.sources[item][0]
        return Kept(v, made, block, append, loop, mirror, source, inner, through) if _is_plain(source) else None


def _is_plain(source: Source) -> bool:
    return source.reverse and not source.frees


def place_of(loop: For, source: Source) -> int:
    """Which of a loop's parameters runs over a source."""
    at = 0
    for s in loop.sources:
        if s is source:
            break
        at += 2 if s.kind == "items" else 1
    return at


def item_of(kept: Kept) -> Value:
    """The name of an item of a list in the reverse loop."""
    return kept.mirror.body.params[place_of(kept.mirror, kept.source)]


def drop(block: Block, gone: list[Op]) -> None:
    """Take operations out of a block."""
    dropped = set(gone)
    block.ops = [op for op in block.ops if op not in dropped]


def remove_source(kept: Kept) -> None:
    """Stop the reverse loop from iterating over a list."""
    del kept.mirror.body.params[place_of(kept.mirror, kept.source)]
    kept.mirror.sources = [s for s in kept.mirror.sources if s is not kept.source]


def let_go(found: list[Kept]) -> None:
    """Remove the lists that the reverse loop does not read any more, as long as it still iterates over another one."""
    if not found:
        return
    mirror = found[0].mirror
    used = uses_of(mirror.body)
    for kept in found:
        through = kept.through
        if item_of(kept) in used or not _others(kept) or through is not None and not _others(through):
            continue
        if through is not None:
            drop(kept.loop.body, [kept.append])
            drop(kept.block, [kept.made, through.append])
            drop(through.block, [through.made])
            remove_source(through)
        remove_source(kept)


def _others(kept: Kept) -> bool:
    """Whether the reverse loop runs over something else that ends it."""
    return any(s is not kept.source and s.kind in ("range", "seq") for s in kept.mirror.sources)
