"""Compile the source of a module with Numba, from a file that Numba's disk cache recognizes in another process."""
from __future__ import annotations

import builtins
import logging
import sys
import time
import types
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...frontend import ANYTHING
from ...ir.ops import Function
from ...passes.numba import prepare
from ...progress import status
from .. import cache
from ..files import publish
from ..module import Module
from .refusals import located
from .text import imported, native_text

if TYPE_CHECKING:
    from ...transforms.options import Numba

__all__ = ["Native", "compile", "loaded"]

_log = logging.getLogger("transgrad.numba")


@dataclass(slots=True)
class Native:
    """Source for Numba, loaded.

    Attributes
    ----------
    module : Module
        The source.
    function : callable
        What callers run.
    dispatcher : object
        Numba's dispatcher of the function that does the work.
    seconds : float or None
        How long the compilation took; None before it.
    from_disk : bool
        Whether the machine code was there already.
    """

    module: Module
    function: Callable[..., Any]
    dispatcher: Any
    seconds: float | None = None
    from_disk: bool = False

    def described(self) -> str:
        """What `explain` says of it."""
        if self.seconds is None:
            return "Numba, when it is first called"
        return f"Numba, {'from disk' if self.from_disk else 'compiled'} in {1000 * self.seconds:.0f} ms"


def compile(ir: Function, name: str, doc: str, values: Mapping[str, Any], options: Numba) -> Native:
    """The function written from ``ir`` for Numba, compiled for arguments like ``values`` if given.

    Parameters
    ----------
    ir : Function
        As a transformation made it.
    name, doc : str
        Name and docstring of the function.
    values : dict
        Arguments by name; machine code for other layouts is made when it is called with them.
    options : Numba
        Settings of the back end.

    Raises
    ------
    UnsupportedCall
        If Numba does not support the code; the error names the user's line.
    """
    from ...runtime.numba import borrow, helpers, indexing, rows, stretch  # noqa: F401, what Numba is to know of them when it meets them
    fn = prepare(ir, options.parallel)
    module = native_text(fn, name, doc, options)
    scope = _loaded(module)
    function = scope[module.entry]
    dispatcher = function if hasattr(function, "py_func") else _inner(scope)
    native = Native(module, function, dispatcher)
    if values and _known(values):
        _compile_for(native, fn, scope, values)
    else:
        native.function = _located(native)
    return native


def _loaded(module: Module) -> dict[str, Any]:
    """The scope of the generated code, run from a file named by its content."""
    text = module.text
    try:
        path = cache.content_file("numba", module.entry, text)
    except OSError:     # the disk is full: Numba's own cache needs the file
        text = text.replace("cache=True", "cache=False")
        path = cache.directory() / "numba" / f"{module.entry}_{cache.digest(text)}.py"
    name = f"transgrad_numba_{path.stem}"
    known = sys.modules.get(name)
    others = {n: obj for n, obj in module.names.items() if not imported(n, obj)}
    if known is not None and not others:
        return vars(known)
    loaded = types.ModuleType(name)
    loaded.__file__ = str(path)
    scope = vars(loaded)
    scope["__builtins__"] = builtins
    scope.update(others)
    sys.modules[name] = loaded      # where Numba looks for it when it reads machine code from disk
    publish(str(path), text, module.origins())
    exec(builtins.compile(text, str(path), "exec"), scope)
    return scope


def loaded(module: Module) -> Callable[..., Any]:
    """Load a module that another process generated."""
    from ...runtime.numba import borrow, helpers, indexing, rows, stretch  # noqa: F401, what Numba is to know of them when it meets them
    scope = _loaded(module)
    function = scope[module.entry]
    return _located(Native(module, function, function if hasattr(function, "py_func") else _inner(scope)))


def _inner(scope: dict[str, Any]) -> Any:
    """The last of the compiled functions, which the function that callers run calls."""
    found = [obj for obj in scope.values() if hasattr(obj, "py_func")]
    return found[-1]


def _known(values: Mapping[str, Any]) -> bool:
    return not any(value is ANYTHING for value in values.values())


class _Captured(Exception):
    """The arguments that machine code is called with."""


def _compile_for(native: Native, fn: Function, scope: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Compile ahead of the first call, so that a refusal is one of the transformation, and is located."""
    import numba

    args: tuple[Any, ...]
    if native.function is native.dispatcher:
        args = tuple(values[p.name] for p in fn.signature)
    else:
        args = _arguments(native, scope, fn, values)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
            warnings.simplefilter("ignore", numba.NumbaPendingDeprecationWarning)       # of lists as arguments
            with status(f"Numba compiles {native.module.entry}"):
                native.dispatcher.compile(tuple(numba.typeof(a) for a in args))
    except Exception as error:
        raise located(error, native.module, fn) from error
    native.seconds = time.perf_counter() - start
    native.from_disk = bool(native.dispatcher.stats.cache_hits)
    _log.info("%s: %s", native.module.entry, native.described())


def _arguments(native: Native, scope: dict[str, Any], fn: Function, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values that the function that callers run passes to machine code."""
    name = next(n for n, obj in scope.items() if obj is native.dispatcher)

    def capture(*args: Any) -> Any:
        raise _Captured(args)

    scope[name] = capture
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    rest = False
    for p in fn.signature:
        if p.kind == "varargs":
            positional += values[p.name]
            rest = True
        elif p.kind == "varkwargs":
            keywords.update(values[p.name])
        elif p.kind == "keyword" or rest:
            keywords[p.name] = values[p.name]
        else:
            positional.append(values[p.name])
    try:
        native.function(*positional, **keywords)
    except _Captured as captured:
        return tuple(captured.args[0])
    finally:
        scope[name] = native.dispatcher
    raise AssertionError("the function around machine code does not call it")


def _located(native: Native) -> Callable[..., Any]:
    """The function, whose first call compiles it; a refusal then names the user's line, too."""
    function = native.function

    def run(*args: Any, **kwargs: Any) -> Any:
        import numba
        try:
            return function(*args, **kwargs)
        except numba.core.errors.NumbaError as error:
            raise located(error, native.module, None) from error
    return run
