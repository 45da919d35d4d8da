"""Entry points of generated code for a function that the compiler refused: ``y, y_pullback = tape.vjp(helper, x, returns="float")``."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..services import tape_call, tape_checked_call

__all__ = ["call", "derivative", "push", "pushed", "vjp"]


def call(f: Callable[..., Any], /, *args: Any, returns: str, **kwargs: Any) -> Any:
    """``f(*args, **kwargs)``, of which it is checked that it returns a number of the form ``returns`` (see `vjp`)."""
    return tape_checked_call(f, args, kwargs, returns)


def vjp(f: Callable[..., Any], /, *args: Any, returns: str, wrt: int | str | tuple[int | str, ...] | None = None,
        writes: int | str | tuple[int | str, ...] = (), **kwargs: Any) -> Any:
    """Call a function on the tape.

    Parameters
    ----------
    f : callable
        The function; it is called once, as ``f(*args, **kwargs)``.
    returns : str
        The form of its result: ``float``, ``np.float64`` (a NumPy scalar), ``float64[:, :]`` (an array with two
        dimensions), ``(float, int)``, ``{'a': float}``, ``None``.
    wrt : int, str or tuple of them, optional
        The arguments, by position or keyword, that are differentiated; by default those with floats.
    writes : int, str or tuple of them
        The arrays among the arguments that the function writes into.

    Returns
    -------
    tuple
        The numbers and arrays it returns, one by one; the new contents of the arrays it writes into, which are left as they
        are; and a pullback: a function of one cotangent a float among these, that returns one a float among the arguments.

    Raises
    ------
    UnsupportedCall
        If the function behaves differently than declared: the generated code assumes the declaration.
    """
    return tape_call(f, args, kwargs, returns, wrt, writes)


def push(pullback: Any, *tangents: Any) -> Any:
    """The tangents of the results of a call, from those of its arguments."""
    return pullback.push(*tangents)


def derivative(pullback: Any, *cotangents: Any) -> Any:
    """The pullback of ``pullback(*cotangents)``: it returns the cotangents of the arguments of the call, then of ``cotangents``."""
    return pullback.derivative(*cotangents)


def pushed(pullback: Any, *tangents: Any) -> Any:
    """The pullback of ``push(pullback, *tangents)``: it returns the cotangents of the arguments of the call, then of ``tangents``."""
    return pullback.pushed(*tangents)
