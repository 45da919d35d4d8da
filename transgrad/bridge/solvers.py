"""SciPy's solvers on the tape: a solver sees plain numbers, and its result is differentiated by the implicit function theorem."""
from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate as si
import scipy.optimize as so

from ..autograd.backward import grad
from ..autograd.grad_mode import enable_grad
from ..autograd.tensor import wrap
from ..rules.static import NoDerivative
from .array import TapedArray, holds, stacked, taped
from .solved import solved

__all__ = ["SOLVERS"]


def _plain(x: Any) -> Any:
    """Numbers and arrays without their history, in nested sequences and dictionaries too; functions that return such."""
    if isinstance(x, TapedArray):
        return x.tensor._array.item() if x.number is float else x.tensor._array[()] if x.number else x.tensor._array.copy()
    if isinstance(x, dict):
        return {name: _plain(item) for name, item in x.items()}
    if type(x) in (list, tuple):
        return type(x)(map(_plain, x))
    return (lambda *args, **kwargs: _plain(x(*args, **kwargs))) if inspect.isfunction(x) or inspect.ismethod(x) else x


def _whole(y: Any) -> Any:
    """The numbers of a list of recorded ones as one array."""
    return stacked(y) if isinstance(y, (list, tuple)) and holds(y) else np.asarray(y) if isinstance(y, (list, tuple)) else y


