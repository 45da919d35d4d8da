"""The functions of the Python array API standard, and how NumPy's parameters are passed to them."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.numpy_signatures import library_signature

__all__ = ["ELEMENTWISE", "SPECS", "bound_arguments", "standard_name"]

#: Functions whose arguments are passed by position, as they are.
ELEMENTWISE = (
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert",
    "ceil", "conj", "copysign", "cos", "cosh", "divide", "equal", "exp", "expm1", "floor", "floor_divide", "greater", "greater_equal",
    "hypot", "imag", "isfinite", "isinf", "isnan", "less", "less_equal", "log", "log1p", "log2", "log10", "logaddexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "nextafter", "not_equal", "positive", "pow",
    "real", "reciprocal", "remainder", "round", "sign", "signbit", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh", "trunc",
    "where", "matmul", "matrix_transpose", "linalg.cholesky", "linalg.det", "linalg.eigh", "linalg.eigvalsh", "linalg.inv",
    "linalg.slogdet", "linalg.solve", "linalg.outer", "linalg.matrix_power", "nonzero",
)

#: Parameters of the others: NumPy's name of each, ``=name`` if it is passed by keyword, ``new=name`` if the keyword differs.
SPECS: dict[str, str] = {
    "sum": "a =axis =dtype =keepdims", "prod": "a =axis =dtype =keepdims", "mean": "a =axis =keepdims",
    "max": "a =axis =keepdims", "min": "a =axis =keepdims", "any": "a =axis =keepdims", "all": "a =axis =keepdims",
    "var": "a =axis correction=ddof =keepdims", "std": "a =axis correction=ddof =keepdims",
    "argmax": "a =axis =keepdims", "argmin": "a =axis =keepdims", "count_nonzero": "a =axis =keepdims",
    "cumulative_sum": "a =axis", "cumulative_prod": "a =axis",
    "reshape": "a shape", "permute_dims": "a axes", "moveaxis": "a source destination", "expand_dims": "a =axis", "squeeze": "a =axis",
    "broadcast_to": "array shape", "flip": "m =axis", "roll": "a shift =axis", "repeat": "a repeats =axis", "tile": "A reps",
    "stack": "arrays =axis", "concat": "arrays =axis", "tril": "m =k", "triu": "m =k", "eye": "N M =k =dtype",
    "diff": "a =n =axis", "sort": "a =axis", "argsort": "a =axis", "take": "a indices =axis", "take_along_axis": "arr indices =axis",
    "searchsorted": "a v =side", "tensordot": "a b =axes", "vecdot": "x1 x2 =axis", "clip": "a a_min a_max",
    "zeros": "shape =dtype", "ones": "shape =dtype", "empty": "shape =dtype", "full": "shape fill_value =dtype",
    "zeros_like": "a =dtype", "ones_like": "a =dtype", "empty_like": "a =dtype", "full_like": "a fill_value =dtype",
    "arange": "start stop step =dtype", "linspace": "start stop num =endpoint =dtype", "asarray": "a =dtype",
    "linalg.svd": "a =full_matrices", "linalg.qr": "a =mode", "linalg.pinv": "a", "linalg.trace": "a offset=offset",
    "linalg.diagonal": "a offset=offset", "linalg.vector_norm": "x =axis =keepdims =ord",
    "linalg.matrix_norm": "x =keepdims =ord", "linalg.cross": "a b =axis", "astype": "x dtype", "isin": "element test_elements",
}

#: NumPy's names for functions that have another name in the standard, if they are not the same object.
_RENAMED = {
    "cumsum": "cumulative_sum", "cumprod": "cumulative_prod", "outer": "linalg.outer", "amax": "max", "amin": "min", "diagonal":
    "linalg.diagonal", "trace": "linalg.trace", "cross": "linalg.cross", "around": "round", "fix": "trunc", "transpose": "permute_dims",
    "concatenate": "concat", "array": "asarray", "asanyarray": "asarray", "real_if_close": "real", "conjugate": "conj",
    "ascontiguousarray": "asarray",
}


@functools.cache
def _names() -> dict[int, str]:
    """The name in the standard of each of NumPy's functions that the standard has, by identity."""
    found: dict[int, str] = {}
    for name in (*ELEMENTWISE, *SPECS):
        fn: Any = np
        for part in name.split("."):
            fn = getattr(fn, part, None)
        if fn is not None:
            found[id(fn)] = name
    for own, name in _RENAMED.items():
        found[id(getattr(np, own))] = name
    return found


def standard_name(fn: Any) -> str | None:
    """The name in the standard of a function of NumPy."""
    return _names().get(id(fn))


@functools.cache
def _signature(fn: Callable[..., Any]) -> inspect.Signature:
    return library_signature(fn)


#: Signatures that NumPy does not tell, or that are written in another way.
_POSITIONAL = {
    "arange": ("start", "stop", "step", "dtype"), "asarray": ("a", "dtype"), "concat": ("arrays", "axis"), "vecdot": ("x1", "x2"),
    "zeros": ("shape", "dtype"), "empty": ("shape", "dtype"), "empty_like": ("a", "dtype"), "linalg.cross": ("a", "b"),
}


def bound_arguments(name: str, fn: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments of a call by NumPy's names for the parameters; None if they do not fit."""
    known = _POSITIONAL.get(name)
    if known is not None:
        if len(args) > len(known):
            return None
        found = dict(zip(known, args))
        if name == "arange" and len(args) == 1:     # a lone argument is the end
            found = {"start": args[0]}
        return {**found, **kwargs}
    try:
        return dict(_signature(fn).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return None
