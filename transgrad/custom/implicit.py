"""`custom_root` and `custom_fixed_point`: solutions that are differentiated by the equation they solve, not through the solver."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["custom_fixed_point", "custom_root", "distance"]


def custom_root(f: Callable[[Any], Any], initial_guess: Any, solve: Callable[[Callable[[Any], Any], Any], Any]) -> Any:
    """A root of ``f``, differentiated by the implicit function theorem.

    Parameters
    ----------
    f : callable
        A function of numbers and arrays, in nested tuples, lists and dicts, with as many results; what it takes from around it
        is what is differentiated.
    initial_guess : float, array, or tuple, list or dict of them
        Where the search starts; the solution does not depend on it.
    solve : callable
        ``solve(f, initial_guess)`` returns a root, in any way: it is not differentiated.

    Returns
    -------
    float, array, or tuple, list or dict of them
        What ``solve`` returns.

    Raises
    ------
    ValueError
        When there are not as many equations as unknowns.

    Notes
    -----
    On the tape, derivatives of the solution are those of the equation up to the fourth order.

    Examples
    --------
    >>> import transgrad as tg
    >>> def newton(f, x):
    ...     for _ in range(20):
    ...         x = x - f(x) * 1e-6 / (f(x + 1e-6) - f(x))
    ...     return x
    >>> def square_root(a):
    ...     return tg.custom_root(lambda x: x * x - a, 1.0, newton)
    >>> round(tg.grad(square_root)(4.0), 6)
    0.25
    """
    return _solved(f, lambda: solve(f, initial_guess))


def custom_fixed_point(f: Callable[[Any], Any], initial_guess: Any, solve: Callable[[Callable[[Any], Any], Any], Any]) -> Any:
    """A point that ``f`` maps to itself, differentiated by the implicit function theorem.

    The parameters are those of `custom_root`.

    Examples
    --------
    >>> import math
    >>> import transgrad as tg
    >>> def iterate(f, x):
    ...     for _ in range(100):
    ...         x = f(x)
    ...     return x
    >>> def kepler(e):
    ...     return tg.custom_fixed_point(lambda x: 1.0 + e * math.sin(x), 1.0, iterate)
    >>> x = kepler(0.3)
    >>> abs(tg.grad(kepler)(0.3) - math.sin(x) / (1.0 - 0.3 * math.cos(x))) < 1e-12
    True
    """
    return _solved(lambda x: distance(f, x), lambda: solve(f, initial_guess))


def distance(f: Callable[[Any], Any], x: Any) -> Any:
    """What is zero at a fixed point."""
    return _difference(f(x), x)


def _difference(y: Any, x: Any) -> Any:
    """`distance` for parts."""
    if isinstance(x, dict):
        return {key: _difference(y[key], x[key]) for key in x}
    if isinstance(x, (tuple, list)):
        return (_difference(y[0], x[0]), *_difference(y[1:], x[1:])) if len(x) else ()
    return y - x


def _solved(equation: Callable[[Any], Any], search: Callable[[], Any]) -> Any:
    """The solution, recorded where the tape is in use."""
    if "transgrad.autograd.tensor" not in sys.modules:
        return search()
    from .solved import solved
    return solved(equation, search)