def _slope(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The gradient of a function of one number or array, which can be differentiated again."""
    def slope(x: Any) -> Any:
        point = x.tensor if isinstance(x, TapedArray) else wrap(np.asarray(x, float))
        with enable_grad():
            point = point if point.requires_grad else point.detach().requires_grad_()
            y = f(taped(point, number=True))
            if not isinstance(y, TapedArray):
                return np.zeros(point.shape)
            return taped(grad(y.tensor.sum(), point, create_graph=True, allow_unused=True, materialize_grads=True)[0], number=True)
    return slope


def _call(fn: Any, function: str, args: Any, kwargs: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """The arguments of a solver by name, and its function of the unknowns alone."""
    given = inspect.signature(fn).bind(*args, **kwargs).arguments
    given.update(given.pop("kwargs", {}) if fn is not so.least_squares else {})
    f, extra = given[function], given.get("args", ())
    extra = extra if isinstance(extra, tuple) else (extra,)
    for name in ("full_output", "weight", "complex_func", "fprime2", "fprime"):
        if given.get(name):
            raise NoDerivative(f"{fn.__name__} has no derivative with the option {name!r}")
    return given, lambda x: f(x, *extra)


def _found(fn: Any, given: dict[str, Any]) -> Any:
    """The result of the solver for plain numbers."""
    first = next(iter(inspect.signature(fn).parameters))
    rest = {name: _plain(value) for name, value in given.items() if name != first}
    return fn(_plain_function(given[first]), **rest)


def _plain_function(f: Any) -> Any:
    return lambda *args, **kwargs: _plain(_whole(f(*args, **kwargs)))


def _root(fn: Any, function: str, attribute: str | None = None, fixed: bool = False) -> Callable[..., Any]:
    """A solver of equations; ``attribute`` of its result is the root, and a fixed point solves ``f(x) = x``."""
    def call(*args: Any, **kwargs: Any) -> Any:
        given, f = _call(fn, function, args, kwargs)
        if given.get("jac") is True:
            raise NoDerivative(f"{fn.__name__} has no derivative on the tape with jac=True: pass the Jacobian as a separate function")
        found: Any = None

        def search() -> Any:
            nonlocal found
            found = _found(fn, given)
            return found if attribute is None else getattr(found, attribute)
        x = solved(lambda x: _whole(f(x)) - x if fixed else _whole(f(x)), search)
        _check(fn, x, found if attribute is None else getattr(found, attribute))
        return x if attribute is None else _with(found, **{attribute: x})
    return call


def _minimum(fn: Any, value: Callable[[Any], Any], refused: tuple[str, ...]) -> Callable[..., Any]:
    """A minimizer, at which the gradient is zero; ``value`` returns the objective from the function's result."""
    def call(*args: Any, **kwargs: Any) -> Any:
        given, f = _call(fn, "fun", args, kwargs)
        for name in refused:
            if given.get(name) not in (None, (), "linear"):
                raise NoDerivative(f"{fn.__name__} has a derivative on the tape without {name}")
        if given.get("jac") is True:
            both, given["jac"] = given["fun"], False
            given["fun"] = lambda *point: both(*point)[0]
            f = (lambda whole: lambda x: whole(x)[0])(f)
        found: Any = None

        def search() -> Any:
            nonlocal found
            found = _found(fn, given)
            return found.x
        x = solved(_slope(lambda x: value(_whole(f(x)))), search)
        _check(fn, x, found.x)
        if given.get("bounds") is not None:
            _check_inside(fn, found.x, _plain(given["bounds"]))
        return _with(found, x=x, fun=f(x))
    return call


def _check(fn: Any, x: Any, found: Any) -> None:
    """Refuse a result that a Newton step changes noticeably: it is not a root, or a minimum at a bound."""
    if np.any(np.abs(_plain(x) - found) > 1e-3 * (1.0 + np.abs(found))):
        raise NoDerivative(f"what {fn.__name__} returned does not satisfy the equation that it is differentiated by: it has not converged, "
                           "or is at a bound")


def _check_inside(fn: Any, found: Any, bounds: Any) -> None:
    """Refuse a minimum at a bound, with which it moves."""
    low, high = (bounds.lb, bounds.ub) if isinstance(bounds, so.Bounds) else bounds
    room = 1e-4 * (1.0 + np.abs(found))
    if np.any((found - low < room) | (high - found < room)):
        raise NoDerivative(f"{fn.__name__} has a derivative on the tape where its minimum is at no bound")


def _with(found: Any, **parts: Any) -> Any:
    """A copy of a solver's result with other parts."""
    new = copy.copy(found)
    for name, part in parts.items():
        setattr(new, name, part)
    return new


def _quad(*args: Any, **kwargs: Any) -> Any:
    """The integral: the derivative of a sum over points in the intervals that the adaptive rule has settled on."""
    given, f = _call(si.quad, "func", args, kwargs)
    ends = given["a"], given["b"]
    low, high = (float(_plain(end)) for end in ends)
    if low > high:
        value, error = _quad(**{**given, "a": ends[1], "b": ends[0]})
        return -value, error
    value, error, info = _found(si.quad, {**given, "full_output": 1})[:3]
    count = info["last"]        # of the intervals that the range, or for an infinite one that from 0 to 1, was divided into
    points, weights = np.polynomial.legendre.leggauss(21)
    total: Any = 0.0
    for left, right in zip(info["alist"][:count], info["blist"][:count]):
        start, stop = (left, right) if np.isinf(low) or np.isinf(high) else (
            ends[0] if left == low else ends[1] if left == high else left, ends[0] if right == low else ends[1] if right == high else right)
        middle, half = 0.5 * (start + stop), 0.5 * (stop - start)
        for p, w in zip(points, weights):
            total = total + w * half * _integrand(f, ends, low, high, middle + half * p)
    if not isinstance(total, TapedArray):       # nothing of it is recorded
        return value, error
    if not abs(_plain(total) - value) <= 1e-7 * max(1.0, abs(value)) + 10.0 * error:
        raise NoDerivative("the integrand is too singular for its derivative to be taken on the tape: substitute the variable")
    return value + (total - _plain(total)), error


def _integrand(f: Callable[[Any], Any], ends: tuple[Any, Any], low: float, high: float, u: Any) -> Any:
    """The integrand in QUADPACK's variable."""
    if not np.isinf(low) and not np.isinf(high):
        return f(u)
    x = (1.0 - u) / u
    if np.isinf(low) and np.isinf(high):
        return (f(x) + f(-x)) / (u * u)
    return (f(ends[0] + x) if np.isinf(high) else f(ends[1] - x)) / (u * u)


def _half_square(r: Any) -> Any:
    return 0.5 * np.sum(r * r)


#: the replacements
SOLVERS: dict[Any, Callable[..., Any]] = {
    **{fn: _root(fn, "f") for fn in (so.brentq, so.brenth, so.bisect, so.ridder, so.toms748)},
    so.newton: _root(so.newton, "func"), so.fsolve: _root(so.fsolve, "func"), so.fixed_point: _root(so.fixed_point, "func", fixed=True),
    so.root: _root(so.root, "fun", "x"), so.root_scalar: _root(so.root_scalar, "f", "root"),
    so.minimize: _minimum(so.minimize, lambda y: y, ("bounds", "constraints")),
    so.minimize_scalar: _minimum(so.minimize_scalar, lambda y: y, ()),
    so.least_squares: _minimum(so.least_squares, _half_square, ("loss",)),
    si.quad: _quad,
}
