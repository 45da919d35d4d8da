"""`custom_root` and `custom_fixed_point`: solutions that are differentiated by the equation they solve, not through the solver."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["custom_fixed_point", "custom_root", "distance"]


def custom_root(f: Callable[[Any], Any], initial_guess: Any, solve: Callable[[Callable[[Any], Any], Any], Any]) -> Any:
    """A root of ``f``, differentiated by the implicit function theorem.

    Parameters
    ----------
    f : callable
        A function of a number or vector, with as many results; what it takes from around it is what is differentiated.
    initial_guess : float or array
        Where the search starts; the solution does not depend on it.
    solve : callable
        ``solve(f, initial_guess)`` returns a root, in any way: it is not differentiated.

    Returns
    -------
    float or array
        What ``solve`` returns.

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
    return solve(f, initial_guess)


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
    return solve(f, initial_guess)


def distance(f: Callable[[Any], Any], x: Any) -> Any:
    """What is zero at a fixed point."""
    return f(x) - x
