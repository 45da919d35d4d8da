"""Outline an unsupported statement into a function, so that only this call runs on the tape.

The source of the function is replaced by an equivalent one with a call instead of the statement. The new function takes the
variables that the statement reads, and returns those that it assigns. Outlining is not done if it might change the behavior.
"""
from __future__ import annotations
import __future__

import ast
import copy
import functools
import operator
import types
import weakref
from typing import Any

import gast

from ...errors import NoSourceError, TransgradError
from ...ir.ops import Loc
from ..source.find import FunctionSource, register, source_of
from ..source.insertions import notes_kept
from .statement_liveness import Around, around

__all__ = ["is_statement", "restore", "set_apart", "statement_text", "version", "versions"]

_KEY = "__transgrad_version__"
_ORIGINAL = "__transgrad_original__"
_STATEMENTS: "weakref.WeakSet[types.CodeType]" = weakref.WeakSet()
_FUTURE = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))


def version(func: Any) -> Any:
    """The function with some of its statements outlined, if that was necessary; else the function itself."""
    if not isinstance(func, types.FunctionType):
        return func
    code, cells, found = func.__dict__.get(_KEY, (None, None, None))
    return found if code is func.__code__ and cells is func.__closure__ else func     # not a copy made by a decorator


def versions(func: Any) -> Any:
    """The state with which `restore` undoes the following calls of `set_apart`."""
    while not isinstance(func, types.FunctionType) and func is not None:
        func = getattr(func, "__func__", None) or getattr(func, "primal", None)
    return func, getattr(func, "__dict__", {}).get(_KEY)


def restore(kept: Any) -> None:
    """Undo the calls of `set_apart` since `versions`: a statement that stands apart is compiled worse, so it has to be of use."""
    func, found = kept
    if func is not None and found is None:
        func.__dict__.pop(_KEY, None)
    elif func is not None:
        func.__dict__[_KEY] = found


def is_statement(func: Any) -> bool:
    """Whether a function, or its code, is a statement of another one."""
    code = getattr(func, "__code__", func)
    return isinstance(code, types.CodeType) and code in _STATEMENTS


def statement_text(func: Any) -> str:
    """The source of an outlined statement, as a function."""
    return gast.unparse(source_of(func).node).strip()  # type: ignore[no-any-return]


def set_apart(func: Any, refusal: TransgradError) -> bool:
    """Outline a refused statement into a function; return whether that is possible.

    Parameters
    ----------
    func : callable
        The function to transform.
    refusal : TransgradError
        Why it is not compiled.
    """
    while not isinstance(func, types.FunctionType) and func is not None:
        func = getattr(func, "__func__", None) or getattr(func, "primal", None)
    now, loc = refusal.within or (version(func), refusal.loc)
    if not isinstance(now, types.FunctionType) or loc is None:
        return False
    func = now.__dict__.get(_ORIGINAL, now)
    try:
        source = source_of(now)
    except NoSourceError:
        return False
    if not isinstance(source.node, gast.FunctionDef) or loc.file != source.file:
        return False
    for path in _paths(source, loc):
        found = around(source, path)
        if found is not None and not _deletes_attributes(path[-1]):
            made = _rebuilt(now, source, path[-1], found)
            made.__dict__[_ORIGINAL] = func
            func.__dict__[_KEY] = func.__code__, func.__closure__, made
            return True
    return False


def _deletes_attributes(stmt: Any) -> bool:
    """Whether a statement deletes attributes, which the rest of the function would read again after it."""
    return any(isinstance(node, gast.Attribute) and isinstance(node.ctx, gast.Del) for node in gast.walk(stmt))


def _paths(source: FunctionSource, loc: Loc) -> list[list[Any]]:
    """The statements that stand at a place, from the smallest to the largest, each with those that it is in."""
    line, col = loc.line - source.offset, loc.col - 1
    paths: list[list[Any]] = []

    def search(body: list[Any], path: list[Any]) -> None:
        for stmt in body:
            if (stmt.lineno, stmt.col_offset) <= (line, col) < (stmt.end_lineno, stmt.end_col_offset):
                paths.append([*path, stmt])
                for inner in blocks(stmt):
                    search(inner, [*path, stmt])
    search(source.node.body, [])
    return paths[::-1]


