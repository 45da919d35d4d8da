"""Liveness: the variables that a loop carries, which an iteration reads before it assigns them, or which are read after the loop."""
from __future__ import annotations

from typing import Any

import gast

from ..source.find import FunctionSource
from ..source.syntax import children, nodes_in

__all__ = ["Uses", "live_in_loop", "stored"]

_NESTED = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)


class Uses:
    """Names read before they are certainly assigned."""

    def __init__(self) -> None:
        self.exposed: set[str] = set()

    def reads(self, node: Any, assigned: set[str]) -> None:
        """The names an expression reads; ``:=`` assigns."""
        if node is None:
            return
        for n in nodes_in(node):
            if type(n) is gast.Name and type(n.ctx) is gast.Load and n.id not in assigned:
                self.exposed.add(n.id)

    def block(self, body: list[Any], assigned: set[str]) -> set[str]:
        for stmt in body:
            assigned = self.statement(stmt, assigned)
        return assigned

    def statement(self, node: Any, assigned: set[str]) -> set[str]:
        """The names certainly assigned after a statement."""
        if isinstance(node, (gast.Assign, gast.AnnAssign)):
            self.reads(node.value, assigned)
            out = set(assigned)
            for target in node.targets if isinstance(node, gast.Assign) else [node.target]:
                self.reads(target, assigned)
                if node.value is not None:
                    out |= stored(target)
            return out
        if isinstance(node, gast.AugAssign):
            self.reads(node.value, assigned)
            for n in nodes_in(node.target):
                if isinstance(n, gast.Name) and n.id not in assigned:
                    self.exposed.add(n.id)
            return assigned | stored(node.target)
        if isinstance(node, gast.If):
            self.reads(node.test, assigned)
            return self.block(node.body, assigned) & self.block(node.orelse, assigned)
        if isinstance(node, gast.For):
            self.reads(node.iter, assigned)
            self.reads(node.target, assigned)
            self.block(node.body, assigned | stored(node.target))
            self.block(node.orelse, assigned)
            return assigned
        if isinstance(node, gast.While):
            self.reads(node.test, assigned)
            self.block(node.body, assigned)
            self.block(node.orelse, assigned)
            return assigned
        if isinstance(node, gast.With):
            for item in node.items:
                self.reads(item.context_expr, assigned)
                assigned = assigned | (stored(item.optional_vars) if item.optional_vars is not None else set())
            return self.block(node.body, assigned)
        if isinstance(node, gast.Try):
            self.block(node.orelse, self.block(node.body, assigned))
            for h in node.handlers:
                self.reads(h.type, assigned)
                name = h.name.id if isinstance(h.name, gast.Name) else h.name
                self.block(h.body, assigned | ({name} if name else set()))
            return self.block(node.finalbody, assigned)
        if isinstance(node, _NESTED):
            self.reads(gast.Module([node], []), assigned)
            return assigned | {node.name}
        self.reads(node, assigned)
        return assigned


def stored(target: Any) -> set[str]:
    """The names a target binds."""
    if type(target) is gast.Name:
        return {target.id}
    return {n.id for n in nodes_in(target) if type(n) is gast.Name and type(n.ctx) is gast.Store}


class _Index:
    """The names of a function in source order: the first and last read of each, the nested ones, and the extent of each loop."""

    def __init__(self, function: Any) -> None:
        self.used: dict[str, tuple[int, int]] = {}
        self.nested: set[str] = set()
        self.deleted: list[tuple[int, str]] = []
        self.spans: dict[Any, tuple[int, int]] = {}
        self.count = 0
        for child in children(function):
            self.visit(child, False)

    def visit(self, node: Any, nested: bool) -> None:
        self.count += 1
        start = self.count
        kind = type(node)
        if kind is gast.Name:
            if nested:
                self.nested.add(node.id)
            elif isinstance(node.ctx, gast.Load):
                self.use(node.id, start)
            elif isinstance(node.ctx, gast.Del):
                self.use(node.id, start)
                self.deleted.append((start, node.id))
            return
        if kind is gast.Constant:
            return
        if kind is gast.AugAssign:
            for name in stored(node.target):
                self.use(name, start)
        elif kind is gast.Nonlocal:
            self.nested.update(node.names)
        elif kind in _NESTED:
            nested = True
        for child in children(node):
            self.visit(child, nested)
        if kind is gast.For or kind is gast.While:
            self.spans[node] = start, self.count

    def use(self, name: str, at: int) -> None:
        self.used[name] = self.used.get(name, (at, at))[0], at


def live_in_loop(source: FunctionSource, function: Any, loop: Any) -> set[str]:
    """Names whose value at the start of an iteration, or after the loop, may be read; computed once per loop."""
    found: set[str] | None = source.notes.get((loop, "live"))
    if found is None:
        index: _Index | None = source.notes.get((function, "index"))
        if index is None:
            index = source.notes[function, "index"] = _Index(function)
        uses = Uses()
        if isinstance(loop, gast.While):
            uses.reads(loop.test, set())
        uses.block(loop.body, stored(loop.target) if isinstance(loop, gast.For) else set())
        for stmt in loop.orelse:
            uses.reads(stmt, set())
        first, last = index.spans[loop]
        found = uses.exposed | index.nested
        found.update(name for name, (start, end) in index.used.items() if start < first or end > last)
        found.update(name for at, name in index.deleted if first <= at <= last)
        source.notes[loop, "live"] = found
    return found
