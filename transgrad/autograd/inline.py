"""Inline the source of a rule into another function, with tests on its arguments decided."""
from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..rules.text import definition, sliced

__all__ = ["Inlined", "decided", "inlined"]


def decided(test: ast.expr, space: Mapping[str, Any], known: Mapping[str, Any]) -> bool | None:
    """The value of a test whose names are all known; None if it cannot be told."""
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and node.id not in known and node.id not in space and not hasattr(builtins, node.id):
            return None
    try:
        return bool(eval(compile(ast.Expression(test), "<rule>", "eval"), dict(space), dict(known)))
    except Exception:
        return None


class _Decide(ast.NodeTransformer):
    """Keeps of a conditional expression the part that is chosen."""

    def __init__(self, space: Mapping[str, Any], known: Mapping[str, Any]):
        self.space, self.known = space, known

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        chosen = decided(node.test, self.space, self.known)
        if chosen is None:
            return self.generic_visit(node)
        found: ast.AST = self.visit(node.body if chosen else node.orelse)
        return found


def _may_be_several(entry: ast.expr, space: Mapping[str, Any]) -> bool:
    """Return whether a rule may return a tuple that a helper has created."""
    if isinstance(entry, ast.IfExp):
        return _may_be_several(entry.body, space) or _may_be_several(entry.orelse, space)
    helper = space.get(entry.func.id) if isinstance(entry, ast.Call) and isinstance(entry.func, ast.Name) else None
    if not isinstance(helper, types.FunctionType) or helper.__closure__ or (node := definition(helper)) is None:
        return False
    returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]
    return any(isinstance(r, ast.Tuple) or _may_be_several(r, helper.__globals__) for r in returned)


class Inlined:
    """Lines that compute the entries, and the expression of each (None: not wanted)."""

    def __init__(self, lines: list[str], entries: list[str | None]):
        self.lines, self.entries = lines, entries


def inlined(vjp: Callable[..., Any], wanted: Sequence[bool], known: Mapping[str, Any]) -> Inlined | None:
    """The body of a rule if it consists of assignments and one ``return``, else None."""
    node = None if getattr(vjp, "__closure__", None) else sliced(vjp, wanted)
    if node is None:
        return None
    written = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    free = {k: v for k, v in known.items() if k not in written}
    body = [_Decide(vjp.__globals__, free).visit(s) for s in node.body if not isinstance(s, ast.Pass)]
    last = body[-1] if body else None
    if not isinstance(last, ast.Return) or last.value is None or not all(isinstance(s, ast.Assign) for s in body[:-1]):
        return None
    parts = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    if any(isinstance(p, ast.Starred) for p in parts) or len(parts) == 1 and len(wanted) > 1 and _may_be_several(parts[0], vjp.__globals__):
        return None
    entries = [ast.unparse(p) if want else None for p, want in zip(parts, wanted)]
    return Inlined([ast.unparse(s) for s in body[:-1]], entries)
