"""The identity of a cached variant: the transformation, the function, and the versions."""
from __future__ import annotations

import functools
import hashlib
import marshal
import os
import pathlib
import platform
import sys
import types
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._version import VERSION
from ...ir.libraries import Library
from ...passes.switches import off
from ...rules.registry import users_rules
from ..arguments import name_of
from ..jacobian.jacobians import Hessian, Jacobian
from ..transformations import Forward, Primal, Reverse
from .references import NotStorable, describe_key

if TYPE_CHECKING:
    from ..derivative import Derivative

__all__ = ["PACKAGE", "code_digest", "identity", "state", "versions"]

PACKAGE = pathlib.Path(__file__).parents[2]
_KINDS = (Primal, Reverse, Forward, Jacobian, Hessian)


def identity(derivative: Derivative, key: Hashable, library: Library | None = None) -> str:
    """A name for a derivative and the types of its arguments; `NotStorable` where only this process has them."""
    parts = (versions(), off(), *_question(derivative), describe_key(key), [(name, code_digest(code)) for name, code in users_rules()],
             None if library is None else (library.name, library.namespace, _version(library)))
    return _digest(repr(parts).encode())


def _version(library: Library) -> tuple[Any, ...]:
    """The versions of a library: of its arrays and of the namespace that the generated code calls."""
    names = {name.partition(".")[0] for name in (*library.modules, library.namespace)}
    return tuple((name, getattr(sys.modules.get(name), "__version__", None)) for name in sorted(names))


def _question(derivative: Derivative) -> tuple[Any, ...]:
    options = derivative.options
    if type(derivative.kind) not in _KINDS:
        raise NotStorable(derivative, f"{derivative.kind.prefix.rstrip('_')} is compiled in each process")
    if options.backend != "numpy" or options.nan != "ignore" or options.progress:
        raise NotStorable(derivative, "code with these options is compiled in each process")
    return repr(derivative.kind), repr(derivative.target), repr(derivative.options), _function(derivative.primal)


def _function(f: Any) -> tuple[Any, ...]:
    if isinstance(f, types.FunctionType):
        return f.__module__, f.__qualname__, f.__code__.co_filename, code_digest(f.__code__)
    if type(getattr(f, "kind", None)) in _KINDS and hasattr(f, "target"):
        return _question(f)
    raise NotStorable(f, f"{name_of(f)} is no function of a file or a class of functions that are stored")


@functools.lru_cache(maxsize=64)
def code_digest(code: types.CodeType) -> str:
    """A name for the instructions of a function: where its lines are counts as well, for they are quoted."""
    # later versions of the format say which objects are shared, which is not the same in every process
    return _digest(marshal.dumps(code, 2))


def _digest(data: bytes) -> str:
    """A name for a content: by the hash function that a process can use soonest."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def state(file: str) -> tuple[int, int]:
    """When a file was changed, and its size."""
    found = os.stat(file)
    return found.st_mtime_ns, found.st_size


@functools.cache
def versions() -> tuple[Any, ...]:
    """The versions on which generated source depends."""
    own: Any = VERSION
    if (PACKAGE.parent / "pyproject.toml").exists():       # a checkout, whose files change under one version
        own = max(max(e.stat().st_mtime_ns for e in os.scandir(folder) if e.name.endswith(".py"))
                  for folder, _, files in os.walk(PACKAGE) if any(name.endswith(".py") for name in files))
    return own, np.__version__, platform.python_version(), platform.python_implementation(), sys.flags.optimize
