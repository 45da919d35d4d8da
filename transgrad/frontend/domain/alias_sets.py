"""Alias sets: values that may refer to the same memory, so that a write through one is visible through the others.

Maintained during lowering for two properties that later writes change: whether the contents may depend on a differentiated
input, and the element types of a container.
"""
from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ...ir.effects import is_mutable
from ...ir.ops import Value
from ...ir.types import Arr, DictT, ListT, OptT, RecordT, SetT, TupleT, Type, join

__all__ = ["Sharing"]

#: types of containers that can grow, and of containers that hold them
_GROWING = (ListT, DictT, SetT, TupleT, RecordT)


class Sharing:
    """Groups of values that may share memory; ``changes`` lists those of which more became known."""

    def __init__(self) -> None:
        #: Values of which something was learned after they were used, in order.
        self.changes: list[Value | None] = []
        self._linked: dict[Value, set[Value]] = {}
        self._same: dict[Value, set[Value]] = {}
        #: Values that are, or share memory with, objects from outside of the function that are no arguments.
        self._foreign: set[Value] = set()
        #: Containers of the function that hold such objects, and the values taken out of them.
        self._holding: set[Value] = set()
        self._outside_items: set[Value] = set()
        #: Values that something of which nothing is known had in hand, or whose memory that shares.
        self.given_away: set[Value] = set()
        self._containers: dict[Value, list[tuple[Value, Hashable]]] = {}
        self._contents: dict[Value, list[tuple[Value, Hashable]]] = {}

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
        """``value`` shares memory with a global of the user's or with the value of a closure variable."""
        if isinstance(value, Value) and is_mutable(value.type):
            self._foreign.add(value)

    def is_foreign(self, value: Any) -> bool:
        """Whether a write to a value may change an object from outside of the function."""
        linked = self._linked.get(value, (value,))
        if self._foreign and not self._foreign.isdisjoint(linked):
            return True
        items = self._outside_items
        return bool(items) and (value in items or isinstance(value, Value) and isinstance(value.type, Arr) and not items.isdisjoint(linked))

    def holds_outside(self, container: Value) -> None:
        """A new container holds objects from outside: it may be written to, but not its items."""
        self._holding.add(container)

    def is_holding(self, value: Any) -> bool:
        """Whether a value is a container that was made with objects from outside in it."""
        return value in self._holding

    def contain(self, container: Any, item: Any, key: Hashable = None) -> None:
        """``item`` is in ``container``; its place, ``key``, says which in a tuple or in a dict of known keys."""
        if isinstance(container, Value) and isinstance(item, Value) and is_mutable(item.type) and is_mutable(container.type):
            _merge(self._linked, container, item)
            if container in self._holding:
                self._outside_items.add(item)
                if not isinstance(item.type, Arr):
                    self._holding.add(item)
            self._containers.setdefault(item, []).append((container, key))
            self._contents.setdefault(container, []).append((item, key))

    def vary(self, value: Any) -> None:
        """A varied value was written through ``value``."""
        if not isinstance(value, Value):
            return
        for v in self._linked.get(value, (value,)):
            if not v.varied:
                v.varied = True
                self.changes.append(v)

    def widen(self, value: Any, t: Type | None) -> None:
        """``value`` may also have the type ``t``."""
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
        for c, key in list(self._containers.get(value, ())):
            self.widen(c, holding(c.type, new, key))
        for item, key in list(self._contents.get(value, ())):
            elem = element(new, key)
            if isinstance(elem, _GROWING) and isinstance(item.type, type(elem)):
                self.widen(item, elem)

    def retype(self, value: Any, t: Type) -> None:
        """Change the type of ``value``: a dict got a new key."""
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


def holding(t: Type, elem: Type, key: Hashable) -> Type:
    """A container type like ``t`` whose elements also have type ``elem``."""
    match t:
        case ListT():
            return ListT(elem)
        case SetT():
            return SetT(elem)
        case DictT(known, _):
            return DictT(known, elem)
        case TupleT(elems, cls):
            return TupleT(tuple(join(e, elem) if _stands_at(k, key, e, elem) else e for k, e in enumerate(elems)), cls)
        case RecordT(keys, elems, cls):
            return RecordT(keys, tuple(join(e, elem) if _stands_at(k, key, e, elem) else e for k, e in zip(keys, elems)), cls)
        case OptT(inner):
            return OptT(holding(inner, elem, key))
    return t


def _stands_at(k: Hashable, key: Hashable, held: Type, elem: Type) -> bool:
    """Whether the entries at ``key`` and ``k`` may be the same; if the position is not known, by type."""
    return k == key if key is not None else isinstance(elem, _GROWING) and isinstance(held, type(elem))


def element(t: Type, key: Hashable = None) -> Type | None:
    """The type of the entry of a container type at a position."""
    match t:
        case ListT(elem) | SetT(elem):
            return elem
        case DictT(_, value):
            return value
        case TupleT(elems):
            return elems[key] if isinstance(key, int) and -len(elems) <= key < len(elems) else None
        case RecordT(keys, elems):
            return elems[keys.index(key)] if key in keys else None
        case OptT(inner):
            return element(inner, key)
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
