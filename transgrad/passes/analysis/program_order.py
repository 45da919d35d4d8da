"""Analysis: the definition of each value, and the order in which operations run."""
from __future__ import annotations

from collections.abc import Iterator

from ...ir.ops import Block, Call, For, Function, Op, Value, While, With, blocks_of, operands_of, walk

__all__ = ["Layout", "defined_in", "flat_ops", "owners_in"]


def flat_ops(block: Block) -> Iterator[Op]:
    """The operations of a block, and those of the ``with`` statements in it, in order: they run as often as the block does."""
    for op in block.ops:
        if isinstance(op, With):
            yield from flat_ops(op.body)
        yield op


def owners_in(block: Block) -> list[Op]:
    """The operations of a block, and of the blocks inside it, that have blocks themselves (loops, branches…), in order."""
    found: list[Op] = []
    for op in block.ops:
        if type(op) is not Call and (blocks := blocks_of(op)):
            found.append(op)
            for inner in blocks:
                found += owners_in(inner)
    return found


def defined_in(loop: Op) -> set[Value]:
    """The values defined in a loop, including inner loops."""
    found: set[Value] = {v for block in blocks_of(loop) for v in block.params}
    for block in blocks_of(loop):
        for op in walk(block):
            found.update(op.results)
            found.update(v for inner in blocks_of(op) for v in inner.params)
    return found


class Layout:
    """``home`` is the block a value is defined in, ``maker`` the operation whose result it is (parameters have none),
    ``users`` the operations that read it, ``position`` the place of an operation in program order; ``owner`` is the
    operation to which a block belongs and ``inside`` the block that contains an operation.

    The body of a ``with`` statement runs exactly once whenever the statement does, and counts as a part of the enclosing block.
    """

    def __init__(self, fn: Function):
        self.home: dict[Value, Block] = {}
        self.maker: dict[Value, Op] = {}
        self.users: dict[Value, list[Op]] = {}
        self.position: dict[int, int] = {}
        self.end: dict[int, int] = {}
        self.owner: dict[int, Op] = {}
        self.inside: dict[int, Block] = {}
        self.outer: dict[int, Block] = {}
        self.yielded: dict[Value, list[Block]] = {}
        self._count = 0
        self._block(fn.body)

    def _block(self, block: Block, home: Block | None = None) -> None:
        home = home or block
        for p in block.params:
            self.home[p] = home
        for op in block.ops:
            self._count += 1
            self.position[id(op)] = self._count
            self.inside[id(op)] = home
            for o in operands_of(op):
                if type(o) is Value:
                    self.users.setdefault(o, []).append(op)
            if type(op) is not Call:
                for inner in blocks_of(op):
                    self.owner[id(inner)] = op
                    self.outer[id(inner)] = home
                    self._block(inner, home if isinstance(op, With) else None)
            for r in op.results:
                self.home[r] = home
                self.maker[r] = op
            self._count += 1
            self.end[id(op)] = self._count
        for y in block.yields:
            if isinstance(y, Value):
                self.yielded.setdefault(y, []).append(block)
                owner = self.owner.get(id(block))
                if owner is not None:
                    self.users.setdefault(y, []).append(owner)

    def chain(self, block: Block) -> list[Block]:
        """The block and the blocks around it, from the inside out."""
        out = [block]
        while id(out[-1]) in self.outer:
            out.append(self.outer[id(out[-1])])
        return out

    def loops(self, op: Op) -> list[For | While]:
        """The loops around an operation, from the inside out."""
        owners = [self.owner.get(id(b)) for b in self.chain(self.inside[id(op)])]
        return [o for o in owners if isinstance(o, (For, While))]
