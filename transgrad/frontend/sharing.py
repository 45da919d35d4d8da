"""Which values may refer to the same memory: what is written through one of them is seen through the others.

Kept while lowering, for two facts that writes change after the fact: whether the contents may depend on a differentiated
input, and what types of elements a container holds.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..ir.effects import is_mutable
from ..ir.ops import Value
from ..ir.types import DictT, ListT, OptT, SetT, Type, join

__all__ = ["Sharing"]


class Sharing:
    """Groups of values that may share memory; ``changes`` lists those of which more became known."""

    def __init__(self) -> None:
        #: Values of which something was learned after they were used, in order.
        self.changes: list[Value | None] = []
        self._linked: dict[Value, set[Value]] = {}
        self._same: dict[Value, set[Value]] = {}
        #: Values that are, or share memory with, objects from outside of the function that are no arguments.
        self._foreign: set[Value] = set()
        self._containers: dict[Value, list[Value]] = {}
        self._contents: dict[Value, list[Value]] = {}

    def link(self, a: Any, b: Any) -> None:
        """``a`` and ``b`` may share memory."""
        if isinstance(a, Value) and isinstance(b, Value) and a is not b and is_mutable(a.type) and is_mutable(b.type):
            _merge(self._linked, a, b)

    def unite(self, a: Any, b: Any) -> None:
        """``a`` and ``b`` may be the very same object."""
        if isinstance(a, Value) and isinstance(b, Value) and a is not b and is_mutable(a.type) and is_mutable(b.type):
            _merge(self._linked, a, b)
            _merge(self._same, a, b)
            if a.varied != b.varied:
                self.vary(a)
            if isinstance(a.type, (ListT, DictT, SetT)):
                self.widen(a, b.type)
                self.widen(b, a.type)

    def foreign(self, value: Any) -> None:
        """``value`` shares memory with a global of the user's, or with what a closure holds."""
        if isinstance(value, Value) and is_mutable(value.type):
            self._foreign.add(value)

    def is_foreign(self, value: Any) -> bool:
        return bool(self._foreign) and not self._foreign.isdisjoint(self._linked.get(value, (value,)))

    def contain(self, container: Any, item: Any) -> None:
        """``item`` is in ``container``."""
        if isinstance(container, Value) and isinstance(item, Value) and is_mutable(item.type) and is_mutable(container.type):
            _merge(self._linked, container, item)
            self._containers.setdefault(item, []).append(container)
            self._contents.setdefault(container, []).append(item)

    def vary(self, value: Any) -> None:
        """A varied value was written through ``value``."""
        if not isinstance(value, Value):
            return
        for v in self._linked.get(value, (value,)):
            if not v.varied:
                v.varied = True
                self.changes.append(v)

    def widen(self, value: Any, t: Type | None) -> None:
        """``value`` also holds what type ``t`` says."""
        if not isinstance(value, Value) or t is None:
            return
        new = join(value.type, t)
        if isinstance(new, ListT) and new.length is not None:
            new = ListT(new.elem)
        if new == value.type:
            return
        value.type = new
        self.changes.append(value)
        for v in list(self._same.get(value, ())):
            self.widen(v, new)
        for c in list(self._containers.get(value, ())):
            self.widen(c, holding(c.type, new))
        elem = element(new)
        if isinstance(elem, (ListT, DictT, SetT)):
            for item in list(self._contents.get(value, ())):
                if isinstance(item.type, type(elem)):
                    self.widen(item, elem)

    def retype(self, value: Any, t: Type) -> None:
        """``value`` is no longer what its type says: a dict got a new key."""
        for v in self._same.get(value, (value,)):
            if v.type != t:
                v.type = t
                self.changes.append(v)

    def changed(self, value: Any) -> None:
        """The length of a list may have changed."""
        for v in self._same.get(value, (value,)) if isinstance(value, Value) else ():
            if isinstance(v.type, ListT) and v.type.length is not None:
                v.type = ListT(v.type.elem)
                self.changes.append(v)

    def all(self, value: Value) -> Iterator[Value]:
        yield from self._linked.get(value, (value,))


def holding(t: Type, elem: Type) -> Type:
    """A container type like ``t`` whose elements also have type ``elem``."""
    match t:
        case ListT():
            return ListT(elem)
        case SetT():
            return SetT(elem)
        case DictT(key, _):
            return DictT(key, elem)
        case OptT(inner):
            return OptT(holding(inner, elem))
    return t


def element(t: Type) -> Type | None:
    """What a container type holds."""
    match t:
        case ListT(elem) | SetT(elem):
            return elem
        case DictT(_, value):
            return value
        case OptT(inner):
            return element(inner)
    return None


def _merge(groups: dict[Value, set[Value]], a: Value, b: Value) -> None:
    ga, gb = groups.get(a), groups.get(b)
    if ga is gb and ga is not None:
        return
    if ga is None:
        ga = groups[a] = {a}
    if gb is None:
        gb = groups[b] = {b}
    if len(ga) < len(gb):
        ga, gb = gb, ga
    ga |= gb
    for v in gb:
        groups[v] = ga
