"""Comparison of derivatives with what they belong to: the structure, the shapes and the dtypes.

Types prove these when a derivative is compiled.  What runs on the tape is always compared; with ``TRANSGRAD_VERIFY=1`` in the environment,
as in the tests, everything is.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime.accumulate import InternalError
from .arguments import bind, pick
from .kinds import Forward, Product, Reverse

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["check_like", "check_pullback", "check_result", "verified"]


def check_like(found: Any, value: Any, what: str) -> None:
    """Raise `InternalError` where a gradient is not one of ``value``; ``what`` names the value in the message.

    Examples
    --------
    >>> check_like((np.zeros(2), None), (np.ones(2), "a"), "p")
    >>> check_like((np.zeros(3), None), (np.ones(2), "a"), "p")
    Traceback (most recent call last):
    transgrad.runtime.accumulate.InternalError: the derivative by p[0] has shape (3,) where the value has shape (2,)...
    """
    if isinstance(value, (list, tuple, dict)) and type(found) is not type(value):
        raise _error(what, f"is {_kind(found)} where the value is {_kind(value)}")
    if isinstance(value, dict):
        if found.keys() != value.keys():
            raise _error(what, f"has the keys {list(found)} where the value has {list(value)}")
        for key, item in value.items():
            check_like(found[key], item, f"{what}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        if len(found) != len(value):
            raise _error(what, f"has {len(found)} items where the value has {len(value)}")
        for k, item in enumerate(value):
            check_like(found[k], item, f"{what}[{k}]")
    elif dataclasses.is_dataclass(value) and type(found) is type(value):
        for field in dataclasses.fields(value):
            if field.init:
                check_like(getattr(found, field.name), getattr(value, field.name), f"{what}.{field.name}")
    else:
        _check_leaf(found, value, what)


def _check_leaf(found: Any, value: Any, what: str) -> None:
    dtype = value.dtype if isinstance(value, (np.ndarray, np.generic)) else np.dtype(type(value)) if isinstance(
        value, (float, complex)) else None
    if dtype is None or dtype.kind not in "fc":
        return
    if found is None:
        raise _error(what, f"is None where the value is {_kind(value)}")
    if np.shape(found) != np.shape(value):
        raise _error(what, f"has shape {np.shape(found)} where the value has shape {np.shape(value)}")
    have = np.asarray(found).dtype
    if have != dtype:
        raise _error(what, f"has dtype {have} where the value has dtype {dtype}")


def _kind(x: Any) -> str:
    return "None" if x is None else f"of class {type(x).__name__}"


def _error(what: str, how: str) -> InternalError:
    return InternalError(f"the derivative by {what} {how}. This is a defect of transgrad: please report it")


def check_result(derivative: Derivative, values: Mapping[str, Any], result: Any) -> None:
    """Compare what a derivative has returned with its arguments (by name), or with the value that it returned beside it."""
    kind = derivative.kind
    if isinstance(kind, Reverse):
        found = result[1] if kind.with_value else result[0] if kind.has_aux else result
        check_pullback(derivative, values, (found,) if derivative.target.single else found)
    elif isinstance(kind, Forward) and not isinstance(kind, Product) and not kind.has_aux:
        check_like(result[1], result[0], "the result")


def check_pullback(derivative: Derivative, values: Mapping[str, Any], found: tuple[Any, ...]) -> None:
    """Compare the cotangents of arguments with them."""
    for slot, g in zip(derivative.target.slots, found, strict=True):
        check_like(g, pick(values, slot), str(slot))


def verified(derivative: Derivative, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that compares each result of a derivative with its arguments."""
    def run(*args: Any, **kwargs: Any) -> Any:
        values = bind(derivative.primal, derivative.__signature__, args, kwargs)
        result = function(*args, **kwargs)
        check_result(derivative, values, result)
        return result
    return run
