"""Peels the first iteration of a loop that gives a variable another type: ``s = 0.0; for row in x: s += np.outer(row, row)``.

After the first iteration the variable has one type, which the other iterations and the code after the loop rely on. A loop is peeled
where it is known to run at least once: by a constant, or by the lengths of arguments, which then are assumed not to be 0; each call
checks that.
"""
from __future__ import annotations

import operator
from typing import Any

from ...ir.ops import Lit, Operand, Source, Value
from ...ir.types import Arr, Dim, Num
from ..context import Lowering
from ..domain.shape_assumptions import NO_ASSUMPTIONS, is_argument_length
from ..expressions.operations import call, strip
from ..expressions.subscripts import read_item

__all__ = ["first_items", "is_empty", "peel_site", "rest_of_sources", "runs"]


def peel_site(path: Any) -> Any:
    """What stands among the sites of a program for a loop whose first iteration is peeled."""
    return "peeled", path


def runs(ctx: Lowering, sources: list[Source]) -> bool:
    """Whether a loop runs at least once; what has to be assumed for that is added to the function's assumptions."""
    needed: set[tuple[Any, int]] = set()
    limits = []
    for source in sources:
        found = _excluded_lengths(source)
        if found is not None:
            needed |= found
        elif (limit := _limit_of_argument(ctx, source)) is not None:
            limits.append(limit)
        else:
            return False
    if (needed or limits) and NO_ASSUMPTIONS in ctx.program.sites:
        return False
    ctx.function.attrs.nonempty |= needed
    for path, least in limits:
        ctx.program.guard("above", path, None, least)
    return True


def is_empty(sources: list[Source]) -> bool:
    """Whether a loop over sources is known not to run at all."""
    for source in sources:
        if source.kind == "seq" and isinstance(t := strip(source.operands[0].type), Arr) and t.dims and t.dims[0].known == 0:
            return True
        if source.kind == "range":
            start, stop, step = source.operands
            length = stop.type.dim.known if isinstance(stop.type, Num) and stop.type.dim is not None else None
            if length is not None and isinstance(start, Lit) and isinstance(step, Lit) and not range(start.value, length, step.value):
                return True
    return False


def _limit_of_argument(ctx: Lowering, source: Source) -> tuple[Any, int] | None:
    """The argument that a range ends at, which has to be greater than its start, and the start."""
    if source.kind != "range" or source.snapshots is not None or ctx.variant is not None:
        return None
    start, stop, step = source.operands
    if not (isinstance(stop, Value) and stop in ctx.examples and isinstance(start, Lit) and isinstance(step, Lit)):
        return None
    if type(start.value) is not int or type(step.value) is not int:
        return None
    example, path = ctx.examples[stop]
    if type(example) is not int or step.value <= 0 or example <= start.value or id(example) in ctx.program.stale:
        return None
    return path, start.value


def _excluded_lengths(source: Source) -> set[tuple[Any, int]] | None:
    """The lengths of dimensions at which a source has no item; None where it may be empty for other reasons."""
    if source.snapshots is not None:
        return None
    if source.kind == "count":
        return set()
    if source.kind == "seq":
        held = source.operands[0]
        t = strip(held.type)
        return _lengths_up_to(t.dims[0], 0) if isinstance(t, Arr) and t.dims else None
    if source.kind == "range":
        start, stop, step = source.operands
        if not (isinstance(start, Lit) and isinstance(step, Lit) and type(start.value) is int and type(step.value) is int):
            return None
        if isinstance(stop, Lit):
            return set() if type(stop.value) is int and len(range(start.value, stop.value, step.value)) else None
        if step.value > 0 and isinstance(stop.type, Num) and stop.type.dim is not None:
            return _lengths_up_to(stop.type.dim, start.value)
    return None


def _lengths_up_to(dim: Dim, least: int) -> set[tuple[Any, int]] | None:
    """The lengths of the symbol of a dimension at which the dimension is not greater than ``least``."""
    if dim.known is not None:
        return set() if dim.known > least else None
    if not is_argument_length(dim.sym):
        return None
    return {(dim.sym, length) for length in range(max(0, least - dim.off + 1))}


def first_items(ctx: Lowering, sources: list[Source], node: Any) -> list[Any]:
    """The first item of each source."""
    found: list[Any] = []
    for source in sources:
        if source.kind == "range" and source.reverse:
            last = range(*(o.value for o in source.operands if isinstance(o, Lit)))[-1] if all(
                isinstance(o, Lit) for o in source.operands) else None
            found.append(Lit(last) if last is not None else _shifted(ctx, source.operands[1], -1, node))
        elif source.kind in ("range", "count"):
            found.append(source.operands[0])
        else:
            found.append(read_item(ctx, source.operands[0], Lit(-1 if source.reverse else 0), node))
    return found


def rest_of_sources(ctx: Lowering, sources: list[Source], node: Any) -> list[Source]:
    """The sources without their first items."""
    rest = []
    for source in sources:
        operands: list[Operand] = list(source.operands)
        if source.kind == "count":
            operands[0] = _shifted(ctx, operands[0], 1, node)
        elif source.kind == "range":
            at = 1 if source.reverse else 0
            step = operands[2].value if isinstance(operands[2], Lit) else 1
            operands[at] = _shifted(ctx, operands[at], -step if source.reverse else step, node)
        else:
            part = slice(None, -1) if source.reverse else slice(1, None)
            operands[0] = ctx.operand(read_item(ctx, operands[0], Lit(part), node), node)
        rest.append(Source(source.kind, operands, source.reverse))
    return rest


def _shifted(ctx: Lowering, x: Operand, by: int, node: Any) -> Operand:
    if isinstance(x, Lit):
        return Lit(x.value + by)
    return ctx.operand(call(ctx, operator.add if by >= 0 else operator.sub, [x, Lit(abs(by))], node=node), node)
