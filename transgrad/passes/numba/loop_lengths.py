"""Trip counts of loop sources."""
from __future__ import annotations

import operator

from ...ir.build import Builder
from ...ir.ops import Lit, Operand, Source
from ...ir.types import ANY, Num

__all__ = ["length_of"]

_LENGTH = Num("int", ANY)


def length_of(b: Builder, s: Source) -> Operand | None:
    """The number of items of a source; None if it has no end."""
    if s.kind == "count":
        return None
    if s.kind != "range":
        return b.call(len, s.operands[0], type=_LENGTH)  # type: ignore[no-any-return]
    start, stop, step = s.operands
    if isinstance(start, Lit) and start.value == 0 and isinstance(step, Lit) and step.value == 1:
        if isinstance(stop, Lit):
            return Lit(max(stop.value, 0))
        return b.call(max, stop, 0, type=_LENGTH)  # type: ignore[no-any-return]
    if isinstance(step, Lit) and step.value == 1:
        return b.call(max, b.call(operator.sub, stop, start), 0, type=_LENGTH)  # type: ignore[no-any-return]
    if isinstance(step, Lit) and step.value == -1:
        return b.call(max, b.call(operator.sub, start, stop), 0, type=_LENGTH)  # type: ignore[no-any-return]
    return b.call(len, b.call(range, start, stop, step), type=_LENGTH)  # type: ignore[no-any-return]
