"""Refuse programs whose adjoints depend on run-time aliasing: whether ``a.reshape(…)`` is a view of ``a``, and which of two lists grows."""
from __future__ import annotations

import operator
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ....errors import UnsupportedSyntax
from ....ir.attributes import Guard
from ....ir.effects import LOADS, VIEWS, aliases, is_mutable, writes
from ....ir.ops import Build, Call, For, GetAttr, Invoke, Lit, Op, Value, While, walk
from ....ir.sharing import passed_on
from ....ir.types import Arr, DictT, ListT, Obj, RecordT, TupleT
from ...analysis.alias import has_rows, is_slice, summarize
from ...analysis.memory_order import MAYBE_VIEWS, computed_in_order, may_copy, origin, passed_and_written, view_or_copy
from ..unsupported_calls import Aliased

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["check_carried", "check_loaded", "check_structure", "check_views", "in_order", "refuse_resized",
           "resized"]

#: Operations that change the structure of a list or dict.
_RESIZES = frozenset((operator.delitem, operator.iadd, list.append, list.extend, list.insert, list.pop, list.remove, list.clear, dict.pop,
                      dict.update, dict.setdefault, dict.clear, dict.popitem))


def check_structure(r: "Reverse", v: Value) -> None:
    """Refuse a list or dict whose structure may change under another name."""
    made = r.layout.maker.get(v)
    start = r.layout.end.get(id(made), r.layout.position[id(made)]) if made is not None else -1
    loop = r.layout.owner.get(id(r.home(v))) if made is None else None
    for w, target in resized(r, v):
        if r.refs(target) is not v and r.layout.position[id(w)] > start and not (
                isinstance(loop, For) and v in loop.body.params and (_is_complete(r, w, loop) or _is_made_in(r, target, loop))):
            refuse_resized(v, w)


def _is_complete(r: "Reverse", w: Op, loop: For) -> bool:
    """Whether an operation runs before a loop, and not again between two runs of the loop."""
    if r.layout.position[id(w)] > r.layout.position[id(loop)]:
        return False
    around = r.layout.chain(r.layout.inside[id(w)])
    return not any(isinstance(r.layout.owner.get(id(b)), (For, While)) and b in around for b in r.layout.chain(r.layout.inside[id(loop)]))


def _is_made_in(r: "Reverse", target: Value, loop: For) -> bool:
    """Whether a list is made anew in each iteration of a loop, so that it is none that the loop carries into the iteration."""
    root = r.refs.root(target)
    return isinstance(root, Value) and isinstance(r.layout.maker.get(root), Build) and loop.body in r.layout.chain(r.home(root))


def check_carried(r: "Reverse", loop: For | While, v: Value) -> None:
    """Refuse a loop-carried list or dict whose structure the next iteration changes under another name."""
    for w, target in resized(r, v):
        root = r.refs.root(target)
        if root is not v and loop.body in r.layout.chain(r.layout.inside[id(w)]) and not (
                isinstance(root, Value) and loop.body in r.layout.chain(r.home(root)) and root not in loop.body.params):
            refuse_resized(v, w)


def resized(r: "Reverse", v: Value) -> Iterator[tuple[Op, Value]]:
    """An operation that may change the structure of a list or dict, and the name that it uses."""
    for w in r.classes.writers.get(r.classes.find(v), ()):
        for target in _written_by(w) if isinstance(w, Invoke) else w.args[:1] if isinstance(w, Call) and w.fn in _RESIZES else ():
            if isinstance(target, Value) and isinstance(target.type, (ListT, DictT)) and r.classes.same(target, v):
                yield w, target


def refuse_resized(v: Value, w: Op) -> None:
    raise Aliased(f"{v.name or 'a list'!s} may be one of several lists here, and one of them grows or shrinks; it is not known when "
                  "compiling which one", w.loc, "copy the list first: b = list(a)")


def check_loaded(r: "Reverse") -> None:
    """Refuse writes to an item of a container that is changed itself, or of a tuple at an unknown position: the position of its
    shadow at that point is not known."""
    for op in walk(r.fn.body):
        if (isinstance(op, Call) and op.fn is operator.getitem and isinstance(op.args[0].type, (TupleT, RecordT))
                and not isinstance(op.args[1], Lit)
                and any((r.classes.is_written(v) or r.classes.holds_written(v)) and r.is_active(v) for v in op.results)):
            raise Aliased("which item of a tuple this is is not known when compiling, and one of them is written to in place", op.loc,
                          "make it a list")
    for writers in r.classes.writers.values():
        for w in writers:
            for target in _written_by(w):
                if isinstance(target, Value) and is_mutable(target.type) and r.is_active(target) and _comes_loose(r, target):
                    if isinstance(target.type, Obj) and target.type.cls is None:
                        raise Aliased("the type of the target of this write is not known at compile time: it may be replaced, or changed "
                                      "in place", w.loc, "write x = x + y instead of x += y, or make plain what it is: float(x), "
                                      "np.asarray(x)")
                    raise Aliased("this writes to something that came out of a container, and what stands where in the container changes",
                                  w.loc, "write to a copy, and put that into the container")


def _written_by(w: Op) -> list[object]:
    if isinstance(w, Invoke):
        return [w.args[k] for k in summarize(w.func).written]
    return list(writes(w))


