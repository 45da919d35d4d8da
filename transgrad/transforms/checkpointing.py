"""Recomputation instead of storage: `checkpoint` for a function, `checkpointed` for a loop."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

from ..pickling import Rebuilt

__all__ = ["Checkpointed", "checkpoint", "checkpointed"]


P = ParamSpec("P")
R = TypeVar("R")


class Checkpointed(Rebuilt):
    """A function of which the reverse sweep keeps the arguments alone; see `checkpoint`."""

    def __init__(self, f: Callable[..., Any]):
        functools.update_wrapper(self, f, updated=())
        self.primal = f

    def _recipe(self) -> tuple[Any, ...]:
        return self.primal,

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.primal(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def checkpoint(f: Callable[P, R]) -> Callable[P, R]:
    """Recompute a function in the reverse sweep instead of saving its intermediate values.

    Only the arguments of a call are saved.

    Parameters
    ----------
    f : callable
        The function. It must not write to its arguments; `UnsupportedSyntax` is raised otherwise when a derivative is
        computed. Random numbers from ``np.random``, from ``random``, or from a generator that is an argument or a global
        variable are drawn again as they were.

    Returns
    -------
    callable
        A function with the signature of ``f``, and the same results.

    See Also
    --------
    checkpointed : Recomputation of the iterations of a loop.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> @tg.checkpoint
    ... def layer(w, x):
    ...     return np.tanh(w @ x)
    >>> tg.grad(lambda w: np.sum(layer(w, layer(w, np.ones(2)))))(np.zeros((2, 2)))
    array([[0., 0.],
           [0., 0.]])
    """
    return Checkpointed(f)


def checkpointed(iterable: Iterable[R], snapshots: int = 0) -> Iterable[R]:
    """Mark a loop whose reverse sweep saves only some states and recomputes the others.

    Parameters
    ----------
    iterable : range
        The range of the loop, with step 1. The loop must carry its state in variables and must not have an early exit.
    snapshots : int, default 0
        The maximum number of saved states, which are placed by the binomial schedule (Griewank 1992). With 0, one state
        is saved in about ``sqrt(n)`` iterations, and each iteration is computed twice.

    Returns
    -------
    iterable
        ``iterable`` itself.

    Examples
    --------
    >>> import transgrad as tg
    >>> def decay(x):
    ...     for i in tg.checkpointed(range(10_000)):
    ...         x = x - 0.001 * x
    ...     return x
    >>> bool(abs(tg.grad(decay)(1.0) - 0.999 ** 10_000) < 1e-12)
    True
    """
    if snapshots < 0:
        raise ValueError(f"snapshots is the number of states that are kept, not {snapshots}")
    return iterable
