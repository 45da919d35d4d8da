"""Merge the lists of residuals of a loop into one list of tuples if creating and iterating over several lists costs more than the
tuples do: in nested loops, whose lists are created anew each time, and for many lists. """
from __future__ import annotations

from ....ir.ops import Build, Call, Function, Lit, Op, Value, calls
from ....ir.prims import unpack
from ....ir.types import ListT, TupleT, Type
from ...manager import Property, Stage, optimization
from ...switches import is_on
from .save_recomputed import kept_besides
from .saved_lists import Kept, KeptLists, drop, item_of, place_of, remove_source

__all__ = ["merge_saved_lists"]

#: so many lists are joined of a loop inside of a loop, and of any other
_INNER, _OUTER = 3, 6


@optimization(Stage.LOWER_NUMPY, "tuples", requires=(Property.FINAL,))
def merge_saved_lists(fn: Function) -> bool:
    """Rewrite a finished function in place."""
    if not calls(fn.body, list.append):
        return False
    found = KeptLists(fn).kept()
    if _join_all([kept for kept in found if kept.through is not None]):     # residuals in lists of lists first
        found = KeptLists(fn).kept()
    _join_all([kept for kept in found if kept.through is None])
    return True


def _join_all(found: list[Kept]) -> bool:
    """Merge the lists that one loop fills and one loop iterates over, if there are enough of them; return whether they were merged."""
    groups: dict[tuple[int, int, int], list[Kept]] = {}
    for kept in found:
        outer = kept.through.mirror if kept.through is not None else None
        groups.setdefault((id(kept.loop), id(kept.mirror), id(outer)), []).append(kept)
    chosen = [group for group in groups.values() if len(group) >= (_INNER if group[0].inner else _OUTER)]
    if not chosen or not is_on("tuples"):
        return False
    for group in chosen:
        _join(group)
    return True


def _join(group: list[Kept]) -> None:
    """Make one list of several."""
    first, *rest = group
    body, mirror = first.loop.body, first.mirror
    items = [item_of(k) for k in group]
    appended: list[Value] = [k.append.args[1] for k in group]
    besides = kept_besides(body, mirror.body, dict(zip(items, appended))) if first.inner and first.through is None else []
    appended += [v for v, _ in besides]
    items += [v for _, v in besides]
    t = TupleT(tuple(v.type for v in appended))
    append = max((k.append for k in group), key=lambda op: _place(body.ops, op))
    last = [append, *(op for op in body.ops if any(v in op.results for v, _ in besides))]
    turn = Value(t)
    made: list[Op] = [Build("tuple", list(appended), results=[turn], loc=append.loc, part=append.part), append]
    at = max(_place(body.ops, op) for op in last) + 1
    body.ops[at:at] = made
    del body.ops[_place(body.ops, append)]      # where it stood
    drop(body, [k.append for k in group if k.append is not append])
    append.args = [first.items, turn]
    first.items.type, first.items.name = ListT(t), "saved"
    taken = Value(t)
    mirror.body.params[place_of(mirror, first.source)] = taken
    for k in rest:
        remove_source(k)
        drop(k.block, [k.made])
    mirror.body.ops.insert(0, Call(unpack, [taken, Lit(len(items))], results=items, loc=mirror.loc, part=mirror.part))
    if first.through is None:
        return
    kept: Type = first.items.type
    first.through.items.type, first.through.items.name = ListT(kept), "saved_turns"
    item_of(first.through).type, item_of(first.through).name = kept, "saved"
    for k in rest:
        assert k.through is not None
        remove_source(k.through)
        drop(k.block, [k.through.append])
        drop(k.through.block, [k.through.made])


def _place(ops: list[Op], op: Op) -> int:
    return ops.index(op)
