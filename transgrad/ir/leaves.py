"""The floating-point and complex leaves of a type, in the order of `transgrad.tree`."""
from __future__ import annotations

from typing import Any

from .types import RecordT, TupleT, Type, is_differentiable

__all__ = ["fields_of", "leaf_types"]


def leaf_types(t: Type) -> list[Type]:
    """Return the types of the differentiable leaves of a value of some type."""
    if isinstance(t, TupleT):
        return [leaf for e in t.elems for leaf in leaf_types(e)]
    if isinstance(t, RecordT):
        return [leaf for _, e in fields_of(t) for leaf in leaf_types(e)]
    return [t] if is_differentiable(t) else []


def fields_of(t: RecordT) -> list[tuple[Any, Type]]:
    """Return the keys and the types of the items."""
    return sorted(zip(t.keys, t.elems), key=lambda field: str(field[0]))