def _comes_loose(r: "Reverse", v: Value) -> bool:
    """Whether a reference was read out of a container that is changed, or is one of several views made at once."""
    root = r.refs(v)
    made = r.layout.maker.get(root) if isinstance(root, Value) else None
    while isinstance(made, (Call, GetAttr)) and len(made.results) == 1 and isinstance(root.type, Arr) and (
            bases := [b for b in aliases(made) if isinstance(b.type, Arr)]):
        root = r.refs(bases[0])
        made = r.layout.maker.get(root) if isinstance(root, Value) else None
    if isinstance(v.type, Obj) and v.type.cls is None and not (isinstance(root, Value) and is_mutable(root.type)):
        return True         # perhaps a number, which ``+=`` replaces
    if not isinstance(root, Value):
        return False
    if isinstance(root.type, Obj) and root.type.cls is None:
        return True
    if made is None:
        loop = r.layout.owner.get(id(r.home(root)))
        bases = [s.operands[0] for s in loop.sources if s.operands] if isinstance(loop, For) and root in _items_of(loop) else []
    elif isinstance(made, Call) and made.fn in VIEWS and len(made.results) > 1:
        return True
    elif isinstance(made, Call) and made.fn in LOADS and not (made.fn is operator.getitem and is_slice(made.args[1])):
        bases = made.args[:1]
    else:
        return False
    return any(isinstance(b, Value) and isinstance(b.type, (ListT, DictT)) and (r.classes.is_written(b) or _are_views(r, b)) for b in bases)


def _are_views(r: "Reverse", v: Value) -> bool:
    """Whether a list holds parts of one array, as that of np.split."""
    made = r.layout.maker.get(v)
    return isinstance(made, Call) and made.fn in VIEWS


def _items_of(loop: For) -> list[Value]:
    return loop.body.params[:len(loop.body.params) - len(loop.inits)]


def check_views(r: "Reverse", given: Collection[Value]) -> None:
    """Look at every view of the function that the pass is about to reverse; ``given`` are the parameters that the caller uses
    afterwards, with shadows of its own."""
    _find_reshaped_views(r)
    for op in walk(r.fn.body):
        if isinstance(op, Call) and op.fn in (list, tuple, list.extend) and op.part == "primal" and op.args and has_rows(op.args[-1]) and (
                r.classes.is_written(op.args[-1])):     # lists filled by a derivative are read by it alone
            raise UnsupportedSyntax("the rows of an array are stored in a list, and one of the two is written to in place", op.loc,
                                    "copy them first: [row.copy() for row in a]")
        if isinstance(op, Call) and (passed_on(op) or len(op.results) == 1 and r.is_unknown_view(op.result)) and any(
                r.is_active(v) and r.stability.writers_after(r.classes.root(v), op) for v in op.results):
            raise passed_and_written(op)
        if isinstance(op, (Call, GetAttr)) and _is_lost_view(r, op, given):
            raise Aliased("this shares memory with an array that is written to in place afterward, and its derivative is not part of that "
                          "array's", op.loc, "copy it first: b = a.imag.copy(), d = np.diag(a).copy()")


def _find_reshaped_views(r: "Reverse") -> None:
    """Record which reshaped arrays are views, because the array lies in C order: at each call, if it is an argument."""
    for op in walk(r.fn.body):
        if (not isinstance(op, Call) or op.fn not in MAYBE_VIEWS or not isinstance(op.args[0], Value)
                or not isinstance(op.args[0].type, Arr)):
            continue
        if r.is_active(op.result) and not r.mirrored(op.result):
            root = origin(op.args[0], r.layout.maker, r.refs)
            name = next((p.name for p in r.fn.signature if p.value is root and p.name in r.fn.attrs.contiguous), None)
            if may_copy(op) or name is None and not (computed_in_order(root, r.layout.maker) and len(op.args[0].type.dims) >= 1):
                if r.classes.is_written(op.result):
                    raise view_or_copy(op)
                continue
            r.reshaped.add(op.result)
            r.ordered.add(r.refs.root(op.args[0]))
            if name is not None:
                r.fn.attrs.guards.append(Guard("argattr", (name, "flags", "c_contiguous"), None, True))


def in_order(r: "Reverse", g: Value, v: Value) -> Value:
    """The future shadow of ``v``, in C order if views are written to that only such an array has."""
    if v not in r.ordered or computed_in_order(g, {**r.layout.maker, **r.builder.maker}, v):
        return g
    made: Value = r.builder.call(np.ascontiguousarray, g, type=g.type)
    return made


def _is_lost_view(r: "Reverse", op: Op, given: Collection[Value]) -> bool:
    """Whether an operation makes a view whose adjoint is not a view of the adjoint, where a write through one shows in the other."""
    v = op.results[0] if len(op.results) == 1 else None
    if v is None or r.mirrored(v) or not isinstance(v.type, Arr) or v.type.scalar or not r.is_active(v):
        return False
    bases = [b for b in aliases(op) if isinstance(b, Value) and isinstance(b.type, Arr) and not b.type.scalar]
    return (any(r.classes.same(op.result, b) and r.is_active(b) for b in bases) and r.refs(op.result) is op.result
            and r.view_base(op.result) is None and not r.stability.unwritten(op.result, op) and (
                any(r.classes.same(p, op.result) for p in given) or _used_besides(r, op)))


def _used_besides(r: "Reverse", op: Op) -> bool:
    """Whether memory that the result of an operation shares is used afterwards under a name that does not come from that result."""
    from .object_aliases import later
    own: set[object] = {op.result}
    for other in walk(r.fn.body):
        if any(b in own for b in aliases(other)):
            own.update(other.results)
    root = r.refs.root(op.result)
    return any(later(r, user, op, root) for v in r.layout.home if r.classes.same(v, op.result) and v not in own
               for user in r.layout.users.get(v, ()))
