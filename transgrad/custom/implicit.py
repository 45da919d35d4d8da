"""`custom_root` and `custom_fixed_point`: solutions differentiated by the implicit function theorem, not through the solver."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..services import solve_on_tape

__all__ = ["custom_fixed_point", "custom_root", "distance"]


def custom_root(f: Callable[[Any], Any], initial_guess: Any, solve: Callable[[Callable[[Any], Any], Any], Any]) -> Any:
    """Return a root of a function, differentiated by the implicit function theorem.

    The iterations of the solver are neither saved nor reversed.

    Parameters
    ----------
    f : callable
        A function of numbers and arrays, in nested tuples, lists and dicts, with as many results. The derivative is taken
        with respect to the values that it reads from enclosing scopes.
    initial_guess : float, array, or tuple, list or dict of them
        The start of the search. The solution does not depend on it.
    solve : callable
        ``solve(f, initial_guess)`` returns a root. It is not differentiated.

    Returns
    -------
    float, array, or tuple, list or dict of them
        The result of ``solve``.

    See Also
    --------
    custom_fixed_point : For equations of the form ``f(x) = x``.

    Examples
    --------
    >>> import transgrad as tg
    >>> def newton(f, x):
    ...     for _ in range(30):
    ...         x = x - f(x) / tg.jvp(f, (x,), (1.0,))[1]
    ...     return x
    >>> def cube_root(a):
    ...     return tg.custom_root(lambda x: x ** 3 - a, 1.0, newton)
    >>> round(float(tg.grad(cube_root)(8.0)), 6)
    0.083333
    """
    return _solved(f, lambda: solve(f, initial_guess))


def custom_fixed_point(f: Callable[[Any], Any], initial_guess: Any, solve: Callable[[Callable[[Any], Any], Any], Any]) -> Any:
    """Return a fixed point of a function, differentiated by the implicit function theorem.

    Parameters
    ----------
    f : callable
        A function of numbers and arrays, in nested tuples, lists and dicts, with a result of the same structure. The
        derivative is taken with respect to the values that it reads from enclosing scopes.
    initial_guess : float, array, or tuple, list or dict of them
        The start of the search.
    solve : callable
        ``solve(f, initial_guess)`` returns a fixed point. It is not differentiated.

    Returns
    -------
    float, array, or tuple, list or dict of them
        The result of ``solve``.

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
    """Return the residual of a fixed point."""
    return _difference(f(x), x)


def _difference(y: Any, x: Any) -> Any:
    """Return `distance` for nested values."""
    if isinstance(x, dict):
        return {key: _difference(y[key], x[key]) for key in x}
    if isinstance(x, (tuple, list)):
        return (_difference(y[0], x[0]), *_difference(y[1:], x[1:])) if len(x) else ()
    return y - x


def _solved(equation: Callable[[Any], Any], search: Callable[[], Any]) -> Any:
    """Return the solution, recorded if the tape is in use."""
    if "transgrad.autograd.tensor" not in sys.modules:
        return search()
    return solve_on_tape(equation, search)
