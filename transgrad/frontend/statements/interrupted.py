"""The state at the start of an exception handler: the assignments that an interrupted try clause may have made."""
from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from ...ir.effects import writes
from ...ir.ops import Block, Lit, Value, operands_of, walk
from ..context import Lowering
from ..domain.abstract import UNBOUND, SConflict, SObj
from ..domain.contents import Contents
from ..expressions.operations import call
from ..frames import assigned_in
from .normal_form import HELD

__all__ = ["cell_site", "interrupted", "is_precise", "make_cells", "mirrored", "precise_site", "splice", "writes_active"]


def cell_site(ctx: Lowering, node: Any, name: Any) -> Any:
    return "try", ctx.frame.source.file, getattr(node, "lineno", 0) + ctx.frame.source.offset, getattr(node, "col_offset", 0), name


def precise_site(ctx: Lowering, node: Any) -> Any:
    """The site at which the statements of a try clause are lowered one by one (see `shielding`)."""
    return cell_site(ctx, node, "#precise")


def is_precise(ctx: Lowering, site: Any) -> bool:
    """Whether the statements of a try clause are lowered one by one; those in such a clause are, too."""
    return site in ctx.program.sites or any(target is not None and target.precise for target in ctx.catchers)


def make_cells(ctx: Lowering, node: Any) -> dict[Any, Value]:
    """Lists of one item for the variables that an earlier attempt found to be read after an interrupted assignment."""
    out: dict[Any, Value] = {}
    precise = is_precise(ctx, precise_site(ctx, node))
    for name in assigned_in(ctx.frame.source, node.body):
        if cell_site(ctx, node, (name, "precise") if precise else name) in ctx.program.sites:
            home = ctx.frame.home_of(name)
            if home is None:
                continue
            held = ctx.state.get(home, UNBOUND)
            cell = ctx.runtime_display("list", [Lit(None) if held is UNBOUND else ctx.escape(held)], is_cell=True)
            cell.name = f"{name}_cell"
            out[home] = cell
    return out


@contextlib.contextmanager
def mirrored(ctx: Lowering, cells: dict[Any, Value]) -> Iterator[None]:
    """While lowering a try clause, assignments are written to the cells too, and to those of the try clauses around it."""
    outer = ctx.cells
    ctx.cells = {**outer, **{home: (*outer.get(home, ()), cell) for home, cell in cells.items()}}
    try:
        yield
    finally:
        ctx.cells = outer


def interrupted(
    ctx: Lowering, node: Any, entry: dict[Any, Any], end: dict[Any, Any], before: Any, cells: dict[Any, Value], guarded: bool = False
) -> dict[Any, Any]:
    """The state at the start of a handler: each assignment of the try clause may or may not have been made, except that of its last
    statement (``before`` is the state before it), which has not been completed."""
    out = dict(entry)
    out.pop("#dead", None)
    known = {key[0] for key in entry if isinstance(key, tuple) and isinstance(key[0], SObj)}
    for key in dict.fromkeys((*end, *ctx.left_behind)):
        unchanged = end.get(key, UNBOUND) is entry.get(key, UNBOUND) and key not in ctx.left_behind
        if not isinstance(key, tuple) or unchanged or isinstance(key[1], str) and key[1].startswith(("#", HELD)):
            continue
        if isinstance(key[0], SObj) and key[0] not in known:
            continue        # it was made in the clause: nothing that the handler can read refers to it
        if key in cells:
            out[key] = call(ctx, operator.getitem, [cells[key], Lit(0)])
            continue
        if before is not None and before.get(key, UNBOUND) is entry.get(key, UNBOUND) and key not in ctx.left_behind:
            continue
        site = precise_site(ctx, node)
        sites, precise = (site,), is_precise(ctx, site)
        if key[0] is ctx.frame and not (guarded and not precise):
            sites = (cell_site(ctx, node, (key[1], "precise") if precise else key[1]),)
        out[key] = SConflict(str(key[1]), "try_variable", sites)
    return out


def writes_active(block: Block) -> bool:
    """Whether operations of a try clause write active values to objects created before it."""
    made = {r for op in walk(block) for r in op.results}
    return any(isinstance(w, Value) and w not in made and any(isinstance(o, Value) and o.varied for o in operands_of(op))
               for op in walk(block) for w in writes(op))


def splice(ctx: Lowering, block: Block) -> None:
    """Append the operations of a block to the current one; displays created there are materialized in it."""
    ctx.block.ops += block.ops
    for held in (*ctx.state.values(), *ctx.tuples.values()):
        if isinstance(held, (Contents, SObj)) and held.block is block:
            held.block = ctx.block
    for key in ctx.state:
        if isinstance(key[0], SObj) and key[0].block is block:
            key[0].block = ctx.block
