"""SciPy's functions, a file or folder for each of its modules, read when a function of that module is first looked up."""
from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import scipy

from ...errors import is_strict
from ..classes import namespaces_of
from ..constants import register

__all__ = ["load", "load_all"]

#: the modules of SciPy that have a table here
MODULES = ("special", "linalg", "fft", "fftpack", "signal", "integrate", "interpolate", "optimize", "ndimage", "spatial", "sparse", "stats")
_LOADED: set[str] = set()


def load(fn: Any) -> None:
    """Read the rules of the module that a function belongs to, once."""
    path = (getattr(fn, "__module__", None) or "").split(".")
    if path[0] == "scipy" and len(path) > 1:
        _read(path[1])
    elif isinstance(fn, np.ufunc):      # these do not say where they come from
        _read("special")


def load_all() -> None:
    """Read every table, as a listing wants them."""
    for name in MODULES:
        _read(name)


def _read(name: str) -> None:
    if name in _LOADED or name not in MODULES:
        return
    _LOADED.add(name)
    try:
        importlib.import_module(f".{name}", __name__)
    except (AttributeError, ImportError) as error:      # a name that this version lacks; other functions are none the worse
        if is_strict():
            raise
        warnings.warn(f"some functions of scipy.{name} {scipy.__version__} have no derivative: {error}", RuntimeWarning, stacklevel=2)
    for namespace in namespaces_of(f"scipy_{name}"):
        register(namespace)
