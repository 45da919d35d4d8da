"""The source of functions and classes, as it is copied into an exported module."""
from __future__ import annotations

import ast
import inspect
import symtable
import textwrap
import types
from collections.abc import Callable
from typing import Any

from ...errors import NoSourceError, TransgradError
from ...frontend.source.find import source_of
from ...frontend.statements.statement_outlining import is_statement, statement_text

__all__ = ["Source", "class_source", "function_source", "imports_within", "names_read"]


class Source:
    """The source of a definition, dedented and without decorators; ``name`` is the name that it defines."""

    def __init__(self, text: str, name: str):
        self.text, self.name = text, name


def function_source(f: types.FunctionType, default: Callable[[Any], str]) -> Source:
    """The source of a function.

    Parameters
    ----------
    f : function
        The function itself: what its decorators have made of it is another object.
    default : callable
        The expression for the value of a default, for those that are not constants in the source.
    """
    if is_statement(f):
        return Source(statement_text(f), f.__name__)
    try:
        found = source_of(f)
    except NoSourceError as error:
        raise TransgradError(f"the source of {f.__name__} cannot be found, so it cannot be written into a module", None,
                             "export with standalone=False") from error
    node = found.node
    first, last = node.lineno + found.offset, node.end_lineno + found.offset
    lines = found.lines[first - 1:last]
    if f.__name__ == "<lambda>":
        text = _segment(lines, node)
        return Source(f"function = ({text})" if "\n" in text else f"function = {text}", "function")
    text = textwrap.dedent("".join(lines)).rstrip()
    return Source(_with_defaults(text, f, default), ast.parse(text).body[0].name)  # type: ignore[attr-defined]


def _segment(lines: list[str], node: Any) -> str:
    """The source of an expression."""
    rows = [line.encode() for line in lines]
    rows[-1] = rows[-1][:node.end_col_offset]
    rows[0] = rows[0][node.col_offset:]
    return b"".join(rows).decode()


def _with_defaults(text: str, f: types.FunctionType, default: Callable[[Any], str]) -> str:
    """A definition in which computed defaults are replaced by their values."""
    node = ast.parse(text).body[0]
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    own = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    held = {**dict(zip(own[len(own) - len(f.__defaults__ or ()):], f.__defaults__ or ())), **(f.__kwdefaults__ or {})}
    given = [*zip(own[len(own) - len(node.args.defaults):], node.args.defaults),
             *((a.arg, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None)]
    rows = [row.encode() for row in text.split("\n")]
    for name, d in sorted(given, key=lambda item: (item[1].lineno, item[1].col_offset), reverse=True):
        if all(isinstance(n, (ast.Constant, ast.UnaryOp, ast.unaryop, ast.Tuple, ast.expr_context)) for n in ast.walk(d)):
            continue
        assert d.end_lineno is not None and d.end_col_offset is not None
        start, end = rows[d.lineno - 1][:d.col_offset], rows[d.end_lineno - 1][d.end_col_offset:]
        rows[d.lineno - 1:d.end_lineno] = [start + default(held[name]).encode() + end]
    return b"\n".join(rows).decode()


def class_source(cls: type) -> Source:
    """The source of a class, with its decorators."""
    try:
        return Source(textwrap.dedent(inspect.getsource(cls)).rstrip(), cls.__name__)
    except (OSError, TypeError) as error:
        raise TransgradError(f"the source of {cls.__name__} cannot be found, so it cannot be written into a module", None,
                             "export with standalone=False") from error


def imports_within(source: Source, is_ours: Callable[[str, int], bool]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Take imports of names out of a definition, and return them: the module, and each name with the name it gets."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    every = ast.walk(ast.parse(source.text))
    nodes = [node for node in every if isinstance(node, ast.ImportFrom) and is_ours(node.module or "", node.level)]
    rows = source.text.split("\n")
    for node in sorted(nodes, key=lambda node: node.lineno, reverse=True):
        found.append(("." * node.level + (node.module or ""), [(a.name, a.asname or a.name) for a in node.names]))
        rows[node.lineno - 1:node.end_lineno] = [" " * node.col_offset + "pass"]
    if found:
        tree = ast.parse("\n".join(rows))
        bodies = [body for owner in ast.walk(tree) if isinstance(body := getattr(owner, "body", None), list) and len(body) > 1]
        passes = {n.lineno for body in bodies for n in body if isinstance(n, ast.Pass)}
        source.text = "\n".join(row for k, row in enumerate(rows, 1) if k not in passes)
    return found


def names_read(source: str) -> list[str]:
    """The names that a definition reads from its module; those of annotations are not evaluated."""
    found: dict[str, None] = {}

    def visit(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (symbol.is_global() or (table.get_type() == "module" and not symbol.is_assigned())):
                found[symbol.get_name()] = None
        for inner in table.get_children():
            visit(inner)

    visit(symtable.symtable(source, "<definition>", "exec"))
    return list(found)
