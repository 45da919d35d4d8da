"""Interpret calls that do not match the definition: the argument orders of older PyTorch, or wrong arguments, with torch's messages."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..deprecated import warn_old_name
from ..tensor import Tensor

__all__ = ["in_older_order", "miscalled"]

#: annotations of parameters that take a tensor, in torch's words
_TENSORS: dict[str, tuple[type, ...]] = {"Tensor": (Tensor,), "Operand": (Tensor, int, float, complex)}
#: of NumPy's and Python's errors about the types of operands
_OPERANDS = ("ufunc '", "could not convert string", "unsupported operand type")
Parameters = inspect.Parameter


def in_older_order(name: str, args: Sequence[Any], older: Sequence[str], count: int) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Tensors, and by name the numbers that older PyTorch has among them: ``add(x, 2, y)`` is ``add(x, y, alpha=2)``.

    None if the call has another meaning.
    """
    tensors = tuple(x for x in args if isinstance(x, Tensor))
    numbers = [x for x in args if isinstance(x, (int, float, complex))]
    if len(tensors) != count or len(tensors) + len(numbers) != len(args) or len(numbers) > len(older) or args[-1] is not tensors[-1]:
        return None
    named = dict(zip(older, numbers))
    today = ", ".join(f"{k}={v}" for k, v in named.items())
    warn_old_name(f"{name}() with numbers before the tensors they belong to", f"Name them: {today}.")
    return tensors, named


def miscalled(error: Exception, name: str, lower: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Exception:
    """The error for arguments that ``lower`` does not take; any other error as it is."""
    parameters = inspect.signature(lower).parameters
    try:
        bound = inspect.signature(lower).bind(*args, **kwargs).arguments
    except TypeError as misbound:
        return TypeError(_unbound(str(misbound), name, parameters, args, kwargs))
    for place, (key, value) in enumerate(bound.items(), 1):
        kinds = _TENSORS.get(str(parameters[key].annotation)) if parameters[key].kind is not Parameters.VAR_POSITIONAL else None
        if kinds is not None and not isinstance(value, kinds):
            key = "input" if key == "self" else key
            return _caused(TypeError(f"{name}(): argument '{key}' (position {place}) must be Tensor, not {type(value).__name__}"), error)
    if isinstance(error, AttributeError) or any(words in str(error) for words in _OPERANDS):
        got = [_kind(x) for x in args] + [f"{k}={_kind(v)}" for k, v in kwargs.items()]
        return _caused(TypeError(f"{name}() received an invalid combination of arguments - got ({', '.join(got)})"), error)
    return error


def _caused(error: TypeError, cause: Exception) -> TypeError:
    error.__cause__ = cause
    return error


def _unbound(why: str, name: str, parameters: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """Why a call cannot be brought to the parameters of a definition."""
    takes = [k for k, p in parameters.items() if p.kind in (Parameters.POSITIONAL_ONLY, Parameters.POSITIONAL_OR_KEYWORD)]
    needs = [k for k in takes if parameters[k].default is Parameters.empty]
    if "missing" in why:
        absent = [f'"{"input" if k == "self" else k}"' for k in needs[len(args):] if k not in kwargs]
        return f"{name}() missing {len(absent)} required positional argument{'s' if len(absent) == 1 else ''}: {', '.join(absent)}"
    if "too many" in why:
        least = f"from {len(needs)} to " if len(needs) < len(takes) else ""
        return f"{name}() takes {least}{len(takes)} positional argument{'s' if len(takes) > 1 else ''} but {len(args)} were given"
    return f"{name}() {why}"


def _kind(x: Any) -> str:
    inner = ", ".join(type(i).__name__ for i in x) if isinstance(x, (tuple, list)) else ""
    return f"list of [{inner}]" if isinstance(x, list) else f"tuple of ({inner})" if isinstance(x, tuple) else type(x).__name__
