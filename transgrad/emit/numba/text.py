"""The text of a module for Numba: imports at its top, so that it stands in a file of its own, and a decorator where there is
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

from ...ir.ops import Function
from ...passes.native import reachable
from ..module import Module, emit

if TYPE_CHECKING:
    from ...transforms.options import Numba

__all__ = ["imported", "native_text"]


def native_text(fn: Function, name: str, doc: str, options: Numba) -> Module:
    """Writes a prepared function.

    Parameters
    ----------
    fn : Function
        What `transgrad.passes.native.prepare` returned.
    name, doc : str
        Its name and docstring.
    options : Numba
        What goes into the decorators.
    """
    def header(names: Mapping[str, Any]) -> list[str]:
        found = {n: imported(n, obj) for n, obj in names.items()}
        cached = options.cache and all(found.values())
        settings.update(_settings(options, cached))
        lines = sorted([*(line for line in found.values() if line), "from numba import njit" + ", prange" * options.parallel,
                        *["from transgrad.runtime.native.apart import apart"] * any(f.attrs.get("apart") for f in reachable(fn))])
        plain = [line for line in lines if line.startswith("import")]
        return [f"# for Numba, with transgrad {_version()}", *plain, *(line for line in lines if line not in plain)]

    def decorator(f: Function) -> str:
        if not f.attrs.get("native"):
            return ""
        chosen = {**settings, **f.attrs.get("njit", {})}
        if f.attrs.get("kernel"):       # its loops run over lengths that it has compared
            chosen["boundscheck"] = chosen["cache"] = False
            chosen["no_cpython_wrapper"] = chosen["no_cfunc_wrapper"] = True
        words = [f"{k}={v!r}" for k, v in chosen.items() if v is not False]
        return f"@apart({', '.join(words)})" if f.attrs.get("apart") else f"@njit({', '.join(words)})"

    settings: dict[str, Any] = {}
    # the decorators say whether the text can be cached, which the names decide that writing it has found
    first = emit(fn, name=name, docstring=doc, decorator=decorator, header=header)
    return emit(fn, name=name, docstring=doc, decorator=decorator, header=header) if settings else first


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
    from ... import __version__, runtime
    folder = pathlib.Path(runtime.__file__).parent / "native"
    content = b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))
    return f"{__version__} ({hashlib.sha256(content).hexdigest()[:8]})"
