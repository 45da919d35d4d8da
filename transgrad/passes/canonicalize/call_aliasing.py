"""Calls that write to objects with several names, or that pass containers whose items are written to: whole-program aliasing decides which
object is meant.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir.ops import Build, Invoke, Op, Operand, Value
from ...ir.types import DictT, ListT, RecordT, TupleT
from ..ad.unsupported_calls import Aliased
from ..analysis.alias import AliasClasses, summarize

__all__ = ["check_crossing"]

_CONTAINERS = (ListT, DictT, TupleT, RecordT)


def _repeats(classes: AliasClasses, v: Operand, maker: Mapping[Value, Op]) -> bool:
    """Whether a display holds one object twice."""
    made = maker.get(v) if isinstance(v, Value) else None
    items = made.items if isinstance(made, Build) else []
    return any(classes.same(x, y) or _repeats(classes, x, maker) for k, x in enumerate(items) for y in items[:k])


def check_crossing(classes: AliasClasses, op: Invoke, active: Callable[[Operand], bool], maker: Mapping[Value, Op]) -> None:
    """Raise `Aliased` if two arguments or items may be one object, on this or the other side of a call, and are written to.

    A summary of the callee does not tell them apart; where the call is written out, the names do.
    """
    summary = summarize(op.func)
    for k in summary.written:
        root = classes.find(op.args[k])
        others = [a for n, a in enumerate(op.args) if n != k and isinstance(a, Value)]
        twice = any(classes.find(a) is root or root in classes.inner(a) for a in others)
        if (twice or k in summary.inner and _repeats(classes, op.args[k], maker)) and any(map(active, (*op.args, *op.results))):
            raise Aliased(f"{op.func.name} writes to an array that it is given under two names", op.loc, "give it a copy")
    given = [v for v in (*op.args, *op.results) if isinstance(v, Value) and isinstance(v.type, _CONTAINERS) and active(v)]
    joined = [op.results[-1 - a] for a, b in summary.joined if a < 0 and b < 0]
    joined += [op.results[-1 - b] for a, b in summary.contained if b < 0 <= a]
    given += [op.results[-1 - a] for a, b in summary.contained if a < 0 <= b and active(op.results[-1 - a])]
    if any(map(classes.holds_written, given)) or any(classes.is_written(v) and active(v) for v in joined):
        raise Aliased(f"{op.func.name} is given, or gives, several arrays in a container or tuple, one of which is written to in place",
                      op.loc, "create the container where it is written to, or return new arrays")
