"""Check that a code object was compiled from a piece of source.

A file may have been edited after it was imported, and code created at run time may claim the file and line of other code. The source
found there then belongs to another function. So it is compiled again, in an equivalent scope, and the code is compared.
"""
from __future__ import annotations
import __future__

import ast
import copy
import dis
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["compiles_to"]

_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag


def compiles_to(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, func: types.FunctionType, offset: int = 0) -> bool:
    """Whether ``node`` compiles to the code of ``func``; the assertions rewritten by pytest may differ.

    ``offset`` is added to the lines of ``node`` to get those of the file (classes know theirs).
    """
    code = func.__code__
    if offset and any("__qualname__" in c.co_names for c in _inside(code)):      # the body of a class
        node = ast.increment_lineno(copy.deepcopy(node), offset)
    if _rewritten(code):
        return True
    modules = [n for n in code.co_names if isinstance(func.__globals__.get(n), types.ModuleType)]
    found: list[types.CodeType] = []
    for imported in (modules, []) if modules else ([],):     # by the same text, or somewhere else, as in another cell of a notebook
        try:
            module = compile(_module(node, code, imported), code.co_filename, "exec", code.co_flags & _FUTURES, dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
        found += [c for c in _inside(module) if c.co_name == code.co_name]
        if any(_same(c, code, _bytes) for c in found):
            return True
    return any(_same(c, code, _instructions) for c in found)


def _module(node: Any, code: types.CodeType, modules: list[str]) -> ast.Module:
    """The function alone in scopes like its own: the same names are free, and private ones are those of the same class."""
    own: Any = ast.Expr(ast.Constant(None)) if isinstance(node, ast.Lambda) else copy.copy(node)
    own.decorator_list = own.body = []
    inner: ast.stmt = own
    scopes = code.co_qualname.split(".")
    for k in range(len(scopes) - 2, -1, -1):
        if scopes[k] != "<locals>":
            inner = _function(scopes[k], _declared(inner, code)) if scopes[k + 1] == "<locals>" else \
                ast.ClassDef(name=scopes[k], bases=[], keywords=[], body=[inner], decorator_list=[], **_no_types())
    free = [n for n in code.co_freevars if n != "__class__"]
    assigned: list[ast.stmt] = [ast.Assign(targets=[ast.Name(n, ast.Store()) for n in free], value=ast.Constant(None))] if free else []
    imports: list[ast.stmt] = [ast.Import([ast.alias(n)]) for n in modules]      # imported names are called by other instructions
    module = ast.fix_missing_locations(ast.Module([*imports, _function("around", [*assigned, *_declared(inner, code)])], []))
    if isinstance(node, ast.Lambda):    # a parsed node has locations, and it may be large
        own.value = node
    else:
        own.body = node.body
    return module


def _declared(inner: ast.stmt, code: types.CodeType) -> list[ast.stmt]:
    """The statement as in a function in which its name is global unless the code closes over it."""
    name = getattr(inner, "name", None)
    return [inner] if name is None or name in code.co_freevars else [ast.Global([name]), inner]


def _function(name: str, body: list[ast.stmt]) -> ast.FunctionDef:
    empty = ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])
    return ast.FunctionDef(name=name if name.isidentifier() else "scope", args=empty, body=body, decorator_list=[], returns=None,
                           **_no_types())


def _no_types() -> dict[str, Any]:
    return {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}


def _inside(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _inside(constant)


def _rewritten(code: types.CodeType) -> bool:
    return any(n.startswith("@py") for c in (code, *_inside(code)) for n in (*c.co_names, *c.co_varnames))


def _same(a: types.CodeType, b: types.CodeType, steps: Callable[[types.CodeType], Any]) -> bool:
    facts = ("co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount")
    return all(getattr(a, f) == getattr(b, f) for f in facts) and (a.co_flags ^ b.co_flags) & ~inspect.CO_NESTED == 0 \
        and len(a.co_consts) == len(b.co_consts) and steps(a) == steps(b) \
        and all(_same_constant(x, y, steps) for x, y in zip(a.co_consts, b.co_consts))


def _same_constant(a: Any, b: Any, steps: Callable[[types.CodeType], Any]) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, types.CodeType):
        return _same(a, b, steps)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(_same_constant(x, y, steps) for x, y in zip(a, b))
    if isinstance(a, frozenset):
        return bool(a == b)
    return repr(a) == repr(b)


def _bytes(code: types.CodeType) -> Any:
    return code.co_code, code.co_names


def _instructions(code: types.CodeType) -> Any:
    """The instructions, without the distinction between loading a method and an attribute of an imported name."""
    return [(i.opname if i.opname != "LOAD_METHOD" else "LOAD_ATTR",
             None if i.opcode in dis.hasjrel or i.opcode in dis.hasconst else i.argval)
            for i in dis.get_instructions(code) if i.opname not in ("PUSH_NULL", "EXTENDED_ARG")]