def blocks(stmt: Any) -> list[list[Any]]:
    """The lists of statements that are part of one, in the same scope."""
    if isinstance(stmt, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
        return []
    parts = [stmt, *getattr(stmt, "handlers", ()), *getattr(stmt, "cases", ())]
    return [body for part in parts for name in ("body", "orelse", "finalbody") if isinstance(body := getattr(part, name, None), list)]


def _rebuilt(func: Any, source: FunctionSource, stmt: Any, found: Around) -> Any:
    """The function with a call in place of the statement."""
    first, last = stmt.lineno + source.offset, stmt.end_lineno + source.offset
    name = f"line_{first}" if first == last else f"lines_{first}_{last}"
    while name in found.names:
        name += "_"
    call = _call(name, found, stmt)
    own = copy.copy(source.node)
    own.body, own.decorator_list, own.returns = _replaced(own.body, stmt, call), [], None
    apart = _definition(name, found, stmt)
    free = func.__code__.co_freevars
    inner = copy.copy(own)      # under a different name: calls by the function's own name keep their meaning
    inner.name = f"{name}_around"
    outer = gast.FunctionDef("outer", _parameters([*free, name]), [inner, apart], [], None, None, [])
    module = gast.gast_to_ast(gast.Module([gast.copy_location(outer, stmt)], []))
    ast.increment_lineno(ast.fix_missing_locations(module), source.offset)
    flags = func.__code__.co_flags & _FUTURE
    compiled = _inside(compile(module, source.file, "exec", flags, dont_inherit=True), "outer")
    cells = dict(zip(free, func.__closure__ or ()))
    statement = _function(_inside(compiled, name), func, name, cells)
    _STATEMENTS.add(statement.__code__)
    code = _inside(compiled, inner.name).replace(co_name=func.__code__.co_name, co_qualname=func.__code__.co_qualname)
    made = _function(code, func, func.__name__, {**cells, name: types.CellType(statement)})
    made.__defaults__, made.__kwdefaults__ = func.__defaults__, func.__kwdefaults__
    made.__dict__.update({key: value for key, value in func.__dict__.items() if key not in (_KEY, _ORIGINAL)})
    register(statement, FunctionSource(apart, source.file, source.offset, source.lines))
    register(made, FunctionSource(own, source.file, source.offset, source.lines, notes_kept(source)))
    return made


def _call(name: str, found: Around, stmt: Any) -> Any:
    """The statement that takes the place of another."""
    made = gast.Call(_name(name, gast.Load()), [_name(n, gast.Load()) for n in found.reads], [])
    targets: list[Any] = [_name(n, gast.Store()) for n in found.assigns]
    if isinstance(stmt, gast.Return):
        new: Any = gast.Return(made)
    elif targets:
        new = gast.Assign(targets if len(targets) == 1 else [gast.Tuple(targets, gast.Store())], made, None)
    else:
        new = gast.Expr(made)
    for node in gast.walk(new):
        gast.copy_location(node, stmt)
    return new


def _definition(name: str, found: Around, stmt: Any) -> Any:
    body = [copy.deepcopy(stmt)]
    if found.assigns:
        results: list[Any] = [_name(n, gast.Load()) for n in found.assigns]
        body.append(gast.Return(results[0] if len(results) == 1 else gast.Tuple(results, gast.Load())))
    new = gast.FunctionDef(name, _parameters(found.reads), body, [], None, None, [])
    for node in [new, *gast.walk(new.args), *(n for part in body[1:] for n in gast.walk(part))]:
        gast.copy_location(node, stmt)
    return new


def _name(name: str, context: Any) -> Any:
    return gast.Name(name, context, None, None)


def _parameters(names: Any) -> Any:
    return gast.arguments([_name(n, gast.Param()) for n in names], [], None, [], [], None, [])


def _replaced(body: list[Any], old: Any, new: Any) -> list[Any]:
    """A list of statements with one of them, or of those within, replaced; the enclosing statements are copied."""
    out = []
    for stmt in body:
        if stmt is old:
            stmt = new
        elif any(old is s for s in gast.walk(stmt)):
            stmt = _with(stmt, old, new)
        out.append(stmt)
    return out


def _with(node: Any, old: Any, new: Any) -> Any:
    node = copy.copy(node)
    for name in ("body", "orelse", "finalbody"):
        if isinstance(getattr(node, name, None), list):
            setattr(node, name, _replaced(getattr(node, name), old, new))
    for name in ("handlers", "cases"):
        if hasattr(node, name):
            setattr(node, name, [_with(part, old, new) for part in getattr(node, name)])
    return node


def _inside(code: types.CodeType, name: str) -> types.CodeType:
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


def _function(code: types.CodeType, like: Any, name: str, cells: dict[str, types.CellType]) -> Any:
    made = types.FunctionType(code, like.__globals__, name, None, tuple(cells[n] for n in code.co_freevars))
    made.__module__, made.__doc__ = like.__module__, like.__doc__ if name == like.__name__ else None
    made.__qualname__ = like.__qualname__ if name == like.__name__ else f"{like.__qualname__}.<locals>.{name}"
    return made
