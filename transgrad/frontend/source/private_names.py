"""Mangle the private names of a class as Python does: ``self.__x`` in a method of ``A`` is ``self._A__x``.

Done once, when the tree of a function is read, so that all later steps see the names in the code object: a base and a class
derived from it may each have its own ``__x``, and code compiled outside of the class has the same meaning.
"""
from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import gast

__all__ = ["write_private_names"]


def write_private_names(node: Any, code: types.CodeType) -> None:
    """Change the names in ``node``, the tree of the function of ``code``, where it, or a class in it, has private ones."""
    if any("__" in name and not name.endswith("__") for name in _names(code)):
        _change(node, _class_around(code))


def _class_around(code: types.CodeType) -> str:
    """The name of the innermost class that the function is written in, or nothing."""
    scopes = code.co_qualname.split(".")[:-1]
    while scopes:
        scope = scopes.pop()
        if scope == "<locals>":
            scopes.pop()        # the function whose they are
        elif not scope.startswith("<"):
            return scope
    return ""


def _names(code: types.CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _change(node: Any, around: str) -> None:
    """Names of variables, attributes and definitions; not those of keywords in a call, nor of attributes in a pattern."""
    inside = node.name if isinstance(node, gast.ClassDef) else around
    body = {id(stmt) for stmt in node.body} if isinstance(node, gast.ClassDef) else ()
    for child in gast.iter_child_nodes(node):
        _change(child, inside if id(child) in body else around)
    for field in _NAMES.get(type(node), ()):
        setattr(node, field, _private(getattr(node, field), around))
    if isinstance(node, (gast.Global, gast.Nonlocal)):
        node.names = [_private(name, around) for name in node.names]
    if isinstance(node, gast.alias) and node.asname is None and _private(node.name, around) != node.name:
        node.asname = _private(node.name, around)


def _private(name: Any, around: str) -> Any:
    owner = around.lstrip("_")
    if not owner or not isinstance(name, str) or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    return f"_{owner}{name}"


_NAMES = {gast.Name: ("id",), gast.Attribute: ("attr",), gast.FunctionDef: ("name",), gast.AsyncFunctionDef: ("name",),
          gast.ClassDef: ("name",), gast.alias: ("asname",), gast.MatchAs: ("name",), gast.MatchStar: ("name",),
          gast.MatchMapping: ("rest",)}
