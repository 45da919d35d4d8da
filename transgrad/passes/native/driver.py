"""The passes of the native back end in their order."""
from __future__ import annotations

from ...ir.clone import clone_function
from ...ir.ops import Function, Invoke, walk
from ..dce import eliminate_dead_code
from .boundary import plain_boundary
from .calls import rewrite_calls
from .fuse import fuse_loops
from .residuals import arrays_for_lists

__all__ = ["prepare"]


def prepare(fn: Function) -> Function:
    """The function that a caller runs; those that are to be compiled to machine code have ``attrs['native']``.

    Parameters
    ----------
    fn : Function
        As a transformation made it; it is left as it is.
    """
    native = copied(fn, {})
    entry = plain_boundary(native)
    for f in reachable(native):
        f.attrs["native"] = f.attrs["emit"] = True
        arrays_for_lists(f)
        rewrite_calls(f)
        fuse_loops(f)
        eliminate_dead_code(f)
    return entry


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
