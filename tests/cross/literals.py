"""Values as Python source."""
from __future__ import annotations

import math
import types
from typing import Any

import numpy as np

__all__ = ["NoLiteral", "callee", "literal", "resolves"]

#: The modules that a program may name, with the spelling of their import.
MODULES = {"numpy": "import numpy as np", "scipy": "import scipy", "math": "import math", "cmath": "import cmath", "operator": "import operator",
           "functools": "import functools", "itertools": "import itertools", "statistics": "import statistics", "random": "import random",
           "collections": "import collections"}


class NoLiteral(Exception):
    """A value that has no short source form."""


def literal(x: Any) -> str:
    """Source that evaluates to ``x``."""
    if isinstance(x, np.ndarray):
        return _array(x)
    if isinstance(x, np.bool_):
        return f"np.bool_({bool(x)})"
    if isinstance(x, np.generic):
        return f"np.{x.dtype.name}({_number(x.item())})"
    if x is None or isinstance(x, (bool, int, str, bytes)):
        return repr(x)
    if isinstance(x, (float, complex)):
        return _number(x)
    if x is Ellipsis:
        return "..."
    if isinstance(x, slice):
        return f"slice({literal(x.start)}, {literal(x.stop)}, {literal(x.step)})"
    if isinstance(x, range):
        return repr(x)
    if type(x) is tuple:
        return f"({', '.join(map(literal, x))}{',' if len(x) == 1 else ''})"
    if type(x) is list:
        return f"[{', '.join(map(literal, x))}]"
    if type(x) is dict:
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in x.items()) + "}"
    if isinstance(x, np.dtype):
        return f"np.dtype({x.str!r})"
    if isinstance(x, type) and issubclass(x, np.generic):
        return f"np.{x.__name__}"
    if callable(x):
        return callee(x)
    raise NoLiteral(type(x).__name__)


def _number(x: float | complex) -> str:
    if isinstance(x, complex):
        return f"complex({_number(x.real)}, {_number(x.imag)})"
    if isinstance(x, float) and not math.isfinite(x):
        return "np.nan" if math.isnan(x) else "np.inf" if x > 0 else "-np.inf"
    return repr(x)


def _array(x: np.ndarray) -> str:
    if type(x) is not np.ndarray or x.dtype.kind not in "biufc" or x.size > 400:
        raise NoLiteral(f"{type(x).__name__} of {x.dtype}")
    if not x.size:
        return f"np.zeros({x.shape}, dtype=np.{x.dtype.name})"
    text = str(_nested(x.tolist()))
    plain = x.dtype in (np.float64, np.complex128, np.int64, np.bool_)
    return f"np.array({text})" if plain else f"np.array({text}, dtype=np.{x.dtype.name})"


def _nested(x: Any) -> str:
    return f"[{', '.join(map(_nested, x))}]" if isinstance(x, list) else _number(x) if isinstance(x, (float, complex)) else repr(x)


def resolves(path: str) -> Any:
    """The object that a dotted path names, with its modules imported."""
    import importlib
    parts = path.split(".")
    found: Any = None
    for k in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:k]))
        except ImportError:
            continue
        break
    else:
        import builtins
        found, k = builtins, 0
    for part in parts[k:]:
        found = getattr(found, part)
    return found


def callee(fn: Any) -> str:
    """Source that names a function: the path it is imported by."""
    from transgrad.rules.advice import name_of
    path = name_of(fn)
    try:
        found = resolves(path)
    except AttributeError:
        raise NoLiteral(path) from None
    same = found is fn or isinstance(fn, (types.MethodType, types.BuiltinMethodType)) and found == fn
    if not same or path.split(".")[0] in ("transgrad", "tests"):
        raise NoLiteral(path)
    return "np" + path[5:] if path.startswith("numpy.") else path
