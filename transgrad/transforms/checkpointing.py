"""Recomputing instead of storing: of a call, `checkpoint`; of a loop, `checkpointed`."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["Checkpointed", "checkpoint", "checkpointed"]


class Checkpointed:
    """A function of which the reverse sweep keeps the arguments alone; see `checkpoint`."""

    def __init__(self, f: Callable[..., Any]):
        functools.update_wrapper(self, f, updated=())
        self.primal = f

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.primal(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself; where a call of it is differentiated, it is computed again in the reverse sweep instead of keeping
    what it has computed.

    Parameters
    ----------
    f : callable
        A function that writes into nothing it is given (`UnsupportedSyntax` where a derivative is asked for).  Random numbers it
        draws from ``np.random``, ``random``, or a generator that is an argument or a global are drawn again as they were.

    Returns
    -------
    callable
        A function with the signature of ``f``.

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


def checkpointed(iterable: Iterable[Any], snapshots: int = 0) -> Iterable[Any]:
    """The iterable itself; a loop over it keeps only some of its states for the reverse sweep, and computes the others again.

    Parameters
    ----------
    iterable : range
        What the loop runs over, with step 1.  The loop carries its state in variables, and is not left early.
    snapshots : int
        0: every state before a stretch as long as the square root of the number of iterations, and what the stretch computes
        while it is reversed; each iteration is computed twice.  A number: no more states than that at once, where the binomial
        schedule says (Griewank 1992), which computes the fewest iterations again; a stretch is reversed at once only where
        there are so few that an iteration would be computed more than 32 times.

    Returns
    -------
    iterable
        ``iterable``.

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
