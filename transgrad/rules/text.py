"""The source of a rule: the statements that compute some of its entries, and the names that an entry mentions."""
from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from ..ir.parsing import compile_tree, parse

__all__ = ["count_entries", "definition", "entry_places", "mentions", "only", "sliced", "zero_entries"]


@functools.lru_cache(4096)
def _source(vjp: Callable[..., Any]) -> str:
    return textwrap.dedent(inspect.getsource(vjp))


def definition(vjp: Callable[..., Any]) -> ast.FunctionDef | None:
    """The syntax tree of a function; None if its source is not at hand."""
    try:
        tree = parse(_source(vjp))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    node = tree.body[0]
    return node if isinstance(node, ast.FunctionDef) else None


class _Select(ast.NodeTransformer):
    """Puts None in place of the entries that are not wanted."""

    def __init__(self, wanted: Sequence[bool]):
        self.wanted = wanted

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if isinstance(node.value, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in node.value.elts):
            elts = [e if k < len(self.wanted) and self.wanted[k] else ast.Constant(None) for k, e in enumerate(node.value.elts)]
            node.value = ast.Tuple(elts, ast.Load())
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node


class _Drop(ast.NodeTransformer):
    """Removes assignments to names that nothing reads."""

    def __init__(self, read: set[str]):
        self.read = read
        self.dropped = False

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | ast.Pass:
        names = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        plain = all(isinstance(n, (ast.Name, ast.Tuple, ast.Store)) for t in node.targets for n in ast.walk(t))
        if plain and not set(names) & self.read:
            self.dropped = True
            return ast.Pass()
        return node


def _read(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def sliced(vjp: Callable[..., Any], wanted: Sequence[bool]) -> ast.FunctionDef | None:
    """The syntax tree of a rule without the statements that only the unwanted entries need."""
    node = definition(vjp)
    if node is None:
        return None
    node.decorator_list = []
    node.returns = None
    node.body = [_Select(wanted).visit(s) for s in node.body]
    while True:
        drop = _Drop(set().union(*map(_read, node.body)))
        node.body = [drop.visit(s) for s in node.body]
        if not drop.dropped:
            return node


def only(vjp: Callable[..., Any], wanted: Sequence[bool]) -> Callable[..., Any]:
    """The rule without the statements that only the unwanted entries need; the rule itself if its source is not available."""
    if all(wanted) or getattr(vjp, "__closure__", None):
        return vjp
    node = sliced(vjp, wanted)
    if node is None:
        return vjp
    ast.increment_lineno(node, vjp.__code__.co_firstlineno - 1)
    module = ast.fix_missing_locations(ast.Module([node], []))
    space: dict[str, Any] = {}
    exec(compile_tree(module, vjp.__code__.co_filename), vjp.__globals__, space)
    made: Callable[..., Any] = space[node.name]
    return made


def count_entries(vjp: Callable[..., Any]) -> int | None:
    """How many entries a rule returns; None if its source is not at hand or does not say."""
    node = definition(vjp)
    if node is None:
        return None
    returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
    return max((len(r.elts) if isinstance(r, ast.Tuple) else 1 for r in returned), default=1)


def zero_entries(vjp: Callable[..., Any]) -> set[int]:
    """The places of the entries that say that the result does not change with the argument."""
    node = definition(vjp)
    returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)] if node is not None else []
    entries = [r.elts if isinstance(r, ast.Tuple) else [r] for r in returned]
    found = [{k for k, e in enumerate(es) if isinstance(e, ast.Name) and e.id == "ZERO"} for es in entries]
    return set.intersection(*found) if found else set()


@functools.lru_cache(4096)
def entry_places(vjp: Callable[..., Any]) -> frozenset[int]:
    """The places of the arguments that have an entry, be it zero."""
    node = definition(vjp)
    returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)] if node is not None else []
    entries = [r.elts if isinstance(r, ast.Tuple) else [r] for r in returned]
    return frozenset(k for es in entries for k, e in enumerate(es) if e is not None and ast.unparse(e) != "None")


def mentions(vjp: Callable[..., Any], count: int, entry: int) -> set[str]:
    """The parameters that the given entry reads, which have to be saved for it.

    Examples
    --------
    >>> def product(g, y, a, b):
    ...     return g * b, a * g
    >>> mentions(product, 2, 0)  # doctest: +SKIP
    {'b'}
    """
    names = set(inspect.signature(vjp).parameters) - {"g"}
    node = sliced(vjp, [k == entry for k in range(count)])
    return names if node is None else names & set().union(*map(_read, node.body))
