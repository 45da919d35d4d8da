"""What functions for one, two and three dimensions share: sizes per dimension, signals without a batch, and names."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

__all__ = ["Size", "named", "over_batch", "per_dimension"]

Size = int | Sequence[int]
Named = TypeVar("Named", bound=Callable[..., Any])


def named(function: Named, name: str, doc: str) -> Named:
    """Set the name and the docstring of a function."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def per_dimension(given: Any, count: int, name: str, kind: str = "pooling") -> tuple[int, ...]:
    """Return one number for each of ``count`` dimensions; a single number stands for all.

    Examples
    --------
    >>> per_dimension(3, 2, "stride")
    (3, 3)
    """
    found = (given,) if isinstance(given, int) else tuple(int(n) for n in given)
    if len(found) == 1:
        return found * count
    if len(found) != count:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {count} values to match the {kind} dimensions, "
                           f"but got {name}={list(found)}")
    return found


def over_batch(run: Callable[[Any], Any], input: Any, ndim: int, message: str) -> Any:
    """Call a function of a batch, which has ``ndim`` dimensions, also with a single example."""
    if input.ndim == ndim:
        return run(input)
    if input.ndim != ndim - 1:
        raise RuntimeError(f"{message}: {list(input.shape)}")
    found = run(input.unsqueeze(0))
    return tuple(x.squeeze(0) for x in found) if isinstance(found, tuple) else found.squeeze(0)
