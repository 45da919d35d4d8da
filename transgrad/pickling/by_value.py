"""Source of functions that cloudpickle writes by value.

cloudpickle writes the code of a function without the name of its file, and the file may not exist where the function is read. The compiler
needs the source, so the sources of the function and of all functions that it reaches travel beside it. The receiver gives the file names
back to the code and registers sources that it does not have.
"""
from __future__ import annotations

import contextlib
import functools
import linecache
import types
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["NAMELESS", "Sources", "collected", "restored"]

#: The file name that cloudpickle gives to code.
NAMELESS = "<dynamic-code>"

#: Returns the objects that an object of this package was made from, or None for other objects.
Parts = Callable[[Any], Iterable[Any] | None]


@dataclass(slots=True)
class Sources:
    """Sources by file name, and the file of each function by a description of its code."""

    texts: dict[str, str] = field(default_factory=dict)
    files: dict[Hashable, str] = field(default_factory=dict)


def collected(roots: Iterable[Any], parts: Parts, travels: Callable[[types.FunctionType], bool]) -> Sources:
    """Return the sources of the functions that ``roots`` reach and that travel by value."""
    found = Sources()
    for f in _reached(roots, parts, travels):
        file = f.__code__.co_filename
        if file not in found.texts:
            found.texts[file] = "".join(linecache.getlines(file, f.__globals__))
        found.files[_description(f.__code__)] = file
    return found


def restored(roots: Iterable[Any], parts: Parts, sources: Sources) -> None:
    """Give the functions that ``roots`` reach their file names back, and register the sources."""
    if not sources.files:
        return
    for file, text in sources.texts.items():
        if text and not linecache.getlines(file):
            linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    for f in _reached(roots, parts, lambda f: f.__code__.co_filename in (NAMELESS, *sources.texts)):
        known = sources.files.get(_description(f.__code__))
        if known is not None and f.__code__.co_filename == NAMELESS:
            f.__code__ = _in_file(f.__code__, known)


def _in_file(code: types.CodeType, file: str) -> types.CodeType:
    inner = tuple(_in_file(c, file) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=file, co_consts=inner)


def _description(code: types.CodeType) -> Hashable:
    constants = repr([c for c in code.co_consts if not isinstance(c, (types.CodeType, frozenset))])
    return code.co_qualname, code.co_firstlineno, code.co_code, code.co_linetable, code.co_names, constants


def _reached(roots: Iterable[Any], parts: Parts, travels: Callable[[types.FunctionType], bool]) -> Iterator[types.FunctionType]:
    """The functions by value among objects and what these refer to."""
    todo, seen = list(roots), set()
    while todo:
        x = todo.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        made_from = parts(x)
        if made_from is not None:
            todo += made_from
        elif isinstance(x, types.FunctionType):
            if travels(x):
                yield x
                todo += _read_by(x)
        elif isinstance(x, (staticmethod, classmethod)):
            todo.append(x.__func__)
        elif isinstance(x, types.MethodType):
            todo += (x.__func__, x.__self__)
        elif isinstance(x, functools.partial):
            todo += (x.func, *x.args, *x.keywords.values())
        elif isinstance(x, property):
            todo += (x.fget, x.fset)
        elif isinstance(x, type):
            if x.__module__ != "builtins":
                todo += (member for cls in x.__mro__ if cls is not object for member in vars(cls).values() if _may_hold(member))
        elif type(x).__module__ not in ("builtins", "numpy"):
            todo.append(type(x))


def _may_hold(x: Any) -> bool:
    return callable(x) or isinstance(x, (staticmethod, classmethod, property))


def _read_by(f: types.FunctionType) -> Iterator[Any]:
    """The objects that a function reads from its module and from enclosing scopes."""
    for name in _names(f.__code__):
        if name in f.__globals__:
            yield f.__globals__[name]
    for cell in f.__closure__ or ():
        with contextlib.suppress(ValueError):       # not assigned yet
            yield cell.cell_contents


def _names(code: types.CodeType) -> set[str]:
    """The names that a function, or a function inside of it, reads."""
    return {*code.co_names}.union(*(_names(c) for c in code.co_consts if isinstance(c, types.CodeType)))
