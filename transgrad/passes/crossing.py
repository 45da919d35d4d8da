"""Calls through which containers pass whose items are written to: which item is which object, only the whole program says."""
from __future__ import annotations

from collections.abc import Callable

from ..ir.ops import Invoke, Operand, Value
from ..ir.types import DictT, ListT
from .alias import AliasClasses, summarize
from .refuse import Aliased

__all__ = ["check_crossing"]


def check_crossing(classes: AliasClasses, op: Invoke, active: Callable[[Operand], bool]) -> None:
    """Raises `Aliased` where two items may be one object, on this or the other side of a call, and are written to.

    A summary of the callee does not tell them apart; where the call is written out, the names do.
    """
    given = [v for v in (*op.args, *op.results) if isinstance(v, Value) and isinstance(v.type, (ListT, DictT)) and active(v)]
    twice = [op.results[-1 - a] for a, b in summarize(op.func).joined if a < 0 and b < 0]
    if any(map(classes.holds_written, given)) or any(classes.is_written(v) and active(v) for v in twice):
        raise Aliased(f"{op.func.name} is given, or gives, several arrays in a container or tuple, one of which is written to in place",
                      op.loc, "build the container where it is written to, or return new arrays")
