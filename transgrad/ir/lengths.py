"""Lengths in the types of a callee, said in those of the caller: each function has names of its own for them."""
from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from .types import Arr, DictT, Dim, ListT, Num, OptT, RecordT, SetT, TupleT, Type, map_dims

__all__ = ["as_caller_sees"]


def as_caller_sees(params: Iterable[Type], args: Iterable[Type]) -> Callable[[Type], Any]:
    """The substitution that maps a type inside a function with parameter types ``params`` to its type for a call with ``args``.

    A length that no argument has is one of which nothing is known but whether it is 1.
    """
    known: dict[Hashable, tuple[Hashable, int]] = {}
    for p, a in zip(params, args):
        for inner, outer in _pairs(p, a):
            if inner.sym is not None and outer.sym is not None:
                known.setdefault(inner.sym, (outer.sym, outer.off - inner.off))

    def seen(dim: Dim) -> Dim:
        if dim.sym is None or isinstance(dim.sym, tuple) and dim.sym[:1] == ("<const>",):
            return dim
        if dim.sym not in known:
            return Dim(dim.one)
        sym, change = known[dim.sym]
        return Dim(dim.one, sym, dim.off + change)

    return lambda t: map_dims(t, seen)


def _pairs(p: Any, a: Any) -> list[tuple[Dim, Dim]]:
    """The dimensions of one type, and of another of the same structure."""
    match p, a:
        case Num(dim=Dim() as inner), Num(dim=Dim() as outer):
            return [(inner, outer)]
        case (Arr(dims=inner_dims), Arr(dims=outer_dims)) if len(inner_dims) == len(outer_dims):
            return list(zip(inner_dims, outer_dims))
        case (TupleT(elems=ps) | RecordT(elems=ps)), (TupleT(elems=qs) | RecordT(elems=qs)):
            return [pair for x, y in zip(ps, qs) for pair in _pairs(x, y)]
        case (ListT(elem=x) | SetT(elem=x) | OptT(elem=x)), (ListT(elem=y) | SetT(elem=y) | OptT(elem=y)):
            return _pairs(x, y)
        case DictT(key=k, value=x), DictT(key=m, value=y):
            return _pairs(k, m) + _pairs(x, y)
    return []
