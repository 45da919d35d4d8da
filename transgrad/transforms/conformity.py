"""Compare derivatives with their arguments in structure, shapes and dtypes.

Types prove these when a derivative is compiled.  What runs on the tape is always compared; with ``TRANSGRAD_VERIFY=1`` in the environment,
as in the tests, everything is.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tree
from ..errors import InternalError
from ..runtime.fields import fields_of, is_node, read_field
from .arguments import bind, pick
from .transformations import Forward, Product, Reverse

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["check_like", "check_pullback", "check_result", "models", "verified"]


def check_like(found: Any, value: Any, what: str) -> None:
    """Raise `InternalError` where a gradient is not one of ``value``; ``what`` names the value in the message.

    Examples
    --------
    >>> check_like((np.zeros(2), None), (np.ones(2), "a"), "p")
    >>> check_like((np.zeros(3), None), (np.ones(2), "a"), "p")
    Traceback (most recent call last):
    transgrad.errors.InternalError: the derivative by p[0] has shape (3,) where the value has shape (2,)
    ...
    """
    if isinstance(value, (list, tuple, dict)) and type(found) is not type(value):
        raise _error(what, f"is {_kind(found)} where the value is {_kind(value)}")
    if isinstance(value, dict):
        added = [key for key in found if key not in value]      # by the function, to its argument
        if len(found) - len(added) != len(value) or any(np.any(leaf) for leaf in tree.flatten([found[key] for key in added])[0]):
            raise _error(what, f"has the keys {list(found)} where the value has {list(value)}")
        for key, item in value.items():
            check_like(found[key], item, f"{what}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        if len(found) != len(value):
            raise _error(what, f"has {len(found)} items where the value has {len(value)}")
        for k, item in enumerate(value):
            check_like(found[k], item, f"{what}[{k}]")
    elif isinstance(value, _Record):
        if type(found) is not value.cls:
            raise _error(what, f"is {_kind(found)} where the value is of class {value.cls.__name__}")
        for name, item in value.fields.items():
            check_like(read_field(found, name), item, f"{what}.{name}")
    elif type(found) is type(value) and is_node(value):
        for name, item in fields_of(value).items():
            check_like(read_field(found, name), item, f"{what}.{name}")
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
    have = found.dtype if hasattr(found, "dtype") else np.asarray(found).dtype      # of values on the tape, too
    if have != dtype:
        raise _error(what, f"has dtype {have} where the value has dtype {dtype}")


@dataclasses.dataclass(frozen=True)
class _Record:
    """Stands for an instance that the call may change: its class, and the models of its fields."""

    cls: type
    fields: dict[str, Any]


def _kind(x: Any) -> str:
    return "None" if x is None else f"of class {type(x).__name__}"


def _error(what: str, how: str) -> InternalError:
    return InternalError(f"internal error: the derivative by {what} {how}", None, "report it: this is a defect of transgrad")


def models(derivative: Derivative, values: Mapping[str, Any]) -> list[Any]:
    """The structure, shapes and dtypes of the differentiated arguments, recorded before the call, which may modify the arguments."""
    return [_model(pick(values, slot)) for slot in derivative.target.slots]


def _model(x: Any) -> Any:
    if isinstance(x, dict):
        copy = x.copy()
        copy.update((key, _model(item)) for key, item in x.items())
        return copy
    if isinstance(x, list):
        return [_model(item) for item in x] if type(x) is list else x
    if isinstance(x, tuple):
        return type(x)(*map(_model, x)) if hasattr(x, "_fields") else tuple(map(_model, x))
    if is_node(x):
        return _Record(type(x), {name: _model(item) for name, item in fields_of(x).items()})
    return np.broadcast_to(np.empty((), x.dtype), x.shape) if type(x) is np.ndarray else x


def check_result(derivative: Derivative, like: Sequence[Any], result: Any) -> None:
    """Compare a derivative with its arguments (see `models`), or a tangent with the value beside it."""
    kind = derivative.kind
    if isinstance(kind, Reverse):
        found = result[1] if kind.with_value else result[0] if kind.has_aux else result
        check_pullback(derivative, like, (found,) if derivative.target.single else found)
    elif isinstance(kind, Forward) and not isinstance(kind, Product) and not kind.has_aux:
        check_like(result[1], result[0], "the result")


def check_pullback(derivative: Derivative, like: Sequence[Any], found: tuple[Any, ...]) -> None:
    """Compare the cotangents of arguments with them (see `models`)."""
    for slot, value, g in zip(derivative.target.slots, like, found, strict=True):
        check_like(g, value, str(slot))


def verified(derivative: Derivative, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that compares each result of a derivative with its arguments."""
    def run(*args: Any, **kwargs: Any) -> Any:
        like = models(derivative, bind(derivative.primal, derivative.__signature__, args, kwargs))
        result = function(*args, **kwargs)
        check_result(derivative, like, result)
        return result
    return run
