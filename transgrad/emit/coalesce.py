"""Assign one variable to values that are never live at the same time: loop-carried values, values that branches assign, and
values to which the user gave one name."""
from __future__ import annotations

from collections.abc import Iterator

from ..ir.ops import UNDEF, Build, Call, Op, Operand, Value
from ..ir.types import Arr, Num, Type
from .liveness import Interference, same_object
from .naming import temporary_names
from .nodes import Copy, Do, Guard, Node, Plan, every

__all__ = ["Variables"]

_SUFFIXES = ("_bar", "_dot")
#: As many temporaries of a kind have names of their own.
_MANY = 10


def _storage(t: Type) -> object:
    """What decides how a value lies in a register or in memory."""
    if isinstance(t, Num):
        return {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}[t.kind], 0
    return (t.dtype, len(t.dims)) if isinstance(t, Arr) else type(t)


class Variables:
    """The variables of the generated code: classes of IR values that share a name."""

    def __init__(self, plan: Plan, interference: Interference):
        self.plan = plan
        self._values = interference.variables
        self._bit = interference.bit
        n = len(self._values)
        self._parent = list(range(n))
        self._members = [1 << k for k in range(n)]
        self._rows = interference.rows
        hints = plan.hints
        self._names: list[str | None] = [hints.get(v, v.name) for v in self._values]
        self._nodes = nodes = every(plan.seq)
        self._apart = _apart(plan, nodes)
        self._params = {self._index(p) for p in plan.fn.params}
        #: Names of caught exceptions, which Python deletes at the end of the handler.
        self._caught = {self._index(p) for p in _caught(nodes)}
        self._classes: dict[Value, int] = {}
        #: Whether a variable can only hold values of one type, as in machine code.
        self._typed = bool(plan.fn.attrs.native)
        self._merge(nodes)
        self._by_name()
        self._share_temporaries()
        # from here on nothing is joined
        self._classes = {v: self._find(k) for k, v in enumerate(self._values)}
        #: copies whose two sides are different variables, or whose source is an expression
        self.remaining = self._remaining(nodes)

    def _index(self, v: Value) -> int:
        return self._bit[self.plan.var(v)].bit_length() - 1

    def _find(self, k: int) -> int:
        parent = self._parent
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    def class_of(self, v: Value) -> int:
        """The variable that holds a value, as a number."""
        found = self._classes.get(v)
        return self._find(self._index(v)) if found is None else found

    def members(self, k: int) -> list[Value]:
        """The values that a variable holds."""
        return [v for v, found in self._classes.items() if found == k]

    def classes(self) -> list[int]:
        """All variables, in order of their first assignment."""
        return list(dict.fromkeys(self._classes.values() or map(self._find, range(len(self._values)))))

    def name(self, k: int) -> str | None:
        """The name that a variable should have, if its values have one (``_`` is for what nothing reads)."""
        return None if self._names[k] == "_" else self._names[k]

    def type(self, k: int) -> Type:
        """The type of a variable's first value."""
        return self._values[k].type

    def interferes(self, a: int, b: int) -> bool:
        """Whether two variables are needed at the same time."""
        return bool(self._members[a] & self._rows[b] or self._members[b] & self._rows[a])

    def join(self, a: int, b: int) -> bool:
        """Merge two classes into one variable, if possible."""
        a, b = self._find(a), self._find(b)
        if a == b:
            return True
        if self.interferes(a, b) or (a in self._params and b in self._params):
            return False
        if self._typed and _storage(self._values[a].type) != _storage(self._values[b].type):
            return False
        if (a in self._caught) != (b in self._caught):
            return False
        x, y = self._names[a], self._names[b]
        if x is not None and y is not None and x != y:
            return False
        a, b = min(a, b), max(a, b)
        self._parent[b] = a
        self._members[a] |= self._members[b]
        self._rows[a] |= self._rows[b]
        self._names[a] = self._names[a] if self._names[a] is not None else self._names[b]
        if b in self._params:
            self._params.add(a)
        return True

    def _merge(self, nodes: list[Node]) -> None:
        """Join the two sides of copies, and the results of in-place operations with their targets: where both have
        the same name first, then where one has none."""
        pairs: list[tuple[int, int]] = []
        for node in nodes:
            if type(node) is Do:
                op = node.op
                if type(op) is Call and same_object(op) and self._is_variable(first := op.args[0]):
                    pairs.append((self._index(first), self._index(op.result)))
            elif isinstance(node, Copy):
                pairs += [(self._index(src), self._index(target)) for target, src in node.pairs
                          if isinstance(src, Value) and self._is_variable(src)]
        for named in (True, False):
            for a, b in pairs:
                x, y = self._names[self._find(a)], self._names[self._find(b)]
                if (x == y and x is not None) == named:
                    self.join(a, b)

    def _is_variable(self, o: Operand) -> bool:
        return isinstance(o, Value) and self.plan.var(o) in self._bit and self.plan.var(o) not in self.plan.folded

    def _by_name(self) -> None:
        """Join the values with one name: the user's variable, if one variable suffices."""
        homes: dict[tuple[str, bool], list[int]] = {}
        for k, v in enumerate(self._values):
            c = self._find(k)
            name = self._names[c]
            if name is None:
                continue
            known = homes.setdefault((name, v in self._apart), [])
            if c not in known and not any(self.join(other, c) for other in known):
                known.append(c)

    def _share_temporaries(self) -> None:
        """Reuse the variables of dead temporaries, once there are many."""
        homes: dict[tuple[str, ...], list[int]] = {}
        for k in self.classes():
            if self._names[k] is None:
                homes.setdefault(temporary_names(self.type(k)), []).append(k)
        for found in homes.values():
            known = 0       # as bits, so that those in use are passed over at once
            for c in found if len(found) > _MANY else ():
                if not any(self.join(other, c) for other in _bits(known & ~self._rows[c])):
                    known |= 1 << c

    def undefined(self) -> set[int]:
        """Variables that are copied although, on some path, nothing was assigned to them: Python must find something."""
        copies = self.remaining
        open_ = {self.class_of(target) for _, target, src in copies if src is UNDEF}
        if not open_:
            return open_
        edges = [(self.class_of(src), self.class_of(target)) for _, target, src in copies
                 if isinstance(src, Value) and self._is_variable(src)]
        while more := {b for a, b in edges if a in open_} - open_:
            open_ |= more
        kept = {self.class_of(o) for node in self._nodes if type(node) is Do and type(node.op) is Build and node.op.is_cell
                for o in node.op.items if self._is_variable(o)}
        return open_.intersection(kept.union(a for a, _ in edges))

    def _remaining(self, nodes: list[Node]) -> list[tuple[Copy, Value, Operand]]:
        return [(node, target, src) for node in nodes if type(node) is Copy for target, src in node.pairs
                if not self._is_variable(src) or self.class_of(src) != self.class_of(target)]  # type: ignore[arg-type]


