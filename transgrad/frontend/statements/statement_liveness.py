"""The inputs and outputs of a statement within its function, and whether it can be outlined."""
from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import gast

from ...ir.parsing import parse
from ..calls.invocation import parameter_names
from ..frames import assigned_in, scope_of
from ..source.find import FunctionSource
from .liveness import Uses, stored

__all__ = ["Around", "around"]

_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)
_LOOPS = (gast.For, gast.While)
#: Names by which a statement can see variables that it does not name.
_SEES_ALL = ("locals", "vars", "dir", "super", "__class__")
_OF_TEXT = ("eval", "exec")
_SUSPENDS = (gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFor, gast.AsyncWith)
#: Statements that may handle an exception.
_HANDLES = (gast.Try, gast.With)


@dataclass(frozen=True)
class Around:
    """The variables a statement reads and those it assigns, in order; and all names of the function."""

    reads: tuple[str, ...]
    assigns: tuple[str, ...]
    names: frozenset[str]


def around(source: FunctionSource, path: list[Any]) -> Around | None:
    """The interface of the outlined last statement of a path; None if outlining would change the behavior of the function.

    Parameters
    ----------
    source : FunctionSource
        The function.
    path : list of nodes
        The statement, after those that it is in, from the outermost.
    """
    function, stmt = source.node, path[-1]
    scope = scope_of(source, function)
    every = list(gast.walk(gast.fix_missing_locations(function)))     # gast leaves out that of ``except E as name``
    if not _may_stand_apart(source, every, stmt):
        return None
    inside = set(map(id, gast.walk(stmt)))
    loop = next((s for s in path[:-1] if isinstance(s, _LOOPS)), None)
    if _outlives(every, stmt, loop) & scope.locals.keys():
        return None
    certain = _before(function.body, set(parameter_names(function.args)), path)
    perhaps = _perhaps_before(source, function, stmt, loop) - certain
    uses = Uses()
    assigned = uses.statement(stmt, set())
    if any(isinstance(n, _HANDLES) for n in gast.walk(stmt)):
        assigned = set()        # variables assigned on a path that leaves early and continues
    exposed = uses.exposed
    texts = _texts(stmt)
    if texts is None:
        if perhaps:
            return None     # a string of source may read them, if they are bound
        exposed = exposed | certain
    else:
        exposed = exposed | texts
    later = _read_later(every, inside, stmt, loop)
    if loop is not None:        # the next iteration reads the values of this one
        later |= exposed if texts is not None else set(scope.locals)
    left = [name for name in assigned_in(source, [stmt]) if name in scope.locals and name in later]
    if left and _may_be_half_done(stmt) and any(isinstance(s, _HANDLES) for s in path[:-1]):
        return None     # a handler would see the assignments made before the exception
    needed = {name for name in exposed if name in scope.locals} | {name for name in left if name not in assigned}
    if needed & perhaps or not {name for name in left if name not in assigned} <= certain:
        return None
    return Around(tuple(name for name in scope.locals if name in needed & certain), tuple(left),
                  frozenset(n.id for n in every if isinstance(n, gast.Name)) | frozenset(scope.locals))


def _may_stand_apart(source: FunctionSource, every: list[Any], stmt: Any) -> bool:
    """Whether nothing in the statement, or about its function, is bound to where it stands."""
    if isinstance(stmt, _SCOPES) or _is_apart(stmt) or scope_of(source, source.node).is_generator:
        return False
    if any(isinstance(n, (gast.Delete, gast.Nonlocal, gast.Global)) for n in every):
        return False
    if any(isinstance(n, _SUSPENDS) or isinstance(n, gast.Return) and n is not stmt for n in _own(stmt)):
        return False
    if any(isinstance(n, gast.Name) and n.id in _SEES_ALL or isinstance(n, gast.Attribute) and n.attr in (*_SEES_ALL, *_OF_TEXT)
           for n in gast.walk(stmt)):
        return False
    return not _leaves_loop([stmt])


def _is_apart(stmt: Any) -> bool:
    """Whether a statement is a call of one that stands apart."""
    value = getattr(stmt, "value", None)
    return isinstance(value, gast.Call) and isinstance(value.func, gast.Name) and value.func.id.startswith(("line_", "lines_")) and (
        value.lineno, value.col_offset, value.end_col_offset) == (stmt.lineno, stmt.col_offset, stmt.end_col_offset)


def _own(node: Any) -> Any:
    """The nodes of a statement that are not of another function's or class's."""
    yield node
    for child in gast.iter_child_nodes(node):
        if isinstance(child, _SCOPES):
            continue
        yield from _own(child)


