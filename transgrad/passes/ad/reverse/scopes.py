"""Adjoints that are live at a point of the reverse part, and how they enter and leave loops and branches."""
from __future__ import annotations

from ....ir.ops import Block, Operand, Value
from ....ir.types import UNKNOWN, Arr, Num, OptT, RecordT, TupleT, Type

__all__ = ["Scope"]


class Scope:
    """Adjoints while one block of the forward part is reversed.

    ``forward`` is that block, ``block`` the reverse block being written.  In a loop, the adjoint of a value from outside is a
    carried value of the reverse loop, made when first asked for; in a branch it is a result of the reverse ``if``.
    """

    def __init__(self, parent: "Scope | None", forward: Block, block: Block, kind: str):
        self.parent, self.forward, self.block, self.kind = parent, forward, block, kind
        self.local: dict[Value, Operand] = {}
        #: loops: outer value → carried parameter; branches: outer values that were given a new adjoint, in order
        self.carried: dict[Value, Value] = {}
        self.touched: dict[Value, None] = {}
        self.fresh: set[Value] = set()
        self.shadows: dict[Value, Operand] = {}

    def find(self, home: Block) -> "Scope":
        """The scope that reverses the block ``home``."""
        scope: Scope | None = self
        while scope is not None:
            if scope.forward is home:
                return scope
            scope = scope.parent
        raise LookupError("a value from a block that is not being reversed")

    def reads(self, home: Block) -> bool:
        """Whether the reverse block may read values of the block ``home``: the block that it reverses, or one around that."""
        return self.forward is home or self.parent is not None and self.parent.reads(home)

    def is_home(self, home: Block) -> bool:
        return self.forward is home or self.parent is None

    def current(self, v: Value, home: Block) -> Operand | None:
        """The adjoint of ``v`` so far; None stands for zero."""
        found = self.local.get(v)
        if found is not None or self.forward is home or self.parent is None:
            return found
        if self.kind == "loop":
            param = Value(adjoint_type(v.type), f"{v.name}_bar" if v.name else None)
            self.carried[v] = param
            self.local[v] = param
            return param
        return self.parent.current(v, home)

    def set(self, v: Value, home: Block, x: Operand | None) -> None:
        """Gives ``v`` a new adjoint."""
        if not self.is_home(home):
            if self.kind == "loop":
                if v not in self.carried:
                    self.current(v, home)
            else:
                self.touched[v] = None
        if x is None:
            self.local.pop(v, None)
        else:
            self.local[v] = x


def adjoint_type(t: Type) -> Type:
    """The type of the adjoint of a value of type ``t``: a real or complex number of its shape."""
    if isinstance(t, Num) and t.kind in ("int", "bool"):
        return Num("float")
    if isinstance(t, OptT) and isinstance(t.elem, (Arr, Num)):
        return UNKNOWN
    return OptT(_by_place(t.elem)) if isinstance(t, OptT) else t


def _by_place(t: Type) -> Type:
    """The type of the cotangent of a record, whose items are told apart by their places."""
    return TupleT(tuple(map(_by_place, t.elems))) if isinstance(t, (RecordT, TupleT)) else t


