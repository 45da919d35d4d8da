"""``eval`` and ``exec`` in a function on the tape: their text sees the names that the function sees."""
from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

from .written import check_read

__all__ = ["TEXTS"]


def _eval(source: Any, globals: Any = None, locals: Any = None, /) -> Any:
    return _run(builtins.eval, "eval", source, globals, locals, sys._getframe(1))


def _exec(source: Any, globals: Any = None, locals: Any = None, /) -> None:
    _run(builtins.exec, "exec", source, globals, locals, sys._getframe(1))


def _run(how: Any, mode: str, source: Any, space: Any, names: Any, frame: types.FrameType) -> Any:
    if space is None:
        space, names = frame.f_globals, frame.f_locals if names is None else names
    if isinstance(source, (str, bytes)):
        check_read(source)
    code = source if isinstance(source, types.CodeType) else compile(source.lstrip(" \t") if isinstance(source, str) else source,
                                                                     "<string>", mode)
    if type(space) is not dict:     # the string looks names up in the dict itself, which is empty: it is a view of the module's
        space = {"__builtins__": space["__builtins__"], **{name: space[name] for name in _names(code) if _knows(space, name)}}
    return how(code, space, space if names is None else names)


def _knows(space: Mapping[str, Any], name: str) -> bool:
    try:
        space[name]
    except KeyError:
        return False
    return True


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


#: builtin → its replacement
TEXTS: dict[Any, Any] = {eval: _eval, exec: _exec}
