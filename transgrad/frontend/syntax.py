"""From the nodes of the standard library's ast to those of gast, which are the same in every version of Python.

The translation is gast's own; nodes that only change their class, which are most, are translated without looking at each field by name.
"""
from __future__ import annotations

import ast
from functools import cache
from typing import Any

import gast
from gast.ast3 import Ast3ToGAst

__all__ = ["as_gast"]


def as_gast(node: ast.AST) -> Any:
    """The tree of gast with the same contents, and at the same places."""
    return _Translator().visit(node)


@cache
def _way(kind: type[ast.AST]) -> tuple[Any, Any]:
    """How a node is translated: by a method of gast's that is special to its class, or as a node of another class."""
    name = f"visit_{kind.__name__}"
    own = getattr(Ast3ToGAst, name, None) if kind is not ast.Name else None
    return own if own is not getattr(ast.NodeTransformer, name, None) else None, getattr(gast, kind.__name__, None)


class _Translator(Ast3ToGAst):  # type: ignore[misc]
    def visit(self, node: ast.AST) -> Any:
        own, cls = _way(type(node))
        if own is not None:
            return own(self, node)
        if cls is None:
            return None
        new = cls.__new__(cls)
        there = new.__dict__
        for name, value in node.__dict__.items():
            if isinstance(value, ast.AST):
                value = self.visit(value)
            elif type(value) is list:
                value = [self.visit(item) if isinstance(item, ast.AST) else item for item in value]
            there[name] = value
        if cls is gast.Name:
            there["annotation"] = there["type_comment"] = None
        return new
