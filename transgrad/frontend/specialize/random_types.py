"""Result types of NumPy's random generators, which are never run at compile time."""
from __future__ import annotations

import random
from typing import Any

import numpy as np

from ...ir.infer_shapes import _dims
from ...ir.ops import Lit
from ...ir.types import Arr, Num, Obj, Type

__all__ = ["random_type"]

_FLOATS = ("normal", "uniform", "standard_normal", "random", "random_sample", "exponential", "gamma", "beta", "lognormal", "laplace",
           "logistic", "chisquare", "standard_t", "gumbel", "rayleigh", "weibull", "triangular", "standard_exponential")
_PYTHON_FLOATS = ("random", "uniform", "gauss", "normalvariate", "expovariate", "betavariate", "gammavariate", "lognormvariate",
                  "triangular", "vonmisesvariate", "paretovariate", "weibullvariate")
_INTEGERS = ("integers", "randint", "poisson", "binomial", "geometric")
_SIZE = {"normal": 2, "uniform": 2, "standard_normal": 0, "random": 0, "random_sample": 0, "exponential": 1, "gamma": 2, "beta": 2,
         "lognormal": 2, "laplace": 2, "logistic": 2, "integers": 2, "randint": 2, "poisson": 1, "binomial": 2}


def random_type(fn: Any, args: list[Any], kwargs: dict[str, Any], cls: Any = None) -> Type | None:
    """The type of a call of a method of np.random or of a Generator; None for other functions."""
    name = getattr(fn, "__name__", "")
    if fn is random.Random:
        return Obj(random.Random)
    if fn is np.random.default_rng:
        return Obj(np.random.Generator)
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, random.Random) or cls is random.Random:
        kind = "float" if name in _PYTHON_FLOATS else "int" if name in ("randint", "randrange", "getrandbits") else None
        return Num(kind) if kind is not None else None
    unbound = cls in (np.random.Generator, np.random.RandomState)
    if not unbound and not isinstance(owner, (np.random.Generator, np.random.RandomState)):
        return None
    if unbound:
        args = args[1:]
    if name in ("rand", "randn"):
        return Arr("float64", tuple(d for a in args for d in _dims(a))) if args else Num("float")
    if name not in _FLOATS and name not in _INTEGERS:
        return None
    at = _SIZE.get(name)
    size = kwargs.get("size", args[at] if at is not None and len(args) > at else None)
    if size is None and any(not isinstance(a, Lit) or not isinstance(a.value, (int, float)) for a in args):
        return None
    kind = "float64" if name in _FLOATS else "int64"
    if size is None or isinstance(size, Lit) and size.value is None:
        return Num("float" if name in _FLOATS else "int")
    try:
        return Arr(kind, _dims(size))
    except (TypeError, AttributeError):
        return None
