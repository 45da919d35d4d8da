"""Classification of every public function of Python, NumPy and SciPy: data, one file per namespace or family.

A file is named after its namespace and has ``NAMESPACES``, a tuple of `Namespace`. Those of SciPy are read only when the
module that they describe is loaded.
"""
from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterator
from typing import Any

from .namespace import KINDS, Entry, Namespace

__all__ = ["KINDS", "Entry", "Namespace", "classify", "namespaces", "namespaces_of"]

_ALWAYS = ("numpy_top", "numpy_arrays", "numpy_linalg", "numpy_fft", "numpy_random", "python")
_SCIPY = ("scipy_special", "scipy_linalg", "scipy_fft", "scipy_fftpack", "scipy_signal", "scipy_stats", "scipy_integrate",
          "scipy_interpolate", "scipy_optimize", "scipy_sparse", "scipy_spatial", "scipy_ndimage")


@functools.cache
def namespaces_of(file: str) -> tuple[Namespace, ...]:
    """The namespaces of one file; none if the file does not exist."""
    try:
        module = importlib.import_module(f"{__name__}.{file}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{file}":
            raise
        return ()
    found: tuple[Namespace, ...] = module.NAMESPACES
    return found


def namespaces(scipy: bool = False) -> Iterator[Namespace]:
    """Every namespace of Python and NumPy, and with ``scipy`` of SciPy (which is imported)."""
    for file in (*_ALWAYS, *(_SCIPY if scipy else ())):
        yield from namespaces_of(file)


@functools.cache
def _index(file: str) -> dict[Any, Entry]:
    """The objects of a file's namespaces to their entries."""
    found: dict[Any, Entry] = {}
    for namespace in namespaces_of(file):
        for entry in namespace.entries():
            try:
                found.setdefault(entry.value, entry)
            except TypeError:       # unhashable: a constant
                continue
    return found


def classify(fn: Any) -> Entry | None:
    """The class of a function; None for one that is not a public name of Python, NumPy or SciPy.

    Examples
    --------
    >>> import math
    >>> classify(math.floor).kind
    'constant'
    """
    try:
        hash(fn)
    except TypeError:
        return None
    loaded = [file for file in _SCIPY if file.replace("_", ".") in sys.modules] if "scipy" in sys.modules else []
    for file in (*_ALWAYS, *loaded):
        entry = _index(file).get(fn)
        if entry is not None:
            return entry
    return None
