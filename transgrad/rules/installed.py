"""Functions of libraries that not every supported version has."""
from __future__ import annotations

import importlib
import re
from typing import Any

__all__ = ["at_least", "installed"]


def at_least(library: str, *version: int) -> bool:
    """Whether a library has at least this version.

    >>> at_least("numpy", 2, 0)
    True
    """
    parts = importlib.import_module(library).__version__.split(".")
    return tuple(int(re.match(r"\d*", part)[0] or 0) for part in parts[:len(version)]) >= version      # type: ignore[index]


def installed(path: str) -> Any:
    """The object of a library by its dotted name; None if the installed version lacks it.

    >>> installed("numpy.linalg.norm").__name__
    'norm'
    >>> installed("numpy.asfarray") is None
    True
    """
    first, *names = path.split(".")
    found: Any = importlib.import_module(first)
    where = first
    for name in names:
        where = f"{where}.{name}"
        if not hasattr(found, name):
            try:
                importlib.import_module(where)
            except ImportError:
                return None
        found = getattr(found, name)
    return found
