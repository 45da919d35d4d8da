"""The ``def`` line of a function, the arguments of calls to it, and what its calls return."""
from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..ir.ops import Function, Lit, Param, Tree, Value
from ..runtime.plain_tree import instance, stores_fields
from .globals import Globals
from .literals import constant
from .naming import unique

__all__ = ["arguments", "call_arguments", "parameter_names", "parameters", "returned"]


def parameters(fn: Function) -> list[Param]:
    """All parameters: those of the user's function, then run-time parameters that it does not have."""
    known = {p.value for p in fn.signature if isinstance(p.value, Value)}
    extra = [Param(v.name or "", v) for v in fn.params if v not in known]
    tail = next((k for k, p in enumerate(fn.signature) if p.kind in ("varargs", "keyword", "varkwargs")), len(fn.signature))
    return [*fn.signature[:tail], *extra, *fn.signature[tail:]]


def parameter_names(fn: Function) -> dict[int, str]:
    """The name of each parameter by position."""
    params = parameters(fn)
    taken = {p.name for p in params if p.name}
    names: dict[int, str] = {}
    seen: set[str] = set()
    for k, p in enumerate(params):
        names[k] = p.name if p.name and p.name not in seen else unique(p.name or "x", taken | seen)
        seen.add(names[k])
    return names


def _defaults(fn: Function) -> dict[str, Any]:
    """Defaults of the user's function."""
    user = fn.origin if fn.origin is not None else fn.attrs.primal
    try:
        found = inspect.signature(user) if user is not None else None
    except (TypeError, ValueError):
        return {}
    if found is None:
        return {}
    return {n: p.default for n, p in found.parameters.items() if p.default is not p.empty}


def arguments(fn: Function, names: Globals) -> str:
    """The source between the parentheses of the ``def`` line."""
    defaults = _defaults(fn)
    named = parameter_names(fn)
    args = ast.arguments([], [], None, [], [], None, [])
    optional = False
    for k, p in enumerate(parameters(fn)):
        arg = ast.arg(named[k])
        default = constant(defaults[p.name], names) if p.name in defaults else None
        if p.kind == "varargs":
            args.vararg = arg
        elif p.kind == "varkwargs":
            args.kwarg = arg
        elif p.kind == "keyword":
            args.kwonlyargs.append(arg)
            args.kw_defaults.append(default)
        else:
            (args.posonlyargs if p.kind == "positional" else args.args).append(arg)
            if default is None and optional:
                # a required parameter of the derivative after optional ones of the primal
                args.defaults.clear()
            optional = default is not None
            if default is not None:
                args.defaults.append(default)
    return ast.unparse(args)


def call_arguments(fn: Function, args: Sequence[ast.expr], names: Globals) -> tuple[list[ast.expr], list[ast.keyword]]:
    """Arguments of a call of ``fn`` whose run-time arguments are ``args``."""
    given = dict(zip(fn.params, args))
    defaults = _defaults(fn)
    positional: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    skipped = False
    for k, p in enumerate(parameters(fn)):
        if isinstance(p.value, Lit):
            if (p.name in defaults and _equal(defaults[p.name], p.value.value)) or (p.kind[:3] == "var" and not p.value.value):
                skipped = skipped or p.kind != "keyword"
                continue
            value = constant(p.value.value, names)
        else:
            value = given[p.value]
        if p.kind == "varargs":
            positional.append(ast.Starred(value, ast.Load()))
        elif p.kind == "varkwargs":
            keywords.append(ast.keyword(None, value))
        elif p.kind == "keyword" or (skipped and p.kind != "positional"):
            keywords.append(ast.keyword(parameter_names(fn)[k], value))
        else:
            positional.append(value)
    return positional, keywords


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and type(a) in (bool, int, float, complex, str, bytes) and bool(a == b)


def returned(tree: Tree, results: Callable[[int], ast.expr], names: Globals) -> ast.expr:
    """The expression for a returned structure."""
    items = [returned(item, results, names) for item in tree.items]
    match tree.kind:
        case "leaf" if tree.cls is tuple:
            return ast.Call(names.expr(tuple), [results(tree.index)], [])
        case "leaf":
            return results(tree.index)
        case "lit":
            return constant(tree.value, names)
        case "tuple" if tree.cls is None:
            return ast.Tuple(items, ast.Load())
        case "tuple":
            return ast.Call(names.expr(tree.cls), items, [])
        case "list":
            return ast.List(items, ast.Load())
        case "dict":
            made = ast.Dict([constant(k, names) for k in tree.keys], items)
            return made if tree.cls is None else ast.Call(names.expr(tree.cls), [made], [])
        case "object":
            assert tree.cls is not None
            if not stores_fields(tree.cls):
                fields = ast.Dict([constant(k, names) for k in tree.keys], items)
                return ast.Call(names.expr(instance), [names.expr(tree.cls), fields], [])
            return ast.Call(names.expr(tree.cls), [], [ast.keyword(k, v) for k, v in zip(tree.keys, items)])
    raise TypeError(f"unknown kind {tree.kind!r} in a returned structure")
