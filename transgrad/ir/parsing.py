"""Parsing and compiling of syntax trees from several threads.

CPython before 3.12.1 counts the recursion depth of its conversion of syntax trees for all threads together, and raises ``SystemError:
AST constructor recursion depth mismatch`` where two of them convert at once (python/cpython#106905). One lock keeps them apart.
"""
from __future__ import annotations

import ast
from types import CodeType

from ..pickling import reentrant_lock

__all__ = ["compile_tree", "parse"]

_LOCK = reentrant_lock()


def parse(text: str) -> ast.Module:
    """`ast.parse`."""
    with _LOCK:
        return ast.parse(text)


def compile_tree(tree: ast.Module | ast.Expression, filename: str) -> CodeType:
    """`compile` of a module or an expression."""
    with _LOCK:
        code: CodeType = compile(tree, filename, "eval" if isinstance(tree, ast.Expression) else "exec")
        return code
