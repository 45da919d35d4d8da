"""The source of a module for Numba: imports at its top, so that it has its own file, and a decorator where the user has
machine code to be made."""
from __future__ import annotations

import functools
import hashlib
import pathlib
import sys
import types
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import runtime
from ..._version import VERSION
from ...ir.ops import Function, Invoke, walk
from ...passes.canonicalize.inline import reaches
from ...passes.numba import reachable
from ..module import Module, emit

if TYPE_CHECKING:
    from ...transforms.options import Numba

__all__ = ["imported", "native_text"]


def native_text(fn: Function, name: str, doc: str, options: Numba) -> Module:
    """Write a prepared function.

    Parameters
    ----------
    fn : Function
        What `transgrad.passes.numba.prepare` returned.
    name, doc : str
        Its name and docstring.
    options : Numba
        The arguments of the decorators.
    """
    def header(names: Mapping[str, Any]) -> list[str]:
        found = {n: imported(n, obj) for n, obj in names.items()}
        cached = options.cache and all(found.values())
        settings.update(_settings(options, cached))
        decorators = {chosen_decorator(f) for f in reachable(fn) if f.attrs.native}
        lines = sorted([*filter(None, found.values()), *_imports(decorators), *["from numba import prange"] * options.parallel])
        plain = [line for line in lines if line.startswith("import")]
        return [f"# for Numba, with transgrad {_version()}", *plain, *(line for line in lines if line not in plain)]

    def decorator(f: Function) -> str:
        if not f.attrs.native:
            return ""
        chosen = {**settings, **f.attrs.njit}
        if f.attrs.kernel:       # its loops run over lengths that it has compared
            chosen["boundscheck"] = chosen["cache"] = False
            if id(f) not in inner:
                chosen["no_cpython_wrapper"] = chosen["no_cfunc_wrapper"] = True
        if id(f) in inner:      # on the disk with the function that Python calls
            chosen["cache"] = False
        words = [f"{k}={v!r}" for k, v in chosen.items() if v is not False]
        return f"@{chosen_decorator(f)}({', '.join(words)})"

    def chosen_decorator(f: Function) -> str:
        if f.attrs.apart:
            return "apart_inner" if id(f) in inner else "apart"
        return "njit_inner" if id(f) in inner else "njit_outer" if inner else "njit"

    inner = set() if options.parallel else _inner(fn)
    settings: dict[str, Any] = {}
    # the decorators say whether the code can be cached; the names found while writing it decide that
    first = emit(fn, name=name, docstring=doc, decorator=decorator, header=header)
    return emit(fn, name=name, docstring=doc, decorator=decorator, header=header) if settings else first


def _inner(fn: Function) -> set[int]:
    """The functions that only machine code calls, by identity; none where a function calls itself: what Numba has of it while it
    compiles it is machine code."""
    functions = reachable(fn)
    calls = [(f, op.func) for f in functions for op in walk(f.body) if isinstance(op, Invoke)]
    if any(reaches(f, f) for f in functions):
        return set()
    outside = {id(fn), *(id(called) for f, called in calls if not f.attrs.native)}
    return {id(called) for _, called in calls if called.attrs.native} - outside


def _imports(decorators: set[str]) -> list[str]:
    modules = {"njit": "numba", "apart": "transgrad.runtime.numba.apart", "apart_inner": "transgrad.runtime.numba.apart",
               "njit_inner": "transgrad.runtime.numba.once", "njit_outer": "transgrad.runtime.numba.once"}
    return [f"from {modules[d]} import {d}" for d in decorators]


def _settings(options: Numba, cached: bool) -> dict[str, Any]:
    return {"cache": cached, "error_model": "numpy", "boundscheck": options.boundscheck, "fastmath": options.fastmath,
            "parallel": False}


def imported(name: str, obj: Any) -> str:
    """The line that imports an object under a name; an empty string where none does."""
    if isinstance(obj, types.ModuleType):
        path = "numpy" if obj is np else obj.__name__
        return f"import {path}" if path == name else f"import {path} as {name}"
    module, own = getattr(obj, "__module__", None), getattr(obj, "__name__", "")
    if module and module.split(".")[0] in ("transgrad", "builtins") and getattr(sys.modules.get(module), own, None) is obj:
        return f"from {module} import {own}" + (f" as {name}" if own != name else "")
    return ""


@functools.cache
def _version() -> str:
    """The version of transgrad, and a digest of the functions that are compiled into every text."""
    folder = pathlib.Path(runtime.__file__).parent / "numba"
    content = b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))
    return f"{VERSION} ({hashlib.sha256(content).hexdigest()[:8]})"