def _leaves_loop(body: list[Any]) -> bool:
    """Whether there is a ``break`` or ``continue`` of a loop around."""
    for node in body:
        if isinstance(node, (gast.Break, gast.Continue)):
            return True
        if isinstance(node, _SCOPES):
            continue
        inner = node.orelse if isinstance(node, _LOOPS) else list(gast.iter_child_nodes(node))
        if _leaves_loop(inner):
            return True
    return False


def _may_be_half_done(stmt: Any) -> bool:
    """Whether an exception may come between two assignments of a statement."""
    return hasattr(stmt, "body") or any(isinstance(n, gast.NamedExpr) for n in gast.walk(stmt)) or hasattr(stmt, "cases")


def _before(body: list[Any], assigned: set[str], path: list[Any]) -> set[str]:
    """The names that are certainly assigned before the last statement of a path."""
    uses = Uses()
    for stmt in body:
        if stmt is not path[0]:
            assigned = uses.statement(stmt, assigned)
            continue
        if len(path) == 1:
            return assigned
        if isinstance(stmt, gast.For):
            assigned = assigned | (stored(stmt.target) if path[1] in stmt.body else set())
        elif isinstance(stmt, gast.With):
            assigned = assigned.union(*(stored(item.optional_vars) for item in stmt.items if item.optional_vars is not None))
        elif isinstance(stmt, gast.Try) and path[1] in stmt.orelse:
            assigned = uses.block(stmt.body, assigned)
        for part in (stmt, *getattr(stmt, "handlers", ()), *getattr(stmt, "cases", ())):
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(part, name, None)
                if isinstance(inner, list) and path[1] in inner:
                    return _before(inner, assigned, path[1:])
    raise AssertionError("the statement is not of the function")


def _perhaps_before(source: FunctionSource, function: Any, stmt: Any, loop: Any) -> set[str]:
    """The names that may be assigned before a statement, in an earlier turn of the outermost loop around it too."""
    if loop is not None:
        found = set(assigned_in(source, [loop]))
        start = loop
    else:
        found, start = set(), stmt
    at = start.lineno, start.col_offset
    for node in gast.walk(function):
        if isinstance(node, gast.stmt) and (node.lineno, node.col_offset) < at and node is not function:
            found.update(assigned_in(source, [node]))
    return found


def _texts(stmt: Any) -> set[str] | None:
    """The names in the strings that a statement evaluates; None if they are not known."""
    found: set[str] = set()
    known = set()
    for node in gast.walk(stmt):
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in _OF_TEXT:
            text = node.args[0] if len(node.args) == 1 else None
            if not (isinstance(text, gast.Constant) and isinstance(text.value, str)):
                return None
            try:
                found.update(n.id for n in ast.walk(parse(text.value)) if isinstance(n, ast.Name))
            except SyntaxError:
                return None
            known.add(id(node.func))
    if any(isinstance(n, gast.Name) and n.id in _OF_TEXT and id(n) not in known for n in gast.walk(stmt)):
        return None
    return None if found & {*_SEES_ALL, *_OF_TEXT} else found


def _outlives(every: list[Any], stmt: Any, loop: Any) -> set[str]:
    """The names that functions defined in a statement read and that are assigned after it: the functions must see those assignments."""
    read = {n.id for made in gast.walk(stmt) if isinstance(made, _SCOPES) for n in gast.walk(made) if isinstance(n, gast.Name)}
    start = stmt if loop is None else loop
    at = start.lineno, start.col_offset
    return {n.id for n in every if isinstance(n, gast.Name) and n.id in read and not isinstance(n.ctx, gast.Load) and
            (n.lineno, n.col_offset) >= at} if read else read


def _read_later(every: list[Any], inside: set[int], stmt: Any, loop: Any) -> set[str]:
    """The names that may be read after a statement: by the code after it, in a later loop iteration, or by a nested function."""
    nested = {id(n) for scope in every[1:] if isinstance(scope, _SCOPES) for n in gast.walk(scope)}
    start = stmt if loop is None else loop
    at = start.lineno, start.col_offset
    found = set()
    for node in every:
        if id(node) in inside and loop is None:
            continue
        if isinstance(node, gast.Name) and (isinstance(node.ctx, gast.Load) or id(node) in nested) and (
                id(node) in nested or (node.lineno, node.col_offset) >= at):
            found.add(node.id)
        elif isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            found.add(node.target.id)
    texts = [n for n in every if isinstance(n, gast.Name) and n.id in (*_OF_TEXT, *_SEES_ALL) and id(n) not in inside]
    if texts:       # which may read any name
        found.update(n.id for n in every if isinstance(n, gast.Name))
    return found
