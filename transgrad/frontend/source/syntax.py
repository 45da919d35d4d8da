"""From the nodes of the standard library's ast to those of gast, which are the same in every version of Python.

The translation is gast's own; nodes that only change their class, which are most, are translated without looking at each field by name.
"""
from __future__ import annotations

import ast
from functools import cache
from typing import Any

import gast
from gast.ast3 import Ast3ToGAst

__all__ = ["as_gast", "children", "nodes_in"]

#: fields that hold numbers, strings, and marks of how something is meant
_MARKS = frozenset(("ctx", "op", "ops"))
_PLAIN = _MARKS | {"id", "attr", "kind", "type_comment", "asname", "level", "module", "conversion", "is_async", "simple"}
#: for each class of marks of the standard library's the one of gast's that stands for all of them: they hold nothing
_SHARED: dict[type[ast.AST], Any] = {
    kind: getattr(gast, kind.__name__)() for base in (ast.expr_context, ast.operator, ast.unaryop, ast.boolop)
    for kind in base.__subclasses__() if kind.__module__ == "ast"
}


@cache
def _holding(cls: Any) -> tuple[str, ...]:
    """The fields of a class of nodes that may hold other nodes."""
    return () if cls is gast.Constant else tuple(name for name in cls._fields if name not in _PLAIN)


def children(node: Any) -> list[Any]:
    """The child nodes of a node, without marks: like `gast.iter_child_nodes`, without iterating over all fields."""
    found: list[Any] = []
    there = node.__dict__
    for name in _holding(node.__class__):
        value = there.get(name)
        if type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def nodes_in(node: Any) -> list[Any]:
    """A node and all below it, without marks, in the order of `gast.walk`."""
    found = [node]
    for inner in found:
        found += children(inner)
    return found


def as_gast(node: ast.AST) -> Any:
    """The tree of gast with the same contents, and at the same places."""
    return _Translator().visit(node)


@cache
def _way(kind: Any) -> tuple[Any, Any]:
    """How a node is translated: by a method of gast's that is special to its class, or as a node of another class."""
    name = f"visit_{kind.__name__}"
    own = getattr(Ast3ToGAst, name, None) if kind is not ast.Name else None
    return own if own is not getattr(ast.NodeTransformer, name, None) else None, getattr(gast, kind.__name__, None)


class _Translator(Ast3ToGAst):  # type: ignore[misc]
    def visit(self, node: ast.AST) -> Any:
        own, cls = _way(node.__class__)  # type: ignore[arg-type]     # a class is hashable, even if its instances are not
        if own is not None:
            return own(self, node)
        if cls is None:
            return None
        new = cls.__new__(cls)
        there = new.__dict__
        there.update(node.__dict__)
        for name in node._fields:
            value = there.get(name)
            if type(value) is list:
                there[name] = [self.visit(item) if isinstance(item, ast.AST) else item for item in value]
            elif isinstance(value, ast.AST):
                there[name] = _SHARED.get(value.__class__) or self.visit(value)
        if cls is gast.Name:
            there["annotation"] = there["type_comment"] = None
        return new
