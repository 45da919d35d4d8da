"""Calls of Python functions from machine code: the interpreter runs a function that Numba has no implementation of."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np

__all__ = ["interpreted", "is_known"]


def is_known(function: Any) -> bool:
    """Whether Numba has an implementation of a function, for some types of arguments."""
    target = numba.core.registry.cpu_target
    target.target_context.refresh()     # imports the modules that implement functions
    context = target.typing_context
    context.refresh()
    try:
        context.resolve_value_type(function)
    except Exception:       # several classes of errors of Numba, and ValueError
        return False
    return True


def interpreted(function: Callable[..., Any], name: str, count: int, results: Sequence[str]) -> Any:
    """A function for Numba that has the interpreter call a Python function.

    Parameters
    ----------
    function : callable
        Takes ``count`` arguments by position.
    name : str
        The name of the new function.
    count : int
        The number of arguments.
    results : sequence of str
        The types of the results in Numba's notation, none for a function called for its effect; arrays are contiguous, as in
        ``float64[:,::1]``.

    Returns
    -------
    object
        Numba's dispatcher. Its machine code is not stored on disk, as it holds the function.
    """
    params = ", ".join(f"a{k}" for k in range(count))
    outs = [f"r{k}" for k in range(len(results))]
    types = ", ".join(f"{out}={t!r}" for out, t in zip(outs, results))
    made = ", ".join(_converted(f"y{'' if len(outs) == 1 else f'[{k}]'}", t) for k, t in enumerate(results))
    lines = [f"def {name}({params}):", f"    with objmode({types}):", f"        y = function({params})"]
    lines += [f"        {', '.join(outs)} = {made}", f"    return {', '.join(outs)}"] if outs else []
    scope: dict[str, Any] = {"objmode": numba.objmode, "function": function, "np": np}
    exec("\n".join(lines), scope)
    return numba.njit(scope[name])


def _converted(y: str, t: str) -> str:
    """A result as the promised type: NumPy's scalars are numbers, arrays are contiguous. A result of another kind raises an exception."""
    dtype = t.split("[")[0].replace("boolean", "bool_")
    made = f"np.asarray({y}).astype(np.{dtype}, casting='same_kind', copy=False)"
    if "[" in t:
        return f"np.ascontiguousarray({made})"
    return f"{made}.item()" if dtype in ("int64", "bool_", "float64", "complex128") else f"{made}[()]"