def _bits(x: int) -> Iterator[int]:
    """The places of the bits that are set, from the lowest."""
    while x:
        low = x & -x
        yield low.bit_length() - 1
        x ^= low


def _caught(nodes: list[Node]) -> list[Value]:
    return [p for node in nodes if type(node) is Guard for h in node.op.handlers for p in h.body.params]


def _apart(plan: Plan, nodes: list[Node]) -> set[Value]:
    """Values of the derivative whose name (``x_bar``) the user has given to something else."""
    users = {name for node in nodes if _part(node) == "primal" for v in _assigned(plan, node)
             if (name := plan.hint(v)) is not None and name.endswith(_SUFFIXES)}
    if not users:
        return set()
    return {v for node in nodes if _part(node) != "primal" for v in _assigned(plan, node) if plan.hint(v) in users}


def _part(node: Node) -> str:
    """The part of the generated code that a node belongs to."""
    if type(node) is Do:
        return node.op.part
    if isinstance(node, Copy):
        return node.part
    op: Op | None = getattr(node, "op", None)
    return "primal" if op is None else op.part


def _assigned(plan: Plan, node: Node) -> list[Value]:
    """The variables that a node assigns."""
    if type(node) is Do:
        return [plan.var(r) for r in node.op.results]
    if isinstance(node, Copy):
        return [target for target, _ in node.pairs]
    op: Op | None = getattr(node, "op", None)
    return [] if op is None else [plan.var(r) for r in op.results] + list(getattr(node, "targets", ()))
