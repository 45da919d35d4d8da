"""Fusion groups: operations on arrays of one shape that share a loop."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...ir.ops import Call, Operand, Value
from ...ir.types import Arr, Dim
from ..scalarize.functions.elementwise import TURNING

__all__ = ["Group", "Member", "Reduction", "Sink", "is_stretched", "operands_of_member", "same_dim"]


@dataclass(eq=False, slots=True)
class Reduction:
    """A sum over axes (``op`` is the operation, ``terms`` the factors of its terms) or an extremum ('maximum' or 'minimum')."""

    op: Call
    terms: list[Operand]
    axes: tuple[int, ...]
    keepdims: bool = False
    mean: bool = False
    extremum: str = ""


@dataclass(eq=False, slots=True)
class Sink:
    """A write to each element of ``target``; ``fn`` combines the old and the new, None overwrites.

    With ``like``, the addend is summed to its shape, which is that of the target.
    """

    op: Call
    target: Value
    value: Operand
    fn: Any = None
    like: Operand | None = None


Member = Call | Reduction | Sink


@dataclass(eq=False, slots=True)
class Group:
    """Operations over the elements of one shape, in order.

    ``members`` are elementwise calls, reductions and sinks; ``outputs`` those results that are read outside.
    """

    dims: tuple[Dim, ...]
    members: list[Member] = field(default_factory=list)
    #: Where its members do not share the innermost loop: those of each such loop, in order.
    lines: list[list[Member]] = field(default_factory=list)
    #: Whether its lines end in additions to parts of one array, which are done by writing each element once.
    gathered: bool = False
    outputs: list[Value] = field(default_factory=list)
    #: Arrays that are there already, for those of its elementwise results that are kept in them.
    into: dict[Value, Value] = field(default_factory=dict)
    #: Of inputs that are parts of larger arrays: the array, and the start of the part along each dimension. Reads from the array itself
    #: show that elements adjacent along the last dimension are adjacent in memory.
    bases: dict[Value, tuple[Value, tuple[int, ...]]] = field(default_factory=dict)
    #: Of other inputs that are parts of arrays: the array, and the index along each dimension, None for full slices. They are created at
    #: their use, because reference counting of a view takes longer than a few elements.
    parts: dict[Value, tuple[Value, tuple[Operand | None, ...]]] = field(default_factory=dict)

    def results(self) -> list[Value]:
        """The values that the group computes."""
        return [r for m in self.members for r in (m.results if isinstance(m, Call) else m.op.results if isinstance(m, Reduction) else [])]

    def operands(self) -> list[Value]:
        """The values from outside that its members name, each once."""
        own = set(self.results())
        return list(dict.fromkeys(o for m in self.members for o in operands_of_member(m) if isinstance(o, Value) and o not in own))

    def inputs(self) -> list[Value]:
        """The values that it is called with."""
        found = {o: None for o in self.operands() if o not in self.parts}
        for base, index in self.parts.values():
            found.update((o, None) for o in (base, *index) if isinstance(o, Value))
        found.update((m.like, None) for m in self.members if isinstance(m, Sink) and isinstance(m.like, Value) and m.like not in self.parts)
        found.update((array, None) for array in self.into.values())
        found.update((base, None) for base, _ in self.bases.values())
        return list(found)

    def read(self) -> list[Value]:
        """The values from outside whose elements it reads but where it writes them."""
        own = set(self.results())
        operands = [o for m in self.members for o in ([m.value] if isinstance(m, Sink) else operands_of_member(m))]
        return [o for o in dict.fromkeys(operands) if isinstance(o, Value) and o not in own]

    def stretches(self, v: Value) -> bool:
        """Whether broadcasting may stretch an input."""
        dims = v.type.dims if isinstance(v.type, Arr) else ()
        return any(is_stretched(d, e) for d, e in zip(dims, self.dims[len(self.dims) - len(dims):]))

    @property
    def turns(self) -> bool:
        """Whether it computes sines or cosines."""
        return any(isinstance(m, Call) and m.fn in TURNING for m in self.members)


def operands_of_member(m: Member) -> list[Any]:
    """The operands of a member, and the array that it writes to."""
    return list(m.args) if isinstance(m, Call) else m.terms if isinstance(m, Reduction) else [m.value, m.target]


def same_dim(d: Dim, e: Dim) -> bool:
    """Whether two dimensions along which a loop runs are of one length, or NumPy would have raised."""
    if d.one is False and e.one is False:
        return True
    return d.one == e.one and d.sym is not None and (d.sym, d.off) == (e.sym, e.off)


def is_stretched(d: Dim, e: Dim) -> bool:
    """Whether only the arrays themselves will say if a dimension ``d`` is stretched to ``e``."""
    return d.one is None and e.one is False and not same_dim(d, e)
