"""The scope of one Python function while it is lowered: where each of its names lives."""
from __future__ import annotations

import builtins
from typing import Any

import gast

from .source.find import FunctionSource
from .source.syntax import children

__all__ = ["Frame", "Scope", "scope_of"]

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
#: nodes that bind names, or have scopes of their own
_NAMING = frozenset((
    *_FUNCTIONS, *_COMPREHENSIONS, gast.ClassDef, gast.NamedExpr, gast.Global, gast.Nonlocal, gast.Import, gast.ImportFrom,
    gast.ExceptHandler, gast.MatchAs, gast.MatchStar, gast.MatchMapping, gast.Yield, gast.YieldFrom,
))
#: nodes that create functions, which may outlive the enclosing one
_MAKING = (gast.FunctionDef, gast.Lambda, gast.GeneratorExp, gast.ClassDef)


class Scope:
    """The scopes of the names in a function's source."""

    __slots__ = ("globals", "is_generator", "locals", "makes_functions", "nonlocals")

    def __init__(self) -> None:
        self.locals: dict[str, None] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.is_generator = False
        self.makes_functions = False


def _collect(node: Any, scope: Scope, own: bool = True) -> None:
    """Names assigned under ``node``; ``own`` is False inside a comprehension, where only := reaches the function."""
    for child in children(node):
        kind = type(child)
        if kind is gast.Name:
            if own and type(child.ctx) in (gast.Store, gast.Del):
                scope.locals[child.id] = None
        elif kind in _NAMING:
            if not _bind(child, scope, own):
                continue
        elif kind is gast.Constant:
            continue
        _collect(child, scope, own)


def _bind(node: Any, scope: Scope, own: bool) -> bool:
    """Record the effects of a node on names other than assignments to variables; return whether to visit its children."""
    scope.makes_functions = scope.makes_functions or isinstance(node, _MAKING)
    if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
        scope.locals[node.name] = None
        for inner in [*node.decorator_list, *getattr(node, "bases", [])]:
            _collect(gast.Expr(inner), scope, own)
        if not isinstance(node, gast.ClassDef):
            for inner in [*node.args.defaults, *[d for d in node.args.kw_defaults if d is not None]]:
                _collect(gast.Expr(inner), scope, own)
        return False
    if isinstance(node, gast.Lambda):
        for inner in [*node.args.defaults, *[d for d in node.args.kw_defaults if d is not None]]:
            _collect(gast.Expr(inner), scope, own)
        return False
    if isinstance(node, _COMPREHENSIONS):
        _collect(node, scope, own=False)
        return False
    if isinstance(node, gast.NamedExpr):
        scope.locals[node.target.id] = None
        _collect(gast.Expr(node.value), scope, own)
        return False
    if isinstance(node, gast.Global):
        scope.globals.update(node.names)
    elif isinstance(node, gast.Nonlocal):
        scope.nonlocals.update(node.names)
    elif isinstance(node, (gast.Import, gast.ImportFrom)):
        for alias in node.names:
            if alias.name != "*":
                scope.locals[alias.asname or alias.name.split(".")[0]] = None
    elif isinstance(node, gast.ExceptHandler) and node.name is not None:
        scope.locals[node.name.id if isinstance(node.name, gast.Name) else node.name] = None
    elif isinstance(node, (gast.MatchAs, gast.MatchStar)) and node.name is not None:
        scope.locals[node.name] = None
    elif isinstance(node, gast.MatchMapping) and node.rest is not None:
        scope.locals[node.rest] = None
    elif isinstance(node, (gast.Yield, gast.YieldFrom)):
        scope.is_generator = True
    return True


def scope_of(source: FunctionSource, node: Any) -> Scope:
    """The scope of a function node of ``source``, computed once."""
    found = source.notes.get((node, "scope"))
    if found is None:
        found = Scope()
        args = node.args
        for a in [
            *args.posonlyargs,
            *args.args,
            *([args.vararg] if args.vararg else []),
            *args.kwonlyargs,
            *([args.kwarg] if args.kwarg else []),
        ]:
            found.locals[a.id] = None
        body = node.body if isinstance(node.body, list) else [gast.Expr(node.body)]
        _collect(gast.Module(body, []), found)
        for name in found.globals | found.nonlocals:
            found.locals.pop(name, None)
        source.notes[node, "scope"] = found
    result: Scope = found
    return result


def assigned_in(source: FunctionSource, nodes: list[Any]) -> dict[str, None]:
    """Names assigned by statements (a loop's body), in order; computed once."""
    key = ("assigned", *nodes)
    found = source.notes.get(key)
    if found is None:
        scope = Scope()
        _collect(gast.Module(list(nodes), []), scope)
        found = source.notes[key] = scope.locals
    result: dict[str, None] = found
    return result


class Frame:
    """One activation of a function being lowered: names of its own, of functions around it, of its module."""

    __slots__ = (
        "around", "cells", "func", "globals", "hidden", "name", "node", "outer", "owner", "returns", "scope", "self", "source", "statement",
    )

    def __init__(self, source: FunctionSource, node: Any, module: dict[str, Any], outer: "Frame | None" = None,
                 cells: dict[str, Any] | None = None, func: Any = None, name: str = ""):
        self.source, self.node, self.globals, self.outer = source, node, module, outer
        self.cells = cells or {}
        self.func = func
        self.name = name
        #: The statement being lowered.
        self.statement: Any = None
        self.scope = scope_of(source, node)
        #: The class the function belongs to and its first argument, for super().
        self.owner: Any = None
        self.self: Any = None
        #: Names bound in comprehensions being lowered, innermost last: they shadow the function's own.
        self.hidden: list[dict[str, Any]] = []
        #: Those that the function was made in.
        self.around: list[dict[str, Any]] = []
        #: Whether a return inside must be kept apart from those of the function around.
        self.returns = True

    def captured(self) -> bool:
        """Whether a function made in this frame may outlive it."""
        return self.scope.makes_functions

    def home_of(self, name: str) -> "tuple[Any, str] | None":
        """The state key of a name that belongs to this function or to one around it; None for cells and globals."""
        for layer in reversed(self.hidden):
            if name in layer:
                return layer[name], name
        if name in self.scope.globals:
            return None
        if name in self.scope.locals:
            return self, name
        for layer in reversed(self.around):
            if name in layer:
                return layer[name], name
        frame = self.outer
        if frame is not None and name not in self.cells:
            return frame.home_of(name)
        return None

    def outside(self, name: str) -> tuple[str, Any, Any]:
        """Where a name that is not local comes from: ('cell', cell, contents), ('global' | 'builtin', dict, object)."""
        frame: Frame | None = self
        if name not in self.scope.globals:
            while frame is not None:
                if name in frame.cells:
                    return "cell", frame.cells[name], frame.cells[name].cell_contents
                frame = frame.outer
        if name in self.globals:
            return "global", self.globals, self.globals[name]
        if hasattr(builtins, name):
            return "builtin", builtins.__dict__, getattr(builtins, name)
        raise NameError(name)


def cells_of(func: Any) -> dict[str, Any]:
    """The closure cells of a function by name, without those still empty."""
    out = {}
    for name, cell in zip(func.__code__.co_freevars, func.__closure__ or ()):
        try:
            _ = cell.cell_contents
            out[name] = cell
        except ValueError:      # not assigned yet
            continue
    return out
