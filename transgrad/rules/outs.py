"""Where NumPy's functions take ``out=`` by its place: ``np.dot(a, b, c)`` writes to ``c``."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.numpy_signatures import library_signature

__all__ = ["named_out"]

#: compiled functions of which older NumPys give no signature
_PLACES: dict[Any, int] = {np.dot: 2, np.concatenate: 2}
_OF_UFUNCS = {"reduce": 3, "accumulate": 3, "reduceat": 4}


def named_out(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """A call of a function of NumPy's with ``out=``, and the options behind it, by their names; of a ufunc with several results
    ``out`` is a tuple."""
    place = _place(fn) if isinstance(fn, _KINDS) and not isinstance(getattr(fn, "__self__", None), np.ndarray) else None
    if place is None or len(args) <= place[0]:
        return list(args), kwargs
    k, behind = place
    if isinstance(fn, np.ufunc) and fn.nout > 1:
        return list(args[:k]), {**kwargs, "out": tuple(args[k:])}
    if len(args) - k > 1 + len(behind):
        return list(args), kwargs       # NumPy reports the error
    return list(args[:k]), {**kwargs, **dict(zip(("out", *behind), args[k:]))}


_KINDS = (np.ufunc, type(np.sum), type(np.dot), type(np.ndarray.sum), type(np.add.reduce))


@functools.cache
def _place(fn: Any) -> tuple[int, tuple[str, ...]] | None:
    """The number of arguments before ``out``, and the names of those after it."""
    if isinstance(fn, np.ufunc):
        return fn.nin, ()
    if isinstance(getattr(fn, "__self__", None), np.ufunc):
        return (_OF_UFUNCS[fn.__name__], ("keepdims", "initial", "where")) if fn.__name__ in _OF_UFUNCS else None
    if fn in _PLACES:
        return _PLACES[fn], ()
    if getattr(fn, "__objclass__", None) in (np.ndarray, np.generic):
        fn = getattr(np, fn.__name__, None)       # whose methods have the parameters of the functions
    elif not (getattr(fn, "__module__", None) or "").startswith("numpy"):
        return None
    try:
        parameters = list(library_signature(fn).parameters.values())
    except (TypeError, ValueError):
        return _place(fn) if fn in _PLACES else None
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)]
    return (names.index("out"), tuple(names[names.index("out") + 1:])) if "out" in names else None
