"""Driver of the lowering to Numba."""
from __future__ import annotations

from functools import partial

from ...errors import UnsupportedByNumba
from ...ir.clone import clone_function
from ...ir.ops import Build, Call, For, Function, GetAttr, Invoke, Param, Value, walk
from ...ir.prims import present
from ...ir.types import ListT, Obj
from ..analysis.alias import AliasClasses
from ..canonicalize.inline import inline_calls, reaches
from ..pipelines import lower_to_numba
from .boundary import plain_boundary
from .constants import pass_constants, read_dicts_outside, refuse_written_lists
from .list_items import refuse_shared_items

__all__ = ["prepare", "reachable"]

#: A callee with at most this many operations is inlined as long as the caller has no more than the second number.
_SMALL, _LARGE = 30, 5000


def prepare(fn: Function, parallel: bool = False) -> Function:
    """The function that a caller runs; those that are to be compiled to machine code have ``attrs.native``.

    Parameters
    ----------
    fn : Function
        As a transformation made it; it is left as it is.
    parallel : bool
        Whether loops over elements run on several threads.
    """
    native = copied(fn, {})
    for f in reachable(native):
        inline_calls(f, partial(_is_small, f), _LARGE)
    for f in reachable(native):
        refuse_written_lists(f)
        read_dicts_outside(f)
    entry = plain_boundary(native)
    pass_constants(native, entry)
    kernels: dict[str, Function] = {}
    for f in reachable(native):
        _refuse_recursion(f)
        _refuse_growing_sources(f)
        _refuse_optional(f)
        refuse_shared_items(f)
        f.attrs.native = f.attrs.emit = True
        if f is not entry:      # called by position, without defaults
            f.origin = None
            f.attrs.primal = None
            f.signature = [Param(v.name or "x", v) for v in f.params]
        lower_to_numba(f, kernels, parallel)
    return entry


def _refuse_optional(fn: Function) -> None:
    """Refuse tuples and dicts that may be None: Numba does not come to an end with their types."""
    for op in walk(fn.body):
        if isinstance(op, Call) and op.fn is present and not isinstance(op.result.type, ListT):
            raise UnsupportedByNumba("a tuple or dict that may be None is read here", op.loc,
                                     "begin with one of zeros, or leave out backend='numba'")


def _refuse_recursion(fn: Function) -> None:
    """Refuse recursive calls that save values of all deeper calls."""
    if any(t == Obj(tuple) for y in fn.body.yields for t in (y.type, *getattr(y.type, "elems", ()))) and reaches(fn, fn):
        raise UnsupportedByNumba(f"{fn.name} calls itself, and the residuals of each call contain those of the next one: Numba has no "
                                 "type for that", fn.loc, "write the recursion as a loop, or remove backend='numba'")


def _refuse_growing_sources(fn: Function) -> None:
    """Refuse loops over lists whose length changes in the body: machine code computes the trip count in advance."""
    loops = [(op, o) for op in walk(fn.body) if isinstance(op, For) for s in op.sources if s.kind == "seq"
             for o in s.operands if isinstance(o, Value) and isinstance(o.type, ListT)]
    classes = AliasClasses(fn) if loops else None
    for loop, source in loops:
        assert classes is not None
        if classes.is_resized(source, loop.body):
            raise UnsupportedByNumba("a list that the loop runs over grows or shrinks while it runs", loop.loc,
                                     "loop by while and an index, or leave out backend='numba'")


def _is_small(caller: Function, call: Invoke) -> bool:
    """Whether to inline a call: its callee is straight-line code of few operations, whose names mean the same in the caller."""
    fn = call.func
    plain = len(fn.body.ops) <= _SMALL and all(isinstance(op, (Call, Build, GetAttr)) for op in fn.body.ops)
    return plain and all(caller.names.get(name, obj) is obj for name, obj in fn.names.items())


def copied(fn: Function, known: dict[int, Function]) -> Function:
    """A copy of a function and of all functions it invokes."""
    found = known.get(id(fn))
    if found is not None:
        return found
    out = known[id(fn)] = clone_function(fn)
    for op in walk(out.body):
        if isinstance(op, Invoke):
            op.func = copied(op.func, known)
    return out


def reachable(fn: Function) -> list[Function]:
    """The function and those it invokes, callees first."""
    order: list[Function] = []
    seen: set[int] = set()

    def visit(f: Function) -> None:
        seen.add(id(f))
        for op in walk(f.body):
            if isinstance(op, Invoke) and id(op.func) not in seen:
                visit(op.func)
        order.append(f)

    visit(fn)
    return order
